"""Truncated conjugate gradients on H p = -g, preconditioned by H's diagonal; for many examples and features.

A product H s reads each row with curvature once, dots and adds: of a hinge, the rows on its bend. They end at
||H p + g|| <= accuracy ||g|| in the norm of the preconditioner, or where rounding does.

Cost        half a pass for the diagonal, a pass for each product, both over the examples with curvature
Reference   Dembo & Steihaug, Truncated-Newton algorithms for large-scale unconstrained optimization (1983)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...losses import is_vector
from ...numerics.jit import kernel
from ...numerics.matrix_lines import Lines
from ...problems.problem import Problem
from ...regularizers import L2
from .model import PLAIN, Inner, Model, Step, examples_with


@kernel
def add_curvature(
    X: Lines, examples: np.ndarray, weights: np.ndarray, s: np.ndarray, plain: L2, out: np.ndarray
) -> None:
    """`out` (d,) += sum of weights_i (x_i's) x_i over these examples."""
    for e in range(examples.size):
        i = examples[e]
        X.add(i, weights[i] * X.dot(i, s, plain), out)


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


class Truncated(Inner):
    """Conjugate gradients; nothing is kept."""

    def __init__(self, P: Problem) -> None:
        pass

    def step(self, P: Problem, model: Model) -> Step:
        product = VectorProduct(P, model) if is_vector(P.loss) else Product(P, model)
        return conjugate_gradients(product, model)

    def warm(self, P: Problem) -> None:
        nothing, rows = np.empty(0), P.by_rows.X
        if is_vector(P.loss):
            s, scratch = P.zeros(P.d), P.zeros(1)[0]
            add_vector_curvature(rows, P.loss, P.zeros(0), P.loss_y[:0], s, scratch, scratch.copy(), s.copy())
            return
        s, none = np.zeros(P.d), np.empty(0, np.uint64)
        add_curvature(rows, none, nothing, s, PLAIN, s.copy())
        add_squares(rows, none, nothing, s)


class Product:
    """H s, and the diagonal of H."""

    def __init__(self, P: Problem, model: Model) -> None:
        self.rows, self.ridge, self.weights = P.by_rows.X, model.ridge, model.h / P.n
        self.examples = examples_with(model.h)
        self.visits = float(P.row_profile.counts[self.examples].sum())
        self.diagonal = np.zeros(P.d)
        add_squares(self.rows, self.examples, self.weights, self.diagonal)
        self.diagonal += self.ridge
        self.spent = self.visits / 2

    def __call__(self, s: np.ndarray) -> np.ndarray:
        out = np.zeros(s.shape)
        add_curvature(self.rows, self.examples, self.weights, s, PLAIN, out)
        self.spent += self.visits
        return out + self.ridge * s


class VectorProduct:
    """H s of a vector loss; no preconditioner."""

    def __init__(self, P: Problem, model: Model) -> None:
        self.P, self.model = P, model
        self.scratch = P.zeros(2)
        self.diagonal = 1.0
        self.spent = 0.0

    def __call__(self, s: np.ndarray) -> np.ndarray:
        P, out = self.P, np.zeros(s.shape)
        add_vector_curvature(P.by_rows.X, P.loss, self.model.z, P.loss_y, s, *self.scratch, out)
        self.spent += P.nnz
        return out / P.n + self.model.ridge * s


def conjugate_gradients(product: Any, model: Model) -> Step:
    """Preconditioned by product.diagonal, from p = 0; every iterate makes the model smaller."""
    p, r = np.zeros(model.g.shape), -model.g
    precise = np.vdot(r, r / product.diagonal)
    s, enough = r / product.diagonal, model.accuracy**2 * precise
    for _ in range(r.size):
        if precise <= enough:
            break
        Hs = product(s)
        curvature = np.vdot(s, Hs)
        if not curvature > 0:  # rounding, or nothing left
            break
        a = precise / curvature
        p += a * s
        r -= a * Hs
        scaled = r / product.diagonal
        before, precise = precise, np.vdot(r, scaled)
        s = scaled + (precise / before) * s
    return Step(p, product.spent)
