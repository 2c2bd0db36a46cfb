"""The public function: a fitted model or coefficients, the data, and an answer that is a number and a sentence."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from pathlib import Path
from typing import Any, Literal

import numpy as np

from ..losses import Loss, unweighted
from ..numerics import checks
from ..problems.box import WITHOUT
from ..problems.problem import Problem
from ..proofs import Verdict, describe, write_certificate
from ..runs import Solution, in_html
from ..runs.limits import MAX_PASSES
from .bounding import GapBound, Task, bound_gap, task_at


@dataclass(frozen=True, repr=False)  # print is a sentence
class Distance:
    """Distance of P(w) above its minimum P(w*).

    Attributes
    ----------
    gap : float
        At most this far, the rounding of float64 included; inf where no number can be given, and `why` says why not.
    at_least : float
        At least this far: a better w is known.
    relative_gap : float
        gap / max(P(0) - D, 1e-6 P(0)), as of every solution.
    primal, dual : float
        P(w), the mean loss and the regulariser as `cdlab.Problem` has them, and the lower bound D of P(w*). The gap is
        their difference with its rounding.
    rounding : float
        The share of `gap` that is there because float64 rounds.
    what : str
        What was certified.
    problem : str
        The problem that it was taken to solve, or the first of several.
    problems : int
        How many there are: with one class against the rest all values are sums over them.
    why : str
        With gap = inf, why there is no number; else empty.
    proofs : sequence of (Task, (n,) array)
        The points that are certified and the dual points that prove it, for `save_certificate`.
    """

    gap: float
    at_least: float
    relative_gap: float
    primal: float
    dual: float
    rounding: float
    what: str
    problem: str
    problems: int = 1
    why: str = ""
    proofs: Sequence[tuple[Task, np.ndarray]] = field(default=(), repr=False, compare=False)

    def save_certificate(
        self,
        path: str | os.PathLike[str],
        *,
        label_column: int | None = None,
        rows: Literal["all", "train", "test"] = "all",
        scale: float | np.ndarray | None = None,
        about: str | None = None,
    ) -> list[Verdict]:
        """Write a file that proves this distance, and check it; of several problems NAME.1, NAME.2 and so on.

        Parameters, errors and the checker are those of `cdlab.Solution.save_certificate`.

        Parameters
        ----------
        path : str or path
            The file.
        label_column, rows, scale, about
            As of `cdlab.Solution.save_certificate`.

        Returns
        -------
        list of Verdict
            One for each problem.
        """
        if not math.isfinite(self.gap):
            raise ValueError(f"there is no distance to prove: {self.why}")
        found = []
        for k, (task, alpha) in enumerate(self.proofs, start=1):
            problem = task.problem
            w, b = problem.coefficients(task.w)
            more = {"label_column": label_column, "rows": rows, "scale": scale, "constant": task.constant}
            name = Path(path) if len(self.proofs) == 1 else Path(path).with_suffix(f".{k}{Path(path).suffix}")
            found.append(write_certificate(name, problem, w, b, alpha, describe(problem, task.labels, **more), about))
        return found

    def __repr__(self) -> str:
        several = f", summed over {self.problems} problems of one class against the rest" if self.problems > 1 else ""
        if not math.isfinite(self.gap):
            return f"{self.what}: P(w) = {self.primal:.6g}{several}; no number can be given: {self.why}"
        least = f" and at least {_two_digits(self.at_least, ROUND_FLOOR)}" if self.at_least > 0 else ""
        rounding = f"{_two_digits(self.rounding, ROUND_CEILING)} of it for the rounding of float64"
        return (
            f"{self.what}: P(w) = {self.primal:.6g}{several} is at most "
            f"{_two_digits(self.gap, ROUND_CEILING)}{least} above its minimum (relative gap "
            f"{_two_digits(self.relative_gap, ROUND_CEILING)}; {rounding})"
        )

    def _repr_html_(self) -> str:
        facts: list[tuple[str, Any]] = [("P(w)", f"{self.primal:.6g}"), ("problem", self.problem)]
        for name, value, way in (("gap", self.gap, ROUND_CEILING), ("at least", self.at_least, ROUND_FLOOR)):
            facts.append((name, _two_digits(value, way)))
        return in_html.notebook_html(str(self), in_html.facts_table(facts), index=True)


def _two_digits(value: float, way: str) -> str:
    """Two digits, rounded so that what is said stays true."""
    return f"{float(Context(prec=2, rounding=way).create_decimal_from_float(value)):.2g}"


def certify(
    model_or_w: Any,
    X: Any,
    y: Any,
    loss: str | Loss | None = None,
    l2: float | None = None,
    l1: float = 0.0,
    *,
    intercept: Any = None,
    sample_weight: Any = None,
    offset: Any = None,
    lower: Any = None,
    upper: Any = None,
    penalty_factor: Any = None,
    max_passes: float | None = MAX_PASSES,
) -> Distance:
    """Bound how far a fitted linear model is from its optimum.

    Parameters
    ----------
    model_or_w : fitted estimator, (d,) array or Solution
        Of scikit-learn a `LogisticRegression`, `LinearSVC`, `SVC(kernel="linear")`, `Ridge`, `RidgeClassifier`,
        `Lasso`, `ElasticNet` or `SGDClassifier`, their relatives with ``CV`` in their name, at the weight that they
        chose, or a `LinearSVR` with epsilon = 0; an estimator of cdlab; a `Solution`; or the coefficients w, with
        softmax (d, K).
    X, y : (n, d) array or sparse matrix, and (n,) array
        The data that it was fitted to.
    loss, l2, l1 : as for `Problem`
        For coefficients and solutions, where `loss` and `l2` have no default; a Solution that was not loaded knows its
        own. A fitted model knows its own, too, and takes none.
    intercept : float, optional
        For coefficients: the b of predictions x_i'w + b, which has no weight in P; with softmax (K,). None: predictions
        are x_i'w. A penalised intercept is a coefficient of a constant column of X.
    sample_weight : (n,) array of numbers >= 0, optional
        What examples counted. A fitted model does not tell whether it was given weights: pass those of its `fit`. Its
        `class_weight` is known.
    offset : (n,) array, optional
        What was added to predictions, as for `Problem`. A Solution that was not loaded knows its own; an estimator of
        cdlab takes that of its `fit`, and others have none.
    lower, upper, penalty_factor : float or (d,) array, optional
        Bounds and weights of features, as for `Problem`, of coefficients. A Solution that was not loaded knows its own;
        so does a fitted model, such as ``Lasso(positive=True)``.
    max_passes : float or None, default 1000
        The most passes over the data that the search for a better bound may take.

    Returns
    -------
    Distance
        With `gap`, `at_least`, `relative_gap` and `primal`; printed it is a sentence.

    Raises
    ------
    ValueError, TypeError
        For a model that is not fitted or of another kind, for data it cannot have been fitted to, and as `Problem`.

    Notes
    -----
    P is the objective of `Problem`, a mean loss: `LogisticRegression` minimises n C times as much, `Ridge` 2 n times,
    `Lasso` as much. `primal` and `gap` are on that scale, `relative_gap` has none. liblinear's penalised intercepts
    and free ones are told apart. With one class against the rest the values are sums over the classes.

    The bound is P(w) - D(alpha), with its rounding. alpha(w) is its first dual point; from there, dual steps or a
    better w find others, until the bound is within twice the distance that is known to be there, no longer falls, or
    the passes are used up. Without a regulariser there is no such bound, except for least squares.

    Examples
    --------
    >>> import cdlab
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = cdlab.datasets.load("mushrooms")
    >>> found = cdlab.certify(LogisticRegression(C=1.0).fit(X, y), X, y)
    >>> found.at_least <= found.gap < 1e-4
    True
    """
    features = {"lower": lower, "upper": upper, "penalty_factor": penalty_factor}
    more = {"sample_weight": sample_weight, "offset": offset, **features}
    more = {name: given for name, given in more.items() if given is not None}
    if isinstance(model_or_w, Solution):
        tasks, what = [_solution_task(model_or_w, X, y, loss, l2, l1, intercept, more)], "this solution"
    elif hasattr(model_or_w, "fit") or isinstance(model_or_w, type):
        from . import fitted  # scikit-learn: not before it is needed

        given = [name for name, is_given in _given_arguments(loss, l2, l1, intercept) if is_given]
        given += [name for name in features if name in more]
        if given:
            raise ValueError(f"a fitted model knows its own objective: leave {', '.join(given)} out")
        tasks, what = fitted.tasks_of(model_or_w, X, y, sample_weight, offset), type(model_or_w).__name__
    else:
        w = checks.real_array("the coefficients", model_or_w)
        tasks, what = [_coefficient_task(w, X, y, loss, l2, l1, intercept, more)], "these coefficients"
    return certify_tasks(tasks, what, max_passes)


def certify_tasks(tasks: Sequence[Task], what: str, max_passes: float | None = MAX_PASSES) -> Distance:
    """The distance of these points from the optima of their problems, added up; `what` names them."""
    bounds = [bound_gap(task, max_passes) for task in tasks]
    gap, dual, rounding = (sum(values) for values in zip(*((b.gap, b.dual, b.rounding) for b in bounds), strict=True))
    scale = sum(_scale(b) for b in bounds)
    return Distance(
        gap=gap,
        at_least=sum(b.at_least for b in bounds),
        relative_gap=0.0 if gap == 0 else gap / scale if 0 < scale < math.inf else math.inf,
        primal=sum(b.primal for b in bounds),
        dual=dual,
        rounding=rounding,
        what=what,
        problem=repr(tasks[0].problem),
        problems=len(tasks),
        proofs=[(task, bound.alpha) for task, bound in zip(tasks, bounds, strict=True)],
        why=next((b.why or "no dual point in the domain was found" for b in bounds if b.gap == math.inf), ""),
    )


def _scale(b: GapBound) -> float:
    return max(b.problem.at_zero - b.dual, 1e-6 * b.problem.at_zero)


def _given_arguments(loss: Any, l2: Any, l1: Any, intercept: Any) -> list[tuple[str, bool]]:
    values = {"loss": loss, "l2": l2, "intercept": intercept}
    return [*((name, value is not None) for name, value in values.items()), ("l1", not _is_zero(l1))]


def _is_zero(value: Any) -> bool:
    return checks.is_number(value) and value == 0


def _coefficient_task(
    w: np.ndarray,
    X: Any,
    y: Any,
    loss: Any,
    l2: Any,
    l1: Any,
    intercept: Any,
    more: dict[str, Any],
    alpha: np.ndarray | None = None,
) -> Task:
    if loss is None or l2 is None:
        raise ValueError(
            'coefficients do not tell what they minimise: pass loss and l2, as in loss="logistic", l2=1e-3'
        )
    return task_at(Problem(X, y, loss, l2, l1, intercept=intercept is not None, **more), w, intercept, alpha)


def _solution_task(
    s: Solution, X: Any, y: Any, loss: Any, l2: Any, l1: Any, intercept: Any, more: dict[str, Any]
) -> Task:
    own = None if s.run is None else s.run.problem
    if own is not None and loss is None and l2 is None and _is_zero(l1):
        loss, l2, l1 = unweighted(own.loss), own.l2, own.l1
        more = {name: getattr(own, name) for name in ("sample_weight", "offset", *WITHOUT)} | more
        free = own.intercept
    else:
        free = bool(np.any(s.intercept))
    b = s.intercept if intercept is None and free else intercept
    return _coefficient_task(s.w, X, y, loss, l2, l1, b, more, s.alpha)
