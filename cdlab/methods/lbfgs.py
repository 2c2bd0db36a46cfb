"""L-BFGS: scipy's L-BFGS-B, one quasi-Newton iteration an epoch.

Problem     min_w P(w) with a smooth loss; with l1 > 0, w = a - b with a, b >= 0 and l1 sum(a + b) in place of l1||w||_1
Algorithm   p = -H grad P(w), H the inverse Hessian estimate from the last `memory` steps and gradient changes;
            w += t p, t by a line search with the strong Wolfe conditions; every trial evaluates P and its gradient
Guarantee   no theorem here: where P is smooth and strongly convex it is known to converge linearly (Liu & Nocedal
            1989), at no rate that would explain its speed
Reference   Byrd, Lu, Nocedal & Zhu, A limited memory algorithm for bound constrained optimization (1995); Morales &
            Nocedal (2011)
Notation    scipy.optimize.minimize(method="L-BFGS-B") with maxcor = memory and tolerances of 0: a run stops it. The
            loop around scipy's setulb, which says what it wants next, is ours, so that a run can pause in it
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar, NamedTuple

import numpy as np

from ..numerics.checks import set_integer_field
from ..problems.problem import Problem
from ..samplings import SamplingLike
from .base import Points
from .shared.full_gradient import FullGradient

NEW_ITERATE, EVALUATE = 1, 3  # what setulb may ask for; anything else: it can go no further
MAX_TRIALS = 20  # of a line search, as scipy's


class State(NamedTuple):
    """The iterate, and the iterator that goes on from it."""

    w: np.ndarray  # (d,) primal variables
    iterates: Iterator[tuple[np.ndarray, int]]  # (w, evaluations), from now on
    passes: float  # passes of the last call: evaluations of P with its gradient


class Kept(NamedTuple):
    """What setulb keeps between two calls, in its order; the sizes are scipy's."""

    numbers: np.ndarray
    integers: np.ndarray
    wants: np.ndarray  # first what it asks for
    flags: np.ndarray
    counts: np.ndarray
    reals: np.ndarray
    max_trials: int
    more: np.ndarray

    @staticmethod
    def empty(size: int, memory: int) -> Kept:
        """Before the first call, for an x of this size."""
        numbers = 2 * memory * size + 5 * size + 11 * memory**2 + 8 * memory
        integers, wants, flags, counts, more = (np.zeros(k, np.int32) for k in (3 * size, 2, 4, 44, 2))
        return Kept(np.zeros(numbers), integers, wants, flags, counts, np.zeros(29), MAX_TRIALS, more)


def minimise(P: Problem, w0: np.ndarray, memory: int) -> Iterator[tuple[np.ndarray, int]]:
    """(w, evaluations since the last item) after every iteration, without end.

    Where scipy can go no further it starts anew from there with an empty memory; at the optimum that is one evaluation.
    """
    from scipy.optimize._lbfgsb import setulb

    penalised = np.broadcast_to(P.reg.penalised, w0.shape).ravel()
    l1 = P.l1 * penalised

    def split(w: np.ndarray) -> np.ndarray:
        w = w.ravel()  # softmax has a matrix
        return np.concatenate([np.maximum(w, 0), np.maximum(-w, 0)]) if P.l1 > 0 else w.copy()

    def joined(x: np.ndarray) -> np.ndarray:
        w = x[: w0.size] - x[w0.size :] if P.l1 > 0 else x.copy()  # setulb writes into x
        return w.reshape(w0.shape)

    def value_and_gradient(x: np.ndarray) -> tuple[float, np.ndarray]:
        w = joined(x)
        z = P.predict(w)
        value, gradient = P.primal(w, z=z), P.gradient(w, z=z).ravel()
        if P.l1 == 0:
            return value, gradient
        both = (penalised * np.minimum(x[: w.size], x[w.size :])).sum()  # sum(a + b) = ||w||_1 + 2 both
        return value + 2 * P.l1 * both, np.concatenate([l1 + gradient, l1 - gradient])

    x, evaluations = split(w0), 0
    zero, bounded = np.zeros(x.size), np.full(x.size, P.l1 > 0, np.int32)  # below, by 0
    while True:
        value, gradient, evaluated, kept = 0.0, zero, np.full(x.size, np.nan), Kept.empty(x.size, memory)
        while True:
            setulb(memory, x, zero, zero, bounded, value, gradient, 0.0, 0.0, *kept)
            if kept.wants[0] == EVALUATE:
                if (x != evaluated).any():  # a line search may end in steps of 0
                    value, gradient = value_and_gradient(x)
                    evaluated, evaluations = x.copy(), evaluations + 1
                continue
            if evaluations > 0 or kept.wants[0] == NEW_ITERATE:
                yield joined(x), evaluations
                evaluations = 0
            if kept.wants[0] != NEW_ITERATE:
                break
        x = split(joined(x))


@dataclass(frozen=True)
class LBFGS(FullGradient[State]):
    """Limited-memory BFGS by scipy. No theorem: a yardstick.

    Parameters
    ----------
    memory : int, default 30
        Steps and gradient changes that are kept.

    References
    ----------
    Byrd, Lu, Nocedal & Zhu, A limited memory algorithm for bound constrained optimization (1995).
    """

    memory: int = 30

    name: ClassVar[str] = "lbfgs"
    summary: ClassVar[str] = "full gradients and a memory of the curvature; a yardstick without a theorem"
    reference: ClassVar[str] = "Byrd, Lu, Nocedal & Zhu 1995 (scipy)"

    def __post_init__(self) -> None:
        set_integer_field(self, "memory", "a whole number >= 1", ())

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        w = problem.zeros(problem.d) if start is None else start.w.copy()
        return State(w, minimise(problem, w, self.memory), 0)

    def epoch(self, P: Problem, S: State, order: np.ndarray) -> State:
        if not order.size:
            return S
        with np.errstate(over="ignore", invalid="ignore"):  # a trial may step far out; the line search comes back
            found = list(islice(S.iterates, order.size))
        return State(found[-1][0], S.iterates, sum(evaluations for _, evaluations in found))

    def joins_epochs(self, problem: Problem) -> bool:
        return True

    def warm(self, P: Problem, S: State) -> None:
        import scipy.optimize

        assert scipy.optimize

    def points(self, problem: Problem, S: State) -> Points:
        z = problem.predict(S.w)
        return Points(S.w, problem.alpha(S.w, z=z), z=z, fresh=("z",))
