"""Anderson extrapolation of a method's sweeps; see shared/anderson.py.

A method whose sweeps repeat is a fixed-point iteration. After K repetitions the extrapolated point is tried, and kept
only if the objective is lower there; then everything begins anew from the better one. There is a bound for symmetric
linear iterations alone, so that without this safeguard nothing would be promised. What a method maintains (X w,
X'alpha/n) is linear in the coordinates and combined with the same weights: a trial visits no nonzero.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ... import samplings
from ...numerics.checks import set_integer_field
from ...problems.points import Points
from ...problems.problem import Problem
from ...samplings import Sampling, SamplingLike
from ..shared.anderson import POINTS, weights
from .wrapper import Wrapper


class State(NamedTuple):
    """A run of a method, and its last repetitions."""

    core: Any  # the method's own state
    points: np.ndarray  # (K + 1, m) its coordinates, one repetition a row
    products: np.ndarray  # (K + 1, k) their products with X, which it maintains
    rows: int  # in use
    period: int | None  # epochs after which the order repeats
    epochs: int  # since the last row


@dataclass(frozen=True)
class Anderson(Wrapper):
    """Every so many repetitions of an order the point is extrapolated. No theorem covers it.

    Parameters
    ----------
    method : Descent
    anderson : int >= 2, default 5
        Repetitions of an order: symmetric, cyclic, fixed_permutation, or of a method that draws nothing.

    References
    ----------
    Bertrand & Massias, Anderson acceleration of coordinate descent (2021).
    """

    anderson: int = POINTS

    keyword: ClassVar[str] = "anderson"

    def __post_init__(self) -> None:
        super().__post_init__()
        set_integer_field(self, "anderson", "a whole number >= 2, or None", (), low=2)

    def wrapper_objections(self, problem: Problem, sampling: Sampling | None) -> Iterator[str]:
        if sampling is not None and sampling.period is None:
            yield (
                f"{self.name}'s anderson extrapolates sweeps that repeat, and {sampling.name} does not: use symmetric, "
                "cyclic or fixed_permutation, or leave anderson out"
            )
        if problem.outputs:
            yield (
                f"{self.name}'s anderson is for losses of one prediction, unlike {problem.loss.name}: leave anderson "
                "out"
            )

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        core = self.method.init(problem, sampling, start)
        x, product = self.method.coordinates(core)
        points, products = np.empty((self.anderson + 1, x.size)), np.empty((self.anderson + 1, product.size))
        points[0], products[0] = x, product
        drawn = self.method.draws(samplings.resolve(sampling))
        return State(core, points, products, 1, 1 if drawn is None else drawn.period, 0)

    def epoch(self, P: Any, S: State, order: Any) -> State:
        core = self.method.epoch(P, S.core, order)
        if S.period is None or S.epochs + 1 < S.period:
            return S._replace(core=core, epochs=S.epochs + 1)
        x, product = self.method.coordinates(core)
        S.points[S.rows], S.products[S.rows] = x, product
        if S.rows + 1 < S.points.shape[0]:
            return S._replace(core=core, rows=S.rows + 1, epochs=0)
        c = weights(S.points)
        better, its_product = c @ S.points[1:], c @ S.products[1:]
        if self.method.objective(P, better, its_product) < self.method.objective(P, x, product):
            x[:], product[:] = better, its_product
        S.points[0], S.products[0] = x, product
        return S._replace(core=core, rows=1, epochs=0)

    def warm(self, P: Any, S: State) -> None:
        super().warm(P, S)
        weights(np.empty((3, 0)))
