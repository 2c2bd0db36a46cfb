"""Solving: a run, until its duality gap is small or a limit is reached."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..numerics import matrices
from ..numerics.json_numbers import in_words
from ..problems import labels
from ..problems.problem import Problem
from ..samplings import Sampling
from . import solution_file
from .endings import check_limits, reason_to_end
from .entries import Entry
from .interrupts import held
from .running import Run
from .solution_file import number
from .statuses import STATUSES, Status
from .trace import Record, Trace, relative_gap


@dataclass(eq=False, repr=False)  # of arrays: == would be an array, and a repr as long as they are
class Solution:
    """The result of a run: the point it ended at, and how far that is certified.

    Attributes
    ----------
    w : (d,) primal point; (d, K) with softmax
    alpha : (n,) dual point; (n, K) with softmax
    gap, relative_gap : float
        max(0, P(w) - D(alpha)), which bounds P(w) - P(w*), and its ratio to P(0) - D(alpha); inf: nothing certified.
    status : Status
        Why it ended: "tolerance reached", "pass limit", "time limit", "stopped", "diverged" or "gradient small".
    trace : Trace
        The records of the run, in order.
    label_map : dict or None
        What the labels became, a sign or the index of a class; None for regression.
    """

    w: np.ndarray
    alpha: np.ndarray
    gap: float
    relative_gap: float
    status: Status
    trace: Trace
    label_map: dict[Any, float] | None = None
    run: Run | None = None

    def __repr__(self) -> str:
        passes = self.trace.records[-1].passes if self.trace.records else 0.0
        certified = f"relative_gap = {self.relative_gap:.2g}, gap = {self.gap:.2g}"
        return f"Solution({self.status}: {certified}, {passes:.4g} passes; w {self.w.shape}, alpha {self.alpha.shape})"

    def resume(self, **limits: Any) -> Solution:
        """Go on where this solution stopped, as if it never had: same state, same random numbers.

        Parameters
        ----------
        **limits
            tol, max_passes, max_seconds and stop, as for `solve`; they count from the start of the run.

        Returns
        -------
        Solution
            A new one, whose trace is this one's, continued.

        Raises
        ------
        ValueError
            If the solution was loaded or copied (it has no run), or a limit is not a number >= 0.
        """
        if self.run is None:
            raise ValueError("this solution was loaded or copied without its run; call solve again with start=solution")
        return _drive(self.run, **limits)

    def decision_function(self, X: Any) -> np.ndarray:
        """The decision values X w of new examples.

        Parameters
        ----------
        X : (m, d) array or scipy sparse matrix
            Rows are examples, with the features of training.

        Returns
        -------
        (m,) array; (m, K) with softmax

        Raises
        ------
        ValueError
            If X is not a matrix of finite numbers with d columns.
        """
        X = matrices.validated(X)
        if X.shape[1] != self.w.shape[0]:
            raise ValueError(f"X has {X.shape[1]} features, and this solution has {self.w.shape[0]}")
        return X @ self.w

    def predict(self, X: Any) -> np.ndarray:
        """The predicted labels (m,) of new examples (m, d), as they were given in training; regression: X w.

        A decision value of 0 is predicted as the negative class, as in scikit-learn. Raises as `decision_function`.
        """
        z = self.decision_function(X)
        return z if self.label_map is None else labels.named(z, self.label_map)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write all but the run to one NPZ file, for `cdlab.load_solution`; whole, or not at all.

        Raises
        ------
        OSError
            If the file cannot be written.
        """
        about: dict[str, Any] = {"status": self.status, "gap": in_words(self.gap)}
        about["relative_gap"] = in_words(self.relative_gap)
        about["labels"] = None if self.label_map is None else list(self.label_map.items())
        solution_file.write(path, {"w": self.w, "alpha": self.alpha}, about, self.trace)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "run": None}  # a run holds generators, which cannot be pickled


