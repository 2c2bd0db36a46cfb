"""Extreme eigenvalues that steps and rates are made of: of X'X, and of a quadratic's matrix with unit diagonal."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from . import matrices
from .jit import kernel
from .matrix_lines import Lines

MAX_GRAM_SIZE = 5000  # rows or columns up to which the smallest eigenvalue is computed
# Over random starts, the chance that an eigenvalue larger than what is returned by more than this share is not seen.
MISSED_EIGENVALUE_SHARE = 0.01
MISSED_EIGENVALUE_CHANCE = 1e-4
MAX_EXACT_SIZE = 400  # lines of the smaller side up to which an upper bound is the eigenvalue itself
POWER_STEPS, POWER_TOLERANCE = 20, 1e-3  # where an upper bound comes from the power method
LEAST_SHARE = 1e-100  # of the largest entry of its vector
SMALLEST_DIVISOR = 1e-300
MAX_DENSE_SIZE = 500  # rows and columns of a matrix whose eigenvalues are all computed: 0.05 s
LARGEST_DENSE_SIZE = 1000  # the same where nothing else is certain: 0.5 s
MAX_GRAM_WORK = 2e9  # nonzeros times lines: what that matrix may cost, less than a second
MAX_BISECTION_WORK = 1e8  # nonzeros times lines of the shorter side: what a step of the bisection may cost, 0.05 s
BISECTION_RTOL = 1e-3
BISECTED_PARTS = (0.5, 0.4, 0.6)  # of an interval, on a log scale, where a sign is looked for, one after the other
MAX_LANCZOS_PRODUCTS = 300
MAX_LANCZOS_WORK = 1e8  # nonzeros that the products visit, a second; 10 products are made at least


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
    scale = _power_of_two_scale(X)  # a power of 2: nothing is rounded, and squares do not overflow
    d = X.shape[1]
    for diagonal, off_diagonal in _lanczos(lambda u: X.T @ (X @ u / scale) / scale, _random_start(d)):
        ritz, residuals = _ritz_values(diagonal, off_diagonal)
        if residuals[-1] <= tol * ritz[-1] and _missed_chance(ritz, off_diagonal, d) <= MISSED_EIGENVALUE_CHANCE:
            break
    return float(ritz[-1] + residuals[-1]) * scale**2, len(diagonal)


def _random_start(size: int) -> np.ndarray:
    return np.random.default_rng(0).standard_normal(size)


def _lanczos(
    product: Callable[[np.ndarray], np.ndarray], start: np.ndarray
) -> Iterator[tuple[list[float], list[float]]]:
    """The tridiagonal matrix of Lanczos' method, by its diagonal and what is beside it, as they grow.

    Without reorthogonalisation; it ends where nothing is left of the start, which is not 0.
    """
    u = start / math.sqrt(start @ start)
    previous = u
    diagonal: list[float] = []
    off_diagonal: list[float] = []
    while not off_diagonal or off_diagonal[-1] > 0:
        r = product(u)
        if off_diagonal:
            r -= off_diagonal[-1] * previous
        diagonal.append(float(u @ r))
        r -= diagonal[-1] * u
        norm = math.sqrt(r @ r)
        off_diagonal.append(norm)
        yield diagonal, off_diagonal
        previous, u = u, r / (norm or 1.0)


def _ritz_values(diagonal: Sequence[float], off_diagonal: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """Ritz values in ascending order, and the lengths of their residuals: so far is an eigenvalue at most."""
    from scipy.linalg.lapack import dstevd  # by itself: the checks of eigh_tridiagonal take longer

    values, vectors, info = dstevd(diagonal, off_diagonal[: max(1, len(diagonal) - 1)])  # an array, even if unused
    if info != 0:
        raise np.linalg.LinAlgError(f"the eigenvalues of a tridiagonal matrix did not converge (info = {info})")
    return values, off_diagonal[-1] * np.abs(vectors[-1])


def spectral_measure(
    product: Callable[[np.ndarray], np.ndarray], start: np.ndarray, steps: int
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and weights: start'f(A)start = sum_k weight_k f(node_k) for polynomials f of degree < 2 steps.

    Gauss' quadrature by Lanczos' method (Golub & Meurant): the nodes are its Ritz values, the weights the squared first
    components of their vectors. Without reorthogonalisation nodes come in copies that share a weight.

    Parameters
    ----------
    product : callable
        u -> A u, of a symmetric matrix A.
    start : (N,) array
        Not 0.
    steps : int
        Products that are made, at most.
    """
    from scipy.linalg.lapack import dstevd

    for diagonal, off_diagonal in _lanczos(product, start):
        negligible = off_diagonal[-1] <= np.finfo(float).eps * max(map(abs, diagonal))
        if len(diagonal) == min(steps, start.size) or negligible:
            break
    nodes, vectors, _ = dstevd(diagonal, off_diagonal[: max(1, len(diagonal) - 1)])
    return nodes, (start @ start) * vectors[0] ** 2


