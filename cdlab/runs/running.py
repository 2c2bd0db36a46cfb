"""Running a method: one loop that draws, updates, stops the clock, measures. Everything else consumes its records."""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np

from .._version import __version__
from ..losses.per_example import mean_conjugate
from ..methods import Method, Points
from ..methods.wrappers.screened import Active, ScreeningMethod
from ..numerics import checks
from ..numerics.digests import array_digest
from ..problems.certificates import Certificate, certificate, complete_points
from ..problems.convexity import strong_convexity as modulus
from ..problems.intercept import join_intercept
from ..problems.problem import Problem, Scores
from ..problems.rounding import ROUNDING_FALL, gap_between
from ..samplings import Sampling
from .entries import EndlessOrders, Entry, check_entrant, entrant, label_of
from .interrupts import DeferInterrupt
from .parts import DividedOrder, lines_of_update
from .schedule import FULL_MEASURING_NONZEROS, MEASURING_NONZEROS, LogMoments, MeasurementSchedule, ProductMonitor
from .trace import Record, Trace

JOINED_NONZEROS = 3e5  # that epochs which run at once may visit together, about a millisecond
MAX_AFRESH_NONZEROS = 4e4  # whose products each measurement computes: less work than to measure again at the end
MAX_FIRST_PASSES = 50  # that a first epoch may take, which finds a step, before it is known
EVERY_TEXT = "a whole number of epochs >= 1"
RECORDS = ("epochs", "log")
WITHOUT_TEST = Scores(math.nan, math.nan, math.nan)


