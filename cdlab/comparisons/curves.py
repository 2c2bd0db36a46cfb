"""One curve of errors: its scale, how straight it falls, and how far it rises again."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import stats

FEWEST = 3  # records that a line needs before R^2 says anything


def suboptimality(primal: Any, optimum: float, at_zero: float) -> np.ndarray:
    """The errors e = (P(w) - P*)/(P(0) - P*) of a curve.

    Parameters
    ----------
    primal : (records,) array
        P(w).
    optimum, at_zero : float
        P* and P(0).

    Returns
    -------
    (records,) array

    Raises
    ------
    ValueError
        Unless P* < P(0), both finite.
    """
    if not (np.isfinite(optimum) and np.isfinite(at_zero) and optimum < at_zero):
        raise ValueError(f"the errors of a curve need finite P* < P(0), and P* = {optimum:g}, P(0) = {at_zero:g}")
    return (np.asarray(primal, dtype=float) - optimum) / (at_zero - optimum)


def linearity(x: Any, error: Any, highest: float = 1e-1, lowest: float = 1e-8) -> float:
    """R^2 of the line through ln e against x: 1 for linear convergence.

    Parameters
    ----------
    x, error : (records,) arrays
        Passes, and e there.
    highest, lowest : float, default 0.1 and 1e-8
        Records with an error outside of these do not count.

    Returns
    -------
    float
        NaN with fewer than three records between them, or where e is the same at all of them.

    Examples
    --------
    >>> round(linearity(range(9), [10.0**-k for k in range(9)]), 12)
    1.0
    """
    x, error = np.asarray(x, dtype=float), np.asarray(error, dtype=float)
    inside = (error <= highest) & (error >= lowest)
    if inside.sum() < FEWEST or np.ptp(error[inside]) == 0:
        return float("nan")
    return float(stats.linregress(x[inside], np.log(error[inside])).rvalue ** 2)


def overshoot(error: Any, lowest: float = 1e-7) -> float:
    """How far a curve rises above what it had reached: the largest log10(e_t/min of e before t), at least 0.

    Parameters
    ----------
    error : (records,) array
        A value that is not finite is an infinite rise.
    lowest : float, default 1e-7
        Records count as long as e has not come down to this.

    Examples
    --------
    >>> overshoot([1.0, 0.1, 1.0, 0.01])
    1.0
    """
    error = np.asarray(error, dtype=float)
    arrived = np.flatnonzero(error <= lowest)
    e = error[: arrived[0]] if arrived.size else error
    if e.size < 2:
        return 0.0
    before = np.fmin.accumulate(e)[:-1]
    rises = np.where(np.isfinite(e[1:]), e[1:], np.inf) / before
    return max(0.0, float(np.log10(rises.max())))
