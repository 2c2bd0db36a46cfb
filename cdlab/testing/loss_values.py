"""Values of a loss, whether it has one prediction or several: what `loss_checks` compares."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from .. import losses
from ..losses import Loss

CLASSES = 3  # of a vector loss
H = 1e-4  # of difference quotients


class Point(NamedTuple):
    """Two predictions, a label, and a share of the way between them."""

    u: Any
    t: Any
    y: float
    share: float


def points(loss: Loss, labels: Sequence[float] | None) -> Iterator[Point]:
    """Near 0, where hinges bend, and far."""
    rng = np.random.default_rng(0)
    shape = (CLASSES,) if losses.is_vector(loss) else ()
    if labels is None:
        labels = range(CLASSES) if shape else (-1.0, 1.0) if loss.classification else (-1.3, 0.0, 0.4, 2.0)
    for scale in (0.3, 3.0, 12.0):
        for y in labels:
            for _ in range(8):
                u, t = scale * rng.standard_normal((2, *shape))
                yield Point(u, t, float(y), rng.random())


def grad(loss: Any, u: Any, y: float) -> Any:
    """phi'(u; y), a number or (K,)."""
    if not losses.is_vector(loss):
        return loss.grad_phi(u, y)
    out = np.empty(CLASSES)
    loss.grad_phi_into(u, y, out)
    return out


def hess(loss: Any, u: Any, y: float, s: Any) -> Any:
    """phi''(u; y) s, a number or (K,)."""
    if not losses.is_vector(loss):
        return loss.hess_phi(u, y) * s
    out = np.empty(CLASSES)
    loss.hess_phi_into(u, y, s, out)
    return out


def step(loss: Any, u: Any, y0: Any, q: float, y: float) -> Any:
    """The step of every dual method, a number or (K,)."""
    if not losses.is_vector(loss):
        return loss.dualprox(u, y0, q, y)
    out = np.empty(CLASSES)
    loss.dualprox_into(u, y0, q, y, out)
    return out


def far_slope(loss: Any, u: float, y: float) -> float:
    """phi' far out, inf where it overflows."""
    try:
        return loss.grad_phi(u, y)
    except OverflowError:
        return math.copysign(math.inf, u)
