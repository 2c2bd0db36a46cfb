"""The optimum, and how the losses curve there: in closed form for the squared loss, else by Newton's method."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from .. import losses
from ..losses import per_example
from ..losses.base import has_hessian
from ..problems.problem import Problem
from .quadratics import Optimum, dense

MAX_FEATURES = 2000  # features of a problem whose solution is computed here, at most
NEWTON_STEPS = 200
SUFFICIENT = 1e-4  # share of the decrease promised by the gradient that a step must bring
SHORTEST = 1e-12  # shortest step, as a share of Newton's
STATIONARY = 1e-12  # largest gradient at a solution, relative to that at 0
SOLVED = 1e-4  # the same for a solution that is given


def is_quadratic(problem: Problem) -> bool:
    """Tell whether the loss is the squared one, with or without sample weights."""
    return isinstance(losses.unweighted(problem.loss), losses.Squared)


def find_optimum(problem: Problem, solution: Any = None) -> Optimum:
    """The optimum of a smooth problem without l1; for the squared loss on large data only its curvature, at w = 0.

    Its w is a point of `Problem.centred`.

    Parameters
    ----------
    problem : Problem
        With a smooth loss and l1 = 0.
    solution : Solution or (d,) array, optional
        Where the curvature is taken, for a loss that is not the squared one. By default Newton's method finds it.

    Raises
    ------
    ValueError
        If the problem has too many features, or the solution given is none.
    """
    if not has_hessian(losses.unweighted(problem.loss)):
        raise ValueError(
            f"an exact rate needs the second derivative of the loss, and {problem.loss.name} has no hess_phi: add it"
        )
    if is_quadratic(problem):
        # of more rows and columns only the band is known, and the curvature that it needs is the same at every w
        large = min(problem.n, problem.d) > MAX_FEATURES
        w = np.zeros(problem.d) if large else _least_squares(problem.centred)
    elif solution is None:
        w = _newton(problem.centred)
    else:
        w = np.asarray(getattr(solution, "w", solution), dtype=float)
        if w.shape != (problem.d,) or not _gradient_ratio(problem, w) <= SOLVED:
            raise ValueError(
                f"solution must be the optimum, a Solution or an array of shape ({problem.d},) at which the gradient "
                f"is at most {SOLVED:g} of that at 0: pass cdlab.solve(problem, tol=1e-10)"
            )
        w = problem.to_centred(w)
    problem = problem.centred
    z = problem.predict(w)
    return Optimum(w, problem.alpha(w, z=z), per_example.curvatures(problem.loss, z, problem.loss_y))


def _least_squares(problem: Problem) -> np.ndarray:
    """w* of the squared loss, from the smaller of two linear systems."""
    X, n, l2 = problem.X, problem.n, problem.l2
    h = per_example.curvatures(problem.loss, np.zeros(n), problem.loss_y)
    if problem.d <= n or problem.intercept:
        return _solved(_hessian(problem, h), problem.X.T @ (h * problem.targets) / n)
    K = np.sqrt(h)[:, None] * dense(X @ X.T) * np.sqrt(h) / (l2 * n)
    return X.T @ (np.sqrt(h) * _solved(np.eye(n) + K, np.sqrt(h) * problem.targets)) / (l2 * n)


def _newton(problem: Problem) -> np.ndarray:
    if problem.d > MAX_FEATURES:
        raise ValueError(
            f"the local rate needs the solution, which is computed for up to {MAX_FEATURES} features and this problem "
            f"has {problem.d}: pass solution=cdlab.solve(problem, tol=1e-10)"
        )
    w, ratio = np.zeros(problem.d), 1.0
    for _ in range(NEWTON_STEPS):
        z, P = problem.predict(w), problem.primal(w)
        gradient = problem.gradient(w, z=z)
        step = _solved(_hessian(problem, per_example.curvatures(problem.loss, z, problem.loss_y)), gradient)
        length = 1.0
        while problem.primal(w - length * step) > P - SUFFICIENT * length * (gradient @ step) and length > SHORTEST:
            length /= 2
        if length <= SHORTEST:  # P does not resolve what is left
            if _gradient_ratio(problem, w - step) >= ratio:
                break
            length = 1.0
        w = w - length * step
        ratio = _gradient_ratio(problem, w)
        if ratio <= STATIONARY:
            break
    if not _gradient_ratio(problem, w) <= SOLVED:
        raise ValueError(
            "Newton's method found no solution of this problem: pass solution=cdlab.solve(problem, tol=1e-10)"
        )
    return w


def _hessian(problem: Problem, h: np.ndarray) -> np.ndarray:
    X = problem.X
    H = dense(X.T @ (sp.diags_array(h) @ X if sp.issparse(X) else h[:, None] * X)) / problem.n
    H[np.diag_indices(problem.d - problem.intercept)] += problem.l2
    return H


def _gradient_ratio(problem: Problem, w: np.ndarray) -> float:
    at_zero = np.linalg.norm(problem.gradient(np.zeros(problem.d)))
    return float(np.linalg.norm(problem.gradient(w)) / at_zero) if at_zero > 0 else 0.0


def _solved(H: np.ndarray, b: np.ndarray) -> np.ndarray:
    try:
        return scipy.linalg.solve(H, b, assume_a="pos")
    except (scipy.linalg.LinAlgError, scipy.linalg.LinAlgWarning):
        raise ValueError("the problem is singular to rounding: take a larger l2") from None
