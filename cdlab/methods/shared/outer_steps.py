"""The outer variables of proximal-point loops and their step; and stages of SDCA with the steps between them, compiled.

Outer variables are structs with an array `center` and three formulas: `move(w, z)`, the outer step from where a stage
ended, in place; `allowed_gap(square)`, the gap at which a stage is solved whose iterate is sqrt(square) from its
center; and `iterate()`, where the last stage ended. Their array `z` is X times that.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...numerics.jit import kernel, struct
from ...problems.certificates import PAIRWISE_LEVELS, sums_of_examples, sums_of_features
from ...problems.points import View
from ...problems.problem import Problem
from ...problems.products import predict_into, transposed_into
from ...regularizers import power_of_two_root
from ...samplings import Batches
from ..sdca import State, sdca_epoch

DIGITS = 4 * np.finfo(float).eps  # Share of the objective that a gap which is 0 may show.
DRIFT = 1e-11  # Share of the objective by which a maintained v may be off in D after many updates.


@kernel
def copy_into(x: np.ndarray, out: np.ndarray) -> None:
    """out = x, for kernels."""
    for i in range(x.size):
        out[i] = x[i]


@struct
class Center(NamedTuple):
    """x of APPA: a stage ends at the next one."""

    center: np.ndarray  # (d,) x
    z: np.ndarray  # (n,) X x
    share: float  # lambda/2, of ||x' - x||^2

    def move(self, w: np.ndarray, z: np.ndarray) -> None:
        """x <- x'."""
        copy_into(w, self.center)
        copy_into(z, self.z)

    def allowed_gap(self, square: float) -> float:
        """(lambda/2)||x' - x||^2, given the square."""
        return self.share * square

    def iterate(self) -> np.ndarray:
        """x."""
        return self.center


@struct
class WarmStart(NamedTuple):
    """A stage begins at the alpha that the last one ended at."""

    sweeps: int = 0  # over X

    def take(self, P: View, S: State, z: np.ndarray) -> None:
        """Nothing to do."""


@struct
class PrimalStart(NamedTuple):
    """A stage begins at alpha(x) = -phi'(X x), x where the last one ended."""

    sweeps: int = 1  # over X, for v

    def take(self, P: View, S: State, z: np.ndarray) -> None:
        """Alpha and v = X'alpha/n, given X x."""
        for i in range(z.size):
            S.alpha[i] = -P.loss.grad_phi(z[i], P.y[i])
        transposed_into(P.X, S.alpha, S.v)
        for j in range(S.v.size):
            S.v[j] /= z.size


@kernel
def _move(outer: Any, w: np.ndarray, z: np.ndarray) -> None:
    outer.move(w, z)


def copied(outer: Any) -> Any:
    """The same outer variables in arrays of their own."""
    return outer._make(x.copy() if isinstance(x, np.ndarray) else x for x in outer)


def after_step(outer: Any, w: np.ndarray, z: np.ndarray | None) -> Any:
    """The outer variables after the step from w, where a stage ended; those before it stay as they are.

    Of stages that are not tested X w need not be at hand: then nothing asks for `z`.
    """
    new = copied(outer)
    z = new.z if z is None else z
    _move(
        new._make(x.ravel() if isinstance(x, np.ndarray) else x for x in new), w.ravel(), z.ravel()
    )  # softmax: (d, K)
    return new


@struct
class Tests(NamedTuple):
    """Times at which the gap of a stage is tested: tests must not cost what they save."""

    first_share: float  # of the epochs that the last stage took

    def first_test(self, epochs: int) -> int:
        """The epochs after which a stage is first tested, given those of the one before it."""
        return max(1, int(self.first_share * epochs))

    def next_test(self, epochs: int) -> int:
        """The epochs after which it is tested again."""
        return epochs + 1 + epochs // 4


TESTS = Tests(0.75)


class Progress(NamedTuple):
    """Progress of a stage."""

    epochs: int  # since it began
    due: int  # the epochs after which its gap is tested next
    solved: bool  # the next epoch begins with the outer step
    sweeps: int  # over X, by all gap tests


