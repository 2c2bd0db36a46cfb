"""Pure L1, l2 = 0 < l1, through an added l2: a dual method on P(w) + (l2/2)||w||^2, certified for P.

A point within eps/2 of the perturbed optimum is within eps of P* if l2 <= eps/||w*||^2, and l2 = eps (l1/P(0))^2 is so
small because ||w*||_2 <= ||w*||_1 <= P(0)/l1 (Shalev-Shwartz & Zhang 2012). The certificate needs no such constant:
with v = X'alpha/n, alpha min(1, l1/||v||_inf) is feasible for the dual of P, see `Problem.dual`.

"auto" needs no eps. It begins with an l2 for which SDCA is fast, and halves it whenever the perturbed problem is solved
five times better than P: then what keeps the gap of P open is the perturbation. So every tolerance is reached, up to
logarithms in O(n + 1/eps) updates for smooth losses and O(n + 1/eps^2) for Lipschitz ones. For a small eps take
dual_appa, whose quadratic moves along with w and need not vanish.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...numerics.checks import set_number_field
from ...problems.points import Points
from ...problems.problem import Problem
from ...samplings import Sampling, SamplingLike
from ..base import Count, Method
from ..shared.inner_problem import InnerProblem, init_at
from .wrapper import Wrapper

SOLVED_SHARE = 0.2  # Share of the gap of P below which the perturbed problem is solved.
L2_FACTOR = 0.5  # what l2 is multiplied with then
COMPARISON_GROWTH = 1.25  # Growth of the epochs at this l2 between comparisons of gaps, of half a pass each.
ROUNDING = 1e-15  # A gap of P this small, relative to P(w), is rounding.


class State(NamedTuple):
    """A run on the perturbed problem, and when gaps were last compared."""

    core: Any  # the method's state on the perturbed problem
    perturbed: InnerProblem
    sampling: SamplingLike
    epochs: int  # done with this l2
    compared: int  # of these, when gaps were last compared
    visits: float  # nonzeros visited for comparing, in the last epoch


@dataclass(frozen=True)
class AddedL2(Wrapper):
    """For l2 = 0 < l1: a method that needs l2 > 0, with an l2 that is added. Gaps are those of the problem without it.

    Parameters
    ----------
    method : Descent
        Of the dual.
    added_l2 : float > 0 or "auto", default "auto"
        A number eps (l1/P(0))^2 reaches P* + eps and then stalls; "auto" lowers it as the gap shrinks.
    """

    added_l2: float | str = "auto"

    keyword: ClassVar[str] = "added_l2"
    wanted: ClassVar[str] = "a method of the dual whose state is its point, and with one wrapper at a time"

    def __post_init__(self) -> None:
        super().__post_init__()
        set_number_field(self, "added_l2", "a finite number > 0, 'auto' or None", ("auto",))
        object.__setattr__(self, "needs", tuple(need for need in self.method.needs if need != "l2"))

    @classmethod
    def fits(cls, method: Method) -> bool:
        return super().fits(method) and method.side == "dual" and "l2" in method.needs

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if problem.bounded:
            yield f"{self.name}'s added_l2 is for problems without bounds or penalty factors: use spdc, rcd or fista"
        elif not problem.l2 == 0 < problem.l1:
            here = f"this problem has l2 = {problem.l2:g}, l1 = {problem.l1:g}"
            yield f"{self.name}'s added_l2 is for l2 = 0 < l1 and {here}: use added_l2=None"
        elif (reason := self.method.refusal(self.perturbed(problem), sampling)) is not None:
            yield reason

    def perturbed(self, problem: Problem) -> InnerProblem:
        """The problem that a run begins with."""
        l2 = _first_l2(problem) if self.added_l2 == "auto" else float(self.added_l2)
        return InnerProblem(problem, l2, problem.zeros(problem.d))

    def must_be_drawn(self, problem: Problem) -> np.ndarray:  # with an added l2, importance draws zero rows, too
        return problem.row_profile.norms2 > 0

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        return self.method.orders(self.perturbed(problem), sampling, rng)

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        perturbed = self.perturbed(problem)
        return State(self.method.init(perturbed, sampling, start), perturbed, sampling, 0, 0, 0.0)

    def epoch(self, P: Any, S: State, order: Any) -> State:
        S = S._replace(core=self.method.epoch(self.method.view(S.perturbed), S.core, order))
        return self.lower(S) if self.added_l2 == "auto" else S

    def points(self, problem: Problem, S: State) -> Points:
        return self.method.points(S.perturbed, S.core)

    def refresh(self, problem: Problem, S: State) -> None:
        self.method.refresh(S.perturbed, S.core)

    def warm(self, P: Any, S: State) -> None:
        self.method.warm(self.method.view(S.perturbed), S.core)

    def count(self, problem: Problem, S: State, order: Any) -> Count:
        count = self.method.counted(problem, S.core, order)
        return count._replace(visits=count.visits + S.visits)

    def lower(self, S: State) -> State:
        """After an epoch: the state with a smaller l2 if it is time."""
        S = S._replace(epochs=S.epochs + 1, visits=0.0)
        if S.epochs < COMPARISON_GROWTH * S.compared:
            return S
        Q, P, at = S.perturbed, S.perturbed.outer, self.method.points(S.perturbed, S.core)
        z = P.X @ at.w
        primal = P.primal(at.w, z=z)
        gap = primal - P.dual(at.alpha, v=at.v)
        perturbed_gap = Q.primal(at.w, z=z) - Q.dual(at.alpha, v=at.v)
        S = S._replace(compared=S.epochs, visits=P.nnz / 2)
        if perturbed_gap > SOLVED_SHARE * gap or gap <= ROUNDING * abs(primal):
            return S
        Q = InnerProblem(P, L2_FACTOR * Q.weight, Q.center)
        return S._replace(core=init_at(self.method, Q, S.sampling, at), perturbed=Q, epochs=0, compared=0)


def _first_l2(problem: Problem) -> float:
    """R^2/(gamma n), where an epoch of SDCA contracts by a constant factor: n + R^2/(gamma l2) = 2n.

    L-Lipschitz losses that are not smooth are taken for smooth ones with gamma = P(0)/L^2. For X = 0 any l2 will do.
    """
    beta = problem.beta
    if problem.loss.gamma == 0:
        beta = problem.loss.lipschitz**2 / max(problem.primal(problem.zeros(problem.d)), ROUNDING)
    return beta * problem.R**2 / problem.n or 1.0
