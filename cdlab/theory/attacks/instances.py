"""Instances: small data, l2 and the state of a method, drawn at random, and moved at random.

Rates are the same for X and l2 as for c X and c^2 l2, so that the largest row has norm 1, and kappa is 1/l2. Labels do
not matter to them; a statement to which they do has them in its state, as "y", and may have "l1" there.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...problems.problem import Problem

TOWARDS = 0.3  # Distance of random rows from the structure that they are near.
WHOLE, ROW = 0.5, 0.25  # Shares of moves of all entries, and of those of a row; else a single one moves.
OF_LOG_KAPPA = 2.0  # its moves, in those of an entry
EDGE = 0.4  # Share of starts at an edge: a line twice, an empty one, or columns of very different norms.
NOTHING = 0.125  # Share of the arrays of a state that start at 0.
Shapes = Mapping[str, tuple[int, ...]]


class KappaRange(NamedTuple):
    """Between which kappa is."""

    low: float
    high: float


@dataclass(frozen=True, eq=False)
class Instance:
    """Rows X (n, d), the largest of norm 1, kappa = R^2/(l2 gamma), gamma = 1, and the arrays of a state by name."""

    X: np.ndarray
    kappa: float
    state: Mapping[str, np.ndarray] = field(default_factory=dict)

    @property
    def l2(self) -> float:
        """The weight of ||w||^2/2."""
        return 1 / self.kappa

    def problem(self, loss: str = "squared") -> Problem:
        """A problem on these data, with the labels and the l1 of the state if it has any."""
        y = self.state.get("y", (-1.0) ** np.arange(self.X.shape[0]))
        y = y if loss == "squared" else np.where(y > 0, 1.0, -1.0)
        return Problem(self.X, y, loss, self.l2, abs(float(self.state.get("l1", 0.0))))

    def moved(self, size: float, limits: KappaRange, rng: np.random.Generator) -> Instance:
        """An instance near this one: data and state moved, or only one of them.

        Of the data all entries move, or those of a row, or one of them, and kappa; of the state all arrays, or one.
        """
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
        data = scaled(self.X + size * change), min(max(kappa, limits.low), limits.high)
        if not self.state:
            return Instance(*data)
        which, kind = rng.random(), rng.random()
        one = list(self.state)[rng.integers(len(self.state))]
        state = {
            name: x + size * (TOWARDS + np.abs(x)) * rng.standard_normal(x.shape) * (kind < WHOLE or name == one)
            for name, x in self.state.items()
        }
        if which < 1 / 3:
            return Instance(self.X, self.kappa, state)
        return Instance(*data, self.state if which < 2 / 3 else state)


def random_instance(
    n: int, d: int, limits: KappaRange, rng: np.random.Generator, shapes: Shapes | None = None
) -> Instance:
    """Rows that are Gaussian, nearly alike, nearly orthogonal or of different norms, at an edge or not, any kappa.

    The arrays of a state are Gaussian of any size, or 0; its numbers are Gaussian.
    """
    X, kind = rng.standard_normal((n, d)), rng.integers(4)
    if kind == 1:
        X = rng.standard_normal(d) + TOWARDS * X
    elif kind == 2:
        X = np.eye(d)[np.arange(n) % d] + TOWARDS * X
    elif kind == 3:
        X *= np.exp(2 * rng.standard_normal((n, 1)))
    kappa = math.exp(rng.uniform(math.log(limits.low), math.log(limits.high)))
    if rng.random() < EDGE:
        X = at_an_edge(X, rng)
    sizes = {name: math.exp(2 * rng.standard_normal()) if shape else 2.0 for name, shape in (shapes or {}).items()}
    state = {
        name: size * rng.standard_normal((shapes or {})[name]) * (rng.random() >= NOTHING)
        for name, size in sizes.items()
    }
    return Instance(scaled(X), kappa, state)


def at_an_edge(X: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """The same data with a row or column twice, or empty, unless it is the only one, or with columns scaled."""
    X, kind, axis = X.copy(), rng.integers(3), rng.integers(2)
    lines = X if axis else X.T
    if kind == 0:
        lines[0] = lines[-1]
    elif kind == 1 and len(lines) > 1:
        lines[rng.integers(len(lines))] = 0
    elif kind == 2:
        X *= np.exp(3 * rng.standard_normal(X.shape[1]))
    return X


def scaled(X: np.ndarray) -> np.ndarray:
    """Rows divided by their largest norm."""
    return X / np.linalg.norm(X, axis=1).max()
