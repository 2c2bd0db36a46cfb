"""Made data: `make` draws random examples, the others build matrices on which one side is at its worst.

A function with the decorator `generator` is known by its name to `make`, `load` and `names`, and so to sweeps, the
command line and the dashboard: ``load("arrow:d=3,n=4,a=1,b=2,c=3")``.

Csiba & Richtarik (2016) write X with features as rows; here X is its transpose, rows are examples. ||.||_0 counts
nonzeros, and C_P = sum over columns j of ||X_:j||_0 ||X_:j||^2, C_D = sum over rows i of ||X_i:||_0 ||X_i:||^2.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar, overload

import numpy as np
import scipy.sparse as sp

from ..numerics import checks
from .parts import Examples, Matrix

SPARSE_BELOW_DENSITY = 0.3  # from here on a CSR matrix needs half of the dense one's memory or more, and is slower
Function = TypeVar("Function", bound=Callable[..., Examples])


# ---------------------------------------------------------------- generators by name
class Generator(NamedTuple):
    """A function that makes data; `stored` takes its arguments: about how many numbers the matrix will store."""

    name: str
    function: Callable[..., Examples]
    stored: Callable[..., float]


GENERATORS: dict[str, Generator] = {}


def generator(name: str, *, stored: Callable[..., float] | None = None) -> Callable[[Function], Function]:
    """A decorator that makes a function known as a generator of data.

    Parameters
    ----------
    name : str
        A word: letters, digits and underscores.
    stored : callable, optional
        Takes the arguments of the function; about how many numbers the matrix will store. Default: n d.

    Returns
    -------
    callable
        Takes the function, which returns (X, y), and returns it as it is.

    Raises
    ------
    ValueError
        If the name is no word, or that of another generator.

    Examples
    --------
    >>> @generator("corners")
    ... def corners(n, d):
    ...     return np.eye(n, d), np.ones(n)
    >>> make("corners", n=2, d=3)[0].shape
    (2, 3)
    """
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z]\w*", name):
        raise ValueError(f"a generator is named by a word such as spiral, not {checks.short_repr(name)}")

    def decorate(function: Function) -> Function:
        if name in GENERATORS and GENERATORS[name].function.__qualname__ != function.__qualname__:
            raise ValueError(f"{name} is the name of another generator already; choose another one")
        GENERATORS[name] = Generator(name, function, stored or (lambda n, d, **others: n * d))
        return function

    return decorate


def call_of(text: str) -> Callable[[], Examples] | None:
    """The call that "NAME" or "NAME:key=value,..." stands for; None if that is not the name of a generator."""
    return checks.call_in_text(text, {name: each.function for name, each in GENERATORS.items()})


@overload
def make(
    n: int = ...,
    d: int = ...,
    density: float = ...,
    skew: float = ...,
    row_spread: float = ...,
    condition: float = ...,
    noise: float = ...,
    values: str = ...,
    task: str = ...,
    seed: int = ...,
) -> Examples: ...
@overload
def make(name: str, /, **arguments: Any) -> Examples: ...
def make(*arguments: Any, **named: Any) -> Examples:
    """Make data: random examples of a linear model, or what another generator makes.

    Parameters
    ----------
    *arguments, **named
        Those of `synthetic`; or first the name of a generator, then its own arguments. `names` lists the generators.

    Returns
    -------
    X : csr_matrix or row-major ndarray (n, d), float64
    y : ndarray (n,), float64

    Raises
    ------
    TypeError, ValueError
        If there is no such generator, or an argument is of the wrong kind or outside its range.

    Examples
    --------
    >>> make(n=1000, d=200, density=0.05, skew=1.1, seed=0)[0].shape
    (1000, 200)
    >>> make("sun_ye", n=3, c=0.5)[0].shape
    (3, 3)
    """
    if not arguments or not isinstance(arguments[0], str):
        return synthetic(*arguments, **named)
    name, *others = arguments
    if name not in GENERATORS:
        hint = checks.did_you_mean(name, GENERATORS)
        raise ValueError(f"no generator is called {checks.short_repr(name)}{hint} (there are {', '.join(GENERATORS)})")
    return GENERATORS[name].function(*others, **named)


# ---------------------------------------------------------------- a random linear model
def _stored_numbers(n: int = 1000, d: int = 200, density: float = 1.0, **others: Any) -> float:
    return n * d * (density if density < SPARSE_BELOW_DENSITY else 1)


@generator("synthetic", stored=_stored_numbers)
def synthetic(
    n: int = 1000,
    d: int = 200,
    density: float = 1.0,
    skew: float = 0.0,
    row_spread: float = 0.0,
    condition: float = 1.0,
    noise: float = 0.1,
    values: str = "real",
    task: str = "classification",
    seed: int = 0,
) -> Examples:
    """Random examples and labels of a linear model.

    Entry (i, j) is present with probability pi_j, independently of all others; present entries are N(0, 1) or 1.

    Parameters
    ----------
    n, d : int
        Examples and features.
    density : float in (0, 1]
        Expected share of nonzeros, the mean of pi_j. Below 0.3 the matrix is CSR, otherwise dense.
    skew : float in [0, 10]
        Zipf exponent of the column popularity: pi_j is proportional to (j + 1)^-skew, capped at 1 (the mean stays
        `density`, so at density 1 every column is full whatever the skew). 0: all alike; words of a language: about 1.
    row_spread : float in [0, 20]
        Standard deviation of the natural logarithm of a lognormal factor on each row: how much row norms differ.
    condition : float in [1, 1e12]
        Condition number of the covariance E[x x^T] of dense data (density 1): a geometric spectrum in a rotated basis.
        With density below 1 it is the ratio of the largest to the smallest squared column scale, in random order.
    noise : float >= 0
        Standard deviation of the noise added to x^T w, in units of the root mean square of x^T w.
    values : {"real", "binary"}
        "binary": all nonzeros are 1; it leaves no room for `row_spread` and `condition`.
    task : {"classification", "regression"}
        y is the sign of the noisy x^T w (+-1; both occur if n >= 2), or its value. w is N(0, I).
    seed : int
        The same arguments give the same data.

    Returns
    -------
    X : csr_matrix (int32 indices) or row-major ndarray (n, d), float64
    y : ndarray (n,), float64

    Raises
    ------
    ValueError
        If an argument is of the wrong kind or outside the range above.

    Examples
    --------
    >>> X, y = synthetic(n=1000, d=200, density=0.05, skew=1.1, seed=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 200), [-1.0, 1.0])
    """
    check_counts(n=n, d=d, seed=seed)
    n, d, seed = int(n), int(d), int(seed)
    for name, value, wanted, low, high, ends in (
        ("density", density, "a number above 0, up to 1", 0.0, 1.0, "(]"),
        ("skew", skew, "a number from 0 to 10", 0.0, 10.0, "[]"),
        ("row_spread", row_spread, "a number from 0 to 20", 0.0, 20.0, "[]"),
        ("condition", condition, "a number from 1 to 1e12", 1.0, 1e12, "[]"),
        ("noise", noise, "a finite number >= 0", 0.0, math.inf, "[]"),
    ):
        checks.number(name, value, wanted, low=low, high=high, ends=ends)
    checks.one_of("values", values, ("real", "binary"))
    checks.one_of("task", task, ("classification", "regression"))
    if values == "binary" and (row_spread > 0 or condition > 1):
        raise ValueError("values='binary' keeps every nonzero at 1, so row_spread must be 0 and condition 1")
    if condition > 1 and d == 1:
        raise ValueError("condition > 1 needs at least two features")

    rng = np.random.default_rng(seed)
    popularity = column_popularity(d, density, skew)
    X = _sparse(rng, n, popularity) if density < SPARSE_BELOW_DENSITY else _dense(rng, n, popularity)
    if values == "real":
        _fill(rng, X)
        X = _shape_spectrum(rng, X, condition, mixed=density == 1)
        if row_spread > 0:
            X = _times_rows(X, np.exp(row_spread * rng.standard_normal(n)))
    return X, _labels(rng, X, noise, task)


def column_popularity(d: int, density: float, skew: float) -> np.ndarray:
    """pi_j = min(1, t (j + 1)^-skew) with t such that the mean is `density`."""
    if density == 1:
        return np.ones(d)
    weight = np.arange(1, d + 1, dtype=np.float64) ** -skew
    tail = np.cumsum(weight[::-1])[::-1]
    scale = (density * d - np.arange(d)) / tail  # t, if the first k columns are full
    full = int(np.argmax(scale * weight <= 1))  # the smallest k for which no other column exceeds 1
    popularity = scale[full] * weight
    popularity[:full] = 1.0
    return popularity


def _sparse(rng: np.random.Generator, n: int, popularity: np.ndarray) -> sp.csr_matrix:
    """Independent entries, present with probability pi_j, in time proportional to their number.

    Poisson splitting: if Poisson(-n log(1 - pi_j)) balls fall on the n places of column j, each place is hit with
    probability pi_j, independently of the others; so throw the balls and keep the places that were hit.
    """
    d = popularity.size
    full = popularity >= 1
    balls = rng.poisson(-n * np.log1p(-np.where(full, 0.0, popularity)))
    columns = np.repeat(np.arange(d), balls)
    places = rng.integers(n, size=columns.size) * d + columns
    always = np.add.outer(np.arange(n) * d, np.flatnonzero(full)).ravel()
    places = np.sort(np.concatenate([places, always]))
    places = places[np.diff(places, prepend=-1) > 0]  # np.unique hashes, which takes numpy 2.4 ten times as long
    indptr = np.concatenate(([0], np.cumsum(np.bincount(places // d, minlength=n))))
    return sp.csr_matrix((np.ones(places.size), (places % d).astype(np.int32), indptr), shape=(n, d))


def _dense(rng: np.random.Generator, n: int, popularity: np.ndarray) -> np.ndarray:
    if (popularity == 1).all():
        return np.ones((n, popularity.size))
    return (rng.random((n, popularity.size)) < popularity).astype(np.float64)


def _fill(rng: np.random.Generator, X: Matrix) -> None:
    """Make the present entries N(0, 1), in place."""
    if isinstance(X, np.ndarray):
        X *= rng.standard_normal(X.shape)
    else:
        X.data = rng.standard_normal(X.nnz)


def _shape_spectrum(rng: np.random.Generator, X: Matrix, condition: float, mixed: bool) -> Matrix:
    """Scale the columns geometrically; with `mixed`, also rotate, so that no coordinate is an eigenvector."""
    if condition == 1:
        return X
    d = X.shape[1]
    scales = rng.permutation(condition ** (-0.5 * np.arange(d) / (d - 1)))
    if not isinstance(X, np.ndarray):
        X.data *= scales[X.indices]
        return X
    X *= scales
    if mixed:
        from scipy.fft import dct

        X = dct(X, axis=1, norm="ortho")  # an orthogonal map that mixes all coordinates, in O(n d log d)
    return X


def _times_rows(X: Matrix, factors: np.ndarray) -> Matrix:
    if not isinstance(X, np.ndarray):
        X.data *= np.repeat(factors, np.diff(X.indptr))
    else:
        X *= factors[:, None]
    return X


def _labels(rng: np.random.Generator, X: Matrix, noise: float, task: str) -> np.ndarray:
    score = X @ rng.standard_normal(X.shape[1])
    unit = math.sqrt(float(np.mean(score**2))) or 1.0
    score = score + noise * unit * rng.standard_normal(score.size)
    if task == "regression":
        return score
    coin = rng.choice([-1.0, 1.0], size=score.size)
    y = np.where(score == 0, coin, np.sign(score))  # an empty row without noise has no side: toss a coin
    if y.size > 1 and abs(y.sum()) == y.size:  # one class only: the least certain example changes sides
        y[np.argmin(np.abs(score))] *= -1
    return y


# ---------------------------------------------------------------- the extremes of the primal-dual face-off
@generator("arrow", stored=lambda d, n, **others: d + n)
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
    ValueError
        If an argument is of the wrong kind or outside its range.

    Examples
    --------
    >>> arrow(3, 4, a=1, b=2, c=3)[0].toarray()
    array([[1., 3., 3.],
           [2., 0., 0.],
           [2., 0., 0.],
           [2., 0., 0.]])
    """
    check_counts(d=d, n=n, seed=seed)
    for name, value in (("a", a), ("b", b), ("c", c)):
        checks.number(name, value, "a finite number", low=-math.inf)
    data = np.concatenate(([a], np.full(d - 1, c), np.full(n - 1, b))).astype(np.float64)
    indices = np.concatenate((np.arange(d), np.zeros(n - 1)))
    X = csr_of_rows(data, indices, np.concatenate(([d], np.ones(n - 1))), d)
    X.eliminate_zeros()
    return X, random_signs(n, seed)


