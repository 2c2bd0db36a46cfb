"""APPA and its relatives: lemmas as identities, the cost of a certified stage, runs below bounds."""

from functools import cache
from itertools import accumulate, repeat, takewhile

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from multiclass import softmax_problem
from problems import data, optimum, problem

import cdlab
from cdlab.methods.acc_appa import AccAPPA
from cdlab.methods.appa import APPA
from cdlab.methods.dual_appa import DualAPPA
from cdlab.theory import symbols as S
from cdlab.theory.derivations import stages
from cdlab.theory.theorems import appa, appa_lemmas, appa_totals

METHODS = {"appa": APPA, "acc_appa": AccAPPA, "dual_appa": DualAPPA}
SEEDS = range(30)
BOUNDS = (*appa.BOUNDS, *appa_lemmas.BOUNDS, *appa_totals.BOUNDS)
MAIN = appa.BOUNDS


def pick(method, theorem):
    return next(b for b in BOUNDS if (b.method, b.theorem) == (method, theorem))


def method_of(b, mu_):
    """What a theorem is about, on a problem whose strong convexity is known."""
    return METHODS[b.method](mu=mu_, **dict(b.parameters))


def equal(a, b):
    positive = {s: sp.Symbol(s.name, positive=True) for s in (a - b).free_symbols}
    return sp.simplify((a - b).subs(positive)) == 0


lam, mu, c = S.prox_weight, S.mu, S.accuracy
rho = 1 + 2 * lam / mu


# ------------------------------------------------------------ lemmas
def test_lemma_2_3_is_lemma_3_2_and_an_exact_oracle_gives_lemma_3_1():
    exact, given_c, given_share = (pick("appa", f"lemma {number}").expr for number in ("3.1", "3.2", "2.3"))
    assert equal(exact, lam / (lam + mu))
    assert equal(given_share, (lam + S.inexactness * mu) / (lam + mu))
    assert equal(given_c.subs(c, (lam + mu) / (S.inexactness * mu)), given_share)
    assert sp.limit(given_c, c, sp.oo) == exact
    assert given_share.subs(S.inexactness, 0) == exact


def test_theorem_2_4_is_lemma_2_3_at_a_half():
    b = pick("appa", "theorem 2.4")
    half = pick("appa", "lemma 2.3").expr.subs(S.inexactness, sp.Rational(1, 2))
    assert equal(1 - 1 / b.K, half)
    assert equal(b.K, 2 * (lam + mu) / mu)
    assert equal(appa.ORACLE, 2 * (lam + mu) / mu)
    assert b.step == "stage"


def test_acceleration_takes_the_root_of_the_condition_number():
    assert equal(pick("acc_appa", "exact prox").expr, 1 - rho ** sp.Rational(-1, 2))
    assert equal(pick("acc_appa", "inexact prox, a stage").expr, 1 - rho ** sp.Rational(-1, 2) / 2)
    assert equal(pick("acc_appa", "inexact prox").K, 2 * sp.sqrt(rho))
    assert equal(appa.ACC_ORACLE, 4 * rho ** sp.Rational(3, 2))
    ratio = pick("acc_appa", "inexact prox").K / pick("appa", "theorem 2.4").K
    assert sp.limit(ratio * sp.sqrt(lam), lam, sp.oo).is_finite


def test_the_dual_oracle_lets_delta_and_a_times_E_contract_by_r():
    """Both inequalities of one stage inserted, with e = E/sigma: Delta+ + a E+ <= r (Delta + a E)."""
    q, a, r = lam / (lam + mu), mu / (4 * lam), 1 - mu / (2 * (lam + mu))
    Delta, E, B = sp.symbols("Delta E B", positive=True)
    e = E / appa.dual_oracle(B)
    after = (q * Delta + B * e) + a * (2 * q * Delta + (2 + 2 * B) * e)
    assert equal(after, r * (Delta + a * E))
    assert equal(appa.dual_oracle(B), (B + 2 * a * (1 + B)) / (r * a))
    assert equal(pick("dual_appa", "dual oracle, a stage").expr, r)
    assert equal(appa.SIGMA.subs(S.l2, 0), appa.dual_oracle(1 + S.R**2 / (S.gamma * lam)))


def test_no_lemma_about_a_stage_asks_for_a_smooth_loss():
    for b in appa_lemmas.STAGES:
        assert S.gamma not in set().union(*(assumption.free_symbols for assumption in b.assumptions))


