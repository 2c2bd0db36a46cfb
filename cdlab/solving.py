"""Running a method: one loop that draws, updates, stops the clock, measures. Everything else consumes its records.

``Run`` (what ``iterate`` returns) is an endless iterator of records. ``solve`` pulls it until a rule says stop.
"""

from __future__ import annotations

import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import methods, samplings
from ._version import __version__
from .methods import METHODS, Method
from .problem import Problem
from .samplings import Sampling
from .trace import Record, Trace, relative_gap

TOLERANCE, PASS_LIMIT, TIME_LIMIT = "tolerance reached", "pass limit", "time limit"
STOPPED, DIVERGED, GRADIENT_SMALL = "stopped", "diverged", "gradient small"

REFRESH_EVERY = 50  # epochs; maintained vectors drift by about 1e-16 sqrt(updates)


class Run:
    """An endless run of one method on one problem; ``next(run)`` does one epoch and returns its Record.

    The first record is the start, w = 0 and alpha = 0. Stop by no longer asking; go on by asking again.

    Attributes
    ----------
    w, alpha : the current primal (d,) and dual (n,) points
    trace : the records so far, with what it takes to repeat them
    """

    def __init__(
        self,
        problem: Problem,
        method: str | Method,
        sampling: str | Sampling | np.ndarray = "uniform",
        seed: int = 0,
        every: int = 1,
        test: tuple[Any, Any] | None = None,
        **parameters: Any,
    ):
        if not isinstance(problem, Problem):
            raise TypeError(f"the first argument must be a cdlab.Problem, not {type(problem).__name__}")
        if isinstance(every, bool) or not isinstance(every, int | np.integer) or every < 1:
            raise ValueError(f"every must be a whole number of epochs >= 1, not {every!r}")
        self.problem, self.method, self.sampling = problem, methods.make(method, **parameters), samplings.make(sampling)
        check(problem, self.method, self.sampling)
        self.every, self.seed = every, seed
        self._test = problem.test_data(*test) if test is not None else None
        coordinates = problem.coordinates(self.method.side)
        p = self.sampling.probabilities(coordinates)
        self._view, self._visits = self.method.view(problem), self.method.visits(problem)
        self._state = self.method.init(problem, p)
        self._state = self.method.epoch(self._view, self._state, np.empty(0, np.uint64))  # compiles, off the clock
        self._epochs = self.sampling.epochs(coordinates, np.random.default_rng(seed))
        self._iteration, self._visited, self._seconds, self._epoch = 0, 0, 0.0, 0
        self.trace = Trace(meta=_meta(self))

    def __iter__(self) -> Run:
        return self

    def __next__(self) -> Record:
        if self.trace.records:
            for _ in range(self.every):
                self._advance()
        return self._measure()

    @property
    def w(self) -> np.ndarray:
        return np.array(self.method.points(self.problem, self._state).w)

    @property
    def alpha(self) -> np.ndarray:
        return np.array(self.method.points(self.problem, self._state).alpha)

    def _advance(self) -> None:
        start = time.perf_counter()
        order = next(self._epochs)
        self._state = self.method.epoch(self._view, self._state, order)
        self._epoch += 1
        if self._epoch % REFRESH_EVERY == 0:
            self.method.refresh(self.problem, self._state)
        self._seconds += time.perf_counter() - start
        self._iteration += order.size
        self._visited += int(self._visits[order].sum())

    def _measure(self) -> Record:
        problem, points = self.problem, self.method.points(self.problem, self._state)
        with np.errstate(
            over="ignore", invalid="ignore"
        ):  # a diverging run shows as inf or nan, and is stopped as such
            primal = problem.primal(points.w, z=points.z)
            dual = problem.dual(points.alpha, v=points.v)
            error = problem.test_error(points.w, self._test) if self._test is not None else np.nan
        passes = self._visited / problem.nnz if problem.nnz else self._iteration / problem.n
        record = Record(self._iteration, passes, self._seconds, primal, dual, max(0.0, primal - dual), error)
        self.trace.records.append(record)
        return record

    def certify(self) -> Record:
        """Measure the last record again with maintained vectors recomputed from their definition."""
        self.method.refresh(self.problem, self._state)
        self.trace.records.pop()
        return self._measure()


def iterate(
    problem: Problem,
    method: str | Method = "sdca",
    *,
    sampling: str | Sampling | np.ndarray = "uniform",
    seed: int = 0,
    every: int = 1,
    test: tuple[Any, Any] | None = None,
    **parameters: Any,
) -> Run:
    """Run a method without end, one Record at a time; stop by leaving the loop.

    Parameters
    ----------
    problem : Problem
    method : str or Method, default "sdca"
        A name in ``cdlab.methods.METHODS`` (its parameters follow as keywords), or an instance.
    sampling : str, Sampling or array of probabilities, default "uniform"
    seed : int, default 0
        The same seed gives the same records, but for their seconds.
    every : int, default 1
        Epochs per record. An epoch is as many updates as there are coordinates.
    test : (X, y), optional
        Test data; adds test_error to the records.

    Raises
    ------
    ValueError, TypeError
        If method, sampling and problem do not fit, in a sentence that says why and what does.

    Examples
    --------
    >>> import cdlab
    >>> P = cdlab.Problem([[1.0, 0.0], [0.0, 2.0]], [1, -1], l2=0.1)
    >>> for record in cdlab.iterate(P, "sdca", seed=0):
    ...     if record.passes >= 20:
    ...         break
    >>> record.gap < 1e-8
    True
    """
    return Run(problem, method, sampling, seed, every, test, **parameters)


