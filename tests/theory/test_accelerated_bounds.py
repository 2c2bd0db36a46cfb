"""APCG and accelerated Prox-SDCA: rates and constants re-derived, and runs below what is promised."""

from functools import cache
from itertools import islice

import numpy as np
import pytest
import sympy as sp
from formulas import equal
from hypothesis import given
from hypothesis import strategies as st
from problems import data, problem

import cdlab
from cdlab.methods.accprox_sdca import AccProxSDCA
from cdlab.methods.apcg import APCG
from cdlab.theory import symbols as S
from cdlab.theory.theorems import accprox, apcg, sdca

SEEDS = range(30)
DUAL, GAP, STEP = (b for b in apcg.BOUNDS if b.sampling == "uniform")
STEP_LEMMA, GAP_LEMMA = apcg.BOUNDS[-2:]
STAGES, TOTAL, WARM_START = accprox.BOUNDS
RATE = DUAL.per("K")
kappa = S.R**2 / (S.l2 * S.gamma)


@cache
def solved(loss, l2, l1=0.0, n=20, d=6, seed=3):
    """A problem and its optimal alpha, to rounding."""
    P = problem(loss, l2=l2, l1=l1, n=n, d=d, seed=seed)
    s = cdlab.solve(P, "sdca", sampling="permutation", tol=0, max_passes=4000)
    assert s.gap <= 1e-13
    return P, s.alpha


# ------------------------------------------------------------ APCG
def test_the_rate_is_n_over_sqrt_mu():
    mu = S.l2 * S.gamma * S.n / (S.R**2 + S.l2 * S.gamma * S.n)
    assert equal(DUAL.K**2, S.n**2 / mu)
    assert equal(DUAL.K**2, S.n**2 + S.n * kappa)
    assert equal(DUAL.guarantee.subs(S.t, 0), S.D0 + S.gamma / (2 * S.n) * S.a2)
    # strong concavity gives gamma a2/(2n) <= D0, so the constant is at most 2 D0
    assert equal(DUAL.guarantee.subs(S.t, 0).subs(S.a2, 2 * S.n * S.D0 / S.gamma), 2 * S.D0)


@given(st.integers(1, 10**6), st.floats(1e-9, 1e12))
def test_the_rate_is_at_most_n_and_sqrt_of_n_kappa(n, condition):
    K = RATE.at(n=n, R=np.sqrt(condition), l2=1.0, gamma=1.0)
    assert K <= (n + np.sqrt(n * condition)) * (1 + 1e-12)
    assert K >= max(n, np.sqrt(n * condition)) * (1 - 1e-12)


def test_never_behind_sdca_without_the_logarithm():
    sdca_K = next(b for b in sdca.BOUNDS if b.sampling == "uniform" and b.K is not None).K
    excess, _ = sp.posify(sp.expand(sdca_K**2 - DUAL.K**2))
    assert excess.is_positive


@pytest.mark.parametrize(("loss", "l1"), [("logistic", 0.0), ("smooth_hinge", 0.02), ("squared", 0.05)])
def test_what_the_dual_suboptimality_of_any_point_says_about_the_primal(loss, l1):
    P, best = solved(loss, 0.2, l1)
    rng = np.random.default_rng(0)
    method = APCG(primal_step=True)
    L_f = np.linalg.norm(P.X, 2) ** 2 / (P.n * P.loss.gamma)
    values = {"gamma": P.loss.gamma, "l2": P.l2, "L_f": L_f}
    for scale in (0.0, 0.1, 0.5, 0.9):
        alpha = (1 - scale) * best + scale * P.alpha(rng.standard_normal(P.d))
        error, w = P.dual(best) - P.dual(alpha), P.w(alpha)
        assert P.gap(w, alpha) <= GAP_LEMMA.at(**values, D0=max(error, 0.0)) * (1 + 1e-12) + 1e-13
        state = method.init(P, "uniform", cdlab.methods.Points(None, alpha))._replace(epochs=1)
        stepped = method.points(P, state._replace(L_f=L_f)).w
        assert P.primal(stepped) - P.dual(best) <= STEP_LEMMA.at(**values, D0=max(error, 0.0)) * (1 + 1e-12) + 1e-13


@pytest.mark.full  # a push checks each theorem on one problem: tests/theorems
@pytest.mark.parametrize(
    ("loss", "l2", "l1", "smoothness"),
    [("logistic", 0.02, 0.0, "individual"), ("smooth_hinge", 0.1, 0.02, "individual"), ("huber", 0.1, 0.02, "uniform")],
)  # fmt: skip
def test_apcg_runs_stay_below_the_curves(loss, l2, l1, smoothness):
    P, alpha = solved(loss, l2, l1)
    best = P.dual(alpha)
    plain, stepped = APCG(smoothness=smoothness), APCG(smoothness=smoothness, primal_step=True)
    rows = np.empty((len(SEEDS), 40, 3))
    for row, seed in zip(rows, SEEDS, strict=True):
        state, view, rng = stepped.init(P, "uniform"), stepped.view(P), np.random.default_rng(seed)
        for record in row:
            state = stepped.epoch(view, state, rng.integers(P.n, size=2 * P.n, dtype=np.uint64))
            at = plain.points(P, state)
            record[:] = best - P.dual(at.alpha), P.gap(at.w, at.alpha), P.primal(stepped.points(P, state).w) - best
    mean, error = rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(len(SEEDS))
    passes = 2.0 * np.arange(1, 41)
    true = {"D0": best - P.dual(np.zeros(P.n)), "a2": alpha @ alpha}
    for which, b in enumerate((DUAL, GAP, STEP)):
        assert b.per("cost per iteration").for_problem(P) == pytest.approx(P.nnz / P.n)
        curve = np.asarray(b.curve(P, passes, **true))
        compared = curve > 1e-12 * b.curve(P, [0.0], **true)[0]
        assert compared.sum() > 10
        assert (mean[:, which] - 3 * error[:, which] <= curve * (1 + 1e-12))[compared].all()


