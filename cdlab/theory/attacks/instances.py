"""Instances: small data and l2, drawn at random, and moved at random.

Rates are the same for X and l2 as for c X and c^2 l2, so that the largest row has norm 1, and kappa is 1/l2. Labels do
not matter to them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...problems.problem import Problem

TOWARDS = 0.3  # Distance of random rows from the structure that they are near.
WHOLE, ROW = 0.5, 0.25  # Shares of moves of all entries, and of those of a row; else a single one moves.
OF_LOG_KAPPA = 2.0  # its moves, in those of an entry


class KappaRange(NamedTuple):
    """Between which kappa is."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Instance:
    """Rows X (n, d), the largest of norm 1, and kappa = R^2/(l2 gamma), gamma = 1."""

    X: np.ndarray
    kappa: float

    @property
    def l2(self) -> float:
        """The weight of ||w||^2/2."""
        return 1 / self.kappa

    @property
    def problem(self) -> Problem:
        """A problem of the squared loss on these data."""
        return Problem(self.X, (-1.0) ** np.arange(self.X.shape[0]), loss="squared", l2=self.l2)

    def moved(self, size: float, limits: KappaRange, rng: np.random.Generator) -> Instance:
        """An instance near this one: all entries moved, or those of a row, or one of them, and kappa."""
        change = rng.standard_normal(self.X.shape)
        kind, row, entry = rng.random(), rng.integers(self.X.shape[0]), rng.integers(self.X.size)
        if kind >= WHOLE:
            some = np.zeros(self.X.shape, dtype=bool)
            if kind < WHOLE + ROW:
                some[row] = True
            else:
                some.flat[entry] = True
            change[~some] = 0
        kappa = self.kappa * math.exp(OF_LOG_KAPPA * size * rng.standard_normal())
        return Instance(scaled(self.X + size * change), min(max(kappa, limits.low), limits.high))


def random_instance(n: int, d: int, limits: KappaRange, rng: np.random.Generator) -> Instance:
    """Rows that are Gaussian, nearly alike, nearly orthogonal or of different norms, and any kappa."""
    X, kind = rng.standard_normal((n, d)), rng.integers(4)
    if kind == 1:
        X = rng.standard_normal(d) + TOWARDS * X
    elif kind == 2:
        X = np.eye(d)[np.arange(n) % d] + TOWARDS * X
    elif kind == 3:
        X *= np.exp(2 * rng.standard_normal((n, 1)))
    return Instance(scaled(X), math.exp(rng.uniform(math.log(limits.low), math.log(limits.high))))


def scaled(X: np.ndarray) -> np.ndarray:
    """Rows divided by their largest norm."""
    return X / np.linalg.norm(X, axis=1).max()