def load_solution(path: str | os.PathLike[str]) -> Solution:
    """Read a solution that `Solution.save` wrote. It can predict and be a start; it cannot be resumed.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Solution

    Raises
    ------
    OSError
        If there is no such file.
    ValueError
        If it is not a solution, or damaged.
    """
    arrays, about, trace = solution_file.read(path)
    try:
        if about.get("status") not in STATUSES:
            raise ValueError(f"its status is {about.get('status')!r}")
        gap, relative = number(about, "gap"), number(about, "relative_gap")
        known, status = _label_map(about.get("labels")), Status(about["status"])
        return Solution(arrays["w"], arrays["alpha"], gap, relative, status, trace, known)
    except ValueError as error:
        raise ValueError(f"{path} is not a solution saved by cdlab: {error}") from None


def _label_map(pairs: Any) -> dict[Any, float] | None:
    if pairs is None:
        return None
    good = isinstance(pairs, list) and all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str | float | int)
        and isinstance(pair[1], float | int) for pair in pairs
    )  # fmt: skip
    if not good:
        raise ValueError("its labels are not pairs of a label and a number")
    return {label: float(value) for label, value in pairs}


def solve(
    problem: Problem,
    method: Entry = "sdca",
    *,
    sampling: str | Sampling | np.ndarray | None = None,
    tol: float = 1e-6,
    max_passes: float | None = 1000,
    max_seconds: float | None = None,
    seed: int = 0,
    every: int = 1,
    test: tuple[Any, Any] | None = None,
    stop: Callable[[Record], bool] | None = None,
    strong_convexity: float | str | None = None,
    start: Any = None,
    **parameters: Any,
) -> Solution:
    """Run a method until the duality gap is small or a limit is reached.

    Parameters
    ----------
    problem, method, sampling, seed, every, test, strong_convexity, start, **parameters
        As for `iterate`. A limit is kept also where `every` epochs would exceed it.
    tol : float, default 1e-6
        On the relative gap, (P(w) - D(alpha)) / (P(0) - D(alpha)). 0: run to a limit. With l2 = l1 = 0, a smooth loss
        and no strong_convexity it is on ||grad P(w)||/||grad P(0)||, and the status is "gradient small".
    max_passes : float or None, default 1000
        Passes over the nonzeros of X, see Record.
    max_seconds : float or None, default None
        Solver seconds: the time spent measuring does not count.
    stop : callable, optional
        Called with each Record; the run ends with status "stopped" when it returns True.

    Returns
    -------
    Solution
        w, alpha, the certified gap, and the trace.

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
    check_limits(tol, max_passes, max_seconds)
    run = Run(problem, method, sampling, seed, every, test, strong_convexity, start, **parameters)
    return _drive(run, tol=tol, max_passes=max_passes, max_seconds=max_seconds, stop=stop)


def _drive(
    run: Run,
    *,
    tol: float = 1e-6,
    max_passes: float | None = 1000,
    max_seconds: float | None = None,
    stop: Callable[[Record], bool] | None = None,
) -> Solution:
    check_limits(tol, max_passes, max_seconds)
    record = run.trace.records[-1] if run.trace.records else next(run)
    with held() as hold:
        while True:
            status = reason_to_end(record, run, tol, max_passes, max_seconds)
            if status in (Status.TOLERANCE, Status.GRADIENT_SMALL):  # believe it only from vectors computed afresh
                record = run.certify()
                status = reason_to_end(record, run, tol, max_passes, max_seconds)
            if status is None and stop is not None and hold.released(stop, record):
                status = Status.STOPPED
            if status is not None:
                break
            hold.between()
            record = run.advance(max_passes, max_seconds)
    run.trace.meta["status"] = status.value
    gap, relative = record.gap, relative_gap(record, run.trace.at_zero)
    return Solution(run.w, run.alpha, gap, relative, status, run.trace, run.problem.label_map, run)