# ------------------------------------------------------------ accelerated Prox-SDCA: stages
def test_eta_and_the_first_bound_follow_from_kappa_over_n():
    kappa_a = S.R**2 / (S.gamma * S.n) - S.l2
    mu = S.l2 / 2
    assert equal(accprox.ETA**2, mu / (mu + kappa_a))
    assert equal(2 * accprox.ROOT**2, 1 + 1 / accprox.ETA**2)
    assert equal(STAGES.K, 2 / accprox.ETA)
    # the condition number of a stage: Prox-SDCA's C is 2n
    assert equal(S.n + S.R**2 / (S.gamma * (S.l2 + kappa_a)), 2 * S.n)


def test_the_stages_are_at_most_the_printed_ones():
    """sqrt(8 kappa/n) (ln(2 kappa/n) + ln((P(0) - D(0))/eps)), and one for the start."""
    values = {"n": 100, "R": 3.0, "gamma": 2.0, "gap0": 0.7}
    for l2 in (1e-4, 1e-6):
        r = 9 / (2 * l2 * 100)
        printed = np.sqrt(8 * r) * (np.log(2 * r) + np.log(0.7 / 1e-5))
        assert 0.9 * printed <= STAGES.at(**values, l2=l2, eps=1e-5) <= printed


def test_the_warm_start_is_below_its_leading_term():
    x = sp.Symbol("x", positive=True)
    ratio = accprox.warm_start(x) / (144 * sp.sqrt(2) * x ** sp.Rational(5, 2))
    at = sp.lambdify(x, ratio, "numpy")(np.geomspace(10, 1e9, 20_001))
    assert (at < 1).all()
    assert at[-1] == pytest.approx(1, rel=1e-3)  # and cannot be replaced by less
    # the first stage starts at alpha = 0, with the gap xi_1/(2r) against the target eta xi_1/(4r)
    assert (2 * np.sqrt(2 * 10 - 1)) < accprox.warm_start(sp.S(10))
    assert equal(WARM_START.expr, 144 * sp.sqrt(2) * (kappa / S.n) ** sp.Rational(5, 2))


def test_the_cost_of_a_stage_by_hand():
    """Of x = 2 (ln(2n warm start) + 1) expected epochs, at most 5x/4 + 1, and of 9/2 + x/4 + 1 tests of half a pass."""
    n, R, l2, gamma = 50, 2.0, 1e-6, 4.0
    r = R**2 / (l2 * gamma * n)
    x = 2 * (np.log(2 * n * 144 * np.sqrt(2) * r**2.5) + 1)
    cost = STAGES.per("cost per iteration").at(n=n, R=R, l2=l2, gamma=gamma, nnz=300)
    assert cost == pytest.approx(300 * (1 + 5 * x / 4 + (11 / 2 + x / 4) / 2))


def test_where_acceleration_does_not_pay_it_is_sdca():
    P = problem("logistic", l2=0.1, n=20, d=6, seed=3)
    assert P.kappa <= 10 * P.n
    for quantity in ("passes", "K", "iterations"):
        plain = sdca.BOUNDS[0].per(quantity).for_problem(P)
        assert STAGES.per(quantity).for_problem(P) == pytest.approx(plain)
    passes = np.linspace(0, 30, 7)
    assert STAGES.curve(P, passes) == pytest.approx(np.asarray(sdca.BOUNDS[0].curve(P, passes)))
    with pytest.raises(ValueError, match="needs gamma > 0"):
        STAGES.for_problem(problem("hinge", l2=0.05, n=20, d=6, seed=3))


def test_in_all_about_n_and_sqrt_of_n_kappa_updates():
    assert equal(TOTAL.expr, S.n + sp.sqrt(S.n * kappa))
    assert TOTAL.kind == "asymptotic"


@pytest.mark.parametrize(
    ("loss", "l2", "l1"), [("squared", 0.01, 0.0), ("logistic", 0.001, 0.0), ("smooth_hinge", 0.01, 0.02)]
)
def test_stages_end_below_the_curve_and_cost_no_more_than_promised(loss, l2, l1):
    X, y = data(n=20, d=5, seed=3)
    P, method = cdlab.Problem(X, y, loss=loss, l2=l2, l1=l1), AccProxSDCA()
    assert P.kappa > 10 * P.n
    best = cdlab.solve(P, method, tol=1e-13, max_passes=50_000)
    lower = P.dual(best.alpha)  # of P*: what is measured can only be too large
    b = STAGES.per("passes")
    cost = b.per("cost per iteration").for_problem(P) / P.nnz
    stages, ends, visited = 40, [], []
    for seed in range(5):
        state = method.init(P, "uniform")
        orders = method.orders(P, cdlab.samplings.Uniform(), np.random.default_rng(seed))
        row, passes = [], 0.0
        while len(row) < stages:
            order = next(islice(orders, 1))
            state = method.epoch(method.view(P), state, order)
            passes += method.count(P, state, order)[1] / P.nnz
            if state.stage.solved:
                row.append(P.primal(method.points(P, state).w) - lower)
        ends.append(row)
        visited.append(passes / stages)
    curve = np.asarray(b.curve(P, cost * np.arange(1, stages + 1)))
    assert (np.array(ends) <= curve).all()  # certified: in every run
    assert np.mean(visited) <= cost
    # an unfinished stage promises nothing yet
    assert b.curve(P, [1.9 * cost])[0] == pytest.approx(curve[0])
