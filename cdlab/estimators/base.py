"""Base of the estimators: they check what they are given, solve Problems, and store how far these are certified."""

from __future__ import annotations

import inspect
import math
import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial, wraps
from numbers import Number
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_array, check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from ..distributed.dask_collections import by_chunks, is_collection, row_of
from ..losses import Loss
from ..numerics import checks, sparse_input, tables
from ..problems import box
from ..problems import weights as example_weights
from ..problems.certificates import Certificate
from ..problems.intercept import join_intercept
from ..problems.problem import Problem
from ..runs import Record, Run, Solution, Status, Trace
from ..runs.entries import resolve_entry, with_aim
from ..runs.limits import MAX_PASSES, SOLVED, Limits, drive
from ..runs.solution import solution_of
from ..runs.solving import gap_text, remedy
from .callbacks import FitTasks, with_callbacks

FLOATS = (np.float64, np.float32)  # of X, which coef_ and predictions keep; solved and certified in the first
LARGEST_PENALTY_SHARE = 0.05  # of P, that the penalty of an intercept may be,
SLOPE_SHARE = 0.25  # and of the slope of the others' penalty, that its slope along them may be
IN_MEMORY_ONLY = ("sampling", "intercept_scaling", "class_weight", "warm_start", "positive", *box.WITHOUT)
LARGE = ("solution_", "trace_", "path_")  # attributes that hold vectors of n, or a record for each look
parameters = dataclass(eq=False, repr=False)  # of an estimator: scikit-learn compares and shows them


