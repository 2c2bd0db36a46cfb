"""An amended rule stands beside the first, readings may disagree, and a page says how near a verdict is."""

import numpy as np
import pytest
from cases import each_of
from made_up import falling, found, paper, results

import cdlab
from cdlab.comparisons import Ratio, claims, overshoot
from cdlab.reproductions import Claim, Contender, pages
from cdlab.reproductions.appa.parts import curves_from_zero
from cdlab.reproductions.items import OF_RUNS, Addition, Amendment, NewRule, Removal, Rule
from cdlab.reproductions.judging import compare_passes, per_case, with_panels_outside_verdict
from cdlab.reproductions.spdc.parts import within_first_limit
from cdlab.reproductions.spdc.races import distance_shares
from cdlab.reproductions.verdicts import claim_verdict, distance_text

MUCH = per_case(compare_passes("a", "b", claims.much_faster))
FASTER = per_case(compare_passes("a", "b", claims.faster))


def paper_of(claim):
    return paper(claims=[claim], contenders=[Contender(label, "sdca") for label in "abc"])


def judged(claim, *founds):
    """A claim's row on a page, from made-up curves."""
    (row,) = pages.claim_rows(paper_of(claim).items[0], {"full": {"claims": [claim_verdict(claim, results(*founds))]}})
    return row


def test_both_rules_are_judged_and_todays_is_the_verdict():
    claim = Claim(
        "C1",
        "a is better",
        Rule("ratio >= 2", MUCH, why="Because."),
        amendment=NewRule("it says better.", rule=Rule("ratio >= 1.1", FASTER)),
    )
    row = judged(claim, found(a=[10.0], b=[15.0]))
    assert (row["first"], row["full"]) == ("differs", "reproduced")
    assert row["best"]["why"] == ""


@each_of("b, verdict", [(25.0, "reproduced"), (10.0, "differs"), (15.0, "depends on the reading")])
def test_readings_that_disagree_make_a_verdict_of_their_own(b, verdict):
    readings = {"better": FASTER, "much better": MUCH}
    claim = Claim(
        "C1",
        "a is better",
        Rule("ratio >= 2", MUCH),
        amendment=NewRule("both are meant.", rule=Rule("either", readings)),
    )
    row = judged(claim, found(a=[10.0], b=[b]))
    assert row["full"] == verdict
    assert "better: " in row["best"]["number"]


def test_a_reading_that_nothing_decides_leaves_the_verdict_to_the_others():
    readings = {"better": FASTER, "of c": per_case(compare_passes("a", "c", claims.faster))}
    claim = Claim(
        "C1",
        "a is better",
        Rule("ratio >= 2", MUCH),
        amendment=NewRule("both are meant.", rule=Rule("either", readings)),
    )
    assert judged(claim, found(a=[10.0], b=[15.0], c=[None]))["best"]["verdict"] == "reproduced"


def test_a_mark_changes_what_the_claim_is_and_no_verdict():
    claim = Claim("C1", "a is better", Rule("ratio >= 2", MUCH), amendment=Amendment("It is of bounds.", mark=OF_RUNS))
    row = judged(claim, found(a=[10.0], b=[25.0]))
    assert (row["first"], row["full"]) == ("reproduced", "reproduced")
    assert claim.text == "(ours), of runs: a is better"


def test_a_claim_that_came_later_has_no_first_verdict_and_one_that_went_only_that():
    came = judged(Claim("C1", "a", Rule("rule", MUCH), amendment=Addition("Left out.")), found(a=[10.0], b=[25.0]))
    went = judged(Claim("C1", "a", Rule("rule", MUCH), amendment=Removal("Twice.")), found(a=[10.0], b=[25.0]))
    assert (came["first"], came["full"]) == ("", "reproduced")
    assert (went["first"], went["full"]) == ("reproduced", "")
    assert not went["best"]["verdict"]


def test_an_amendment_may_say_that_nothing_can_be_tested():
    claim = Claim(
        "C1",
        "a",
        Rule("rule", MUCH),
        amendment=NewRule("the set is another one.", rule=Rule("none", why="Another set.")),
    )
    row = judged(claim, found(a=[10.0], b=[25.0]))
    assert (row["first"], row["full"], row["best"]["why"]) == ("reproduced", "not testable", "Another set.")


