"""Each preset is run: what it teaches is what happens."""

import numpy as np
import pytest

import cdlab
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.choices.presets import OWN, PRESETS

SEEDS = range(3)
LEVEL = 1e-6


def finish(choices: Choices) -> dict[str, float]:
    """Median over seeds of the passes to P(w) - P* <= 1e-6 (P(0) - P*), by label."""
    P = choices.problem()
    best = optimum(P)
    race = cdlab.race(P, choices.entries(), seeds=SEEDS, tol=LEVEL / 100, max_passes=choices.passes)
    level = LEVEL * (P.primal(np.zeros(P.d)) - best)
    passes = [[trace.reached(level, "passes", "primal", shift=best) for trace in race[k]] for k in range(race.entries)]
    return {race[k][0].label: float(np.median(passes[k])) for k in range(race.entries)}


def optimum(P: cdlab.Problem) -> float:
    """P*, by another method than any that races."""
    smooth = P.loss.gamma > 0
    method, sampling, tol = ("lbfgs", "uniform", 1e-11) if smooth else ("sdca", "permutation", 1e-9)
    return cdlab.solve(P, method, sampling=sampling, tol=tol, max_passes=10_000).trace.column("primal").min()


@pytest.mark.parametrize("name", PRESETS)
def test_the_winner_that_is_taught_wins(name):
    choices = Choices(preset=name)
    passes = finish(choices)
    assert not set(choices.methods) & set(choices.refusals())
    winner, loser = PRESETS[name].winner, PRESETS[name].loser
    assert passes[winner] == min(passes.values()) < choices.passes
    assert passes[loser] > 1.2 * passes[winner]


@pytest.mark.parametrize("name", [name for name, preset in PRESETS.items() if preset.instead])
def test_the_second_race_of_a_lesson_is_slower(name):
    first, second = Choices(preset=name), Choices(preset=name)
    second.param.update(**PRESETS[name].instead)
    winner = PRESETS[name].winner
    assert 2 * finish(first)[winner] < finish(second)[winner]


def test_without_skew_the_sides_are_even():
    choices = Choices(preset="skewed words favour the dual")
    choices.skew = 0.0
    assert cdlab.faceoff(choices.problem()).ratio == pytest.approx(1, rel=0.1)


def test_in_dense_data_n_against_d_decides():
    choices = Choices(preset="dense: n against d")
    n, d = choices.n, choices.d
    assert cdlab.faceoff(choices.problem()).theorem3.ratio == pytest.approx(n / d)
    choices.param.update(n=d, d=n)
    assert cdlab.faceoff(choices.problem()).ratio < 0.5
    passes = finish(choices)
    assert passes["rcd, importance"] < 1.5 * passes["sdca, importance"]


def test_picking_a_preset_sets_every_choice():
    choices = Choices(n=77, methods=["rcd"], l1=0.5)
    for name, preset in PRESETS.items():
        choices.preset = name
        assert choices.values() == Choices().values() | dict(preset.choices)
        assert set(preset.choices) <= set(Choices().values())


def test_the_picker_names_the_preset_that_the_choices_are():
    choices = Choices(preset="one heavy row")
    assert Choices().preset == OWN
    choices.n = 77
    assert choices.preset == OWN
    choices.n = 1000
    assert choices.preset == "one heavy row"
    again = Choices()
    again.from_query(choices.to_query())
    assert again.preset == "one heavy row"
    assert "preset" not in choices.to_query()
