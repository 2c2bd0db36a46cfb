"""SDCA with averaged iterates: what the guarantee for losses that are not smooth is about.

Box         as in sdca.py; answer: the averages over the steps after T0 of w and of alpha, as they were before each
Guarantee   L-Lipschitz losses, uniform i, G = 4 L^2 R^2, t0 = max(0, n ln(2 l2 n (D* - D_0)/G)), T - T0 >= n, T0 >= t0:
            E[P(w) - D(alpha)] <= 2 G/(l2 (2n + T0 - t0)) + G/(2 l2 (T - T0)), also with l1 > 0
Reference   Shalev-Shwartz & Zhang 2013, Theorem 1
Notation    w = shrink(v)/l2. A sum over steps 1..t of what x was before them is t x less the sum of s times the change
            of x in step s: only what x_i touches moves, and averaging is exact at O(nnz(x_i)) a step
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..numerics.jit import kernel
from ..problems.points import View
from ..regularizers import Regularizer
from .shared.averaging import Window, is_due, moved


class AveragedState(NamedTuple):
    """The state of sdca with weighted sums of changes, from which averages are computed exactly."""

    alpha: np.ndarray  # (n,) dual variables
    v: np.ndarray  # (d,) X'alpha/n
    q: np.ndarray  # (n,) ||x_i||^2/(l2 n), curvature of the dual along e_i
    a: np.ndarray  # (n,) sum over steps s of s times the change of alpha
    e: np.ndarray  # (d,) sum over steps s of s times the change of shrink(v)
    t: int  # steps done
    window: Window  # which of them count, for shrink(v) and alpha one after the other: (d + n,)


@kernel
def sdca_averaged_epoch(P: View, S: AveragedState, order: np.ndarray) -> int:
    """One exact step for each example of `order`, with weighted sums of the changes. Returns t."""
    alpha, v, q, a, e, y, n, t = S.alpha, S.v, S.q, S.a, S.e, P.y, P.y.size, S.t
    for k in range(order.size):
        i = P.X.pick(order, k, (alpha, q, y))
        t += 1
        u = P.X.dot(i, v, P.reg) / P.reg.l2  # u = x_i'w, w = grad g*(v)
        new = -P.loss.dualprox(u, -alpha[i], q[i], y[i])  # maximise the dual along e_i
        if new != alpha[i]:
            P.X.add_shrunk(i, -t, v, P.reg, e)  # e += t (the change of shrink(v))
            P.X.add(i, (new - alpha[i]) / n, v)  # v += (alpha_i' - alpha_i) x_i/n
            P.X.add_shrunk(i, t, v, P.reg, e)
            a[i] += t * (new - alpha[i])
            alpha[i] = new
    return t


def totals(reg: Regularizer, S: AveragedState) -> np.ndarray:
    """The sums over all steps of shrink(v) and alpha before them, one after the other."""
    return np.concatenate([S.t * reg.l2 * reg.grad_g_conj(S.v) - S.e, S.t * S.alpha - S.a])


def later(reg: Regularizer, S: AveragedState) -> AveragedState:
    """The state with its window moved on, if that is due."""
    return S._replace(window=moved(S.window, S.t, totals(reg, S))) if is_due(S.window, S.t) else S


def averages(reg: Regularizer, S: AveragedState) -> tuple[np.ndarray, np.ndarray]:
    """The averages of w and alpha; the start as long as there is no step."""
    if S.t == 0:
        return reg.grad_g_conj(S.v), S.alpha
    mean = S.window.mean(S.t, totals(reg, S))
    return mean[: S.v.size] / reg.l2, mean[S.v.size :]
