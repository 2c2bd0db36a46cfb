"""Scan of all features: the certificate at a point, and the features that the working set lacks.

With alpha = -phi'(z) the features with |X_:j'alpha|/n <= l1 are certainly in order. Most need not be read to know
that: since alpha_0, for which v_j was computed, alpha has moved by T - T_0 >= ||alpha - alpha_0||, so that

    |X_:j'alpha|/n <= |v_j| + (T - T_0) ||X_:j||/n,

and a feature is read only where this exceeds l1. D(alpha) is exact all the same: it depends on the unread features only
through their being below l1.
"""

from __future__ import annotations

from math import inf, sqrt

import numpy as np

from ..losses import logistic_arrays
from ..numerics.jit import kernel, scalar
from ..numerics.matrices import added, join_parts
from ..numerics.matrix_lines import Lines
from ..problems.rounding import EPS
from ..regularizers import L2
from .state import (
    ALPHA_LENGTH,
    CONJUGATE,
    DUAL,
    ENTERING,
    LOSS,
    NORM2,
    PRIMAL,
    SHARE,
    SIZE,
    VISITS,
    Data,
    State,
)

MARGIN = 1 + 1e-9  # Factor that covers the rounding of the bound itself.
INTERCEPT_STEPS = 5  # Newton steps before a scan, at most; from the last point one to three are enough.


@scalar
def set_slopes(data: Data, S: State) -> tuple[float, float]:
    """Set minus_gradients = -phi'(z); return the sums of its positive and of its negative part."""
    up, down = 0.0, 0.0
    for i in range(S.z.size):
        a = -data.loss.grad_phi(S.z[i], data.y[i])
        S.minus_gradients[i] = a
        up += max(a, 0.0)
        down += max(-a, 0.0)
    return up, down


@scalar
def settle_intercept(data: Data, S: State) -> tuple[float, float]:
    """Move b by Newton's method until the slopes sum up to 0; return the sums of their two parts."""
    up, down = set_slopes(data, S)
    b = data.free
    for _ in range(INTERCEPT_STEPS):
        excess = up - down
        if not abs(excess) > EPS * (up + down):
            break
        curvature = 0.0
        for i in range(S.z.size):
            curvature += data.loss.hess_phi(S.z[i], data.y[i])
        step = excess / curvature
        if not abs(step) < inf:
            break
        for i in range(S.z.size):
            S.z[i] += step
        up, down = set_slopes(data, S)
        if not abs(up - down) < abs(excess):  # beyond a bend of phi'
            for i in range(S.z.size):
                S.z[i] -= step
            up, down = set_slopes(data, S)
            break
        S.w[b] += step
    return up, down


@scalar
def set_products(columns: Lines, features: np.ndarray, S: State) -> None:
    """Set z = X w for a w that is 0 outside of these features."""
    S.z[:] = 0.0
    columns.add_lines(features, S.w, S.z, S.room)
    join_parts(S.z, S.room)


@kernel
def set_point(data: Data, S: State, features: np.ndarray) -> None:
    """Set z at w, the intercept to its best value, and the sums of w."""
    N = S.numbers
    set_products(data.columns, features, S)
    if data.free < S.w.size:
        settle_intercept(data, S)
    size, norm2, visits = 0.0, 0.0, 0.0
    for k in range(features.size):
        j = features[k]
        if S.w[j] != 0.0:
            visits += len(data.columns.line(j))
            if j != data.free:
                size += abs(S.w[j])
                norm2 += S.w[j] ** 2
    N[SIZE], N[NORM2] = size, norm2
    N[VISITS] += visits / 2


@kernel
def set_losses(data: Data, S: State) -> None:
    """Set minus_gradients and the mean loss."""
    total, lost = 0.0, 0.0
    for i in range(S.z.size):
        S.minus_gradients[i] = -data.loss.grad_phi(S.z[i], data.y[i])
        total, lost = added(total, lost, data.loss.phi(S.z[i], data.y[i]))
    S.numbers[LOSS] = (total + lost) / S.z.size


@kernel
def evaluate(data: Data, S: State, features: np.ndarray, l2: float, l1: float) -> None:
    """Set z, minus_gradients and P(w) at w; an intercept is moved to its best value."""
    N = S.numbers
    set_point(data, S, features)
    set_losses(data, S)
    N[PRIMAL] = N[LOSS] + 0.5 * l2 * N[NORM2] + l1 * N[SIZE]


def evaluate_logistic(data: Data, S: State, features: np.ndarray, l2: float, l1: float) -> None:
    """Do the same as `evaluate` for many examples of the logistic loss."""
    N = S.numbers
    set_point(data, S, features)
    logistic_arrays.evaluate(S.z, data.y, losses=S.terms, slopes=S.minus_gradients)
    np.negative(S.minus_gradients, out=S.minus_gradients)
    N[LOSS] = np.add.reduce(S.terms) / S.z.size
    N[PRIMAL] = N[LOSS] + 0.5 * l2 * N[NORM2] + l1 * N[SIZE]


