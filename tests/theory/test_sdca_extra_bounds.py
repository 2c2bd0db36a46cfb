"""Single steps of SDCA, adaptive ones too, and what surrounds its theorems."""

from itertools import islice

import numpy as np
import pytest
import sympy as sp
from formulas import equal, pick
from problems import optimum, problem
from scipy.optimize import brentq

import cdlab
from cdlab.methods import SDCA, AddedL2, Points
from cdlab.theory import symbols as S
from cdlab.theory.derivations import counts

SEEDS = range(30)
SIZES = {"n": 20, "d": 6, "seed": 2, "density": 1.0}


@pytest.mark.parametrize("l2", [0.05, 0.5])
def test_adaptive_probabilities_gain_at_least_importance_samplings_share_of_the_gap(l2):
    P, rng = problem("squared", l2=l2, **SIZES), np.random.default_rng(0)
    promised = pick("adasdca", "one step").for_problem(P)
    s, norms2 = (P.X**2).sum(1) + P.l2 * P.n, (P.X**2).sum(1)
    for alpha in rng.standard_normal((20, P.n)) * 10.0 ** rng.integers(-3, 2, (20, 1)):
        w = P.w(alpha)
        r = alpha + P.X @ w - P.y
        p = np.abs(r) * np.sqrt(s) / (np.abs(r) * np.sqrt(s)).sum()
        theta_1 = P.l2 * P.n * (r**2).sum() / (r**2 * s / p).sum()
        step = -r / (1 + norms2 / (P.l2 * P.n))  # exact maximisation along each coordinate
        gains = [P.dual(alpha + step[i] * np.eye(P.n)[i]) - P.dual(alpha) for i in range(P.n)]
        assert theta_1 >= promised * (1 - 1e-12)
        assert p @ gains >= theta_1 * P.gap(w, alpha) * (1 - 1e-9)


def test_for_other_losses_theta_1_alone_is_too_much():
    """A residual near 0 with most of the gap: its example is hardly ever drawn. So no rate of a run follows."""
    X = np.array([[0.01, 0.0], [0.0, 40.0], [0.0, 8.0]])
    P = cdlab.Problem(X, np.ones(3), loss="logistic", l2=1 / 3)
    solved = brentq(lambda a: a - 1 / (1 + np.exp(8 * (40 * 1e-4 + 8 * a))), 0, 1)  # the third example's residual is 0
    alpha = np.array([0.51, 1e-4, solved])
    w = P.w(alpha)
    r = alpha - P.alpha(w)
    s = (X**2).sum(1) + P.l2 * P.n * P.loss.gamma
    p = np.abs(r) * np.sqrt(s) / (np.abs(r) * np.sqrt(s)).sum()
    theta_1 = P.l2 * P.n * P.loss.gamma * (r**2).sum() / (np.abs(r) * np.sqrt(s)).sum() ** 2
    gains = np.array([P.dual(after_step(P, alpha, i)) for i in range(P.n)]) - P.dual(alpha)
    assert p @ gains < 0.7 * theta_1 * P.gap(w, alpha)
    assert p @ gains >= min(theta_1, p[p > 0].min()) * P.gap(w, alpha)


def after_step(P, alpha, i):
    """alpha after SDCA's exact step along i."""
    state = SDCA().init(P, "uniform", Points(None, alpha))
    return SDCA().epoch(P.by_rows, state, np.array([i], np.uint64)).alpha


# ------------------------------------------------------------ around SDCA
def test_the_main_lemma_at_its_best_s():
    G, l2, n = 2.0, 0.1, 7
    for gap in (0.3, 20.0):
        q = np.linspace(0, 1 / n, 100_001)
        best = (q * gap - q**2 * G / (2 * l2)).max()
        L = np.sqrt(G / 4)  # G = 4 L^2 R^2
        found = pick("sdca", "main lemma, lipschitz").at(gap0=gap, L=L, R=1.0, l2=l2, n=n)
        assert found == pytest.approx(best, rel=1e-8)
    smooth = pick("sdca", "main lemma").expr
    s = S.n * smooth  # then (1 - s) l2 n gamma/s = R^2, and no term of G is positive
    assert equal(S.gamma * (1 - s) * S.l2 * S.n / s, S.R**2)


@pytest.mark.parametrize(("loss", "theorem"), [("logistic", "main lemma"), ("hinge", "main lemma, lipschitz")])
def test_one_step_gains_what_the_main_lemma_says(loss, theorem):
    P, rng = problem(loss, l2=0.05, **SIZES), np.random.default_rng(0)
    alpha = np.zeros(P.n)
    for _ in range(12):
        gap, before = P.gap(P.w(alpha), alpha), P.dual(alpha)
        gains = [P.dual(after_step(P, alpha, i)) - before for i in range(P.n)]
        promised = pick("sdca", theorem).for_problem(P, gap0=gap) * (gap if theorem == "main lemma" else 1)
        assert np.mean(gains) >= promised * (1 - 1e-9)
        for i in rng.integers(P.n, size=5):
            alpha = after_step(P, alpha, i)


