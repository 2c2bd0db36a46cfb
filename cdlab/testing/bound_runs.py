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
from .small import scipy_optimum


class Best(NamedTuple):
    """An optimum by scipy."""

    value: float
    w: np.ndarray
    alpha: np.ndarray | None


def solved(P: Problem) -> Best:
    """The optimum of a problem, by scipy."""
    w = scipy_optimum(P)
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


class Measured(NamedTuple):
    """What runs of a method gave."""

    passes: np.ndarray  # (records,) as the bound counts them, the fewest of all seeds
    mean: np.ndarray  # (records,) over seeds, of what the bound bounds
    error: np.ndarray  # (records,) its standard error
    visits: np.ndarray  # (seeds,) nonzeros visited by an iteration on average, after the first record; empty: no two


def measured(
    b: Bound, method: Method, sampling: Sampling, P: Problem, best: Best, passes: float, seeds: int
) -> Measured:
    """The runs of a method, as far as these passes."""
    runs, done, visits = [], [], []
    for seed in range(seeds):
        run, values, at, steps = iterate(P, method, sampling=sampling, seed=seed), [], [], []
        for record in takewhile(lambda record: record.passes <= passes, run):
            values.append(_bounded(b, record, run, best))
            at.append(getattr(record, b.column))
            steps.append(record.iteration)
        if steps[-1] > steps[min(1, len(steps) - 1)]:  # the first epoch counts what is set up, too
            visits.append((at[-1] - at[1]) * P.nnz / (steps[-1] - steps[1]))
        runs.append(values)
        done.append(at)
    shortest = min(map(len, done))
    found = np.array([values[:shortest] for values in runs])
    earliest = np.min([at[:shortest] for at in done], axis=0)  # seeds differ where lines do: the weakest promise
    error = found.std(axis=0, ddof=1) / np.sqrt(seeds) if seeds > 1 else np.zeros(shortest)
    return Measured(earliest, found.mean(axis=0), error, np.array(visits))


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
