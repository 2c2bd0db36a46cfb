"""The advice on the screen is that of `cdlab.advise`, and taking it changes the race, not the problem."""

import pytest
from cases import each_of

import cdlab
from cdlab.advice.predictions import row_of
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.choices.choosing import Choosing
from cdlab.dashboard.races.advised import Advised, advised, told
from cdlab.dashboard.races.state import State
from cdlab.dashboard.screen.advising import Advising
from cdlab.dashboard.stage.histograms import BARS, histograms
from cdlab.samplings import SAMPLINGS

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


def test_it_is_the_first_of_the_ranking_by_theory():
    problem = Choices(n=80, d=30).problem()
    first = cdlab.advise(problem, 1e-6, probe=False)[0]
    found = advised(problem, 1e-6)
    assert found[:5] == (first.method, first.sampling, first.passes, first.worst, first.spread)
    assert first.method in found.sentence()


@pytest.mark.parametrize("values", [{}, {"data": "arrow", "n": 300, "d": 20, "l2": 1e-4, "l2_over_n": False}])
def test_a_calibrated_number_says_on_how_many_problems_and_a_bound_of_which_method(values):
    problem = Choices(n=80, d=30).problem() if not values else Choices(**values).problem()
    for each in cdlab.advise(problem, 1e-6, probe=False):
        if each.passes is None or each.worst is None or each.spread is None:
            continue
        found = told(each, problem)
        reached = row_of(each.runs, problem).reached
        assert (f"calibrated on {reached} problems" if reached else "not calibrated") in found.sentence()
        about = each.bound.partition(":")[0]
        exact = about in (f"{each.method}, {each.sampling}", f"{each.method}, given")
        assert ("no bound of its own" in found.sentence()) == bool(each.outside)
        assert exact or each.outside or each.sampling == "none"


@each_of(
    "advice, methods, dual",
    [
        (Advised("apcg", "uniform", 9.0), ["apcg", "rcd"], "uniform"),
        (Advised("sdca", "permutation", 9.0), ["sdca", "rcd"], "permutation"),
        (Advised("lbfgs", "none", 9.0), ["sdca", "lbfgs"], "importance"),
    ],
)
def test_taking_it_replaces_the_first_method_of_its_side(advice, methods, dual):
    state = State(choices=Choices(methods=["sdca", "rcd"]))
    advising = Advising(state, Choosing(state.choices), lambda: None, advice)
    assert not advising.taken
    before = state.choices.problem_key()
    advising.take()
    assert advising.taken
    assert (state.choices.methods, state.choices.dual_sampling) == (methods, dual)
    assert state.choices.problem_key() == before


def test_bars_are_means_of_p_m():
    choices = Choices(n=240, d=50, density=1.0)
    bars = histograms(choices.problem(), choices)
    assert set(bars) <= set(SAMPLINGS)
    assert bars["uniform"] == [1.0] * BARS
    for heights in bars.values():
        assert sum(heights) / BARS == pytest.approx(1, abs=1e-3)  # 240 lines: ten in each
