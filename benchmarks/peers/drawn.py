"""Data and problems that a seed draws from ranges that are fixed: nobody can have tuned on those of a new seed."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

DRAWN = re.compile(r"drawn:([0-9]+):([0-9]+)")  # The groups are the seed and the number.
LOSSES = ("logistic", "squared", "squared_hinge", "hinge", "absolute")
DECADES = {"n": (2, 4.3), "d": (1, 4.7), "c": (-3, 2), "share": (-2, np.log10(0.5))}
MAX_CORRELATION, MAX_SKEW, SCALE_DECADES, MOST_UNBALANCED = 0.95, 1.5, 3.0, 50
MAX_NONZEROS = 5_000_000
DENSE_SHARE = 0.3  # Rows with this share of nonzeros or more become an array without zeros.


class Drawn(NamedTuple):
    """The problem of a cell, as `cells.Cell` has it, with how rare the rarer class is."""

    loss: str
    c: float
    share: float
    intercept: bool
    rarer: float


def draw_problem(seed: int, k: int) -> Drawn:
    """Draw the loss and the weights: l1 alone, l2 alone or both where packages have them, an intercept in half.

    Examples
    --------
    >>> draw_problem(0, 0).loss, draw_problem(0, 0).intercept
    ('absolute', True)
    """
    rng = np.random.default_rng([seed, k, 1])
    loss = str(rng.choice(LOSSES))
    penalties = {"logistic": 3, "squared": 3, "squared_hinge": 2}.get(loss, 1)  # l2, l1, l1+l2
    penalty = int(rng.integers(penalties))
    c, share = (float(f"{10 ** rng.uniform(*DECADES[name]):.3g}") for name in ("c", "share"))
    rarer = 1 / np.exp(rng.uniform(np.log(2), np.log(MOST_UNBALANCED)))
    return Drawn(loss, 0.0 if penalty == 1 else c, share if penalty else 0.0, bool(rng.random() < 0.5), rarer)


def draw_data(seed: int, k: int) -> tuple[Any, np.ndarray]:
    """Draw X (n, d), an array or CSR with a mean squared norm of rows of 1, and y (n,) as the loss takes it."""
    rng, problem = np.random.default_rng([seed, k, 0]), draw_problem(seed, k)
    n, d = (int(10 ** rng.uniform(*DECADES[name])) for name in ("n", "d"))
    nonzeros = min(d ** rng.uniform(), MAX_NONZEROS / n)
    correlation, skew = rng.uniform(0, MAX_CORRELATION), rng.uniform(0, MAX_SKEW)
    is_dense = nonzeros >= DENSE_SHARE * d and n * d <= MAX_NONZEROS
    X: Any = _sequences(rng, n, d, correlation) if is_dense else _runs(rng, n, d, nonzeros, correlation, skew)
    of_rows, of_columns = (10 ** (rng.uniform(0, SCALE_DECADES) * rng.uniform(-0.5, 0.5, size)) for size in (n, d))
    X = X * of_rows[:, None] * of_columns if is_dense else sp.diags_array(of_rows) @ X @ sp.diags_array(of_columns)
    entries = X if is_dense else X.data
    X = X / np.sqrt((entries * entries).sum() / n or 1.0)
    return (X if is_dense else sp.csr_matrix(X)), _labels(rng, X, of_columns, problem)


def _sequences(rng: np.random.Generator, n: int, d: int, correlation: float) -> np.ndarray:
    """Rows that are stationary sequences, neighbours so correlated."""
    X = rng.standard_normal((n, d))
    for j in range(1, d):
        X[:, j] = correlation * X[:, j - 1] + np.sqrt(1 - correlation**2) * X[:, j]
    return X


def _runs(rng: np.random.Generator, n: int, d: int, nonzeros: float, correlation: float, skew: float) -> sp.csr_array:
    """Rows of runs of neighbours, which go on with probability `correlation`; the rank of a start has a power law."""
    starts = np.maximum(1, rng.poisson(nonzeros * (1 - correlation), n))
    popularity = np.arange(1, d + 1) ** -skew
    first = rng.permutation(d)[rng.choice(d, starts.sum(), p=popularity / popularity.sum())]
    lengths = rng.geometric(1 - correlation, first.size)
    rows = np.repeat(np.repeat(np.arange(n), starts), lengths)
    within = np.arange(rows.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    columns = (np.repeat(first, lengths) + within) % d
    values = np.exp(0.5 * rng.standard_normal(rows.size))
    return sp.csr_array(sp.coo_array((values, (rows, columns)), shape=(n, d)))


def _labels(rng: np.random.Generator, X: Any, of_columns: np.ndarray, problem: Drawn) -> np.ndarray:
    """Labels of a sparse or a dense rule with noise: numbers, or classes of which one is so rare."""
    d = X.shape[1]
    w = rng.standard_normal(d) * (rng.random(d) < d ** -rng.uniform()) / of_columns
    z = X @ w
    z = z / (np.std(z) or 1.0) + rng.uniform() * rng.standard_normal(z.size)
    if problem.loss in ("squared", "absolute"):
        return z
    y = np.where(z > np.quantile(z, 1 - problem.rarer), 1.0, -1.0)
    y[z.argmax()], y[z.argmin()] = 1.0, -1.0
    return y