@kernel
def survey(data: Data, S: State, l2: float, l1: float, wanted: float) -> bool:
    """Set alpha, v and `entering` at the point that was evaluated last; return whether the gap may be at most `wanted`.

    The losses' conjugates are not needed for that: phi*(-a) >= -a z - phi(z).
    """
    n, d, N = S.z.size, np.uint64(S.w.size), S.numbers
    up, down = 1.0, 1.0  # shares of the positive and of the negative part
    excess = 0.0
    if data.free < S.w.size:
        up, down = 0.0, 0.0
        for i in range(n):
            up += max(S.minus_gradients[i], 0.0)
            down += max(-S.minus_gradients[i], 0.0)
        excess = (up - down) / n
        up, down = (min(1.0, down / up), min(1.0, up / down)) if up > 0 and down > 0 else (0.0, 0.0)
    moved, along = 0.0, 0.0
    for i in range(n):
        a = S.minus_gradients[i] * (up if S.minus_gradients[i] > 0 else down)
        moved += (a - S.alpha[i]) ** 2
        along += a * S.z[i]
        S.alpha[i] = a
    alpha_length = N[ALPHA_LENGTH] + sqrt(moved)
    N[ALPHA_LENGTH] = alpha_length

    largest, conjugate, entering, visits = 0.0, 0.0, 0, 0.0
    for j in range(d):
        if j == np.uint64(data.free):
            S.v[j] = excess
            continue
        since = alpha_length - S.alpha_length_at_v[j]
        if S.position_in_set[j] < 0 and not abs(S.v[j]) + since * (data.norms[j] / n) * MARGIN > l1:
            continue
        if S.alpha_length_at_v[j] != alpha_length:
            S.v[j] = data.columns.dot_in_blocks(j, S.alpha) / n
            S.alpha_length_at_v[j] = alpha_length
            visits += len(data.columns.line(j))
        size = abs(S.v[j])
        largest = max(largest, size)
        if size > l1:
            conjugate += (size - l1) ** 2
            if S.position_in_set[j] < 0:
                S.entering[entering] = j
                entering += 1
    N[ENTERING] = entering
    N[VISITS] += visits / 2
    conjugate = conjugate / (2 * l2) if l2 > 0 else 0.0

    share, feasible = 1.0, l1 / max(largest, l1)
    if l2 == 0 or (1 - feasible) * along / n < conjugate:  # with a small l2 scaling alpha costs less
        share, conjugate = feasible, 0.0
    least = N[PRIMAL] - N[LOSS] - share * along / n + conjugate  # the gap is at least this
    if least > wanted:
        N[DUAL] = N[PRIMAL] - least
        return False
    N[SHARE], N[CONJUGATE] = share, conjugate
    return True


@kernel
def sum_conjugates(data: Data, S: State) -> float:
    """Sum phi*(-share alpha_i) over all examples."""
    share, conj, lost = S.numbers[SHARE], 0.0, 0.0
    for i in range(S.z.size):
        conj, lost = added(conj, lost, data.loss.phi_conj(share * S.alpha[i], data.y[i]))
    return conj + lost


@kernel
def scan_features(data: Data, S: State, l2: float, l1: float, wanted: float) -> bool:
    """Set alpha, v, D(alpha) and `entering` at the point that was evaluated last; return whether D(alpha) is exact.

    It is not exact where the gap exceeds `wanted` for certain without the losses' conjugates.
    """
    if not survey(data, S, l2, l1, wanted):
        return False
    S.numbers[DUAL] = -sum_conjugates(data, S) / S.z.size - S.numbers[CONJUGATE]
    return True


def scan_features_logistic(data: Data, S: State, l2: float, l1: float, wanted: float) -> bool:
    """Do the same as `scan_features` for many examples of the logistic loss."""
    if not survey(data, S, l2, l1, wanted):
        return False
    logistic_arrays.conjugates(S.numbers[SHARE] * S.alpha, data.y, S.terms)
    S.numbers[DUAL] = -np.add.reduce(S.terms) / S.z.size - S.numbers[CONJUGATE]
    return True


@kernel
def expected_features(S: State, norms: np.ndarray, least: float, out: np.ndarray) -> int:
    """Write the features outside of the working set with |v_j| >= `least` into `out`; return their number."""
    count = 0
    for j in range(S.w.size):
        if S.position_in_set[j] < 0 and abs(S.v[j]) >= least and norms[j] > 0:
            out[count] = j
            count += 1
    return count


@kernel
def set_model_slopes(
    data: Data, S: State, features: np.ndarray, x: np.ndarray, l2: float, is_scanned: bool, plain: L2, s: np.ndarray
) -> None:
    """Set s_k = -X_:j'minus_gradients/n + l2 x_k, where j is the k-th of the features.

    `is_scanned` tells that the last scan was at this point: it has computed the products of most features.
    """
    visits, alpha_length = 0.0, S.numbers[ALPHA_LENGTH]
    is_known = is_scanned and data.free == S.w.size  # with an intercept alpha differs from minus_gradients
    for k in range(features.size):
        j = features[k]
        if is_known and S.alpha_length_at_v[j] == alpha_length:
            s[k] = l2 * x[k] - S.v[j]
        else:
            s[k] = (0.0 if j == data.free else l2 * x[k]) - data.columns.dot(j, S.minus_gradients, plain) / S.z.size
            visits += len(data.columns.line(j))
    S.numbers[VISITS] += visits / 2
