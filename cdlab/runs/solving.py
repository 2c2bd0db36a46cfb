"""Solving: a run, until its duality gap is small or a limit is reached."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..numerics import checks
from ..problems.problem import Problem
from ..samplings import Sampling
from .driving import drive
from .endings import check_limits
from .entries import Entry, aimed, entrant
from .limits import MAX_PASSES, nobody_asked, warn_of_missed
from .progress_line import check_progress, followed
from .running import Run
from .solution import Solution, solution_of
from .trace import Record


def solve(
    problem: Problem,
    method: Entry = "auto",
    *,
    sampling: str | Sampling | np.ndarray | None = None,
    tol: float = 1e-6,
    max_passes: float | None = MAX_PASSES,
    max_seconds: float | None = None,
    divergence_tol: float | None = None,
    seed: int = 0,
    every: int | None = None,
    test: tuple[Any, Any] | None = None,
    stop: Callable[[Record], bool] | None = None,
    strong_convexity: float | str | None = None,
    start: Any = None,
    progress: bool | Callable[[Record], Any] | None = None,
    **parameters: Any,
) -> Solution:
    """Run a method until the duality gap is small or a limit is reached.

    Parameters
    ----------
    problem : Problem
        Data, loss and regulariser.
    method : str, Method or Choice, default "auto"
        As for `iterate`. "auto" chooses among the others, and ``trace.meta["chosen"]`` says which ran and why.
    sampling, seed, test, strong_convexity, start, **parameters
        As for `iterate`. "auto" takes no sampling: what it chooses draws in its own way.
    tol : float, default 1e-6
        On the relative gap, (P(w) - D(alpha)) / max(P(0) - D(alpha), 1e-6 P(0)). 0: run to a limit. With l2 = l1 = 0, a
        smooth loss and no strong_convexity it is on ||grad P(w)||/||grad P(0)||, and the status is "gradient small".
    max_passes : float or None, default 1000
        Passes over the nonzeros of X, see Record.
    max_seconds : float or None, default None
        Solver seconds: the time spent measuring does not count. Looked at between epochs: one that has begun is
        finished.
    divergence_tol : float or None, default None
        P(w)/P(0), at least 1, above which the run ends with status "diverged". None: it does where P(w) is not finite.
    every : int or None, default None
        Epochs per record; a limit is kept also where they would exceed it. None: as seldom as finds the tolerance in
        time, after ten epochs at the latest, because a measurement costs up to a third of a pass. For a
        whole curve take 1, as `race` and `iterate` do.
    stop : callable, optional
        Called with each Record; the run ends with status "stopped" when it returns True.
    progress : True or callable, optional
        True: a line on stderr that is rewritten now and then. Or it is called with each Record.

    Returns
    -------
    Solution
        w, alpha, the certified gap, and the trace.

    Raises
    ------
    ValueError, TypeError
        If method, sampling and problem do not fit, or there is no limit at all.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        If the tolerance was not reached within 1000 passes, and neither these nor another limit, `stop` or tol = 0 were
        passed.

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.make(n=100, d=10, seed=0)
    >>> s = cdlab.solve(cdlab.Problem(X, y, l2=0.01), tol=1e-8)
    >>> s.status, s.relative_gap <= 1e-8
    ('tolerance reached', True)
    """
    limits: dict[str, Any] = {"max_passes": max_passes, "max_seconds": max_seconds, "divergence_tol": divergence_tol}
    check_limits(tol, **limits)
    checks.seed(seed)
    checks.callable_or_none("stop", stop, "a Record")
    checks.pair_or_none("test", test, "a pair (X, y)")
    check_progress(progress, "a Record")
    made, drawn = entrant(method, sampling, **parameters)
    run = Run(problem, aimed(made, tol), drawn, seed, every, test, strong_convexity, start)
    followed(lambda watch: drive(run, tol=tol, **limits, stop=watch), run, progress, stop)
    s = solution_of(run)
    if nobody_asked(tol, max_passes, max_seconds, stop):
        warn_of_missed([s], tol, max_passes, stacklevel=2)
    return s