def _missed_chance(ritz: np.ndarray, off_diagonal: Sequence[float], d: int, beyond: float | None = None) -> float:
    """The chance, over random starts, that an eigenvalue larger than `beyond` > ritz[-1] is not seen.

    Without `beyond` it is (1 + MISSED_EIGENVALUE_SHARE) ritz[-1].

    Along an eigenvector of lambda, the next Lanczos vector has chi(lambda)/(product of `off_diagonal`) times the
    component of the start, and is of length 1; chi is the polynomial with zeros `ritz`, which grows beyond them. So
    that component is at most c = (product of `off_diagonal`)/chi, and a coordinate of a random unit vector is so small
    with probability at most c sqrt(2 d/pi). Van Dorsselaer, Hochstenbach & van der Vorst, Computing probabilistic
    bounds for extreme eigenvalues of symmetric matrices with the Lanczos method, SIAM J. Matrix Anal. Appl. 22 (2001).
    """
    if off_diagonal[-1] == 0:  # nothing is left of the start
        return 0.0
    if beyond is None:
        beyond = (1 + MISSED_EIGENVALUE_SHARE) * ritz[-1]
    component = np.log(off_diagonal).sum() - np.log(beyond - ritz).sum()
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
    from it. Else the smaller of ||X||_F^2 and `collatz_wielandt_bound`.

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
    X = sp.csr_array(X / scale) if sp.issparse(X) else np.ascontiguousarray(X / scale)
    squares = float((X.multiply(X) if sp.issparse(X) else np.square(X)).sum())
    rounding = (sum(X.shape) + 10) * np.finfo(float).eps
    if min(X.shape) <= MAX_EXACT_SIZE:
        gram = X.T @ X if X.shape[1] <= X.shape[0] else X @ X.T
        largest = float(np.linalg.eigvalsh(gram.toarray() if sp.issparse(gram) else gram)[-1])
    else:
        n, d = X.shape
        largest = collatz_wielandt_bound(matrices.rows(X), n, np.ones(d), np.empty(d))
    return float((min(squares, largest) + rounding * squares) * scale**2)


@kernel
def collatz_wielandt_bound(X: Lines, n: int, u: np.ndarray, product: np.ndarray) -> float:
    """An upper bound of lambda_max(X'X) for X of n lines: the least max_j (|X|'|X| u)_j/u_j along the power method.

    For every u > 0 it is above lambda_max(|X|'|X|) >= lambda_max(X'X) (Collatz, Wielandt). u (d,) is where it starts,
    and is overwritten, as is `product` (d,). At most 20 products; each visits every nonzero twice. 0 where X = 0.
    """
    best = np.inf
    for _ in range(POWER_STEPS):
        product[:] = 0.0
        for i in range(np.uint64(n)):
            z = 0.0
            for p in X.line(i):
                z += abs(X.value(i, p)) * u[X.index(i, p)]
            for p in X.line(i):
                product[X.index(i, p)] += abs(X.value(i, p)) * z  # |X|'|X| u
        found, largest = 0.0, SMALLEST_DIVISOR
        for j in range(u.size):
            found, largest = max(found, product[j] / u[j]), max(largest, product[j])
        if found >= best * (1 - POWER_TOLERANCE):
            return min(best, found)
        best = found
        # blocks that do not meet shrink at different rates, and an empty column has no product: u stays positive
        for j in range(u.size):
            u[j] = max(product[j] / largest, LEAST_SHARE)
    return best


# ------------------------------------------------------------ the smallest one of a quadratic with unit diagonal
class EigenvalueInterval(NamedTuple):
    """Interval in which an eigenvalue lies.

    Attributes
    ----------
    lower, upper : float
        Its ends.
    certified : bool
        Whether it lies there but for rounding. If not, `lower` holds but for a chance of 1e-4 over random starts.
    products : int
        The products with the matrix that were made, each two passes over X.
    """

    lower: float
    upper: float
    certified: bool
    products: int


