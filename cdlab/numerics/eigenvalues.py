"""Extreme eigenvalues of X'X that steps and rates are made of, and what it costs to find them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

LARGEST_GRAM = 5000  # rows or columns up to which the smallest eigenvalue is computed


def largest(X: Any, tol: float = 1e-3) -> tuple[float, int]:
    """lambda_max(X'X) = ||X||_2^2, from above, and the products u -> X'(X u) it took: one pass over X each.

    Lanczos' method without reorthogonalisation: what rounding adds are copies of eigenvalues already found. It stops
    when the largest Ritz value theta is within tol theta of an eigenvalue, by the size of its residual, and returns
    theta plus that residual: a step 1/L must not be too long. About 10 products do, where scipy's ARPACK takes at least
    20 and estimates from below.

    Examples
    --------
    >>> largest(np.diag([3.0, 1.0]))[0]
    9.0
    """
    from scipy.linalg import eigh_tridiagonal

    scale = _magnitude(X)  # a power of 2: nothing is rounded, and squares do not overflow
    u = np.random.default_rng(0).standard_normal(X.shape[1])
    u /= np.linalg.norm(u)
    before = np.zeros_like(u)
    diagonal: list[float] = []  # of the tridiagonal matrix
    beside: list[float] = []
    while True:
        r = X.T @ (X @ u / scale) / scale - (beside[-1] if beside else 0.0) * before
        diagonal.append(float(u @ r))
        r -= diagonal[-1] * u
        rest = float(np.linalg.norm(r))
        values, vectors = eigh_tridiagonal(diagonal, beside)
        residual = rest * abs(vectors[-1, -1])
        if residual <= tol * values[-1]:
            return float(values[-1] + residual) * scale**2, len(diagonal)
        beside.append(rest)
        before, u = u, r / rest


def _magnitude(X: Any) -> float:
    """The power of 2 next to the largest entry of X; 1 where X = 0."""
    entries = X.data if sp.issparse(X) else np.asarray(X)
    return 2.0 ** int(np.frexp(max(entries.max(initial=0.0), -entries.min(initial=0.0)))[1])


def smallest_positive(X: Any) -> float:
    """The smallest positive eigenvalue of X'X (and of XX'); 1 where X = 0.

    Eigenvalues that rounding cannot tell from 0 count as 0.

    Raises
    ------
    ValueError
        If X has more than 5000 rows and more than 5000 columns.
    """
    if min(X.shape) > LARGEST_GRAM:
        raise ValueError(f"X is {X.shape[0]} x {X.shape[1]}: one side must be at most {LARGEST_GRAM}")
    gram = X.T @ X if X.shape[1] <= X.shape[0] else X @ X.T
    values = np.linalg.eigvalsh(gram.toarray() if sp.issparse(gram) else gram)
    positive = values[values > values[-1] * max(X.shape) * np.finfo(float).eps]
    return float(positive[0]) if positive.size else 1.0
