"""Accelerated Prox-SDCA: P(w_t) - P* <= xi_t at the end of every stage (Shalev-Shwartz & Zhang 2014).

Stages end by a certified gap, so it holds in every run, not only in the mean. The problems are in the method's own
regime, kappa > 10 n, but for the last, where acceleration is forced.
"""

import numpy as np
from claims import claim
from problems import data

import cdlab
from cdlab.methods.accprox_sdca import AccProxSDCA

RUNS = 3


def bounded_by_xi(loss, l2, l1, prox_weight, stages, seeds):
    X, y = data(n=20, d=5, seed=3)
    P, method = cdlab.Problem(X, y, loss=loss, l2=l2, l1=l1), AccProxSDCA(prox_weight=prox_weight)
    kappa_a = P.R**2 / (P.loss.gamma * P.n) - l2 if prox_weight is None else prox_weight
    assert prox_weight is not None or P.kappa > 10 * P.n
    eta = (l2 / 2 / (l2 / 2 + kappa_a)) ** 0.5
    first = (1 + eta**-2) * P.gap(np.zeros(P.d), np.zeros(P.n))
    best = cdlab.solve(P, method, tol=1e-13, max_passes=50_000)
    lower = P.dual(best.alpha)  # of P*: what is measured can only be too large
    measured = []
    for seed in list(seeds)[:RUNS]:
        S = method.init(P, "uniform")
        orders = method.orders(P, cdlab.samplings.Uniform(), np.random.default_rng(seed))
        ended = 0
        while ended < stages:
            S = method.epoch(method.view(P), S, next(orders))
            if S.stage.solved:
                ended += 1
                measured.append(P.primal(method.points(P, S).w) - lower)
    t = np.arange(2, stages + 2)  # w_1 = 0
    return measured, np.tile((1 - eta / 2) ** (t - 1) * first, RUNS)


CASES = [("squared", 0.01, 0.0, None), ("logistic", 0.001, 0.0, None), ("smooth_hinge", 0.01, 0.02, None)]
for loss_, l2_, l1_, weight_ in [*CASES, ("squared", 0.3, 0.0, 0.3)]:
    claim(
        "accprox_sdca",
        f"Shalev-Shwartz & Zhang 2014, outer loop, {loss_}, l2 = {l2_}{', l1 > 0' if l1_ else ''}",
        kind="exact",
    )(
        lambda seeds, loss=loss_, l2=l2_, l1=l1_, weight=weight_: bounded_by_xi(
            loss, l2, l1, weight, 120 if weight is None else 40, seeds
        )
    )
