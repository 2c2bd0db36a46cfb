"""Running a method: one loop that draws, updates, stops the clock, measures. Everything else consumes its records."""

from __future__ import annotations

import platform
import time
from typing import Any

import numpy as np

from . import methods, samplings
from ._version import __version__
from .certificates import certificate, strong_convexity
from .methods import METHODS, Method
from .problem import Problem
from .samplings import Sampling
from .trace import Record, Trace

REFRESH_EVERY = 50  # epochs; maintained vectors drift by about 1e-16 sqrt(updates)


class Run:
    """An endless run of one method on one problem; ``next(run)`` does one epoch and returns its Record.

    The first record is the start, w = 0 and alpha = 0. Stop by no longer asking; go on by asking again.

    Attributes
    ----------
    w, alpha : the current primal (d,) and dual (n,) points
    trace : the records so far, with what it takes to repeat them
    gradient_ratio : ||grad P(w)||/||grad P(0)|| at the last record where l2 = l1 = 0 and the loss is smooth, else NaN
    """

    def __init__(
        self,
        problem: Problem,
        method: str | Method,
        sampling: str | Sampling | np.ndarray = "uniform",
        seed: int = 0,
        every: int = 1,
        test: tuple[Any, Any] | None = None,
        mu: float | str | None = None,
        **parameters: Any,
    ):
        if not isinstance(problem, Problem):
            raise TypeError(f"the first argument must be a cdlab.Problem, not {type(problem).__name__}")
        if isinstance(every, bool) or not isinstance(every, int | np.integer) or every < 1:
            raise ValueError(f"every must be a whole number of epochs >= 1, not {every!r}")
        self.problem, self.method, self.sampling = problem, methods.make(method, **parameters), samplings.make(sampling)
        check(problem, self.method, self.sampling)
        rng = _generator(seed)
        self._mu = strong_convexity(problem, mu)
        self.every, self.seed = every, seed
        self._test = problem.test_data(*test) if test is not None else None
        self._view, self._state = self.method.view(problem), self.method.init(problem, self.sampling)
        self.method.warm(self._view, self._state)
        self._orders = self.method.orders(problem, self.sampling, rng)
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
        order = next(self._orders)
        self._state = self.method.epoch(self._view, self._state, order)
        self._epoch += 1
        if self._epoch % REFRESH_EVERY == 0:
            self.method.refresh(self.problem, self._state)
        self._seconds += time.perf_counter() - start
        iterations, visited = self.method.count(self.problem, self._state, order)
        self._iteration += iterations
        self._visited += visited

    def _measure(self) -> Record:
        problem = self.problem
        with np.errstate(over="ignore", invalid="ignore"):  # a diverging run shows as inf or nan; it is stopped as such
            points = self.method.points(problem, self._state)
            known = certificate(problem, points, self._mu)
            error = problem.test_error(points.w, self._test) if self._test is not None else np.nan
        if not self.trace.records:
            self._first_gradient = known.gradient
        self.gradient_ratio = known.gradient / self._first_gradient if self._first_gradient else known.gradient
        passes = self._visited / problem.nnz if problem.nnz else self._iteration / problem.n
        ideal = self.method.ideal_visits(problem, self._state)
        ideal = np.nan if ideal is None else ideal / max(1, problem.nnz)
        record = Record(self._iteration, passes, self._seconds, known.primal, known.dual, known.gap, error, ideal)
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
    mu: float | str | None = None,
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
    mu : float or "compute", optional
        With l2 = l1 = 0 only: P is mu-strongly convex, and ||grad P(w)||^2/(2 mu) certifies w in place of the gap.

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
    return Run(problem, method, sampling, seed, every, test, mu, **parameters)


def check(problem: Problem, method: Method, sampling: Sampling) -> None:
    """Refuse what does not fit, before anything compiles.

    Raises
    ------
    ValueError
        With the method's own sentence.
    """
    reason = method.refusal(problem, sampling)
    if reason is None:
        p = sampling.probabilities(problem.coordinates(method.side))  # refuses another number of coordinates
        never = np.flatnonzero((p <= 0) & method.drawn(problem))
        if never.size == 0:
            return
        reason = (
            f"sampling probability {p[never[0]]:g} of coordinate {never[0]} (of {never.size} such): it must be "
            f"positive, because {method.name} never optimises a coordinate that is never drawn"
        )
    elif method.needs_l2 and problem.l2 == 0:
        uniform = samplings.Uniform()
        free = [name for name, other in METHODS.items() if other().refusal(problem, uniform) is None]
        reason += f"; methods that accept this problem: {', '.join(free)}" if free else "; set l2 > 0"
    raise ValueError(reason)


def _generator(seed: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        raise ValueError(f"seed must be a whole number >= 0, not {seed!r}") from None


def label_of(method: Method, sampling: Sampling) -> str:
    """How traces, tables and legends call a method with a sampling."""
    effective = method.effective(sampling)
    return method.label if effective is None else f"{method.label}, {effective.label}"


def _meta(run: Run) -> dict[str, Any]:
    effective = run.method.effective(run.sampling)
    return {
        "label": label_of(run.method, run.sampling),
        "method": run.method.label,
        "sampling": "none" if effective is None else effective.label,
        "seed": run.seed if isinstance(run.seed, int) else str(run.seed),
        "every": int(run.every),
        "problem": repr(run.problem),
        "data": run.problem.digest,
        "versions": {"cdlab": __version__, "numpy": np.__version__, "python": platform.python_version()},
        "machine": platform.machine(),
    }
