"""Data on which the rates of coordinate descent are known in closed form.

With squared loss and exact steps; q = ||a||^2/(l2 n) is what a row's squared norm is where l2 = 1/n.

equicorrelated  X X' = s0 I + (1 - s0) 11': the worst for uniform draws; as `sun_ye`, for a fixed order
identical       all rows alike: half of the classical iterations are needed, and no fewer
clusters        two groups of identical rows with a cosine between them
orthogonal      each row on a feature of its own: one step on each row is the solution
chain           each row knows its neighbour only: no method that reads single rows can be fast
"""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp

from ..numerics import checks
from .generators import check_counts, csr_of_rows, generator, random_signs


# ---------------------------------------------------------------- rows of equal norms that are alike
@generator("equicorrelated", stored=lambda n, **others: n * n)
def equicorrelated(n: int, s0: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """n examples of norm 1, each pair with the inner product 1 - s0: X X' = s0 I + (1 - s0) 11'.

    With mu = l2 n, a dual step sees G = sigma I + (1 - sigma) 11', sigma = (mu + s0)/(mu + 1). Of all data with this
    smallest eigenvalue sigma, uniform draws are slowest here.

    Parameters
    ----------
    n : int
        Examples, and as many features.
    s0 : float in [0, 1]
        0: all examples are the same; 1: they are orthogonal.
    seed : int
        Of the labels.

    Returns
    -------
    X : ndarray (n, n), lower triangular
    y : ndarray (n,), random +-1

    Raises
    ------
    ValueError
        If an argument is of the wrong kind or outside its range.

    Examples
    --------
    >>> X, y = equicorrelated(3, s0=0.5)
    >>> (X @ X.T).round(12)
    array([[1. , 0.5, 0.5],
           [0.5, 1. , 0.5],
           [0.5, 0.5, 1. ]])
    """
    check_counts(n=n, seed=seed)
    checks.number("s0", s0, "a number from 0 to 1", high=1.0, ends="[]")
    # the Cholesky factor in closed form: below its diagonal a column is constant
    diagonal, below, left = np.zeros(n), np.zeros(n), 1.0
    for j in range(n):
        diagonal[j] = np.sqrt(left)
        if left > 0:
            below[j] = (left - s0) / diagonal[j]
        left = max(left - below[j] ** 2, 0.0)
    X = np.tril(np.broadcast_to(below, (n, n)), -1)
    X[np.diag_indices(n)] = diagonal
    return X, random_signs(n, seed)


@generator("sun_ye", stored=lambda n, **others: n * n)
def sun_ye(n: int, c: float = 0.95, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """n examples of norm 1, each pair with the inner product c: X X' = (1 - c) I + c 11'.

    These are the data of `equicorrelated` with s0 = 1 - c. As c approaches 1, dual coordinate ascent in cyclic order,
    or in any other fixed one, needs up to n^2 times as many passes as with random coordinates (Sun & Ye 2016).

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
    ValueError
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
    check_counts(n=n, seed=seed)
    checks.number("c", c, "a number in [0, 1): with c = 1 all examples are the same", high=1.0, ends="[)")
    return equicorrelated(n, 1 - c, seed)


@generator("identical", stored=lambda n, d=1, **others: n * d)
def identical(n: int, q: float, d: int = 1, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """n times the same example, of squared norm q; its d features are alike, too.

    At l2 = 1/n a dual step sees G = sigma I + (1 - sigma) 11', sigma = 1/(1 + q). Uniform draws come to 1 + q/2 passes
    for a factor e as n grows, a new permutation each pass to 1/ln((2 + q)/q); the classical bound is 1 + q. With the
    squared norm n q/d of the columns the same holds on the primal side.

    Parameters
    ----------
    n : int
        Examples.
    q : float > 0
        Squared norm of the example.
    d : int
        Features.
    seed : int
        Of the labels.

    Returns
    -------
    X : ndarray (n, d)
    y : ndarray (n,), random +-1

    Raises
    ------
    ValueError
        If an argument is of the wrong kind or outside its range.

    Examples
    --------
    >>> identical(3, q=4.0)[0].tolist()
    [[2.0], [2.0], [2.0]]
    """
    check_counts(n=n, d=d, seed=seed)
    checks.number("q", q, "a finite number above 0", ends="()")
    return np.full((n, d), math.sqrt(q / d)), random_signs(n, seed)


@generator("clusters", stored=lambda m, **others: 4 * m)
def clusters(m: int, q: float, c: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Two groups of m identical rows each, all of squared norm q, with the cosine c between the groups.

    At l2 = 1/n, n = 2 m, the matrix G that a dual step sees has the eigenvalues sigma = 1/(1 + q), n - 2 times, and
    sigma + m (1 - sigma)(1 +- c). Uniform draws come to 1 + q/2 passes for a factor e as m grows, for c in (-1, 1).

    Parameters
    ----------
    m : int
        Examples of a group.
    q : float > 0
        Squared norm of every row.
    c : float in [-1, 1]
        Cosine of the angle between rows of different groups.
    seed : int
        Of the labels.

    Returns
    -------
    X : ndarray (2 m, 2), one group after the other
    y : ndarray (2 m,), random +-1

    Raises
    ------
    ValueError
        If an argument is of the wrong kind or outside its range.

    Examples
    --------
    >>> X, y = clusters(2, q=4.0, c=0.5)
    >>> (X @ X.T).round(12)
    array([[4., 4., 2., 2.],
           [4., 4., 2., 2.],
           [2., 2., 4., 4.],
           [2., 2., 4., 4.]])
    """
    check_counts(m=m, seed=seed)
    checks.number("q", q, "a finite number above 0", ends="()")
    checks.number("c", c, "a number from -1 to 1", low=-1.0, high=1.0, ends="[]")
    directions = np.array([[1.0, 0.0], [c, math.sqrt(1 - c * c)]])
    return math.sqrt(q) * np.repeat(directions, m, axis=0), random_signs(2 * m, seed)


# ---------------------------------------------------------------- rows that know little of each other
@generator("orthogonal", stored=lambda n, **others: n)
def orthogonal(n: int, row_spread: float = 0.0, seed: int = 0) -> tuple[sp.csr_matrix, np.ndarray]:
    """n orthogonal examples: X is diagonal.

    P splits over the examples, so that one exact step on each is the solution: a permutation or cyclic order ends after
    one pass, draws with probabilities p have E[D* - D] = sum_i delta_i (1 - p_i)^t, delta_i = y_i^2/(2 n (1 + q_i)).
    For these labels importance sampling is behind uniform draws at every t >= 1, unless all norms are equal.

    Parameters
    ----------
    n : int
        Examples, and as many features.
    row_spread : float in [0, 20]
        Standard deviation of the natural logarithm of the norms, whose median is 1.
    seed : int
        Of norms and labels.

    Returns
    -------
    X : csr_matrix (n, n)
    y : ndarray (n,), random +-1

    Raises
    ------
    ValueError
        If an argument is of the wrong kind or outside its range.

    Examples
    --------
    >>> orthogonal(3)[0].toarray()
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    check_counts(n=n, seed=seed)
    checks.number("row_spread", row_spread, "a number from 0 to 20", high=20.0, ends="[]")
    y = random_signs(n, seed)
    norms = np.exp(row_spread * np.random.default_rng([int(seed), 1]).standard_normal(n))
    return csr_of_rows(norms, np.arange(n), np.ones(n), n), y


@generator("chain", stored=lambda n, **others: 2 * n)
def chain(n: int, Q: float, l2: float | None = None) -> tuple[sp.csr_matrix, np.ndarray]:
    """n rows of which each links two neighbouring features: what a row says reaches the next feature, and no other.

    With s = sqrt(n l2 (Q - 1)/4) and q = (sqrt(Q) - 1)/(sqrt(Q) + 1) the rows are s e_1, whose target is s, then
    s (e_{i-1} - e_i), and s sqrt(1 - q) e_d in place of a tail without end; their targets are 0. With squared loss and
    this l2 the solution is w_j = q^j: the equation (q + 1/q - 2) s^2/n = l2 holds in every inner coordinate. The
    condition number is kappa = R^2/(l2 gamma) = n (Q - 1)/2. A method that starts at 0 and moves along rows that it
    has read has zeros beyond the furthest feature that it came to, which a draw moves by one at most: of expected
    ||w - w*||^2/||w*||^2 at least (1 - (1 - q^2)/n)^t is left after t uniform draws, as d grows.

    Parameters
    ----------
    n : int >= 2
        Examples; there are d = n - 1 features.
    Q : float > 1
        1 + 2 kappa/n.
    l2 : float > 0, optional
        The L2 weight of the problem. Default: 1/n.

    Returns
    -------
    X : csr_matrix (n, n - 1)
    y : ndarray (n,): s, 0, ..., 0

    Raises
    ------
    ValueError
        If an argument is of the wrong kind or outside its range.

    References
    ----------
    After Nesterov, Introductory lectures on convex optimization (2004), section 2.1.4, with one row for each link.

    Examples
    --------
    >>> X, y = chain(4, Q=9.0)
    >>> X.toarray().round(4)
    array([[ 1.4142,  0.    ,  0.    ],
           [ 1.4142, -1.4142,  0.    ],
           [ 0.    ,  1.4142, -1.4142],
           [ 0.    ,  0.    ,  1.    ]])
    """
    checks.integer("n", n, "a whole number >= 2", low=2)
    checks.number("Q", Q, "a finite number above 1", low=1.0, ends="()")
    if l2 is not None:
        checks.number("l2", l2, "a finite number above 0", ends="()")
    s = math.sqrt((Q - 1) / 4 * (1 if l2 is None else n * l2))
    q = (math.sqrt(Q) - 1) / (math.sqrt(Q) + 1)
    links = np.arange(n - 2)
    data = np.concatenate(([s], np.tile([s, -s], n - 2), [s * math.sqrt(1 - q)]))
    indices = np.concatenate(([0], np.column_stack((links, links + 1)).ravel(), [n - 2]))
    counts = np.concatenate(([1], np.full(n - 2, 2), [1]))
    y = np.zeros(n)
    y[0] = s
    return csr_of_rows(data, indices, counts, n - 1), y
