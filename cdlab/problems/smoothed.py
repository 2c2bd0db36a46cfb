"""A problem with the kinks of its loss smoothed around dual variables, and the best intercept of a loss with kinks.

With phi_sigma the loss whose conjugate is phi* + (sigma/2) beta^2,

    max_beta  u beta - phi*(beta) - (sigma/2) (beta - beta_i)^2 = phi_sigma(u + sigma beta_i) - (sigma/2) beta_i^2

so the dual proximal step from beta is the problem with phi_sigma and the offset sigma beta, but for a constant.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from ..losses import Loss, has_kinks, unweighted, weighted
from .null_point import kink_point
from .problem import Problem


def is_piecewise_linear(loss: Loss) -> bool:
    """Tell whether it is hinge, absolute, pinball or epsilon_insensitive: a loss that `can_smooth`, with its kinks."""
    return can_smooth(loss) and has_kinks(unweighted(loss))


def can_smooth(loss: Loss) -> bool:
    """Tell whether its conjugate has a term (gamma/2) beta^2, without which the loss has kinks."""
    plain: Any = unweighted(loss)
    return "gamma" in plain._fields and has_kinks(plain._replace(gamma=0.0))


def smoothed(problem: Problem, sigma: float, beta: np.ndarray) -> Problem:
    """The problem with phi_sigma and the offset sigma beta, which shares X and what P(0) was.

    Parameters
    ----------
    problem : Problem
        One whose loss `can_smooth`.
    sigma : float > 0
        What the gamma of the smoothed loss is more.
    beta : (n,) array
        Of the losses without weights, in the domain of their conjugates.
    """
    y, fields = problem.loss_y, problem.loss_y.dtype.names or ()
    plain: Any = unweighted(problem.loss)
    label, s = (y["label"], y["weight"]) if fields else (y, None)
    offset = sigma * beta + (y["offset"] if "offset" in fields else 0.0)
    _ = problem.at_zero, problem.products, problem.column_profile  # what is cached here, all stages share
    other = copy(problem)
    other.__dict__.pop("dual_at_zero", None)
    other.loss, other.loss_y = weighted(plain._replace(gamma=plain.gamma + sigma), label, s, offset)
    return other


def best_intercept(problem: Problem, z: np.ndarray) -> float:
    """The b that minimises the mean of phi(z_i + b), a weighted quantile of the kinks.

    Parameters
    ----------
    problem : Problem
        Its loss is piecewise linear, with its kink where u is the label, or epsilon from it.
    z : (n,) array
        Predictions without an intercept and without offsets.
    """
    return kink_point(problem.loss, problem.targets - z, problem.loss_y).b
