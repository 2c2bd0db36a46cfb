"""Values on the vertical axis: relative errors of runs, and bounds brought to the same scale."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..numerics import checks
from ..problems.problem import Problem
from ..runs.references import tightest_bounds
from ..runs.trace import Trace, share_of_gap

if TYPE_CHECKING:
    from ..theory import Bound, Sharpest

Y_AXES = {
    "gap": "relative duality gap",
    "best_gap": "relative best gap so far",
    "primal": "relative primal suboptimality",
    "dual": "relative dual suboptimality",
    "test": "test error",
}
LINEAR = ("test",)  # The other axes are logarithmic.
# which bounded quantities lie above what an axis shows: P - D is at least either suboptimality
_BOUNDS = {"gap": ("P-D",), "best_gap": ("P-D",), "primal": ("P-D", "P(w)-P*"), "dual": ("P-D", "D*-D"), "test": ()}


class Guarantee(NamedTuple):
    """The guarantee of a theorem along a run.

    Attributes
    ----------
    passes, values : arrays of one shape
        Passes over the data, and the bound on the expectation there (absolute).
    bounded : "P-D", "P(w)-P*" or "D*-D"
        The quantity that is bounded.
    parts : tuple of (str, float)
        The theorems that give it, each with the passes from which on it is the smallest.
    """

    passes: np.ndarray
    values: np.ndarray
    bounded: str
    parts: tuple[tuple[str, float], ...] = ()

    @property
    def names(self) -> str:
        """The theorems in words: "smooth; halved from 12 passes on"."""
        first, *others = self.parts or (("", 0.0),)
        return "; ".join((first[0], *(f"{name} from {passes:.3g} passes on" for name, passes in others)))


class Best(NamedTuple):
    """The best values that some runs on one problem measured; P* lies between primal and dual.

    Attributes
    ----------
    primal, dual : float
        The smallest primal and the largest dual value; dual is -inf without any regulariser.
    start, dual_start : float
        P(0) and D(0).
    """

    primal: float
    dual: float
    start: float
    dual_start: float

    @property
    def floor(self) -> float:
        """The value in place of P*: the best dual value, which is never above it; if there is none, the best P(w)."""
        return self.dual if np.isfinite(self.dual) else self.primal


def best_of(traces: Sequence[Trace]) -> Best:
    """The best values of all records of some runs on the same problem; at least one run needs a record."""
    measured = [trace for trace in traces if trace.records]
    return Best(*tightest_bounds(measured), float(measured[0].best_primal()[0]), float(measured[0].best_dual()[0]))


def errors(trace: Trace, best: Best, y: str = "gap") -> np.ndarray:
    """The values of a trace on the vertical axis `y`.

    Parameters
    ----------
    trace : Trace
        The run.
    best : Best
        The best values of the race, see `best_of`.
    y : "gap", "best_gap", "primal", "dual" or "test", default "gap"
        "gap" is the relative gap that the tolerance is compared with, or where a race knows it and it is smaller, that
        of the pair that the method's theorems are about. "best_gap" is that of the best points so far, which races are
        judged by and which never rises. "primal" is (P(w) - D)/(P(0) - D) with the best
        dual value D of the race in place of the unknown P*, "dual" is (P - D(alpha))/(P - D(0)) with the best primal
        value P: neither is ever below the true relative suboptimality. (Without any regulariser there is no dual value:
        then "primal" is measured from the best P(w) of the race, and "dual" is unknown.) "test" is the error on test
        data.

    Returns
    -------
    (records,) array
        NaN where a value is not known.

    Raises
    ------
    ValueError
        For another `y`.
    """
    if y == "gap":
        known = zip(trace.column("lower").tolist(), trace.column("upper").tolist(), strict=True)
        pairs = [share_of_gap(upper - lower, lower, trace.at_zero) for lower, upper in known]  # inf where there is none
        return np.minimum(trace.column("relative_gap"), pairs)
    if y == "best_gap":
        return trace.column("relative_best_gap")
    if y == "primal":
        return _ratio(trace.best_primal() - best.floor, best.start - best.floor)
    if y == "dual":
        return _ratio(best.primal - trace.best_dual(), best.primal - best.dual_start)
    if y == "test":
        return trace.column("test_error")
    raise ValueError(f"y must be {checks.join_with_or(map(repr, Y_AXES))}, not {checks.short_repr(y)}")


def applies(guarantee: Guarantee, y: str) -> bool:
    """Tell whether the bound lies above the values on the axis `y`: a bound on P(w) - P* does not bound the gap."""
    return guarantee.bounded in _BOUNDS[y]


def relative(guarantee: Guarantee, best: Best, y: str) -> np.ndarray:
    """The bound on the scale of `errors`, divided by a lower bound of that scale, so that it stays a bound.

    Parameters
    ----------
    guarantee : Guarantee
        A bound that applies to the axis.
    best : Best
        The best values of the race.
    y : "gap", "primal" or "dual"
        The vertical axis.

    Returns
    -------
    (points,) array
        NaN if the scale is not known.
    """
    return _ratio(guarantee.values, best.dual - best.dual_start if y == "dual" else best.start - best.primal)


def _ratio(values: np.ndarray, scale: float) -> np.ndarray:
    if not 0 < scale < np.inf:
        return np.full(values.size, np.nan)
    return values / scale


def guarantee(
    bound: Bound | Sharpest, problem: Problem, passes: float, points: int = 200, **measured: float
) -> Guarantee:
    """A bound on a problem, along a run.

    Parameters
    ----------
    bound : Bound or Sharpest
        Such as ``cdlab.theory.bound("sdca")``, or ``cdlab.theory.sharpest("sdca")``, the smallest of several at each
        point.
    problem : Problem
        The problem that is solved.
    passes : float
        Length of the run.
    points : int, default 200
        Points of the curve.
    **measured : float
        As in `Bound.curve`, such as P0 = P(0) - P*, which else is bounded by P(0) - D(0).

    Returns
    -------
    Guarantee

    Raises
    ------
    ValueError
        If the problem contradicts an assumption of the theorem, or the bound has no curve.
    """
    grid = np.linspace(0, passes, points)
    curve = bound.curve(problem, grid, **measured)
    return Guarantee(grid, np.asarray(curve), bound.bounded, curve.parts)
