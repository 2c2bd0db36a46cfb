"""Digits of the optimum that are proved: intervals that contain it, whatever was rounded.

With g a subgradient of P at w, smooth losses but for the first, and b* between the roots of sum_i s_i phi'(z_i + b) for
the least and for the largest z_i = x_i'w*, as phi' never falls:

gap          w* is within sqrt(gap/l2 - |w - w(alpha)|^2/4) of the middle of w and w(alpha), also with a free intercept.
subgradient  l2 |w - w*|^2 <= g'(w - w*), so that |w - w*| <= |g|/l2, at the b with g_b = 0.
zeros        u_i = -phi'(x_i'w) is within sqrt((n/gamma) min(2 gap, g'(w - w*))) of alpha*: where all of that ball has
             |X_:j'alpha|/n < l1, w_j* = 0. From then on w_j is 0.
curvature    Let H be the Hessian of the least phi'' in |T^-1 (w' - w)| <= rho (phi'' rises and falls, so that it is at
             an end; with epsilon > 0 it is 0 around y, so that it is there or at an end), T'HT >= 1 - eps, and |T'g| <
             (1 - eps) rho. From w to w' g'(w' - w) grows by (1 - eps) times |T^-1 (w' - w)|^2 at least, so that
             |w_j - w_j*| <= |T_j:| |T'g|/(1 - eps). Any T would do: it is the inverse of a Cholesky factor of H, and
             eps |T'HT - 1| with its rounding. w may hold b, and l2 may be 0.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_DOWN, Context, Decimal
from os.path import commonprefix
from typing import Any

import numpy as np
from scipy.linalg import solve_triangular

from .. import checker
from ..losses import unweighted
from ..losses.per_example import curvatures, gradients
from ..numerics import profiles, tables
from ..problems.balls import FORMULA_ROUNDING, Ball, dual_ball_between, middle_of_gap, screened_features, slope_box
from ..problems.certificates import certificate
from ..problems.intercept import join_intercept
from ..problems.points import Points
from ..problems.problem import Problem
from ..problems.rounding import EPS, MIN_SAFE_SQUARE, OUTWARD, norm
from ..regularizers import of_each, soft_threshold
from .writing import exact_gap

EXACT_NONZEROS = 300_000  # up to which the gap is exact: some seconds
CURVATURE_WORK = 1e10  # multiplications for the Hessian, at most
MAX_LINES = 60  # that are printed
SMALLEST = 1e-290  # added to what may underflow
LARGEST_STEP = 1e300  # to a root
TRUNCATED = Context(prec=17, rounding=ROUND_DOWN)


@dataclass(frozen=True, eq=False, repr=False)
class Proved:
    """Intervals that contain the optimum of a problem; `str` shows the digits that they prove, and nothing else.

    Attributes
    ----------
    low, high : (d,) array; (d, K) with softmax
        low_j <= w_j* <= high_j; infinite where nothing is proved.
    intercept : (low, high)
        Of b*, also infinite with softmax, where it is not unique; (0, 0) where the problem has none.
    feature_names : tuple of str, or None
        The columns of training, where they have names.
    """

    low: np.ndarray
    high: np.ndarray
    intercept: tuple[float, float]
    feature_names: tuple[str, ...] | None = None

    @property
    def signs(self) -> np.ndarray:
        """The sign of w_j*, 1 or -1, where it is proved; else 0."""
        return np.where(self.low > 0, 1, np.where(self.high < 0, -1, 0))

    @property
    def zeros(self) -> np.ndarray:
        """Mask of the features with w_j* = 0."""
        return (self.low == 0) & (self.high == 0)

    @property
    def digits(self) -> np.ndarray:
        """How many significant digits of w_j* are proved: the first ones that low and high share."""
        ends = zip(self.low.flat, self.high.flat, strict=True)
        counts = [sum(map(str.isdigit, _shared(*each).partition("e")[0])) for each in ends]
        return np.reshape(counts, self.low.shape)

    def decisions(self, X: Any) -> np.ndarray:
        """The proved signs (m,) of x'w* + b* for examples (m, d): -1, 1, or 0 where it is open.

        Raises
        ------
        ValueError
            For X that is not as in training, and with softmax, which has a value for each class.
        """
        if self.low.ndim > 1:
            raise ValueError("decisions are signs of one value, and softmax has one for each class")
        tables.check_feature_names(X, self.feature_names)
        X = profiles.validated_matrix(X)
        if X.shape[1] != self.low.size:
            raise ValueError(f"X has {X.shape[1]} features, and this solution has {self.low.size}")
        with np.errstate(invalid="ignore"):  # inf - inf: open
            (w, b), of_sums = ((np.add(*ends) / 2 for ends in self._ends), (X.shape[1] + 8) * EPS)
            of_w, of_b = (np.subtract(*ends[::-1]) / 2 + of_sums * np.abs(np.add(*ends)) for ends in self._ends)
            z, reach = X @ w + b, OUTWARD * (abs(X) @ of_w + of_b)
            return np.where(np.abs(z) > reach, np.sign(z), 0).astype(int)

    @property
    def _ends(self) -> tuple[tuple[Any, Any], tuple[Any, Any]]:
        return (self.low, self.high), self.intercept

    def __str__(self) -> str:
        names = self.feature_names if self.low.ndim == 1 else None
        places = [(j, names[j[0]] if names else ", ".join(map(str, j))) for j in np.ndindex(self.low.shape)]
        told = [
            f"w[{name}] {text}" for j, name in places if (text := _text_of(float(self.low[j]), float(self.high[j])))
        ]
        if self.intercept != (0.0, 0.0) and (text := _text_of(*self.intercept)):
            told.append(f"b {text}")
        if not told:
            return "nothing is proved of the optimum: solve with a smaller tol"
        more = [f"and {len(told) - MAX_LINES} more of them"] if len(told) > MAX_LINES else []
        left = self.low.size - sum(line.startswith("w") for line in told)
        silent = [f"nothing is proved of {left} more: solve with a smaller tol"] if left else []
        head = "Proved of the optimum w*, digits cut off (..) and not rounded:"
        return "\n".join([head, *told[:MAX_LINES], *more, *silent])

    def __repr__(self) -> str:
        signs, zeros = np.count_nonzero(self.signs), np.count_nonzero(self.zeros)
        return f"Proved({signs} signs and {zeros} zeros of {self.low.size} coefficients)"


def _shared(low: float, high: float) -> str:
    """The first digits of all numbers between, as "-4.82e-01"; "" where there are none."""
    if not (low > 0 or high < 0) or math.isinf(high - low):
        return ""
    texts = (f"{TRUNCATED.create_decimal_from_float(float(x)):.{TRUNCATED.prec - 1}e}" for x in (low, high))
    (a, size), (b, other) = (text.split("e") for text in texts)
    same = commonprefix([a, b])
    return f"{same}e{size}" if size == other and same.strip("-") else ""


def _text_of(low: float, high: float) -> str:
    """What is proved of a number: "= -0.482..", "= 0", "> 0", "< 0" or ""."""
    if text := _shared(low, high):
        value = Decimal(text)
        is_plain = -5 <= value.adjusted() < len(value.as_tuple().digits)
        return f"= {value:f}.." if is_plain else f"= {text.replace('e', '..e')}"
    return "= 0" if low == high == 0 else "> 0" if low > 0 else "< 0" if high < 0 else ""


def prove(problem: Problem, w: np.ndarray, b: Any, alpha: np.ndarray) -> Proved:
    """The intervals that a point of a problem proves of its optimum.

    Parameters
    ----------
    problem : Problem
        As users have made it, with one of the losses of `cdlab.checker.LOSSES`.
    w, b : (d,) array and number; (d, K) and (K,) with softmax
        Coefficients, and the free intercept, where the problem has one.
    alpha : (n,) array; (n, K) with softmax
        A dual point, feasible but for rounding.

    Raises
    ------
    ValueError
        For another loss, whose formulas have no bound of their rounding.
    """
    if unweighted(problem.loss).name not in checker.LOSSES:
        raise ValueError(f"digits are proved with the losses {', '.join(checker.LOSSES)}, not {problem.loss.name}")
    known = _Intervals(problem, w, b)
    with np.errstate(all="ignore"):  # what is not finite proves nothing
        if all(np.isfinite(x).all() for x in (w, b, alpha)):
            known.shrink(alpha)
    return Proved(known.low, known.high, known.of_b, problem.feature_names)


class _Intervals:
    """Intervals of w (d,) or (d, K) and of b, which shrink by one theorem after the other."""

    def __init__(self, problem: Problem, w: np.ndarray, b: Any):
        self.problem, self.w, self.b = problem, w, b
        self.low, self.high = np.full(w.shape, -np.inf), np.full(w.shape, np.inf)
        self.of_b = (-math.inf, math.inf) if problem.intercept else (0.0, 0.0)
        self.zeros = np.zeros(problem.d, dtype=bool)
        self.sizes, s = abs(problem.X), problem.sample_weight
        self.l2, self.l1 = (x * np.ones(problem.d) for x in (problem.reg.l2s, problem.reg.l1s))
        self.of_labels = 4 * EPS * (np.abs(problem.y) + (0.0 if problem.offset is None else np.abs(problem.offset)))
        self.of_mean = 4 * EPS + (0.0 if s is None else abs(math.fsum(s) / problem.n - 1))  # of the weights, as 1

    def shrink(self, alpha: np.ndarray) -> None:
        """Use all theorems."""
        problem, gap, d = self.problem, math.inf, len(self.w)
        if problem.nnz <= EXACT_NONZEROS and problem.is_certified and not problem.bounded:
            gap, alpha = exact_gap(problem, self.w, self.b, alpha)
        else:
            known = certificate(problem.centred, Points(problem.point(self.w, self.b), alpha), None)
            gap, alpha = known.gap, alpha if known.alpha is None else known.alpha
        if problem.mu > 0:
            of_alpha = problem.feature_reg.grad_g_conj(problem.v(alpha)[:d])
            self._intersect(*middle_of_gap(problem, self.w, of_alpha, alpha, gap))
        if problem.bounded:
            if problem.loss.gamma > 0 and not problem.outputs and gap < math.inf:
                self._shrink_by_ball(gap, alpha)
            self.low, self.high = (problem.feature_reg.clipped(end) for end in (self.low, self.high))
        elif not problem.outputs and problem.loss.gamma > 0:
            self._shrink_by_slopes(gap)
            self.low[self.zeros[:d]] = self.high[self.zeros[:d]] = 0.0

    def _shrink_by_ball(self, gap: float, alpha: np.ndarray) -> None:
        """Leave w_j of the slopes v_j of a ball around alpha*: w_j never falls in v_j, and rests at 0 and at bounds."""
        problem, point = self.problem.centred, self.problem.point(self.w, self.b)
        ball = dual_ball_between(problem, Points(point, alpha, z=problem.predict(point)), gap)
        box, d = slope_box(problem, ball), len(self.w)
        low, high = ((box.image + sign * OUTWARD * box.reach)[:d] for sign in (-1, 1))
        low, high = (self.problem.feature_reg.grad_g_conj(v) for v in (low, high))
        off = [4 * EPS * np.where(self._is_at_bound(w), 0.0, np.abs(w)) for w in (low, high)]
        self.low, self.high = np.fmax(self.low, low - off[0]), np.fmin(self.high, high + off[1])

    def _is_at_bound(self, w: np.ndarray) -> np.ndarray:
        each = of_each(self.problem.feature_reg, w.shape)
        return (w == each.lower) | (w == each.upper)

    def _intersect(self, center: np.ndarray, reach: float | np.ndarray) -> None:
        """Leave of the intervals what is within reach of a center, and with a ball the b that fit it."""
        self.low = np.fmax(self.low, np.nextafter(center - reach, -np.inf))
        self.high = np.fmin(self.high, np.nextafter(center + reach, np.inf))
        if isinstance(reach, float) and self.problem.intercept and not self.problem.outputs:
            self._intersect_b(*self._roots(*self._predictions(center, reach)))

    def _intersect_b(self, low: float, high: float) -> None:
        self.of_b = max(self.of_b[0], float(low)), min(self.of_b[1], float(high))

    def _point(self, w: np.ndarray) -> np.ndarray:
        return join_intercept(w, 0.0) if self.problem.intercept else w

    def _predictions(self, w: np.ndarray, radius: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """X w (n,) without an intercept, and how far those of a ball may be from it."""
        problem, z = self.problem, self.problem.predict(self._point(w))
        off = problem.unit_of_z * (self.sizes @ np.abs(self._point(w))) + 4 * EPS * np.abs(z) + self.of_labels
        return z, OUTWARD * (off + radius * problem.row_norms) + SMALLEST

    def _slopes(self, z: np.ndarray, reach: np.ndarray, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
        """Bounds (n,) of phi' within reach of z, with intercepts from low to high."""
        ends = z - reach + low - 4 * EPS * abs(low), z + reach + high + 4 * EPS * abs(high)
        below, above = (gradients(self.problem.loss, end, self.problem.loss_y) for end in ends)
        off = (FORMULA_ROUNDING * np.abs(slopes) + SMALLEST for slopes in (below, above))
        return below - next(off), above + next(off)

    def _roots(self, z: np.ndarray, reach: np.ndarray) -> tuple[float, float]:
        """Bounds of the b where phi' adds up to 0, for all predictions within reach of z."""

        def lower(b: float, slopes: Callable[[float], np.ndarray]) -> float:
            """A number below the root of the sum, which never falls: where it is negative for certain."""
            step = EPS * max(1.0, abs(b))
            while step < LARGEST_STEP:
                found = slopes(b - step)
                if np.add.reduce(found) + 64 * EPS * np.add.reduce(np.abs(found)) < 0:
                    return b - step
                step *= 1.5
            return -math.inf

        b = float(self.b)
        return (
            lower(b, lambda b: self._slopes(z, reach, b, b)[1]),
            -lower(-b, lambda b: -self._slopes(z, reach, -b, -b)[0]),
        )

    def _shrink_by_slopes(self, gap: float) -> None:
        problem, d, w, b = self.problem, len(self.w), self.w, (0.0, 0.0)
        for most in (2 * gap, math.inf):  # of g'(w - w*); once more where there are zeros
            z, reach = self._predictions(w)
            b = self._roots(z, reach) if problem.intercept else b
            if math.isinf(b[1] - b[0]):
                return
            g, off, u, of_u = self._subgradient(w, *self._slopes(z, reach, *b))
            size = OUTWARD * norm((np.abs(g) + off)[:d])
            radius = OUTWARD * size / problem.l2 if problem.l2 > 0 else math.inf
            if radius < math.inf:
                self._intersect(w, radius)
            distance = OUTWARD * math.sqrt(problem.n / problem.loss.gamma * min(most, size * radius))
            self.zeros |= screened_features(problem, slope_box(problem, Ball(u, problem.v(u), distance + of_u)))
            if not self.zeros.any():
                break
            w = np.where(self.zeros[:d], 0.0, w)
        self._shrink_by_curvature(w, (b[0] + b[1]) / 2)

    def _subgradient(
        self, w: np.ndarray, low: np.ndarray, high: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """A least subgradient (d,) but for zeros, what it may be off, and u (n,) with the same, of slopes between."""
        problem, point = self.problem, self._point(w)
        u, spread = -(low + high) / 2, OUTWARD * (high - low) / 2 + EPS * np.abs(low)
        slope = self.l2 * point - problem.v(u)
        off = OUTWARD * (self.sizes.T @ ((problem.unit_of_v + self.of_mean) * np.abs(u) + spread)) / problem.n
        off += 4 * EPS * (np.abs(slope) + self.l2 * np.abs(point) + self.l1) + SMALLEST
        at_zero = (point == 0) & (self.l1 > 0)
        g = np.where(at_zero, soft_threshold(slope, self.l1), slope + self.l1 * np.sign(point))
        off[self.zeros | (at_zero & (np.abs(slope) + off <= self.l1))] = 0.0
        g[self.zeros] = 0.0
        return g, off, u, OUTWARD * norm(spread)

    def _shrink_by_curvature(self, w: np.ndarray, b: float) -> None:
        problem, left, d = self.problem, np.flatnonzero(~self.zeros), len(w)
        if not 0 < problem.n * left.size**2 <= CURVATURE_WORK:
            return
        X = problem.X[:, left]
        X = X if isinstance(X, np.ndarray) else X.toarray()
        z, reach = self._predictions(w)
        g, off, _, _ = self._subgradient(w, *self._slopes(z, reach, b, b))
        g, off = g[left], off[left] + 2 * left.size * EPS * np.abs(g[left])
        z, reach, width = z + b, reach + 4 * EPS * abs(b), np.zeros(left.size)
        for _ in range(2):  # at w, and in a box of twice the width that is found there
            box, before = reach + 2 * OUTWARD * (np.abs(X) @ width), width
            places = z - box, z + box, np.clip(problem.targets, z - box, z + box)
            least = np.minimum.reduce([curvatures(problem.loss, each, problem.loss_y) for each in places])
            weights = (1 - FORMULA_ROUNDING - self.of_mean) * least / problem.n
            T, eps = _inverse_root((X.T * weights) @ X + np.diag(self.l2[left]), problem.n)
            size = norm(T.T @ g) + norm(np.abs(T).T @ off)
            width = OUTWARD * np.sqrt((T * T).sum(axis=1)) * size / (1 - eps)
            if not (eps < 1 and np.isfinite(width).all()):
                return
        if np.all(width < 2 * before):
            reach = np.zeros(problem.d)
            reach[left] = width
            self._intersect(w, reach[:d])
            if problem.intercept:
                self._intersect_b(np.nextafter(b - reach[d], -np.inf), np.nextafter(b + reach[d], np.inf))


def _inverse_root(H: np.ndarray, terms: int) -> tuple[np.ndarray, float]:
    """T with T'HT near 1, and a bound of |T'HT - 1|; entries of H are sums of so many terms, rounded."""
    d, sizes = len(H), np.sqrt(np.diag(H))  # |H_jk|, and the sum of its terms' sizes, is at most their product
    try:
        T = solve_triangular(np.linalg.cholesky(H), np.eye(d), lower=True, check_finite=False).T
    except np.linalg.LinAlgError:  # singular
        return H, math.inf
    if not sizes.min() > math.sqrt(MIN_SAFE_SQUARE):
        return H, math.inf
    each = np.abs(T).T @ sizes
    return T, OUTWARD * (norm(T.T @ H @ T - np.eye(d)) + (terms + 4 * d + 8) * EPS * float(each @ each))