def smallest_normalised_eigenvalue(
    lines: Any, shift: float | np.ndarray, p: np.ndarray | None = None
) -> EigenvalueInterval:
    """lambda_min(D^-1/2 A D^-1/2) of A = diag(shift) + Z Z', Z = `lines`, D = diag(A) or, with p, diag(A_ii/p_i).

    For coordinate descent on a quadratic Z is X (dual) or X' (primal) and shift is gamma l2 n on either side: A is then
    the Hessian up to a factor, and without p the eigenvalue is the sigma that the rate of exact steps follows.

    Up to 500 lines all eigenvalues are computed. If the lines are many but short, an interval is bisected on the
    shorter side: the number of eigenvalues below t is the number of negative ones of E + Z Z', E = diag(shift) - t D,
    and by the inertia of [[E, Z], [Z', -I]] (eliminate either block) that is the number of negative E_i minus that of
    negative eigenvalues of I + Z' E^-1 Z. If they are long, all eigenvalues are computed up to 1000 lines. Beyond,
    Lanczos' method makes up to 300 products: its Ritz value bounds the eigenvalue from above, its residual from below,
    but for the chance of `_missed_chance` that a smaller one is hidden: the lower end is such that it is 1e-4, or
    min_i shift_i/D_i, which Z Z' >= 0 certifies.

    Parameters
    ----------
    lines : (m, k) array or sparse matrix
        One row for each coordinate.
    shift : float or (m,) array > 0
        What is added to the diagonal of Z Z'.
    p : (m,) array > 0, optional
        Probabilities of the coordinates.

    Examples
    --------
    >>> found = smallest_normalised_eigenvalue(np.ones((20, 1)), shift=0.25)
    >>> round(found.lower, 12), round(found.upper, 12), found.certified  # shift/(shift + 1)
    (0.2, 0.2, True)
    """
    m, k = lines.shape
    norms2 = np.asarray(lines.multiply(lines).sum(axis=1)).ravel() if sp.issparse(lines) else (lines**2).sum(axis=1)
    D = shift + norms2 if p is None else (shift + norms2) / p
    affordable = m * lines.size <= MAX_GRAM_WORK
    if m <= MAX_DENSE_SIZE and affordable:
        return _from_all_eigenvalues(_rows_scaled(lines, D**-0.5), shift / D)
    # Z Z' >= 0, and A_ii/D_i is the Rayleigh quotient of a unit vector
    lower, upper = float((shift / D).min()), float(((shift + norms2) / D).min())
    if k < m and k * max(lines.size, k**2) <= MAX_BISECTION_WORK:
        if k + 1 < m:  # Z Z' has rank k: eigenvalues move up by k places at most
            upper = min(upper, float(np.partition(shift / D, k)[k]))
        return _bisected(lines, shift, D, lower, upper)
    if m <= LARGEST_DENSE_SIZE and affordable:
        return _from_all_eigenvalues(_rows_scaled(lines, D**-0.5), shift / D)
    return _from_lanczos(_rows_scaled(lines, D**-0.5), shift / D, lower, upper)


def _rows_scaled(Z: Any, factors: np.ndarray) -> Any:
    return sp.csr_matrix(sp.diags_array(factors) @ Z) if sp.issparse(Z) else Z * factors[:, None]


def _from_all_eigenvalues(Y: Any, diagonal: np.ndarray) -> EigenvalueInterval:
    """Of diag(diagonal) + Y Y'."""
    gram = Y @ Y.T
    terms = _longest_line(Y)
    values = np.linalg.eigvalsh((gram.toarray() if sp.issparse(gram) else gram) + np.diag(diagonal))
    # an entry of the Gram matrix is off by terms * eps |Y_i||Y_j|, all of it by that times its trace; then the solver
    trace = float(np.trace(gram)) if not sp.issparse(gram) else float(gram.trace())
    rounding = float((terms + 4) * trace + values.size * values[-1]) * float(np.finfo(float).eps)
    smallest, least = float(values[0]), float(diagonal.min())
    return EigenvalueInterval(max(smallest - rounding, least), max(smallest, least) + rounding, True, products=0)


