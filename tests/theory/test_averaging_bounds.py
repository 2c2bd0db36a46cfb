"""Averages of subgradient methods: their counts by hand, their weights, and steps eta/sqrt(t)."""

from itertools import islice

import numpy as np
import pytest
import sympy as sp
from formulas import pick
from hypothesis import given
from hypothesis import strategies as st
from problems import data, problem
from scipy.optimize import linprog
from stochastic_runs import NUMBERS, SEEDS, setting

import cdlab
from cdlab.theory.derivations.counts import logarithmic_steps
from cdlab.theory.evaluate import evaluate
from cdlab.theory.symbols import R, eps, gamma, gamma_r, l2, n, t, w2
from cdlab.theory.theorems import subgradients

COUNTS = {offset: logarithmic_steps(w2, offset) for offset in (1, 2, 6)}


@given(st.floats(1e-6, 1e12), st.sampled_from(sorted(COUNTS)))
def test_lambert_counts_are_where_the_guarantee_reaches_eps(b, offset):
    count = evaluate(COUNTS[offset], {"w2": b, "eps": 1.0}, "count")
    assert count >= 1 - 1e-12
    left = b * (offset + np.log(count)) / count
    assert left == pytest.approx(min(1, offset * b), rel=1e-6)  # one step where that is enough


def test_counts_of_averages_evaluate_on_arrays_and_fall_with_eps():
    for key in (("sgd", "average"), ("rda", "strongly convex")):
        b = pick(*key)
        accuracies = np.geomspace(1e-12, 1e3, 10_000)
        counts = b.at(**NUMBERS | {"eps": accuracies})
        assert (np.diff(counts) <= 0).all()
        at = evaluate(b.guarantee, NUMBERS | {"t": counts}, "guarantee")
        assert (at <= accuracies * (1 + 1e-9)).all() or counts.min() == 1
        assert at[0] == pytest.approx(accuracies[0], rel=1e-9)


def test_averages_by_hand():
    # 2 L^2 R^2/l2 = 800: with t = 100, 8 (1 + ln 100)
    at = {**NUMBERS, "t": 100.0}
    assert evaluate(pick("sgd", "average").guarantee, at, "sgd") == pytest.approx(8 * (1 + np.log(100)))
    assert evaluate(pick("rda", "strongly convex").guarantee, at, "rda") == pytest.approx(2 * (6 + np.log(100)))
    # sqrt(2) L R/||w*|| = 2: 2 w2/2 + 4/2 = 4, so 4/10 at t = 100
    at["gamma_r"] = pick("rda", "best gamma_r", "any").at(**NUMBERS | {"l2": 0.0})
    assert at["gamma_r"] == pytest.approx(2)
    assert evaluate(pick("rda", "convex").guarantee, at, "rda") == pytest.approx(0.4)
    assert pick("sgd", "asymptotic").per("passes").expr == R**2 / (gamma * l2 * eps * n)


def test_one_step_more_fits_into_the_printed_averages():
    t = np.arange(1, 10_000)
    H = np.cumsum(1 / np.arange(1, 10_001))  # H[k] is H_(k+1)
    assert (H[t] <= 1 + np.log(t))[2:].all()  # of sgd, from t = 3 on
    assert (H[t - 1] <= 1 + np.log(t)).all()  # of rda


def test_no_other_gamma_r_is_better_and_the_best_gives_sqrt_2():
    promised = subgradients.DUAL_AVERAGING * sp.sqrt(t)
    positive = {s: sp.Symbol(s.name, positive=True) for s in promised.free_symbols}
    best = subgradients.best_weight()
    at_best = promised.subs(gamma_r, best).subs(positive)
    product = sp.sqrt(2) * subgradients.L * R * sp.sqrt(w2)
    assert sp.simplify(at_best - product.subs(positive)) == 0
    excess = promised - at_best  # a square over 2 gamma_r
    square = (gamma_r * sp.sqrt(w2) - sp.sqrt(2) * subgradients.L * R) ** 2 / (2 * gamma_r)
    assert sp.simplify((excess - square).subs(positive)) == 0


def test_the_default_gamma_r_is_the_methods():
    P, _, _, known = setting("logistic", 0.0, 0.05)
    b = pick("rda", "convex")
    by_hand = np.sqrt(2) * P.R * P.l1 / P.primal(np.zeros(P.d))
    assert b.for_problem(P, **known) == pytest.approx(b.for_problem(P, gamma_r=by_hand, **known), rel=1e-12)
    assert cdlab.methods.RDA().init(P, "uniform").gamma_r == pytest.approx(by_hand, rel=1e-12)
    best = pick("rda", "best gamma_r", "any").for_problem(P, **known)
    assert b.for_problem(P, gamma_r=best, **known) <= b.for_problem(P, **known)
    with pytest.raises(ValueError, match="needs gamma_r > 0"):
        b.for_problem(problem("logistic", l2=0.0))


def without_regulariser():
    """The hinge loss on data that no line separates: a minimiser exists, found by linear programming."""
    X, y = data(n=30, d=4, seed=5, density=1.0)
    y = np.where(np.arange(30) % 4 == 0, -y, y)
    n, d = X.shape
    costs = np.r_[np.zeros(2 * d), np.full(n, 1 / n)]
    margins = -np.c_[y[:, None] * X, -y[:, None] * X, np.eye(n)]
    found = linprog(costs, A_ub=margins, b_ub=-np.ones(n), bounds=(0, None))
    w = found.x[:d] - found.x[d : 2 * d]
    return cdlab.Problem(X, y, loss="hinge", l2=0.0), w, found.fun


@pytest.mark.full  # a push checks each theorem on one problem: tests/theorems
@pytest.mark.parametrize("eta", [0.03, 0.3, 2.0])
def test_root_steps_stay_below_their_bound(eta):
    P, w, best = without_regulariser()
    b, known = pick("sgd", "root steps"), {"w2": w @ w, "P0": P.primal(np.zeros(P.d)) - best}
    errors = np.array(
        [
            [record.primal - best for record in islice(cdlab.iterate(P, "sgd", step=eta, seed=seed), 41)]
            for seed in SEEDS
        ]
    )
    curve = b.curve(P, np.arange(41), step=eta, **known)
    assert (errors.mean(axis=0) - 3 * errors.std(axis=0, ddof=1) / np.sqrt(len(SEEDS)) <= curve).all()
    passes = b.per("passes").for_problem(P, eps=0.5, step=eta, **known)
    assert passes * P.n >= 1


@given(st.floats(1e-3, 1e3), st.floats(1e-6, 1e6), st.floats(1e-8, 1e2))
def test_the_count_of_root_steps_solves_its_guarantee(eta, distance, accuracy):
    b = pick("sgd", "root steps")
    values = {"step": eta, "w2": distance, "L": 1.0, "R": 2.0, "P0": 1.0}
    count = b.at(eps=accuracy, **values)
    guaranteed = evaluate(subgradients.ROOT, {k: v for k, v in values.items() if k != "P0"} | {"t": count}, "it")
    assert count >= 1
    assert guaranteed <= accuracy * (1 + 1e-9)
    sooner = evaluate(subgradients.ROOT, {k: v for k, v in values.items() if k != "P0"} | {"t": count / 3}, "it")
    assert count <= 3 or sooner >= accuracy
