"""Averaged iterates: what guarantees for losses that are not smooth are about.

Algorithm   as the method's; answer: the averages over the steps after T0 of w and of alpha, as they were before each
Guarantee   sdca, L-Lipschitz losses, uniform i, G = 4 L^2 R^2, t0 = max(0, n ln(2 l2 n (D* - D_0)/G)), T - T0 >= n,
            T0 >= t0: E[P(w) - D(alpha)] <= 2 G/(l2 (2n + T0 - t0)) + G/(2 l2 (T - T0)), also with l1 > 0
Reference   Shalev-Shwartz & Zhang 2013, Theorem 1
Notation    w = shrink(v)/l2. A sum over steps 1..t of what x was before them is t x less the sum of s times the change
            of x in step s: only what x_i touches moves, and averaging is exact at O(nnz(x_i)) a step

The method's kernel runs on rows that keep these sums: a step of it asks for x_i'w once, and adds to v at most once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ...numerics.jit import KernelError, struct
from ...numerics.matrix_lines import Lines, Place
from ...problems.points import Points, View
from ...problems.problem import Problem
from ...regularizers import Regularizer
from ...samplings import Batches, Sampling, SamplingLike
from ..base import Method, draws_coordinates
from ..shared.averaging import Window, all_iterates, check_average
from .wrapper import Wrapper

CANNOT_AVERAGE = "so that its iterates cannot be averaged as they are: leave average out"


@struct
class SummingRows(NamedTuple):
    """`Lines` that sum the changes of alpha and shrink(v), each times the number of its step; only dot, add and pick.

    A kernel that asks for more does not compile, as its sums would be wrong.
    """

    rows: Lines
    reg: Regularizer
    t: np.ndarray  # (1,) steps done
    a: np.ndarray  # (n,) sum over steps s of s times the change of alpha/n
    e: np.ndarray  # (d,) sum over steps s of s times the change of shrink(v)

    def dot(self, i: Place, v: np.ndarray, reg: Any) -> float:
        self.t[0] += 1
        return self.rows.dot(i, v, reg)

    def add(self, i: Place, c: float, v: np.ndarray) -> None:
        t = self.t[0]
        self.rows.add_shrunk(i, -t, v, self.reg, self.e)  # e += t (the change of shrink(v))
        self.rows.add(i, c, v)
        self.rows.add_shrunk(i, t, v, self.reg, self.e)
        self.a[i] += t * c

    def pick(self, order: np.ndarray, k: int, arrays: tuple[np.ndarray, ...]) -> Any:
        return self.rows.pick(order, k, arrays)


class State(NamedTuple):
    """A run of a method, with weighted sums of changes, from which averages are computed exactly."""

    core: Any  # the method's own state
    t: np.ndarray  # (1,) as in SummingRows, like a and e
    a: np.ndarray  # (n,)
    e: np.ndarray  # (d,)
    window: Window  # which steps count, for shrink(v) and alpha one after the other: (d + n,)


@dataclass(frozen=True)
class Averaged(Wrapper):
    """The answer is an average of iterates. The guarantee for losses that are not smooth is about averages.

    Parameters
    ----------
    method : Descent
        A method of the dual; its kernel asks X for `dot` and `add` alone, once a step.
    average : "all" or "half", default "half"
        Over all iterates, or the last ones (between a half and three quarters of all). The last iterate is mostly
        better.
    """

    average: str = "half"

    keyword: ClassVar[str] = "average"
    wanted: ClassVar[str] = "a method of the dual whose state is its point, and with one wrapper at a time"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_average(self.name, self.average)

    @classmethod
    def fits(cls, method: Method) -> bool:
        return super().fits(method) and method.side == "dual" and draws_coordinates(method)

    def wrapper_objections(self, problem: Problem, sampling: Sampling | None) -> Iterator[str]:
        if problem.outputs:
            yield (
                f"{self.name} averages scalar losses only, and {problem.loss.name}, being smooth, needs none: use "
                "average=None"
            )

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        core = self.method.init(problem, sampling, start)
        return State(core, np.zeros(1), np.zeros(problem.n), np.zeros(problem.d), all_iterates(problem.d + problem.n))

    def epoch(self, P: View, S: State, order: Any) -> State:
        before = S.t[0]
        S = S._replace(core=self.method.epoch(with_sums(P, S), S.core, order))
        t = int(S.t[0])
        if t - before != (order.indices if isinstance(order, Batches) else order).size:
            raise ValueError(f"{self.name}'s kernel does not ask X for dot once a step, {CANNOT_AVERAGE}")
        if self.average == "half" and S.window.is_due(t):
            S = S._replace(window=S.window.moved(t, self.totals(P.reg, S)))
        return S

    def warm(self, P: View, S: State) -> None:
        try:
            self.method.warm(with_sums(P, S), S.core)
        except (KernelError, AttributeError) as error:
            self.method.warm(P, S.core)  # if this fails, too, it says why
            raise ValueError(f"{self.name}'s kernel asks X for more than dot and add, {CANNOT_AVERAGE}") from error

    def totals(self, reg: Regularizer, S: State) -> np.ndarray:
        """The sums over all steps of shrink(v) and alpha before them, one after the other."""
        alpha, v = self.method.coordinates(S.core)
        return np.concatenate([S.t * reg.l2 * reg.grad_g_conj(v) - S.e, S.t * alpha - alpha.size * S.a])

    def points(self, problem: Problem, S: State) -> Points:
        """The averages of w and alpha; the start as long as there is no step."""
        t = int(S.t[0])
        if t == 0:
            return self.method.points(problem, S.core)
        mean = S.window.mean(t, self.totals(problem.reg, S))
        return Points(problem.reg.clipped(mean[: problem.d] / problem.mu), mean[problem.d :])

    def refresh(self, problem: Problem, S: State) -> None:
        alpha, v = self.method.coordinates(S.core)
        fresh = problem.v(alpha)
        S.e[:] += S.t * problem.mu * (problem.reg.grad_g_conj(fresh) - problem.reg.grad_g_conj(v))
        v[:] = fresh


def with_sums(P: View, S: State) -> View:
    """P with rows that keep the sums of S."""
    rows: Any = SummingRows(P.X, P.reg, S.t, S.a, S.e)
    return P._replace(X=rows)
