"""A rule is asked in each reading of a sentence, and a page says how near a verdict is."""

import numpy as np
import pytest
from cases import each_of
from made_up import falling, found, paper, results

import cdlab
from cdlab.comparisons import Ratio, overshoot
from papers import Claim, Contender, claims, pages
from papers.appa.parts import curves_from_zero
from papers.judging import compare_passes, in_each_reading, per_case, with_panels_outside_verdict
from papers.results import Undecided
from papers.spdc.parts import within_first_limit
from papers.spdc.races import distance_shares
from papers.verdicts import claim_verdict, distance_text

MUCH = per_case(compare_passes("a", "b", claims.much_faster))
FASTER = per_case(compare_passes("a", "b", claims.faster))


def judged(claim, *founds):
    """A claim's row on a page, from made-up curves."""
    made = paper(claims=[claim], contenders=[Contender(label, "sdca") for label in "abc"])
    (row,) = pages.claim_rows(made.items[0], {"full": {"claims": [claim_verdict(claim, results(*founds))]}})
    return row


@each_of("b, verdict", [(25.0, "reproduced"), (10.0, "differs"), (15.0, "differs")])
def test_a_claim_is_reproduced_where_it_holds_in_every_reading(b, verdict):
    claim = Claim("C1", "a is better", "either", in_each_reading({"better": FASTER, "much better": MUCH}))
    row = judged(claim, found(a=[10.0], b=[b]))
    assert row["verdict"] == verdict
    assert [panel["panel"] for panel in row["found"]["panels"]] == ["better: one", "much better: one"]


def test_a_reading_that_nothing_decides_leaves_the_verdict_to_the_others():
    of_c = per_case(compare_passes("a", "c", claims.faster))

    def undecided(results):
        raise Undecided("there is nothing to see")

    claim = Claim("C1", "a", "either", in_each_reading({"better": FASTER, "of c": of_c, "none": undecided}))
    row = judged(claim, found(a=[10.0], b=[15.0], c=[None]))
    assert row["found"]["verdict"] == "reproduced"
    assert row["found"]["panels"][-1]["note"] == "there is nothing to see"


def test_a_quick_verdict_says_so_and_what_nobody_ran_too():
    claim = Claim("C1", "a is better", "ratio >= 2", MUCH)
    item = paper(claims=[claim], contenders=[Contender(label, "sdca") for label in "ab"]).items[0]
    told = {"claims": [claim_verdict(claim, results(found(a=[10.0], b=[25.0])))]}
    assert [row["verdict"] for row in pages.claim_rows(item, {"quick": told})] == ["reproduced (quick)"]
    assert [row["verdict"] for row in pages.claim_rows(item, {})] == ["not run"]


def test_why_it_differs_is_said_only_while_it_differs():
    claim = Claim("C1", "a", "ratio >= 2", MUCH, why="Because.")
    assert judged(claim, found(a=[10.0], b=[15.0]))["found"]["why"] == "Because."
    assert judged(claim, found(a=[10.0], b=[50.0]))["found"]["why"] == ""


def test_what_is_declared_not_testable_stays_so():
    row = judged(Claim("C1", "beautiful", "none", why="No measure."), found(a=[1.0]))
    assert (row["verdict"], row["found"]["why"]) == ("not testable", "No measure.")


def test_panels_that_are_only_shown_decide_nothing():
    judge = with_panels_outside_verdict(
        per_case(compare_passes("a", "b", claims.much_faster)), per_case(compare_passes("a", "c", claims.much_faster))
    )
    row = judged(Claim("C1", "a", "rule", judge), found(a=[10.0], b=[25.0], c=[11.0]))
    assert row["verdict"] == "reproduced"
    assert [panel.get("counts", True) for panel in row["found"]["panels"]] == [True, False]


def near(*ratios, seeds=1):
    founds = [found(f"p{k}", a=[10.0] * len(each), b=[10.0 * x for x in each]) for k, each in enumerate(ratios)]
    return distance_text(claim_verdict(Claim("C1", "a", "rule", MUCH), results(*founds)))


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
    row = judged(Claim("C1", "a", "rule", judge), found(a=[60.0], b=[90.0]))
    (panel,) = row["found"]["panels"]
    assert panel["note"] == "to e = 1e-6, by passes"  # at 1e-8 a needs 120 passes
    assert panel["value"] == pytest.approx(1.5)


def test_theorem_1_of_spdc_holds_and_is_not_idle():
    X, y = cdlab.datasets.make(n=120, d=20, seed=0)
    told = distance_shares(cdlab.Problem(X / np.linalg.norm(X, axis=1)[:, None], y, "smooth_hinge", l2=1e-4))
    assert 0.01 < told["largest share"] <= 1
    assert told["epochs"] >= 10
