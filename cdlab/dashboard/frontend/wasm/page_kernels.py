"""Kernels for what the page computes besides epochs, over the same structs, so that JavaScript repeats no formula."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....losses.per_example import curvatures
from ....numerics.jit import kernel, scalar
from ....numerics.matrix_lines import Lines
from ....problems.problem import Problem
from ....problems.products import transposed_into

MAX_QL_SWEEPS = 60  # for one eigenvalue; two or three are enough


# ------------------------------------------------------------ the regulariser
@kernel
def dual_point(reg: Any, v: np.ndarray, w: np.ndarray) -> None:
    """w = grad g*(v)."""
    for j in range(v.size):
        w[j] = reg.shrink_at(j, v[j]) / reg.l2


@kernel
def conjugate_of_regularizer(reg: Any, v: np.ndarray) -> float:
    """g*(v) = ||shrink(v)||^2/(2 l2)."""
    total = 0.0
    for j in range(v.size):
        total += reg.shrink_at(j, v[j]) ** 2
    return total / (2 * reg.l2)


@kernel
def regularizer_of(w: np.ndarray, l2: float, l1: float) -> float:
    """g(w); the structs have it for whole arrays only."""
    total = 0.0
    for j in range(w.size):
        total += 0.5 * l2 * w[j] ** 2 + l1 * abs(w[j])
    return total


@kernel
def prox_point(reg: Any, x: np.ndarray, step: float, out: np.ndarray) -> None:
    """prox_{step g}(x)."""
    for j in range(x.size):
        out[j] = reg.prox_at(x[j], step)


# ------------------------------------------------------------ the loss
@kernel
def mean_loss_of(loss: Any, z: np.ndarray, y: np.ndarray) -> float:
    """(1/n) sum_i phi(z_i)."""
    total = 0.0
    for i in range(y.size):
        total += loss.phi(z[i], y[i])
    return total / y.size


@kernel
def mean_conjugate_of(loss: Any, alpha: np.ndarray, y: np.ndarray) -> float:
    """(1/n) sum_i phi*(-alpha_i)."""
    total = 0.0
    for i in range(y.size):
        total += loss.phi_conj(alpha[i], y[i])
    return total / y.size


@kernel
def minus_slopes(loss: Any, z: np.ndarray, y: np.ndarray, alpha: np.ndarray) -> None:
    """alpha_i = -phi'(z_i), the dual point of w."""
    for i in range(y.size):
        alpha[i] = -loss.grad_phi(z[i], y[i])


# ------------------------------------------------------------ the matrix
@kernel
def eso_of_blocks(X: Lines, counts: np.ndarray, tau: int, out: np.ndarray) -> None:
    """ESO parameters of blocks of tau of the m lines of X, drawn uniformly: `counts` are the nonzeros across them.

    v_i = sum_j (1 + (w_j - 1)(tau - 1)/max(m - 1, 1)) X_ij^2, w_j = counts_j (Qu & Richtarik 2016).
    """
    b = (tau - 1) / max(out.size - 1, 1)
    for i in range(np.uint64(out.size)):
        total = 0.0
        for p in X.line(i):
            total += (1 + (counts[X.index(i, p)] - 1) * b) * X.value(i, p) ** 2
        out[i] = total


@scalar
def rotation(a: float, b: float) -> tuple[float, float, float]:
    """(c, s, r) with c a + s b = r and c b - s a = 0."""
    r = (a * a + b * b) ** 0.5
    return (a / r, b / r, r) if r > 0 else (1.0, 0.0, 0.0)


