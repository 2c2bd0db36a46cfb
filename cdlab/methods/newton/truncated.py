"""Truncated conjugate gradients on H p = -g, preconditioned by H's diagonal; for many examples and features.

A product H s reads each row with curvature once, dots and adds: of a hinge, the rows on its bend. They end at
||H p + g|| <= accuracy ||g|| in the norm of the preconditioner, or where rounding does. With the squared loss H stays,
and the next iteration goes on along the direction that is conjugate to all before.

Cost        half a pass for the diagonal, a pass for each product, both over the examples with curvature
Reference   Dembo & Steihaug, Truncated-Newton algorithms for large-scale unconstrained optimization (1983)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...losses import hess_lipschitz, is_vector
from ...numerics.jit import kernel, reduction
from ...numerics.matrix_lines import Lines
from ...problems.problem import Problem
from .model import InnerSolver, Model, Step, examples_with

SAME_RESIDUAL = 1e-6  # Share of its norm by which rounding may change a residual.
FLAT = 1e-13  # Share of the diagonal's curvature up to which that of a direction is rounding: without l2 H has such.
QUADRATIC_ACCURACY = 0.3  # Accuracy with the squared loss, where to stop and look costs nothing.


@kernel
def add_squares(X: Lines, examples: np.ndarray, weights: np.ndarray, out: np.ndarray) -> None:
    """`out` (d,) += sum of weights_i x_i^2, entry by entry: the diagonal."""
    for e in range(examples.size):
        i = examples[e]
        for p in X.line(i):
            out[X.index(i, p)] += weights[i] * X.value(i, p) ** 2


@kernel
def add_vector_curvature(
    X: Lines,
    loss: Any,
    z: np.ndarray,
    y: np.ndarray,
    s: np.ndarray,
    along: np.ndarray,
    bent: np.ndarray,
    out: np.ndarray,
) -> None:
    """`out` (d, K) += sum of x_i (phi''(z_i) s'x_i)'; `along` and `bent` (K,) are scratch."""
    for i in range(np.uint64(y.size)):
        along[:] = 0.0
        for p in X.line(i):
            j, x = X.index(i, p), X.value(i, p)
            for k in range(along.size):
                along[k] += x * s[j, k]
        loss.hess_phi_into(z[i], y[i], along, bent)
        for p in X.line(i):
            j, x = X.index(i, p), X.value(i, p)
            for k in range(bent.size):
                out[j, k] += x * bent[k]


@reduction
def _dot(s: np.ndarray, t: np.ndarray) -> float:
    total = 0.0
    for j in range(s.size):
        total += s[j] * t[j]
    return total


@reduction
def _dot_divided(s: np.ndarray, scales: np.ndarray) -> float:
    total = 0.0
    for j in range(s.size):
        total += s[j] * s[j] / scales[j]
    return total


@reduction
def _move(a: float, s: np.ndarray, Hs: np.ndarray, scales: np.ndarray, p: np.ndarray, r: np.ndarray) -> float:
    left = 0.0
    for j in range(s.size):
        p[j] += a * s[j]
        r[j] -= a * Hs[j]
        left += r[j] * r[j] * scales[j]
    return left


@kernel
def move_along(
    s: np.ndarray, Hs: np.ndarray, scales: np.ndarray, precise: float, flat: float, p: np.ndarray, r: np.ndarray
) -> float:
    """p += a s, r -= a H s with a = `precise`/s'H s, for which r'diag(scales) r is `precise`; that of the new r.

    And a new direction: s = diag(scales) r + (new/old) s. Where s'H s is at most flat s'diag(scales)^-1 s all stays,
    and 0 is returned: rounding, or nothing is left.
    """
    curvature, most = _dot(s, Hs), _dot_divided(s, scales)
    if not curvature > flat * most:
        return 0.0
    left = _move(precise / curvature, s, Hs, scales, p, r)
    for j in range(s.size):
        s[j] = scales[j] * r[j] + left / precise * s[j]
    return left


class Direction(NamedTuple):
    """Direction in which conjugate gradients go on, as long as H is the same."""

    s: np.ndarray  # of the next step, conjugate to those before
    r: np.ndarray  # the residual -(H p + g) that it was made of

    def leads_on(self, r: np.ndarray) -> bool:
        """Tell whether r is that residual, so that w has not been moved otherwise."""
        return float(np.linalg.norm(r - self.r)) <= SAME_RESIDUAL * float(np.linalg.norm(r))


class Truncated(InnerSolver):
    """Conjugate gradients; of a quadratic P, their product and direction are kept."""

    def __init__(self, P: Problem) -> None:
        self.is_quadratic = hess_lipschitz(P.loss) == 0
        self.product: Any = None  # as long as H is the same
        self.direction: Direction | None = None

    def undamped(self, P: Problem, model: Model) -> Model:
        """The model as these steps minimise it: of a quadratic P, P itself, which may be flat."""
        if not self.is_quadratic:
            return model
        return model._replace(ridge=P.zeros(P.d) + P.reg.l2s, accuracy=QUADRATIC_ACCURACY)

    def step(self, P: Problem, model: Model) -> Step:
        return self.descend(P, model, never).step

    def descend(self, P: Problem, model: Model, are_slow: Callable[[int, float, float], bool]) -> CGResult:
        """Go on until the model is minimised, or they `are_slow`, see `conjugate_gradients`."""
        model = self.undamped(P, model)
        if self.product is None or not self.is_quadratic:
            self.product = VectorProduct(P, model) if is_vector(P.loss) else Product(P, model)
        found = conjugate_gradients(self.product, model, self.direction, are_slow)
        self.product.spent = 0.0
        self.direction = found.direction if self.is_quadratic else None
        return found

    def warm(self, P: Problem) -> None:
        nothing, rows = np.empty(0), P.rows
        if is_vector(P.loss):
            s, scratch = P.zeros(P.d), P.zeros(1)[0]
            add_vector_curvature(rows, P.loss, P.zeros(0), P.loss_y[:0], s, scratch, scratch.copy(), s.copy())
            move_along(*[s.ravel()] * 3, 1.0, FLAT, s.ravel(), s.ravel())
            return
        s, none = np.zeros(P.d), np.empty(0, np.uint64)
        P.products.warm_curvature()
        add_squares(rows, none, nothing, s)
        move_along(s, s, s, 1.0, FLAT, s, s)


class Product:
    """H s."""

    flat = FLAT

    def __init__(self, P: Problem, model: Model) -> None:
        self.products, self.ridge, self.weights = P.products, model.ridge, model.h / P.n
        self.examples = examples_with(model.h)
        self.visits = float(P.row_profile.counts[self.examples].sum())
        self.spent = 0.0

    @cached_property
    def diagonal(self) -> np.ndarray:
        """Diagonal of H; 1 where it is 0."""
        out = self.ridge.copy()
        add_squares(self.products.X, self.examples, self.weights, out)
        out[out == 0] = 1.0
        self.spent += self.visits / 2
        return out

    def __call__(self, s: np.ndarray) -> np.ndarray:
        out = self.ridge * s
        self.products.add_curvature(self.examples, self.weights, s, out)
        self.spent += self.visits
        return out


class VectorProduct:
    """H s of a vector loss; no preconditioner."""

    flat = FLAT

    def __init__(self, P: Problem, model: Model) -> None:
        self.P, self.model = P, model
        self.scratch = P.zeros(2)
        self.diagonal = np.ones(model.g.shape)
        self.spent = 0.0

    def __call__(self, s: np.ndarray) -> np.ndarray:
        P, out = self.P, np.zeros(s.shape)
        add_vector_curvature(P.rows, P.loss, self.model.z, P.loss_y, s, *self.scratch, out)
        self.spent += P.nnz
        return out / P.n + self.model.ridge * s


class CGResult(NamedTuple):
    """Result of conjugate gradients."""

    step: Step
    direction: Direction
    is_minimum: bool  # of the model, to its accuracy


def never(products: int, left: float, wanted: float) -> bool:
    """Go on until the model is minimised."""
    return False


def conjugate_gradients(
    product: Any,
    model: Model,
    before: Direction | None = None,
    are_slow: Callable[[int, float, float], bool] = never,
) -> CGResult:
    """Preconditioned by product.diagonal, from p = 0; every iterate makes the model smaller.

    Parameters
    ----------
    product : callable
        s -> H s, with a diagonal and what was spent.
    model : Model
        Its gradient and accuracy.
    before : Direction, optional
        Where to go on.
    are_slow : callable, default never
        Asked, after so many products, with the shares of the squared residual that are left and wanted, whether to end.
    """
    p, r = np.zeros(model.g.shape), -model.g
    scales = (1 / product.diagonal).ravel()
    s = scales.reshape(r.shape) * r
    first = precise = float(np.vdot(r, s))
    if before is not None and before.leads_on(r):
        s = before.s
    wanted = model.accuracy**2
    for k in range(r.size):
        if precise <= wanted * first or are_slow(k, precise / first, wanted):
            break
        precise = move_along(s.ravel(), product(s).ravel(), scales, precise, product.flat, p.ravel(), r.ravel())
    return CGResult(Step(p, product.spent), Direction(s, r), precise <= wanted * first)
