"""Descent: methods whose next epoch depends on their point alone, so that wrappers can move it between two epochs."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..losses.per_example import mean_conjugate, mean_loss
from ..numerics.jit import kernel
from ..problems.points import Points, View
from ..problems.problem import Problem
from .base import Method, State


class Descent(Method[State]):
    """A method whose next epoch depends on its point alone; a subclass defines `init` and `epoch`.

    Its state has alpha and v = X'alpha/n (side "dual"), or w and z = X w ("primal"). Its other fields depend on the
    problem alone, or are scratch. So `points` and `refresh` follow, and the wrappers of `cdlab.methods` (Anderson,
    Screened, WorkingSet, ...) take it as it is.
    """

    @property
    def state_is_point(self) -> bool:
        """Tell whether, with these parameters, the state is determined by the point."""
        return True

    def coordinates(self, S: State) -> tuple[np.ndarray, np.ndarray]:
        """The coordinates (m,) and their product with X, as views: writing into them moves the state."""
        state: Any = S
        return (state.alpha, state.v) if self.side == "dual" else (state.w, state.z)

    def objective(self, P: View | Problem, x: np.ndarray, product: np.ndarray) -> float:
        """Evaluate what the method minimises at the coordinates x with their product: -D(alpha), or P(w)."""
        if isinstance(P, Problem):
            return -P.dual(x, v=product) if self.side == "dual" else P.primal(x, z=product)
        if self.side == "dual":
            return mean_conjugate(P.loss, x, P.y) + P.reg.g_conj(product)
        return mean_loss(P.loss, product, P.y) + P.reg.g(x)

    def set_coordinates(
        self, problem: Problem, S: State, which: np.ndarray, values: np.ndarray, remaining: np.ndarray
    ) -> tuple[State, float]:
        """The state with some coordinates at new values, and the nonzeros visited for it.

        Parameters
        ----------
        problem : Problem
            The problem.
        S : state
            Changed in place.
        which : (k,) array of indices
            The coordinates.
        values : (m,) array
            The values of all coordinates; those of `which` are read.
        remaining : (m,) mask
            The coordinates that epochs will visit from here on.
        """
        if not which.size:
            return S, 0.0
        x, product = self.coordinates(S)
        change = np.zeros(x.size)
        change[which] = values[which] - x[which]
        x[which] = values[which]
        if self.side == "primal":
            add_lines(problem.by_columns, change, which.astype(np.uint64), product)
        else:
            product += problem.v(change)
        return S, float(self.visits(problem)[which].sum())

    def points(self, problem: Problem, S: State) -> Points:
        x, product = self.coordinates(S)
        if self.side == "dual":
            return Points(problem.reg.grad_g_conj(product), x, v=product)
        return Points(x, problem.alpha(x, z=product), z=product)

    def refresh(self, problem: Problem, S: State) -> None:
        x, product = self.coordinates(S)
        product[:] = problem.v(x) if self.side == "dual" else problem.predict(x)


@kernel
def add_lines(P: View, x: np.ndarray, order: np.ndarray, product: np.ndarray) -> None:
    """product += sum x_i X_i over the lines of `order`."""
    for k in range(order.size):
        P.X.add(order[k], x[order[k]], product)


def dual_start(problem: Problem, start: Points | None) -> np.ndarray:
    """alpha of the start, 0 by default, with that of each empty row at its optimum.

    Where x_i = 0, D depends on alpha_i by -phi*(-alpha_i)/n alone. Its maximum, -min phi*/n = phi(0)/n, is attained
    where -alpha_i is a (sub)gradient of phi at 0: at alpha_i = -phi'(0), for every w.
    """
    alpha = problem.zeros(problem.n) if start is None else start.alpha.copy()
    empty = problem.row_profile.counts == 0
    if empty.any():
        alpha[empty] = problem.alpha(problem.zeros(problem.d), z=problem.zeros(problem.n))[empty]
    return alpha
