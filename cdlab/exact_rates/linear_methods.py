"""Methods whose step is linear in their state, on the squared loss: z <- T_i z for the coordinate i that is drawn.

The state z is the method's, less its value at the optimum; where noise is left there, a constant 1 is its last entry.
Letters are those of each method's own file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from ..problems.problem import Problem
from .quadratics import Optimum, curvature_of, dense, dual_forms

LARGEST_ROOT = 1 - 1e-8  # of apcg's sqrt(mu)
CONSISTENT = 1e-9  # residual of a system that has a solution, relative


class Stages(NamedTuple):
    """A stage starts from a w, and ends in one. The forms of a method with stages are of w (d,)."""

    begin: np.ndarray  # (S, d): the state of a stage that starts from w
    point: Callable[[int], np.ndarray]  # (d, S): the w of a stage after so many steps, at least 1
    steps: int

    @property
    def end(self) -> np.ndarray:
        """The w with which a stage ends (d, S)."""
        return self.point(self.steps)


@dataclass(frozen=True, eq=False)
class LinearMethod:
    """A method on given data.

    Attributes
    ----------
    T : (m, S, S) array
        The step for each example, feature or block that can be drawn; (2m, S, S) with a coin, heads after tails.
    start : (S,) array
        z of the run's start, w = 0 and alpha = 0.
    forms : mapping of str to (S, S) array
        Quantities z'Mz; with stages w'Mw.
    has_constant : bool
        Whether the last entry of z is the constant 1.
    stages : Stages or None
        What a method with stages does between them.
    heads : float
        The chance of heads.
    """

    T: np.ndarray
    start: np.ndarray
    forms: Mapping[str, np.ndarray]
    has_constant: bool = False
    stages: Stages | None = None
    heads: float = 0.0

    def without_constant(self) -> LinearMethod:
        """The same without the noise: how it forgets its start."""
        if not self.has_constant:
            return self
        forms = {name: M[:-1, :-1] for name, M in self.forms.items()}
        return replace(self, T=self.T[:, :-1, :-1], start=self.start[:-1], forms=forms, has_constant=False)


# Of the problem, its optimum, the probabilities, and the method's parameters with the name of the sampling.
Build = Callable[[Problem, Optimum, np.ndarray, Mapping[str, Any]], LinearMethod]


def saga(problem: Problem, optimum: Optimum, p: np.ndarray, parameters: Mapping[str, Any]) -> LinearMethod:
    """z = (w, tab): delta = phi'(x_i'w) - tab_i, w <- (w - eta (delta x_i/(n p_i) + X'tab/n))/(1 + eta l2).

    Then tab_i += delta.
    """
    X, n, d, l2, h = dense(problem.X), problem.n, problem.d, problem.l2, optimum.h
    weight = 1 / n / p
    eta = parameters["step"] or 1 / (3 * (h * problem.row_profile.norms2 * weight).max())
    T = np.tile(np.eye(d + n), (n, 1, 1))
    for i in range(n):
        delta = np.zeros(d + n)
        delta[:d], delta[d + i] = h[i] * X[i], -1.0
        T[i, :d] -= eta * weight[i] * np.outer(X[i], delta)
        T[i, :d, d:] -= eta * X.T / n
        T[i, :d] /= 1 + eta * l2
        T[i, d + i] += delta
    table = -problem.alpha(np.zeros(d)) + optimum.alpha
    return LinearMethod(T, np.concatenate([-optimum.w, table]), _forms_of_w(problem, optimum, d + n))


def lsvrg(problem: Problem, optimum: Optimum, p: np.ndarray, parameters: Mapping[str, Any]) -> LinearMethod:
    """z = (w, s): the step of svrg, and with heads s <- w, that before it."""
    X, n, d, l2, h = dense(problem.X), problem.n, problem.d, problem.l2, optimum.h
    weight = 1 / n / p
    eta = parameters["step"] or 1 / (3 * (h * problem.row_profile.norms2 * weight).max())
    full = curvature_of(problem.X, h, l2, "primal").gram
    tails = np.tile(np.eye(2 * d), (n, 1, 1))
    for i in range(n):
        one = weight[i] * h[i] * np.outer(X[i], X[i])
        tails[i, :d] = np.hstack([np.eye(d) - eta * one, eta * (one - full)]) / (1 + eta * l2)
    heads = tails.copy()
    heads[:, d:] = np.eye(d, 2 * d)
    start, forms = -np.concatenate([optimum.w, optimum.w]), _forms_of_w(problem, optimum, 2 * d)
    return LinearMethod(np.concatenate([tails, heads]), start, forms, heads=parameters["rho"] or float(p.min()))


def spdc(problem: Problem, optimum: Optimum, p: np.ndarray, parameters: Mapping[str, Any]) -> LinearMethod:
    """z = (x, xbar, y): the dual step at xbar, the primal step of all of x, and the extrapolation."""
    X, n, d, l2, gamma = dense(problem.X), problem.n, problem.d, problem.l2, problem.loss.gamma
    tau, s, theta = spdc_steps(problem, p, parameters)
    x, xbar, y = slice(0, d), slice(d, 2 * d), slice(2 * d, 2 * d + n)
    T = np.tile(np.eye(2 * d + n), (n, 1, 1))
    for i in range(n):
        q = p[i] * n / s
        change = np.zeros(2 * d + n)
        change[xbar], change[2 * d + i] = X[i] / (gamma + q), q / (gamma + q) - 1
        T[i, 2 * d + i] += change
        T[i, x, y] -= tau * X.T / n
        T[i, x] -= tau / (p[i] * n) * np.outer(X[i], change)
        T[i, x] /= 1 + tau * l2
        T[i, xbar] = (1 + theta) * T[i, x]
        T[i, xbar, x] -= theta * np.eye(d)
    forms = _forms_of_w(problem, optimum, 2 * d + n)
    forms["D*-D"] = np.zeros((2 * d + n,) * 2)
    forms["D*-D"][y, y] = _dual_forms(problem, optimum)["D*-D"]
    return LinearMethod(T, np.concatenate([-optimum.w, -optimum.w, optimum.alpha]), forms)


def spdc_steps(problem: Problem, p: np.ndarray, parameters: Mapping[str, Any]) -> tuple[float, float, float]:
    """tau, s and theta; sampling by norms is Algorithm 2, which p alone does not say where all norms are equal."""
    n, l2, gamma = problem.n, problem.l2, problem.loss.gamma
    norms = np.sqrt(problem.row_profile.norms2)
    by_norms = parameters.get("sampling") == "norms" or not np.allclose(p, 1 / n, rtol=1e-12, atol=0)
    M, N = (2 * norms.mean(), 2 * n) if by_norms else (norms.max(), n)
    tau, s = parameters["step"], parameters["dual_step"]
    if tau is None:
        tau = 1 / (4 * M**2 * s) if s else math.sqrt(gamma / (n * l2)) / (2 * M)
    s = s or 1 / (4 * M**2 * tau)
    theta = parameters["theta"]
    if theta is None:
        theta = 1 - 1 / max(1 + 1 / (2 * tau * l2), N + n / (2 * s * gamma))
    return float(tau), float(s), float(theta)


def sgd(problem: Problem, optimum: Optimum, p: np.ndarray, parameters: Mapping[str, Any]) -> LinearMethod:
    """z = (w, 1): w <- keep w - eta_i theta x_i, theta = phi'(x_i'w) and keep = 1 - eta l2, with eta_i = eta/(n p_i).

    Implicit steps have keep = 1/(1 + eta l2), eta_i = keep eta/(n p_i), and theta = phi' at the new point, which is
    phi'(keep x_i'w)/(1 + h_i eta_i ||x_i||^2). In z, phi'(keep x_i'w) = h_i x_i'(keep z + (keep - 1) w*) - alpha*_i.
    """
    X, n, d, l2, h = dense(problem.X), problem.n, problem.d, problem.l2, optimum.h
    eta, implicit = parameters["constant_step"], parameters["implicit"]
    keep = 1 / (1 + eta * l2) if implicit else 1 - eta * l2
    inside = keep if implicit else 1.0  # what w is multiplied by where phi' is taken
    steps = eta / (n * p) * (keep if implicit else 1.0)
    damping = 1 + h * steps * problem.row_profile.norms2 if implicit else np.ones(n)
    T = np.tile(np.eye(d + 1), (n, 1, 1))
    for i in range(n):
        change = -steps[i] / damping[i] * X[i]
        T[i, :d, :d] = keep * np.eye(d) + inside * h[i] * np.outer(change, X[i])
        theta_at_optimum = (inside - 1) * h[i] * (X[i] @ optimum.w) - optimum.alpha[i]
        T[i, :d, d] = (keep - 1) * optimum.w + theta_at_optimum * change
    return LinearMethod(T, np.append(-optimum.w, 1.0), _forms_of_w(problem, optimum, d + 1), has_constant=True)


def svrg(problem: Problem, optimum: Optimum, p: np.ndarray, parameters: Mapping[str, Any]) -> LinearMethod:
    """z = (w, s): w <- (w - eta (phi'(x_i'w) - phi'(x_i's)) x_i/(n p_i) - eta grad f(s))/(1 + eta l2).

    A stage begins with s = w, which is where the last one ended; or its average, sum/m, and then z = (w, s, sum), and
    the w that is seen after k steps of a stage is sum/k.
    """
    X, n, d, l2, h = dense(problem.X), problem.n, problem.d, problem.l2, optimum.h
    weight = 1 / (n * p)
    L = (h * problem.row_profile.norms2 * weight).max()
    eta = parameters["step"] or 0.1 / L
    m = int(math.ceil(100 * L / l2) if parameters["m"] == "theory" else parameters["m"] or 2 * n)
    averaged = parameters["snapshot"] == "average"
    identity, zero, size = np.eye(d), np.zeros((d, d)), 3 * d if averaged else 2 * d
    T = np.tile(np.eye(size), (n, 1, 1))
    full = curvature_of(problem.X, h, l2, "primal").gram
    for i in range(n):
        one = weight[i] * h[i] * np.outer(X[i], X[i])
        T[i, :d, : 2 * d] = np.hstack([identity - eta * one, eta * (one - full)]) / (1 + eta * l2)
        if averaged:
            T[i, 2 * d :] += T[i, :d]
    begin = np.vstack([identity, identity, zero])[:size]

    def point(k: int) -> np.ndarray:
        return np.hstack([zero, zero, identity / k]) if averaged else np.hstack([identity, zero])

    forms = _forms_of_w(problem, optimum, d)
    return LinearMethod(T, -begin @ optimum.w, forms, stages=Stages(begin, point, m))


def apcg(problem: Problem, optimum: Optimum, p: np.ndarray, parameters: Mapping[str, Any]) -> LinearMethod:
    """z = (x, z): y = (x + a z)/(1 + a), z~ = (1 - a) z + a y, z_i <- z~_i - (A y)_i/Q_i, x <- y + b (z - z~)."""
    n, gamma = problem.n, problem.loss.gamma
    A = curvature_of(problem.X, 1 / gamma, problem.l2, "dual").matrix
    nL = np.full(n, np.diag(A).max()) if parameters["smoothness"] == "uniform" else np.diag(A)
    mu = parameters["convexity"] or gamma / nL
    a = float((p * np.minimum(np.sqrt(mu), LARGEST_ROOT)).min())
    b = a / p
    identity = np.eye(n)
    y = np.hstack([identity, a * identity]) / (1 + a)
    z = np.hstack([0 * identity, (1 - a) * identity]) + a * y
    T = np.empty((n, 2 * n, 2 * n))
    for i in range(n):
        step = np.zeros((n, 2 * n))
        step[i] = -A[i] @ y / (b[i] * nL[i])
        T[i] = np.vstack([y + b[i] * step, z + step])
    forms = {}
    for name, M in _dual_forms(problem, optimum).items():
        forms[name] = np.zeros((2 * n, 2 * n))
        forms[name][:n, :n] = M
    return LinearMethod(T, -np.concatenate([optimum.alpha, optimum.alpha]), forms)


def asdca(problem: Problem, optimum: Optimum, p: np.ndarray, parameters: Mapping[str, Any]) -> LinearMethod:
    """z = (x, alpha): u = (1 - theta) x + theta w(alpha), then x <- (1 - theta) x + theta w(alpha), but first alpha.

    alpha_i <- (1 - theta) alpha_i - theta phi'(x_i'u) for each i of a block of m.
    """
    X, n, d, l2, h = dense(problem.X), problem.n, problem.d, problem.l2, optimum.h
    m = parameters["batch_size"] or 1
    k = n / problem.kappa
    theta = parameters["theta"] or parameters["factor"] * min(1.0, math.sqrt(k / m), k) / 4
    w = np.hstack([np.zeros((d, d)), X.T / (l2 * n)])  # of alpha
    x = np.eye(d, d + n)
    u = (1 - theta) * x + theta * w
    blocks = list(combinations(range(n), m))
    T = np.tile(np.eye(d + n), (len(blocks), 1, 1))
    for step, block in zip(T, blocks, strict=True):
        for i in block:
            step[d + i] = -theta * h[i] * X[i] @ u
            step[d + i, d + i] += 1 - theta
        step[:d] = (1 - theta) * x + theta * X.T / (l2 * n) @ step[d:]
    forms = _forms_of_w(problem, optimum, d + n)
    forms["D*-D"] = np.zeros((d + n, d + n))
    forms["D*-D"][d:, d:] = _dual_forms(problem, optimum)["D*-D"]
    return LinearMethod(T, -np.concatenate([optimum.w, optimum.alpha]), forms)


def acc_rcd(problem: Problem, optimum: Optimum, p: np.ndarray, parameters: Mapping[str, Any]) -> LinearMethod:
    """z = (y, z): x = tau z + (1 - tau) y, g = (A x)_j, y <- x - (g/L_j) e_j.

    z <- (z + eta l2 x - (eta/p_j) g e_j)/(1 + eta l2).
    """
    d, l2 = problem.d, problem.l2
    A = curvature_of(problem.X, optimum.h, l2, "primal").matrix
    L = np.diag(A)
    M2 = (L / p**2).max()
    tau = 2 / (1 + math.sqrt(1 + 4 * M2 / l2))
    eta = 1 / (tau * M2)
    identity = np.eye(d)
    x = np.hstack([(1 - tau) * identity, tau * identity])
    z = np.hstack([0 * identity, identity]) + eta * l2 * x
    T = np.tile(np.vstack([x, z / (1 + eta * l2)]), (d, 1, 1))
    for j in range(d):
        T[j, j] -= A[j] @ x / L[j]
        T[j, d + j] -= eta / p[j] * A[j] @ x / (1 + eta * l2)
    return LinearMethod(T, -np.concatenate([optimum.w, optimum.w]), _forms_of_w(problem, optimum, 2 * d))


def kaczmarz(problem: Problem, optimum: Optimum, p: np.ndarray, parameters: Mapping[str, Any]) -> LinearMethod:
    """z = w in the space of the rows: w <- w - x_i x_i'w/||x_i||^2. The optimum is the solution nearest to 0."""
    X = dense(problem.X)
    if np.linalg.norm(X @ optimum.w - problem.targets) > CONSISTENT * np.linalg.norm(problem.targets):
        raise ValueError(
            "kaczmarz does not converge on a system without a solution, and X w = y has none: ask about rcd or sdca, "
            "with l2 > 0"
        )
    rows = scipy.linalg.orth(X.T)  # (d, r)
    Z = X @ rows
    T = np.tile(np.eye(rows.shape[1]), (problem.n, 1, 1))
    for i in np.flatnonzero(problem.row_profile.norms2):
        T[i] -= np.outer(Z[i], Z[i]) / problem.row_profile.norms2[i]
    forms = {"|w-w*|^2": np.eye(rows.shape[1]), "P-P*": Z.T @ (optimum.h[:, None] * Z) / (2 * problem.n)}
    return LinearMethod(T, -rows.T @ optimum.w, forms)