@kernel
def tridiagonal_eigenvalues(diagonal: np.ndarray, beside: np.ndarray, last: np.ndarray) -> None:
    """The eigenvalues of a symmetric tridiagonal matrix into `diagonal`, by the QL method with implicit shifts.

    `beside` (m,) holds what is beside the diagonal, then a 0; `last` begins as the last unit vector and ends as the
    last entries of the eigenvectors: by them and what follows `beside` Lanczos' method knows its residuals.
    """
    m = diagonal.size
    for k in range(m):
        for _ in range(MAX_QL_SWEEPS):
            end = k
            while end < m - 1 and abs(beside[end]) > 1e-17 * (abs(diagonal[end]) + abs(diagonal[end + 1])):
                end += 1
            if end == k:
                break
            half = (diagonal[k + 1] - diagonal[k]) / (2 * beside[k])
            root = (half * half + 1) ** 0.5
            shifted = diagonal[end] - diagonal[k] + beside[k] / (half + (root if half >= 0 else -root))
            c, s, moved = 1.0, 1.0, 0.0
            for i in range(end - 1, k - 1, -1):
                f, b = s * beside[i], c * beside[i]
                c, s, beside[i + 1] = rotation(shifted, f)
                corner = diagonal[i + 1] - moved
                r = (diagonal[i] - corner) * s + 2 * c * b
                moved = s * r
                diagonal[i + 1] = corner + moved
                shifted = c * r - b
                last[i + 1], last[i] = s * last[i] + c * last[i + 1], c * last[i] - s * last[i + 1]
            diagonal[k] -= moved
            beside[k], beside[end] = shifted, 0.0


@kernel
def curvature_matrix(X: Lines, weight: np.ndarray, base: np.ndarray, place: np.ndarray, out: np.ndarray) -> None:
    """diag(base) + sum_i weight_i x_i x_i' over the lines of X, of the coordinates that have a place."""
    out[:] = 0.0
    for j in range(place.size):
        if place[j] >= 0:
            out[place[j], place[j]] = base[j]
    for i in range(np.uint64(weight.size)):
        for p in X.line(i):
            a = place[X.index(i, p)]
            if a >= 0:
                x = weight[i] * X.value(i, p)
                for q in X.line(i):
                    b = place[X.index(i, q)]
                    if 0 <= b <= a:
                        out[a, b] += x * X.value(i, q)
    for a in range(out.shape[0]):
        for b in range(a):
            out[b, a] = out[a, b]


@kernel
def tridiagonal_columns(
    A: np.ndarray, first: int, end: int, diagonal: np.ndarray, beside: np.ndarray, v: np.ndarray, q: np.ndarray
) -> None:
    """Columns first to end - 1 of a symmetric matrix are made tridiagonal by Householder's reflections, in place.

    `diagonal` and `beside` (m,) receive them; v and q (m,) are room to work in.
    """
    m = diagonal.size
    for k in range(first, min(end, m)):
        diagonal[k], beside[k] = A[k, k], 0.0
        below = 0.0
        for i in range(k + 2, m):
            below += A[i, k] ** 2
        if k + 1 < m:
            beside[k] = A[k + 1, k]
        if below == 0:
            continue
        length = (below + A[k + 1, k] ** 2) ** 0.5
        beside[k] = -length if A[k + 1, k] >= 0 else length
        v[k + 1] = A[k + 1, k] - beside[k]
        for i in range(k + 2, m):
            v[i] = A[i, k]
        norm2 = below + v[k + 1] ** 2
        along = 0.0
        for i in range(k + 1, m):
            total = 0.0
            for j in range(k + 1, m):
                total += A[i, j] * v[j]
            q[i] = 2 * total / norm2
            along += q[i] * v[i]
        for i in range(k + 1, m):
            q[i] -= along / norm2 * v[i]
        for i in range(k + 1, m):
            for j in range(k + 1, m):
                A[i, j] -= v[i] * q[j] + q[i] * v[j]


def compile_for(problem: Problem) -> None:
    """Compile the kernels of this module for the problem's structs."""
    P, d, n = problem.by_rows, np.zeros(problem.d), np.zeros(problem.n)
    dual_point(P.reg, d, d.copy())
    conjugate_of_regularizer(P.reg, d)
    regularizer_of(d, 0.1, 0.1)
    prox_point(P.reg, d, 1.0, d.copy())
    mean_loss_of(P.loss, n, P.y)
    mean_conjugate_of(P.loss, n, P.y)
    minus_slopes(P.loss, n, P.y, n.copy())
    transposed_into(P.X, n, d.copy())
    eso_of_blocks(P.X, problem.column_profile.counts, 2, n.copy())
    tridiagonal_eigenvalues(np.ones(2), np.zeros(2), np.ones(2))
    place, m = np.zeros(problem.d, np.int64), np.ones(1)
    curvature_matrix(P.X, n, np.ones(problem.d), place, np.zeros((1, 1)))
    tridiagonal_columns(np.zeros((1, 1)), 0, 1, m, m.copy(), m.copy(), m.copy())
    if problem.loss.gamma > 0:
        curvatures(P.loss, n, P.y)
