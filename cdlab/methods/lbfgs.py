"""L-BFGS: scipy's L-BFGS-B, one quasi-Newton iteration an epoch.

Problem     min_w P(w) with a smooth loss; with l1 > 0, w = a - b with a, b >= 0 and l1 sum(a + b) in place of l1||w||_1
Algorithm   p = -H grad P(w), H the inverse Hessian estimate from the last `memory` steps and gradient changes;
            w += t p, t by a line search with the strong Wolfe conditions; every trial evaluates P and its gradient
Guarantee   no theorem here: where P is smooth and strongly convex it is known to converge linearly (Liu & Nocedal
            1989), at no rate that would explain its speed
Reference   Byrd, Lu, Nocedal & Zhu, A limited memory algorithm for bound constrained optimization (1995); Morales &
            Nocedal (2011)
Notation    scipy.optimize.minimize(method="L-BFGS-B") with maxcor = memory and tolerances of 0: a run stops it. Where
            columns are of unlike scale its variables are w_j/s_j, see `scales`. The loop is scipy's, so it has a
            thread, in which it waits while the run is elsewhere
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from queue import SimpleQueue
from threading import Thread
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..numerics.checks import set_integer_field
from ..numerics.clocks import add_thread_seconds, cpu_seconds
from ..problems.certificates import points_of
from ..problems.problem import Problem
from ..regularizers import Regularizer, has_box, of_each
from ..samplings import SamplingLike
from .base import Points
from .shared.full_gradient import FullGradient

UNLIMITED = 10**9  # Iterations and evaluations of scipy's loop, at most.
UNLIKE_CURVATURES = 1e6  # Ratio of the largest to the least curvature of a coordinate beyond which they are scaled.


class ThreadedItems:
    """Items that a function emits from a loop of its own, taken as many at a time as are asked for.

    The function runs in a thread, and only while `take` waits for it. Its CPU time counts as that of the thread that
    waits. When this object is closed or forgotten, the waiting `emit` raises GeneratorExit, and the thread ends.

    Parameters
    ----------
    work : callable
        Called once, with `emit`, to which it gives one item after the other, without end.
    """

    def __init__(self, work: Callable[[Callable[[Any], None]], None]) -> None:
        self._asked: SimpleQueue[int] = SimpleQueue()
        self._answers: SimpleQueue[tuple[list[Any], float, BaseException | None]] = SimpleQueue()
        self._thread: Thread | None = Thread(
            target=_answer, args=(work, self._asked, self._answers), name="cdlab-items", daemon=True
        )
        self._error: BaseException | None = None
        self._seconds = 0.0

    def take(self, count: int) -> list[Any]:
        """The next `count` >= 1 items; raises what `work` raised, once it has."""
        if self._error is None:
            self._asked.put(count)
            if self._thread is not None:
                self._thread.start()
                self._thread = None
            items, seconds, self._error = self._answers.get()
            add_thread_seconds(seconds - self._seconds)
            self._seconds = seconds
        if self._error is not None:
            raise self._error
        return items

    def close(self) -> None:
        """End the thread."""
        self._asked.put(0)

    __del__ = close


def _answer(
    work: Callable[[Callable[[Any], None]], None],
    asked: SimpleQueue[int],
    answers: SimpleQueue[tuple[list[Any], float, BaseException | None]],
) -> None:
    """Run `work`, and answer with as many items as are asked for, until none are."""
    items: list[Any] = []
    wanted = asked.get()

    def emit(item: Any) -> None:
        nonlocal items, wanted
        items.append(item)
        if len(items) == wanted:
            answers.put((items, cpu_seconds(), None))
            items, wanted = [], asked.get()
            if wanted == 0:
                raise GeneratorExit

    try:
        work(emit)
    except GeneratorExit:
        pass
    except BaseException as error:  # belongs to whoever takes the next item
        answers.put(([], cpu_seconds(), error))


class State(NamedTuple):
    """The iterate, and the items that go on from it."""

    w: np.ndarray  # (d,) primal variables
    iterates: ThreadedItems  # (w, evaluations), from now on
    passes: float  # passes of the last call: evaluations of P with its gradient


def scales(curvatures: np.ndarray) -> np.ndarray:
    """The s_j (d,) of the variables w_j/s_j in which no coordinate is much steeper than the others: powers of two.

    They are 1 where curvatures ||X_:j||^2 beta/n + l2 are alike: scaling those would cost passes, as it was measured.
    """
    steep = curvatures[(curvatures > 0) & np.isfinite(curvatures)]
    if not steep.size or steep.max() <= UNLIKE_CURVATURES * steep.min():
        return np.ones(curvatures.size)
    return np.exp2(-np.round(np.log2(np.clip(curvatures, steep.min(), steep.max())) / 2))


def minimise(
    objective: Callable[[np.ndarray], tuple[float, np.ndarray]],
    reg: Regularizer,
    w0: np.ndarray,
    s: np.ndarray,
    memory: int,
    emit: Callable[[tuple[np.ndarray, int]], None],
) -> None:
    """Emit (w, evaluations since the last item) after every iteration, without end, given the `scales` s (d,).

    The objective is P(w), and its gradient but for the l1 of `reg`. Where scipy can go no further it starts
    anew from there with an empty memory; at the optimum that is one evaluation.
    """
    from scipy.optimize import Bounds, minimize

    scale = np.broadcast_to(s[:, None] if w0.ndim > 1 else s, w0.shape).ravel()
    evaluations, l1 = 0, float(np.max(reg.l1s))
    penalised = scale * np.broadcast_to(reg.l1s / l1 if l1 > 0 else 1.0, w0.shape).ravel()
    slopes, box = l1 * penalised, of_each(reg, w0.shape)
    low, high = (np.broadcast_to(end, w0.shape).ravel() / scale for end in (box.lower, box.upper))

    def split(w: np.ndarray) -> np.ndarray:
        w = w.ravel() / scale  # softmax has a matrix
        return np.concatenate([np.maximum(w, 0), np.maximum(-w, 0)]) if l1 > 0 else w

    def joined(x: np.ndarray) -> np.ndarray:
        w = x[: w0.size] - x[w0.size :] if l1 > 0 else x
        return (scale * w).reshape(w0.shape)

    def value_and_gradient(x: np.ndarray) -> tuple[float, np.ndarray]:
        nonlocal evaluations
        evaluations += 1
        value, gradient = objective(joined(x))
        gradient = scale * gradient.ravel()
        if l1 == 0:
            return value, gradient
        both = (penalised * np.minimum(x[: w0.size], x[w0.size :])).sum()  # sum(a + b) = ||w||_1 + 2 both
        return value + 2 * l1 * both, np.concatenate([slopes + gradient, slopes - gradient])

    def send(x: np.ndarray) -> None:
        nonlocal evaluations
        item, evaluations = (joined(x), evaluations), 0
        emit(item)

    settings = {"maxcor": memory, "ftol": 0.0, "gtol": 0.0, "maxiter": UNLIMITED, "maxfun": UNLIMITED}
    bounds = Bounds(0, np.concatenate([high, -low])) if l1 > 0 else Bounds(low, high) if has_box(reg) else None
    x = split(w0)
    while True:
        with np.errstate(over="ignore", invalid="ignore"):  # a trial may step far out; the line search comes back
            x = minimize(
                value_and_gradient, x, jac=True, method="L-BFGS-B", bounds=bounds, callback=send, options=settings
            ).x
        if evaluations > 0:
            send(x)
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
    can_join_epochs: ClassVar[bool] = True
    summary: ClassVar[str] = "full gradients and a memory of the curvature; a yardstick without a theorem"
    reference: ClassVar[str] = "Byrd, Lu, Nocedal & Zhu 1995 (scipy)"

    def __post_init__(self) -> None:
        set_integer_field(self, "memory", "a whole number >= 1", ())

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> State:
        w = problem.zeros(problem.d) if start is None else start.w.copy()
        s = scales(problem.column_profile.norms2 * problem.beta / problem.n + problem.mu)

        def objective(w: np.ndarray) -> tuple[float, np.ndarray]:
            z = problem.predict(w)
            return problem.primal(w, z=z), problem.gradient(w, z=z)

        given = objective, problem.reg, w, s, self.memory
        return State(w, ThreadedItems(lambda emit: minimise(*given, emit)), 0)

    def epoch(self, P: Problem, S: State, order: np.ndarray) -> State:
        if not order.size:
            return S
        found = S.iterates.take(order.size)
        return State(found[-1][0], S.iterates, sum(evaluations for _, evaluations in found))

    def warm(self, P: Problem, S: State) -> None:
        import scipy.optimize

        assert scipy.optimize

    def points(self, problem: Problem, S: State) -> Points:
        return points_of(problem, S.w)
