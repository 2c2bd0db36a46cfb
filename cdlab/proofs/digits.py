"""Digits of the optimum that are proved: intervals that contain it, whatever rounding did.

P* is taken at w*, which may be alone in that with l2 = 0; g is a subgradient of P at w, and gamma that of the loss.

gap        w* is at most sqrt(gap/l2 - |w - w(alpha)|^2/4) from the middle of w and w(alpha), also with a free intercept.
subgradient  l2 |w - w*|^2 <= g'(w - w*), so |w - w*| <= |g|/l2, where b is so that g_b = 0.
zeros      u_i = -phi'(x_i'w) is at most sqrt((n/gamma) min(2 gap, g'(w - w*))) from alpha*: where |X_:j'alpha|/n < l1
           all over that ball, w_j* = 0. The others are left; w is 0 where that is proved.
curvature  Of smooth losses phi'' rises and falls, so that it is least at an end of an interval. Let H be the Hessian
           with the least phi'' of all predictions that |T^-1 (w' - w)| <= rho allows, T'HT >= 1 - eps, and
           |T'g| < (1 - eps) rho. Along a line from w g grows by (1 - eps) |T^-1 (w' - w)|^2 at least, so that w* is
           there, and |w_j - w_j*| <= |T_j:| |T'g|/(1 - eps). T is the inverse of a Cholesky factor of H, and any T would
           do: eps is the norm of T'HT - 1, with the rounding of its products. w may hold b, too; l2 may be 0.

b* is between the roots of sum_i s_i phi'(z_i - reach_i + b) and sum_i s_i phi'(z_i + reach_i + b), as phi' never falls.
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
from ..problems.balls import FORMULA_ROUNDING, Ball, middle_of_gap, screened_features, slope_box
from ..problems.certificates import certificate
from ..problems.intercept import join_intercept
from ..problems.points import Points
from ..problems.problem import Problem
from ..problems.rounding import EPS, MIN_SAFE_SQUARE, OUTWARD, norm
from ..regularizers import soft_threshold
from .writing import exact_gap

EXACT_NONZEROS = 300_000  # up to which the gap is exact: some seconds
CURVATURE_WORK = 1e10  # multiplications for the Hessian, at most
MAX_LINES = 60  # that are printed
SMALLEST = 1e-290  # added to what may underflow
LARGEST_STEP, BISECTIONS = 1e300, 12  # of the search of a root, whose distance is known to a thousandth then
TRUNCATED = Context(prec=17, rounding=ROUND_DOWN)


@dataclass(frozen=True, eq=False, repr=False)
class Proved:
    """Intervals that contain the optimum of a problem; `str` shows the digits that they prove, and nothing else.

    Attributes
    ----------
    low, high : (d,) array; (d, K) with softmax
        low_j <= w_j* <= high_j, infinite where nothing is proved.
    intercept : (low, high)
        Of b*; (0, 0) where the problem has none.
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
        """How many significant digits of w_j* are proved: the first ones of every number between low and high."""
        ends = zip(np.ravel(self.low), np.ravel(self.high), strict=True)
        return np.array([sum(map(str.isdigit, _common(*each).partition("e")[0])) for each in ends]).reshape(
            self.low.shape
        )

    def decisions(self, X: Any) -> np.ndarray:
        """The proved signs (m,) of the decision values x'w* + b* of examples (m, d): -1, 1, or 0 where it is open.

        Raises
        ------
        ValueError
            For X of another width, and with softmax, whose decisions are no signs.
        """
        if self.low.ndim > 1:
            raise ValueError("decisions are of two classes or of a number, and softmax has a value for each class")
        tables.check_feature_names(X, self.feature_names)
        X = profiles.validated_matrix(X)
        if X.shape[1] != self.low.size:
            raise ValueError(f"X has {X.shape[1]} features, and this is of {self.low.size}")
        with np.errstate(invalid="ignore"):
            center, width = (self.low + self.high) / 2, (self.high - self.low) / 2
            b, of_b = sum(self.intercept) / 2, (self.intercept[1] - self.intercept[0]) / 2
            size = abs(X) @ (OUTWARD * width + (X.shape[1] + 4) * EPS * np.abs(center)) + of_b + 4 * EPS * abs(b)
            z, reach = X @ center + b, OUTWARD * size
            return np.where(np.abs(z) > reach, np.sign(z), 0.0).astype(int)

    def __str__(self) -> str:
        names = self.feature_names if self.low.ndim == 1 else None
        places = [(j, names[j[0]] if names else ", ".join(map(str, j))) for j in np.ndindex(self.low.shape)]
        told = [f"w[{name}] {text}" for j, name in places if (text := _told(self.low[j], self.high[j]))]
        if self.intercept != (0.0, 0.0) and (text := _told(*self.intercept)):
            told.append(f"b {text}")
        more = [f"and {len(told) - MAX_LINES} more"] if len(told) > MAX_LINES else []
        return "\n".join(told[:MAX_LINES] + more) or "nothing proved"

    def __repr__(self) -> str:
        known = self.digits[self.signs != 0]
        digits = f"{int(np.median(known))} digits of {known.size}, " if known.size else ""
        return f"Proved({digits}{np.count_nonzero(self.zeros)} zeros, of {self.low.size} coefficients)"


