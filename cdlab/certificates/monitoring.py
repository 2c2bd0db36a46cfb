"""A callback of scikit-learn: how far each iterate of a fit is from the optimum."""

from __future__ import annotations

import math
import time
from importlib.util import find_spec
from typing import Any

import numpy as np
import sklearn
from sklearn.linear_model import LogisticRegression

from ..estimators import CDClassifier, CDRegressor
from ..numerics import checks
from ..problems.certificates import certificate
from ..problems.points import Points
from ..problems.problem import Problem
from ..runs import Record, Trace, solve
from ..runs.trace import relative_gap
from .bounding import Task, task_at
from .fitted import tasks_of


class GapMonitor:
    """A callback that records how far each iterate of a fit is from the optimum, and can end the fit. Experimental.

    Set it as ``LogisticRegression().set_callbacks(cdlab.GapMonitor(tol=1e-6))``. scikit-learn's callbacks are new in
    1.9 and may change; of its linear models only LogisticRegression with lbfgs has them. `CDClassifier` and
    `CDRegressor` have, too; they are watched where they solve one problem.

    Parameters
    ----------
    tol : float > 0, optional
        On the relative gap, as of `cdlab.solve`: the fit ends at the first iterate that is known to be so near. The
        lower bound of P* is of a solution of cdlab's to tol/10. None: no fit is ended, and it is the best of the
        iterates so far.
    every : int, default 1
        Iterations per record, which costs about as much as one.

    Attributes
    ----------
    traces : list of Trace
        One a fit. A record's `primal` is P(w), `dual` the lower bound of P*, and `gap` their difference with its
        rounding; `passes` are NaN, as scikit-learn counts none.

    Raises
    ------
    ImportError
        If scikit-learn has no callbacks.

    Notes
    -----
    lbfgs that is ended says in a ConvergenceWarning that `callback` raised `StopIteration`.

    Examples
    --------
    >>> import cdlab, numpy as np
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = cdlab.datasets.make(n=100, d=5, seed=0)
    >>> monitor = cdlab.GapMonitor()
    >>> model = LogisticRegression().set_callbacks(monitor).fit(X, y)
    >>> bool(np.all(np.diff(monitor.traces[0].column("dual")) >= 0))
    True
    """

    def __init__(self, tol: float | None = None, every: int = 1):
        if find_spec("sklearn.callback") is None:
            raise ImportError(f"a GapMonitor needs scikit-learn 1.9, which has callbacks, not {sklearn.__version__}")
        self.tol = None if tol is None else checks.number("tol", tol, "a number > 0 or None")
        self.every = checks.integer("every", every, "an integer >= 1: iterations per record")
        self.traces: list[Trace] = []
        self._fit: Any = None  # that is watched: the context of its tasks
        self._task: Task | None = None  # its problem, from its first iterate on
        self._lower, self._began = -math.inf, 0.0

    def __getstate__(self) -> dict[str, Any]:
        raise TypeError(
            "a GapMonitor stays in the process of its records: fit with n_jobs=1, and pickle a model after "
            "set_callbacks() without it"
        )

    def setup(self, estimator: Any, context: Any) -> None:
        """Begin to watch a fit."""
        if self._fit is not None:
            raise ValueError("a GapMonitor watches one fit at a time, and this is a second one: fit with n_jobs=1")
        by_lbfgs = isinstance(estimator, LogisticRegression) and estimator.solver == "lbfgs"
        if not (by_lbfgs or isinstance(estimator, CDClassifier | CDRegressor)):
            raise ValueError(
                "a GapMonitor watches LogisticRegression(solver='lbfgs'), CDClassifier and CDRegressor, which tell of "
                f"their iterates, and not {type(estimator).__name__}"
            )
        self._fit, self._task, self._lower, self._began = context, None, -math.inf, time.perf_counter()
        self.traces.append(Trace())

    def teardown(self, estimator: Any, context: Any) -> None:
        """Be ready for another fit."""
        if context is self._fit:
            self._fit = self._task = None

    def on_fit_task_begin(self, estimator: Any, context: Any) -> None:
        """Do nothing: iterates come with the ends of tasks."""

    def on_fit_task_end(
        self,
        estimator: Any,
        context: Any,
        *,
        X: Any = None,
        y: Any = None,
        metadata: Any = None,
        fitted_estimator: Any = None,
    ) -> bool:
        """Record an iterate, and return whether the fit is to end; raise StopIteration to end lbfgs."""
        if context is self._fit or X is None or (context.task_id + 1) % self.every:
            return False
        if fitted_estimator is None:
            raise ValueError("a GapMonitor watches one problem, and this fit solves one for each class: take logistic")
        asked, trace = time.perf_counter(), self.traces[-1]
        if isinstance(estimator, LogisticRegression):
            fitted_estimator.class_weight = None  # the sample weights hold it
        if self._task is None:
            (self._task,) = tasks_of(fitted_estimator, X, y, (metadata or {}).get("sample_weight"))
            self._note_problem(type(estimator).__name__, self._task.problem)
        problem, w = self._task.problem.centred, _point(fitted_estimator, self._task)
        known = certificate(problem, Points(w, problem.alpha(w)), None)
        self._lower = max(self._lower, known.dual - known.rounding)
        gap = max(0.0, known.primal - self._lower) + known.rounding
        values = known.primal, self._lower, gap, math.nan
        trace.records.append(
            Record(context.task_id + 1, math.nan, asked - self._began, *values, rounding=known.rounding)
        )
        self._began += time.perf_counter() - asked  # the clock stands still
        is_near = self.tol is not None and relative_gap(trace.records[-1], trace.at_zero) <= self.tol
        if is_near and isinstance(estimator, LogisticRegression):
            raise StopIteration
        return is_near

    def _note_problem(self, label: str, problem: Problem) -> None:
        if not problem.is_certified:
            raise ValueError("a GapMonitor needs a penalty: without one there is no lower bound of P*")
        self.traces[-1].note(P0=problem.at_zero, D0=problem.dual_at_zero, label=label)
        if self.tol is not None and (best := solve(problem, tol=self.tol / 10).record):
            self._lower = best.dual - best.rounding


def _point(model: Any, task: Task) -> np.ndarray:
    """The point of a task's centred problem that a fitted model is."""
    w, b = np.asarray(model.coef_, np.float64), np.ravel(model.intercept_).astype(np.float64)
    w = w.T if task.problem.outputs else w.reshape(-1)
    if task.constant is not None:
        w = np.concatenate([w, (b / task.constant).reshape(1, *w.shape[1:])])
    return task_at(task.problem, w, b.reshape(task.problem.outputs) if task.problem.intercept else None).w
