"""Curves of errors: how they fall, when they reach a level, how much sooner than others, and how something grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import stats

from ..numerics.checks import short_repr

MIN_RECORDS = 3  # A line needs so many records before R^2 says anything.


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
    if inside.sum() < MIN_RECORDS or np.ptp(error[inside]) == 0:
        return float("nan")
    return float(stats.linregress(x[inside], np.log(error[inside])).rvalue ** 2)


def overshoot(error: Any, lowest: float = 1e-7) -> float:
    """Measure the rise of a curve above its least value so far: the largest log10(e_t/min of e before t), at least 0.

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


MAX_UNCERTAINTY_SHARE = 0.1  # The uncertainty of P* may be this share of a level.


class FirstCrossing(NamedTuple):
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
        """Tell whether the median run reached the level."""
        return bool(np.isfinite(self.median[1]))

    @property
    def cost(self) -> float:
        """The median over seeds where it is known, else the least that it can be."""
        least, most = self.median
        return most if np.isfinite(most) else least


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
    return float(crossings(x, error, np.array([level], dtype=float))[0])


def crossings(x: Any, error: Any, levels: np.ndarray) -> np.ndarray:
    """`crossing` of several levels, (levels,)."""
    x, error = np.asarray(x, dtype=float), np.asarray(error, dtype=float)
    if x.shape != error.shape or x.ndim != 1:
        raise ValueError(f"a curve needs one error for each x; there are {x.shape} and {error.shape}")
    if not ((levels > 0) & (levels < np.inf)).all():
        raise ValueError(f"a level must be a finite number > 0, not {levels[~(levels > 0) | (levels == np.inf)][0]}")
    if not x.size:
        return np.full(levels.shape, np.inf)
    least = np.minimum.accumulate(np.where(np.isnan(error), np.inf, error))
    first = np.searchsorted(-least, -levels)  # of the records that are not above the level
    k, before = np.minimum(first, x.size - 1), np.clip(first - 1, 0, x.size - 1)
    on_line = (first > 0) & (error[k] > 0) & np.isfinite(error[before])  # else no line on a log scale leads there
    with np.errstate(all="ignore"):
        share = np.log(error[before] / levels) / np.log(error[before] / error[k])
        found = np.where(on_line, x[before] + share * (x[k] - x[before]), x[k])
    return np.where(first < x.size, found, np.inf)


def reach(curves: Sequence[tuple[Any, Any]], level: float) -> FirstCrossing:
    """The passes to a level of the runs of one method.

    Parameters
    ----------
    curves : sequence of (x, error)
        One for each seed, as of `crossing`.
    level : float > 0
        Of the error.

    Returns
    -------
    FirstCrossing

    Raises
    ------
    ValueError
        As `crossing`; for no curve, or one without a record.
    """
    if not len(curves) or any(not len(x) for x, _ in curves):
        raise ValueError("the passes to a level need at least one run, each with at least one record")
    high = np.array([crossing(x, error, level) for x, error in curves])
    last = np.array([float(x[-1]) for x, _ in curves])
    return FirstCrossing(np.where(np.isfinite(high), high, last), high)


def supported_levels(levels: Sequence[float], certificate: float, at_zero: float, optimum: float) -> list[float]:
    """Levels that P* is known well enough for: certificate <= level (P(0) - P*)/10.

    Parameters
    ----------
    levels : sequence of float
        Of the error e.
    certificate : float
        How far above P* the value in its place can be at most.
    at_zero, optimum : float
        P(0), and the value in place of P*.
    """
    return [level for level in levels if certificate <= MAX_UNCERTAINTY_SHARE * level * (at_zero - optimum)]


def comparison_level(reached: Mapping[float, Sequence[FirstCrossing]]) -> float | None:
    """The level at which methods are compared: the smallest that at least one of them reaches in the median.

    Parameters
    ----------
    reached : mapping from level to sequence of FirstCrossing
        Of the supported levels; one FirstCrossing for each method.

    Returns
    -------
    float or None
        None where no method reaches any.
    """
    return min((level for level, each in reached.items() if any(one.reached for one in each)), default=None)


def fastest(reached: Mapping[str, FirstCrossing]) -> str | None:
    """The method with the smallest median, of those whose median run reached the level; None if none did."""
    arrived = [name for name, one in reached.items() if one.reached]
    return min(arrived, key=lambda name: reached[name].median[1], default=None)


