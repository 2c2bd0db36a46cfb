"""The largest eigenvalue of a map L of symmetric matrices that preserves positive semidefinite ones, in an interval.

L(M) = E[T'MT] is such a map, whatever the random T. Its radius rho has a positive semidefinite eigenmatrix, and for
every positive definite M

    lambda_min(L(M), M) <= rho <= lambda_max(L(M), M)    (generalised eigenvalues),

since L(M) <= r M implies L^t(M) <= r^t M for all t, and likewise from below. With L(M) in place of M neither end gets
worse. So whatever an eigenvalue solver finds is only where to look: the interval is proved, and widened by what the
rounding in L(M) and in these eigenvalues can be.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse.linalg

Map = Callable[[np.ndarray], np.ndarray]

NOTHING_LEFT = 1e-14  # the radius is 0 if an epoch leaves at most this of the identity
ADMIXTURE = 1e-12  # multiple of the identity that makes the eigenmatrix positive definite
NARROW = 1e-11  # relative width of an interval that needs no more work
ROUNDING = 8 * np.finfo(float).eps  # relative, of the ends of an interval, for each row of M
MAX_ROUNDS = 30  # epochs that narrow the interval, at most
LANCZOS_TOLERANCE = 1e-12
LANCZOS_VECTORS = 20
MAX_RESTARTS = 200


class Radius(NamedTuple):
    """A spectral radius, and the interval that it lies in."""

    value: float
    low: float
    high: float
    matrix: np.ndarray  # the eigenmatrix, positive semidefinite

    def power(self, k: float) -> Radius:
        """The radius of k such maps in a row."""
        return Radius(self.value**k, self.low**k, self.high**k, self.matrix)

    @classmethod
    def rounded(cls, value: float, low: float, high: float, matrix: np.ndarray) -> Radius:
        """A radius whose interval, given as computed, is widened by its rounding."""
        slack = ROUNDING * matrix.shape[0]
        return cls(min(max(value, low), high), low * (1 - slack), high * (1 + slack), matrix)


def symmetric_radius(step: Map, C: np.ndarray) -> Radius:
    """The radius of a map that is symmetric in the inner product <M, N> = tr(G^-1 M G^-1 N), G = C C'.

    Maps of coordinate descent are, if the reversed order is as likely. Lanczos' method runs on m, with M = C m C': the
    Rayleigh quotient of any matrix is below the radius there, too.
    """

    def in_energy(m: np.ndarray) -> np.ndarray:
        return from_energy(step(to_forms(m, C)), C)

    return _radius(in_energy, C.shape[0], scipy.sparse.linalg.eigsh, "LA", symmetric=True)


def radius(step: Map, size: int) -> Radius:
    """The radius of any map that preserves positive semidefinite matrices (size, size), by Arnoldi's method."""
    return _radius(step, size, scipy.sparse.linalg.eigs, "LM", symmetric=False)


def worst_factor(step: Map, C: np.ndarray) -> float:
    """The largest factor by which one such map multiplies e'Ge, over all e: lambda_max(L(G), G), G = C C'."""
    return float(scipy.linalg.eigvalsh(from_energy(step(C @ C.T), C))[-1])


def to_forms(m: np.ndarray, C: np.ndarray) -> np.ndarray:
    """C m C', the matrix in e of the quadratic form that has the matrix m in f = C'e."""
    return C @ m @ C.T


def from_energy(M: np.ndarray, C: np.ndarray) -> np.ndarray:
    """C^-1 M C'^-1, the matrix in f = C'e of the quadratic form that has the matrix M in e."""
    half = scipy.linalg.solve_triangular(C, M, lower=True)
    return symmetrised(scipy.linalg.solve_triangular(C, half.T, lower=True))


def _radius(step: Map, size: int, eigenvalues: Callable, which: str, symmetric: bool) -> Radius:
    identity = np.eye(size)
    after = step(identity)
    most = float(np.abs(after).max())
    if size == 1 or most <= NOTHING_LEFT:
        return Radius.rounded(most if size == 1 else 0.0, most if size == 1 else 0.0, most, identity)
    operator = scipy.sparse.linalg.LinearOperator(
        (size**2, size**2), matvec=lambda m: step(symmetrised(m.reshape(size, size))).ravel(), dtype=np.float64
    )
    try:
        _, vectors = eigenvalues(
            operator,
            k=1,
            which=which,
            v0=identity.ravel(),
            ncv=min(LANCZOS_VECTORS, size**2),
            tol=LANCZOS_TOLERANCE,
            maxiter=MAX_RESTARTS,
        )
    except scipy.sparse.linalg.ArpackNoConvergence as error:
        vectors = error.eigenvectors if error.eigenvectors.size else after.reshape(-1, 1)  # a wider interval
    V = symmetrised(np.real(vectors[:, 0]).reshape(size, size))
    V *= np.sign(np.trace(V)) / np.linalg.norm(V)
    return certified(step, V, symmetric)


def certified(step: Map, V: np.ndarray, symmetric: bool = True) -> Radius:
    """The interval that an eigenmatrix V proves, narrowed by applying the map again and again.

    Parameters
    ----------
    step : callable
        The map.
    V : (N, N) array
        The eigenmatrix, as the solver found it.
    symmetric : bool, default True
        Whether the map is symmetric, so that V's Rayleigh quotient is a lower bound.
    """
    image = step(V)
    quotient = float(np.vdot(V, image) / np.vdot(V, V))
    low, high = (quotient if symmetric else 0.0), np.inf
    M = _positive_part(V) + ADMIXTURE * np.eye(V.shape[0])
    for _ in range(MAX_ROUNDS):
        image = step(M)
        try:
            ends = scipy.linalg.eigh(image, M, eigvals_only=True)
        except scipy.linalg.LinAlgError:  # M is singular to rounding
            break
        low, high = max(low, float(ends[0])), min(high, float(ends[-1]))
        if high - low <= NARROW * high:
            break
        M = image / np.linalg.norm(image)
    high = max(high, low)
    return Radius.rounded(quotient, low, high, V)


def _positive_part(V: np.ndarray) -> np.ndarray:
    values, vectors = np.linalg.eigh(V)
    return (vectors * np.maximum(values, 0.0)) @ vectors.T


def symmetrised(M: np.ndarray) -> np.ndarray:
    """The symmetric part of a matrix."""
    return (M + M.T) / 2
