"""Rates of growth: the slope of ln y against ln x."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy import stats


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
        raise ValueError(f"the confidence of an interval must be a number in (0, 1), not {confidence!r}")
    fit = stats.linregress(np.log(x), np.log(y))
    if x.size == 2:
        return Slope(float(fit.slope), -np.inf, np.inf)
    half = stats.t.ppf((1 + confidence) / 2, x.size - 2) * fit.stderr
    return Slope(float(fit.slope), float(fit.slope - half), float(fit.slope + half))
