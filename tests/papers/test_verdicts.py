"""The rule of a claim decides, on made-up results, both ways; and says when it cannot."""

import pytest
from made_up import falling, found, results

from papers import Case, Claim, claims
from papers.judging import across_cases, compare_passes, per_case
from papers.verdicts import claim_verdict, close_cases

FASTER = per_case(compare_passes("a", "b", claims.much_faster))


def judged(*founds, judge=FASTER):
    return claim_verdict(Claim("C1", "a is much faster", "ratio >= 2", judge), results(*founds))


@pytest.mark.parametrize(("b", "verdict"), [(20.0, "reproduced"), (19.9, "differs")])
def test_the_threshold_decides(b, verdict):
    assert judged(found(a=[10.0], b=[b]))["verdict"] == verdict


def test_a_claim_that_fails_in_one_panel_differs_and_names_it():
    told = judged(found("good", a=[10.0], b=[50.0]), found("bad", a=[10.0], b=[15.0]))
    assert told["verdict"] == "differs"
    assert told["number"] == "holds in 1 of 2; fails at bad: 1.5"


def test_what_stands_in_is_named_with_the_verdict():
    assert judged(found(a=[10.0], b=[50.0]))["on"] == ["mushrooms, for toadstools"]


def test_the_level_is_the_smallest_that_p_star_supports_and_one_of_them_reaches():
    (panel,) = judged(found(a=[falling(10.0, last=1e-5)], b=[falling(60.0, last=1e-2)]))["panels"]
    assert panel["note"] == "b / a, to e = 1e-4"
    (panel,) = judged(found(dual=-1e-4, a=[10.0], b=[30.0]))["panels"]
    assert panel["note"] == "b / a, to e = 0.01"


def test_a_method_that_does_not_arrive_enters_with_its_limit():
    far, near = falling(200.0, last=1e-2), falling(20.0, last=1e-3)
    told = judged(found(a=[10.0], b=[far]))
    assert told["verdict"] == "reproduced"
    assert told["panels"][0]["number"].startswith("at least ")
    told = judged(found(a=[10.0], b=[near]))
    assert (told["verdict"], told["state"]) == ("not testable", "undecided")
    assert "ended before e = 1e-8 decided it: the ratio is at least 0.75" in told["number"]


def test_without_a_supported_level_nothing_is_judged():
    told = judged(found(dual=-0.5, a=[10.0], b=[50.0]))
    assert (told["verdict"], told["state"]) == ("not testable", "undecided")
    assert "P* is known to within 0.5 only" in told["number"]


def test_a_run_that_is_missing_leaves_its_panel_open():
    told = judged(found(a=[10.0], b=[None]))
    assert (told["verdict"], told["state"]) == ("not testable", "not run")
    assert told["panels"][0]["note"] == "b was not run"


def test_a_verdict_from_a_part_of_the_runs_holds_so_far():
    told = judged(found(a=[10.0, 10.0], b=[50.0, 60.0]), found("other", a=[10.0, 10.0], b=[40.0, None]))
    assert (told["verdict"], told["state"]) == ("reproduced", "so far")
    assert judged(found(a=[10.0, 10.0], b=[50.0, 60.0]))["state"] == ""


def test_a_threshold_inside_the_range_of_seeds_is_close():
    told = judged(found("far", a=[10.0] * 3, b=[30.0, 40.0, 50.0]), found("near", a=[10.0] * 3, b=[15.0, 25.0, 30.0]))
    assert close_cases(told) == ["near"]


def test_of_several_step_rules_the_better_one_enters():
    judge = per_case(compare_passes("a", ["b", "c"], claims.much_faster))
    assert judged(found(a=[10.0], b=[50.0], c=[15.0]), judge=judge)["verdict"] == "differs"


def test_cases_that_are_drawn_beside_enter_no_verdict():
    beside = found(Case("beside", "mushrooms", judged=False), a=[10.0], b=[10.0])
    assert [panel["panel"] for panel in judged(found(a=[10.0], b=[50.0]), beside)["panels"]] == ["one"]


def test_only_seeds_that_all_have_are_compared_and_a_run_without_seeds_is_paired_with_each():
    one = found(a=[10.0, 20.0, None], b=[30.0, 90.0, 70.0], c=[100.0])
    assert one.seeds == [0, 1]
    assert judged(one)["panels"][0]["low"] == pytest.approx(3.0)
    panel = judged(one, judge=per_case(compare_passes("a", "c", claims.much_faster)))["panels"][0]
    assert (panel["low"], panel["high"]) == pytest.approx((5.0, 10.0))


def test_cases_with_the_same_tag_are_judged_together():
    def spread(founds):
        passes = [each.reach("a", 1e-4).median[0] for each in founds]
        return claims.RuleOutcome(max(passes) < 15, "passes < 15", max(passes), min(passes), max(passes), False), ""

    founds = [found(Case(f"{k}", "mushrooms", tags={"q": k % 2}), a=[10.0 * (1 + k % 2)]) for k in range(4)]
    told = judged(*founds, judge=across_cases(spread, by="q"))
    assert [(panel["panel"], panel["holds"]) for panel in told["panels"]] == [("q = 0", True), ("q = 1", False)]


def test_p_star_is_the_smallest_of_all_runs():
    lower = falling(10.0)
    lower.records[-1] = lower.records[-1]._replace(primal=-1e-3, dual=-3e-3)
    optimum = found(dual=-0.1, a=[lower], b=[10.0]).optimum
    assert (optimum.primal, optimum.dual, optimum.at_zero) == (-1e-3, -3e-3, 1.0)
    assert optimum.certificate == pytest.approx(2e-3)
