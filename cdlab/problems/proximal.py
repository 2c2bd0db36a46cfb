"""The inner problem of the proximal-point family: P(w) + (weight/2) ||w - center||^2.

It is a Problem with l2 + weight in place of l2 and one change: the quadratic is not centred at 0. Expanded, it is
(weight/2)||w||^2, which joins l2, less weight <w, center>, which shifts v. So with v = X'alpha/n + weight center every
dual method runs on it as it is: w = grad g*(v) and g*(v) - (weight/2)||center||^2 is the conjugate.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ..numerics.matrix_lines import Lines
from ..regularizers import plus
from .problem import Problem

# They hold the regulariser or the center.
CACHED = ("of_center", "dual_at_zero", "slopes", "is_certified", "dual_curvatures")


class ProximalProblem(Problem):
    """P(w) + (weight/2) ||w - center||^2, sharing X, y and their constants with the problem it is made from.

    Parameters
    ----------
    problem : Problem
        Also one with l2 = 0.
    weight : float > 0
    center : (d,) array; (d, K) with softmax

    Raises
    ------
    ValueError
        If the weight is not a finite number > 0.
    """

    def __init__(self, problem: Problem, weight: float, center: np.ndarray):
        if not 0 < weight < np.inf:
            raise ValueError(f"the proximal weight must be a finite number > 0, not {weight}")
        self.__dict__.update(problem.__dict__)
        for cached in CACHED:
            self.__dict__.pop(cached, None)
        self.outer: Problem = problem
        self.weight: float = weight
        self.center: np.ndarray = center
        self.l2: float = problem.l2 + weight
        self.reg = self.feature_reg = plus(problem.reg, weight)

    @property
    def rows(self) -> Lines:
        """Those of `outer`."""
        return self.outer.rows

    @property
    def columns(self) -> Lines:
        """Those of `outer`."""
        return self.outer.columns

    def v(self, alpha: np.ndarray) -> np.ndarray:
        """X'alpha/n + weight center."""
        return super().v(alpha) + self.weight * self.center

    @cached_property
    def dual_at_zero(self) -> float:
        return self.dual_inside(self.zeros(self.n), self.weight * self.center)

    @cached_property
    def of_center(self) -> float:
        """(weight/2)||center||^2."""
        return 0.5 * self.weight * float(np.vdot(self.center, self.center))

    def shifts(self, w: np.ndarray) -> tuple[float, float]:
        """(weight/2)||center||^2, in P(w) less weight <w, center>."""
        return self.of_center - self.weight * float(np.vdot(w, self.center)), self.of_center

    def primal(self, w: np.ndarray, *, z: np.ndarray | None = None) -> float:
        return super().primal(w, z=z) + self.shifts(w)[0]

    def dual_inside(self, alpha: np.ndarray, v: np.ndarray) -> float:
        return super().dual_inside(alpha, v) + self.of_center

    def gradient(self, w: np.ndarray, *, z: np.ndarray | None = None) -> np.ndarray:
        return super().gradient(w, z=z) - self.weight * self.center
