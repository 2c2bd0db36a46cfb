"""SPDC's Theorems 1 and 2: steps and rates re-derived, constants by hand, Table 1, and runs below the curves."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from formulas import equal
from hypothesis import given
from hypothesis import strategies as st
from problems import problem
from spdc_runs import SIZE, dominated, measured, numbers, pick, solved

from cdlab import theory
from cdlab.methods.spdc import SPDC
from cdlab.samplings import Norms, NormsBlocks, TauNice
from cdlab.theory import symbols as S
from cdlab.theory.derivations import spdc
from cdlab.theory.derivations.spdc import BATCH, NORMS, NORMS_BLOCKS
from cdlab.theory.named_samplings import name_sampling


# ------------------------------------------------------------ the rate, from what one iteration does
def test_the_printed_steps_and_factors():
    root = sp.sqrt(S.n / (S.m * S.l2 * S.gamma))
    tau, s = spdc.steps(BATCH)
    assert equal(tau, sp.sqrt(S.m * S.gamma / (S.n * S.l2)) / (2 * S.R))
    assert equal(s, sp.sqrt(S.n * S.l2 / (S.m * S.gamma)) / (2 * S.R))
    theta = 1 - 1 / (S.n / S.m + S.R * root)
    assert equal(pick("distance").K, 1 / (1 - theta))
    assert equal(pick("one step").expr, theta)
    tau, s = spdc.steps(NORMS)
    assert equal(tau, sp.sqrt(S.gamma / (S.n * S.l2)) / (4 * S.Rbar))
    assert equal(s, sp.sqrt(S.n * S.l2 / S.gamma) / (4 * S.Rbar))
    assert equal(pick("distance", "norms").K, 2 * S.n + 2 * S.Rbar * root.subs(S.m, 1))


def test_batches_of_one_by_norms_are_algorithm_2():
    for part in ("M", "N", "m"):
        assert equal(getattr(NORMS_BLOCKS, part).subs(S.m, 1), getattr(NORMS, part))
    assert equal(pick("distance", "norms_blocks").K.subs(S.m, 1), pick("distance", "norms").K)
    assert equal(pick("one step", "norms_blocks").expr, 1 - 1 / pick("distance", "norms_blocks").K)


def test_an_instance_with_batches_gets_the_theorem_about_them():
    P = problem("logistic", l2=0.01, **SIZE)
    r = np.linalg.norm(P.X, axis=1)
    expected = (2 * 20 + 7) / 8 + (2 * r.mean() + 7 / 20 * r.max()) * np.sqrt(20 / (8 * 0.01 * 4))
    assert theory.bound("spdc", "K", NormsBlocks(8)).for_problem(P) == pytest.approx(expected)
    assert theory.bound(SPDC(batch_size=8), "K", "norms").for_problem(P) == pytest.approx(expected)
    W = theory.bound("spdc", "cost per iteration", NormsBlocks(8)).for_problem(P)
    assert NormsBlocks(8).probabilities(P.coordinates("dual")) @ P.row_profile.counts <= W <= 3 * 8 * P.nnz / 20


@pytest.mark.parametrize("scheme", [BATCH, NORMS])
def test_x_and_y_shrink_by_the_two_factors_and_x_no_slower(scheme):
    tau, s = spdc.steps(scheme)
    at, rates = spdc.weights(scheme), spdc.rates(scheme)
    assert equal(4 * tau * s * scheme.M**2, sp.S.One)
    # the proximal step: (1/(2 tau) + l2) ||x+ - x*||^2 <= ||x - x*||^2/(2 tau)
    assert equal(at.x * (1 - 1 / rates.x), 1 / (2 * tau))
    # y_k stays or, with probability 1/N, is picked: (q/2 + gamma) |y_k+ - y_k*|^2 <= (q/2)|y_k - y_k*|^2, q in its step
    q = scheme.N * scheme.m / (S.n * s) if scheme is BATCH else S.n / (scheme.N * s)
    picked = (q / 2) / (q / 2 + S.gamma)
    assert equal(1 - 1 / rates.y, picked / scheme.N + 1 - 1 / scheme.N)
    # what an iteration moves together is what it moves alone, so x - 1 = y - N
    assert equal(rates.y - rates.x, scheme.N - 1)


@given(st.lists(st.floats(0, 1e3), min_size=1, max_size=30))
def test_the_probabilities_of_algorithm_2_lie_where_its_proof_has_them(norms):
    r = np.array(norms) + (0 if np.sum(norms) > 0 else 1.0)
    n = r.size
    p = 1 / (2 * n) + r / (2 * r.sum())
    assert (1 / p <= numbers(NORMS.N, n=n) * (1 + 1e-12)).all()
    assert (1 / p >= numbers(NORMS.least, n=n) * (1 - 1e-12)).all()


# ------------------------------------------------------------ constants by hand
VALUES = {"n": 40, "m": 4, "R": 2.0, "Rbar": 1.1, "l2": 0.03, "gamma": 0.5, "w2": 3.0, "a2": 7.0, "a2_p": 9.0}


def constant(b, **more):
    return numbers(b.guarantee.subs(S.t, 0), **VALUES, **more)


def test_theorem_1_and_corollary_1_by_hand():
    n, m, R, l2, gamma, w2, a2 = (VALUES[k] for k in ("n", "m", "R", "l2", "gamma", "w2", "a2"))
    tau, s = np.sqrt(m * gamma / (n * l2)) / (2 * R), np.sqrt(n * l2 / (m * gamma)) / (2 * R)
    bracket = (1 / (2 * tau) + l2) * w2 + (1 / (2 * s) + gamma) * a2 / m
    assert constant(pick("distance")) == pytest.approx(bracket / (1 / (2 * tau) + l2))
    C = bracket / min(1 / (2 * tau) + l2, (1 / (4 * s) + gamma) / m)
    assert constant(pick("both distances")) == pytest.approx(C)
    both = pick("both distances")
    T = (n / m + R * np.sqrt(n / (m * l2 * gamma))) * np.log(C / 1e-3)
    assert both.at(**VALUES, eps=1e-3) == pytest.approx(T)
    assert both.per("passes").at(**VALUES, nnz=55, eps=1e-3) == pytest.approx(T * m / n)
    # for l1 = 0 P is (L_f + l2)-smooth
    assert constant(pick("suboptimality"), L_f=0.4) == pytest.approx((0.4 + l2) / 2 * constant(pick("distance")))


def test_theorem_2_by_hand_printed_corrected_and_sharp():
    n, R, l2, gamma, w2, a2 = (VALUES[k] for k in ("n", "Rbar", "l2", "gamma", "w2", "a2"))
    tau, s = np.sqrt(gamma / (n * l2)) / (4 * R), np.sqrt(n * l2 / gamma) / (4 * R)
    of_x = 1 / (2 * tau) + l2
    bracket = of_x * w2 + (1 / (2 * s) + 2 * gamma) * a2
    assert constant(pick("distance", "norms")) == pytest.approx(bracket / of_x)
    sharp = of_x * w2 + a2 / (2 * s) + gamma * VALUES["a2_p"]
    assert constant(pick("distance, each coordinate", "norms")) == pytest.approx(sharp / of_x)
    printed, corrected = (7 / (16 * s) + 2 * gamma / k for k in (n, n + 1))
    assert constant(pick("both distances, as printed", "norms")) == pytest.approx(bracket / min(of_x, printed))
    assert constant(pick("both distances", "norms")) == pytest.approx(bracket / min(of_x, corrected))


def test_m_equal_n_is_the_accelerated_gradient_method():
    kappa = S.R**2 / (S.l2 * S.gamma)
    assert equal(pick("distance").per("K").expr.subs(S.m, S.n), 1 + sp.sqrt(kappa))
    # a batch costs m examples, so it pays in passes only up to kappa/n
    assert equal(pick("distance").per("T").expr / S.nnz, 1 + sp.sqrt(S.m * kappa / S.n))


def test_a_block_sampling_sets_m():
    P = problem("logistic", l2=0.01, **SIZE)
    blocks = 20 / 8 + P.R * np.sqrt(20 / (8 * 0.01 * 4))
    assert theory.bound("spdc", "K", TauNice(8)).for_problem(P) == pytest.approx(blocks)
    assert theory.bound(SPDC(batch_size=8), "K").for_problem(P) == pytest.approx(blocks)
    assert theory.bound("spdc", "K").for_problem(P) == pytest.approx(20 + P.R * np.sqrt(20 / (0.01 * 4)))
    with pytest.raises(ValueError, match="needs m <= n"):
        theory.bound("spdc", "iterations", TauNice(21), "suboptimality").for_problem(P)


# ------------------------------------------------------------ Table 1 and the paper's comparison
def test_table_1_as_printed():
    for row, regime in (
        ("smooth, strongly convex", S.l2 * S.gamma),
        ("smooth", S.eps * S.gamma),
        ("strongly convex", S.eps * S.l2),
        ("neither", S.eps**2),
    ):
        expr = pick(f"table 1: {row}").per("passes").expr.subs({S.R: 1, S.L: 1, S.w2: 1})
        printed = 1 + sp.sqrt(S.m / (regime * S.n))
        assert equal(expr, printed * sp.log(1 / S.eps) if row.endswith(", strongly convex") else printed)
    spdc = pick("table 1: neither").per("passes").expr.subs(S.m, 1)
    full = pick("smoothed loss", "none", "agd").per("passes").expr
    sgd = pick("not strongly convex", "uniform", "sgd").per("passes").expr
    ones = {S.R: 1, S.L: 1, S.w2: 1}
    assert equal(full.subs(ones), 1 + 1 / S.eps)
    assert equal(sgd.subs(ones), 1 + 1 / (S.eps**2 * S.n))
    assert equal(spdc.subs(ones), 1 + 1 / (S.eps * sp.sqrt(S.n)))
    # spdc is never behind the full gradient, and ahead of sgd for eps < 1/sqrt(n)
    assert numbers(spdc, n=100, eps=1e-3, R=2, L=1, w2=3) < numbers(full, eps=1e-3, R=2, L=1, w2=3)
    assert equal(sgd.subs(ones | {S.eps: 1 / sp.sqrt(S.n)}), spdc.subs(ones | {S.eps: 1 / sp.sqrt(S.n)}))


# ------------------------------------------------------------ runs
SETTINGS = [
    ("logistic", 0.02, 0.0, TauNice(1)),
    ("squared", 0.1, 0.0, TauNice(4)),
    ("smooth_hinge", 0.1, 0.02, Norms()),
    ("logistic", 0.05, 0.0, Norms()),
    ("logistic", 0.05, 0.0, NormsBlocks(4)),
    ("smooth_hinge", 0.1, 0.02, NormsBlocks(10)),
]


@pytest.mark.full  # a push checks each theorem on one problem: tests/theorems
@pytest.mark.parametrize(("loss", "l2", "l1", "sampling"), SETTINGS)
def test_runs_stay_below_theorems_1_and_2(loss, l2, l1, sampling):
    P, w, alpha = solved(loss, l2, l1)
    best = P.dual(alpha)

    def record(x, at):
        return (x - w) @ (x - w), (at.alpha - alpha) @ (at.alpha - alpha), P.primal(at.w) - best

    t, rows = measured(P, SPDC(), sampling, 30, record)
    name = "uniform" if sampling.name == "tau_nice" else sampling.name
    true = {"w2": w @ w, "a2": alpha @ alpha, "m": getattr(sampling, "tau", 1)}
    theorems = {"distance": 0, "suboptimality": 2} | ({} if name == "norms_blocks" else {"both distances": 1})
    if name == "norms":
        p = sampling.probabilities(P.coordinates("dual"))
        true["a2_p"] = float(np.sum(alpha**2 / (P.n * p)))
        theorems["distance, each coordinate"] = 0
    for theorem, which in theorems.items():
        if theorem != "suboptimality" or l1 == 0:
            b = replace(pick(theorem, name), asked_sampling=name_sampling(name))
            dominated(b, P, t, rows[:, :, which], **true)
