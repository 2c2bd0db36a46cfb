"""SDCA's step for vector losses (softmax): as in sdca.py, with alpha_i in R^K, w and v in R^(d x K).

Box         pick i;  alpha_i <- argmax of D over the i-th row of alpha;  keep v = X'alpha/n
Guarantee   sdca.py's, with gamma and L of the loss in the Euclidean norm of R^K: w -> w'x_i has the norm ||x_i||
Reference   Shalev-Shwartz & Zhang, Proximal stochastic dual coordinate ascent (2012), whose X_i is our x_i (x) I_K
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..numerics.jit import kernel
from ..problems.points import View


class VectorState(NamedTuple):
    """The state of sdca where alpha_i and x_i'w are K-vectors, with scratch for one example."""

    alpha: np.ndarray  # (n, K) dual variables
    v: np.ndarray  # (d, K) X'alpha/n
    q: np.ndarray  # (n,) ||x_i||^2/(l2 n), curvature of the dual along x_i
    u: np.ndarray  # (K,) scratch: w'x_i
    old: np.ndarray  # (K,) scratch: -alpha_i before the step
    new: np.ndarray  # (K,) scratch: -alpha_i after it


@kernel
def sdca_vector_epoch(P: View, S: VectorState, order: np.ndarray) -> None:
    """One exact step for each example of `order`, of alpha and v in place."""
    alpha, v, q, y, u, old, new, n = S.alpha, S.v, S.q, P.y, S.u, S.old, S.new, P.y.size
    K = u.size
    for m in range(order.size):
        i = P.X.pick(order, m, (q, y))
        for k in range(K):
            u[k], old[k] = 0.0, -alpha[i, k]
        for p in P.X.line(i):  # u = w'x_i, w = grad g*(v)
            j, x = P.X.index(i, p), P.X.value(i, p) / P.reg.l2
            for k in range(K):
                u[k] += x * P.reg.shrink(v[j, k])
        P.loss.dualprox_into(u, old, q[i], y[i], new)  # maximise the dual over row i
        for p in P.X.line(i):  # v += x_i (alpha_i' - alpha_i)'/n
            j, x = P.X.index(i, p), P.X.value(i, p) / n
            for k in range(K):
                v[j, k] += x * (old[k] - new[k])
        for k in range(K):
            alpha[i, k] = -new[k]
