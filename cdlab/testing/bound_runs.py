"""What a bound is compared with: the optimum, the constants of the start, and runs of its method."""

from __future__ import annotations

from itertools import takewhile
from typing import Any, NamedTuple

import numpy as np

from ..methods import Method
from ..problems.problem import Problem
from ..runs import iterate
from ..samplings import Sampling
from ..theory import Bound
from .small import optimum


class Best(NamedTuple):
    """An optimum by scipy."""

    value: float
    w: np.ndarray
    alpha: np.ndarray | None


def solved(P: Problem) -> Best:
    """The optimum of a problem, by scipy."""
    w = optimum(P)
    smooth = P.loss.gamma > 0
    return Best(P.primal(w), w, P.alpha(w) if smooth else None)


def true_constants(b: Bound, P: Problem, best: Best) -> dict[str, float]:
    """The constants of the start, measured: what a problem alone can only bound."""
    zero = np.zeros(P.d)
    known = {"P0": P.primal(zero) - best.value, "w2": float(best.w @ best.w)}
    at_zero = P.dual(np.zeros(P.n))
    if np.isfinite(at_zero):
        known["D0"] = best.value - at_zero
    if best.alpha is not None:
        known["a2"] = float(best.alpha @ best.alpha)
        each = P.X * (-best.alpha)[:, None] + P.l2 * best.w
        known["g2"] = float((each**2).sum(axis=1).mean())
    return {name: value for name, value in known.items() if name in {s.name for s in b.symbols}}


def measured(
    b: Bound, method: Method, sampling: Sampling, P: Problem, best: Best, passes: float, seeds: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Passes as the bound counts them (records,), and mean and standard error over seeds of what it bounds there."""
    runs, done = [], []
    for seed in range(seeds):
        run, values, at = iterate(P, method, sampling=sampling, seed=seed), [], []
        for record in takewhile(lambda record: record.passes <= passes, run):
            values.append(_bounded(b, record, run, best))
            at.append(getattr(record, b.column))
        runs.append(values)
        done.append(at)
    shortest = min(map(len, done))
    found = np.array([values[:shortest] for values in runs])
    earliest = np.min([at[:shortest] for at in done], axis=0)  # seeds differ where lines do: the weakest promise
    error = found.std(axis=0, ddof=1) / np.sqrt(seeds) if seeds > 1 else np.zeros(shortest)
    return earliest, found.mean(axis=0), error


def _bounded(b: Bound, record: Any, run: Any, best: Best) -> float:
    match b.bounded:
        case "P(w)-P*":
            return record.primal - best.value
        case "P-D":
            return record.primal - record.dual
        case "D*-D":
            return best.value - record.dual
        case "|w-w*|^2":
            return float(np.sum((run.w - best.w) ** 2))
    raise AssertionError(f"{b}: bounded = {b.bounded!r} is none of 'P(w)-P*', 'P-D', 'D*-D', '|w-w*|^2'")
