"""How far coordinate descent steps on the quadratic: omega_i, 1 for the exact minimum along i."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..problems.problem import Problem
from .quadratics import Optimum, Quadratic

StepLengths = Callable[[Mapping[str, Any], Problem, Quadratic, Optimum, np.ndarray], np.ndarray]


def exact_steps(
    parameters: Mapping[str, Any], problem: Problem, quadratic: Quadratic, optimum: Optimum, p: np.ndarray
) -> np.ndarray:
    """sdca: it maximises the dual along i."""
    return np.ones(quadratic.size)


def smoothness_steps(
    parameters: Mapping[str, Any], problem: Problem, quadratic: Quadratic, optimum: Optimum, p: np.ndarray
) -> np.ndarray:
    """rcd: gradient steps 1/L_j, with the smoothness L_j >= A_jj that holds everywhere."""
    L = problem.coordinates("primal").smoothness[quadratic.lines] / problem.n
    return quadratic.curvature / L


def quartz_steps(
    parameters: Mapping[str, Any], problem: Problem, quadratic: Quadratic, optimum: Optimum, p: np.ndarray
) -> np.ndarray:
    """quartz: alpha_i += s_i (-phi'(x_i'w) - alpha_i) moves along -s_i h_i times the gradient, so omega = s_i h_i A_ii.

    s_i = l2 n/(beta ||x_i||^2 + l2 n), with fixed steps theta/p_i, theta the smallest p_i s_i, of the p of all lines.
    """
    local = problem.l2 * problem.n / problem.coordinates("dual").smoothness
    drawn = (problem.row_profile.counts > 0) & (p > 0)
    h = optimum.h
    if (h[drawn] == 0).any():
        raise ValueError(
            "quartz's damped steps have no exact rate here: the loss is flat at some examples of the solution, where "
            "they do not end; ask about sdca, whose steps do"
        )
    theta = float((p * local)[drawn].min())
    s = local if parameters["step"] == "local" else theta / np.where(drawn, p, np.inf)
    return (s * h)[quadratic.lines] * quadratic.curvature


COORDINATE_DESCENT: Mapping[str, tuple[str, Mapping[str, Any], StepLengths]] = {
    # name -> side, the parameters that a rate may be asked for with their defaults, and the steps
    "sdca": ("dual", {}, exact_steps),
    "rcd": ("primal", {"batch_size": None}, smoothness_steps),
    "quartz": ("dual", {"step": "fixed", "averaged_primal": False, "batch_size": None}, quartz_steps),
}
