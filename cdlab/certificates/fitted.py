"""Models of scikit-learn and of cdlab as the problems they solved, and the points they reached.

scikit-learn's objectives are C sum_i s_i phi + penalty (LogisticRegression, LinearSVC, LinearSVR, SVC), sum_i s_i r^2
+ alpha ||w||^2 (Ridge, RidgeClassifier), a mean plus penalty (Lasso, ElasticNet), and (1/n) sum_i s_i phi + penalty,
where weights do not cancel (SGDClassifier). liblinear (LinearSVC, LinearSVR, and LogisticRegression with that solver)
penalises its intercept, as the coefficient of a column intercept_scaling; the others leave theirs free. SGDClassifier
and LinearSVC, with more than two classes, weigh the examples of a class only where it is not among the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import (
    ElasticNet,
    ElasticNetCV,
    Lasso,
    LassoCV,
    LinearRegression,
    LogisticRegression,
    QuantileRegressor,
    Ridge,
    RidgeClassifier,
    RidgeClassifierCV,
    RidgeCV,
    SGDClassifier,
)
from sklearn.svm import SVC, SVR, LinearSVC, LinearSVR
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.validation import check_is_fitted

from .. import losses
from ..estimators import CDClassifier, CDClassifierCV, CDRegressor, CDRegressorCV
from ..estimators.base import CertifiedEstimator, append_column, checked_examples, checked_numbers
from ..estimators.regressor import regression_loss
from ..losses import Loss
from ..numerics import checks, profiles
from ..problems import labels, weights
from ..problems.problem import Problem
from .bounding import Task, task_at

Tasks = list[Task]


def tasks_of(model: Any, X: Any, y: Any, sample_weight: Any = None, offset: Any = None) -> Tasks:
    """The problems that a fitted model solved, one or one a class, and the points it reached.

    Parameters
    ----------
    model : fitted estimator
        As for `certify`.
    X, y, sample_weight, offset : (n, d) array or sparse matrix, (n,) array, (n,) arrays or None
        What it was fitted to.

    Raises
    ------
    ValueError, TypeError
        For another kind of model, one that is not fitted, and data it cannot have been fitted to.
    """
    name, read = type(model).__name__, _reader(model)
    if isinstance(model, SVC | SVR) and model.kernel != "linear":
        raise ValueError(
            f'certify takes an {name} with kernel="linear", and this one has {checks.short_repr(model.kernel)}'
        )
    try:
        check_is_fitted(model)
    except NotFittedError:
        raise ValueError(f"this {name} is not fitted: call its fit before certify") from None
    own = [offset] if isinstance(model, CertifiedEstimator) else []
    if offset is not None and not own:
        raise ValueError(f"certify takes no offset with {name}, which has none: leave offset out")
    if offset is None and getattr(model, "has_offset_", False):
        raise ValueError(f"this {name} was fitted with an offset: pass the same to certify")
    X, features = profiles.validated_matrix(checked_examples(X)), model.coef_.shape[-1]
    if X.shape[1] != features:
        raise ValueError(f"X has {X.shape[1]} features, and this {name} was fitted to {features}")
    weights.checked(sample_weight, X.shape[0])
    s = np.ones(X.shape[0]) if sample_weight is None else checks.real_array("sample_weight", sample_weight)
    y = labels.validated_labels(checked_numbers("y", y), X.shape[0])
    return [_with_labels(task, y) for task in read(model, X, y, s, *own)]


def _with_labels(task: Task, y: np.ndarray) -> Task:
    """The task with what each label became in its problem, unless they are numbers that stayed what they were."""
    if not labels.are_words(y) and np.array_equal(task.problem.y, y):
        return task
    return task._replace(labels=list(dict(zip(y.tolist(), task.problem.y.tolist(), strict=True)).items()))


def _reader(model: Any) -> Callable[..., Tasks]:
    if isinstance(model, type):
        raise TypeError(f"certify takes a fitted model: pass {model.__name__}(...).fit(X, y) in place of the class")
    for kind, read in READERS.items():
        if isinstance(model, kind):
            return read
    hint = ""
    if hasattr(model, "steps"):
        hint = ": of a pipeline pass its last step, model[-1], and model[:-1].transform(X)"
    elif hasattr(model, "best_estimator_"):
        hint = ": of a search pass its best_estimator_"
    elif isinstance(model, LinearRegression):
        hint = ", which has no regulariser and so no dual bound: fit Ridge, with a small alpha > 0"
    known = ", ".join(kind.__name__ for kind in (*READERS, Lasso) if kind not in (SVC, SVR))
    raise TypeError(
        f"certify does not know the objective of {type(model).__name__}{hint} (models: {known}, "
        'SVC and SVR(kernel="linear")); '
        "of any other pass its coefficients, with loss and l2"
    )


def _logistic(model: LogisticRegression, X: Any, y: np.ndarray, s: np.ndarray) -> Tasks:
    k, by_class = _classes(model, y, s)
    s = s * by_class[k]
    ratio = {"l2": 0.0, "l1": 1.0}.get(model.penalty, _chosen(model, "l1_ratio", 0.0))
    weight = 0.0 if model.penalty is None else 1 / (_chosen(model, "C") * s.sum())
    liblinear = model.solver == "liblinear"
    if getattr(model, "multi_class", "auto") not in ("auto", "deprecated") or (liblinear and by_class.size > 2):
        raise ValueError(
            "certify takes a LogisticRegression of more than two classes where it is multinomial: leave multi_class "
            "out, and take another solver than liblinear"
        )
    make = _TaskMaker(X, s, weight * (1 - ratio), weight * ratio, model, liblinear)
    if by_class.size > 2:
        return [make(losses.Softmax(), k.astype(np.float64), model.coef_.T, model.intercept_)]
    return [make(losses.Logistic(), _signs(k, 1), model.coef_[0], _number(model.intercept_))]


def _linear_svc(model: LinearSVC, X: Any, y: np.ndarray, s: np.ndarray) -> Tasks:
    if model.multi_class != "ovr":
        raise ValueError(f"certify does not know the loss of a LinearSVC with multi_class={model.multi_class!r}")
    loss, times = (losses.hinge(), 1.0) if model.loss == "hinge" else (losses.resolve("squared_hinge"), 2.0)
    k, by_class = _classes(model, y, s)
    found = []
    for row, (signs, own) in enumerate(_binary_problems(k, by_class)):
        weighed = s * own
        weight = 1 / (times * model.C * weighed.sum())
        l2, l1 = (0.0, weight) if model.penalty == "l1" else (weight, 0.0)
        b = np.broadcast_to(model.intercept_, len(model.coef_))[row]
        found.append(_TaskMaker(X, weighed, l2, l1, model, penalised=True)(loss, signs, model.coef_[row], b))
    return found


def _svr(model: LinearSVR | SVR, X: Any, y: np.ndarray, s: np.ndarray) -> Tasks:
    is_squared = getattr(model, "loss", "") == "squared_epsilon_insensitive"
    loss = (losses.SquaredEpsilonInsensitive if is_squared else losses.EpsilonInsensitive)(float(model.epsilon))
    alpha = _support_vectors(model, s) if isinstance(model, SVR) else None
    make = _TaskMaker(X, s, 1 / ((1 + is_squared) * model.C * s.sum()), 0.0, model, penalised=alpha is None)
    return [make(loss, y, _single_target(model), _number(model.intercept_), alpha)]


def _support_vectors(model: SVC | SVR, s: np.ndarray) -> np.ndarray:
    """The alpha (n,) of a model of libsvm; libsvm has them without C and weights of mean 1."""
    alpha = np.zeros(s.size)
    alpha[model.support_] = _dense(model.dual_coef_)[0] / (model.C * s.mean())
    return alpha


def _svc(model: SVC, X: Any, y: np.ndarray, s: np.ndarray) -> Tasks:
    k, by_class = _classes(model, y, s)
    if by_class.size > 2:
        raise ValueError(
            "certify takes an SVC of two classes: with more it fits one against one; certify its models of two "
            "classes one by one, or take LinearSVC"
        )
    s = s * by_class[k]
    make = _TaskMaker(X, s, 1 / (model.C * s.sum()), 0.0, model)
    alpha = _support_vectors(model, s)
    return [make(losses.hinge(), _signs(k, 1), _dense(model.coef_)[0], _number(model.intercept_), alpha)]


def _quantile(model: QuantileRegressor, X: Any, y: np.ndarray, s: np.ndarray) -> Tasks:
    make = _TaskMaker(X, s, 0.0, float(model.alpha), model)
    return [make(losses.Pinball(float(model.quantile)), y, model.coef_, _number(model.intercept_))]


def _ridge(model: Ridge | RidgeCV, X: Any, y: np.ndarray, s: np.ndarray) -> Tasks:
    make = _TaskMaker(X, s, _chosen(model, "alpha") / s.sum(), 0.0, model)
    return [make(losses.Squared(), y, _single_target(model), _number(model.intercept_))]


def _ridge_classifier(model: RidgeClassifier | RidgeClassifierCV, X: Any, y: np.ndarray, s: np.ndarray) -> Tasks:
    k, by_class = _classes(model, y, s)
    s, coef = s * by_class[k], np.atleast_2d(model.coef_)
    make = _TaskMaker(X, s, _chosen(model, "alpha") / s.sum(), 0.0, model)
    rows = zip(_binary_problems(k, by_class), coef, np.broadcast_to(model.intercept_, len(coef)), strict=True)
    return [make(losses.Squared(), signs, row, b) for (signs, _), row, b in rows]


def _elastic_net(model: ElasticNet | ElasticNetCV | LassoCV, X: Any, y: np.ndarray, s: np.ndarray) -> Tasks:
    weight, ratio = _chosen(model, "alpha"), _chosen(model, "l1_ratio", 1.0)
    make = _TaskMaker(X, s, weight * (1 - ratio), weight * ratio, model)
    return [make(losses.Squared(), y, _single_target(model), _number(model.intercept_))]


def _sgd(model: SGDClassifier, X: Any, y: np.ndarray, s: np.ndarray) -> Tasks:
    known: dict[str, tuple[Loss, float]] = {  # and how much larger scikit-learn's is
        "hinge": (losses.hinge(), 1.0),
        "log_loss": (losses.Logistic(), 1.0),
        "squared_hinge": (losses.resolve("squared_hinge"), 2.0),
        "modified_huber": (losses.SmoothHinge(gamma=2.0), 4.0),
        "squared_error": (losses.Squared(), 1.0),
        "huber": (losses.Huber(gamma=model.epsilon), model.epsilon),
    }
    if model.loss not in known:
        raise ValueError(f"certify does not know the loss {model.loss!r} of SGDClassifier (losses: {', '.join(known)})")
    loss, times = known[model.loss]
    ratio = {"l2": 0.0, "l1": 1.0, None: 0.0}.get(model.penalty, model.l1_ratio)
    weight = 0.0 if model.penalty is None else model.alpha / times
    k, by_class = _classes(model, y, s)
    found = []
    for row, (signs, own) in enumerate(_binary_problems(k, by_class)):
        weighed = s * own
        share = weight / weighed.mean()
        make = _TaskMaker(X, weighed, share * (1 - ratio), share * ratio, model)
        found.append(make(loss, signs, model.coef_[row], model.intercept_[row]))
    return found


def _cd_classifier(model: CDClassifier | CDClassifierCV, X: Any, y: np.ndarray, s: np.ndarray, offset: Any) -> Tasks:
    k, _ = _classes(model, y, s, weighed=False)
    loss, weighed = model._loss(), model._weights(model.classes_[k], k, s)
    make = _TaskMaker(X, weighed, *_cd_weights(model), model, model.intercept_scaling is not None, offset)
    loss, targets = model._targets(k)
    alphas = _dual_points(model, len(targets))
    if len(targets) == 1 and model.classes_.size > 2:
        return [make(loss, targets[0], model.coef_.T, model.intercept_, alphas[0])]
    return [make(loss, *each) for each in zip(targets, model.coef_, model.intercept_, alphas, strict=True)]


def _cd_regressor(model: CDRegressor | CDRegressorCV, X: Any, y: np.ndarray, s: np.ndarray, offset: Any) -> Tasks:
    loss = regression_loss(model)
    make = _TaskMaker(X, s, *_cd_weights(model), model, model.intercept_scaling is not None, offset)
    return [make(loss, y, model.coef_, model.intercept_, *_dual_points(model, 1))]


def _dual_points(model: Any, problems: int) -> list[Any]:
    """The alpha of each problem; None for a model from a pickle, which keeps none."""
    solutions = getattr(model, "solution_", None)
    return [getattr(s, "alpha", None) for s in (solutions if isinstance(solutions, list) else [solutions] * problems)]


def _cd_weights(model: Any) -> tuple[float, float]:
    """l2 and l1: those that cross-validation chose, where it did."""
    return (model.l2_, model.l1_) if hasattr(model, "weight_") else (model.l2, model.l1)


READERS: dict[type, Callable[..., Tasks]] = {  # of model, X, y, s, and of cdlab's the offset
    LogisticRegression: _logistic,  # and LogisticRegressionCV
    LinearSVC: _linear_svc,
    LinearSVR: _svr,
    SVC: _svc,
    SVR: _svr,
    QuantileRegressor: _quantile,
    Ridge: _ridge,
    RidgeCV: _ridge,
    RidgeClassifier: _ridge_classifier,
    RidgeClassifierCV: _ridge_classifier,
    ElasticNet: _elastic_net,  # and Lasso
    ElasticNetCV: _elastic_net,
    LassoCV: _elastic_net,
    SGDClassifier: _sgd,
    CDClassifier: _cd_classifier,
    CDRegressor: _cd_regressor,
    CDClassifierCV: _cd_classifier,
    CDRegressorCV: _cd_regressor,
}


class _TaskMaker:
    """Problems with these data and weights, and the points that coefficients and an intercept are in them.

    Parameters
    ----------
    X, s : (n, d) array or CSR matrix, (n,) array
        Examples and what they count.
    l2, l1 : float
        On the scale of the mean loss.
    model : fitted estimator
        Whether it has an intercept, and the value of its column where that is penalised.
    penalised : bool
        Whether an intercept is.
    offset : (n,) array, optional
        What is added to predictions.
    """

    def __init__(self, X: Any, s: Any, l2: float, l1: float, model: Any, penalised: bool = False, offset: Any = None):
        wanted = bool(getattr(model, "fit_intercept", True))  # an SVC always has one
        self.free = wanted and not penalised
        self.column = float(model.intercept_scaling) if wanted and penalised else None
        self.X = X if self.column is None else append_column(X, self.column)
        self.s, self.l2, self.l1, self.offset = s, l2, l1, offset
        self.limits: dict[str, Any] = {"lower": 0.0} if getattr(model, "positive", False) else {}
        if isinstance(model, CertifiedEstimator):
            self.limits = model._limits(X.shape[1], self.column)

    def __call__(self, loss: Loss, y: np.ndarray, coef: np.ndarray, b: Any, alpha: np.ndarray | None = None) -> Task:
        examples = {"sample_weight": self.s, "offset": self.offset, **self.limits}
        problem = Problem(self.X, y, loss, self.l2, self.l1, **examples, intercept=self.free)
        if self.column is not None:
            coef = np.concatenate([coef, np.reshape(b, (1, *np.shape(coef)[1:])) / self.column])
        task = task_at(problem, np.asarray(coef, np.float64), b if self.free else None, alpha)
        return task._replace(constant=self.column)


def _classes(model: Any, y: np.ndarray, s: np.ndarray, weighed: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """The index (n,) of each example's class, and what each class counts (K,) by class_weight.

    Raises
    ------
    ValueError
        If y has other classes than the model.
    """
    own = np.asarray(model.classes_)
    own = own.astype(str) if labels.are_words(y) else own
    found, k = np.unique(y, return_inverse=True)
    if not np.array_equal(found, own):
        name = type(model).__name__
        raise ValueError(
            f"y has the classes {labels.list_labels(found)}, and this {name} was fitted to {labels.list_labels(own)}"
        )
    if not weighed:
        return k, np.ones(own.size)
    if isinstance(model.class_weight, str) and isinstance(model, LogisticRegression | LinearSVC) and (s != s[0]).any():
        raise ValueError(
            "certify cannot tell what class_weight='balanced' was with sample_weight: versions of scikit-learn "
            "differ; fit with class_weight as a dict"
        )
    return k, compute_class_weight(model.class_weight, classes=model.classes_, y=model.classes_[k])


def _binary_problems(k: np.ndarray, by_class: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """For two classes one, else for each against the rest: signs (n,), and what examples count by their class (n,)."""
    if by_class.size == 2:
        yield _signs(k, 1), by_class[k]
        return
    for one, weight in enumerate(by_class):
        yield _signs(k, one), np.where(k == one, weight, 1.0)


def _signs(k: np.ndarray, one: int) -> np.ndarray:
    return np.where(k == one, 1.0, -1.0)


def _single_target(model: Any) -> np.ndarray:
    coef = _dense(model.coef_)
    if coef.ndim > 1 and len(coef) > 1:
        raise ValueError(f"this {type(model).__name__} has {len(coef)} targets: certify takes one at a time")
    return coef.reshape(-1)


def _dense(x: Any) -> np.ndarray:
    return np.asarray(x.toarray() if hasattr(x, "toarray") else x)


def _chosen(model: Any, name: str, default: float = np.nan) -> float:
    """A parameter of a model, as cross-validation chose it where it did."""
    value: Any = getattr(model, f"{name}_", getattr(model, name, default))
    value = np.ravel(value)[0]
    return float(default if value is None else value)


def _number(x: Any) -> float:
    """A number, also where it is an array of one."""
    return float(np.reshape(x, -1)[0])