def test_results_of_before_an_amendment_are_not_judged_by_it():
    claim = Claim(
        "C1", "a", Rule("rule", MUCH), amendment=NewRule("it says better.", rule=Rule("ratio >= 1.1", FASTER))
    )
    told = claim_verdict(claim, results(found(a=[10.0], b=[25.0])))
    del told["amended"]
    (row,) = pages.claim_rows(paper_of(claim).items[0], {"full": {"claims": [told]}})
    assert (row["first"], row["full"]) == ("reproduced", "")


def test_the_index_counts_under_both_rules(tmp_path):
    claim = Claim(
        "C1",
        "a is better",
        Rule("ratio >= 2", MUCH, why="Why."),
        amendment=NewRule("it says better.", rule=Rule("ratio >= 1.1", FASTER)),
    )
    one = paper_of(claim)
    told = {"claims": [claim_verdict(claim, results(found(a=[10.0], b=[15.0])))], "curves": [2, 2], "minutes": 0.0}
    told |= {"mode": "full", "by": "cdlab", "machine": "a machine", "date": "", "tol": 1e-6}
    told |= {"cases": [], "tables": [], "missing": []}
    pages.write_pages(tmp_path, {"small-fig": {"full": told}}, [one])
    index = (tmp_path / "index.md").read_text()
    assert "| first | 0 | 1 | - | 1 |" in index
    assert "| amended | 1 | 0 | 0 | 1 |" in index
    page = (tmp_path / "small.md").read_text()
    assert "Amended because it says better." in page
    assert "ratio >= 2: **differs**" in page


def test_panels_that_are_only_shown_decide_nothing():
    judge = with_panels_outside_verdict(
        per_case(compare_passes("a", "b", claims.much_faster)), per_case(compare_passes("a", "c", claims.much_faster))
    )
    row = judged(Claim("C1", "a", Rule("rule", judge)), found(a=[10.0], b=[25.0], c=[11.0]))
    assert row["full"] == "reproduced"
    assert [panel.get("counts", True) for panel in row["best"]["panels"]] == [True, False]


def near(*ratios, seeds=1):
    founds = [found(f"p{k}", a=[10.0] * len(each), b=[10.0 * x for x in each]) for k, each in enumerate(ratios)]
    return distance_text(claim_verdict(Claim("C1", "a", Rule("rule", MUCH)), results(*founds)))


def test_what_holds_is_as_near_as_its_nearest_panel_and_what_fails_as_its_farthest():
    assert near([2.2], [4.0]) == "1.1 times 2"
    assert near([1.8], [1.0], [8.0]) == "0.5 times 2"


def test_an_interval_that_crosses_the_line_is_said():
    assert near([1.5, 2.4, 3.0]) == "1.2 times 2, its interval crosses it"
    assert near([2.2, 2.4, 3.0]) == "1.2 times 2"


@pytest.mark.parametrize(("value", "line"), [(1.9, 1.5), (2.8, 3.0)])
def test_of_two_lines_the_nearer_one_counts(value, line):
    ratio = Ratio(np.array([value]), np.array([value]))
    assert claims.between(ratio, 1.5, 3.0).threshold == line
    assert claims.between(ratio, 1.5, 3.0).holds


def test_overshoot_is_counted_from_x_0_and_not_from_where_the_first_stage_begins():
    far = falling(10.0)
    far.records[0] = far.records[0]._replace(primal=1e4)  # x_hat(y_hat(x_0)), which is no iterate
    far.records[1] = far.records[1]._replace(primal=3.0)
    one = found(a=[far])
    (before,), (after,) = one.curves("a"), curves_from_zero(one, "a")
    assert overshoot(before[1]) == 0
    assert overshoot(after[1]) == pytest.approx(np.log10(3.0))


def test_longer_runs_are_judged_at_the_levels_of_the_first_ones():
    judge = per_case(within_first_limit("a", "b", claims.comparable))
    row = judged(Claim("C1", "a", Rule("rule", judge)), found(a=[60.0], b=[90.0]))
    (panel,) = row["best"]["panels"]
    assert panel["note"] == "to e = 1e-6, by passes"  # at 1e-8 a needs 120 passes
    assert panel["value"] == pytest.approx(1.5)


def test_theorem_1_of_spdc_holds_and_is_not_idle():
    X, y = cdlab.datasets.make(n=120, d=20, seed=0)
    told = distance_shares(cdlab.Problem(X / np.linalg.norm(X, axis=1)[:, None], y, "smooth_hinge", l2=1e-4))
    assert 0.01 < told["largest share"] <= 1
    assert told["epochs"] >= 10
