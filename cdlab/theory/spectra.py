"""Eigenvalues that rates of exact steps on a quadratic are made of: of single coordinates, and of blocks.

The quadratic is the squared loss, without l1. Its Hessian is A = gamma I + XX'/(l2 n) in alpha (times 1/n) and
A = X'X/(gamma n) + l2 I in w; the latter is above the Hessian of P for every 1/gamma-smooth loss.
"""

from __future__ import annotations

from collections.abc import Collection
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np

from ..exact_rates.quadratics import Curvature, curvature_of
from .symbols import G_max, G_min, lam_p, sigma_1

MAX_SIZE = 1000  # Coordinates up to which all eigenvalues are computed.
MAX_BLOCKS = 2000  # Blocks up to which all are enumerated.
SPECTRAL_SYMBOLS = {lam_p, G_min, G_max, sigma_1}


def largest_curvature(X: Any, gamma: float, l2: float, side: str) -> Curvature:
    """A of one side, of all its coordinates.

    Raises
    ------
    ValueError
        If there are more than 1000.
    """
    size = X.shape[0 if side == "dual" else 1]
    if size > MAX_SIZE:
        raise ValueError(
            f"the eigenvalues of {size} coordinates are too many to compute: at most {MAX_SIZE} {side} coordinates"
        )
    return curvature_of(X, 1 / gamma, l2, side)


def hessian(X: Any, gamma: float, l2: float, side: str) -> np.ndarray:
    """The same as an array, (n, n) or (d, d)."""
    return largest_curvature(X, gamma, l2, side).matrix


class UnitDiagonal(NamedTuple):
    """Extreme eigenvalues of G = D^(-1/2) A D^(-1/2), and of P^(1/2) G P^(1/2); the smallest ones are not too large.

    Attributes
    ----------
    lam_p : float
        The smallest of P^(1/2) G P^(1/2).
    G_min, G_max : float
        The smallest of G, and the largest or 2 - G_min, if that is larger.
    """

    lam_p: float
    G_min: float
    G_max: float


def unit_diagonal(A: Curvature, p: np.ndarray) -> UnitDiagonal:
    """The eigenvalues for the probabilities p (N,) > 0.

    Examples
    --------
    >>> found = unit_diagonal(Curvature(np.array([2.0, 3.0]), np.zeros((2, 1))), np.array([0.25, 0.75]))
    >>> [round(value, 12) for value in found]
    [0.25, 1.0, 1.0]
    """
    scale = 1 / np.sqrt(A.diagonal)
    largest = np.linalg.eigvalsh(scale[:, None] * A.matrix * scale)[-1] * (1 + p.size * np.finfo(float).eps)
    lam_p, low = (A.smallest_eigenvalue(weights).lower for weights in (p, np.ones(p.size)))
    return UnitDiagonal(float(min(lam_p, p.min())), float(min(low, 1.0)), float(max(largest, 2 - low)))


class RoundedInverse(NamedTuple):
    """A matrix that is made of inverses, and how far rounding can have moved it, in the spectral norm."""

    matrix: np.ndarray
    rounding: float


def invert(A: np.ndarray) -> RoundedInverse:
    """The inverse of a positive definite matrix; its error is about m eps cond(A) ||A^-1||."""
    inverse = np.linalg.inv(A)
    size = float(np.linalg.norm(inverse))
    return RoundedInverse(inverse, 4 * len(A) * float(np.finfo(float).eps) * float(np.linalg.norm(A)) * size**2)


def mean_inverse(A: np.ndarray, m: int) -> RoundedInverse:
    """E[(A_S)^-1] over all blocks of m coordinates, listed one by one."""
    mean, rounding, blocks = np.zeros_like(A), 0.0, comb(len(A), m)
    for chosen in combinations(range(len(A)), m):
        block = np.ix_(chosen, chosen)
        found = invert(A[block])
        mean[block] += found.matrix
        rounding += found.rounding
    return RoundedInverse(mean / blocks, rounding / blocks)