def test_lemmas_on_a_problem_and_at_numbers():
    assert pick("appa", "lemma 3.1").at(prox_weight=3.0, mu=1.0) == 0.75
    assert pick("appa", "theorem 2.2").at(
        nnz=100, R=2.0, gamma=1.0, n=10, mu=0.02, prox_weight=0.08, accuracy=np.e
    ) == pytest.approx(100 * 4)
    with pytest.raises(ValueError, match=r"needs prox_weight >= 2\*mu"):
        pick("acc_appa", "exact prox").at(prox_weight=1.0, mu=1.0)


# ------------------------------------------------------------ what a stage costs
def gap_tests():
    return takewhile(lambda e: e < 10**6, accumulate(repeat(None), lambda e, _: e + 1 + e // 4, initial=1))


def test_tests_within_e_epochs_are_few():
    assert max(count - e / 4 for count, e in enumerate(gap_tests(), 1)) == float(stages.most_tests())


@given(st.floats(1e-3, 1e5))
def test_the_first_test_after_x_epochs_has_cost_at_most_what_the_derivation_says(x):
    count, seen = next((count, e) for count, e in enumerate(gap_tests(), 1) if e >= x)
    assert seen <= 1 + 5 * x / 4
    assert count <= stages.most_tests() + x / 4 + 1
    assert seen + count / 2 <= sp.Rational(15, 4) + 11 * x / 8


def test_a_stage_with_uniform_sampling():
    x = S.C_in / S.n * (sp.log(S.C_in * c) + 1)
    assert equal(stages.cost(c), S.nnz * (sp.Rational(15, 4) + 11 * x / 8))
    assert equal(stages.inner().K, S.n + S.R**2 / (S.gamma * (S.l2 + lam)))
    assert equal(stages.cost(c, "uniform", sp.S.One) - stages.cost(c), S.nnz)


def test_importance_sampling_costs_the_same_where_rows_are_alike():
    alike = {S.F: S.n * S.R**2, S.C_D: S.nnz * S.R**2, S.C_in: stages.inner().K}
    assert equal(stages.inner("importance").K.subs(alike), stages.inner().K)
    numbers = {S.n: 30, S.R: 2.0, S.nnz: 90, S.gamma: 4.0, S.l2: 0.01, lam: 0.03, c: 50.0}
    costs = [float(stages.cost(c, sampling).subs(alike).subs(numbers)) for sampling in appa.INNER]
    assert costs[1] == pytest.approx(costs[0], rel=1e-12)


# ------------------------------------------------------------ on problems
SIZES = {"n": 24, "d": 5, "seed": 1}


@cache
def without_l2():
    """Least squares: mu from the smallest eigenvalue, P* from the normal equations."""
    X, y = data(**SIZES)
    w = np.linalg.lstsq(X, y, rcond=None)[0]
    mu_ = float(np.linalg.eigvalsh(X.T @ X / y.size)[0])
    return cdlab.Problem(X, y, loss="squared", l2=0.0), mu_, np.mean((X @ w - y) ** 2) / 2


@cache
def regularised(loss, l2, l1):
    return problem(loss, l2=l2, l1=l1, **SIZES), l2, optimum(loss, l2, l1, **SIZES)


CASES = {
    "squared, l2 = 0": without_l2,
    "logistic": lambda: regularised("logistic", 0.02, 0.0),
    "smooth hinge, l1": lambda: regularised("smooth_hinge", 0.05, 0.02),
}


def measured(P, mu_, best):
    return {"mu": mu_, "P0": P.primal(P.zeros(P.d)) - best}


@cache
def runs(case, method, parameters, sampling):
    """(passes, P(w) - P*) at every epoch, one run a seed, until P(w) - P* is 1e-4 of what it was."""
    P, mu_, best = CASES[case]()
    floor, found = 1e-4 * (P.primal(P.zeros(P.d)) - best), []
    for seed in SEEDS:
        rows = []
        for record in cdlab.iterate(P, METHODS[method](mu=mu_, **dict(parameters)), sampling=sampling, seed=seed):
            rows.append((record.passes, record.primal - best))
            if rows[-1][1] <= floor:
                break
        found.append(np.array(rows).T)
    return found


@pytest.mark.parametrize(
    ("b", "case"),
    [(b, case) for b in MAIN for case in CASES if b.sampling == "uniform" or case == "logistic"],
    ids=lambda part: part if isinstance(part, str) else f"{part.method}-{part.theorem}-{part.sampling}",
)
def test_runs_stay_below_the_curve_and_end_before_the_count(b, case):
    P, mu_, best = CASES[case]()
    known, found = measured(P, mu_, best), runs(case, b.method, b.parameters, b.sampling)
    grid = np.linspace(0, min(passes[-1] for passes, _ in found), 50)
    errors = np.array([error[np.searchsorted(passes, grid, side="right") - 1] for passes, error in found])
    mean, noise = errors.mean(axis=0), errors.std(axis=0, ddof=1) / np.sqrt(len(found))
    assert (mean - 3 * noise <= b.curve(P, grid, **known) * (1 + 1e-12)).all()
    assert np.mean([passes[-1] for passes, _ in found]) <= b.per("passes").for_problem(P, eps=1e-4, **known)


def ends_of_stages(P, method, seed, count):
    """Nonzeros visited and w at the end of each of the first stages."""
    S_ = method.init(P, "uniform")
    orders = method.orders(P, cdlab.samplings.Uniform(), np.random.default_rng(seed))
    visited = 0.0
    while count > 0:
        order = next(orders)
        S_ = method.epoch(method.view(P), S_, order)
        visited += method.count(P, S_, order)[1]
        if S_.stage.solved:
            count -= 1
            yield visited, method.points(P, S_).w


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("b", [b for b in MAIN if b.sampling == "uniform"], ids=lambda b: f"{b.method}-{b.theorem}")
def test_every_stage_contracts_as_promised_and_costs_what_it_may(b, case):
    P, mu_, best = CASES[case]()
    known, t = measured(P, mu_, best), np.arange(1, 9)
    W = b.per("cost per iteration").for_problem(P, **known)
    promised = b.curve(P, t * W / P.nnz, **known)  # after t stages
    visited = []
    for seed in range(10):
        ends = list(ends_of_stages(P, method_of(b, mu_), seed, t.size))
        assert (np.array([P.primal(w) for _, w in ends]) - best <= promised * (1 + 1e-9) + 1e-14).all()
        visited.append(ends[-1][0])
    assert np.mean(visited) <= t.size * W


def test_without_l2_mu_must_be_passed():
    P, mu_, _ = without_l2()
    for b in MAIN:
        with pytest.raises(ValueError, match=r"needs .*mu.*: pass .*mu=\.\.\."):
            b.for_problem(P)
        assert b.for_problem(P, mu=mu_) > 0


def test_the_default_weight_and_accuracy_are_the_methods_own():
    for P, mu_, _ in (without_l2(), regularised("logistic", 0.02, 0.0), regularised("smooth_hinge", 0.05, 0.02)):
        for b in MAIN:
            method, values = method_of(b, mu_), P.constants() | {"mu": mu_}
            for symbol, formula in b.defaults:
                values[symbol.name] = float(formula.subs({s: values[s.name] for s in formula.free_symbols}))
            assert values["prox_weight"] == pytest.approx(method.weight(P), rel=1e-12)
            asked = method.stop(P)[1]
            assert values.get("accuracy") == (asked if asked is None else pytest.approx(asked, rel=1e-12))


def test_l1_takes_no_more_accurate_stages():
    """The gap of a dual point is at most 1 + R^2/(gamma (l2 + lambda)) times its error, for any l1."""
    P, mu_, _ = regularised("smooth_hinge", 0.05, 0.02)
    without = problem("smooth_hinge", l2=mu_, l1=0.0, **SIZES)
    W = pick("dual_appa", "dual oracle").per("cost per iteration")
    assert W.for_problem(P) == W.for_problem(without)
    theory = DualAPPA(accuracy="theory")
    assert theory.stop(P) == theory.stop(without)


@pytest.mark.parametrize("method", ["appa", "dual_appa", "acc_appa"])
def test_relative_gaps_promise_the_rate_of_exact_steps_at_no_more_than_the_oracle_costs(method):
    b, oracle = (next(b for b in MAIN if b.method == method and bool(b.parameters) == told) for told in (False, True))
    exact = {"appa": pick("appa", "lemma 3.1"), "acc_appa": pick("acc_appa", "exact prox")}
    assert equal(1 - 1 / b.K, exact.get(method, exact["appa"]).expr)
    assert equal(2 * b.K, oracle.K)
    numbers = {"n": 100, "nnz": 700, "R": 3.0, "gamma": 4.0, "l2": 1e-3, "mu": 1e-3, "prox_weight": 0.05, "C_in": 200}
    numbers = {S.SYMBOLS[k]: v for k, v in numbers.items()}
    T, of_oracle = ((b.K * b.W).subs(dict(b.defaults)).subs(numbers) for b in (b, oracle))
    assert T < of_oracle  # a stage may cost more, but half as many do


def test_the_theory_s_accuracy_chooses_its_theorem_and_other_accuracies_have_none():
    for cls in METHODS.values():
        assert cdlab.theory.bound(cls()).theorem == "relative gap"
        assert not cdlab.theory.bound(cls()).parameters
        assert cdlab.theory.bound(cls(accuracy="theory")).parameters == (("accuracy", "theory"),)
        with pytest.raises(ValueError, match="no theorem covers"):
            cdlab.theory.bound(cls(accuracy=10.0))
    with pytest.raises(ValueError, match="no theorem covers"):
        cdlab.theory.bound(DualAPPA(dual_start="zero"))


def test_what_is_outside_is_refused():
    with pytest.raises(ValueError, match="gamma > 0"):
        pick("appa", "theorem 2.4").for_problem(problem("hinge", l2=0.1), prox_weight=0.1)
    with pytest.raises(ValueError, match="gamma > 0"):
        pick("appa", "relative gap").for_problem(problem("hinge", l2=0.1), prox_weight=0.1)
    with pytest.raises(ValueError, match="accuracy >="):
        pick("appa", "theorem 2.4").for_problem(problem("logistic", l2=0.1), accuracy=2.0)
    assert all(np.isfinite(b.for_problem(softmax_problem())) for b in MAIN)


# ------------------------------------------------------------ totals
def passes(b):
    """Of a total, without the logarithm of eps."""
    return b.count / appa_totals.DIGITS * b.W / S.nnz


KAPPA = {S.gamma: 1, S.n: 100, S.l2: 0, mu: sp.Float("1e-6")}


def growth(expr):
    """The exponent of R^2/(gamma n mu) in an expression, at large values of it and up to its logarithms."""
    R2 = 100 * 1e-6 * np.array([1e10, 1e14])
    values = [float(expr.subs(KAPPA).subs(S.R, np.sqrt(value)).evalf()) for value in R2]
    return np.log(values[1] / values[0]) / np.log(1e4)


def test_corollaries_at_their_weights():
    kappa_S = S.R**2 / (S.gamma * S.n * mu)
    assert equal(passes(pick("appa", "corollary 2.5")), 4 * sp.ceiling(kappa_S / 2) * sp.log(4))
    corrected, printed = pick("dual_appa", "corollary 2.11"), pick("dual_appa", "corollary 2.11, printed weight")
    assert equal(corrected.count, 4 * appa_totals.DIGITS)
    assert equal(printed.count, 2 * (1 + kappa_S) * appa_totals.DIGITS)
    for b, exponent in (
        (pick("appa", "corollary 2.5"), 1),
        (pick("acc_appa", "corollary 2.7"), 1 / 2),
        (corrected, 1 / 2),
        (printed, 1),
    ):
        assert growth(passes(b)) == pytest.approx(exponent, abs=0.06)
        assert b.kind == "asymptotic"


def test_table_1_on_the_scale_of_the_mean():
    kappa_S = 16
    numbers = {"n": 100, "nnz": 700, "R": 4.0, "gamma": 1.0, "mu": 0.01, "l2": 0.01, "P0": 1.0, "eps": np.exp(-1.0)}
    totals = {b.method: b.per("arithmetic").at(**numbers) for b in appa_totals.BOUNDS if b.theorem == "frostig table 1"}
    of_all = {"gd": 100 * kappa_S, "agd": np.sqrt(100 * kappa_S)}
    of_one = dict.fromkeys(("sag", "svrg", "sdca"), kappa_S)
    accelerated = dict.fromkeys(("apcg", "accprox_sdca", "acc_appa", "dual_appa"), np.sqrt(kappa_S))
    assert totals == pytest.approx({method: 700 * total for method, total in (of_all | of_one | accelerated).items()})


@pytest.mark.parametrize(
    ("method", "beyond"),
    [
        (APPA(epochs=3), "epochs=3"),
        (AccAPPA(epochs=3), "epochs=3"),
        (DualAPPA(decreasing=True), "decreasing=True"),
    ],
    ids=lambda each: getattr(each, "name", ""),
)
def test_heuristics_have_no_theorem(method, beyond):
    with pytest.raises(ValueError, match=f"no theorem covers {method.name} with {beyond}"):
        cdlab.theory.bound(method)
    cdlab.theory.bound(type(method)())
