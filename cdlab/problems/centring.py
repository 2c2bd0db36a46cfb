"""Centring: the change of variables by which kernels see a problem with a free intercept.

With any numbers m_j and b0, z_i = x_i'w + b = (x_i - m)'w + b', b' = b + m'w, and a loss of the residual z_i - y_i is
that of (z_i - b0) - (y_i - b0). So g(w), alpha, P and D stay what they are, D because sum_i alpha_i = 0: only X, y and
the last coordinate change. With m the means of columns the passes of a method do not depend on where the data lie.

Of sparse data only columns at least half full are centred, which at most doubles these: a column whose mean is beyond
its standard deviation is one of them (Cauchy-Schwarz).

x_ij - m_j is rounded by half a unit in its last place, as if X w had a product more; y_i - b0, too.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..losses import is_of_residual, per_example, unweighted, weighted
from ..numerics import matrices, profiles
from ..numerics.jit import kernel, scalar
from ..numerics.matrix_lines import Lines
from .intercept import join_intercept
from .null_point import NullPoint
from .points import Points
from .problem import Problem
from .rounding import EPS, norm

MADE_OF_X = (
    "X", "row_profile", "nnz", "column_profile", "_column_norms", "column_scales", "row_pairs", "row_norms", "row_rms",
    "full_X", "R", "means", "rows", "columns", "products",
)  # fmt: skip
OWN = frozenset((*MADE_OF_X, "_centred", "null_value", "dual_at_zero", "dual_curvatures"))
OUTLIER = 2.0**20  # medians of |x_ij|: rows beyond it, such as a fill value, are not in a mean
SAMPLED_ROWS = 1000  # of which medians are
FIRST_ROWS = 5  # whose least entry bounds a median from below, mostly
HALF_FULL = 0.5  # share of entries that are not 0, from which on a column is centred
SPLITTER = 2.0**27 + 1  # of a double into two halves (Veltkamp)


class CentredProblem(Problem):
    """A problem with a free intercept in the variables (w, b'), sharing labels and weights with the one it is of.

    Parameters
    ----------
    outer : Problem
        With an intercept.
    like : CentredProblem, optional
        One of the same X and sample weights, with which it shares what is made of them.
    """

    def __init__(self, outer: Problem, like: CentredProblem | None = None) -> None:
        self.__dict__.update({name: value for name, value in outer.__dict__.items() if name not in OWN})
        self.outer: Problem = outer
        self.unit_of_z += EPS / 2
        self.unit_of_v += EPS / 2
        self.means: np.ndarray
        if like is None:
            self.means = column_means(outer.features, outer.sample_weight)
            X = subtract_means(outer.features, self.means)
            self.X, self.row_profile, self.nnz = X, outer.row_profile, outer.nnz
            if self.means.any():
                self.row_profile = profiles.line_profile(X, "rows")
                self.nnz = int(np.add.reduce(self.row_profile.counts))
        else:
            self.__dict__.update({name: like.__dict__[name] for name in MADE_OF_X if name in like.__dict__})
            if self.n_jobs != like.n_jobs:
                self.__dict__.pop("products", None)
        self.shift: float  # of the labels of a loss of the residual: the best constant
        if like is not None and outer.loss is like.outer.loss and outer.loss_y is like.outer.loss_y:
            self.shift, self.y, self.loss_y = like.shift, like.y, like.loss_y
            self.dual_at_zero = like.dual_at_zero
        else:
            self.shift = outer.null.b if is_of_residual(outer.loss) else 0.0
            if self.shift != 0:
                self.y = outer.y - self.shift
                _, self.loss_y = weighted(unweighted(outer.loss), self.y, self.sample_weight, self.offset)

    @property
    def centred(self) -> CentredProblem:
        """The problem itself."""
        return self

    @property
    def null(self) -> NullPoint:
        """Null point of the problem as it was given, in its variables."""
        return self.outer.null

    @property
    def at_zero(self) -> float:
        return self.outer.at_zero

    @property
    def null_value(self) -> float:
        return self.outer.null_value

    @property
    def digest(self) -> str:
        """Digest of the problem as it was given."""
        return self.outer.digest

    def with_(self, **changes: Any) -> Problem:
        """The centred problem of the one as it was given, with these changes."""
        return self.outer.with_(**changes).centred

    @property
    def start(self) -> Points:
        """The null point."""
        w, (b, alpha) = self.zeros(self.d), self.null
        w[-1] = b - self.shift
        return Points(w, alpha.copy())

    def point(self, w: np.ndarray, b: Any = 0.0) -> np.ndarray:
        """(w, b') of (w, b): what is added up exactly and rounded once."""
        return join_intercept(w, self._moved(b, w, 1.0)[0])

    def coefficients(self, point: np.ndarray) -> tuple[np.ndarray, Any]:
        w = point[:-1]
        b, _ = self._moved(point[-1], w, -1.0)
        return w, float(b) if point.ndim == 1 else b

    def _moved(self, b: Any, w: np.ndarray, sign: float) -> tuple[Any, Any]:
        """b + sign (m'w - b0), of one b or of K, and what its rounding loses."""
        if w.ndim == 1:
            return moved_constant(float(b), self.means, w, self.shift, sign)
        columns = np.ascontiguousarray(w.T)
        found = [
            moved_constant(float(each), self.means, column, self.shift, sign)
            for each, column in zip(np.ravel(b), columns, strict=True)
        ]
        rounded, lost = np.array(found).T
        return rounded, lost

    def rounding_of_coefficients(self, points: Points) -> float:
        """By how much P may be larger at the `coefficients`, whose b is rounded; z must be at hand.

        Where rounding loses delta, P rises by at most |mean phi'| delta + delta^2/(2 gamma), or delta times the
        steepest slopes within delta.
        """
        _, lost = self._moved(points.w[-1], points.w[:-1], -1.0)
        delta = np.abs(lost)  # of one b or of K
        size = norm(np.atleast_1d(delta))
        if size == 0.0:
            return 0.0
        gamma, steepest = self.loss.gamma, self.loss.lipschitz * size
        if steepest <= EPS * self.null_value:
            return steepest
        if not gamma > 0:
            z = self.predict(points.w) if points.z is None else points.z
            return float(per_example.slopes_within(self.loss, z, self.loss_y, np.full(self.n, delta)).mean() * delta)
        slope = np.abs(np.add.reduce(self.alpha(points.w, z=points.z), axis=0)) / self.n
        return min(steepest, float(np.vdot(slope, delta)) + size * size / (2 * gamma))

    def rounding_of_primal(self, w: Any, z: Any, primal: float, *args: Any, **options: Any) -> float:
        loss, products = self.loss, super().rounding_of_primal(w, z, primal, *args, **options)
        if self.shift == 0:
            return products
        if not loss.gamma > 0:
            off = EPS / 2 * np.abs(self.targets)
            return products + float(per_example.slopes_within(loss, z, self.loss_y, off) @ off) / self.n
        steepest = math.sqrt(2 * max(0.0, primal) / loss.gamma)
        return products + EPS / 2 * min(steepest, loss.lipschitz) * norm(self.targets) / math.sqrt(self.n)

    def rounding_of_dual(self, alpha: np.ndarray, *args: Any, **options: Any) -> float:
        products = super().rounding_of_dual(alpha, *args, **options)
        return (
            products + EPS / 2 * float(np.add.reduce(np.abs(alpha * self.targets))) / self.n if self.shift else products
        )


Problem.centred_form = CentredProblem


def column_means(X: np.ndarray | sp.csr_matrix, s: np.ndarray | None) -> np.ndarray:
    """The m_j (d,) that columns are centred by: their weighted means without outliers; 0 of columns that stay.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
        Validated.
    s : (n,) array or None
        Sample weights of mean 1.
    """
    n, d = X.shape
    s = np.ones(n) if s is None else s
    means, has_outliers = np.empty(d), np.zeros(d, dtype=bool)
    _set_means(matrices.rows(X), s, max(1, n // FIRST_ROWS), np.zeros((5, d)), means, has_outliers)
    for j in np.flatnonzero(has_outliers):
        x = X[:, j] if isinstance(X, np.ndarray) else X[:, [j]].toarray().ravel()
        with np.errstate(over="ignore"):
            mean = _mean_without_outliers(x, s)
        means[j] = mean if math.isfinite(mean) else 0.0
    return means


@kernel
def _set_means(
    X: Lines, s: np.ndarray, step: int, room: np.ndarray, means: np.ndarray, has_outliers: np.ndarray
) -> None:
    """Set the weighted means (d,), 0 of columns that stay, given `room` (5, d) of zeros.

    And set which columns may have outliers: those whose largest |x_ij| is `OUTLIER` times the least one of every
    `step`-th row.
    """
    n, d = s.size, means.size
    low, high, sums, counts, least = room[0], room[1], room[2], room[3], room[4]
    low[:], high[:], least[:] = np.inf, -np.inf, np.inf
    for i in range(np.uint64(n)):
        for p in X.line(i):
            j, x = X.index(i, p), X.value(i, p)
            low[j] = x if x < low[j] else low[j]
            high[j] = x if x > high[j] else high[j]
            sums[j] += s[i] * x
            counts[j] += 1.0 if x != 0.0 else 0.0
    for i in range(np.uint64(0), np.uint64(n), np.uint64(step)):
        for p in X.line(i):
            j, x = X.index(i, p), X.value(i, p)
            if x != 0.0:
                least[j] = min(least[j], abs(x))
    for k in range(np.uint64(d)):
        if counts[k] < n:
            low[k], high[k] = min(low[k], 0.0), max(high[k], 0.0)
        is_good = counts[k] >= HALF_FULL * n and high[k] - low[k] < np.inf
        means[k] = min(max(sums[k] / n, low[k]), high[k]) if is_good else 0.0
        has_outliers[k] = is_good and max(-low[k], high[k]) > OUTLIER * least[k]


def _mean_without_outliers(x: np.ndarray, s: np.ndarray) -> float:
    sample = np.abs(x[:: max(1, x.size // SAMPLED_ROWS)])
    near = np.abs(x) <= OUTLIER * float(np.median(sample[sample > 0]))
    near &= s > 0
    return float(np.clip(np.average(x[near], weights=s[near]), x[near].min(), x[near].max())) if near.any() else 0.0


def subtract_means(X: np.ndarray | sp.csr_matrix, means: np.ndarray) -> np.ndarray | sp.csr_matrix:
    """[X - 1 m', 1]: X with its columns less their means, and a column of ones as its last."""
    n, d = X.shape
    if isinstance(X, np.ndarray):
        centred = np.empty((n, d + 1))
        _subtract_into(X, means, centred)
        return centred
    moved = np.append(np.flatnonzero(means), d)
    values = np.append(-means[moved[:-1]], 1.0)
    most = X.data.size + n * moved.size
    data, indices, indptr = np.empty(most), np.empty(most, np.int32), np.zeros(n + 1, np.int32)
    nnz = _add_to_rows(X.data, X.indices, X.indptr, moved, values, data, indices, indptr)
    return sp.csr_matrix((data[:nnz], indices[:nnz], indptr), shape=(n, d + 1))


@kernel
def _add_to_rows(
    data: np.ndarray, indices: np.ndarray, indptr: np.ndarray,
    moved: np.ndarray, values: np.ndarray,
    new_data: np.ndarray, new_indices: np.ndarray, new_indptr: np.ndarray,
) -> int:  # fmt: skip
    """Add the values to the columns `moved`, the last of them beyond all, in each sorted row; return the nonzeros."""
    q = np.uint64(0)
    for i in range(np.uint64(new_indptr.size - 1)):
        p, end = np.uint64(indptr[i]), np.uint64(indptr[i + np.uint64(1)])
        for m in range(np.uint64(moved.size)):
            j, total = moved[m], values[m]
            while p < end and indices[p] < j:
                new_indices[q], new_data[q] = indices[p], data[p]
                p, q = p + np.uint64(1), q + np.uint64(1)
            if p < end and indices[p] == j:
                total, p = total + data[p], p + np.uint64(1)
            if total != 0.0:
                new_indices[q], new_data[q] = j, total
                q += np.uint64(1)
        new_indptr[i + np.uint64(1)] = q
    return int(q)


@kernel
def _subtract_into(X: np.ndarray, means: np.ndarray, out: np.ndarray) -> None:
    d = means.size
    for i in range(X.shape[0]):
        for j in range(d):
            out[i, j] = X[i, j] - means[j]
        out[i, d] = 1.0


@kernel
def moved_constant(b: float, means: np.ndarray, w: np.ndarray, shift: float, sign: float) -> tuple[float, float]:
    """b + sign (m'w - shift), added up as if in twice the precision and then rounded, and what this loses.

    Ogita, Rump & Oishi, Accurate sum and dot product (2005), Algorithm 5.3.
    """
    total, lost = b, 0.0
    for j in range(means.size + 1):
        if j == means.size:
            product, error = -sign * shift, 0.0
        elif means[j] == 0.0:
            continue
        else:
            product, error = _product(sign * means[j], w[j])
        larger = total + product
        part = larger - total
        lost += error + ((total - (larger - part)) + (product - part))
        total = larger
    rounded = total + lost
    return rounded, (total - rounded) + lost


@scalar
def _product(a: float, b: float) -> tuple[float, float]:
    """a b, and what its rounding loses (Dekker); 0 where halves leave float64."""
    product = a * b
    high_a, high_b = SPLITTER * a, SPLITTER * b
    high_a, high_b = high_a - (high_a - a), high_b - (high_b - b)
    low_a, low_b = a - high_a, b - high_b
    error = low_a * low_b - (((product - high_a * high_b) - low_a * high_b) - high_a * low_b)
    return product, error if abs(error) < math.inf else 0.0