def _forms_of_w(problem: Problem, optimum: Optimum, size: int) -> dict[str, np.ndarray]:
    """P - P* and ||w - w*||^2 of a state whose first entries are w."""
    d = problem.d
    H = curvature_of(problem.X, optimum.h, problem.l2, "primal").matrix
    forms = {"P-P*": np.zeros((size, size)), "|w-w*|^2": np.zeros((size, size))}
    forms["P-P*"][:d, :d], forms["|w-w*|^2"][:d, :d] = H / 2, np.eye(d)
    return forms


def _dual_forms(problem: Problem, optimum: Optimum) -> dict[str, np.ndarray]:
    """The quantities of alpha (n,), each row of X drawn or not."""
    curved = curvature_of(problem.X, optimum.h, problem.l2, "dual")
    return dual_forms(curved.gram, curved.matrix, optimum.h, problem.n, problem.l2)


class LinearSteps(NamedTuple):
    """Facts that are known of a method."""

    parameters: Mapping[str, Any]  # that a rate may be asked for, with their defaults
    build: Build
    samplings: tuple[str, ...] | None = None  # that it runs with; None: any
    side: str = "dual"  # whose coordinates it draws


SERIAL = ("uniform", "importance", "norms", "lipschitz", "clipped", "mixture", "given")
IN_ORDER = ("permutation", "fixed_permutation", "cyclic")
LINEAR_METHODS: Mapping[str, LinearSteps] = {
    "saga": LinearSteps({"step": None, "batch_size": None}, saga),
    "spdc": LinearSteps(
        {"step": None, "dual_step": None, "theta": None, "batch_size": None}, spdc, ("uniform", "norms", *IN_ORDER)
    ),
    "sgd": LinearSteps({"constant_step": None, "implicit": False, "step": None}, sgd),
    "svrg": LinearSteps({"step": None, "m": None, "snapshot": "last"}, svrg),
    "lsvrg": LinearSteps({"step": None, "rho": None, "batch_size": None}, lsvrg),
    "apcg": LinearSteps({"smoothness": "individual", "convexity": None, "primal_step": False}, apcg, SERIAL),
    "asdca": LinearSteps({"batch_size": None, "theta": None, "factor": 1.0}, asdca, ("uniform",)),
    "acc_rcd": LinearSteps({}, acc_rcd, side="primal"),
    "kaczmarz": LinearSteps({}, kaczmarz),
}
