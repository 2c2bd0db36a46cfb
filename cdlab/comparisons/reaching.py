"""The passes at which runs reach a level, and which level a comparison is judged at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

SHARE = 0.1  # of a level that the uncertainty of P* may be


class Reach(NamedTuple):
    """The passes that the runs of one method took to a level, one for each seed.

    Attributes
    ----------
    low, high : (seeds,) arrays
        They agree where the level was reached. A run that ended above it needs more than the passes it had: then low
        is these, and high is inf.
    """

    low: np.ndarray
    high: np.ndarray

    @property
    def median(self) -> tuple[float, float]:
        """The least and the largest that the median over seeds can be; equal where it is known."""
        return float(np.median(self.low)), float(np.median(self.high))

    @property
    def reached(self) -> bool:
        """Whether the median run reached the level."""
        return bool(np.isfinite(self.median[1]))


def crossing(x: Any, error: Any, level: float) -> float:
    """The x at which a curve first comes down to a level, log-linear between its records; inf if it never does.

    Parameters
    ----------
    x : (records,) array
        Passes, or whatever the errors are drawn against.
    error : (records,) array
        NaN and inf are above every level.
    level : float > 0
        Of the error.

    Raises
    ------
    ValueError
        If the level is not a finite number > 0, or the arrays differ in length.

    Examples
    --------
    >>> crossing([0, 1, 2], [1.0, 1e-2, 1e-4], 1e-3)
    1.5
    """
    x, error = np.asarray(x, dtype=float), np.asarray(error, dtype=float)
    if x.shape != error.shape or x.ndim != 1:
        raise ValueError(f"a curve needs one error for each x; there are {x.shape} and {error.shape}")
    if not 0 < level < np.inf:
        raise ValueError(f"a level must be a finite number > 0, not {level!r}")
    below = np.flatnonzero(error <= level)
    if not below.size:
        return float("inf")
    k = below[0]
    if k == 0 or error[k] <= 0 or not np.isfinite(error[k - 1]):  # no line on a log scale leads there
        return float(x[k])
    share = np.log(error[k - 1] / level) / np.log(error[k - 1] / error[k])
    return float(x[k - 1] + share * (x[k] - x[k - 1]))


def reach(curves: Sequence[tuple[Any, Any]], level: float) -> Reach:
    """The passes to a level of the runs of one method.

    Parameters
    ----------
    curves : sequence of (x, error)
        One for each seed, as of `crossing`.
    level : float > 0
        Of the error.

    Returns
    -------
    Reach

    Raises
    ------
    ValueError
        As `crossing`; for no curve, or one without a record.
    """
    if not len(curves) or any(not len(x) for x, _ in curves):
        raise ValueError("the passes to a level need at least one run, each with at least one record")
    high = np.array([crossing(x, error, level) for x, error in curves])
    last = np.array([float(x[-1]) for x, _ in curves])
    return Reach(np.where(np.isfinite(high), high, last), high)


def supported(levels: Sequence[float], certificate: float, at_zero: float, optimum: float) -> list[float]:
    """Those of the levels that P* is known well enough for: certificate <= level (P(0) - P*)/10.

    Parameters
    ----------
    levels : sequence of float
        Of the error e.
    certificate : float
        How far above P* the value in its place can be at most.
    at_zero, optimum : float
        P(0), and the value in place of P*.
    """
    return [level for level in levels if certificate <= SHARE * level * (at_zero - optimum)]


def judged_level(reached: Mapping[float, Sequence[Reach]]) -> float | None:
    """The level at which methods are compared: the smallest that at least one of them reaches in the median.

    Parameters
    ----------
    reached : mapping from level to sequence of Reach
        Of the supported levels; one Reach for each method.

    Returns
    -------
    float or None
        None where no method reaches any.
    """
    return min((level for level, each in reached.items() if any(one.reached for one in each)), default=None)


def fastest(reached: Mapping[str, Reach]) -> str | None:
    """The method with the smallest median, of those whose median run reached the level; None if none did."""
    arrived = [name for name, one in reached.items() if one.reached]
    return min(arrived, key=lambda name: reached[name].median[1], default=None)
