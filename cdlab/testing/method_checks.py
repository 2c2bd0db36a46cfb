"""The promises of a method to the loop that runs it: its optimum, its certificate, its seed, its count of passes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any

import numpy as np

from ..losses.per_example import mean_conjugate
from ..methods import Method, Points
from ..numerics import jit
from ..problems.problem import Problem
from ..runs import Trace, iterate, solve
from ..runs.entries import sampling_for
from ..runs.feed import orders_of
from ..samplings import Batches, Sampling
from .checked_method import fail_method, method_instance
from .small import SMALL_PROBLEMS, scipy_optimum, small_data, small_problem
from .user_code import check_is_dataclass, check_signatures, explain_user_errors
from .visit_checks import check_visits

VISITS_HINT = ": zeros are no visits, so count by self.visits(problem), and not by the entries of a line"
MAX_REST_SHARE = 0.05  # gradient of the mean loss below this share of its scale (l2 w, and its value at 0) counts as 0
RISE_SHARE, FALL_SHARE = 1e-3, 1e-6  # rise, as a share of P's decrease; fall, of P(0)
TAKES_BLOCKS_TEXT = 'takes: ClassVar[tuple[str, ...]] = ("l1", "blocks")'
BLOCKS_HINT = f"; if its epoch takes Batches, say {TAKES_BLOCKS_TEXT}"
MAX_REFUSAL_CHARACTERS = 400  # characters of a refusal
# Largest gap, in units of sqrt(tol) (P(0) - P*): it is proportional to P - P* for smooth losses, to its root else.
MAX_GAP_RATIO = 10.0


def check_method(
    method: type[Method] | Method | str,
    sampling: str | Sampling | None = None,
    *,
    tol: float = 1e-6,
    max_passes: float = 5000,
) -> None:
    """Check a method on small problems: logistic, squared with l1, hinge, and a linear system.

    What it refuses, it refuses in a sentence. On each problem that it takes: it comes within tol (P(0) - P*) of the
    optimum that scipy finds, its gap closes where l2 > 0, and no record claims more than is true. On the first of them:
    it starts where it is told; compiling moves nothing; its inputs stay as they are; `refresh` changes rounding only;
    dense and sparse data, and the same seed, give the same trace; a resumed run equals an uninterrupted one; its
    epochs work in kernels; and it counts the nonzeros that they visit (once for a line that is read and written, half
    for one that is only read).

    Parameters
    ----------
    method : Method, its class or its name
        A class is tried with its default parameters.
    sampling : str or Sampling, optional
        Default: uniform.
    tol, max_passes : float, default 1e-6 and 5000
        The share of P(0) - P* to reach, and in how many passes: for methods that converge slowly.

    Raises
    ------
    AssertionError
        In one sentence: which promise fails, and on which problem; or which line of it fails.
    TypeError
        If it is not a method, or lacks init, epoch or points.

    Examples
    --------
    >>> from cdlab import methods, testing
    >>> testing.check_method(methods.RCD(batch_size=2), tol=1e-4)
    """
    made = method_instance(method)
    check_is_dataclass("method", made.label, type(made))
    check_signatures("method", made.label, type(made), Method)
    with explain_user_errors(f"method {made.label}"), _explain_block_errors(made):
        _check_promises(made, sampling_for(made, sampling), tol, max_passes)


@contextmanager
def _explain_block_errors(method: Method) -> Iterator[None]:
    """Explain that `takes` and the type of order that `epoch` expects disagree."""
    try:
        yield
    except (AttributeError, jit.KernelError) as error:
        said = str(error)
        if "blocks" in method.takes and "Batches has no" in said:
            what = "its epoch takes Batches for an array of coordinates: leave 'blocks' out of its `takes`, or"
            what += " loop over order.starts and order.indices"
        elif "blocks" not in method.takes and any(f"'{name}'" in said for name in Batches._fields):
            what = f"its epoch takes an array of coordinates for Batches: say {TAKES_BLOCKS_TEXT}"
        else:
            raise
        raise AssertionError(f"method {method.label}: {what} ({said.partition(chr(10))[0]})") from error


def _check_promises(method: Method, sampling: Sampling, tol: float, max_passes: float) -> None:
    taken = [setting for setting in SMALL_PROBLEMS if _is_accepted(method, sampling, small_problem(*setting))]
    if not taken:
        why = method.refusal(small_problem(*SMALL_PROBLEMS[0]), sampling)
        raise AssertionError(
            f"method {method.label} refuses every small problem: {why}"
            f"{'' if sampling.serial or 'blocks' in method.takes else BLOCKS_HINT}"
        )
    P = small_problem(*taken[0])
    _check_start(method, sampling, P)
    _check_warm_moves_nothing(method, sampling, P)
    _check_refresh(method, sampling, P)
    _check_data_unchanged(method, P)
    check_visits(method, sampling, small_problem(*taken[0], sparse=True))
    _check_repeatability(method, sampling, taken[0])
    for setting in taken:
        _check_optimum(method, sampling, small_problem(*setting), tol, max_passes)


def _is_accepted(method: Method, sampling: Sampling, P: Problem) -> bool:
    reason = method.refusal(P, sampling)
    if reason is None:
        return True
    if not (isinstance(reason, str) and 0 < len(reason) <= MAX_REFUSAL_CHARACTERS and "\n" not in reason):
        fail_method(method, P, f"refusal must return None or one sentence, not {reason!r}")
    return False


# ------------------------------------------------------------ the start
def _check_start(method: Method, sampling: Sampling, P: Problem) -> None:
    w = np.full(P.d, 0.1)
    start = Points(w, P.alpha(w))
    for given in (None, start):
        _check_points(method, P, method.points(P, method.init(P, sampling, given)))
    what = "alpha" if method.side == "dual" else "w"
    points = method.points(P, method.init(P, sampling, start))
    if not np.allclose(getattr(points, what), getattr(start, what), atol=1e-12):
        fail_method(method, P, f"init(problem, sampling, start) does not start at start.{what}")
    _check_arguments_unchanged(method, sampling, P, start)


def _check_points(method: Method, P: Problem, points: Any) -> None:
    if not isinstance(points, Points):
        fail_method(method, P, f"points must return cdlab.methods.Points(w, alpha), not {type(points).__name__}")
    for name, size in (("w", P.d), ("alpha", P.n)):
        shape = np.shape(getattr(points, name))
        if shape != (size,):
            fail_method(method, P, f"points must have {name} of shape ({size},); it has {shape}")
    _check_products(method, P, points, "at its start")


def _check_products(method: Method, P: Problem, points: Points, when: str) -> None:
    for name, what, known in (("z", "X w", P.predict(points.w)), ("v", "X'alpha/n", P.v(points.alpha))):
        kept = getattr(points, name)
        if kept is not None and not np.allclose(kept, known, rtol=1e-9, atol=1e-9):
            fail_method(
                method, P, f"{when} {name} is not {what}, and certificates and steps use it: update {name} as "
                "coordinates move"
            )  # fmt: skip


def _check_domain(method: Method, P: Problem, alpha: np.ndarray, when: str) -> None:
    if P.l2 > 0 and mean_conjugate(P.loss, alpha, P.y) == np.inf:
        fail_method(
            method, P, f"{when} D(alpha) is -inf: alpha is outside the domain of phi*, where nothing is certified; a "
            "step that moves alpha must end where phi*(-alpha) is finite"
        )  # fmt: skip


def _check_arguments_unchanged(method: Method, sampling: Sampling, P: Problem, start: Points) -> None:
    order = next(orders_of(method, P, sampling, np.random.default_rng(0)))
    given = {"start.w": start.w, "start.alpha": start.alpha}
    given["order"] = getattr(order, "indices", order)
    before = {name: np.copy(array) for name, array in given.items()}
    method.epoch(method.view(P), method.init(P, sampling, start), order)
    for name, array in given.items():
        if not np.array_equal(array, before[name]):
            fail_method(method, P, f"its epoch writes into {name}: it must work on a copy")


def _check_warm_moves_nothing(method: Method, sampling: Sampling, P: Problem) -> None:
    view, S = method.view(P), method.init(P, sampling)
    before = np.concatenate([method.points(P, S).w, method.points(P, S).alpha])
    method.warm(view, S)
    if not np.array_equal(before, np.concatenate([method.points(P, S).w, method.points(P, S).alpha]), equal_nan=True):
        fail_method(method, P, "an epoch of no coordinates, by which a run compiles, moves the point")


def _check_refresh(method: Method, sampling: Sampling, P: Problem) -> None:
    """After three epochs the maintained products are right, and `refresh` changes w by rounding only."""
    view, S = method.view(P), method.init(P, sampling)
    for order in islice(orders_of(method, P, sampling, np.random.default_rng(0)), 3):
        S = method.epoch(view, S, order)
    _check_products(method, P, method.points(P, S), "after three epochs")
    _check_domain(method, P, method.points(P, S).alpha, "after three epochs")
    w = np.array(method.points(P, S).w)
    method.refresh(P, S)
    if not np.allclose(method.points(P, S).w, w, rtol=1e-8, atol=1e-10):
        fail_method(
            method, P, "refresh changes w by more than rounding: a vector that it keeps is not what it stands for"
        )


def _check_data_unchanged(method: Method, P: Problem) -> None:
    X, y = small_data()
    if not (np.array_equal(P.X, X) and (P.l2 == P.l1 == 0 or np.array_equal(P.y, y))):
        fail_method(method, P, "it writes into X or y")


# ------------------------------------------------------------ runs
def _check_repeatability(method: Method, sampling: Sampling, setting: tuple[str, float, float]) -> None:
    P, sparse = small_problem(*setting), small_problem(*setting, sparse=True)
    options: dict[str, Any] = {"sampling": sampling, "tol": 0, "seed": 3, "every": 1}
    whole = solve(P, method, max_passes=6, **options)
    again = solve(P, method, max_passes=6, **options)
    if not _are_equal(whole.trace, again.trace):
        fail_method(method, P, "the same seed gives another trace: all randomness must come from `orders`")
    parted = solve(P, method, max_passes=2, **options).resume(max_passes=6, tol=0)
    if not _are_equal(whole.trace, parted.trace):
        fail_method(
            method, P, "a run that was stopped and goes on differs from one that never stopped: keep all in the state"
        )
    other = solve(sparse, method, max_passes=6, **options)
    for name, hint in (("iteration", ""), ("passes", VISITS_HINT), ("primal", "")):
        dense, stored = (trace.column(name) for trace in (whole.trace, other.trace))
        both = min(dense.size, stored.size)  # a run ends by its passes
        if not np.allclose(dense[:both], stored[:both], rtol=1e-7, atol=1e-9):
            fail_method(method, P, f"the same data give other values of {name} sparse than as an array{hint}")


def _check_optimum(method: Method, sampling: Sampling, P: Problem, tol: float, max_passes: float) -> None:
    best, zero = P.primal(scipy_optimum(P)), P.primal(np.zeros(P.d))
    rounding = 1e-8 * (zero - best)
    run, primals = iterate(P, method, sampling=sampling, seed=1), []
    while True:
        record = next(run)
        primals.append(record.primal)
        if not np.isfinite(record.primal):
            fail_method(
                method, P, f"it diverges: after {record.passes:.3g} passes P(w) is {record.primal}; either it goes "
                f"uphill, or {_step_hint(method, 'long')}"
            )  # fmt: skip
        if not (record.dual <= best + rounding and record.gap >= 0):
            fail_method(
                method, P, "its certificate is false (D must not exceed P*, nor the gap be negative): after "
                f"{record.passes:.3g} passes P = {record.primal:.6g} and D = {record.dual:.6g}, and P* = {best:.6g}"
            )  # fmt: skip
        if record.primal - best <= tol * (zero - best) or record.passes > max_passes:
            break
    _check_domain(method, P, run.alpha, f"after {record.passes:.3g} passes")
    left, uncertain = (record.primal - best) / (zero - best), record.gap / (zero - best)
    if not left <= tol:
        fail_method(
            method, P, f"after {record.passes:.3g} passes P(w) - P* is {left:.2g} times P(0) - P*, more than tol = "
            f"{tol:g}{_likely_cause(method, P, run.w, primals)}"
        )  # fmt: skip
    if P.l2 > 0 and not uncertain <= MAX_GAP_RATIO * np.sqrt(tol):
        fail_method(
            method, P, f"w is within {left:.2g} (P(0) - P*) of the optimum and its gap is {uncertain:.2g} (P(0) - P*), "
            "so that `solve` would not stop: points needs an alpha that approaches the dual optimum, as "
            "problem.alpha(w, z=z) does"
        )  # fmt: skip


def _likely_cause(method: Method, P: Problem, w: np.ndarray, primals: Sequence[float]) -> str:
    """Tell what may be wrong with a method that does not reach the optimum, by where it goes."""
    if P.l1 > 0:
        return "; if it has no step for l1, leave it out of what it takes: takes: ClassVar[tuple[str, ...]] = ()"
    if P.loss.gamma == 0:
        return '; if it needs a smooth loss, say needs: ClassVar[tuple[str, ...]] = ("smooth",)'
    slope, at_zero = P.gradient(w) - P.l2 * w, P.gradient(np.zeros(P.d))
    if np.linalg.norm(slope) < MAX_REST_SHARE * min(P.l2 * np.linalg.norm(w), np.linalg.norm(at_zero)):
        return "; it goes to where the gradient of the mean loss alone is 0: add l2 w to it (P.reg.l2 in a kernel)"
    if primals[-1] > min(primals) + RISE_SHARE * (primals[0] - min(primals)):
        return f"; P(w) rises after it fell: {_step_hint(method, 'long')}"
    if primals[-1] < primals[len(primals) // 2] - FALL_SHARE * abs(primals[0]):
        return f"; P(w) still falls: {_step_hint(method, 'short')}, or it needs a larger tol or max_passes"
    if P.l2 == 0:
        return '; if it needs l2 > 0, say needs: ClassVar[tuple[str, ...]] = ("l2",)'
    return "; it rests where the gradient of P is not 0: check that it steps along the gradient of P"


def _step_hint(method: Method, how: str) -> str:
    """Tell what is wrong with the steps, and what their length should follow."""
    known = "the smoothness of P along feature j is problem.coordinates('primal').smoothness[j]/n"
    if method.side == "dual":
        known = "n times the curvature of g*(X'alpha/n) along example i is problem.row_profile.norms2[i]/(l2 n)"
    return f"its steps are too {how}: {known}"


def _comparable_columns(trace: Trace) -> np.ndarray:
    """The columns that the same seed must reproduce."""
    return np.array([trace.column(name) for name in ("iteration", "passes", "primal", "dual", "gap")])


def _are_equal(a: Trace, b: Trace) -> bool:
    return np.array_equal(_comparable_columns(a), _comparable_columns(b), equal_nan=True)