def mean_inverse_below(A: np.ndarray, m: int) -> RoundedInverse:
    """diag(p) E[A_S]^-1 diag(p), which is below E[(A_S)^-1]; a pair is drawn with probability m(m - 1)/(N(N - 1))."""
    N = len(A)
    p = m / N
    pair = p * (m - 1) / (N - 1) if N > 1 else p
    mean = pair * A
    mean[np.diag_indices(N)] = p * A.diagonal()
    found = invert(mean)
    return RoundedInverse(p**2 * found.matrix, p**2 * found.rounding)


def worst_share(A: np.ndarray, inverse: RoundedInverse, m: int) -> float:
    """lambda_min(A^(1/2) B A^(1/2)), the same as of L'BL with A = LL'; at least (m/N) lambda_min(A)/lambda_max(A)."""
    L, ends = np.linalg.cholesky(A), np.linalg.eigvalsh(A)[[0, -1]]
    values = np.linalg.eigvalsh(L.T @ inverse.matrix @ L)
    found = values[0] - _rounding_of(values) - inverse.rounding * ends[1]
    return float(np.clip(found, max(_least_share(ends, m / len(A)), np.finfo(float).tiny), 1.0))


def _least_share(ends: np.ndarray, p: float) -> float:
    """p lambda_min/lambda_max, as (A_S)^-1 is at least 1/lambda_max(A) on S; less what rounding can have moved."""
    return float(p * (ends[0] - 10 * np.finfo(float).eps * ends[1]) / ends[1])


def _rounding_of(values: np.ndarray) -> float:
    return float(values.size * np.finfo(float).eps * abs(values[-1]))


# ------------------------------------------------------------ on a problem
def spectral_constants(
    names: Collection[str], problem: Any, values: dict[str, Any], side: str, p: np.ndarray, m: int | None
) -> dict[str, float]:
    """Return the constants of `SPECTRAL_SYMBOLS` that are asked for, by name, on a problem with these constants.

    p are the probabilities of its coordinates.

    sigma_1 is that of blocks of m; where these are too many to be listed, sigma_2, which is no larger.

    Raises
    ------
    ValueError
        If the problem has too many coordinates, or weights of examples, with which its quadratic is another.
    """
    if getattr(problem, "sample_weight", None) is not None:
        raise ValueError(f"{' and '.join(names)} would need examples of equal weight, and these have sample weights")
    gamma, l2 = float(values["gamma"]), float(values["l2"])
    curvature = largest_curvature(problem.X, gamma, l2, side)
    found: dict[str, float] = {}
    if {"lam_p", "G_min", "G_max"} & set(names):
        drawn = p > 0  # what is never drawn has an empty line
        found |= unit_diagonal(curvature.of(drawn), p[drawn])._asdict()
    if "sigma_1" in names:
        size, A = m or 1, curvature.matrix
        inverse = mean_inverse if comb(len(A), size) <= MAX_BLOCKS else mean_inverse_below
        mean = inverse(A, size)
        found["sigma_1"] = worst_share(A, mean, size) if side == "dual" else _primal_share(A, mean, size, l2)
    return {name: found[name] for name in names}


def _primal_share(M: np.ndarray, inverse: RoundedInverse, m: int, l2: float) -> float:
    """l2 lambda_min(E[(M_S)^-1]): a step gains g'E[(M_S)^-1]g/2, and ||g||^2 >= 2 l2 (P - P*) for every smooth loss.

    At least (m/N) l2/lambda_max(M), which no rounding of inverses touches.
    """
    values = np.linalg.eigvalsh(inverse.matrix)
    found = l2 * (values[0] - _rounding_of(values) - inverse.rounding)
    least = (m / len(M)) * l2 / (float(np.linalg.eigvalsh(M)[-1]) * (1 + 1e-12))
    return float(min(max(found, least), 1.0))