def test_an_iterate_drawn_from_the_last_C_needs_less_than_the_last_iterate():
    C, D0, eps = 50.0, 0.7, 1e-4
    N = np.linspace(1, 1000, 100_000)
    values = {"n": 20, "R": 1.0, "gamma": 1.0, "l2": 1 / 30, "D0": D0, "eps": eps}
    count = pick("sdca", "drawn iterate").at(**values)
    assert count == pytest.approx((N + C * np.log(C * D0 / (N * eps))).min(), rel=1e-6)
    assert count < C * np.log(C * D0 / eps)


def test_the_gap_of_a_drawn_iterate_is_eps_on_average():
    P = problem("logistic", l2=0.5, n=8, d=4, seed=2)
    D_star = P.dual(cdlab.solve(P, "sdca", tol=1e-13, max_passes=2000).alpha)
    known = {"D0": D_star - P.dual(np.zeros(P.n))}
    b, eps = pick("sdca", "drawn iterate"), 1e-3
    T, unit = b.for_problem(P, eps, **known), P.constants()["gap0"]
    C = counts.coordinate_descent(counts.DUAL, "uniform").K.subs({S.n: P.n, S.R: P.R, S.gamma: 4, S.l2: P.l2})
    window, gaps, view = int(np.ceil(C)), [], P.by_rows
    for seed in SEEDS:
        state = SDCA().init(P, "uniform")
        order = np.random.default_rng(seed).integers(P.n, size=int(np.ceil(T)), dtype=np.uint64)
        state = SDCA().epoch(view, state, order[:-window])
        for i in order[-window:]:
            gaps.append(P.gap(P.w(state.alpha), state.alpha))
            state = SDCA().epoch(view, state, np.array([i], np.uint64))
    assert np.mean(gaps) <= eps * unit


def test_added_l2_reaches_eps_in_the_count():
    l1, eps = 0.1, 0.5
    P, best = problem("logistic", l2=0.0, l1=l1, **SIZES), optimum("logistic", 0.0, l1, **SIZES)
    at_zero = P.primal(np.zeros(P.d))
    count = pick("sdca", "added l2").per("passes")
    passes = count.for_problem(P, eps)
    absolute = eps * P.constants()["gap0"]
    weight = pick("sdca", "added l2, weight").at(eps=absolute, l1=l1, P_zero=at_zero)
    assert weight == pytest.approx(absolute * (l1 / at_zero) ** 2)
    w = cdlab.solve(P, "fista", tol=1e-6, max_passes=5000).w
    assert weight / 2 * (w @ w) <= absolute / 2
    ends = []
    for seed in range(5):
        run = cdlab.iterate(P, AddedL2(SDCA(), weight), seed=seed, every=int(np.ceil(passes)))
        ends.append(next(islice(run, 1, None)).primal - best)
    assert np.mean(ends) <= absolute
    with pytest.raises(ValueError, match="l2 = 0"):
        count.for_problem(problem("logistic", l2=0.1, l1=l1))


def test_a_good_dual_point_can_be_a_bad_primal_one():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((12, 4))
    w_0 = rng.standard_normal(4)
    y = np.sign(X @ w_0)
    w_0 /= np.abs(X @ w_0).min()  # margins of at least 1
    for eps in (0.3, 0.01):
        P = cdlab.Problem(X, y, loss="hinge", l2=2 * eps / (w_0 @ w_0))
        s = cdlab.solve(P, "sdca", tol=1e-6, max_passes=5000)
        alpha = np.zeros(P.n)
        assert P.primal(s.w) - P.dual(alpha) <= eps * (1 + 1e-9) + s.gap  # D* - D(0), D* <= P(w)
        assert P.primal(P.w(alpha)) - P.primal(s.w) >= pick("sdca", "good dual, bad primal").at(eps=eps) - s.gap


def test_almost_smooth_lies_between_smooth_and_lipschitz():
    b = pick("sdca", "almost smooth")
    assert b.kind == "asymptotic"
    assert equal(sp.limit(b.count, S.nu, 0), S.n + S.L**2 * S.R**2 / (S.l2 * S.eps))
    assert equal(sp.limit(b.count, S.nu, sp.oo), S.n + S.L * S.R**2 / S.l2)
    P = problem("hinge", l2=0.1)
    assert b.for_problem(P, nu=1.0) < b.for_problem(P, nu=0.5)
    with pytest.raises(ValueError, match="no curve"):
        b.curve(P, [0.0, 1.0], nu=1.0)
