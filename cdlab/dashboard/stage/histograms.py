"""How each sampling would draw: the bars on its chip."""

from __future__ import annotations

from ...methods import METHODS
from ...problems.problem import Problem
from ...runs.entries import entrant
from ...samplings import SAMPLINGS
from ..choices.choices import Choices, draws
from ..choices.misfits import refusal
from .draws import means_of
from .thumbnails import cell_of

BARS = 24


def histograms(problem: Problem, choices: Choices) -> dict[str, list[float]]:
    """By sampling, the mean of p m in each of BARS parts of the lines: 1 everywhere if uniform.

    The lines are those of the first chosen method that draws, a dual one if there is any: examples, else features.
    Samplings that do not fit it are left out.
    """
    able = [
        name
        for name in choices.methods
        if draws(name) and any(not refusal(problem, choices.entry(name, each)) for each in SAMPLINGS)
    ]
    drawing = sorted(able, key=lambda name: METHODS[name].side != "dual")
    found = {}
    for name in SAMPLINGS if drawing else ():
        entry = choices.entry(drawing[0], name)
        if refusal(problem, entry):
            continue
        method, sampling = entrant(entry)
        p = method.probabilities(problem, sampling)
        means = means_of(p / p.sum(), cell_of(p.size, BARS))
        found[name] = [round(float(each), 4) for each in means]
    return found
