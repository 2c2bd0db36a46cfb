"""Solving: a run, until its duality gap is small or a limit is reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .methods import Method
from .problem import Problem
from .running import Run
from .samplings import Sampling
from .trace import Record, Trace, relative_gap

TOLERANCE, PASS_LIMIT, TIME_LIMIT = "tolerance reached", "pass limit", "time limit"
STOPPED, DIVERGED, GRADIENT_SMALL = "stopped", "diverged", "gradient small"


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
    mu: float | str | None = None,
    **parameters: Any,
) -> Solution:
    """Run a method until the duality gap is small or a limit is reached.

    Parameters
    ----------
    problem, method, sampling, seed, every, test, mu, **parameters
        As for `iterate`.
    tol : float, default 1e-6
        On the relative gap, (P(w) - D(alpha)) / (P(0) - D(alpha)). 0: run to a limit. With l2 = l1 = 0, a smooth loss
        and no mu it is on ||grad P(w)||/||grad P(0)||, and the status is "gradient small".
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
    run = Run(problem, method, sampling, seed, every, test, mu, **parameters)
    return _drive(run, tol=tol, max_passes=max_passes, max_seconds=max_seconds, stop=stop)


def _drive(run: Run, *, tol=1e-6, max_passes=1000, max_seconds=None, stop=None) -> Solution:
    _check_limits(tol, max_passes, max_seconds)
    record = run.trace.records[-1] if run.trace.records else next(run)
    while True:
        status = _verdict(record, run, tol, max_passes, max_seconds)
        if status in (TOLERANCE, GRADIENT_SMALL):  # believe it only from vectors computed afresh
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
    if tol > 0 and run.gradient_ratio <= tol and not np.isfinite(record.dual):
        return GRADIENT_SMALL
    if max_passes is not None and record.passes >= max_passes:
        return PASS_LIMIT
    if max_seconds is not None and record.seconds >= max_seconds:
        return TIME_LIMIT
    return None


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