def _common(low: float, high: float) -> str:
    """The first digits of all numbers from low to high, with their sign and point; "" where there are none."""
    if not (low > 0 or high < 0) or math.isinf(high - low):
        return ""
    texts = [f"{TRUNCATED.create_decimal_from_float(float(x)):.{TRUNCATED.prec - 1}e}" for x in (low, high)]
    (a, exponent), (b, other) = (text.split("e") for text in texts)
    return f"{same}e{exponent}" if exponent == other and (same := commonprefix([a, b])).strip("-") else ""


def _told(low: float, high: float) -> str:
    """What is proved of a number, as "= 0.25..", "= 0", "> 0", or ""."""
    if low == high == 0:
        return "= 0"
    if text := _common(low, high):
        value = Decimal(text)
        plain = -5 <= value.adjusted() < len(value.as_tuple().digits)
        return f"= {value:f}.." if plain else f"= {text.replace('e', '..e')}"
    return "> 0" if low > 0 else "< 0" if high < 0 else ""


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
    prover = _Prover(problem, w, b)
    with np.errstate(all="ignore"):
        is_finite = all(np.isfinite(x).all() for x in (w, b, alpha))
        return prover.proved(alpha) if is_finite else Proved(prover.low, prover.high, prover.bounds)


class _Prover:
    """Intervals of w (d,) or (d, K) and of b, made smaller by one theorem after the other."""

    def __init__(self, problem: Problem, w: np.ndarray, b: Any):
        self.problem, self.w, self.b = problem, w, b
        self.low, self.high = np.full(w.shape, -np.inf), np.full(w.shape, np.inf)
        self.bounds = (-math.inf, math.inf) if problem.intercept else (0.0, 0.0)
        self.zeros = np.zeros(problem.d, dtype=bool)
        self.sizes = abs(problem.X)
        offset, s = problem.offset, problem.sample_weight
        self.of_labels = 4 * EPS * (np.abs(problem.y) + (0.0 if offset is None else np.abs(offset)))
        self.of_mean = 4 * EPS + (0.0 if s is None else abs(math.fsum(s) / problem.n - 1))  # of the weights, as 1

    def proved(self, alpha: np.ndarray) -> Proved:
        problem, gap = self.problem, math.inf
        if problem.l2 > 0 or problem.l1 > 0:
            gap, alpha = self._gap(alpha)
        if problem.l2 > 0:
            v = problem.v(alpha)[: len(self.w)]
            self._intersect(*middle_of_gap(problem, self.w, soft_threshold(v, problem.l1) / problem.l2, alpha, gap))
        if not problem.outputs and problem.loss.gamma > 0:
            self._prove_by_slopes(gap)
        zeros = self.zeros[: len(self.w)]
        self.low[zeros] = self.high[zeros] = 0.0
        return Proved(self.low, self.high, self.bounds, problem.feature_names)

    def _gap(self, alpha: np.ndarray) -> tuple[float, np.ndarray]:
        """P(w) - D of a dual point, exact for small data, else with its rounding; and that point."""
        problem = self.problem
        if problem.nnz <= EXACT_NONZEROS:
            return exact_gap(problem, self.w, self.b, alpha)
        known = certificate(problem.centred, Points(problem.point(self.w, self.b), alpha), None)
        return known.gap, alpha if known.alpha is None else known.alpha

    def _intersect(self, center: np.ndarray, reach: float | np.ndarray) -> None:
        """Leave of the intervals of w what is within reach of a center, and with a ball those of b that fit it."""
        self.low = np.fmax(self.low, np.nextafter(center - reach, -np.inf))
        self.high = np.fmin(self.high, np.nextafter(center + reach, np.inf))
        if isinstance(reach, float) and self.problem.intercept and not self.problem.outputs:
            self._intersect_b(*self._roots(*self._predictions(center, reach)))

    def _intersect_b(self, low: float, high: float) -> None:
        self.bounds = max(self.bounds[0], low), min(self.bounds[1], high)

    # ------------------------------------------------------------ predictions and slopes
    def _predictions(self, w: np.ndarray, radius: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """X w (n,) without an intercept, and how far those of a ball are from it, with rounding."""
        problem, point = self.problem, self._point(w)
        z = problem.predict(point)
        off = problem.unit_of_z * (self.sizes @ np.abs(point)) + 4 * EPS * np.abs(z) + self.of_labels
        return z, OUTWARD * (off + radius * problem.row_norms) + SMALLEST

    def _point(self, w: np.ndarray) -> np.ndarray:
        return join_intercept(w, 0.0) if self.problem.intercept else w

    def _slopes(self, z: np.ndarray, reach: np.ndarray, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
        """Bounds (n,) of phi' within reach of z, with intercepts from low to high."""
        ends = z - reach + low - 4 * EPS * abs(low), z + reach + high + 4 * EPS * abs(high)
        below, above = (gradients(self.problem.loss, end, self.problem.loss_y) for end in ends)
        off = (FORMULA_ROUNDING * np.abs(slopes) + SMALLEST for slopes in (below, above))
        return below - next(off), above + next(off)

    def _roots(self, z: np.ndarray, reach: np.ndarray) -> tuple[float, float]:
        """Bounds of the b where phi' adds up to 0, for all predictions within reach of z."""

        def is_negative(slopes: np.ndarray) -> bool:
            return float(np.add.reduce(slopes)) + 64 * EPS * float(np.add.reduce(np.abs(slopes))) < 0

        b = float(self.b)
        low = _last(lambda b: is_negative(self._slopes(z, reach, b, b)[1]), b)
        return low, -_last(lambda b: is_negative(-self._slopes(z, reach, -b, -b)[0]), -b)

    # ------------------------------------------------------------ smooth losses
    def _prove_by_slopes(self, gap: float) -> None:
        problem, d, w, b = self.problem, len(self.w), self.w, (0.0, 0.0)
        for most in (2 * gap, math.inf):  # of g'(w - w*), and once more where zeros are proved
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
        self._prove_by_curvature(w, (b[0] + b[1]) / 2)

    def _subgradient(
        self, w: np.ndarray, low: np.ndarray, high: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
        """The least subgradient (d,) of features that are left, its error (d,), u (n,), and how far u is off.

        The slopes phi' are between low and high.
        """
        problem, point = self.problem, self._point(w)
        l2, l1 = (weight * problem.reg.penalised * np.ones(problem.d) for weight in (problem.l2, problem.l1))
        u, spread = -(low + high) / 2, OUTWARD * (high - low) / 2 + EPS * np.abs(low)
        slope = l2 * point - problem.v(u)
        off = self.sizes.T @ ((problem.unit_of_v + self.of_mean) * np.abs(u) + spread) / problem.n
        off = OUTWARD * off + 4 * EPS * (np.abs(slope) + l2 * np.abs(point) + l1) + SMALLEST
        at_zero = (point == 0) & (l1 > 0)
        g = np.where(at_zero, soft_threshold(slope, l1), slope + l1 * np.sign(point))
        off[at_zero & (np.abs(slope) + off <= l1)] = 0.0
        g[self.zeros] = off[self.zeros] = 0.0
        return g, off, u, OUTWARD * norm(spread)

    def _prove_by_curvature(self, w: np.ndarray, b: float) -> None:
        problem, left, d = self.problem, np.flatnonzero(~self.zeros), len(w)
        if not 0 < problem.n * left.size**2 <= CURVATURE_WORK:
            return
        X = problem.X[:, left]
        X = X if isinstance(X, np.ndarray) else X.toarray()
        z, reach = self._predictions(w)
        g, off, _, _ = self._subgradient(w, *self._slopes(z, reach, b, b))
        g, off = g[left], off[left] + 2 * left.size * EPS * np.abs(g[left])
        l2, shrunk = problem.l2 * problem.reg.penalised * np.ones(problem.d), 1 - FORMULA_ROUNDING - self.of_mean
        z, reach, width = z + b, reach + 4 * EPS * abs(b), np.zeros(left.size)
        for _ in range(2):  # at w, and in a box of twice the width that is found there
            box, before = reach + 2 * OUTWARD * (np.abs(X) @ width), width
            least = np.minimum(*(curvatures(problem.loss, end, problem.loss_y) for end in (z - box, z + box)))
            H = (X.T * (shrunk * least)) @ X / problem.n + np.diag(l2[left])
            T, eps = _inverse_root(H, problem.n)
            size = norm(T.T @ g) + norm(np.abs(T).T @ off)
            width = OUTWARD * np.sqrt((T * T).sum(axis=1)) * size / (1 - eps)
            if not (eps < 1 and np.isfinite(width).all()):
                return
        if np.all(width < 2 * before):
            whole = np.zeros(problem.d)
            whole[left] = width
            self._intersect(w, whole[:d])
            if problem.intercept:
                self._intersect_b(b - whole[d], b + whole[d])


def _inverse_root(H: np.ndarray, terms: int) -> tuple[np.ndarray, float]:
    """T with T'HT near 1, and a bound of the norm of the difference; inf where H is singular.

    The entries of H are sums of so many terms, each at most sqrt(H_jj H_kk) when they are added up.
    """
    d, sizes = len(H), np.sqrt(np.diag(H))
    try:
        L = np.linalg.cholesky(H)
    except np.linalg.LinAlgError:
        return H, math.inf
    if not sizes.min() ** 2 > MIN_SAFE_SQUARE:
        return H, math.inf
    T = solve_triangular(L, np.eye(d), lower=True, check_finite=False).T
    each = np.abs(T).T @ sizes
    return T, OUTWARD * (norm(T.T @ H @ T - np.eye(d)) + (terms + 4 * d + 8) * EPS * float(each @ each))


def _last(is_below: Callable[[float], bool], b: float) -> float:
    """The largest number that is found to be below a root near b; -inf where none is."""
    step, below, above = EPS * max(1.0, abs(b)), b, b
    while not is_below(below):
        below, step = b - step, 4 * step
        if step > LARGEST_STEP:
            return -math.inf
    while above == b and below == b and is_below(b + step) and step < LARGEST_STEP:
        step *= 4
    above = b + step if below == b else min(b, below + step)
    for _ in range(BISECTIONS):
        middle = (below + above) / 2
        below, above = (middle, above) if is_below(middle) else (below, middle)
    return below
