"""Each example is run: what it teaches is what happens."""

import numpy as np
import pytest

import cdlab
from cdlab.dashboard.choices.choices import Choices
from cdlab.dashboard.choices.examples import EXAMPLES

SEEDS = range(3)
LEVEL = 1e-6


def finish(choices: Choices) -> dict[str, float]:
    """Median over seeds of the passes to P(w) - P* <= 1e-6 (P(0) - P*), by label."""
    P = choices.problem()
    # P*, by another method than any that races
    best = cdlab.solve(P, "lbfgs", tol=1e-11, max_passes=10_000).trace.column("primal").min()
    race = cdlab.race(P, choices.entries(), seeds=SEEDS, tol=LEVEL / 100, max_passes=choices.passes)
    level = LEVEL * (P.primal(np.zeros(P.d)) - best)
    passes = [[trace.reached(level, "passes", "primal", shift=best) for trace in race[k]] for k in range(race.entries)]
    return {race[k][0].label: float(np.median(passes[k])) for k in range(race.entries)}


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_winner_that_is_taught_wins(name):
    example = EXAMPLES[name]
    choices = Choices(**example.choices)
    passes = finish(choices)
    assert not set(choices.methods) & set(choices.refusals())
    assert passes[example.winner] == min(passes.values()) < choices.passes
    assert passes[example.loser] > 1.2 * passes[example.winner]