@dataclass(frozen=True)
class Ratio:
    """Passes of B divided by passes of A, for each seed; above 1 where A is faster.

    Attributes
    ----------
    lows, highs : (seeds,) arrays
        The least and the largest that each can be. They differ where a run did not arrive: if B's did not, its limit
        gives the least, if A's did not, the largest; if neither arrived they are 0 and inf.
    """

    lows: np.ndarray
    highs: np.ndarray

    @property
    def median(self) -> tuple[float, float]:
        """The least and the largest that the median over seeds can be; equal where it is known."""
        return float(np.median(self.lows)), float(np.median(self.highs))

    @property
    def range(self) -> tuple[float, float]:
        """The smallest and the largest ratio of a seed."""
        return float(self.lows.min()), float(self.highs.max())

    def at_least(self, threshold: float) -> bool | None:
        """Tell whether the median is at least this; None where the runs do not decide it."""
        low, high = self.median
        return True if low >= threshold else False if high < threshold else None

    def at_most(self, threshold: float) -> bool | None:
        """Tell whether the median is at most this; None where the runs do not decide it."""
        low, high = self.median
        return True if high <= threshold else False if low > threshold else None

    def close_to(self, threshold: float) -> bool:
        """Tell whether the threshold lies inside the range over seeds, so that other seeds might decide otherwise."""
        low, high = self.range
        return low < threshold < high


def paired_ratio(a: FirstCrossing, b: FirstCrossing) -> Ratio:
    """Passes of B divided by passes of A, each seed of one with the same seed of the other.

    Parameters
    ----------
    a, b : FirstCrossing
        Of the same seeds in the same order. One run (a method that draws nothing) is paired with every seed.

    Returns
    -------
    Ratio

    Raises
    ------
    ValueError
        For different numbers of seeds, or a run that is at the level from its start.

    Examples
    --------
    >>> import numpy as np
    >>> sooner, later = (FirstCrossing(np.array(x), np.array(x)) for x in ([10.0, 20.0, 10.0], [30.0, 30.0, 20.0]))
    >>> paired_ratio(sooner, later).median
    (2.0, 2.0)
    """
    if a.low.size != b.low.size and 1 not in (a.low.size, b.low.size):
        raise ValueError(f"seeds are compared in pairs, and there are {a.low.size} and {b.low.size} of them")
    if not (np.all(a.low > 0) and np.all(b.low > 0)):
        raise ValueError("a run that is at the level from its start has no ratio: compare at a smaller level")
    return Ratio(b.low / a.high, b.high / a.low)


class Slope(NamedTuple):
    """A slope with its interval.

    Attributes
    ----------
    value : float
        y grows like x^value.
    low, high : float
        The ends of the confidence interval; -inf and inf with two points only.
    """

    value: float
    low: float
    high: float


def loglog_slope(x: Any, y: Any, confidence: float = 0.95) -> Slope:
    """The exponent a of y ~ x^a, by least squares of ln y on ln x.

    Parameters
    ----------
    x : (points,) array > 0
        At least two different values.
    y : (points,) array > 0
        Medians over seeds; for each point of several seeds repeat its x.
    confidence : float in (0, 1), default 0.95
        Of the interval, Student's t with points - 2 degrees of freedom: of scatter about one line.

    Returns
    -------
    Slope

    Raises
    ------
    ValueError
        For numbers that are not finite and > 0, or fewer than two different x.

    Examples
    --------
    >>> round(loglog_slope([1, 10, 100], [2, 20, 200]).value, 12)
    1.0
    """
    x, y = np.asarray(x, dtype=float), np.asarray(y, dtype=float)
    if x.shape != y.shape or x.ndim != 1:
        raise ValueError(f"a slope needs one y for each x; there are {x.shape} and {y.shape}")
    if not all(np.all(np.isfinite(each) & (each > 0)) for each in (x, y)):
        raise ValueError("a slope on log scales needs finite numbers > 0: leave out what was not reached")
    if np.unique(x).size < 2:
        raise ValueError("a slope needs at least two different x")
    if not 0 < confidence < 1:
        raise ValueError(f"the confidence of an interval must be a number in (0, 1), not {short_repr(confidence)}")
    fit = stats.linregress(np.log(x), np.log(y))
    if x.size == 2:
        return Slope(float(fit.slope), -np.inf, np.inf)
    half = stats.t.ppf((1 + confidence) / 2, x.size - 2) * fit.stderr
    return Slope(float(fit.slope), float(fit.slope - half), float(fit.slope + half))