def _bisected(Z: Any, shift: float | np.ndarray, D: np.ndarray, lower: float, upper: float) -> EigenvalueInterval:
    """The smallest t with an eigenvalue below it, by Sylvester's law of inertia, from an interval that contains it.

    Signs that rounding may have turned decide nothing: next to them other points are tried, then it ends.
    """
    terms, eps = _longest_line(Z.T), float(np.finfo(float).eps)
    part = BISECTED_PARTS[0]
    while upper > lower * (1 + BISECTION_RTOL):
        t = float(lower ** (1 - part) * upper**part)
        E = shift - t * D
        E = np.where(E == 0, np.finfo(float).tiny, E)
        scaled = _rows_scaled(Z, 1 / E)
        inner = Z.T @ scaled
        values = np.linalg.eigvalsh((inner.toarray() if sp.issparse(inner) else inner) + np.eye(Z.shape[1]))
        # E_i is off by 2 eps (shift + t D)_i, all of Z'E^-1 Z by the sum of what its parts are off; then the solver
        sizes = (
            np.asarray(abs(Z.multiply(scaled)).sum(axis=1)).ravel() if sp.issparse(Z) else abs(Z * scaled).sum(axis=1)
        )
        rounding = eps * float((terms + 4 + 2 * (shift + t * D) / abs(E)) @ sizes + values.size * abs(values).max())
        negative = np.count_nonzero(E < 0)
        if negative > np.count_nonzero(values < rounding):
            upper, part = t, BISECTED_PARTS[0]
        elif negative <= np.count_nonzero(values < -rounding):
            lower, part = t, BISECTED_PARTS[0]
        elif part == BISECTED_PARTS[-1]:
            break
        else:
            part = BISECTED_PARTS[BISECTED_PARTS.index(part) + 1]
    return EigenvalueInterval(lower, upper, certified=True, products=0)


def _longest_line(Y: Any) -> int:
    """The terms of a product of two rows of Y."""
    return int(np.diff(sp.csr_array(Y).indptr).max(initial=0)) if sp.issparse(Y) else Y.shape[1]


def _from_lanczos(Y: Any, diagonal: np.ndarray, lower: float, upper: float) -> EigenvalueInterval:
    """Of diag(diagonal) + Y Y', from an interval that contains it."""

    def missed_chance_below(t: float) -> float:  # turned round, the smallest eigenvalue is the largest one
        return _missed_chance(-ritz[::-1], off_diagonal, diagonal.size, -t)

    most = min(MAX_LANCZOS_PRODUCTS, max(10, 10 * int(MAX_LANCZOS_WORK / (20 * max(Y.size, 1)))))
    for tridiagonal, off_diagonal in _lanczos(lambda u: diagonal * u + Y @ (Y.T @ u), _random_start(diagonal.size)):
        products, ended = len(tridiagonal), off_diagonal[-1] == 0
        if products % 10 and not ended:  # Ritz values of a long run cost more than its products
            continue
        ritz, residuals = _ritz_values(tridiagonal, off_diagonal)
        theta = float(ritz[0])
        close = residuals[0] <= MISSED_EIGENVALUE_SHARE * theta
        if close and missed_chance_below(theta * (1 - MISSED_EIGENVALUE_SHARE)) <= MISSED_EIGENVALUE_CHANCE:
            break
        if products == most:
            break
    # a product is off by the terms of its sums times eps |Y||Y'|, whose norm is at most its largest sum of a row
    sums = abs(Y) @ (abs(Y).T @ np.ones(diagonal.size))
    terms = _longest_line(Y) + _longest_line(Y.T) + 4
    rounding = float(terms * sums.max() + diagonal.max()) * float(np.finfo(float).eps)
    upper, seen = max(lower, min(upper, theta + rounding)), theta - float(residuals[0]) - rounding
    if seen <= lower or missed_chance_below(lower) > MISSED_EIGENVALUE_CHANCE:
        return EigenvalueInterval(lower, upper, certified=True, products=products)
    unlikely = lower  # the largest t below which an eigenvalue is hidden with at most that chance
    for _ in range(20):
        t = (unlikely + seen) / 2
        if missed_chance_below(t) <= MISSED_EIGENVALUE_CHANCE:
            unlikely = t
        else:
            seen = t
    return EigenvalueInterval(unlikely, upper, certified=False, products=products)
