"""Lengths of steps of coordinate descent on the quadratic: omega_i, 1 for the exact minimum along i."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..problems.problem import Problem
from .quadratics import Optimum


class Coordinates(NamedTuple):
    """The coordinates that curve the problem."""

    lines: np.ndarray  # (N,) which they are
    curvature: np.ndarray  # (N,) A_ii
    p: np.ndarray  # (m,) of all coordinates of this side whose lines are not empty, of sum 1


StepLengths = Callable[[Mapping[str, Any], Problem, Optimum, Coordinates], np.ndarray]


def exact_steps(parameters: Mapping[str, Any], problem: Problem, optimum: Optimum, among: Coordinates) -> np.ndarray:
    """sdca: it maximises the dual along i."""
    return np.ones(among.lines.size)


def smoothness_steps(
    parameters: Mapping[str, Any], problem: Problem, optimum: Optimum, among: Coordinates
) -> np.ndarray:
    """rcd: gradient steps 1/L_j, with the smoothness L_j >= A_jj that holds everywhere."""
    L = problem.coordinates("primal").smoothness[among.lines] / problem.n
    return among.curvature / L


def quartz_steps(parameters: Mapping[str, Any], problem: Problem, optimum: Optimum, among: Coordinates) -> np.ndarray:
    """quartz: alpha_i += s_i (-phi'(x_i'w) - alpha_i) moves along -s_i h_i times the gradient, so omega = s_i h_i A_ii.

    s_i = l2 n/(beta ||x_i||^2 + l2 n), with fixed steps theta/p_i, theta the smallest p_i s_i, of the p of all lines;
    with long ones the same of beta/2.
    """
    return (quartz_shares(parameters["step"], problem, among.p) * optimum.h)[among.lines] * among.curvature


def quartz_shares(step: str, problem: Problem, p: np.ndarray) -> np.ndarray:
    """s_i (n,), the share of the way to -phi'(x_i'w) that a draw of i goes."""
    local = problem.l2 * problem.n / problem.coordinates("dual").smoothness
    if step == "long":
        local = 2 * local / (1 + local)
    if step == "local":
        return local
    drawn = (problem.row_profile.counts > 0) & (p > 0)
    return float((p * local)[drawn].min()) / np.where(drawn, p, np.inf)


DAMPED = ("quartz",)  # whose steps move examples too at which the loss is flat
COORDINATE_DESCENT: Mapping[str, tuple[str, Mapping[str, Any], StepLengths]] = {
    # name -> side, the parameters that a rate may be asked for with their defaults, and the steps
    "sdca": ("dual", {}, exact_steps),
    "rcd": ("primal", {"batch_size": None}, smoothness_steps),
    "quartz": ("dual", {"step": "fixed", "averaged_primal": False, "batch_size": None}, quartz_steps),
}