@generator("worst_dual", stored=lambda alpha, **others: alpha)
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
    ValueError
        If an argument is of the wrong kind or outside its range.

    Examples
    --------
    >>> worst_dual(4, 5, 9)[0].toarray().T.astype(int)
    array([[1, 1, 0, 0, 1],
           [1, 1, 0, 0, 0],
           [1, 0, 1, 0, 0],
           [1, 0, 0, 1, 0]])
    """
    check_counts(d=d, n=n, seed=seed)
    _check_ones(d, n, alpha)
    return _unequal_rows(d, n, alpha), random_signs(n, seed)


@generator("worst_primal", stored=lambda alpha, **others: alpha)
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
    ValueError
        If an argument is of the wrong kind or outside its range.

    Examples
    --------
    >>> worst_primal(5, 4, 9)[0].toarray().astype(int)
    array([[1, 1, 0, 0, 1],
           [1, 1, 0, 0, 0],
           [1, 0, 1, 0, 0],
           [1, 0, 0, 1, 0]])
    """
    check_counts(d=d, n=n, seed=seed)
    _check_ones(d, n, alpha)
    return _unequal_rows(n, d, alpha).T.tocsr(), random_signs(n, seed)


def _unequal_rows(d: int, n: int, alpha: int) -> sp.csr_matrix:
    """(n, d): x full rows, one row of y + 1 ones, then single ones dealt round the columns from where it stopped."""
    x, y = divmod(alpha - n, d - 1) if d > 1 else (n, 0)
    counts = np.ones(n, dtype=np.int64)
    counts[:x] = d
    counts[x : x + 1] = y + 1
    rest = np.arange(alpha - x * d) % d  # the partial row and the single ones read on from one another
    indices = np.concatenate((np.tile(np.arange(d), x), rest))
    return csr_of_rows(np.ones(alpha), indices, counts, d)


def csr_of_rows(data: np.ndarray, indices: np.ndarray, counts: np.ndarray, d: int) -> sp.csr_matrix:
    """The matrix (n, d) of entries given row by row, `counts` (n,) of them."""
    indptr = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
    return sp.csr_matrix((data, indices.astype(np.int32), indptr), shape=(counts.size, d))


def random_signs(n: int, seed: int) -> np.ndarray:
    """Random labels +-1, (n,)."""
    return np.random.default_rng(int(seed)).choice([-1.0, 1.0], size=n)


# ---------------------------------------------------------------- checks
def check_counts(**counts: int) -> None:
    """Refuse what is no whole number, or too small a one: at least 1, and 0 for `seed` and `alpha`."""
    for name, value in counts.items():
        low = 0 if name in ("seed", "alpha") else 1
        checks.integer(name, value, f"a whole number >= {low}", low=low)


def _check_ones(d: int, n: int, alpha: int) -> None:
    check_counts(alpha=alpha)
    if not max(d, n) <= alpha <= d * n:
        raise ValueError(
            f"alpha must be from max(d, n) = {max(d, n)} (no empty row or column) to d n = {d * n}, not {alpha}"
        )
