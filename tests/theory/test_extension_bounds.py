"""Accelerated and greedy coordinate descent: algebra, and runs below their curves."""

from functools import cache
from itertools import islice

import numpy as np
import pytest
import sympy as sp
from formulas import equal, pick
from problems import optimum, problem

import cdlab
from cdlab.samplings import Lipschitz
from cdlab.theory import named_samplings
from cdlab.theory import symbols as S
from cdlab.theory.theorems import accelerated_rcd, faceoff

SEEDS = range(30)
SIZES = {"n": 20, "d": 6, "seed": 2, "density": 1.0}
CASES = (("logistic", 0.05), ("squared", 0.3))


@cache
def case(loss, l2):
    P = problem(loss, l2=l2, **SIZES)
    best = optimum(loss, l2, 0.0, **SIZES)
    return P, best, {"P0": P.primal(np.zeros(P.d)) - best}


def stays_below(b, P, best, known, runs, passes=lambda record: record.passes):
    """The mean over runs minus 3 standard errors, at every record while the curve exceeds 1e-12 of its start."""
    curves = [b.curve(P, [passes(record) for record in run], **known) for run in runs]
    errors = np.array([[record.primal - best for record in run] for run in runs])
    mean, noise = errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(len(runs)) if len(runs) > 1 else 0.0
    promised = np.mean(curves, axis=0)
    compared = promised > 1e-12 * promised[0]
    assert compared.sum() > 20
    assert (mean - 3 * noise <= promised * (1 + 1e-9) + 1e-15)[compared].all(), (mean / promised)[compared].max()


# ------------------------------------------------------------ acc_rcd
def test_acceleration_solves_tau_and_its_constant_is_P0_and_half_l2_w2():
    M2 = sp.Symbol("M2", positive=True)
    tau = 1 / accelerated_rcd.accelerated(M2)
    assert equal(tau, 2 / (1 + sp.sqrt(1 + 4 * M2 / S.l2)))
    eta = 1 / (tau * M2)
    start = (eta / tau) * S.P0 + (1 + eta * S.l2) / 2 * S.w2  # V_0
    b = pick("acc_rcd", "smooth", "uniform")
    assert equal((tau / eta * start).subs(S.l2, 3), (S.P0 + S.l2 / 2 * S.w2).subs(S.l2, 3))
    assert b.guarantee.subs(S.t, 0) == S.P0 + S.l2 / 2 * S.w2
    assert equal(b.K, accelerated_rcd.accelerated(S.d**2 * (S.R_col**2 / S.gamma + S.l2 * S.n) / S.n))


def drawn_by(P, sampling):
    s = (P.X**2).sum(0) * P.beta + P.l2 * P.n
    weights = {
        "uniform": np.ones(P.d),
        "importance": s,
        "lipschitz": np.sqrt(s),
        "norms": 1 / P.d + np.sqrt((P.X**2).sum(0)) / np.sqrt((P.X**2).sum(0)).sum(),
        "given": np.arange(1.0, P.d + 1),
    }[sampling]
    return s, weights / weights.sum()


def measured_rate(P, sampling):
    """K and W of acc_rcd by the definitions that its bound shows."""
    s, p = drawn_by(P, sampling)
    K = named_samplings.evaluate_rate(pick("acc_rcd", "smooth", sampling).definitions, s, p, {"n": P.n, "l2": P.l2})
    M2 = (s / P.n / p**2).max()
    assert pytest.approx((1 + np.sqrt(1 + 4 * M2 / P.l2)) / 2, rel=1e-12) == K
    return {"K": K, "W": p @ (P.X != 0).sum(0)}


@pytest.mark.full  # a push checks each theorem on one problem: tests/theorems
@pytest.mark.parametrize(("loss", "l2"), CASES)
@pytest.mark.parametrize("sampling", faceoff.SERIAL)
def test_acc_rcd_stays_below_its_curve(sampling, loss, l2):
    P, best, known = case(loss, l2)
    w = cdlab.solve(P, "sdca", tol=1e-13, max_passes=3000).w
    known = known | {"w2": w @ w} | ({} if sampling == "uniform" else measured_rate(P, sampling))
    asked = {"lipschitz": Lipschitz(0.5), "given": drawn_by(P, "given")[1]}.get(sampling, sampling)
    runs = [list(islice(cdlab.iterate(P, "acc_rcd", sampling=asked, seed=seed), 60)) for seed in SEEDS]
    stays_below(pick("acc_rcd", "smooth", sampling), P, best, known, runs)


def test_the_best_probabilities_and_their_total():
    """Theorem 2 with sqrt(s_i): no p has a smaller M W, and K W exceeds the total by no more than W."""
    for loss, l2 in CASES:
        P, _, _ = case(loss, l2)
        s, p = drawn_by(P, "lipschitz")
        total = (P.X != 0).sum(0) @ np.sqrt(s / (P.l2 * P.n))
        rate = measured_rate(P, "lipschitz")
        assert pick("acc_rcd", "best total").at(T_P_acc=total) == total
        assert total <= rate["K"] * rate["W"] <= total + rate["W"]
        for sampling in ("importance", "norms", "given"):
            other = measured_rate(P, sampling)
            assert other["K"] * other["W"] >= total * (1 - 1e-12)


# ------------------------------------------------------------ greedy
def test_greedys_rates():
    L_max, L_sum = S.R_col**2 / (S.gamma * S.n) + S.l2, S.F / (S.gamma * S.n) + S.d * S.l2
    assert equal(1 - 1 / pick("greedy", "gs").K, 1 - S.l2 / (S.d * L_max))
    assert equal(1 - 1 / pick("greedy", "gsl").K, 1 - S.l2 / L_sum)
    assert dict(pick("greedy", "gsl").parameters) == {"rule": "gsl"}
    for P, _, _ in (case(*c) for c in CASES):
        assert pick("greedy", "gsl").for_problem(P) <= pick("greedy", "gs").for_problem(P)


@pytest.mark.full  # a push checks each theorem on one problem: tests/theorems
@pytest.mark.parametrize(("loss", "l2"), CASES)
@pytest.mark.parametrize("rule", ["gs", "gsl"])
def test_greedy_stays_below_its_curves(rule, loss, l2):
    P, best, known = case(loss, l2)
    run = [list(islice(cdlab.iterate(P, "greedy", rule=rule), 150))]
    stays_below(pick("greedy", rule), P, best, known, run)
    stays_below(pick("greedy", f"{rule}, ideal cost"), P, best, known, run, lambda record: record.ideal_passes)
