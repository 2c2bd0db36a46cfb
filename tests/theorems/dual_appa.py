"""Dual APPA (Frostig, Ge, Kakade & Sidford 2015), on the problems of `appa`: a stage, and primal by dual errors."""

import numpy as np
from appa import PAPER, RUNS, Exact, relative, stages
from claims import claim
from problems import data

import cdlab
from cdlab.methods.dual_appa import DualAPPA


def dual_errors(E, S):
    """Delta = P(x) - P* and E = D_x* - D_x(alpha), where the stage ended and x is the center of the next."""
    Q, alpha = S.stage.problem, S.stage.state.alpha
    lam, x = Q.weight, Q.reg.grad_g_conj(Q.v(alpha))
    v = E.X.T @ alpha / E.n + lam * x
    conjugate = alpha**2 / 2 - E.y * alpha  # squared loss
    dual = -conjugate.mean() - v @ v / (2 * (E.l2 + lam)) + lam / 2 * x @ x
    return E.P(x) - E.best, E.smallest(lam, x) - dual


def potential(l2, ratio, seeds):
    """What one stage of certified Dual APPA leaves of Delta + a E, squared loss."""
    E = Exact("squared", l2, condition=50)
    lam = ratio * E.mu
    a, r = E.mu / (4 * lam), 1 - E.mu / (2 * (lam + E.mu))
    measured, promised = [], []
    for seed in list(seeds)[:RUNS]:
        before = E.P(np.zeros(E.d)) - E.best, E.smallest(lam, np.zeros(E.d))
        for S in stages(E, DualAPPA(prox_weight=lam, mu=E.mu, accuracy="theory"), seed, 12):
            after = dual_errors(E, S)
            measured.append(after[0] + a * after[1])
            promised.append(r * (before[0] + a * before[1]))
            before = after
    return measured, promised


def primal_by_dual_error(loss, l1):
    """f(x_hat(alpha)) - f* against B (D* - D(alpha)) at random alpha, inner optimum by Prox-SDCA to rounding."""
    X, y = data(n=20, d=5, seed=2)
    P, rng = cdlab.Problem(X, y, loss=loss, l2=0.01, l1=l1), np.random.default_rng(0)
    Q = cdlab.problems.proximal.ProximalProblem(P, 0.02, rng.standard_normal(5))
    s = cdlab.solve(Q, "sdca", tol=1e-13, max_passes=20_000)
    B = 1 + P.R**2 / (P.loss.gamma * Q.l2)
    measured, promised = [], []
    for _ in range(300):
        wide = 1 if loss == "squared" else min(0.5, rng.exponential(0.1))
        alpha = s.alpha + wide * rng.standard_normal(P.n) * (rng.random(P.n) < rng.random())
        alpha = alpha if loss == "squared" else y * np.clip(y * alpha, 0, 1)
        measured.append(Q.primal(Q.w(alpha)) - Q.primal(s.w))
        promised.append(B * (Q.primal(s.w) - Q.dual(alpha)))
    return measured, promised


for l2_ in (0.0, 0.01):
    for ratio_ in (1, 10):
        theorem = f"after {PAPER}, Dual APPA, a stage, l2 = {l2_}, lambda = {ratio_} mu"
        claim("dual_appa", theorem, kind="exact")(lambda seeds, l2=l2_, ratio=ratio_: potential(l2, ratio, seeds))
for name in ("squared", "logistic"):
    claim("dual_appa", f"after {PAPER}, relative gaps, {name}", kind="exact")(
        lambda seeds, loss=name: relative(loss, seeds, DualAPPA)
    )
    for l1_ in (0.0, 0.05):
        theorem = f"primal error of x_hat by its dual error, {name}, l1 = {l1_}"
        claim("dual_appa", theorem, kind="exact")(lambda seeds, loss=name, l1=l1_: primal_by_dual_error(loss, l1))