class CertifiedEstimator(BaseEstimator):
    """A linear predictor whose coefficients are certified; its parameters are the fields of those that derive from it.

    A constructor says what to write where it is given a parameter of scikit-learn's, which reads the parameters of an
    estimator from its signature; that therefore cannot take any keyword.
    """

    loss: Any
    tol: float
    max_passes: float | None
    fit_intercept: bool
    intercept_scaling: float | None
    positive: bool
    lower: Any
    upper: Any
    penalty_factor: Any
    n_jobs: int | None
    classes_: np.ndarray
    coef_: np.ndarray
    intercept_: Any
    has_offset_: bool = False  # also of models in pickles that know of none

    _FOREIGN: ClassVar[Mapping[str, str]] = {}  # parameters of scikit-learn's linear models, and what stands for them

    def __new__(cls, *args: Any, **given: Any) -> Self:
        for name in given:
            if name in cls._FOREIGN and name not in inspect.signature(cls.__init__).parameters:
                raise TypeError(f"{cls.__name__} has no parameter {name}: write {cls._FOREIGN[name]}")
        return super().__new__(cls)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a pickle or a copy keeps: not what grows with the number of examples."""
        return {name: value for name, value in super().__getstate__().items() if name not in LARGE}

    @property
    def penalty(self) -> str:
        """Penalty for scikit-learn's SelectFromModel: by "l1", where l1 > 0, it takes the features with w_j != 0."""
        return "l1" if getattr(self, "l1_", getattr(self, "l1", 0.0)) > 0 else "l2"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _intercept(self) -> tuple[float | None, bool]:
        """The value of the column of a penalised intercept, None where there is none; and whether one is free."""
        wanted, scaling = checks.flag("fit_intercept", self.fit_intercept), self.intercept_scaling
        if scaling is not None:
            scaling = checks.number("intercept_scaling", scaling, "a number > 0 or None")
        return scaling if wanted else None, wanted and scaling is None

    def _limits(self, features: int, column: float | None) -> dict[str, Any]:
        """The bounds and penalty factors of so many features, and of the column of an intercept, which has none."""
        lower = self.lower
        if checks.flag("positive", self.positive):
            if lower is not None:
                raise ValueError("positive=True is lower=0: leave one of positive and lower out")
            lower = 0.0
        found = dict(zip(box.WITHOUT, box.checked(lower, self.upper, self.penalty_factor, features), strict=True))
        if column is None:
            return found
        return {name: np.append(np.broadcast_to(x, features), box.WITHOUT[name]) for name, x in found.items()}

    @property
    def _limit(self) -> float | None:
        """max_passes; as the default it is that of `solve`, which lets methods of few iterations go on."""
        return MAX_PASSES if self.max_passes == MAX_PASSES else self.max_passes

    def _jobs_within(self, problems: int) -> int | None:
        """The threads that share the work of one of so many problems: of several each has one."""
        return self.n_jobs if problems == 1 else 1

    def _store_solutions(self, solutions: list[Solution]) -> None:
        ends, best = [s.trace.records[-1] for s in solutions], [s.record or s.trace.records[-1] for s in solutions]
        self.solution_: Solution | list[Solution] = solutions if len(solutions) > 1 else solutions[0]
        self.trace_: Trace | list[Trace] = [s.trace for s in solutions] if len(solutions) > 1 else solutions[0].trace
        self.gap_: float = float(sum(s.gap for s in solutions))
        self.certificate_: Certificate = Certificate(
            sum(e.primal for e in best), sum(e.dual for e in best), math.nan, sum(e.rounding for e in best)
        )
        self.n_passes_: float = sum(e.passes for e in ends)
        self.n_iter_: int = int(sum(e.iteration for e in ends))
        missed = [s for s in solutions if s.status not in (*SOLVED, Status.STOPPED)]  # the last by a callback
        if self.tol > 0 and missed:
            worst = max(missed, key=lambda s: s.relative_gap)
            passes = worst.trace.records[-1].passes
            who = f" for {len(missed)} of {len(solutions)} classes" if len(solutions) > 1 else ""
            warnings.warn(
                f"{type(self).__name__} ended with {worst.status!r}{who} after {passes:.4g} passes, "
                f"{gap_text(worst)} where tol = {self.tol:g}: {remedy(worst)}",
                ConvergenceWarning,
                stacklevel=4,
            )

    def _validated_examples(self, X: Any, y: Any, **options: Any) -> tuple[Any, np.ndarray]:
        """The examples and targets of `fit`, validated by scikit-learn."""
        tables.check_order(X, y)
        is_single = getattr(X, "dtype", None) == np.float32  # also of sparse matrices, which are converted
        X = checked_examples(X)
        try:
            X, y = validate_data(self, X, checked_numbers("y", y), accept_sparse="csr", dtype=FLOATS, **options)
            self._dtype = np.dtype(np.float32) if is_single else X.dtype
            return X.astype(np.float64, copy=False), y
        except ValueError:
            x = np.empty(0) if sp.issparse(X) else checks.array("X", X)
            if x.ndim == 2 and x.dtype.kind == "f" and not np.isfinite(x).all():
                tables.refuse_infinite(X, x)  # which says in what columns
            raise

    def _sample_weight(self, given: Any, X: Any) -> np.ndarray | None:
        """Checked sample weights (n,), or one number for all; None where all are equal, which is to have none."""
        if given is None or is_collection(X):
            return given
        n, s = X.shape[0], checked_numbers("sample_weight", given)
        s = np.full(n, s) if isinstance(s, Number) else s
        s = check_array(s, ensure_2d=False, dtype=np.float64, input_name="sample_weight")
        if s.shape != (n,):
            raise ValueError(
                f"Sample weights must be 1D array or scalar, one for each of {n} rows; "
                f"sample_weight has shape {s.shape}"
            )
        return None if s[0] > 0 and (s == s[0]).all() else s

    def _offset(self, given: Any, X: Any) -> np.ndarray | None:
        """Checked offsets (n,), or one number for all; None where all are 0. Whether there are some is remembered."""
        if given is not None and is_collection(X):
            raise ValueError("offset is not for Dask collections: leave it out")
        o = None if given is None else example_weights.checked_offset(checked_numbers("offset", given), X.shape[0])
        self.has_offset_ = o is not None
        return o

    def _validated_new(self, X: Any) -> Any:
        """New examples (m, d) as they are multiplied with."""
        check_is_fitted(self)
        return validate_data(self, checked_examples(X), accept_sparse="csr", dtype=FLOATS, reset=False)


