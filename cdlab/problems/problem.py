"""The problem: P(w) = (1/n) sum_i phi(x_i'w; y_i) + (l2/2) ||w||^2 + l1 ||w||_1, and its dual.

D(alpha) = -(1/n) sum_i phi*(-alpha_i) - g*(v) with v = X'alpha/n. For every pair P(w) >= D(alpha), and at the optimum
w = grad g*(v), alpha_i = -phi'(x_i'w). The signs are SDCA's.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import copy
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import scipy.sparse as sp

from .. import losses, regularizers
from ..losses import per_example
from ..losses.softmax import in_simplex
from ..numerics import checks, matrices, profiles, tables
from ..numerics.digests import array_digest
from ..numerics.matrix_lines import Lines
from ..numerics.threads import checked_jobs
from ..regularizers import PerFeature, of_each, soft_threshold
from ..samplings import Coordinates
from . import box, labels, weights
from .intercept import (
    append_ones,
    balance,
    balance_classes,
    check_intercept,
    join_intercept,
    split_intercept,
    warn_of_missing_intercept,
)
from .null_point import NullPoint, null_point
from .points import Points, View, as_point
from .products import Products, times
from .rounding import EPS, gap_between, norm, rounding_of_sums, rounding_of_terms, row_norms, steepest_slope

MIN_FULL_SHARE = 2 / 3  # of the entries that are not 0, from which on an array is no larger than they and their places
MAX_FULL_BYTES = 1 << 28  # of the copy as an array
COARSE_BOUND_SHARE = 1e-3  # of P(w) - D(alpha), or of what it must be: up to it a coarse bound of the rounding does


class Scores(NamedTuple):
    """Errors on test data, by the names that they have in a `Record`."""

    test_error: float  # share of wrong signs or classes; regression: the mean loss
    test_loss: float  # mean loss
    test_sign_error: float  # share of wrong signs where a regression loss is given labels -1 and 1; else NaN


class TestData(NamedTuple):
    """Checked test data, with a column of ones where there is an intercept."""

    X: np.ndarray | sp.csr_matrix  # (m, d)
    y: np.ndarray  # (m,)
    offset: np.ndarray | None = None  # (m,)


class Values(NamedTuple):
    """P(w) and D(alpha), and what each may be off because products with X are rounded; inf where it is not finite."""

    primal: float
    dual: float
    of_primal: float
    of_dual: float


class Problem:
    """Regularised empirical risk minimisation over linear predictors.

    Parameters
    ----------
    X : (n, d) array or scipy sparse matrix
        Rows are examples. Converted to float64; used without a copy where it already is C-ordered float64 or
        canonical CSR. Never written to.
    y : (n,) array
        Labels: numbers, or for classification losses words. Of two values the larger (of words: the one that sorts
        last) becomes +1 and the smaller -1; a single value is kept if it is +1 or -1, and 0 becomes -1. Regression
        losses, those of u - y, never map labels. For softmax the K distinct whole numbers or words, sorted,
        are the classes.
    loss : str or loss instance, default "logistic"
        A name in ``cdlab.losses.LOSSES``, or an instance such as ``cdlab.losses.SmoothHinge(gamma=0.5)``.
    l2, l1 : float, default 1e-3 and 0
        Weights of (1/2)||w||^2 and of ||w||_1, on the scale of the mean loss.
    sample_weight : (n,) array of numbers >= 0, optional
        What each example counts in the mean loss, (sum_i s_i phi(x_i'w; y_i))/sum_i s_i: a whole weight is that many
        equal rows, and an example of weight 0 is left out. Only their ratios matter.
    offset : (n,) array, optional
        What is added to each prediction: phi(x_i'w + o_i; y_i), as of the exposure or of a baseline. Not for softmax.
    intercept : bool, default False
        Whether predictions are x_i'w + b with a b that is not penalised. Then X has a column of ones as its last, d is
        one more, and every w is (w, b), with b last. Methods take it that can leave a coordinate alone: `sdca`,
        `rcd`, `greedy`, `gd`, `agd`, `fista`, `lbfgs`, `newton_cd`, and of losses with kinks `ssnal`; softmax, and
        scalar losses with a lower bound. Kernels see `centred` in place of it: columns that are at least half full
        less their means.
    lower, upper : float or (d,) array, default None
        Bounds of the w_j: lower_j <= 0 <= upper_j, -inf and inf without. The intercept has none. Not for softmax.
    penalty_factor : float or (d,) array >= 0, default None
        What l2 and l1 are multiplied by for each feature; not for softmax. (glmnet's, but not rescaled.) A feature of
        factor 0 whose bounds are not both finite leaves no certificate: see ``cdlab.problems.certificates``.
    n_jobs : int, optional
        Threads that share the rows of X w, and those of X'diag(h)X where X is sparse, as far as each has enough to do.
        None is 1, -1 all cores; results are the same bits with any number. BLAS has a number of its own.

    Attributes
    ----------
    n, d, nnz : int
        Examples, features (with the intercept), nonzeros (stored zeros do not count).
    X, y : the validated matrix, and the labels after the rules above (softmax: indices of `classes`).
    feature_names : tuple of str, or None
        The columns of a frame whose names are all texts.
    classes : (K,) array, or None
        The labels of the classes as given, in increasing order; None for regression losses.
    label_map : dict, or None
        What each label became in `y`: -1 or 1, with softmax its index in `classes`.
    sample_weight : (n,) array of mean 1, or None
        The weights s_i divided by their mean; None where all are alike.
    offset : (n,) array, or None
        The offsets as given; None where all are 0.
    lower, upper, penalty_factor : (d,) arrays without the intercept, or one number for all features
    loss : the loss; with weights or offsets one with the formulas of s_i phi(u + o_i), see ``cdlab.losses.weighted``
    at_zero : float
        P(0), with an intercept that of the best constant: relative gaps are measured from it.
    shared : dict, or None
        Of the problems of one path: products of X that do not depend on their weights, by name, as they are made.
    loss_y : (n,) array
        What the formulas of `loss` take for labels: `y`, less the offset where the loss is one of u - y; with weights
        structured, with fields "label" and "weight", with other offsets also "offset".

    Raises
    ------
    ValueError, TypeError
        For data that are empty, not finite or of mismatched shapes, labels that do not fit the loss, weights that are
        not numbers >= 0, sample weights that are all 0, offsets that are not finite or of softmax, bounds that leave
        out 0, factors that are not numbers >= 0 or all 0, or a loss that is none.

    Warns
    -----
    UserWarning
        With the squared loss and no intercept, where all columns of X have mean 0 and y is so far from it that every w
        predicts worse than the mean of y alone.

    Notes
    -----
    All methods take points as w (d,), alpha (n,), z = X w (n,) and v = X'alpha/n (d,), or with softmax as w, v (d, K),
    one column a class, and alpha, z (n, K); they refuse other shapes with a ValueError. A product that is at hand can
    be passed, and is believed: z with w, v with alpha.

    Examples
    --------
    >>> import numpy as np, cdlab
    >>> P = cdlab.Problem(np.eye(3), [1, -1, 1], loss="squared", l2=0.1)
    >>> P.primal(np.zeros(3)), P.kappa
    (0.5, 10.0)
    """

    centred_form: ClassVar[Callable[..., Problem]]  # `centring.CentredProblem`, which derives from this class

    def __init__(
        self,
        X: Any,
        y: Any,
        loss: str | losses.Loss = "logistic",
        l2: float = 1e-3,
        l1: float = 0.0,
        *,
        sample_weight: Any = None,
        offset: Any = None,
        intercept: bool = False,
        lower: Any = None,
        upper: Any = None,
        penalty_factor: Any = None,
        n_jobs: int | None = None,
    ):
        self.n_jobs: int = checked_jobs(n_jobs)
        self.loss: losses.Loss = losses.resolve(loss)
        self.l2: float = regularizers.checked_weight("l2", l2)
        self.l1: float = regularizers.checked_weight("l1", l1)
        tables.check_order(X, y)
        self.feature_names: tuple[str, ...] | None = tables.feature_names(X)
        self.row_profile: profiles.Profile  # squared norms (n,) and nonzeros (n,) of the rows of X
        self.intercept: bool = checks.flag("intercept", intercept)
        self.nnz: int
        self.features: np.ndarray | sp.csr_matrix  # X without the column of ones
        self.features, self.row_profile, self.nnz = profiles.validated_with_profile(X)
        self.n: int = self.features.shape[0]
        self.d: int = self.features.shape[1] + self.intercept
        self.unit_of_z: float = rounding_of_terms(self.d)  # what x_i'w is off, relative to the sum of its terms' sizes
        self.unit_of_v: float = rounding_of_terms(self.n)  # the same of X_:j'alpha
        if self.intercept:
            norms2, counts = self.row_profile
            self.row_profile, self.nnz = profiles.Profile(norms2 + 1, counts + 1), self.nnz + self.n
        self.sample_weight: np.ndarray | None = weights.checked(sample_weight, self.n)
        self.offset: np.ndarray | None = weights.checked_offset(offset, self.n)
        self.lower, self.upper, self.penalty_factor = box.checked(lower, upper, penalty_factor, self.features.shape[1])
        self.shared: dict[str, np.ndarray] | None = None
        self._set_labels(labels.validated_labels(y, self.n))
        if not self.intercept:
            warn_of_missing_intercept(self.features, self.targets, self.loss, stacklevel=2)

    def _set_labels(self, y: np.ndarray) -> None:
        """Set what depends on the labels, the loss and the weights, given checked labels (n,)."""
        self.label_map: labels.LabelMap | None = labels.make_label_map(y, self.loss)
        self.y: np.ndarray = labels.apply_label_map(y, self.label_map)
        self.classes: np.ndarray | None = labels.class_labels(self.label_map)
        self.loss_y: np.ndarray
        self.loss, self.loss_y = losses.weighted(self.loss, self.y, self.sample_weight, self.offset)
        several = self.classes if losses.is_vector(self.loss) else None
        self.outputs: tuple[int, ...] = () if several is None else several.shape  # beyond the first axis of w, alpha, z
        if self.bounded and self.outputs:
            raise ValueError(f"bounds and penalty factors of features are not for {self.loss.name}: leave them out")
        self._set_regularizer()
        if self.intercept:
            check_intercept(self.loss, self.loss_y)
        labels.check_range(self.targets, self.loss, self.loss_y)

    def _set_regularizer(self) -> None:
        """Set the regulariser of the features."""
        self.feature_reg: regularizers.Regularizer = regularizers.regularizer(
            self.l2, self.l1, self.lower, self.upper, self.penalty_factor
        )
        reg = self.feature_reg
        if self.bounded and not (np.isfinite(reg.l2s).all() and np.isfinite(reg.l1s).all()):
            raise ValueError("l2 or l1 times a penalty_factor leaves the range of float64: take less of one of them")
        for name in ("reg", "slopes", "is_certified", "dual_curvatures"):
            self.__dict__.pop(name, None)

    @cached_property
    def reg(self) -> regularizers.Regularizer:
        """The regulariser of a point, which leaves an intercept free."""
        if not self.intercept:
            return self.feature_reg
        return regularizers.beside_intercept(self.feature_reg, self.d - 1, 1 + len(self.outputs))

    @cached_property
    def bounded(self) -> bool:
        """Whether features have bounds, or weights of their own."""
        limits = (self.lower, -np.inf), (self.upper, np.inf), (self.penalty_factor, 1.0)
        return any(np.ndim(given) or given != usual for given, usual in limits)

    @property
    def mu(self) -> float:
        """The least l2 of a feature: l2 times the least penalty factor."""
        return self.feature_reg.l2

    @cached_property
    def is_certified(self) -> bool:
        """Whether the dual is finite at more than X'alpha = 0: each feature has an l2, an l1, or two finite bounds."""
        if not self.bounded:
            return self.l2 > 0 or self.l1 > 0
        low, high = self.slopes
        return bool((low < 0).all() and (high > 0).all())

    def __repr__(self) -> str:
        kind = "sparse" if sp.issparse(self.features) else "dense"
        known = self.classes
        named = "" if known is None or not labels.are_words(known) else f", classes {labels.list_labels(known)}"
        s = self.sample_weight
        weighed = "" if s is None else f", sample weights {s.min():.3g} to {s.max():.3g}"
        if (o := self.offset) is not None:
            weighed += f", offsets {o.min():.3g} to {o.max():.3g}"
        weighed += box.words(self)
        return (
            f"Problem({kind} {self.n} x {self.d}, nnz={self.nnz}, loss={losses.unweighted(self.loss)}, "
            f"l2={self.l2:.6g}, l1={self.l1:.6g}{', intercept' if self.intercept else ''}{named}{weighed})"
        )

    def __copy__(self) -> Self:
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        return other

    @cached_property
    def X(self) -> np.ndarray | sp.csr_matrix:
        """The examples (n, d); with an intercept a column of ones is the last, and X is made when it is first read."""
        return append_ones(self.features) if self.intercept else self.features

    @property
    def centred(self) -> Problem:
        """The problem that kernels see: with an intercept one of centred columns, else this problem itself."""
        return self._centred if self.intercept else self

    @cached_property
    def _centred(self) -> Problem:
        return self.centred_form(self)

    def point(self, w: np.ndarray, b: Any = 0.0) -> np.ndarray:
        """The point (d,) or (d, K) of `centred` that w and an intercept, a number or (K,), are."""
        return self.centred.point(w, b) if self.intercept else w

    def coefficients(self, point: np.ndarray) -> tuple[np.ndarray, Any]:
        """w and the intercept of a point of `centred`; without an intercept the point itself, and 0."""
        return self.centred.coefficients(point) if self.intercept else (point, 0.0)

    def to_centred(self, w: np.ndarray) -> np.ndarray:
        """The point of `centred` that w is, with an intercept (w, b)."""
        return self.point(*split_intercept(w)) if self.intercept else w

    def from_centred(self, point: np.ndarray) -> np.ndarray:
        """The inverse of `to_centred`; a copy."""
        return join_intercept(*self.coefficients(point)) if self.intercept else np.array(point)

    @property
    def start(self) -> Points | None:
        """Where runs on `centred` start unless told: None is w = 0 and alpha = 0."""
        return None

    @cached_property
    def null(self) -> NullPoint:
        """The best constant model, with an intercept."""
        return null_point(self.loss, self.y, self.targets, self.loss_y, self.sample_weight, self.outputs)

    @cached_property
    def rows(self) -> Lines:
        """The rows of X for kernels. Made when they are first read, like the columns."""
        return matrices.rows(self.X if self.full_X is None else self.full_X)

    @cached_property
    def columns(self) -> Lines:
        """The columns of X for kernels: a transposed copy."""
        return matrices.columns(self.X if self.full_X is None else self.full_X)

    @property
    def by_rows(self) -> View:
        """The problem as kernels of dual methods see it."""
        return View(self.rows, self.loss_y, self.loss, self.reg)

    @property
    def by_columns(self) -> View:
        """The problem as kernels of primal methods see it."""
        return View(self.columns, self.loss_y, self.loss, self.reg)

    @property
    def targets(self) -> np.ndarray:
        """y less the offset, (n,): what X w should be where the loss is one of u - y, or at the kink of a hinge."""
        return self.y if self.offset is None else self.y - self.offset

    @cached_property
    def products(self) -> Products:
        """Products with X, of one prediction an example."""
        return Products(self.rows, (self.n, self.d), self.nnz, self.n_jobs)

    def with_(
        self,
        *,
        l2: float | None = None,
        l1: float | None = None,
        loss: str | losses.Loss | None = None,
        n_jobs: int | None = None,
    ) -> Problem:
        """The problem with other weights or another loss, sharing the checked X, its copies, profiles and digest.

        Parameters
        ----------
        l2, l1 : float >= 0, optional
            As for `Problem`; those of this problem by default.
        loss : str or loss instance, optional
            The same. It takes the labels as they were given.
        n_jobs : int, optional
            The same.

        Raises
        ------
        ValueError, TypeError
            As `Problem`.
        """
        _ = self.digest, self.centred  # hashed and made once for all that are made from this one
        other = copy(self)
        other.l2 = self.l2 if l2 is None else regularizers.checked_weight("l2", l2)
        other.l1 = self.l1 if l1 is None else regularizers.checked_weight("l1", l1)
        if n_jobs is not None:
            other.n_jobs = checked_jobs(n_jobs)
            other.__dict__.pop("products", None)
        if loss is None:
            other._set_regularizer()
        else:
            other.loss = losses.resolve(loss)
            other._set_labels(labels.invert_label_map(self.y, self.label_map))
            for name in ("null_value", "dual_at_zero", "dual_box", "null"):
                other.__dict__.pop(name, None)
            if not np.array_equal(other.y, self.y):
                del other.__dict__["digest"]
        if self.intercept:
            other._centred = self.centred_form(other, self.centred)
        return other

    # ------------------------------------------------------------ objectives
    def zeros(self, rows: int) -> np.ndarray:
        """The point w = 0 (rows = d) or alpha = 0 (rows = n): a vector, or with softmax a matrix with K columns."""
        return np.zeros((rows, *self.outputs))

    def predict(self, w: np.ndarray) -> np.ndarray:
        """The predictions z = X w, without offsets."""
        w = self._point("w", w, self.d)
        return self.products.times(w)

    def v(self, alpha: np.ndarray) -> np.ndarray:
        """The product v = X'alpha/n."""
        return self._transposed(self._point("alpha", alpha, self.n)) / self.n

    def _transposed(self, c: np.ndarray) -> np.ndarray:
        return self.products.transposed_times(c)

    def shifts(self, w: np.ndarray) -> tuple[float, float]:
        """Terms of P(w) and of every D(alpha) beside the mean loss and g: nothing but in a `ProximalProblem`."""
        return 0.0, 0.0

    def primal(self, w: np.ndarray, *, z: np.ndarray | None = None) -> float:
        """The objective P(w); inf beyond float64."""
        w = self._point("w", w, self.d)
        if z is None and self.centred is not self:
            return self.centred.primal(self.to_centred(w))
        z = self.predict(w) if z is None else self._point("z", z, self.n)
        with np.errstate(over="ignore", invalid="ignore"):  # what float64 cannot hold is infinite, and so the gap
            penalty = self.feature_reg.g(w[: self.d - self.intercept])
            return float(per_example.mean_loss(self.loss, z, self.loss_y) + penalty)

    def dual(self, alpha: np.ndarray, *, v: np.ndarray | None = None) -> float:
        """The dual objective D(alpha); -inf outside the domain.

        With l2 = 0 < l1 the dual needs ||v||_inf <= l1, and the value returned is that of the feasible point
        alpha min(1, l1/||v||_inf). With l2 = l1 = 0 it is finite only where v = 0. With an intercept it needs sum_i
        alpha_i = 0, and the value is that of the point of sum 0 that `balance` or `balance_classes` makes of alpha.
        """
        alpha = self._point("alpha", alpha, self.n)
        if self.centred is not self:
            return self.centred.dual(alpha)
        return self.dual_inside(*self.inside(alpha, None if v is None else self._point("v", v, self.d)))

    def dual_inside(self, alpha: np.ndarray, v: np.ndarray) -> float:
        """The same for a point that `inside` returns."""
        alpha, v = self._scaled(alpha, v)
        if self.mu == 0 and not np.isfinite(v).all():
            return -np.inf  # no multiple of alpha is known to be feasible
        with np.errstate(over="ignore", invalid="ignore"):  # what float64 cannot hold is infinite, and so the gap
            v = v[: self.d - self.intercept]
            conjugate = self.feature_reg.g_conj(v) if self.l2 > 0 or self.bounded else 0.0
            return float(-per_example.mean_conjugate(self.loss, alpha, self.loss_y) - conjugate)

    def gap(self, w: np.ndarray, alpha: np.ndarray) -> float:
        """The duality gap P(w) - D(alpha) with its rounding, at least P(w) - P(w*); inf where P or D is not finite."""
        w, alpha = self._point("w", w, self.d), self._point("alpha", alpha, self.n)
        if self.centred is not self:
            return self.centred.gap(self.to_centred(w), alpha)
        primal, dual, of_primal, of_dual = self.values(w, self.predict(w), *self.inside(alpha))
        return gap_between(primal, dual, rounding_of_sums(self.null_value, primal, dual) + of_primal + of_dual)

    def values(self, w: np.ndarray, z: np.ndarray, alpha: np.ndarray, v: np.ndarray) -> Values:
        """P(w) and D(alpha) with what their products may be off; alpha and v of `inside`."""
        primal, dual = self.primal(w, z=z), self.dual_inside(alpha, v)
        if not math.isfinite(primal):
            return Values(primal, dual, math.inf, math.inf)
        enough = COARSE_BOUND_SHARE * (primal - dual)
        of_dual = self.rounding_of_dual(alpha, v, dual, enough) if dual > -math.inf else math.inf
        return Values(primal, dual, self.rounding_of_primal(w, z, primal, enough), of_dual)

    def clipped(self, alpha: np.ndarray, v: np.ndarray | None) -> tuple[np.ndarray, np.ndarray | None]:
        """alpha and the v that is at hand; where rounding put alpha outside of its domain, a point inside, and None."""
        inside = alpha
        if self.outputs:
            inside = in_simplex(alpha, self.y, 1.0 if self.sample_weight is None else self.sample_weight)
        elif self.dual_box is not None and not per_example.are_between(alpha, *self.dual_box):
            inside = np.clip(alpha, *self.dual_box)
        if inside is alpha or np.array_equal(inside, alpha):
            return alpha, v
        return (inside, None) if per_example.mean_conjugate(self.loss, alpha, self.loss_y) < np.inf else (alpha, v)

    def inside(self, alpha: np.ndarray, v: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """`feasible_point` before it is scaled."""
        return self.balanced(*self.clipped(alpha, v))

    def balanced(self, alpha: np.ndarray, v: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
        """`inside` of points that are `clipped`."""
        if self.intercept:
            alpha = balance_classes(alpha, self.y, self.sample_weight) if self.outputs else balance(alpha)
        return alpha, self.v(alpha) if v is None or self.intercept else v

    def feasible_point(self, alpha: np.ndarray, v: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray]:
        """A point in the domain of the dual near alpha, and its v = X'alpha/n; NaN where none is known.

        Parameters
        ----------
        alpha : (n,) array; (n, K) with softmax
            In the domain of the losses' conjugates, which is convex and contains 0, or outside by rounding: then it is
            moved there. With an intercept, which needs sum_i alpha_i = 0, `balance` or `balance_classes` changes it;
            with l2 = 0, which needs ||v||_inf <= l1, it is scaled; else it is returned as it is.
        v : (d,) array, optional
            X'alpha/n; not read with an intercept.
        """
        return self._scaled(*self.inside(alpha, v))

    def _scaled(self, alpha: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if self.mu > 0 or not v.any():
            return alpha, v
        share = self.feasible_share(v)
        scaled = share * v
        return share * alpha, np.clip(scaled, *self.slopes) if self.bounded else scaled

    def feasible_share(self, v: np.ndarray, l1: float | None = None) -> float:
        """The largest multiple of v, at most 1, where g* is finite: ||v||_inf <= l1; NaN where none is, but 0."""
        if self.bounded:
            return self._share_in_box(v)
        largest, l1 = float(np.maximum.reduce(np.abs(v), axis=None)), self.l1 if l1 is None else l1
        return l1 / max(largest, l1) if l1 > 0 and largest < np.inf else np.nan

    def rounding_of_primal(
        self, w: np.ndarray, z: np.ndarray, primal: float, enough: float, size: float = -1.0, unit: float = 0.0
    ) -> float:
        """Bound of what P(w) is off because z = X w is rounded, coarse up to `enough`; size ||w||, of products."""
        unit, size = unit or self.unit_of_z, norm(w) if size < 0 else size
        loss, reach = self.loss, unit * size * self.row_rms
        if reach == 0:
            return 0.0
        slope = loss.lipschitz
        if reach * slope > enough and loss.gamma > 0:
            slope = steepest_slope(loss, primal - self.dual_at_zero, reach)
        if reach * slope <= enough:
            return reach * slope
        slopes = per_example.slopes_within(loss, z, self.loss_y, unit * size * self.row_norms)
        by_rows, by_columns = size * float(slopes @ self.row_norms), float(row_norms(w) @ self._column_norms)
        return unit / self.n * min(by_rows, by_columns * norm(slopes))

    def rounding_of_coefficients(self, points: Points) -> float:
        """By how much P may be larger at the `coefficients` of a point of `centred` than at the point itself."""
        return 0.0

    def rounding_of_zero_sums(self, dual: float) -> float:
        """Bound of what D(alpha) is off because a sum of the alpha_i that must be 0 is rounded."""
        if not (self.outputs or self.intercept):
            return 0.0
        return (self.unit_of_v if self.intercept else EPS * self.outputs[0]) * (2 * self.null_value + abs(dual))

    def rounding_of_dual(
        self, alpha: np.ndarray, v: np.ndarray, dual: float, enough: float, weights: tuple[float, float] | None = None
    ) -> float:
        """Bound of what D(alpha) is off as v = X'alpha/n, and sums that are 0, are rounded; alpha, v of `inside`.

        The weights (l2, l1) are those of the problem if there are none; with bounds they always are.
        """
        unit, v, slack = self.unit_of_v, v[: self.d - self.intercept], self.rounding_of_zero_sums(dual)
        l2, l1 = weights or (self.l2, self.l1)
        dv = unit * float(row_norms(alpha) @ self.row_norms) / self.n
        if self.bounded:
            return slack + self._rounding_in_box(alpha, v, dual)
        if l2 > 0:
            w = soft_threshold(v, l1) / l2
            by_rows = dv * (norm(w) + dv / (2 * l2))
            if not by_rows <= enough:
                by_rows = min(by_rows, self.rounding_of_dual_by_columns(alpha, w, l2))
            return slack + by_rows
        largest, rise = float(np.maximum.reduce(np.abs(v), axis=None, initial=0.0)), max(0.0, dual - self.dual_at_zero)
        if largest + dv <= l1:
            return slack
        on_the_ray = (dv / max(largest, l1) + 2 * EPS) * rise
        if on_the_ray <= enough:
            return slack + on_the_ray
        each = ((unit + EPS) * norm(alpha) / self.n * self._column_norms[: len(v)]).reshape(-1, *[1] * (v.ndim - 1))
        certain = self.feasible_share((1 + 2 * EPS) * (np.abs(v) + each), l1)
        fall = dual + per_example.mean_conjugate(self.loss, certain * alpha, self.loss_y)
        return slack + min(on_the_ray, max(0.0, fall)) if math.isfinite(fall) else slack + on_the_ray

    @cached_property
    def slopes(self) -> tuple[np.ndarray, np.ndarray]:
        """The ends of the interval (d,) of v_j where g_j* is finite; read where features are `bounded`."""
        return self.of_features.slopes

    @property
    def of_features(self) -> PerFeature:
        """`reg` with weights and a box for each feature."""
        return of_each(self.reg, (self.d,))

    def _share_in_box(self, v: np.ndarray) -> float:
        low, high = (end[: len(v)] for end in self.slopes)
        out = (v < low) | (v > high)
        shares = np.where(v < 0, low, high)[out] / v[out]
        share = float(shares.min(initial=1.0))
        return share if share > 0 and np.isfinite(v).all() else np.nan

    def _rounding_in_box(self, alpha: np.ndarray, v: np.ndarray, dual: float) -> float:
        """Bound of what D may be off because v is rounded: each |v_j| by unit ||alpha|| ||X_:j||/n.

        g_j* has no slope beyond its w_j, by dv_j/l2_j more, or the ends of its box. Where alpha is scaled, a share that
        is feasible for certain is less by delta, and on the ray D is concave.
        """
        reg, d = self.of_features, len(v)
        each = (self.unit_of_v + EPS) * norm(alpha) / self.n * self._column_norms[:d]
        l2s, low, high = reg.l2s[:d], reg.lower[:d], reg.upper[:d]
        box = np.maximum(*(np.where(np.isfinite(end), np.abs(end), 0.0) for end in (low, high)))
        with np.errstate(divide="ignore", invalid="ignore"):
            w = np.abs(reg.grad_g_conj(np.append(v, 0.0) if reg.free else v)[:d]) + each / l2s
        off = float(each @ np.where(l2s > 0, w, box))
        now, certain = self._share_in_box(v), self._share_in_box((1 + 2 * EPS) * (v + np.copysign(each, v)))
        return off + (1 - certain / now + 2 * EPS * (now < 1)) * (max(0.0, dual - self.dual_at_zero) + off)

    def rounding_of_dual_by_columns(self, alpha: np.ndarray, w: np.ndarray, l2: float) -> float:
        """The same because of v alone, with l2 > 0 and w of alpha, from the norms of the columns of X."""
        each = self.unit_of_v * norm(alpha) / self.n * self._column_norms[: len(w)]
        return float(row_norms(w) @ each) + float(each @ each) / (2 * l2)

    def w(self, alpha: np.ndarray) -> np.ndarray:
        """The primal point grad g*(X'alpha/n) that belongs to alpha; a ValueError with l2 = 0 or an intercept."""
        if self.mu == 0:
            raise ValueError("w(alpha) needs l2 > 0: without strong convexity alpha does not determine w; set l2 > 0")
        if self.intercept:
            raise ValueError("w(alpha) is for problems without an intercept: alpha does not determine it")
        with np.errstate(over="ignore", invalid="ignore"):  # what float64 cannot hold is infinite, and so the gap
            return self.reg.grad_g_conj(self.v(alpha))

    def alpha(self, w: np.ndarray, *, z: np.ndarray | None = None) -> np.ndarray:
        """The dual point alpha_i = -phi'(x_i'w) that belongs to w; always feasible."""
        if z is None and self.centred is not self:
            return self.centred.alpha(self.to_centred(self._point("w", w, self.d)))
        z = self.predict(w) if z is None else self._point("z", z, self.n)
        return -per_example.gradients(self.loss, z, self.loss_y)

    def gradient(self, w: np.ndarray, *, z: np.ndarray | None = None) -> np.ndarray:
        """The gradient of the mean loss plus l2 w, shaped like w; a subgradient at kinks. l1 plays no part."""
        return self.reg.l2s * self._point("w", w, self.d) - self._transposed(self.alpha(w, z=z)) / self.n

    def _point(self, name: str, x: Any, rows: int) -> np.ndarray:
        return as_point(name, x, (rows, *self.outputs))

    # ------------------------------------------------------------ facts that samplings, steps and bounds read
    @cached_property
    def column_profile(self) -> profiles.Profile:
        """Squared norms (d,) and nonzeros (d,) of the columns of X."""
        return profiles.line_profile(self.X, "columns")

    @cached_property
    def _column_norms(self) -> np.ndarray:
        return np.sqrt(self.column_profile.norms2)

    @cached_property
    def column_scales(self) -> np.ndarray:
        """The root mean square (d,) of each column of X; 1 of a column that is 0 or beyond the range of float64."""
        scales = self._column_norms / math.sqrt(self.n)
        return np.where((scales > 0) & np.isfinite(scales), scales, 1.0)

    @cached_property
    def dual_curvatures(self) -> np.ndarray:
        """N times the curvature (n,) of g*(X'alpha/n) along each example, or more: sum_j x_ij^2/(l2_j n)."""
        if not isinstance(self.feature_reg, PerFeature):
            return (self.row_profile.norms2 - self.intercept) / (self.mu * self.n)
        X: Any = self.X[:, : self.d - self.intercept]
        return (X.multiply(X) if sp.issparse(X) else np.square(X)) @ (1 / (self.feature_reg.l2s * self.n))

    @cached_property
    def row_pairs(self) -> float:
        """sum of c_i^2/2 over the rows, c_i the nonzeros of one: what is visited to form X'X."""
        counts = self.row_profile.counts.astype(float)
        return float(counts @ counts) / 2

    @cached_property
    def row_norms(self) -> np.ndarray:
        """The norms (n,) of the rows of X."""
        return np.sqrt(self.row_profile.norms2)

    @cached_property
    def row_rms(self) -> float:
        """The root of the mean square of the norms of the rows."""
        return math.sqrt(float(np.add.reduce(self.row_profile.norms2)) / self.n)

    @property
    def is_full(self) -> bool:
        """Tell whether X is an array, or as good as one: stored sparse, but with few zeros, and small enough."""
        if isinstance(self.X, np.ndarray):
            return True
        entries = self.n * self.d
        return self.nnz >= MIN_FULL_SHARE * entries and 8 * entries <= MAX_FULL_BYTES

    @cached_property
    def full_X(self) -> np.ndarray | None:
        """X as an array (n, d), for kernels and BLAS, where it `is_full`; else None."""
        if isinstance(self.X, np.ndarray):
            return self.X
        return self.X.toarray() if self.is_full else None

    def coordinates(self, side: str) -> Coordinates:
        """The coordinates of the "dual" (examples) or "primal" (features) side, as samplings know them."""
        shape = self.row_profile if side == "dual" else self.column_profile
        beta: float | np.ndarray = self.beta
        if self.sample_weight is not None and np.isfinite(beta):
            share = np.ones_like(shape.norms2)
            np.divide(self.weighed_norms2(side), shape.norms2, out=share, where=shape.norms2 > 0)
            beta = beta * share
        l2s = self.reg.l2s if self.bounded and side == "primal" else self.mu
        return Coordinates(shape.norms2, beta, l2s * self.n, shape.counts)

    def weighed_norms2(self, side: str) -> np.ndarray:
        """Squared norms of the lines of sqrt(s_i/max s) X_ij: times beta, the smoothness of the loss along them."""
        if self.sample_weight is None:
            return (self.row_profile if side == "dual" else self.column_profile).norms2
        s = weights.relative(self.sample_weight)
        return s * self.row_profile.norms2 if side == "dual" else weights.sums_of_squares(self.X, s)

    @cached_property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that identify X, y, weights, offset and bounds: by them results are repeated."""
        parts = (self.X,) if isinstance(self.X, np.ndarray) else (self.X.data, self.X.indices, self.X.indptr)
        weighed = () if self.sample_weight is None else (self.sample_weight,)
        moved = () if self.offset is None else (self.offset, np.zeros(1))  # an end that weights do not have
        limits = self.lower, self.upper, self.penalty_factor
        boxed = [np.append(np.ravel(x), [0.0, 0.0]) for x in limits] if self.bounded else ()
        return array_digest(*parts, self.y, *weighed, *moved, *boxed, shape=self.X.shape)

    @property
    def beta(self) -> float:
        """Smoothness 1/gamma of the loss; inf if it is not smooth."""
        return 1 / self.loss.gamma if self.loss.gamma > 0 else np.inf

    @cached_property
    def R(self) -> float:
        """The largest row norm."""
        return float(np.sqrt(self.row_profile.norms2.max()))

    @property
    def kappa(self) -> float:
        """The condition number R^2 / (mu gamma); inf if mu, which is l2 without penalty factors, or gamma is 0."""
        product = self.mu * self.loss.gamma
        return self.R**2 / product if product > 0 else np.inf

    @property
    def at_zero(self) -> float:
        """P(0), with an intercept that of the best constant model: relative gaps are measured from it.

        Where a constant leaves nothing it is that of the constant 0.
        """
        return self.null_value or self._value_at(0.0)

    @cached_property
    def null_value(self) -> float:
        """P(0), with an intercept that of the best constant model: the largest of the numbers that P is made of."""
        return self._value_at(self.null.b if self.intercept else 0.0)

    def _value_at(self, b: Any) -> float:
        """P of w = 0 and this intercept."""
        with np.errstate(over="ignore"):
            loss = per_example.mean_loss(self.loss, self.zeros(self.n) + b, self.loss_y)
        return loss + self.shifts(self.zeros(self.d))[0]

    @cached_property
    def dual_box(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The ends (n,) of the intervals that each alpha_i may be in; None where the loss does not say."""
        if not hasattr(type(losses.unweighted(self.loss)), "domain"):
            return None
        low, high = np.empty((2, self.n))
        per_example.set_domains(self.loss, self.loss_y, low, high)
        return low, high

    @cached_property
    def dual_at_zero(self) -> float:
        """D(0), a lower bound of P*: the mean of the smallest values of the losses."""
        return -per_example.mean_conjugate(self.loss, self.zeros(self.n), self.loss_y)

    def constants(self) -> dict[str, Any]:
        """The plain numbers that bounds and face-off read, by name.

        n, d, nnz; outputs (predictions an example: softmax's classes, else 1); intercept (0 or 1); bounds (1 where
        features have any, 2 where they have weights of their own); l2 = `mu`, l1; the loss's gamma and L (Lipschitz
        constant), with sample weights the heaviest example's; R, Rbar (largest and mean row
        norm), R_col (largest column norm), F (squared Frobenius norm); C_P, C_D (Csiba & Richtarik 2016, eq. 16);
        kappa; P0 = `at_zero`, gap0 = P0 - D(0); and the arrays row_norms2, row_counts, col_norms2, col_counts. With an
        intercept they are those of `centred`, on which methods run.
        """
        if self.centred is not self:
            return self.centred.constants()
        rows, cols = self.row_profile, self.column_profile
        at_zero, dual = self.at_zero, self.dual(self.zeros(self.n))
        return {
            "n": self.n,
            "d": self.d,
            "nnz": self.nnz,
            "outputs": self.zeros(1).size,
            "intercept": int(self.intercept),
            "bounds": 1 + (np.ptp(self.of_features.l2s) > 0 or np.ptp(self.of_features.l1s) > 0) if self.bounded else 0,
            "l2": self.mu,
            "l1": self.l1,
            "gamma": float(self.loss.gamma),
            "L": float(self.loss.lipschitz),
            "R": self.R,
            "Rbar": float(np.sqrt(rows.norms2).mean()),
            "R_col": float(np.sqrt(cols.norms2.max())),
            "F": float(rows.norms2.sum()),
            "C_P": cols.C,
            "C_D": rows.C,
            "kappa": self.kappa,
            "P0": at_zero,
            "gap0": gap_between(at_zero, dual, rounding_of_sums(at_zero, dual)),
            "row_norms2": rows.norms2,
            "row_counts": rows.counts,
            "col_norms2": cols.norms2,
            "col_counts": cols.counts,
        }

    # ------------------------------------------------------------ test data
    def test_data(self, X: Any, y: Any, offset: Any = None) -> TestData:
        """Test data (m, d), (m,) as `test_error` takes them: validated, with this problem's label rules.

        Raises
        ------
        ValueError
            As for the training data; for another width; for a class that training did not have; without the offsets
            (m,) of examples where training had some.
        """
        X, features = profiles.validated_matrix(X), self.d - self.intercept
        if X.shape[1] != features:
            raise ValueError(
                f"test X has {X.shape[1]} features, training X has {features}; load both with n_features={features}"
            )
        if offset is None and self.offset is not None:
            raise ValueError("this problem has an offset: give that of the test data, too, as in test=(X, y, offset)")
        y = labels.apply_label_map(labels.validated_labels(y, X.shape[0]), self.label_map)
        offset = weights.checked_offset(offset, X.shape[0])
        return TestData(append_ones(X) if self.intercept else X, y, offset)

    def test_error(self, w: np.ndarray, test: tuple[Any, ...]) -> float:
        """The share of wrong signs or classes on `test_data` (a 0 or a tie is wrong); regression: the mean loss."""
        return self.test_scores(w, test)[0]

    def test_scores(self, w: np.ndarray, test: tuple[Any, ...]) -> Scores:
        """The errors on `test_data`, from one X @ w."""
        X, y, offset = TestData(*test)
        z = X @ w if w.ndim > 1 else times(matrices.rows(X), X.shape[0], np.ascontiguousarray(w))
        z = z if offset is None else z + offset
        loss = losses.unweighted(self.loss)
        signs = per_example.sign_error(z, y) if not loss.classification and np.all(np.abs(y) == 1) else np.nan
        return Scores(per_example.prediction_error(loss, z, y), per_example.mean_loss(loss, z, y), signs)