class Run:
    """An endless run of one method on one problem; ``next(run)`` does one epoch and returns its Record.

    The first record is the start, w = 0 and alpha = 0 unless another was given. Stop by no longer asking; go on by
    asking again. Ctrl-C takes effect between two epochs: a run that was interrupted goes on as if it had not been.

    Attributes
    ----------
    w, alpha : the current primal (d,) and dual (n,) points
    trace : the records so far, with what it takes to repeat them
    moments : when records are due with ``records="log"``, else None
    screening : the coordinates that are still visited, if the method leaves some out, else None
    measures_afresh : whether measurements compute X w and X'alpha/n themselves, as on small data
    is_measured_afresh : whether the last one did
    best_left : the record of the smallest gap among those of points that the run has left; None without such a gap
    last_fall : the record among those where the gap last fell by a tenth below all before
    gradient_ratio : ||grad P(w)||/||grad P(0)|| at the last record where l2 = l1 = 0 and the loss is smooth, else NaN
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
        **parameters: Any,
    ):
        if not isinstance(problem, Problem):
            raise TypeError(f"the first argument must be a cdlab.Problem, not {checks.short_repr(problem)}")
        self.every: int | None = every if every is None else checks.integer("every", every, EVERY_TEXT)
        checks.one_of("records", records, RECORDS)
        if records == "log" and every not in (None, 1):
            raise ValueError('every counts epochs, and records="log" counts passes on a logarithmic scale: give one')
        self.problem: Problem = problem
        self.method: Method
        self.sampling: Sampling
        self.method, self.sampling = entrant(method, sampling, **parameters)
        self._centred: Problem = problem.centred
        check_entrant(self._centred, self.method, self.sampling)
        rng = _random_generator(seed)
        self.seed: int = seed
        self._test = problem.test_data(*test) if test is not None else None
        self._mu = modulus(self._centred, strong_convexity)
        self.start: Points | None = start_point(problem, start)
        problem = self._centred
        self._clock, self._view = clock, self.method.view(problem)
        self._state = self.method.init(problem, self.sampling, self.start or problem.start)
        self.method.warm(self._view, self._state)
        problem.products.warm(problem.outputs)
        self._state_types = _field_types(self._state)
        self._points: Points | None = None  # those of the state, once they were measured
        self.best_left: Record | None = None
        self.last_fall: Record | None = None
        self._best_points: Points | None = None  # a copy of its points
        self._orders = EndlessOrders(self.method, self.method.orders(problem, self.sampling, rng))
        self.screening: ScreeningState | None = new_screening(problem, self.method, self._state, self.sampling, rng)
        self.moments: LogMoments | None = LogMoments(problem.nnz) if records == "log" else None
        self._divided: DividedOrder | None = None  # what is left of an epoch, with moments
        self._order: Any = None  # what the last epoch, or part of one, was fed with
        self._has_moved = False  # since the last record
        self._has_changed_method = False  # the same, to one of another state, as `auto` may
        self._iteration, self._visited, self._examples, self._seconds, self._epoch = 0, 0.0, 0.0, 0.0, 0
        self._largest_visits = 0.0  # of an epoch
        self._ideal = 0.0  # nonzeros that updates alone visited, if the method says so
        self._measured: int | None = None  # epochs at the last record
        self._is_between_epochs = True  # False in the midst of an epoch
        self.schedule: MeasurementSchedule = MeasurementSchedule()  # of `solve`, where every is None
        self._num_products = 0  # with X, that the last measurement computed
        self._products = ProductMonitor()
        self.measures_afresh: bool = problem.nnz <= MAX_AFRESH_NONZEROS
        self.is_measured_afresh: bool = False
        self._maintains_products = type(self.method).refresh is not Method.refresh
        self._can_batch_epochs = self.method.can_batch_epochs(problem)
        self.gradient_ratio: float = np.nan
        self._zero_gradient_norm = np.nan  # ||grad P(0)||, from the first record on
        self._best_lower_bound = -np.inf  # lower bound of P* so far, where strong convexity certifies
        self.trace: Trace = Trace.with_later_meta(
            partial(run_metadata, self.problem, self.method, self.sampling, seed, self.every, self.start)
        )
        if self.moments is not None:
            self.trace.note(every=None, records=records)
        self.status: str = ""  # why it ended, once `drive` has ended it

    def __iter__(self) -> Run:
        return self

    def __next__(self) -> Record:
        return self.advance()

    def advance(
        self,
        max_passes: float | None = None,
        max_seconds: float | None = None,
        epochs: int | None = None,
        afresh: bool = False,
        measure_now: Callable[[], bool] | None = None,
    ) -> Record:
        """Run to the next measurement, sooner where a limit is reached before.

        Parameters
        ----------
        max_passes, max_seconds : float or None
            Limits, from the start of the run.
        epochs : int or None, default None
            Epochs to the next measurement. None: to the next multiple of `every`.
        afresh : bool, default False
            Measure from maintained vectors that are computed afresh, as `certify` does, if not from products alone.
        measure_now : callable, optional
            Asked after each epoch: if it returns True, the run measures at once.

        Raises
        ------
        RuntimeError
            If the run was broken off in the midst of an epoch, by an error or a second Ctrl-C.
        ValueError
            If the run shows that P is not strongly convex with the modulus that was given.
        """
        with DeferInterrupt() as interrupts, np.errstate(all="ignore"):  # a diverging run shows as inf or nan
            while not self._is_measurement_due(max_passes, max_seconds, epochs):
                self._run_epochs(self._num_joined(max_passes, epochs), max_passes)
                interrupts.deliver_pending()
                if measure_now is not None and measure_now():
                    break
            if afresh and not self.measures_afresh:
                self._refresh()
            return self._measure(self._is_measurement_planned(epochs))

    def _is_measurement_due(self, max_passes: float | None, max_seconds: float | None, epochs: int | None) -> bool:
        if self._measured is not None and not self._has_moved:
            return False
        over = max_passes is not None and self._passes() >= max_passes
        late = max_seconds is not None and self._seconds >= max_seconds
        return self._is_measurement_planned(epochs) or over or late

    def _num_joined(self, max_passes: float | None, epochs: int | None) -> int:
        """How many of the epochs before the next measurement are run at once, on one order.

        As many as end before the next refresh or choice, are over in a moment, and stay clear of the limit, by the
        longest so far. All of it depends on counts, not on a clock, and the run is the same as by one epoch after
        another.
        """
        if self.moments is not None or not self._can_batch_epochs or self._measured is None:
            return 1
        every = self.every or 1
        left = every - self._epoch % every if epochs is None else self._measured + epochs - self._epoch
        if left <= 1:
            return 1
        each = max(self._visited, self._iteration) / self._epoch if self._epoch else max(1, self._centred.nnz)
        if max_passes is not None and max_passes < np.inf:
            largest = max(each, self._largest_visits) if self._epoch else MAX_FIRST_PASSES * each
            left = int(min(left, (max_passes - self._passes()) * self._centred.nnz / (2 * largest)))
        joined = int(
            max(1, min(left, JOINED_NONZEROS // each, self.method.epochs_to_decision(self._centred, self._state)))
        )
        return min(joined, self._products.epochs_to_refresh(self._epoch)) if self._maintains_products else joined

    def _is_measurement_planned(self, epochs: int | None) -> bool:
        if self.moments is not None:
            return self._measured is None or self._passes() >= self.moments.next
        if epochs is not None and self._measured is not None:  # planned for the method that ran then
            return self._epoch >= self._measured + epochs or self._has_changed_method
        return self._epoch % (self.every or 1) == 0  # also at the start

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
        if self._points is not None:
            return self._points
        with np.errstate(all="ignore"):
            return self.method.points(self._centred, self._state)

    @property
    def last_update(self) -> list[int]:
        """The coordinates of the last update; [] at the start, and where epochs are more than their updates."""
        return lines_of_update(self._order, -1) if self.method.can_split_epoch and self._iteration else []

    def _run_epochs(self, count: int, max_passes: float | None) -> None:
        """Run so many epochs; with moments, if the method's can be divided, up to the next one or the limit."""
        if not self._is_between_epochs:
            raise RuntimeError(
                f"this run was broken off in the midst of epoch {self._epoch + 1} and cannot go on: solve anew"
            )
        self._keep_best()
        self._is_between_epochs, self._points = False, None
        if self.screening is not None:
            self._screen(self.screening)
        if (types := _field_types(self._state)) != self._state_types:
            self.method.warm(self._view, self._state)
            self._state_types = types
        begun = self._clock()
        order = self._orders.take(count) if self._divided is None else None
        if self.moments is not None and self.method.can_split_epoch:
            paused = self._clock()
            order = self._next_part(order, self.moments, max_passes)
            begun += self._clock() - paused
        self._state, self._order = self.method.epoch(self._view, self._state, order), order
        if _field_types(self._state) != self._state_types:
            self._has_changed_method, self.schedule = True, MeasurementSchedule()
        if self._divided is None:
            self._epoch += count
            if self._products.is_refresh_due(self._epoch):
                self._refresh()
        self._seconds += self._clock() - begun
        did = self.method.counted(self._centred, self._state, order)
        self._iteration += did.iterations
        self._visited += did.visits
        self._largest_visits = max(self._largest_visits, did.visits / count)
        self._examples += did.examples or 0.0
        self._ideal += did.visits if did.ideal is None else did.ideal
        self._has_moved = self._is_between_epochs = True

    def _keep_best(self) -> None:
        """Copy the points of the last record, which the run is about to leave, if no gap before was as small."""
        last = self.trace.records[-1] if self.trace.records and not self._has_moved else None
        if last is None or not last.gap < (np.inf if self.best_left is None else self.best_left.gap):
            return
        points = self.points
        if self._best_points is None:
            self._best_points = Points(np.array(points.w), np.array(points.alpha))
        else:
            np.copyto(self._best_points.w, points.w)
            np.copyto(self._best_points.alpha, points.alpha)
        self.best_left = last
        if self.last_fall is None or last.gap < ROUNDING_FALL * self.last_fall.gap:
            self.last_fall = last

    def points_of(self, record: Record) -> Points:
        """The points of the last record, or of `best_left`: maybe the run's own arrays, which change as it goes on."""
        return self._best_points if record is self.best_left and self._best_points is not None else self.points

    def _next_part(self, order: Any, moments: LogMoments, max_passes: float | None) -> Any:
        """The updates of an epoch, the one that goes on or a new one with this order, that lead to the next moment."""
        divided = self._divided or DividedOrder(order, self.method.visits(self._centred))
        until = moments.next if max_passes is None else min(moments.next, max_passes)
        part = divided.take(until * self._centred.nnz - self._visited)
        self._divided = None if divided.is_used_up else divided
        return part

    def _screen(self, screening: ScreeningState) -> None:
        begun = self._clock()
        self._state, visited, self._orders = screening.apply(self._state, self._orders)
        self._visited += visited
        self._seconds += self._clock() - begun

    @property
    def at_zero(self) -> float:
        """P(0), see `Problem.at_zero`."""
        return self._centred.at_zero

    @property
    def epochs(self) -> int:
        """Epochs done."""
        return self._epoch

    @property
    def measuring_share(self) -> float:
        """Nonzeros that the last measurement visited over those of an epoch.

        0 if it multiplied nothing, else inf before the first epoch.
        """
        products = self._num_products + self.method.products_of_points
        return self._over_epoch(products * self._centred.nnz / 2) if products else 0.0  # each is half a pass

    @property
    def measuring_overhead(self) -> float:
        """What it costs beside, in the same unit; before the first epoch, of epochs of a pass that are run at once."""
        nonzeros = FULL_MEASURING_NONZEROS if self._centred.is_full else MEASURING_NONZEROS
        if self._visited or not self._centred.nnz:
            return self._over_epoch(nonzeros)
        return nonzeros / self._centred.nnz if self._can_batch_epochs else 0.0

    def _over_epoch(self, nonzeros: float) -> float:
        return nonzeros * self._epoch / self._visited if self._visited else np.inf

    def _passes(self) -> float:
        return self._visited / self._centred.nnz if self._centred.nnz else self._iteration / self._centred.n

    def _measure(self, planned: bool = True) -> Record:
        problem = self._centred
        self._points = points = self.method.points(problem, self._state)
        is_computed_afresh = self.measures_afresh and self._epoch > 0  # at the start they are afresh as they are
        self.is_measured_afresh = is_computed_afresh or len(points.fresh) == 2
        if not is_computed_afresh:
            points = self._products.drop_unreliable_products(points)
        self._num_products = (points.z is None) + (points.v is None)
        if is_computed_afresh:
            points = points.only_fresh
        if self.screening is not None or problem.intercept:
            points = complete_points(problem, points)
        known = certificate(problem, points, self._mu).with_more_rounding(problem.rounding_of_coefficients(points))
        if known.alpha is not None and known.alpha is not points.alpha:
            self._points = Points(points.w, known.alpha, z=points.z)
        scores = WITHOUT_TEST if self._test is None else self.problem.test_scores(self.w, self._test)
        self._check_strong_convexity(known)
        if not self.trace.records:
            self._zero_gradient_norm = known.gradient if self.start is None else self._gradient_at_zero()
        at_zero = self._zero_gradient_norm
        self.gradient_ratio = known.gradient / at_zero if at_zero else known.gradient
        record = Record(
            self._iteration,
            self._passes(),
            self._seconds,
            known.primal,
            known.dual,
            known.gap,
            scores.test_error,
            self._ideal / max(1, problem.nnz) if self.method.counts_ideal else math.nan,
            scores.test_loss,
            self._examples,
            self.screening.num_active if self.screening else math.nan,
            scores.test_sign_error,
            known.rounding,
        )
        if self.start is not None and not self.trace.records:
            self._products.note_start(record.gap, problem.at_zero)
        self.trace.records.append(record)
        if (words := getattr(self._state, "words", None)) is not None:
            self.trace.note(chosen=words)
        # ignore measurements forced by a limit, so that a resumed run equals an uninterrupted one
        if self.screening is not None and planned and known.alpha is points.alpha:
            self.screening.remember(points, known.gap)
        self._measured, self._has_moved, self._has_changed_method = self._epoch, False, False
        if self.moments is not None:
            self.moments.note(record.passes, self._num_products)
        return record

    def _refresh(self) -> None:
        self._points = None
        self.method.refresh(self._centred, self._state)
        self._products.note_refresh()

    def _gradient_at_zero(self) -> float:
        problem = self._centred
        zero = problem.start or Points(problem.zeros(problem.d), problem.zeros(problem.n))
        return certificate(problem, zero, None).gradient

    def _check_strong_convexity(self, known: Certificate) -> None:
        """P(w) - ||grad P(w)||^2/(2 mu) <= P* at every w, if P is mu-strongly convex: a smaller P(w) refutes mu."""
        if self._mu is None or not math.isfinite(known.primal):
            return
        self._best_lower_bound = float(np.fmax(self._best_lower_bound, known.dual))
        if gap_between(known.primal, self._best_lower_bound, known.rounding) == np.inf:
            raise ValueError(
                f"strong_convexity = {self._mu:.3g} is not true of this problem: it promised that P is nowhere below "
                f"{self._best_lower_bound:.17g}, and P(w) = {known.primal:.17g} has been reached; pass a smaller number"
            )

    def certify(self) -> Record:
        """Replace the last record by one measured after a refresh."""
        with DeferInterrupt(), np.errstate(all="ignore"):
            self._refresh()
            self.trace.records.pop()
            return self._measure()


