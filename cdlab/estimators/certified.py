"""What the estimators share: they solve one Problem, and keep how far its solution is certified."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..losses import Loss
from ..numerics import checks
from ..problems.certificates import Certificate
from ..problems.intercept import joined
from ..problems.problem import Problem
from ..runs import Solution, Status, Trace, solve

CONVERGED = (Status.TOLERANCE, Status.GRADIENT_SMALL)


class Certified(BaseEstimator):
    """A linear predictor fitted by `cdlab.solve`; its parameters are those of the two that derive from it."""

    loss: Any
    l2: float
    l1: float
    method: Any
    sampling: Any
    tol: float
    max_passes: float | None
    fit_intercept: bool
    warm_start: bool
    random_state: Any

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _solve(self, X: Any, y: np.ndarray, loss: Loss, sample_weight: np.ndarray | None) -> Solution:
        """Solve the problem of these data, keep what is known of it, and warn where a limit came first."""
        if checks.flag("fit_intercept", self.fit_intercept) and loss.gamma == 0:
            raise ValueError(
                f"no method fits the {loss.name} loss, which is not smooth, with an intercept: set fit_intercept=False "
                "(append a column of ones to X for an intercept that is penalised)"
            )
        problem = Problem(X, y, loss, self.l2, self.l1, sample_weight=sample_weight, intercept=self.fit_intercept)
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        s = solve(
            problem, self.method, sampling=self.sampling, tol=self.tol, max_passes=self.max_passes, seed=seed,
            start=self._start(problem),
        )  # fmt: skip
        s.run = None  # it holds the data and the method's state
        last = s.trace.records[-1]
        self.solution_: Solution = s
        self.trace_: Trace = s.trace
        self.gap_: float = s.gap
        self.certificate_: Certificate = Certificate(last.primal, last.dual, math.nan, last.rounding)
        self.n_passes_: float = last.passes
        self.n_iter_: int = int(last.iteration)
        if self.tol > 0 and s.status not in CONVERGED:
            warnings.warn(
                f"{type(self).__name__} ended with {s.status!r} after {last.passes:.4g} passes, at a relative gap of "
                f"{s.relative_gap:.2g} where tol = {self.tol:g}: raise max_passes or tol, or scale the features",
                ConvergenceWarning,
                stacklevel=3,
            )
        return s

    def _start(self, problem: Problem) -> tuple[np.ndarray, None] | None:
        """The last solution, where the next is asked to go on from it and has its shape."""
        before: Solution | None = getattr(self, "solution_", None)
        if not checks.flag("warm_start", self.warm_start) or before is None:
            return None
        w = joined(before.w, before.intercept) if self.fit_intercept else before.w
        return (w, None) if w.shape == (problem.d, *problem.outputs) else None

    def _new(self, X: Any) -> Any:
        """New examples (m, d) as they are multiplied with."""
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
