"""Solving: a run until its duality gap is small or a limit is reached, or without end, for loops of one's own."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ..numerics import checks
from ..problems.problem import Problem
from ..samplings import Sampling
from .entries import Entry, resolve_entry, with_aim
from .limits import MAX_PASSES, Limits, Status, drive
from .progress_line import check_progress, drive_with_progress
from .running import EVERY_TEXT, Run
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
    records: str = "epochs",
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
        On the relative gap, (P(w) - D(alpha)) / max(P(0) - D(alpha), 1e-6 P(0)), with an intercept P(0) of the best
        constant, from which the run starts. 0: run to a limit. With l2 = l1 = 0, a smooth loss and no strong_convexity
        it is on ||grad P(w)||/||grad P(0)||, each coordinate divided by the root mean square of its column, and the
        status is "gradient small". Where float64 brings the gap no lower, a run ends with "rounding limit"; with 0 it
        goes on.
    max_passes : float or None, default 1000
        Passes over the nonzeros of X, see Record. The default is more on small data, as many as visit 10^8 nonzeros or
        10,000, and no limit before 300 epochs; where "auto" goes on with another method it counts anew.
    max_seconds : float or None, default None
        Solver seconds: the time spent measuring does not count. Looked at between epochs: one that has begun is
        finished.
    divergence_tol : float or None, default None
        P(w)/P(0), at least 1, above which the run ends with status "diverged". None: it does where P(w) is not finite.
    every : int or None, default None
        Epochs per record; a limit is kept also where they would exceed it. None: as seldom as finds the tolerance in
        time, because a measurement costs up to a third of a pass, and on small data more than many of them: after ten
        epochs at the latest, or as long as ten measurements, and not where the method knows the gap to be far from it.
        For a whole curve take 1, as `race` and `iterate` do.
    stop : callable, optional
        Called with each Record; the run ends with status "stopped" when it returns True.
    progress : True or callable, optional
        True: a line on stderr that is rewritten now and then. Or it is called with each Record, the last one included.
    records : "epochs" or "log", default "epochs"
        "log": at 30 moments a decade of passes from 0.01 on, in the midst of epochs, as for `race`.

    Returns
    -------
    Solution
        w and alpha of the smallest certified gap that was measured, this gap, and the trace.

    Raises
    ------
    ValueError, TypeError
        If method, sampling and problem do not fit, or there is no limit at all.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        If the tolerance was not reached at the default of `max_passes`, and neither that nor another limit, `stop` or
        tol = 0 was passed.

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.make(n=100, d=10, seed=0)
    >>> s = cdlab.solve(cdlab.Problem(X, y, l2=0.01), tol=1e-8)
    >>> s.status, s.relative_gap <= 1e-8
    ('tolerance reached', True)
    """
    limits = Limits(tol, max_passes, max_seconds, divergence_tol)
    checks.callable_or_none("stop", stop, "a Record")
    checks.pair_or_none("test", test, "a pair (X, y)")
    if progress is not None:
        check_progress(progress, "a Record")
    run_method, run_sampling = resolve_entry(method, sampling, **parameters)
    run = Run(
        problem, with_aim(run_method, tol), run_sampling, seed, every, test, strong_convexity, start, records=records
    )
    if progress:
        drive_with_progress(run, limits, progress, stop)
    else:
        drive(run, limits, stop=stop)
    s = solution_of(run)
    if s.status == Status.PASS_LIMIT and stop is None:
        warn_of_missed_tolerance([s], limits, stacklevel=2)
    return s


def iterate(
    problem: Problem,
    method: Entry = "sdca",
    *,
    sampling: str | Sampling | np.ndarray | None = None,
    seed: int = 0,
    every: int = 1,
    test: tuple[Any, Any] | None = None,
    strong_convexity: float | str | None = None,
    start: Any = None,
    **parameters: Any,
) -> Run:
    """Run a method without end, one Record at a time; stop by leaving the loop.

    Parameters
    ----------
    problem : Problem
        Data, loss and regulariser.
    method : str, Method or Choice, default "sdca"
        A name in ``cdlab.methods.METHODS`` (its parameters follow as keywords) or "auto", a label with a sampling
        ("sdca@importance"), an instance, or a choice of `cdlab.advise`.
    sampling : str, Sampling or array of weights >= 0, divided by their sum; default uniform
        "none" is accepted where the method draws nothing.
    seed : int, default 0
        The same seed gives the same records, but for their seconds.
    every : int, default 1
        Epochs per record. An epoch is as many updates as there are coordinates.
    test : (X, y) or (X, y, offset), optional
        Test data; adds test_error and test_loss to the records.
    strong_convexity : float or "compute", optional
        With l2 = l1 = 0 only: mu, with which P is strongly convex, so that ||grad P(w)||^2/(2 mu) certifies w in place
        of the duality gap. (Some methods have a parameter `mu` of their own, which only sets their steps.)
    start : (w, alpha) or Solution, optional
        Where to start instead of w = 0, alpha = 0. One of the two may be None and is then completed from the other.
        Dual methods start from alpha, primal ones from w, primal-dual ones from both.
    **parameters
        Parameters of the method, where it is given by its name: ``iterate(P, "rcd", batch_size=8)``.

    Returns
    -------
    Run
        An iterator of `Record`; the first is the start. Its w, alpha and trace can be read at any time.

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
    every = checks.integer("every", every, EVERY_TEXT)
    checks.pair_or_none("test", test, "a pair (X, y)")
    return Run(problem, method, sampling, seed, every, test, strong_convexity, start, **parameters)


def warn_of_missed_tolerance(found: Sequence[Solution], limits: Limits, stacklevel: int) -> None:
    """Warn, once, of solutions that ended at the default limit of passes with a gap above the tolerance.

    Parameters
    ----------
    found : sequence of Solution
        One, or those of a path.
    limits : Limits
        Those that they had: where some were passed there is no warning.
    stacklevel : int
        Of `warnings.warn`, as seen by who calls this function.
    """
    missed = [s for s in found if s.status == Status.PASS_LIMIT] if limits.are_defaults else []
    if not missed:
        return
    from sklearn.exceptions import ConvergenceWarning  # which the estimators warn with; nobody else waits for it

    worst = max(missed, key=lambda s: s.relative_gap)
    if len(found) == 1:
        who, of_worst = f"{worst.trace.meta['method']} ended", ""
    else:
        who, of_worst = f"{len(missed)} of {len(found)} solutions ended", "the worst "
    warnings.warn(
        f"{who} at the default limit of passes, {of_worst}after {worst.trace.records[-1].passes:.0f} {gap_text(worst)} "
        f"where tol = {limits.tol:g}: {remedy(worst)}",
        ConvergenceWarning,
        stacklevel=stacklevel + 1,
    )


def gap_text(s: Solution) -> str:
    """Words for how near a solution is certified."""
    gap = s.relative_gap
    return f"with a relative gap of {gap:.2g}" if math.isfinite(gap) else "without a gap that certifies anything"


def remedy(s: Solution) -> str:
    """Advice on a missed tolerance; a reason that more passes cannot mend comes first."""
    if not math.isfinite(s.relative_gap):
        return "raise max_passes, or set l2 > 0, without which little can be certified"
    if s.trace.meta["method"] == "auto":
        return "raise max_passes or tol, or scale the features"
    return 'raise max_passes or tol, scale the features, or let method="auto" choose'
