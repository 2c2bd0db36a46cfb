"""Theorems restated: on the duality gap, by exact numbers on random points, and with high probability."""

import numpy as np
import pytest
import sympy as sp
from cases import each_of

import cdlab
from cdlab import theory
from cdlab.theory import constants, registry
from cdlab.theory.derivations import gaps
from cdlab.theory.symbols import L_P, K, l1, l2

LOSSES = ("squared", "logistic", "smooth_hinge", "squared_hinge")


def random_problem(rng, loss="squared", l1=0.0, n=None, d=None, **data):
    n, d = n or int(rng.integers(1, 8)), d or int(rng.integers(1, 6))
    X = rng.standard_normal((n, d)) * rng.uniform(0.3, 3, (n, 1))
    y = np.where(rng.random(n) < 0.5, -1.0, 1.0) if loss != "softmax" else np.arange(n) % 3
    if n > 1:
        y[:2] = (0.0, 1.0) if loss == "softmax" else (-1.0, 1.0)
    return cdlab.Problem(X, y, loss=loss, l2=10 ** rng.uniform(-2, 0), l1=l1, **data)


def optimum(P):
    return cdlab.solve(P, "sdca", sampling="permutation", tol=1e-14, max_passes=20_000)


def factor(P):
    return float(constants.keywords_on(P, {}, {"L_P"})["L_P"]) / P.l2


# ------------------------------------------------------------ on the gap
def test_both_sides_have_one_factor():
    assert gaps.of_primal() == gaps.of_dual() == L_P / l2
    assert sp.simplify(gaps.of_distance() - L_P**2 / (2 * l2)) == 0


@each_of("loss, l1", [(loss, l1) for loss in LOSSES for l1 in (0.0, 0.05)])
def test_the_gap_is_at_most_the_factor_times_either_suboptimality(loss, l1):
    rng = np.random.default_rng(3)
    for _ in range(3):
        P = random_problem(rng, loss, l1, n=6, d=4)
        best, times = optimum(P), factor(P)
        highest, lowest = P.primal(best.w), P.dual(best.alpha)
        for _ in range(8):
            w = best.w + 10 ** rng.uniform(-2, 1) * rng.standard_normal(P.d)
            assert P.primal(w) - P.dual(P.alpha(w)) <= times * (P.primal(w) - lowest) * (1 + 1e-9)
            alpha = P.alpha(w)  # feasible
            assert P.primal(P.w(alpha)) - P.dual(alpha) <= times * (highest - P.dual(alpha)) * (1 + 1e-9)
            if l1 == 0:
                assert P.primal(w) - P.dual(P.alpha(w)) <= P.l2 * times**2 / 2 * ((w - best.w) ** 2).sum() * (1 + 1e-6)


@pytest.mark.full
@each_of("data", [{"loss": "softmax"}, {"loss": "logistic", "sample_weight": np.array([1.0, 3.0, 0.5, 0.0, 2.0])}])
def test_the_factor_also_holds_for_several_classes_and_for_weights(data):
    rng = np.random.default_rng(5)
    P = random_problem(rng, n=5, d=3, **data)
    best, times = optimum(P), factor(P)
    for _ in range(30):
        w = best.w + 10 ** rng.uniform(-2, 1) * rng.standard_normal(best.w.shape)
        alpha = P.alpha(w)
        assert P.primal(w) - P.dual(alpha) <= times * (P.primal(w) - P.dual(best.alpha)) * (1 + 1e-9)
        assert P.primal(P.w(alpha)) - P.dual(alpha) <= times * (P.primal(best.w) - P.dual(alpha)) * (1 + 1e-9)


def test_one_example_and_one_feature_meet_both_factors():
    P = cdlab.Problem([[2.0]], [1.0], loss="squared", l2=0.3)
    best = 2 / (4 + 0.3)
    w, times = np.array([3.0]), (4 + 0.3) / 0.3
    assert factor(P) == pytest.approx(times, rel=1e-12)
    assert P.primal(w) - P.dual(P.alpha(w)) == pytest.approx(times * (P.primal(w) - P.primal(np.array([best]))))
    alpha = np.array([2.0])
    assert P.primal(P.w(alpha)) - P.dual(alpha) == pytest.approx(times * (P.primal(np.array([best])) - P.dual(alpha)))


def test_the_ratio_of_both_sides_is_that_of_the_face_off():
    numbers = {"n": 30, "d": 12, "nnz": 200, "l2": 0.01, "gamma": 4.0, "R": 2.0, "R_col": 3.0, "F": 70.0}
    numbers |= {"C_P": 900.0, "C_D": 500.0, "L_P": 0.6}
    for sampling in ("uniform", "importance"):
        primal, dual = theory.bound("rcd", "T", sampling), theory.bound("sdca", "T", sampling, "smooth dual")
        T = primal.at(**numbers) / dual.at(**numbers)
        for accuracy in (1e-2, 1e-9):
            here = numbers | {"eps": accuracy, "P0": 0.69, "D0": 0.69}
            of_gap = [b.per("arithmetic").on_gap().at(**here) for b in (primal, dual)]
            assert of_gap[0] / of_gap[1] == pytest.approx(T, rel=1e-12)