@dataclass
class Solution:
    """Where a run ended.

    Attributes
    ----------
    w : (d,) primal point
    alpha : (n,) dual point
    gap, relative_gap : float
        max(0, P(w) - D(alpha)), which bounds P(w) - P(w*), and its ratio to P(0) - D(alpha).
    status : str
        "tolerance reached", "pass limit", "time limit", "stopped", "diverged" or "gradient small".
    trace : Trace
    """

    w: np.ndarray
    alpha: np.ndarray
    gap: float
    relative_gap: float
    status: str
    trace: Trace
    run: Run | None = field(default=None, repr=False, compare=False)

    def resume(self, **limits: Any) -> Solution:
        """Go on where this solution stopped, as if it never had: same state, same random numbers.

        Takes tol, max_passes, max_seconds and stop, as `solve`; limits count from the start of the run.
        """
        if self.run is None:
            raise ValueError("this solution was loaded or copied without its run; call solve again")
        return _drive(self.run, **limits)

    def __getstate__(self):
        return {**self.__dict__, "run": None}  # a run holds generators, which cannot be pickled


def solve(
    problem: Problem,
    method: str | Method = "sdca",
    *,
    sampling: str | Sampling | np.ndarray = "uniform",
    tol: float = 1e-6,
    max_passes: float | None = 1000,
    max_seconds: float | None = None,
    seed: int = 0,
    every: int = 1,
    test: tuple[Any, Any] | None = None,
    stop: Callable[[Record], bool] | None = None,
    **parameters: Any,
) -> Solution:
    """Run a method until the duality gap is small or a limit is reached.

    Parameters
    ----------
    problem, method, sampling, seed, every, test, **parameters
        As for `iterate`.
    tol : float, default 1e-6
        On the relative gap, (P(w) - D(alpha)) / (P(0) - D(alpha)). 0: run to a limit.
    max_passes : float or None, default 1000
        Passes over the nonzeros of X, see Record.
    max_seconds : float or None, default None
        Solver seconds: the time spent measuring does not count.
    stop : callable, optional
        Called with each Record; the run ends with status "stopped" when it returns True.

    Returns
    -------
    Solution

    Raises
    ------
    ValueError, TypeError
        If method, sampling and problem do not fit, or there is no limit at all.

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.make(n=100, d=10, seed=0)
    >>> s = cdlab.solve(cdlab.Problem(X, y, l2=0.01), "sdca", tol=1e-8)
    >>> s.status, s.relative_gap <= 1e-8
    ('tolerance reached', True)
    """
    _check_limits(tol, max_passes, max_seconds)
    run = Run(problem, method, sampling, seed, every, test, **parameters)
    return _drive(run, tol=tol, max_passes=max_passes, max_seconds=max_seconds, stop=stop)


def _drive(run: Run, *, tol=1e-6, max_passes=1000, max_seconds=None, stop=None) -> Solution:
    _check_limits(tol, max_passes, max_seconds)
    record = run.trace.records[-1] if run.trace.records else next(run)
    while True:
        status = _verdict(record, run, tol, max_passes, max_seconds)
        if status == TOLERANCE:  # believe it only from vectors computed afresh
            record = run.certify()
            status = _verdict(record, run, tol, max_passes, max_seconds)
        if status is None and stop is not None and stop(record):
            status = STOPPED
        if status is not None:
            break
        record = next(run)
    run.trace.meta["status"] = status
    return Solution(run.w, run.alpha, record.gap, relative_gap(record, run.trace.records[0]), status, run.trace, run)


def _verdict(record: Record, run: Run, tol, max_passes, max_seconds) -> str | None:
    if not np.isfinite(record.primal):
        return DIVERGED
    if tol > 0 and relative_gap(record, run.trace.records[0]) <= tol:
        return TOLERANCE
    if max_passes is not None and record.passes >= max_passes:
        return PASS_LIMIT
    if max_seconds is not None and record.seconds >= max_seconds:
        return TIME_LIMIT
    return None


def check(problem: Problem, method: Method, sampling: Sampling) -> None:
    """Refuse what does not fit, before anything compiles.

    Raises
    ------
    ValueError
        With the method's own sentence.
    """
    reason = method.refusal(problem, sampling)
    if reason is None:
        return
    if method.needs_l2 and problem.l2 == 0:
        free = [name for name, other in METHODS.items() if not other.needs_l2]
        reason += f"; methods that accept l2 = 0: {', '.join(free)}" if free else "; set l2 > 0"
    raise ValueError(reason)


def _check_limits(tol, max_passes, max_seconds) -> None:
    for name, value in (("tol", tol), ("max_passes", max_passes), ("max_seconds", max_seconds)):
        if value is None and name != "tol":
            continue
        if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not value >= 0:
            raise ValueError(f"{name} must be a number >= 0{'' if name == 'tol' else ' or None'}, not {value!r}")
    if max_passes is None and max_seconds is None:
        raise ValueError(
            "give max_passes or max_seconds: without a limit a run whose gap does not reach tol never ends"
        )


def _meta(run: Run) -> dict[str, Any]:
    label = f"{run.method.label}, {run.sampling.name}"
    return {
        "label": label,
        "method": run.method.label,
        "sampling": run.sampling.name if run.sampling.name != "lipschitz" else repr(run.sampling),
        "seed": run.seed if isinstance(run.seed, int) else str(run.seed),
        "every": int(run.every),
        "problem": repr(run.problem),
        "data": run.problem.digest,
        "versions": {"cdlab": __version__, "numpy": np.__version__, "python": platform.python_version()},
        "machine": platform.machine(),
    }
