"""The referee of raw_data.py: P in 60 digits, and its minimum by cvxpy (Clarabel) on a standardised copy.

With z = Xs u + c, Xs = (X - m) t, w = t u and b = c - m'w the penalty stays that of w: (l2/2) sum (t_j u_j)^2 + l1
sum |t_j u_j|. A wide X without l1 is reduced to its row space first, where ||u|| = ||w||.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, NamedTuple

import cvxpy as cp
import mpmath
import numpy as np
import scipy.sparse as sp
from scipy.optimize import minimize_scalar

DIGITS = 60
BITS = 53
TOLERANCES, TIME_LIMIT = (1e-11, 1e-9), 60.0  # of P/P0; the second where the first is not reached
BEND = {"huber": 1.0, "smooth_hinge": 1.0, "absolute": 0.0, "hinge": 0.0}  # gamma of cdlab's defaults
TINY = 1e-13  # of the largest eigenvalue


class Point(NamedTuple):
    w: np.ndarray  # (d,) or (d, K)
    b: Any  # a number or K, floats or of `DIGITS`


def whole(x: np.ndarray) -> tuple[np.ndarray, int]:
    """Integers k, as objects, and one e with x = k 2^e, exactly."""
    fractions, exponents = np.frexp(x)
    e = exponents.astype(int) - BITS
    least = int(e[x != 0].min(initial=0))
    shifts = np.where(x != 0, e - least, 0)
    return np.ldexp(fractions, BITS).astype(np.int64).astype(object) << shifts.astype(object), least


class Exact:
    """P of one raw problem in `DIGITS` digits: products exactly, sums and losses rounded to these."""

    def __init__(self, X: Any, y: np.ndarray, loss: str, l2: float, l1: float) -> None:
        self.X, self.y, self.loss, self.l2, self.l1 = X, y, loss, l2, l1

    @cached_property
    def stored(self) -> tuple[Any, ...]:
        """The entries as integers with their places, of a dense matrix as an array."""
        if not sp.issparse(self.X):
            return whole(self.X)
        X = sp.csr_matrix(self.X)
        return (*whole(X.data), X.indices, X.indptr)

    def products(self, w: np.ndarray) -> list[mpmath.mpf]:
        """X w (n,) of w (d,)."""
        values, e = whole(w)
        k, least, *places = self.stored
        if places:
            terms = k * values[places[0]]
            sums = [sum(terms[a:b]) for a, b in zip(places[1][:-1], places[1][1:], strict=True)]
        else:
            used = np.flatnonzero(w)
            sums = list(k[:, used] @ values[used]) if used.size else [0] * len(k)
        return [mpmath.ldexp(mpmath.mpf(each), least + e) for each in sums]

    def phi(self, u: Any, y: Any) -> mpmath.mpf:
        name = self.loss
        if name == "softmax":
            top = max(u)
            return top - u[int(y)] + mpmath.log(mpmath.fsum(mpmath.exp(x - top) for x in u))
        y = mpmath.mpf(float(y))
        if name == "logistic":
            return mpmath.log1p(mpmath.exp(-y * u)) if y * u > 0 else mpmath.log1p(mpmath.exp(y * u)) - y * u
        if name == "squared":
            return (u - y) ** 2 / 2
        short = max(mpmath.mpf(0), 1 - y * u) if "hinge" in name else abs(u - y)
        if name == "squared_hinge":
            return short**2 / 2
        bend = BEND[name]
        return short - bend / 2 if short >= bend else short**2 / (2 * bend)

    def primal(self, at: Point) -> mpmath.mpf:
        with mpmath.workdps(DIGITS):
            columns = at.w.T if at.w.ndim > 1 else at.w[None]
            intercepts = at.b if at.w.ndim > 1 else [at.b]
            z = [[x + b for x in self.products(w)] for w, b in zip(columns, intercepts, strict=True)]
            each = zip(*z, strict=True) if at.w.ndim > 1 else z[0]
            total = mpmath.fsum(self.phi(u, y) for u, y in zip(each, self.y, strict=True)) / len(self.y)
            kept = [mpmath.mpf(x) for x in at.w.ravel() if x != 0]
            return total + self.l2 / 2 * mpmath.fsum(x * x for x in kept) + self.l1 * mpmath.fsum(map(abs, kept))

    def of_constant(self) -> float:
        """P0: that of the best constant model."""
        y, name = self.y, self.loss
        if name == "softmax":
            p = np.bincount(y.astype(int)) / len(y)
            return float(-np.sum(p * np.log(p)))
        b0 = float(np.median(y))
        exact = Exact(sp.csr_matrix((len(y), 1)), np.asarray(y - b0), name, 0, 0)
        if name in ("logistic", "squared_hinge", "smooth_hinge", "hinge"):
            exact, ends = Exact(exact.X, y, name, 0, 0), (-30.0, 30.0)
        else:
            ends = (float((y - b0).min()), float((y - b0).max()))
        labels, counts = np.unique(exact.y, return_counts=True)

        def at(b: float) -> float:
            u = mpmath.mpf(b)
            return float(sum(c * exact.phi(u, v) for v, c in zip(labels, counts, strict=True)) / len(y))

        found = minimize_scalar(at, bounds=ends, method="bounded", options={"xatol": 1e-10 * (ends[1] - ends[0])})
        return min(found.fun, *(at(b) for b in (0.0, *ends, -1.0, 1.0)))


def minimum(exact: Exact, p0: float) -> tuple[Point, str]:
    """The point of the least P that cvxpy finds, and its status."""
    X, y, l2, l1 = exact.X, exact.y, exact.l2, exact.l1
    n, d = X.shape
    several = int(y.max()) + 1 if exact.loss == "softmax" else 0
    m = np.zeros(d) if sp.issparse(X) else X.mean(axis=0)
    Xc = sp.csr_matrix(X) if sp.issparse(X) else X - m
    back = None
    if d > n and l1 == 0:
        K = np.asarray((Xc @ Xc.T).todense()) if sp.issparse(Xc) else Xc @ Xc.T
        values, vectors = np.linalg.eigh(K)
        keep = values > TINY * values[-1]
        root = np.sqrt(values[keep])
        back, Xc, d = Xc.T @ (vectors[:, keep] / root), vectors[:, keep] * root, int(keep.sum())
    rms = np.sqrt(np.asarray(Xc.power(2).mean(axis=0)).ravel()) if sp.issparse(Xc) else np.sqrt((Xc**2).mean(axis=0))
    spread = 1.0
    if exact.loss in ("squared", "huber", "absolute"):
        spread = float(np.std(y)) or 1.0
    t = spread / np.maximum(rms, np.sqrt(l2) if l2 else l1)
    Xs = sp.csc_matrix(Xc @ sp.diags(t / spread)) if sp.issparse(Xc) else Xc * (t / spread)
    y0 = float(np.median(y)) if spread != 1.0 else 0.0
    shape = (d, several) if several else d
    u, c = cp.Variable(shape), cp.Variable(several or None) if several else cp.Variable()
    z = Xs @ u + (np.ones((n, 1)) @ cp.reshape(c, (1, several), order="C") if several else c)
    weights = np.tile(t[:, None], (1, several)) if several else t
    total = mean_loss(exact.loss, z, (y - y0) / spread if spread != 1.0 else y, spread, p0)
    if l2:
        total += l2 / (2 * p0) * cp.sum_squares(cp.multiply(weights, u))
    if l1:
        total += l1 / p0 * cp.sum(cp.abs(cp.multiply(weights, u)))
    problem = cp.Problem(cp.Minimize(total))
    for tol in TOLERANCES:
        accuracy = {"tol_gap_abs": tol, "tol_gap_rel": tol, "tol_feas": tol, "time_limit": TIME_LIMIT}
        try:
            problem.solve(solver="CLARABEL", **accuracy)
        except cp.error.SolverError as failed:
            zeros = np.zeros((X.shape[1], several) if several else X.shape[1])
            return Point(zeros, [0.0] * several if several else 0.0), str(failed)
        if problem.status == "optimal":
            break
    w = u.value * weights
    w = w if back is None else np.asarray(back @ w)
    with mpmath.workdps(DIGITS):
        moved = [mpmath.fsum(mpmath.mpf(a) * b for a, b in zip(m, col, strict=True)) for col in np.atleast_2d(w.T)]
        constants = [spread * mpmath.mpf(float(x)) + y0 - s for x, s in zip(np.ravel(c.value), moved, strict=True)]
    return Point(w, constants if several else constants[0]), problem.status


def mean_loss(name: str, z: Any, y: np.ndarray, q: float, p0: float) -> Any:
    """(1/n) sum phi(q z; q y) / P0 as an expression."""
    n = len(y)
    share = 1 / (n * p0)
    if name == "softmax":
        own = np.eye(int(y.max()) + 1)[y.astype(int)]
        return share * (cp.sum(cp.log_sum_exp(z, axis=1)) - cp.sum(cp.multiply(own, z)))
    if name == "logistic":
        return share * cp.sum(cp.logistic(-cp.multiply(y, z)))
    if name == "squared":
        return share * q * q / 2 * cp.sum_squares(z - y)
    if name == "squared_hinge":
        return share / 2 * cp.sum_squares(cp.pos(1 - cp.multiply(y, z)))
    if name == "absolute":
        return share * q * cp.norm1(z - y)
    if name == "hinge":
        return share * cp.sum(cp.pos(1 - cp.multiply(y, z)))
    bend = BEND[name] / q
    short = cp.pos(1 - cp.multiply(y, z)) if "hinge" in name else z - y
    return share * q / (2 * bend) * cp.sum(cp.huber(short, bend))