def _field_types(S: Any) -> tuple[type, ...]:
    """The types in a state: where they change, other kernels may be needed."""
    return tuple(map(type, S))


def _random_generator(seed: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ValueError(f"seed must be a whole number >= 0, not {checks.short_repr(seed)}") from None


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
    w, alpha = (_start_array(name, x, shape) for name, x, shape in _named_parts(problem, start))
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
        if problem.l2 == 0 or problem.intercept:
            why = (
                "is not possible with an intercept: alpha does not determine it"
                if problem.intercept
                else "needs l2 > 0: without it alpha does not determine w"
            )
            raise ValueError(f"start=(None, alpha) {why}; give w, too")
        w = problem.w(alpha)
    return Points(problem.to_centred(w), alpha)


def _named_parts(problem: Problem, start: Any) -> Iterable[tuple[str, Any, tuple[int, ...]]]:
    """Name, value and wanted shape of w and of alpha."""
    return zip(("w", "alpha"), start, ((problem.d, *problem.outputs), (problem.n, *problem.outputs)), strict=True)


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


class ScreeningState:
    """Applies a method's screening after each planned measurement, and knows the coordinates that remain."""

    def __init__(self, problem: Problem, method: ScreeningMethod, sampling: Sampling, rng: np.random.Generator) -> None:
        self._problem, self._method, self._sampling, self._rng = problem, method, sampling, rng
        self.active: Active = Active(np.ones(problem.coordinates(method.side).m, dtype=bool))
        self._found: tuple[Points, float] | None = None

    @property
    def num_active(self) -> int:
        """How many coordinates are visited."""
        return int(np.count_nonzero(self.active.mask))

    def remember(self, points: Points, gap: float) -> None:
        """Remember what a measurement has found, for the next epoch."""
        self._found = points, gap

    def apply(self, S: Any, orders: EndlessOrders) -> tuple[Any, float, EndlessOrders]:
        """The state, the nonzeros visited for it, and the orders, which are new if the coordinates have changed."""
        if self._found is None:
            return S, 0.0, orders
        before, (points, gap), self._found = self.active.mask, self._found, None
        S, self.active, visited = self._method.screen(self._problem, S, points, gap, self.active)
        if np.array_equal(before, self.active.mask):
            return S, visited, orders
        orders_of_active = self._method.orders_among(self._problem, self._sampling, self._rng, self.active.mask)
        return S, visited, EndlessOrders(self._method, orders_of_active)


def new_screening(
    problem: Problem, method: Method, S: Any, sampling: Sampling, rng: np.random.Generator
) -> ScreeningState | None:
    """The screening of a run with this method that begins in the state S; None if it has none."""
    if isinstance(method, ScreeningMethod) and method.can_screen(problem, S):
        return ScreeningState(problem, method, sampling, rng)
    return None


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
    if (problem.l2 > 0 or problem.l1 > 0) and np.isfinite(problem.dual_at_zero):  # without a regulariser gap is inf
        meta["D0"] = problem.dual_at_zero
    if start is not None:
        meta["start"] = array_digest(start.w, start.alpha)
    if start is not None or problem.intercept:
        meta["P0"] = problem.at_zero
    return meta
