"""Reruns: an entrant's runs to the level of a race, with seeds of their own; it may be one without a supposed cause."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..comparisons.curves import FirstCrossing, reach
from ..methods import Points
from ..problems.problem import Problem
from ..runs.entries import check_entry
from ..runs.measuring import RaceMeasuring
from ..runs.running import Run
from ..runs.trace import Trace
from .entrants import Entrant
from .figures import Figure, figure
from .rules import THRESHOLDS

RUNS, FIRST_SEED, SLACK = int(THRESHOLDS["RUNS"]), int(THRESHOLDS["FIRST_SEED"]), THRESHOLDS["SLACK"]
DIVERGED = 1e6  # times P(0)


@dataclass(frozen=True)
class Goal:
    """The point to which runs go, and what they begin with.

    Attributes
    ----------
    level : float
        The share of the error at the start, of the best gap; without a regulariser of P(w) - P*.
    limit : float
        Passes of a run at most.
    optimum : float
        P*, as well as the race knows it: without a regulariser nothing else tells how far a run is.
    start : Points or None
        Where the runs began, if not at 0.
    tell : function of str
        Called with a text on each run.
    """

    level: float
    limit: float
    optimum: float
    start: Points | None = None
    tell: Callable[[str], object] = len


class Runs:
    """The runs of an entrant on a problem.

    Attributes
    ----------
    passes, steps : FirstCrossing
        To the level, by the nonzeros visited and by the updates.
    """

    def __init__(self, entrant: Entrant, passes: FirstCrossing, steps: FirstCrossing, level: float, source: str):
        self.entrant, self.passes, self.steps, self._level, self._source = entrant, passes, steps, level, source

    @property
    def cost(self) -> float:
        """The median of the passes, or the least that it can be."""
        return self.passes.cost

    @property
    def range(self) -> tuple[float, float]:
        """The fewest passes of a run, and the most: inf where one ended above the level."""
        return float(self.passes.low.min()), float(self.passes.high.max())

    def figure(self, data: str = "") -> Figure:
        """The passes, as a figure."""
        counted = {"level": self._level, "runs": self.passes.low.size, "reached": self.passes.reached}
        return figure("passes", self._source, self.entrant, self.cost, *self.range, data=data, **counted)


def rerun(problem: Problem, entrant: Entrant, goal: Goal, limit: float = math.inf) -> Runs:
    """The runs of an entrant, in the race or not, to a goal.

    Parameters
    ----------
    problem : Problem
        That of the race or another.
    entrant : Entrant
        Who runs.
    goal : Goal
        Where its runs end.
    limit : float
        Passes beyond which it does not matter how many they are.

    Raises
    ------
    ValueError
        If the entrant does not fit the problem.
    """
    check_entry(problem, *entrant)
    most = min(goal.limit, SLACK * limit)
    found = [_run(problem, entrant, FIRST_SEED + k, goal, most) for k in range(RUNS)]
    by_pass, by_step = ([(x[column], x[2]) for x in found] for column in (0, 1))
    return Runs(entrant, reach(by_pass, goal.level), reach(by_step, goal.level), goal.level, "simulated")


def _run(
    problem: Problem, entrant: Entrant, seed: int, goal: Goal, limit: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Passes, iterations and errors of the records of one run."""
    goal.tell(f"explain: {entrant.words}, seed {seed}")
    start = None if goal.start is None else (goal.start.w, goal.start.alpha)
    run = Run(problem, *entrant, seed, every=None, records="log", measuring=RaceMeasuring, start=start)
    certified = problem.is_certified
    lowest = problem.dual_at_zero if certified else goal.optimum
    upper, lower = math.inf, lowest
    while True:
        record = run.advance(max_passes=limit).record
        upper = float(np.fmin.reduce((upper, record.primal, record.upper)))
        if certified:
            lower = float(np.fmax.reduce((lower, record.dual, record.lower)))
        near = upper - lower <= goal.level * (problem.at_zero - lower)
        diverged = not math.isfinite(record.primal) or record.primal > DIVERGED * max(1.0, problem.at_zero)
        if (near and errors_of(run.trace, lowest, certified)[-1] <= goal.level) or record.passes >= limit or diverged:
            break
    trace = run.trace
    return trace.column("passes"), trace.column("iteration"), errors_of(trace, lowest, certified)


def errors_of(trace: Trace, lowest: float, certified: bool) -> np.ndarray:
    """The relative gap of the best points so far; without a regulariser (P(w) - P*)/(P(0) - P*).

    Parameters
    ----------
    trace : Trace
        Of a race.
    lowest : float
        P*, or what stands for it; read where nothing is certified.
    certified : bool
        Whether there is a regulariser.
    """
    if certified:
        return np.minimum(trace.column("relative_best_gap"), 1.0)  # rounding may exceed it at the start
    return np.maximum(np.fmin.accumulate(trace.column("primal")) - lowest, 0.0) / (trace.at_zero - lowest)


def without_lines(problem: Problem, side: str, lines: np.ndarray) -> Problem:
    """The problem without some of its columns (primal) or rows (dual), with the same weights.

    Raises
    ------
    ValueError
        If what is left is no problem.
    """
    if problem.bounded:
        raise ValueError("bounds and penalty factors are of all features: parts of such a problem are not compared")
    keep = np.setdiff1d(np.arange(problem.d if side == "primal" else problem.n), lines)
    whole: Any = problem.X
    X, y = (whole[:, keep], problem.y) if side == "primal" else (whole[keep], problem.y[keep])
    return Problem(X, y, problem.loss, problem.l2, problem.l1)