@parameters
class SolvingEstimator(CertifiedEstimator, ABC):
    """A linear predictor fitted by `cdlab.solve`, for weights that are given."""

    _: KW_ONLY
    l2: float = 1e-3
    l1: float = 0.0
    method: Any = "auto"
    sampling: Any = None
    tol: float = 1e-6
    max_passes: float | None = 1000
    fit_intercept: bool = True
    intercept_scaling: float | None = None
    positive: bool = False
    lower: Any = None
    upper: Any = None
    penalty_factor: Any = None
    warm_start: bool = False
    n_jobs: int | None = None
    random_state: Any = None

    @abstractmethod
    def _attributes(self, solutions: Sequence[Solution]) -> dict[str, Any]:
        """The attributes coef_ and intercept_, made of solutions."""

    def _solve_problems(
        self, X: Any, targets: Sequence[np.ndarray], loss: Loss, examples: dict[str, Any], *told: Any
    ) -> None:
        """Solve the problem of each of these targets, keep what is known of them, and warn where a limit came first.

        Threads take one problem each; they share the work of a single one. Callbacks are told of y and of a dict of
        sample weights and offsets, as they were given; `examples` has these checked.
        """
        if is_collection(X):
            solutions = [self._solve_in_parts(X, y, loss, examples["sample_weight"]) for y in targets]
            self.__dict__.update(self._attributes(solutions))
            self._store_solutions(solutions)
            return
        column, free = self._intercept()
        found = self._told_solutions(X, targets, loss, examples, column, free, *told)
        solutions = [s for s, _ in found]
        self._store_solutions(solutions)
        if any(is_pulled for _, is_pulled in found):
            warnings.warn(
                f"the penalty of the intercept pulls it, and the coefficients with it (intercept_scaling={column:g}): "
                "leave intercept_scaling=None for an intercept without a penalty, raise it, or centre the columns of X",
                stacklevel=3,
            )

    @with_callbacks
    def _told_solutions(
        self,
        X: Any,
        targets: Sequence[np.ndarray],
        loss: Loss,
        examples: dict[str, Any],
        column: float | None,
        free: bool,
        *told: Any,
    ) -> list[tuple[Solution, bool]]:
        """Each solution, and whether the penalty of its intercept is felt; callbacks are told of what is done."""
        before, rng = self._previous_solutions(len(targets)), check_random_state(self.random_state)
        limits, (method, sampling) = Limits(self.tol, self._limit), resolve_entry(self.method, self.sampling)
        tasks = FitTasks(self, len(targets), X, *told)
        examples = examples | self._limits(X.shape[1], column)
        X = X if column is None else append_column(X, column)

        def solved(k: int, y: np.ndarray, last: Solution | None, seed: int) -> tuple[Solution, bool]:
            jobs = self._jobs_within(len(targets))
            problem = Problem(X, y, loss, self.l2, self.l1, **examples, intercept=free, n_jobs=jobs)
            start = self._start(problem, last, column)
            run = Run(problem, with_aim(method, limits.tol), sampling, seed, None, start=start)

            def stop(record: Record) -> bool:
                w, b = problem.coefficients(np.array(run.points.w))
                s = Solution(w, None, record.gap, math.inf, Status.STOPPED, run.trace, intercept=b)
                return tasks.tell(None, lambda: self._attributes([s if column is None else split_column(s, column)]))

            drive(run, limits, stop=stop if len(targets) == 1 else None)
            s = solution_of(run)
            if len(targets) > 1:
                tasks.tell(k, lambda: None)
            is_pulled = column is not None and _is_pulled(problem, s, column)
            s = s if column is None else split_column(s, column)
            s.run = None  # it holds the data and the method's state
            return s, is_pulled

        seeds = [int(rng.randint(np.iinfo(np.int32).max)) for _ in targets]
        at_once = Parallel(n_jobs=self.n_jobs, require="sharedmem")
        found = at_once(delayed(solved)(*each) for each in zip(range(len(seeds)), targets, before, seeds, strict=True))
        self.__dict__.update(self._attributes([s for s, _ in found]))
        tasks.end()
        return found

    def _solve_in_parts(self, X: Any, y: Any, loss: Loss, sample_weight: Any) -> Solution:
        """The solution of the problem of a Dask collection, at the workers that hold its chunks."""
        from .. import distributed

        rounds = sys.maxsize if self.max_passes is None else max(1, int(self.max_passes))
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return distributed.solve(
            X, y, sample_weight=sample_weight, loss=loss, l2=self.l2, l1=self.l1, intercept=self._intercept()[1],
            method=self.method, tol=self.tol, max_rounds=rounds, seed=int(seed),
        )  # fmt: skip

    def _previous_solutions(self, problems: int) -> list[Solution] | list[None]:
        """The last solutions, where the next are asked to go on from them and are as many."""
        last = getattr(self, "solution_", None)
        solutions = last if isinstance(last, list) else [last]
        return (
            solutions
            if checks.flag("warm_start", self.warm_start) and len(solutions) == problems
            else [None] * problems
        )

    def _start(
        self, problem: Problem, before: Solution | None, column: float | None
    ) -> tuple[np.ndarray, np.ndarray | None] | None:
        """The solution before as a start, if it has the shape of this problem.

        Where the loss has kinks w does not tell its alpha, which goes with it as far as these labels allow.
        """
        if before is None:
            return None
        b = before.intercept if column is None else before.intercept / column
        w = join_intercept(before.w, b) if self.fit_intercept else before.w
        if w.shape != (problem.d, *problem.outputs):
            return None
        w, alpha = problem.reg.clipped(w), before.alpha if problem.loss.gamma == 0 else None
        keeps = alpha is not None and alpha.shape == (problem.n,) and np.isfinite(problem.dual(alpha))
        return w, alpha if keeps else None

    def _check_collection(self, X: Any) -> None:
        """Note the features of a Dask collection, whose examples workers validate, and refuse what is not for it."""
        unfit = [name for name in IN_MEMORY_ONLY if getattr(self, name, None) not in (None, False)]
        if unfit:
            raise ValueError(f"{unfit[0]} is not for Dask collections: leave it out")
        validate_data(self, row_of(X), skip_check_array=True)
        kinds = {str(kind) for kind in np.ravel(X.dtypes if hasattr(X, "dtypes") else X.dtype)}
        self._dtype = np.dtype(np.float32 if kinds == {"float32"} else np.float64)


