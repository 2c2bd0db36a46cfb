"""Running a method: one loop that draws, updates, stops the clock, measures. Everything else consumes its records."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .._version import __version__
from ..losses.per_example import mean_conjugate
from ..methods import Method, Points
from ..numerics import checks
from ..numerics.digests import array_digest
from ..problems.intercept import join_intercept
from ..problems.problem import Problem
from ..samplings import Sampling
from .entries import Entry, check_entry, label_of, resolve_entry
from .feed import Counts, Feed, lines_of_update
from .interrupts import DeferInterrupt
from .measuring import BestPoint, Measured, Measuring
from .pauses import EveryEpochs, LogMoments, Pause, Pauses
from .trace import Record, Trace, share_of_gap

EVERY_TEXT = "a whole number of epochs >= 1"
RECORDS = ("epochs", "log")
MAX_MEASURED_SHARE = 10.0  # Share of the tolerance above which an estimated gap is not measured,
MAX_UNMEASURED_EPOCHS, MAX_UNMEASURED_VISITS = 8, 1e8  # for so many epochs and nonzeros, a third of a second, at most.


class Run:
    """An endless run of one method on one problem; ``next(run)`` does one epoch and returns its Record.

    The first record is the start, w = 0 and alpha = 0 unless another was given. Stop by no longer asking; go on by
    asking again. Ctrl-C takes effect between two epochs: a run that was interrupted goes on as if it had not been.

    Attributes
    ----------
    w, alpha : the current primal (d,) and dual (n,) points
    trace : the records so far, with what it takes to repeat them
    seen : what was measured last, a `Measured`; None before the first record
    best : the point of the smallest gap among those that the run has left, a `BestPoint`
    counts : the epochs, iterations, visits and seconds so far
    begun : the epochs and passes after which the method that runs began, as "auto" goes on with another
    when : when it measures, an `EveryEpochs`, `LogMoments` or `Pauses`
    feed : what its epochs are fed with; `feed.active` are the coordinates that remain, if the method leaves some out
    status : why it ended, once `drive` has ended it
    """

    def __init__(
        self,
        problem: Problem,
        method: Entry,
        sampling: str | Sampling | np.ndarray | None = None,
        seed: int = 0,
        every: int | None = 1,
        test: tuple[Any, Any] | None = None,
        strong_convexity: float | str | None = None,
        start: Any = None,
        clock: Callable[[], float] = time.perf_counter,
        records: str = "epochs",
        measuring: type[Measuring] = Measuring,
        **parameters: Any,
    ):
        if not isinstance(problem, Problem):
            raise TypeError(f"the first argument must be a cdlab.Problem, not {checks.short_repr(problem)}")
        every = every if every is None else checks.integer("every", every, EVERY_TEXT)
        checks.one_of("records", records, RECORDS)
        if records == "log" and every not in (None, 1):
            raise ValueError('every counts epochs, and records="log" counts passes on a logarithmic scale: give one')
        self.problem: Problem = problem
        self.method: Method
        self.method, drawn = resolve_entry(method, sampling, **parameters)
        centred = problem.centred
        check_entry(centred, self.method, drawn)
        rng = checks.seed(seed)
        tested = problem.test_data(*test) if test is not None else None
        self.start: Points | None = None if start is None else start_point(problem, start)
        self.measuring: Measuring = measuring(problem, self.method, self.start, tested, strong_convexity)
        self._clock, self._view = clock, self.method.view(centred)
        self._state: Any = self.method.init(centred, drawn, self.start or centred.start)
        self.method.warm(self._view, self._state)
        centred.products.warm(centred.outputs)
        self._types = tuple(map(type, self._state))  # for which kernels are compiled: with others, others may be needed
        screens = self.method.can_screen(centred, self._state)
        self.feed: Feed = Feed(centred, self.method, drawn, rng, screens)
        self.counts: Counts = Counts(centred, self.method.counts_ideal)
        self.when: EveryEpochs | LogMoments | Pauses
        if records == "log":
            self.when, every = LogMoments(centred.nnz), None
        else:
            self.when = Pauses(centred, self.method, self._state) if every is None else EveryEpochs(every)
        self.begun: tuple[int, float] = (0, 0.0)
        self.best: BestPoint = BestPoint()
        self.seen: Measured | None = None
        self._has_moved = False  # since the last record
        later = partial(run_metadata, problem, self.method, drawn, seed, every, self.start)
        self.trace: Trace = Trace.with_later_meta(later)
        if records == "log":
            self.trace.note(records=records)
        self.status: str = ""

    def __iter__(self) -> Run:
        return self

    def __next__(self) -> Record:
        return self.advance().record

    def advance(
        self,
        max_passes: float | None = None,
        max_seconds: float | None = None,
        tol: float | None = None,
        measure_now: Callable[[], bool] | None = None,
    ) -> Measured:
        """Run to the next measurement, sooner where a limit is reached before.

        Parameters
        ----------
        max_passes, max_seconds : float or None
            Limits, from the start of the run.
        tol : float or None, default None
            The tolerance that the next measurement should reach, which `when` looks ahead to.
        measure_now : callable, optional
            Asked after each epoch: if it returns True, the run measures at once.

        Raises
        ------
        RuntimeError
            If the run was broken off in the midst of an epoch, by an error or a second Ctrl-C.
        ValueError
            If the run shows that P is not strongly convex with the modulus that was given.
        """
        if self._state is None:
            raise self._broken_off()
        seen, counts, planned, afresh = self.seen, self.counts, True, False
        most = math.inf if max_passes is None else max_passes
        longest = math.inf if max_seconds is None else max_seconds
        with DeferInterrupt() as interrupts, np.errstate(all="ignore"):  # a diverging run shows as inf or nan
            if seen is not None:
                pause = self.when.next(counts, seen, tol)
                afresh, asked = pause.reaches_tol, False
                while True:
                    if self._has_moved:
                        planned = counts.epochs >= pause.epochs or counts.passes >= pause.passes
                        if planned and pause.predicted:
                            planned, afresh = self._decide_by_estimate(seen, pause, tol)
                        if pause.predicted and not planned:
                            planned = tuple(map(type, self._state)) != self._types
                        if planned or asked or counts.passes >= most or counts.seconds >= longest:
                            break
                    interrupts.deliver_pending()
                    self._run_epochs(seen, pause, most)
                    asked = measure_now is not None and measure_now()
            return self._measure(planned, afresh)

    def _run_epochs(self, seen: Measured, pause: Pause, most: float) -> None:
        """Run an epoch, or as many as may run together before the pause ends; at moments of passes, a part of one."""
        S, method, counts, feed = self._state, self.method, self.counts, self.feed
        measuring, problem = self.measuring, self.measuring.problem
        count, left = 1, pause.epochs - counts.epochs
        if 1 < left < math.inf and (together := min(left, method.epochs_together(problem, S))) > 1:
            count = max(1, int(min(counts.epochs_within(together, most), measuring.refresh_due - counts.epochs)))
        self._state = None  # until it is whole again
        if not self._has_moved:
            self.best.keep(seen)
            self._has_moved = True
            if feed.active is not None and seen.can_screen:
                begun = self._clock()
                S, visits = feed.screen(S, seen.points, seen.record.gap)
                counts.visits += visits
                counts.seconds += self._clock() - begun
        if (types := tuple(map(type, S))) != self._types:
            method.warm(self._view, S)
            self._types = types
        begun = self._clock()
        order = feed.take(count) if feed.rest is None else None
        if pause.passes < math.inf and method.can_split_epoch:
            paused = self._clock()
            order = feed.take_part(order, min(pause.passes, most) * problem.nnz - counts.visits)
            begun += self._clock() - paused
        S = method.epoch(self._view, S, order)
        if feed.rest is None:
            counts.epochs += count
            if counts.epochs >= measuring.refresh_due:
                measuring.refresh(S, counts.epochs)
        counts.seconds += self._clock() - begun
        counts.add(method.counted(problem, S, order), count)
        self._state = S

    def _decide_by_estimate(self, seen: Measured, pause: Pause, tol: float | None) -> tuple[bool, bool]:
        """Return whether to measure, and whether afresh: where the gap may be, and where it should be, small enough."""
        counts, problem = self.counts, self.measuring.problem
        gap, dual = self.method.estimated_gap(problem, self._state), seen.record.dual
        if tol is None or math.isnan(gap) or not math.isfinite(dual):
            return True, pause.reaches_tol
        left = share_of_gap(gap, dual, self.at_zero)
        is_long = counts.epochs - seen.epochs >= MAX_UNMEASURED_EPOCHS
        is_long |= counts.visits - seen.record.passes * problem.nnz >= MAX_UNMEASURED_VISITS
        return is_long or left <= MAX_MEASURED_SHARE * tol, left <= tol

    def _measure(self, planned: bool, afresh: bool) -> Measured:
        """Measure where the run is; `planned` is False where a limit alone asks for it."""
        active, S = self.feed.active, self._state
        num_active = math.nan if active is None else int(np.count_nonzero(active.mask))
        before, counts = self.seen, self.counts
        self.seen = seen = self.measuring.measure(S, counts, num_active, planned, afresh)
        self._has_moved = False
        self.trace.records.append(seen.record)
        if (words := getattr(S, "words", None)) is not None:
            if before is not None and seen.types != before.types:
                self.begun = counts.epochs, counts.passes
            self.trace.note(chosen=words)
        return seen

    def certify(self) -> Measured:
        """Replace the last record by one measured after a refresh."""
        if self._state is None:
            raise self._broken_off()
        with DeferInterrupt(), np.errstate(all="ignore"):
            self.trace.records.pop()
            return self._measure(planned=True, afresh=True)

    def _broken_off(self) -> RuntimeError:
        epoch = self.counts.epochs + 1
        return RuntimeError(f"this run was broken off in the midst of epoch {epoch} and cannot go on: solve anew")

    @property
    def at_zero(self) -> float:
        """P(0), see `Problem.at_zero`."""
        return self.measuring.at_zero

    @property
    def w(self) -> np.ndarray:
        """A copy of the current primal point, (d,); (d, K) with softmax."""
        return self.problem.from_centred(self.points.w)

    @property
    def alpha(self) -> np.ndarray:
        """A copy of the current dual point, (n,); (n, K) with softmax."""
        return np.array(self.points.alpha)

    @property
    def points(self) -> Points:
        """The current points of `Problem.centred`, with products at hand: maybe arrays that change later."""
        if self.seen is not None and not self._has_moved:
            return self.seen.points
        if self._state is None:
            raise self._broken_off()
        with np.errstate(all="ignore"):
            return self.method.points(self.measuring.problem, self._state)

    @property
    def last_update(self) -> list[int]:
        """The coordinates of the last update; [] at the start, and where epochs are more than their updates."""
        return lines_of_update(self.feed.order, -1) if self.method.can_split_epoch and self.counts.iterations else []


def start_point(problem: Problem, start: Any) -> Points | None:
    """A checked copy of a start (w, alpha), as a point of `Problem.centred`; None if start is None.

    A missing w or alpha is computed from the other.

    At the optimum alpha_i = -phi'(x_i'w) and w = grad g*(X'alpha/n): so a missing alpha is taken from w, and a missing
    w from alpha where l2 > 0.

    Parameters
    ----------
    problem : Problem
        The problem that is solved from there.
    start : None, (w, alpha) or an object with both, as a Solution
        w (d,), alpha (n,); with softmax (d, K) and (n, K). One of them may be None. The intercept is w's last
        entry; a Solution carries it separately.

    Raises
    ------
    TypeError, ValueError
        If it is not such a pair, has other shapes, is not finite, or alpha lies outside the domain of the dual.
    """
    if start is None:
        return None
    if hasattr(start, "w") and hasattr(start, "alpha"):
        w = start.w
        if problem.intercept and w is not None:
            w = join_intercept(w, getattr(start, "intercept", 0.0))
        start = (w, start.alpha)
    if not (isinstance(start, tuple | list) and len(start) == 2):
        raise TypeError(
            f"start must be (w, alpha), one of which may be None, or a Solution; not {type(start).__name__}"
        )
    w = _start_array("w", start[0], (problem.d, *problem.outputs))
    if w is not None and not np.array_equal(problem.reg.clipped(w), w):
        raise ValueError("the start's w lies outside of the bounds of the features, where P(w) = inf; clip it to them")
    alpha = _start_array("alpha", start[1], (problem.n, *problem.outputs))
    if alpha is None:
        if w is None:
            raise ValueError("start=(None, None) says nothing: give w, alpha or both, or leave start out")
        return Points(problem.to_centred(w), problem.alpha(w))
    if not np.isfinite(mean_conjugate(problem.loss, alpha, problem.loss_y)):
        raise ValueError(
            f"the start's alpha lies outside the domain of the {problem.loss.name} loss's dual, where D(alpha) = -inf; "
            "start=(w, None) computes a feasible alpha from w"
        )
    if w is None:
        if problem.intercept:
            why = "is not possible with an intercept: alpha does not determine it"
        else:
            why = "needs l2 > 0: without it alpha does not determine w"
        if problem.mu == 0 or problem.intercept:
            raise ValueError(f"start=(None, alpha) {why}; give w, too")
        w = problem.w(alpha)
    return Points(problem.to_centred(w), alpha)


def _start_array(name: str, x: Any, shape: tuple[int, ...]) -> np.ndarray | None:
    if x is None:
        return None
    x = np.asarray(x)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"the start's {name} must hold real numbers; its dtype is {x.dtype}")
    x = np.array(x, dtype=np.float64, order="C")
    if x.shape != shape:
        raise ValueError(f"the start's {name} must have shape {shape}; it has {x.shape}")
    if not np.isfinite(x).all():
        raise ValueError(f"the start's {name} contains NaN or infinity: a run that diverged cannot be started from")
    return x


def run_metadata(
    problem: Problem, method: Method, sampling: Sampling, seed: Any, every: int | None, start: Points | None
) -> dict[str, Any]:
    """The `meta` of the trace of a run with these arguments: texts and numbers that JSON can hold."""
    drawn = method.draws(sampling)
    meta: dict[str, Any] = {
        "label": label_of(method, sampling),
        "method": method.label,
        "side": method.side,
        "sampling": "none" if drawn is None else drawn.label,
        "seed": seed if isinstance(seed, int) else str(seed),
        "every": every,
        "problem": repr(problem),
        "data": problem.digest,
        "versions": {"cdlab": __version__, "numpy": np.__version__, "python": platform.python_version()},
        "machine": platform.machine(),
    }
    if problem.is_certified and np.isfinite(problem.dual_at_zero):  # without a regulariser gap is inf
        meta["D0"] = problem.dual_at_zero
    if start is not None:
        meta["start"] = array_digest(start.w, start.alpha)
    if start is not None or problem.intercept:
        meta["P0"] = problem.at_zero
    return meta
