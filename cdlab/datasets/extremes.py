"""Matrices on which primal or dual coordinate descent is as bad as it can be (Csiba & Richtarik 2016).

The paper writes X with features as rows; here X is its transpose, rows are examples. ||.||_0 counts nonzeros, and
C_P = sum over columns j of ||X_:j||_0 ||X_:j||^2, C_D = sum over rows i of ||X_i:||_0 ||X_i:||^2.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from .synthetic import check_number, check_whole


def arrow(d: int, n: int, a: float, b: float, c: float, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray]:
    """The arrow matrix: X[0, 0] = a, the rest of the first column b, the rest of the first row c, 0 elsewhere.

    These matrices approach both ends of 1/d <= C_P/C_D <= n (Csiba & Richtarik 2016, Theorem 3):
    C_P = n (a^2 + (n-1) b^2) + (d-1) c^2 and C_D = d (a^2 + (d-1) c^2) + (n-1) b^2 for nonzero a, b, c. A large b (one
    feature in every example) is the primal's worst case, a large c (one example with every feature) the dual's.

    Parameters
    ----------
    d, n : int
        Features and examples.
    a, b, c : float
        The entries; a zero is not stored.
    seed : int
        Of the labels.

    Returns
    -------
    X : csr_matrix (n, d)
    y : ndarray (n,), random +-1

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong kind or outside its range.

    Examples
    --------
    >>> arrow(3, 4, a=1, b=2, c=3)[0].toarray()
    array([[1., 3., 3.],
           [2., 0., 0.],
           [2., 0., 0.],
           [2., 0., 0.]])
    """
    _check_shape(d, n, seed)
    for name, value in (("a", a), ("b", b), ("c", c)):
        check_number(name, value)
    data = np.concatenate(([a], np.full(d - 1, c), np.full(n - 1, b))).astype(np.float64)
    indices = np.concatenate((np.arange(d), np.zeros(n - 1)))
    X = _csr(data, indices, np.concatenate(([d], np.ones(n - 1))), d)
    X.eliminate_zeros()
    return X, _signs(n, seed)


def worst_dual(d: int, n: int, alpha: int, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray]:
    """The binary matrix with alpha ones that is worst for the dual: C_P minimal and C_D maximal at once.

    Row sums as unequal as can be (full rows, one rest, single ones), column sums as equal as can be; no row or column
    is empty (Csiba & Richtarik 2016, Lemma 9 and Theorem 4).

    Parameters
    ----------
    d, n : int
        Features and examples.
    alpha : int
        Number of ones, from max(d, n) to d n.
    seed : int
        Of the labels.

    Returns
    -------
    X : csr_matrix (n, d) of zeros and ones
    y : ndarray (n,), random +-1

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong kind or outside its range.

    Examples
    --------
    >>> worst_dual(4, 5, 9)[0].toarray().T.astype(int)
    array([[1, 1, 0, 0, 1],
           [1, 1, 0, 0, 0],
           [1, 0, 1, 0, 0],
           [1, 0, 0, 1, 0]])
    """
    _check_shape(d, n, seed)
    _check_ones(d, n, alpha)
    return _unequal_rows(d, n, alpha), _signs(n, seed)


def worst_primal(d: int, n: int, alpha: int, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray]:
    """The binary matrix with alpha ones that is worst for the primal: C_P maximal and C_D minimal at once.

    The transpose of `worst_dual` with d and n exchanged.

    Parameters
    ----------
    d, n : int
        Features and examples.
    alpha : int
        Number of ones, from max(d, n) to d n.
    seed : int
        Of the labels.

    Returns
    -------
    X : csr_matrix (n, d) of zeros and ones
    y : ndarray (n,), random +-1

    Raises
    ------
    TypeError, ValueError
        If an argument is of the wrong kind or outside its range.

    Examples
    --------
    >>> worst_primal(5, 4, 9)[0].toarray().astype(int)
    array([[1, 1, 0, 0, 1],
           [1, 1, 0, 0, 0],
           [1, 0, 1, 0, 0],
           [1, 0, 0, 1, 0]])
    """
    _check_shape(d, n, seed)
    _check_ones(d, n, alpha)
    return _unequal_rows(n, d, alpha).T.tocsr(), _signs(n, seed)


def _unequal_rows(d: int, n: int, alpha: int) -> sp.csr_matrix:
    """(n, d): x full rows, one row of y + 1 ones, then single ones dealt round the columns from where it stopped."""
    x, y = divmod(alpha - n, d - 1) if d > 1 else (n, 0)
    counts = np.ones(n, dtype=np.int64)
    counts[:x] = d
    counts[x : x + 1] = y + 1
    rest = np.arange(alpha - x * d) % d  # the partial row and the single ones read on from one another
    indices = np.concatenate((np.tile(np.arange(d), x), rest))
    return _csr(np.ones(alpha), indices, counts, d)


def _csr(data: np.ndarray, indices: np.ndarray, counts: np.ndarray, d: int) -> sp.csr_matrix:
    indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    return sp.csr_matrix((data, indices.astype(np.int32), indptr), shape=(counts.size, d))


def _signs(n: int, seed: int) -> np.ndarray:
    return np.random.default_rng(int(seed)).choice([-1.0, 1.0], size=n)


def _check_shape(d: int, n: int, seed: int) -> None:
    for name, value, least in (("d", d, 1), ("n", n, 1), ("seed", seed, 0)):
        check_whole(name, value, least)


def _check_ones(d: int, n: int, alpha: int) -> None:
    check_whole("alpha", alpha, 0)
    if not max(d, n) <= alpha <= d * n:
        raise ValueError(
            f"alpha must be from max(d, n) = {max(d, n)} (no empty row or column) to d n = {d * n}, not {alpha}"
        )
