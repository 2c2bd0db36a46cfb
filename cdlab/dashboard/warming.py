"""Getting kernels and formulas ready before the first visitor presses Run."""

from __future__ import annotations

import gc
import threading
from functools import cache


@cache
def warm_up() -> threading.Thread:
    """Have the kernels and the formulas ready soon, without keeping anybody waiting. Once in a process."""
    thread = threading.Thread(target=warm, name="warm up", daemon=True)
    thread.start()
    return thread


def warm() -> None:
    """Load or compile what a race, its bounds and its picture need."""
    from .choices.choices import Choices
    from .races.advised import advised
    from .races.results import Result
    from .races.runner import Turn, add_theory, lanes
    from .races.story import PENDING
    from .stage.histograms import histograms
    from .stage.lanes import race
    from .stage.planes import plane
    from .stage.prediction import prediction

    for density in (0.05, 1.0):  # sparse and dense kernels differ
        choices = Choices(n=50, d=20, density=density, passes=2)
        problem, entries = choices.problem(), choices.entries()
        result = Result(choices, list(lanes(choices, entries)), PENDING)
        for lane, entry in zip(result.lanes, entries, strict=True):
            Turn(lane, entry).work(problem, choices)
        add_theory(result, entries, problem)
        prediction(problem, choices, result.outcome())
        histograms(problem, choices)
        race(problem, result)
        plane(problem, entries)
    advised(problem, choices.target)
    # libraries, kernels and formulas stay for good: the collector need not look at them again and again
    gc.collect()
    gc.freeze()
