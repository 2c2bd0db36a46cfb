"""Promises: what the theorems about an entry say on a problem, in passes until a share of the gap of the start is left.

All theorems are restated on the gap (`Bound.on_gap`), and what they need of the unknown optimum is bounded: distances
by the gap of the start, and P(0) - D from below by the fall of P along its steepest descent. So methods of both sides
have one logarithm, and the ratio of their passes is that of the face-off. Without a regulariser no gap is known, and
theorems stand as they are, on (P(w) - P*)/(P(0) - P*).
"""

from __future__ import annotations

import math
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from .assumptions import require_known
from .bound import Bound, covering_bound
from .constants import least_decrease
from .evaluate import evaluate
from .guarantees import sharpest
from .lookup import bound
from .registry import theorems_of
from .spectra import SPECTRAL_SYMBOLS
from .symbols import a2_p

# These theorems halve the constant on both sides: their ratio is nearly the same, and their formulas are twice as long
REFINED = {"halved", "halved dual"}
GAP = "duality gap"  # A theorem that bounds the gap has these words in its target.
PRIMAL = "P(w)-P*"  # What is bounded where no gap is known.
RATIO = "rho"  # This symbol is the largest ratio of the gap of the start to P(0) - P*, what there is to gain.


@dataclass(frozen=True)
class Promise:
    """A theorem on a problem: its formula, the values of its symbols, and the passes to the target."""

    bound: Bound
    values: dict[str, Any]
    passes: float
    last_point: bool  # about the last point of a run, not an average of its points

    @property
    def gain(self) -> float:
        """The least that there is to gain from the start."""
        return float(self.values["P0"] / self.values[RATIO])

    def passes_to(self, level: np.ndarray) -> np.ndarray:
        """Passes until the relative gap is at this level: the formula, with the level for eps."""
        values = self.values | {"eps": np.asarray(level, dtype=float) * self.gain}
        setup = evaluate(self.bound.setup, values, str(self.bound)) / values["nnz"] if values["nnz"] > 0 else 0.0
        return np.maximum(evaluate(self.bound.expr, values, str(self.bound)) + setup, 0.0)


@lru_cache(256)
def of_last_point(method: Any, draws: Any, bounded: str = "P-D") -> tuple[Bound, ...]:
    """The theorems about the gap of the last point of a run, or about its P(w) - P*, whose numbers are at hand."""
    try:
        found = sharpest(method, draws, bounded).bounds
    except ValueError:
        return ()
    return tuple(b for b in found if not ({*SPECTRAL_SYMBOLS, a2_p} & b.symbols) and b.theorem not in REFINED)


@lru_cache(256)
def of_averages(method: Any, draws: Any) -> tuple[Bound, ...]:
    """The theorems about the gap at an average of the points."""
    found = []
    about_gap = (b for b in theorems_of(method.name) if b.counts and b.kind != "asymptotic" and GAP in b.target)
    for name in dict.fromkeys(b.theorem for b in about_gap):
        with suppress(ValueError):  # it does not cover the sampling
            found.append(bound(method, "passes", draws, name))
    return tuple(found)


def best_promise(problem: Any, method: Any, draws: Any, target: float) -> Promise | None:
    """The theorem that promises the fewest passes on a problem; None if there is none.

    Parameters
    ----------
    problem : Problem
        Whose start is not optimal.
    method, draws : Method, Sampling or None
        None for a method that draws nothing.
    target : float
        The share of the gap of the start.
    """
    start = problem.at_zero - problem.dual_at_zero
    averages = of_averages(method, draws) if problem.mu > 0 else ()
    for bounds, last_point in ((of_last_point(method, draws, bounded_on(problem)), True), (averages, False)):
        found = []
        for each in bounds:
            with suppress(ValueError):  # it does not fit the problem
                found.append(_on(each, problem, target, start))
        if found := [each for each in found if math.isfinite(each.passes)]:
            best = min(found, key=lambda each: each.passes)
            return best if last_point else replace(best, last_point=False)
    return None


def bounded_on(problem: Any) -> str:
    """What is bounded on a problem: the gap, or P(w) - P* where none is known."""
    return "P-D" if problem.mu > 0 else PRIMAL


def _on(each: Bound, problem: Any, target: float, start: float) -> Promise:
    covering, values = covering_bound(each, problem, {"P0": start})
    require_known(covering, values, covering.expr)
    gain = float(least_decrease(problem)(problem.l2))
    known = {"P0": start, "D0": start, RATIO: start / gain if gain > 0 else math.inf}
    found = Promise(covering, values | known, math.nan, covering.bounded == each.bounded)
    passes = float(found.passes_to(np.asarray(target)))
    return Promise(covering, found.values, passes, covering.guarantee is not None and found.last_point)