def test_a_bound_on_the_gap_of_the_dual_is_smaller_than_the_one_by_the_gain_of_a_step():
    """L_P/l2 <= 1 + kappa <= n + kappa = K."""
    rng = np.random.default_rng(0)
    for _ in range(5):
        P = random_problem(rng)
        new = theory.bound("sdca", theorem="smooth dual").on_gap()
        assert new.bounded == "P-D"
        assert (new.curve(P, [0.0, 5.0]).values <= theory.bound("sdca").curve(P, [0.0, 5.0]).values * (1 + 1e-9)).all()


def restated(b):
    try:
        return b.on_gap()
    except ValueError as refusal:
        return str(refusal)


@pytest.mark.full
def test_every_rate_of_a_last_point_is_one_on_the_gap_or_says_why_not():
    for b in registry.all_theorems():
        new = restated(b)
        if isinstance(new, str):
            why = ("known constants", "it is about", "it is for l2 = 0", "it is for gamma = 0")
            assert any(each in new for each in why), b
            continue
        assert new.bounded == "P-D"
        assert new.fallback is None or new.fallback.bounded == "P-D"
        if b.bounded == "P-D":
            assert new is b
        else:
            assert {"gamma > 0", "l2 > 0"} <= set(map(str, new.assumptions))
            assert (sp.Eq(l1, 0) in new.assumptions) or b.bounded != "|w-w*|^2"
    found = {b.method for b in registry.all_theorems() if not isinstance(restated(b), str)}
    assert found >= {"sdca", "quartz", "rcd", "acc_rcd", "apcg", "asdca", "spdc", "saga", "sag", "svrg", "gd", "agd"}
    assert found >= {"fista", "greedy", "appa", "accprox_sdca"}


def test_the_count_on_the_gap_ends_where_its_curve_is_at_the_accuracy(numbers):
    for method in ("rcd", "saga", "gd"):
        b = theory.bound(method, "iterations").on_gap()
        here = numbers | {"L_P": 3.0, "n": 50}
        at = {theory.SYMBOLS[k]: v for k, v in here.items()}
        t = float(b.exact.subs(at))
        assert float(b.guarantee.subs(at).subs(theory.SYMBOLS["t"], t)) == pytest.approx(here["eps"], rel=1e-9)
        assert b.at(**here) >= t


def test_an_intercept_is_refused():
    P = cdlab.Problem(np.eye(3), [1.0, -1.0, 1.0], loss="logistic", l2=0.1, intercept=True)
    with pytest.raises(theory.Uncovered, match="intercept"):
        theory.bound("rcd").on_gap().curve(P, [1.0])


# ------------------------------------------------------------ with a probability
def test_a_linear_rate_needs_K_times_the_logarithm_more():
    b = theory.bound("rcd", "iterations", "lipschitz")
    more = sp.simplify(sp.expand_log(b.with_probability(0.95).expr - b.expr, force=True))
    assert sp.simplify(more - K * sp.log(20)) == 0
    assert b.with_probability(0.9).curve is not None
    assert theory.bound("gd").with_probability(0.9) == theory.bound("gd")  # nothing is drawn


def test_so_many_runs_are_below_the_bound_with_a_probability():
    P = cdlab.Problem(np.eye(6), np.ones(6), loss="squared", l2=0.5)
    bound = theory.bound("rcd").with_probability(0.8)
    best = optimum(P)
    above = []
    for seed in range(200):
        run = cdlab.iterate(P, "rcd", seed=seed)
        records = [next(run) for _ in range(5)]
        promised = bound.curve(P, [r.passes for r in records], P0=P.primal(np.zeros(6)) - P.dual(best.alpha))
        above.append([r.primal - P.dual(best.alpha) > p for r, p in zip(records, promised, strict=True)])
    assert np.mean(above, axis=0).max() <= 0.2 + 3 * np.sqrt(0.16 / 200)


@each_of("probability", [1 / 3, 0.9999999999, 1 - 1e-12, 1e-12])
def test_the_factor_is_what_markov_asks_for(probability):
    b = theory.bound("rcd")
    factor = float(b.with_probability(probability).guarantee / b.guarantee)
    assert factor >= 1 / (1 - probability) * (1 - 1e-4 * probability)  # float has few digits of 1 - probability
    assert factor == pytest.approx(1 / (1 - probability), rel=1e-4)


def test_probabilities_that_are_none_are_refused():
    b = theory.bound("rcd")
    for wrong in (0, 1, 1.5, np.nan):
        with pytest.raises(ValueError, match="above 0 and below 1"):
            b.with_probability(wrong)
    with pytest.raises(TypeError, match="number"):
        b.with_probability("high")
    with pytest.raises(ValueError, match="probability 0.9 already"):
        b.with_probability(0.9).with_probability(0.9)
    with pytest.raises(ValueError, match="on_gap"):
        b.with_probability(0.9).on_gap()
    with pytest.raises(ValueError, match="known constants"):
        theory.bound("sdca", theorem="almost smooth").with_probability(0.9)
