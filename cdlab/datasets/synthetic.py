"""make: random data whose shape, sparsity and conditioning are chosen, for races with a known cause."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..numerics import checks

_SPARSE_BELOW = 0.3  # from here on a CSR matrix needs about half of the dense one's memory or more, and is slower


def make(
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
) -> tuple[np.ndarray | sp.csr_matrix, np.ndarray]:
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
    TypeError, ValueError
        If an argument is of the wrong kind or outside the range above.

    Examples
    --------
    >>> X, y = make(n=1000, d=200, density=0.05, skew=1.1, seed=0)
    >>> X.shape, sorted(set(y.tolist()))
    ((1000, 200), [-1.0, 1.0])
    """
    for name, whole, least in (("n", n, 1), ("d", d, 1), ("seed", seed, 0)):
        check_whole(name, whole, least)
    n, d, seed = int(n), int(d), int(seed)
    for name, value, low, high in (
        ("density", density, 0, 1), ("skew", skew, 0, 10), ("row_spread", row_spread, 0, 20),
        ("condition", condition, 1, 1e12), ("noise", noise, 0, math.inf),
    ):  # fmt: skip
        check_number(name, value, low, high)
    if density == 0:
        raise ValueError("density must be above 0")
    for name, word, choices in (
        ("values", values, ("real", "binary")), ("task", task, ("classification", "regression")),
    ):  # fmt: skip
        checks.one_of(name, word, choices)
    if values == "binary" and (row_spread > 0 or condition > 1):
        raise ValueError("values='binary' keeps every nonzero at 1, so row_spread must be 0 and condition 1")
    if condition > 1 and d == 1:
        raise ValueError("condition > 1 needs at least two features")

    rng = np.random.default_rng(seed)
    popularity = column_popularity(d, density, skew)
    X = _sparse(rng, n, popularity) if density < _SPARSE_BELOW else _dense(rng, n, popularity)
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


def _fill(rng: np.random.Generator, X: np.ndarray | sp.csr_matrix) -> None:
    """Make the present entries N(0, 1), in place."""
    if isinstance(X, np.ndarray):
        X *= rng.standard_normal(X.shape)
    else:
        X.data = rng.standard_normal(X.nnz)


def _shape_spectrum(
    rng: np.random.Generator, X: np.ndarray | sp.csr_matrix, condition: float, mixed: bool
) -> np.ndarray | sp.csr_matrix:
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


def _times_rows(X: np.ndarray | sp.csr_matrix, factors: np.ndarray) -> np.ndarray | sp.csr_matrix:
    if not isinstance(X, np.ndarray):
        X.data *= np.repeat(factors, np.diff(X.indptr))
    else:
        X *= factors[:, None]
    return X


def _labels(rng: np.random.Generator, X: np.ndarray | sp.csr_matrix, noise: float, task: str) -> np.ndarray:
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


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse what is not a whole number >= least."""
    if not checks.is_integer(value):
        raise TypeError(f"{name} must be a whole number, not {checks.short_repr(value)}")
    if not least <= value < 2**63:
        limits = f"at least {least}" if value < least else "below 2^63"
        raise ValueError(f"{name} must be {limits}, not {checks.short_repr(value)}")


def check_number(name: str, value: Any, low: float = -math.inf, high: float = math.inf) -> None:
    """Refuse what is not a finite number in [low, high]."""
    if not checks.is_number(value):
        raise TypeError(f"{name} must be a number, not {checks.short_repr(value)}")
    try:
        x = float(value)
    except OverflowError:  # 10**400
        x = math.inf
    if not (low <= x <= high and math.isfinite(x)):
        limits = f"from {low:g} to {high:g}" if math.isfinite(high) else f"at least {low:g}" if low > -math.inf else ""
        raise ValueError(f"{name} must be a finite number {limits}".rstrip() + f", not {checks.short_repr(value)}")