class Tested(NamedTuple):
    """SDCA's w at the last gap test, and what else a test is made of."""

    w: np.ndarray  # (d,) grad g*(v)
    z: np.ndarray  # (n,) X w
    v: np.ndarray  # (d,) scratch
    row_norms: np.ndarray  # (n,)
    scratch: np.ndarray
    weight: float  # lambda
    root: float  # a power of two near the root of l2 + lambda
    l1: float

    @classmethod
    def none(cls, problem: Problem, weight: float, l2: float) -> Tested:
        """Before any test of an inner problem with this l2."""
        n, d = problem.n, problem.d
        scratch = np.empty(PAIRWISE_LEVELS + max(n, d))
        w, z, v, root = np.empty(d), np.empty(n), np.empty(d), power_of_two_root(l2)
        return cls(w, z, v, problem.row_norms, scratch, weight, root, problem.l1)


@kernel
def sdca_stages(P: View, S: State, outer: Any, start: Any, at: Tested, orders: Batches, stage: Progress) -> Progress:
    """An epoch of SDCA for each block of `orders`, of S in place, with the gap tests and outer steps that are due."""
    v, center, weight = S.v, outer.center, at.weight
    epochs, due, solved, sweeps = stage
    for b in range(orders.starts.size - 1):
        if solved:
            for j in range(v.size):
                v[j] -= weight * center[j]
            outer.move(at.w, at.z)
            start.take(P, S, at.z)
            for j in range(v.size):
                v[j] += weight * center[j]
            epochs, due, solved, sweeps = 0, TESTS.first_test(epochs), False, sweeps + start.sweeps
        sdca_epoch(P, S, orders.indices[orders.starts[b] : orders.starts[b + 1]])
        epochs += 1
        if epochs >= due:
            solved, swept = is_solved(P, S, outer, at)
            due, sweeps = TESTS.next_test(epochs), sweeps + swept
    return Progress(epochs, due, solved, sweeps)


@kernel
def is_solved(P: View, S: State, outer: Any, at: Tested) -> tuple[bool, int]:
    """Tell whether the gap of P(w) + (lambda/2)||w - center||^2 is small enough, and the sweeps over X that it took.

    Where the rounding of a maintained v would matter it is computed afresh, and the next stage begins with that.
    """
    alpha, v, center, weight, n, sweeps = S.alpha, S.v, outer.center, at.weight, P.y.size, 1
    of_center, of_w, square = 0.0, 0.0, 0.0
    for j in range(center.size):
        at.w[j] = P.reg.shrink_at(j, v[j]) / P.reg.l2
        of_center += center[j] ** 2
        of_w += at.w[j] * center[j]
        square += (at.w[j] - center[j]) ** 2
    of_center *= 0.5 * weight
    predict_into(P.X, at.w, at.z)
    losses, conjugates, _ = sums_of_examples(P.loss, P.y, alpha, at.z, at.row_norms, at.scratch)
    squares, shrunk, sizes, _ = sums_of_features(P.reg, at.w, v, at.root, at.l1, at.scratch)
    scale = P.reg.l2 / at.root / at.root
    primal = losses / n + (0.5 * scale * squares + at.l1 * sizes) + (of_center - weight * of_w)
    dual = -conjugates / n - shrunk / (2 * scale) + of_center
    size = abs(primal) + abs(dual) + 2 * of_center
    if primal - dual <= DRIFT * size:
        transposed_into(P.X, alpha, at.v)
        for j in range(center.size):
            at.v[j] = at.v[j] / n + weight * center[j]
        shrunk, sweeps = sums_of_features(P.reg, at.w, at.v, at.root, at.l1, at.scratch)[1], 2
        dual = -conjugates / n - shrunk / (2 * scale) + of_center
        size = abs(primal) + abs(dual) + 2 * of_center
    solved = primal - dual <= max(outer.allowed_gap(square), DIGITS * size)
    if solved and sweeps == 2:
        for j in range(v.size):
            v[j] = at.v[j]
    return solved, sweeps
