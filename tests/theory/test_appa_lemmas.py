"""The lemmas about APPA and its relatives as identities, and what a certified stage costs."""

from itertools import accumulate, repeat, takewhile

import numpy as np
import pytest
import sympy as sp
from appa_theorems import MAIN
from formulas import equal, pick
from hypothesis import given
from hypothesis import strategies as st

from cdlab.theory import symbols as S
from cdlab.theory.derivations import stages
from cdlab.theory.theorems import appa

lam, mu, c = S.prox_weight, S.mu, S.accuracy
rho = 1 + 2 * lam / mu


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
    assert equal(appa.ORACLE_ACCURACY, 2 * (lam + mu) / mu)
    assert b.step == "stage"


def test_acceleration_takes_the_root_of_the_condition_number():
    assert equal(pick("acc_appa", "exact prox").expr, 1 - rho ** sp.Rational(-1, 2))
    assert equal(pick("acc_appa", "inexact prox, a stage").expr, 1 - rho ** sp.Rational(-1, 2) / 2)
    assert equal(pick("acc_appa", "inexact prox").K, 2 * sp.sqrt(rho))
    assert equal(appa.ACC_ORACLE_ACCURACY, 4 * rho ** sp.Rational(3, 2))
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
    for b in appa.STAGES:
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
    assert equal(stages.expected_visits(c), S.nnz * (sp.Rational(15, 4) + 11 * x / 8))
    assert equal(stages.inner_descent().K, S.n + S.R**2 / (S.gamma * (S.l2 + lam)))
    assert equal(stages.expected_visits(c, "uniform", sp.S.One) - stages.expected_visits(c), S.nnz)


def test_importance_sampling_costs_the_same_where_rows_are_alike():
    alike = {S.F: S.n * S.R**2, S.C_D: S.nnz * S.R**2, S.C_in: stages.inner_descent().K}
    assert equal(stages.inner_descent("importance").K.subs(alike), stages.inner_descent().K)
    numbers = {S.n: 30, S.R: 2.0, S.nnz: 90, S.gamma: 4.0, S.l2: 0.01, lam: 0.03, c: 50.0}
    costs = [float(stages.expected_visits(c, sampling).subs(alike).subs(numbers)) for sampling in appa.INNER]
    assert costs[1] == pytest.approx(costs[0], rel=1e-12)


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
