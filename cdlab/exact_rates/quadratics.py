"""The quadratic that coordinate descent moves on: all of the problem for the squared loss, else what it is at w*.

With h_i = phi_i''(x_i'w*), of the squared loss c (u - y)^2 simply h_i = 2c:

    dual     D* - D(alpha) = (alpha - alpha*)'A(alpha - alpha*)/(2n),  A = diag(1/h) + X X'/(l2 n)
    primal   P(w) - P*     = (w - w*)'A(w - w*)/2,                     A = X'diag(h) X/n + l2 I

In e = D^(1/2) (alpha - alpha*), or of w - w*, with D = diag(A), the matrix is G = D^(-1/2) A D^(-1/2), whose diagonal
is 1, and an update of coordinate i is e <- T_i e, T_i = I - omega_i e_i e_i'G. Exact steps have omega_i = 1.

An example with h_i = 0 (a hinge away from its kinks) does not curve the problem. It is not in A, but its draws are
made all the same, with T = I. So are those of empty lines of X.

Damped steps move such a flat example, too: with f_i = alpha_i - alpha*_i, f_i <- (1 - s_i) f_i, and w, which the
others see, moves with it. That is the limit h_i -> 0 of the quadratic: then omega_i = s_i h_i A_ii -> s_i, and row i of
G tends to that of I. The f_i move by themselves, so the map of second moments is block triangular, and its radius is
the largest of three: that of the curved examples with all f_i = 0; that of E[f_i^2], of which a draw leaves
1 - p_i s_i (2 - s_i); and that of the mixed moments E[u_j f_i], u the error of curved examples that see no f_i, drawn
alike. These never decide: E[u_j f_i]^2 <= E[u_j^2] E[f_i^2] (Cauchy and Schwarz), so that their radius is at most the
geometric mean of the other two; and so it is with E[f_i f_k]. D* - D is linear in f_i, where phi_i* has a kink or ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from ..numerics.eigenvalues import EigenvalueInterval, smallest_normalised_eigenvalue
from ..problems.problem import Problem

MAX_COORDINATES = 2000  # G is dense
SLIGHT = 2.0**-200  # this h_i, a share of the least other one, is as good as 0: its square root is below any rounding


@dataclass(frozen=True, eq=False)
class Quadratic:
    """The errors of coordinate descent near, or with the squared loss anywhere around, the optimum.

    Attributes
    ----------
    G : (N, N) array
        Positive definite, with unit diagonal.
    omega : (N,) array
        The length of each coordinate's step; 1 for exact ones.
    lines : (N,) array of indices
        The coordinates, of `drawn`, which curve the problem.
    drawn : int
        How many coordinates there are: the draws of an epoch.
    curvature : (N,) array
        A_ii.
    error : (N,) array
        e at the start.
    forms : mapping of str to (N, N) array
        The quantities that curves show: each is e'Me.
    """

    G: np.ndarray
    omega: np.ndarray
    lines: np.ndarray
    drawn: int
    curvature: np.ndarray
    error: np.ndarray
    forms: Mapping[str, np.ndarray]

    @property
    def size(self) -> int:
        """N."""
        return self.omega.size

    def with_steps(self, omega: np.ndarray) -> Quadratic:
        """The same with other steps (N,)."""
        return replace(self, omega=omega)

    def of(self, kept: np.ndarray) -> Quadratic:
        """The quadratic of these coordinates alone (N,), all others at their optimum."""
        block = np.ix_(kept, kept)
        arrays = {name: getattr(self, name)[kept] for name in ("omega", "lines", "curvature", "error")}
        return replace(self, G=self.G[block], forms={name: M[block] for name, M in self.forms.items()}, **arrays)


@dataclass(frozen=True, eq=False)
class Optimum:
    """A solution, and how the losses curve there.

    Attributes
    ----------
    w : (d,) array
    alpha : (n,) array
        -phi_i'(x_i'w).
    h : (n,) array
        phi_i''(x_i'w).
    """

    w: np.ndarray
    alpha: np.ndarray
    h: np.ndarray

    def curved_slightly(self, flat: np.ndarray) -> Optimum:
        """The same where the loss is as good as flat at these examples, a mask (n,), that damped steps move."""
        return replace(self, h=np.where(flat, SLIGHT * self.h[self.h > 0].min(initial=1.0), self.h))


@dataclass(frozen=True, eq=False)
class Curvature:
    """A = diag(E) + F F' of some coordinates, not multiplied out.

    Attributes
    ----------
    E : (N,) array > 0
    F : (N, r) array or sparse matrix
    """

    E: np.ndarray
    F: Any

    @property
    def gram(self) -> np.ndarray:
        """F F' (N, N)."""
        return dense(self.F @ self.F.T)

    @property
    def matrix(self) -> np.ndarray:
        """A (N, N)."""
        return self.gram + np.diag(self.E)

    @property
    def diagonal(self) -> np.ndarray:
        """A_ii (N,)."""
        squares = self.F.multiply(self.F).sum(axis=1) if sp.issparse(self.F) else np.einsum("ij,ij->i", self.F, self.F)
        return self.E + np.asarray(squares).ravel()

    def smallest_eigenvalue(self, p: np.ndarray) -> EigenvalueInterval:
        """lambda_min(P^(1/2) G P^(1/2)), P = diag(p), p (N,) > 0; of G itself for p = 1."""
        return smallest_normalised_eigenvalue(self.F, self.E, p)

    def of(self, lines: np.ndarray) -> Curvature:
        """Return the quadratic of these coordinates alone, a mask or indices."""
        return Curvature(self.E[lines], self.F[lines])


def curvature_of(X: Any, h: Any, l2: float, side: str) -> Curvature:
    """A of all coordinates of a side, of losses with phi_i'' = h_i (a number or (n,)), and l2 > 0."""
    n, d = X.shape
    if side == "dual":
        return Curvature(np.broadcast_to(1 / np.asarray(h, float), n), X / np.sqrt(l2 * n))
    root = np.broadcast_to(np.sqrt(np.asarray(h, float) / n), n)
    return Curvature(np.full(d, l2), (sp.diags_array(root) @ X).T.tocsr() if sp.issparse(X) else (root[:, None] * X).T)


def curvature(problem: Problem, optimum: Optimum, side: str) -> tuple[Curvature, np.ndarray]:
    """A of the coordinates of a side that move, and which these are."""
    if side == "dual":
        lines = np.flatnonzero((optimum.h > 0) & (problem.row_profile.counts > 0))
        with np.errstate(divide="ignore"):  # 1/h of flat examples
            return curvature_of(problem.X, optimum.h, problem.l2, side).of(lines), lines
    lines = np.flatnonzero(problem.column_profile.counts > 0)
    A = curvature_of(problem.X[:, lines], optimum.h, problem.l2, side)
    if problem.intercept:
        A.E[-1] = np.finfo(float).tiny  # the free coordinate, whose line is the last and not empty
    return A, lines


def dual_quadratic(problem: Problem, optimum: Optimum, start: np.ndarray) -> Quadratic:
    """The quadratic of D* - D, of exact steps, for a start alpha (n,)."""
    n = problem.n
    curved, lines = curvature(problem, optimum, "dual")
    K = curved.gram
    A = K + np.diag(curved.E)
    forms = dual_forms(K, A, optimum.h[lines], n, problem.l2)
    return _quadratic(A, lines, n, (start - optimum.alpha)[lines], forms)


def dual_forms(K: np.ndarray, A: np.ndarray, h: np.ndarray, n: int, l2: float) -> dict[str, np.ndarray]:
    """The quantities of alpha - alpha*, for K = X X'/(l2 n), with which X w = K alpha, and A = diag(1/h) + K.

    As w - w* = X'(alpha - alpha*)/(l2 n), P - P* is ((1/n) ||sqrt(h) X (w - w*)||^2 + l2 ||w - w*||^2)/2.
    """
    dual, primal = A / (2 * n), (K + K * h @ K) / (2 * n)
    return {"D*-D": dual, "P-P*": primal, "gap": dual + primal, "|w-w*|^2": K / (l2 * n)}


def primal_quadratic(problem: Problem, optimum: Optimum, start: np.ndarray) -> Quadratic:
    """The quadratic of P - P*, of exact steps, for a start w (d,)."""
    l2 = problem.l2
    curved, lines = curvature(problem, optimum, "primal")
    B = curved.gram
    A = B + np.diag(curved.E)
    forms = {"P-P*": A / 2, "|w-w*|^2": np.eye(lines.size)}
    if l2 > 0 and not problem.intercept:  # alpha(w) - alpha* = -diag(h) X (w - w*)
        dual = (B + B @ B / l2) / 2
        forms |= {"D*-D": dual, "gap": A / 2 + dual}
    return _quadratic(A, lines, problem.d, (start - optimum.w)[lines], forms)


def _quadratic(
    A: np.ndarray, lines: np.ndarray, drawn: int, change: np.ndarray, forms: Mapping[str, np.ndarray]
) -> Quadratic:
    curvature = np.diag(A).copy()
    root = np.sqrt(curvature)
    scale = np.outer(root, root)
    G = A / scale
    np.fill_diagonal(G, 1.0)
    scaled = {name: M / scale for name, M in forms.items()}
    return Quadratic(G, np.ones(lines.size), lines, drawn, curvature, root * change, scaled)


def dense(M: Any) -> np.ndarray:
    """A matrix that may be sparse, as an array."""
    return np.asarray(M.toarray() if sp.issparse(M) else M)


def energy_root(G: np.ndarray) -> np.ndarray:
    """C with G = C C': in f = C'e the updates are I - omega_i c_i c_i', symmetric.

    Raises
    ------
    ValueError
        If G is singular to rounding.
    """
    try:
        return scipy.linalg.cholesky(G, lower=True)
    except scipy.linalg.LinAlgError:
        raise ValueError(
            "the problem is singular to rounding: an exact rate needs strong convexity that float64 resolves; take a "
            "larger l2"
        ) from None
