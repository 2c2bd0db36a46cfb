"""Cross-validation along the path: every fold solves all weights in one go; the best on unseen examples is taken."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from itertools import product
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state

from ..losses import Loss, smoothness_hint, unweighted
from ..numerics import checks
from ..paths import fits, largest_l1
from ..problems.problem import Problem
from ..regularizers import checked_weight
from ..runs import Path
from ..runs.entries import entrant
from ..runs.paths import solve_pairs
from .base import CertifiedEstimator

SCORE_STEP = 10.0  # by which a weight must fall for its score to improve by more than chance
RULES = ("best", "one_standard_error")
LEAST_SHARE = 1e-3  # of l1 by which weights are chosen: without l1 no weight makes w = 0


class CrossValidatedEstimator(CertifiedEstimator, ABC):
    """A linear predictor whose weights are chosen by cross-validation; its parameters are those of the two deriving."""

    coef_: np.ndarray
    intercept_: Any

    def __init__(
        self,
        loss: str | Loss = "squared",
        *,
        l1_ratio: Any = 1.0,
        weights: Any = 50,
        eps: float = 1e-3,
        cv: Any = None,
        scoring: Any = None,
        rule: str = "best",
        n_jobs: int | None = None,
        tol: float = 1e-6,
        max_passes: float | None = 1000,
        fit_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.l1_ratio = l1_ratio
        self.weights = weights
        self.eps = eps
        self.cv = cv
        self.scoring = scoring
        self.rule = rule
        self.n_jobs = n_jobs
        self.tol = tol
        self.max_passes = max_passes
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    @abstractmethod
    def _fold_scores(self, z: np.ndarray, y: np.ndarray, s: np.ndarray | None) -> np.ndarray:
        """The mean score of decision values z (targets, weights, m) on y (m,), for each weight; larger is better."""

    @abstractmethod
    def _at(self, paths: list[Path], k: int) -> Self:
        """A copy of this estimator with the coefficients of the k-th weight."""

    def _fit_path(
        self, X: Any, y: np.ndarray, targets: Sequence[np.ndarray], loss: Loss, s: np.ndarray | None, stratified: bool
    ) -> None:
        """Solve all folds and all examples for all weights, choose, and keep what is known of the choice.

        Parameters
        ----------
        X, y : (n, d), (n,)
            Examples and what scores compare with.
        targets : sequence of (n,) arrays
            The labels of the problems: one, or one for each class.
        loss : Loss
            A smooth one.
        s : (n,) array, optional
            Sample weights.
        stratified : bool
            Whether folds keep the shares of the classes, where `cv` is a number.
        """
        checks.one_of("rule", self.rule, RULES)
        if loss.gamma == 0:
            raise ValueError(f"{type(self).__name__} needs a smooth loss, and {smoothness_hint(loss)}")
        ratios = [
            checks.number("l1_ratio", ratio, "a number from 0 to 1", high=1.0, ends="[]")
            for ratio in (self.l1_ratio if _is_several(self.l1_ratio) else [self.l1_ratio])
        ]
        rng = check_random_state(self.random_state)
        entry = (*entrant("auto"), int(rng.randint(np.iinfo(np.int32).max)))
        limits = {"tol": self.tol, "max_passes": self.max_passes, "max_seconds": None, "stop": None}
        whole = [self._problem(X, target, loss, s, self._jobs_within(len(targets))) for target in targets]
        grids = [self._grid(whole, ratio) for ratio in ratios]
        folds = list(check_cv(self.cv, y, classifier=stratified).split(X, y))
        scorer = None if self.scoring is None else check_scoring(self, scoring=self.scoring)

        def solved(P: Problem, row: int) -> Path:
            pairs = [(a * (1 - ratios[row]), a * ratios[row]) for a in map(float, grids[row])]
            return solve_pairs(P, pairs, entry, limits)

        def fitted(row: int, train: np.ndarray, test: np.ndarray, target: np.ndarray) -> Any:
            path = solved(self._problem(X[train], target[train], loss, None if s is None else s[train]), row)
            return _decisions(path, X[test]) if scorer is None else path

        def scored(test: np.ndarray, parts: list[Any]) -> Any:
            if scorer is None:
                return self._fold_scores(np.array(parts), y[test], None if s is None else s[test])
            return [scorer(self._at(parts, k), X[test], y[test]) for k in range(len(parts[0]))]

        def run(calls: Iterable[Any]) -> Iterator[Any]:
            """Results in order, each kept until it is taken; kernels hold no GIL, and threads share X."""
            return Parallel(n_jobs=self.n_jobs, prefer="threads", return_as="generator")(calls)

        fits = list(product(range(len(ratios)), folds))
        parts = run(delayed(fitted)(row, *fold, target) for row, fold in fits for target in targets)
        by_fit = zip(*[parts] * len(targets), strict=True)
        found = [scored(test, list(each)) for each, (_, (_, test)) in zip(by_fit, fits, strict=True)]
        scores = np.array(found).reshape(len(ratios), len(folds), -1).transpose(0, 2, 1)
        masses = np.array([1.0 if s is None else s[test].sum() for _, test in folds])  # as in scikit-learn
        row, k = _choice(scores, masses / masses.sum(), self.rule)
        if k == grids[row].size - 1 and _still_improves(scores[row], masses / masses.sum(), grids[row]):
            given = (
                "give smaller weights"
                if _is_several(self.weights)
                else f"take an eps below {self.eps:g}, or scale the features"
            )
            warnings.warn(
                f"{type(self).__name__} chose the smallest weight that it tried, {grids[row][k]:.3g}, and the score "
                f"still improves towards it: {given}",
                ConvergenceWarning,  # as scikit-learn's Gaussian processes at the end of their bounds
                stacklevel=3,
            )

        several = _is_several(self.l1_ratio)
        self.scores_: np.ndarray = scores if several else scores[0]
        self.weights_: np.ndarray = np.array(grids) if several else grids[0]
        self.l1_ratio_: float = ratios[row]
        self.weight_: float = float(grids[row][k])
        self.l1_: float = self.weight_ * ratios[row]
        self.l2_: float = self.weight_ * (1 - ratios[row])
        paths = list(run(delayed(solved)(P, row) for P in whole))
        self.path_: Path | list[Path] = paths if len(paths) > 1 else paths[0]
        chosen = self._at(paths, k)
        self.coef_, self.intercept_ = chosen.coef_, chosen.intercept_
        self._store_solutions([path[k] for path in paths])

    def _problem(
        self, X: Any, target: np.ndarray, loss: Loss, s: np.ndarray | None, n_jobs: int | None = None
    ) -> Problem:
        intercept = checks.flag("fit_intercept", self.fit_intercept)
        return Problem(X, target, loss, 0.0, 0.0, sample_weight=s, intercept=intercept, n_jobs=n_jobs)

    def _grid(self, problems: list[Problem], ratio: float) -> np.ndarray:
        """The weights for this share of l1, from the largest down."""
        if _is_several(self.weights):
            given = sorted({checked_weight("weights", a) for a in self.weights}, reverse=True)
            if not given or given[-1] == 0:
                raise ValueError("weights must be a number of them, or numbers > 0")
            return np.array(given)
        count = checks.integer("weights", self.weights, "a number of weights >= 1, or numbers > 0")
        eps = checks.number("eps", self.eps, "a number from 0 to 1", high=1.0)
        if ratio < LEAST_SHARE:
            largest, eps = _weight_of_ridge(problems[0]), eps**2
        else:
            largest = max(_weight_of_zero(P) for P in problems) / ratio
        return np.geomspace(largest, eps * largest, count) if largest > 0 else np.ones(1)


def _weight_of_zero(P: Problem) -> float:
    if fits(P):
        return largest_l1(P)
    return float(np.abs(P.v(P.alpha(P.zeros(P.d)))[: P.d - P.intercept]).max())


def _weight_of_ridge(P: Problem) -> float:
    """The largest trace of the mean loss's Hessian, beside a free intercept: as l2 it at least halves every direction.

    The squared loss asks for w = (H + l2)^-1 H w_0, with w_0 for l2 = 0 and eigenvalues of H up to its trace.
    """
    means = P.v(np.ones(P.n)) if P.intercept else np.zeros(1)
    return float(P.row_profile.norms2.mean() - means @ means) / unweighted(P.loss).gamma


def _is_several(given: Any) -> bool:
    return np.ndim(given) > 0


def _decisions(path: Path, X: Any) -> np.ndarray:
    """X w + b of each solution of a path, (weights, m)."""
    w, b = np.array([s.w for s in path]), np.array([s.intercept for s in path])
    return np.asarray(X @ w.T).T + b[:, None]


def _choice(scores: np.ndarray, shares: np.ndarray, rule: str) -> tuple[int, int]:
    """The best row (l1_ratio) and weight of scores (ratios, weights, folds).

    By one standard error it is the largest weight of that row whose mean is no further below the best one.
    """
    means = scores @ shares
    row, k = divmod(int(np.argmax(means)), means.shape[1])
    if rule == "one_standard_error" and shares.size > 1:
        error = scores[row, k].std(ddof=1) / np.sqrt(shares.size)
        k = int(np.flatnonzero(means[row] >= means[row, k] - error)[0])
    return row, k


def _still_improves(scores: np.ndarray, shares: np.ndarray, weights: np.ndarray) -> bool:
    """Whether the last mean of scores (weights, folds) is above that of ten times its weight by its standard error."""
    means = scores @ shares
    larger = np.flatnonzero(weights >= SCORE_STEP * weights[-1] * (1 - 1e-9))  # but for rounding
    if shares.size < 2:
        return False
    error = scores[-1].std(ddof=1) / np.sqrt(shares.size)
    return bool(means[-1] - means[larger[-1] if larger.size else 0] > error)


def with_coefficients(estimator: Any, coef: np.ndarray, intercept: Any) -> Any:
    """A shallow copy with these coefficients."""
    other = copy(estimator)
    other.coef_, other.intercept_ = coef, intercept
    return other