def by_chunks_of_dask(predict: Callable[..., np.ndarray]) -> Callable[..., Any]:
    """A method of examples and offsets that of a Dask array or frame gives a Dask array, chunk by chunk."""

    @wraps(predict)
    def of(self: Any, X: Any, offset: Any = None) -> Any:
        if not is_collection(X):
            return predict(self, X, offset)
        if np.ndim(offset) > 0:
            raise ValueError("of a Dask collection offset must be one number for all examples")
        return by_chunks(partial(predict, self, offset=offset), X, row_of(X))

    return of


def append_column(X: np.ndarray | sp.csr_matrix, value: float) -> np.ndarray | sp.csr_matrix:
    """A copy of X with a column of this value as its last."""
    column = np.full((X.shape[0], 1), value)
    return sp.csr_matrix(sp.hstack([X, column], format="csr")) if sp.issparse(X) else np.hstack([X, column])


def split_column(s: Solution, value: float) -> Solution:
    """The solution with the coefficient of that column as its intercept."""
    b = value * s.w[-1]
    return replace(s, w=s.w[:-1], intercept=b if s.w.ndim > 1 else float(b))


def _is_pulled(P: Problem, s: Solution, value: float) -> bool:
    """Tell whether the penalty of the last coefficient, that of an intercept, is felt in the others or in P.

    On columns less their means m the intercept is b' = b + m'w: with u = b/value the penalty (l2/2) u^2 has the slope
    -l2 u m/value along w, which is felt where it is a share of l2 w, that of the others' own penalty.
    """
    w, u = s.w[:-1], s.w[-1]
    own = P.l2 / 2 * float(np.vdot(u, u)) + P.l1 * float(np.abs(u).sum())
    m = (P.X.T @ (np.ones(P.n) if P.sample_weight is None else P.sample_weight))[:-1] / P.n
    least = SLOPE_SHARE * value * float(np.linalg.norm(w))
    bends = P.l2 > 0 and 0 < least < float(np.linalg.norm(u)) * float(np.linalg.norm(m))
    return bends or own > LARGEST_PENALTY_SHARE * s.trace.records[-1].primal


# ------------------------------------------------------------ checks before scikit-learn converts what it is given
# Its conversions of sparse matrices trust their indices, and end the process where these are wrong; they drop the mask
# of masked arrays, and make nanoseconds of times.
def checked_examples(X: Any) -> Any:
    """X as scikit-learn may convert it: a sparse matrix in CSR, whose members agree; anything else as it is.

    Raises
    ------
    ValueError
        For inconsistent sparse matrices, masked entries, times, and words.
    """
    if not sp.issparse(X):
        x = checks.array("X", X) if any(getattr(kind, "kind", "O") in "OUT" for kind in _dtypes(X)) else np.empty(0)
        if x.ndim == 2 and x.dtype.kind in "OUT":
            tables.check_words(X, x, convertible=True)
        return checked_numbers("X", X)
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions (examples, features); it has shape {X.shape}")
    return sparse_input.to_csr(X)


def checked_numbers(what: str, x: Any) -> Any:
    """The value itself, unless it is an array, a list or a frame of masked entries or of times.

    Raises
    ------
    ValueError
    """
    if np.ma.isMaskedArray(x):
        checks.array(what, x)
    if any(_is_time(kind) for kind in _dtypes(x)):
        raise ValueError(f"{what} must hold real numbers, and it holds dates or durations: make numbers of them")
    return x


def _dtypes(x: Any) -> list[Any]:
    """The dtypes of a frame's columns or of an array; none where numpy sees no array in it, which is told later."""
    if hasattr(x, "dtypes") and hasattr(x, "columns"):
        return list(x.dtypes)
    if isinstance(x, list | tuple):
        try:
            return [np.asarray(x).dtype]
        except Exception:  # rows of several lengths, or whatever a foreign object raises
            return []
    return [getattr(x, "dtype", None)]


def _is_time(kind: Any) -> bool:
    temporal = getattr(kind, "is_temporal", None)  # polars
    return bool(temporal()) if callable(temporal) else getattr(kind, "kind", "") in ("m", "M")
