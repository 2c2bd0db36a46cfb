"""The promises of a loss that has a formula of its second derivative."""

from __future__ import annotations

import numpy as np

from .. import losses
from ..losses import Loss
from .loss_values import H, Point, grad, hess


def curvature_fault(loss: Loss, at: Point) -> str | None:
    """What is wrong with phi'' or its Lipschitz constant, if anything; None also where there is no formula.

    Along the way from u to t, phi'' is a difference quotient of phi' on one of the two sides: where phi' bends, either.
    """
    if not losses.has_hessian(loss):
        return None
    u, t, y, _share = at
    apart = max(1e-300, float(np.linalg.norm(t - u)))
    way = (t - u) / apart
    what, slope = losses.hessian_formula(loss), grad(loss, u, y)
    here, there = (float(np.dot(hess(loss, x, y, way), way)) for x in (u, t))
    sides = [float(np.dot(grad(loss, u + h * way, y) - slope, way)) / h for h in (-H, H)]
    slack = 1e-6 + 1e-4 * max(map(abs, sides))
    if not (here >= -slack and min(abs(here - side) for side in sides) <= slack):
        return f"{what} at u = {u}, y = {y:g} is {here:g}, and the slope of phi' there is {sides[1]:g}"
    M = losses.hess_lipschitz(loss)
    if not abs(here - there) <= M * apart * (1 + 1e-9) + 1e-9:
        return f"hess_lipschitz = {M:g} is too small: from u = {u} to {t} (y = {y:g}) phi'' changes by {here - there:g}"
    return None
