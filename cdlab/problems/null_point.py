"""The null point of a problem with an intercept: w = 0 with the best constant b0, and the slopes of the losses there.

Runs start from it, and relative gaps are measured from P(0, b0): what a model of no features leaves. Where w* = 0 its
alpha is a dual optimum, of value P(0, b0) for smooth losses.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.optimize import brentq

from ..losses import Loss, Softmax, Squared, has_kinks, is_of_residual, unweighted
from ..losses.per_example import gradients
from .rounding import EPS

LARGEST_MARGIN = 2048.0  # beyond it all slopes of a loss are 0, or as large as they get
LARGEST_MARGIN_OF_ONE_CLASS = 64.0  # where a slope that is still not 0 will only become 0 by underflow
MAX_DOUBLINGS = 60


class NullPoint(NamedTuple):
    """w = 0 and the intercept that is best with it."""

    b: Any  # a number; with softmax (K,)
    alpha: np.ndarray  # (n,) minus the slopes there, at kinks such that their sum is 0; with softmax (n, K)


def null_point(
    loss: Loss,
    y: np.ndarray,
    targets: np.ndarray,
    loss_y: np.ndarray,
    s: np.ndarray | None,
    outputs: tuple[int, ...],
) -> NullPoint:
    """b0 = argmin_b mean phi_i(b), and its alpha; b0 = 0 where there is none.

    None is there where phi falls for ever, as the logistic loss does with a single class.

    Parameters
    ----------
    loss, y, targets, loss_y, s, outputs
        The loss, labels, these less the offset, what the loss's formulas take for labels, sample weights or None, and
        the shape of a prediction, all as of `Problem`.
    """
    if has_kinks(loss) and not outputs:
        return kink_point(loss, targets, loss_y)
    b: Any = 0.0
    if outputs:
        b = _logarithms_of_shares(y, s, outputs) if isinstance(unweighted(loss), Softmax) else np.zeros(outputs)
    elif isinstance(unweighted(loss), Squared):
        mean = float(np.add.reduce(targets if s is None else s * targets)) / y.size
        b = min(max(mean, float(targets.min())), float(targets.max()))
    elif is_of_residual(loss):
        low, high = float(targets.min()), float(targets.max())
        b = _root(loss, loss_y, 1.0, low, high, max(abs(low), abs(high)))
    else:
        counting = y if s is None else s * y
        has_both = counting.max() > 0 > counting.min()
        most = LARGEST_MARGIN if has_both else LARGEST_MARGIN_OF_ONE_CLASS
        b = _root(loss, *_distinct(loss_y), -1.0, 1.0, most)
    return NullPoint(b, -gradients(loss, np.zeros((y.size, *outputs)) + b, loss_y))


def _logarithms_of_shares(y: np.ndarray, s: np.ndarray | None, outputs: tuple[int, ...]) -> np.ndarray:
    """ln p_k, p_k what class k weighs, less their mean, which no prediction sees: its gradient is p_k - p_k = 0."""
    shares = np.bincount(y.astype(np.intp), weights=s, minlength=outputs[0])
    if not shares.all():
        return np.zeros(outputs)
    logarithms = np.log(shares / shares.sum())
    return logarithms - logarithms.mean()


def _distinct(loss_y: np.ndarray) -> tuple[np.ndarray, Any]:
    """The labels -1 and 1 and how many there are of each; with weights or offsets all labels, each of them once."""
    if loss_y.dtype.names:
        return loss_y, 1.0
    positive = np.count_nonzero(loss_y > 0)
    return np.array([-1.0, 1.0]), np.array([loss_y.size - positive, positive], dtype=float)


def _root(loss: Loss, loss_y: np.ndarray, counts: Any, low: float, high: float, most: float) -> float:
    """Where the sum of the slopes, which never falls with b, is 0: between -most and most, by Brent's method; else 0.

    There are `counts` examples of each label.
    """

    def slope(b: float) -> float:
        return float(np.add.reduce(counts * gradients(loss, np.full(loss_y.size, b), loss_y)))

    at_low, at_high = slope(low), slope(high)
    for _ in range(MAX_DOUBLINGS):
        if at_low <= 0 <= at_high or high - low > 2 * most:
            break
        width = max(high - low, EPS * most)
        low, high = (low - width, high) if at_low > 0 else (low, high + width)
        at_low, at_high = slope(low), slope(high)
    if not at_low <= 0 <= at_high:
        return 0.0
    if at_low == 0 or at_high == 0:
        return low if at_low == 0 else high
    return float(brentq(slope, low, high, xtol=EPS * max(high - low, EPS), rtol=4 * EPS))


def kink_point(loss: Loss, places: np.ndarray, loss_y: np.ndarray) -> NullPoint:
    """The b at which the sum of the slopes crosses 0, each of which jumps at its place (n,), and minus the slopes.

    Where the sum is 0 on an interval b is its middle, or the place next to it. With epsilon > 0 a loss is the sum of
    two, whose slopes jump at epsilon below and above, from and to 0.
    """
    n, eps = places.size, getattr(unweighted(loss), "epsilon", 0.0)
    before, after = (gradients(loss, np.full(n, u), loss_y) for u in (-np.inf, np.inf))
    kinks, jumps = places, after - before
    if eps > 0:
        kinks, jumps = np.concatenate([places - eps, places + eps]), np.concatenate([-before, after])
        before = np.concatenate([before, np.zeros(n)])
    order = np.argsort(kinks, kind="stable")
    kinks, jumps, before = kinks[order], jumps[order], before[order]
    sums = before.sum() + np.cumsum(jumps)
    close = EPS * kinks.size * float(np.abs(before).max(initial=0.0) + jumps.max(initial=0.0))
    k = min(int(np.searchsorted(sums, -close)), kinks.size - 1)
    b = float(kinks[k])
    if abs(sums[k]) <= close and k + 1 < kinks.size:
        b = min(max((b + float(kinks[k + 1])) / 2, float(places.min())), float(places.max()))
    below, at = kinks < b, kinks == b
    slopes = np.where(below, before + jumps, before)
    room = float(jumps[at].sum())
    share = min(1.0, max(0.0, -float(slopes.sum()) / room)) if room > 0 else 0.0
    slopes[at] += share * jumps[at]
    alpha = np.empty(kinks.size)
    alpha[order] = 0.0 - slopes
    return NullPoint(b, alpha.reshape(-1, n).sum(axis=0))
