"""Examples on which a fixed order of updates is as bad as it can be."""

from __future__ import annotations

import numpy as np

from .synthetic import check_number, check_whole


def sun_ye(n: int, c: float = 0.95, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """n examples of norm 1, each pair with the inner product c: X X' = (1 - c) I + c 11'.

    As c approaches 1, dual coordinate ascent in cyclic order, or in any other fixed one, needs up to n^2 times as many
    passes as with random coordinates (Sun & Ye 2016).

    Parameters
    ----------
    n : int
        Examples, and as many features.
    c : float in [0, 1)
        How alike the examples are.
    seed : int
        Of the labels.

    Returns
    -------
    X : ndarray (n, n), lower triangular
    y : ndarray (n,), random +-1

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong kind or outside its range.

    References
    ----------
    Sun & Ye, Worst-case complexity of cyclic coordinate descent (2016).

    Examples
    --------
    >>> X, y = sun_ye(3, c=0.5)
    >>> (X @ X.T).round(12)
    array([[1. , 0.5, 0.5],
           [0.5, 1. , 0.5],
           [0.5, 0.5, 1. ]])
    """
    check_whole("n", n, 1)
    check_whole("seed", seed, 0)
    check_number("c", c, 0, 1)
    if c == 1:
        raise ValueError("c must be below 1: with c = 1 all examples are the same")
    # the Cholesky factor in closed form: below its diagonal a column is constant
    diagonal, below, left = np.empty(n), np.empty(n), 1.0
    for j in range(n):
        diagonal[j] = np.sqrt(left)
        below[j] = (c - 1 + left) / diagonal[j]
        left -= below[j] ** 2
    X = np.tril(np.broadcast_to(below, (n, n)), -1)
    X[np.diag_indices(n)] = diagonal
    return X, np.random.default_rng(int(seed)).choice([-1.0, 1.0], size=n)
