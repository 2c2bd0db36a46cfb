"""The theorems about stochastic subgradient and gradient methods, and problems whose optimum is known."""

from functools import cache

import numpy as np
from problems import problem

import cdlab

SEEDS = range(30)
NUMBERS = {
    "n": 50, "nnz": 300, "l2": 0.01, "l1": 0.0, "gamma": 4.0, "L": 1.0, "R": 2.0, "P0": 0.5, "w2": 2.0, "g2": 0.3,
    "P_zero": 0.69, "eps": 1e-4,
}  # fmt: skip


@cache
def setting(loss, weight, l1, n=16, d=4):
    """A problem, w* and P*, and the true constants of the start."""
    P = problem(loss, l2=weight, l1=l1, n=n, d=d, seed=3, density=1.0)
    method, smooth = ("sdca", "agd")[weight == 0], P.loss.gamma > 0
    best = cdlab.solve(
        P,
        method,
        tol=1e-12 if smooth else 1e-8,
        max_passes=None,
        max_seconds=20,
        every=50,
    )
    assert best.status == "tolerance reached"
    star, w = P.primal(best.w), best.w
    each = P.X * -P.alpha(w)[:, None] + P.l2 * w
    return (
        P,
        w,
        star,
        {
            "P0": P.primal(np.zeros(P.d)) - star,
            "w2": w @ w,
            "g2": (each**2).sum(1).mean(),
        },
    )
