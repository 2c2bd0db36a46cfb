"""Conjugate gradients until they have cost as much as an exact model would, and exact models from then on.

How many products they take depends on the spectrum of H, which n, d and the nonzeros do not tell, and less accurate
models need more iterations; what an exact model costs is counted. So a model takes no more products than cost as much
(as models become more accurate, later ones would take no fewer), and all of them no more than all exact ones: together
this costs at most twice what the cheaper of both does.
"""

from __future__ import annotations

from ...problems.problem import Problem
from .model import InnerSolver, Model, Step
from .truncated import Truncated


class TruncatedFirst(InnerSolver):
    """Conjugate gradients, and once they are dear, exact models.

    Parameters
    ----------
    P : Problem
        The problem.
    exact : InnerSolver
        Minimises models exactly.
    products : float
        Number of products that cost as much as an exact model.
    models : float
        About as many exact models are needed.
    """

    def __init__(self, P: Problem, exact: InnerSolver, products: float, models: float) -> None:
        self.truncated, self.exact, self.products, self.models = Truncated(P), exact, products, models
        self.before = self.now = 0  # products: in steps before, and in the last one
        self.are_dear = False

    def step(self, P: Problem, model: Model) -> Step:
        if self.are_dear:
            return self.exact.step(P, model)
        self.before += self.now
        found = self.truncated.descend(P, model, self._are_dear)
        if not self.are_dear:
            return found.step
        step = self.exact.step(P, model)
        self.decreases_model = self.exact.decreases_model
        return step._replace(visits=step.visits + found.step.visits)

    def _are_dear(self, products: int, left: float, wanted: float) -> bool:
        self.now = products
        self.are_dear = products > self.products or self.before + products > self.products * self.models
        return self.are_dear

    def warm(self, P: Problem) -> None:
        self.truncated.warm(P)
        self.exact.warm(P)
