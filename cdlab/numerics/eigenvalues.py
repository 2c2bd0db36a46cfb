"""Extreme eigenvalues of X'X that steps and rates are made of, and what it costs to find them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

MAX_GRAM_SIZE = 5000  # rows or columns up to which the smallest eigenvalue is computed
# Over random starts, the chance that an eigenvalue larger than what is returned by more than this share is not seen.
MISSED_EIGENVALUE_SHARE = 0.01
MISSED_EIGENVALUE_CHANCE = 1e-4
MAX_EXACT_SIZE = 400  # lines of the smaller side up to which an upper bound is the eigenvalue itself
POWER_STEPS, POWER_TOLERANCE = 20, 1e-3  # where an upper bound comes from the power method
LEAST_SHARE = 1e-100  # of the largest entry of its vector


def largest_eigenvalue(X: Any, tol: float = 1e-3) -> tuple[float, int]:
    """lambda_max(X'X) = ||X||_2^2, from above, and the products u -> X'(X u) it took: one pass over X each.

    Lanczos' method without reorthogonalisation: what rounding adds are copies of eigenvalues already found. It stops
    when the largest Ritz value theta is within tol theta of an eigenvalue, by the size of its residual, and that
    eigenvalue is the largest, by the start: one that is larger can be hidden only if the start hardly points to it,
    which chance allows with probability at most 1e-4 (`_missed_chance`). It returns theta plus the residual: a step 1/L
    must not be too long. About 10 products do, where scipy's ARPACK takes at least 20 and estimates from below.

    An L that is too small would cost a method speed, or the guarantee of its rate; nothing that is certified uses it:
    the duality gap is computed from the points alone, and a gap that does not fall is seen.

    Examples
    --------
    >>> largest_eigenvalue(np.diag([3.0, 1.0]))[0]
    9.0
    """
    from scipy.linalg import eigh_tridiagonal

    scale = _power_of_two_scale(X)  # a power of 2: nothing is rounded, and squares do not overflow
    u = np.random.default_rng(0).standard_normal(X.shape[1])
    u /= np.linalg.norm(u)
    previous = np.zeros_like(u)
    diagonal: list[float] = []  # of the tridiagonal matrix
    off_diagonal: list[float] = []
    while True:
        r = X.T @ (X @ u / scale) / scale - (off_diagonal[-1] if off_diagonal else 0.0) * previous
        diagonal.append(float(u @ r))
        r -= diagonal[-1] * u
        norm = float(np.linalg.norm(r))
        values, vectors = eigh_tridiagonal(diagonal, off_diagonal)
        residual = norm * abs(vectors[-1, -1])
        off_diagonal.append(norm)
        if residual <= tol * values[-1] and _missed_chance(values, off_diagonal, u.size) <= MISSED_EIGENVALUE_CHANCE:
            return float(values[-1] + residual) * scale**2, len(diagonal)
        previous, u = u, r / norm


def _missed_chance(ritz: np.ndarray, off_diagonal: Sequence[float], d: int) -> float:
    """The chance, over random starts, that an eigenvalue above (1 + MISSED_EIGENVALUE_SHARE) ritz[-1] is not seen.

    Along an eigenvector of lambda, the next Lanczos vector has chi(lambda)/(product of `off_diagonal`) times the
    component of the start, and is of length 1; chi is the polynomial with zeros `ritz`, which grows beyond them. So
    that component is at most c = (product of `off_diagonal`)/chi, and a coordinate of a random unit vector is so small
    with probability at most c sqrt(2 d/pi). Van Dorsselaer, Hochstenbach & van der Vorst, Computing probabilistic
    bounds for extreme eigenvalues of symmetric matrices with the Lanczos method, SIAM J. Matrix Anal. Appl. 22 (2001).
    """
    if off_diagonal[-1] == 0:  # nothing is left of the start
        return 0.0
    component = np.log(off_diagonal).sum() - np.log((1 + MISSED_EIGENVALUE_SHARE) * ritz[-1] - ritz).sum()
    return float(np.exp(min(component, 0.0)) * np.sqrt(2 * d / np.pi))


def _power_of_two_scale(X: Any) -> float:
    """The power of 2 next to the largest entry of X; 1 where X = 0."""
    entries = X.data if sp.issparse(X) else np.asarray(X)
    return 2.0 ** int(np.frexp(max(entries.max(initial=0.0), -entries.min(initial=0.0)))[1])


def smallest_positive_eigenvalue(X: Any) -> float:
    """The smallest positive eigenvalue of X'X (and of XX'); 1 where X = 0.

    Eigenvalues that rounding cannot tell from 0 count as 0.

    Raises
    ------
    ValueError
        If X has more than 5000 rows and more than 5000 columns.
    """
    if min(X.shape) > MAX_GRAM_SIZE:
        raise ValueError(f"X is {X.shape[0]} x {X.shape[1]}: one side must be at most {MAX_GRAM_SIZE}")
    gram = X.T @ X if X.shape[1] <= X.shape[0] else X @ X.T
    values = np.linalg.eigvalsh(gram.toarray() if sp.issparse(gram) else gram)
    positive = values[values > values[-1] * max(X.shape) * np.finfo(float).eps]
    return float(positive[0]) if positive.size else 1.0


def largest_eigenvalue_bound(X: Any) -> float:
    """An upper bound of lambda_max(X'X) that is certain, for statements in which chance has no place.

    Where one side of X has at most 400 lines it is the eigenvalue of the Gram matrix, plus what rounding can have taken
    from it. Else the smaller of ||X||_F^2 and, by Collatz and Wielandt, max_j (|X|'|X| u)_j/u_j, which is above
    lambda_max(|X|'|X|) >= lambda_max(X'X) for every u > 0; u comes from a few steps of the power method.

    Parameters
    ----------
    X : (n, d) array or sparse matrix
        Its entries are finite.

    Returns
    -------
    float
        0 where X = 0.

    Examples
    --------
    >>> round(largest_eigenvalue_bound(np.diag([3.0, 1.0])), 9)
    9.0
    """
    if not all(X.shape):
        return 0.0
    scale = _power_of_two_scale(X)
    X = X / scale
    squares = float((X.multiply(X) if sp.issparse(X) else np.square(X)).sum())
    rounding = (sum(X.shape) + 10) * np.finfo(float).eps
    if min(X.shape) <= MAX_EXACT_SIZE:
        gram = X.T @ X if X.shape[1] <= X.shape[0] else X @ X.T
        largest = float(np.linalg.eigvalsh(gram.toarray() if sp.issparse(gram) else gram)[-1])
    else:
        largest = _collatz_wielandt(abs(X))
    return float((min(squares, largest) + rounding * squares) * scale**2)


def _collatz_wielandt(X: Any) -> float:
    """The smallest max_j (X'X u)_j/u_j along the power method, for X >= 0."""
    u = np.ones(X.shape[1])
    best = np.inf
    for _ in range(POWER_STEPS):
        product = X.T @ (X @ u)
        found = float((product / u).max())
        if found >= best * (1 - POWER_TOLERANCE):
            return min(best, found)
        best = found
        # blocks that do not meet shrink at different rates, and an empty column has no product: u stays positive
        u = np.maximum(product / product.max(initial=1e-300), LEAST_SHARE)
    return best
