"""Cross-validation along the path: every fold solves all weights in one go; the best on unseen examples is taken."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import KW_ONLY, replace
from itertools import product
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from sklearn import config_context, get_config
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, get_routing_for_object, process_routing

from ..losses import Loss, is_vector, smoothness_hint, unweighted
from ..numerics import checks
from ..paths import fits, largest_l1
from ..problems.problem import Problem
from ..regularizers import checked_weight
from ..runs import Path
from ..runs.entries import resolve_entry
from ..runs.limits import Limits
from ..runs.paths import Place, solve_places
from .base import CertifiedEstimator, append_column, parameters, split_column

SCORE_STEP = 10.0  # by which a weight must fall for its score to improve by more than chance
RULES = ("best", "one_standard_error")
UNLIKE_SCALES = 1e3  # Ratio of the scales of columns beyond which one penalty for all keeps small ones out.
LEAST_SHARE = 1e-3  # of l1 by which weights are chosen: without l1 no weight makes w = 0


@parameters
class CrossValidatedEstimator(CertifiedEstimator, ABC):
    """A linear predictor whose weights are chosen by cross-validation; its parameters are those of the two deriving."""

    loss: str | Loss = "squared"
    _: KW_ONLY
    l1_ratio: Any = 1.0
    weights: Any = 50
    eps: float = 1e-3
    cv: Any = None
    scoring: Any = None
    rule: str = "best"
    n_jobs: int | None = None
    tol: float = 1e-6
    max_passes: float | None = 1000
    fit_intercept: bool = True
    intercept_scaling: float | None = None
    positive: bool = False
    lower: Any = None
    upper: Any = None
    penalty_factor: Any = None
    random_state: Any = None

    @abstractmethod
    def _fold_scores(self, z: np.ndarray, y: np.ndarray, s: np.ndarray | None) -> np.ndarray:
        """The mean score of decision values z (targets, weights, m) on y (m,), for each weight; larger is better."""

    @abstractmethod
    def _at(self, paths: list[Path], k: int) -> Self:
        """A copy of this estimator with the coefficients of the k-th weight."""

    def _fit_path(
        self,
        X: Any,
        y: np.ndarray,
        targets: Sequence[np.ndarray],
        loss: Loss,
        s: np.ndarray | None,
        sample_weight: np.ndarray | None,
        offset: np.ndarray | None,
        params: dict[str, Any],
        stratified: bool,
    ) -> None:
        """Solve all folds and all examples for all weights, choose, and keep what is known of the choice.

        Parameters
        ----------
        X, y : (n, d), (n,)
            Examples and what scores compare with.
        targets : sequence of (n,) arrays
            The labels of the problems: one, or one for each class.
        loss : Loss
            Theirs.
        s, sample_weight : (n,) arrays, optional
            What examples count in fits, and in scores, which classes do not weigh.
        offset : (n,) array, optional
            What is added to predictions.
        params : dict
            What else `fit` was given: the groups of a splitter, or whatever metadata routing asks for.
        stratified : bool
            Whether folds keep the shares of the classes, where `cv` is a number.
        """
        checks.one_of("rule", self.rule, RULES)
        ratios = [
            checks.number("l1_ratio", ratio, "a number from 0 to 1", high=1.0, ends="[]")
            for ratio in (self.l1_ratio if _is_several(self.l1_ratio) else [self.l1_ratio])
        ]
        rng = check_random_state(self.random_state)
        entry = (*resolve_entry("auto"), int(rng.randint(np.iinfo(np.int32).max)))
        column, _ = self._intercept()
        limits = Limits(self.tol, self._limit)
        scorer, for_split = self._scorer(offset), params
        whole = [self._problem(X, target, loss, s, offset, self._jobs_within(len(targets))) for target in targets]
        grids = [self._grid(whole, ratio) for ratio in ratios]
        for_scorer: dict[str, Any] = {"sample_weight": sample_weight}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", sample_weight=sample_weight, **params)
            for_split = routed.splitter.split
            for_scorer = for_scorer if scorer is None else routed.scorer.score
        elif other := params.keys() - {"groups"}:
            named = "sample_weight, offset and groups"
            raise TypeError(f"fit of {type(self).__name__} takes {named}, not {', '.join(other)}")
        folds = list(check_cv(self.cv, y, classifier=stratified).split(X, y, **for_split))
        if stratified and (lacking := sum(np.unique(y[train]).size < self.classes_.size for train, _ in folds)):
            warnings.warn(
                f"{lacking} of {len(folds)} folds lack a class among what they train on, and cannot learn it: give a "
                "cv that shuffles or keeps the shares of the classes, as StratifiedKFold",
                stacklevel=3,
            )

        def solved(P: Problem, row: int) -> Path:
            places: list[Place] = [(a * (1 - ratios[row]), a * ratios[row], None) for a in map(float, grids[row])]
            path = solve_places(P, places, entry, limits)
            if column is None:
                return path
            return Path(list(path.l2), list(path.l1), [split_column(s, column) for s in path])

        def fitted(row: int, train: np.ndarray, test: np.ndarray, target: np.ndarray) -> Any:
            own = [None if each is None else each[train] for each in (s, offset)]
            path = solved(self._problem(X[train], target[train], loss, *own), row)
            if is_vector(loss) and (present := np.unique(target[train])).size < self.classes_.size:
                path = _with_all_classes(path, present.astype(np.intp), self.classes_.size)
            if scorer is not None:
                return path
            return _decisions(path, X[test]) + (0.0 if offset is None else offset[test])

        reasons: list[str] = []  # why a score is no number

        def scored(row: int, test: np.ndarray, parts: list[Any]) -> Any:
            told = {name: np.asarray(value)[test] for name, value in for_scorer.items() if value is not None}
            given = told.get("sample_weight")
            if given is not None and not np.any(given):
                reasons.append("the examples that it is told of weigh nothing")
                return np.full(grids[row].size, np.nan)
            if scorer is None:
                return self._fold_scores(np.concatenate(parts), y[test], given)
            return [
                self._score(scorer, self._at(parts, k), X[test], y[test], told, reasons) for k in range(len(parts[0]))
            ]

        def run(calls: Iterable[Any]) -> Iterator[Any]:
            """Results in order, each kept until it is taken; kernels hold no GIL, and threads share X."""
            return Parallel(n_jobs=self.n_jobs, require="sharedmem", return_as="generator")(calls)

        fits = list(product(range(len(ratios)), folds))
        parts = run(delayed(fitted)(row, *fold, target) for row, fold in fits for target in targets)
        by_fit = zip(*[parts] * len(targets), strict=True)
        found = [scored(row, test, list(each)) for each, (row, (_, test)) in zip(by_fit, fits, strict=True)]
        scores = np.array(found).reshape(len(ratios), len(folds), -1).transpose(0, 2, 1)
        known = _known_folds(scores, reasons)
        row, k = _choice(known, self.rule)
        if k == grids[row].size - 1 and _still_improves(known[row], grids[row]):
            given = (
                "give smaller weights"
                if _is_several(self.weights)
                else f"take an eps below {self.eps:g}, or scale the features"
            )
            warnings.warn(
                f"{type(self).__name__} chose the smallest weight that it tried, {grids[row][k]:.3g}, and the score "
                f"still improves towards it: {given}",
                stacklevel=3,
            )
        elif k == 0 and (ratio := _ratio_of_scales(whole[0])) > UNLIKE_SCALES:
            warnings.warn(
                f"{type(self).__name__} chose the largest weight that it tried, {grids[row][k]:.3g}, which leaves "
                f"little but a constant, and columns of X differ in scale by a factor of {ratio:.2g}: scale them",
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
        self.coef_, self.intercept_ = chosen.coef_.astype(self._dtype), chosen.intercept_
        self._store_solutions([path[k] for path in paths])

    def get_metadata_routing(self) -> MetadataRouter:
        """Return what `fit` passes on where metadata routing is enabled, to the splitter and the scorer."""
        router = MetadataRouter(owner=self).add_self_request(self)
        router.add(splitter=self.cv, method_mapping=MethodMapping().add(caller="fit", callee="split"))
        if (scorer := self._scorer()) is not None:
            router.add(scorer=scorer, method_mapping=MethodMapping().add(caller="fit", callee="score"))
        return router

    def _scorer(self, offset: Any = None) -> Any:
        if not (self.scoring is None or isinstance(self.scoring, str) or callable(self.scoring)):
            raise ValueError(f"scoring must be one name, a callable or None, not {checks.short_repr(self.scoring)}")
        if offset is not None and self.scoring is not None:
            raise ValueError("scoring= asks for predictions without their offset: leave scoring or offset out")
        return None if self.scoring is None else check_scoring(self, scoring=self.scoring)

    def _score(self, scorer: Any, model: Any, X: Any, y: Any, told: dict[str, Any], reasons: list[str]) -> float:
        """The score of a model; NaN where these examples allow none, and why is added to `reasons`.

        A score known by name is given the indices of classes, of which the second is the positive one of two, and is
        told all of them, where it asks for them: these examples may lack some.
        """
        routing = {}
        if isinstance(self.scoring, str) and (classes := getattr(self, "classes_", None)) is not None:
            model, indices = copy(model), np.arange(classes.size)
            model.classes_, y = indices, np.where(np.isin(y, classes), np.searchsorted(classes, y), classes.size)
            if "labels" in get_routing_for_object(scorer).score.requests:
                told, routing = {**told, "labels": indices}, {"enable_metadata_routing": True}
        try:
            with config_context(**routing):
                return float(scorer(model, X, y, **told))
        except ValueError as error:
            reasons.append(str(error))
            return np.nan
        except TypeError as error:
            if "sample_weight" not in told or "sample_weight" not in str(error):
                raise
            scoring = checks.short_repr(self.scoring)
            raise TypeError(f"scoring={scoring} takes no sample_weight, which fit was given: take another") from error

    def _problem(
        self, X: Any, target: np.ndarray, loss: Loss, s: Any, offset: Any, n_jobs: int | None = None
    ) -> Problem:
        column, free = self._intercept()
        more: dict[str, Any] = {"sample_weight": s, "offset": offset, **self._limits(X.shape[1], column)}
        X = X if column is None else append_column(X, column)
        return Problem(X, target, loss, 0.0, 0.0, **more, intercept=free, n_jobs=n_jobs)

    def _grid(self, problems: list[Problem], ratio: float) -> np.ndarray:
        """The weights for this share of l1, from the largest down."""
        if _is_several(self.weights):
            given = sorted({checked_weight("weights", a) for a in self.weights}, reverse=True)
            if not given or given[-1] == 0:
                raise ValueError("weights must be a number of them, or numbers > 0")
            return np.array(given)
        count = checks.integer("weights", self.weights, "a number of weights >= 1, or numbers > 0")
        eps = checks.number("eps", self.eps, "a number from 0 to 1", high=1.0, ends="(]")
        if ratio < LEAST_SHARE:
            if problems[0].loss.gamma == 0:
                why = f"needs a smooth loss, and {smoothness_hint(problems[0].loss)}; or give weights, or l1_ratio > 0"
                raise ValueError(f"{type(self).__name__} with l1_ratio = {ratio:g} {why}")
            largest, eps = _weight_of_ridge(problems[0]), eps**2
        else:
            largest = max(_weight_of_zero(P) for P in problems) / ratio
        largest = largest or 1.0  # w = 0 for every weight
        return np.geomspace(largest, eps * largest, count)


def _weight_of_zero(P: Problem) -> float:
    if fits(P) or P.bounded:
        return largest_l1(P)
    P = P.centred
    alpha = P.alpha(P.zeros(P.d)) if P.start is None else P.start.alpha
    return float(np.abs(P.v(alpha)[: P.d - P.intercept]).max())


def _weight_of_ridge(P: Problem) -> float:
    """The largest trace of the mean loss's Hessian, beside a free intercept: as l2 it at least halves every direction.

    The squared loss asks for w = (H + l2)^-1 H w_0, with w_0 for l2 = 0 and eigenvalues of H up to its trace.
    """
    P = P.centred
    means = P.v(np.ones((P.n, *P.outputs))).reshape(P.d, -1)[:, 0] if P.intercept else np.zeros(1)
    return float(P.row_profile.norms2.mean() - means @ means) / unweighted(P.loss).gamma


def _is_several(given: Any) -> bool:
    return np.ndim(given) > 0


def _decisions(path: Path, X: Any) -> np.ndarray:
    """X w + b of each solution of a path, (1, weights, m), or with softmax (K, weights, m)."""
    w, b = np.stack([s.w for s in path], axis=1), np.array([s.intercept for s in path])
    z = np.asarray(X @ w.reshape(len(w), -1)).reshape(X.shape[0], len(path), -1)
    return (z + b.reshape(len(path), -1)).transpose(2, 1, 0)


def _with_all_classes(path: Path, present: np.ndarray, K: int) -> Path:
    """The solutions of softmax with K classes in place of those present, of which the others are never predicted."""
    solutions = []
    for s in path:
        w, b = np.zeros((len(s.w), K)), np.full(K, -np.inf)
        w[:, present], b[present] = s.w, s.intercept
        solutions.append(replace(s, w=w, intercept=b))
    return Path(list(path.l2), list(path.l1), solutions)


def _known_folds(scores: np.ndarray, reasons: list[str]) -> np.ndarray:
    """The scores (ratios, weights, folds) of the folds of which each is a number, with a warning if these are not all.

    Raises
    ------
    ValueError
        If there are none.
    """
    known = np.isfinite(scores).all(axis=(0, 1))
    if not known.all():
        why = f" ({reasons[0]})" if reasons else " (they are not numbers)"
        said = f"{known.size - known.sum()} of {known.size} folds have no score for each weight{why}"
        if not known.any():
            raise ValueError(f"{said}, so that none can be chosen: take another scoring or cv")
        warnings.warn(f"{said}: they do not count in the choice", stacklevel=4)
    return scores[..., known]


def _ratio_of_scales(P: Problem) -> float:
    """The largest deviation of a column of X over the smallest that is not 0."""
    norms2 = P.centred.column_profile.norms2[: P.d - P.intercept]
    norms2 = norms2[norms2 > 0]
    return float(np.sqrt(norms2.max() / norms2.min())) if norms2.size else 1.0


def _choice(scores: np.ndarray, rule: str) -> tuple[int, int]:
    """The best row (l1_ratio) and weight of scores (ratios, weights, folds).

    By one standard error it is the largest weight of that row whose mean is no further below the best one.
    """
    means, folds = scores.mean(axis=-1), scores.shape[-1]
    row, k = divmod(int(np.argmax(means)), means.shape[1])
    if rule == "one_standard_error" and folds > 1:
        error = scores[row, k].std(ddof=1) / np.sqrt(folds)
        k = int(np.flatnonzero(means[row] >= means[row, k] - error)[0])
    return row, k


def _still_improves(scores: np.ndarray, weights: np.ndarray) -> bool:
    """Tell whether the last mean score (weights, folds) exceeds that of ten times its weight by its standard error."""
    means, folds = scores.mean(axis=-1), scores.shape[-1]
    larger = np.flatnonzero(weights >= SCORE_STEP * weights[-1] * (1 - 1e-9))  # but for rounding
    if folds < 2:
        return False
    error = scores[-1].std(ddof=1) / np.sqrt(folds)
    return bool(means[-1] - means[larger[-1] if larger.size else 0] > error)


def with_coefficients(estimator: Any, coef: np.ndarray, intercept: Any) -> Any:
    """A shallow copy with these coefficients."""
    other = copy(estimator)
    other.coef_, other.intercept_ = coef, intercept
    return other
