"""The advice on the screen is that of `cdlab.advise`, and taking it changes the race, not the problem."""

import pytest

import cdlab
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.choices.choosing import Choosing
from cdlab.dashboard.races.advised import Advised, advised
from cdlab.dashboard.races.state import State
from cdlab.dashboard.screen.advising import Advising
from cdlab.dashboard.stage.histograms import BARS, histograms
from cdlab.samplings import SAMPLINGS


def test_it_is_the_first_of_the_ranking_by_theory():
    problem = Choices(n=80, d=30).problem()
    first = cdlab.advise(problem, 1e-6, probe=False)[0]
    found = advised(problem, 1e-6)
    assert found == (first.method, first.sampling, first.passes, first.worst)
    assert first.method in found.sentence()


@pytest.mark.parametrize(
    ("advice", "methods", "dual"),
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
