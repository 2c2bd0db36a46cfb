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
    ratio = pick("acc_appa", "inexact prox").K / pick("appa", "theorem 2.4").K
    assert sp.limit(ratio * sp.sqrt(lam), lam, sp.oo).is_finite


# ------------------------------------------------------------ a stage of accelerated APPA, at its worst
REFUTING = (np.array([1000.0, 1.0]), 2.0, np.zeros(2), np.array([1.0, 0.0]))  # an oracle that starts at y fails here


def quadratics(count=400):
    """P = w'diag(h)w/2 with mu = 1, a weight of 2 mu or more, x and v."""
    rng = np.random.default_rng(0)
    yield REFUTING
    for k in range(count):
        h = np.append(10 ** rng.uniform(0, 6, size=2), 1.0)
        x, v = rng.standard_normal((2, 3)) * 10 ** rng.uniform(-4, 4, size=(2, 3)) * [[k % 4 != 0], [k % 4 != 2]]
        yield h, 2 * 10 ** (rng.uniform(0, 5) if k % 3 else 0.0), x, v


def farthest(worth, least, H, allowed):
    """A local maximum of a convex quadratic (its value and gradient) over H @ (x' - least)**2/2 <= allowed."""
    found = []
    for k in range(H.size):
        new = least + np.sqrt(2 * allowed / H[k]) * np.eye(H.size)[k]
        for _ in range(30):
            down = worth(new)[1] / H
            new = least + np.sqrt(2 * allowed / (H @ down**2)) * down
        found.append(worth(new)[0])
    return max(found)


@pytest.mark.parametrize("rule", ["theory", "relative gap"])
def test_a_stage_of_accelerated_appa_contracts_from_any_state_with_any_admissible_error(rule):
    value, exact = (pick("acc_appa", name).expr for name in ("inexact prox, a stage", "exact prox"))
    closest = 0.0
    for h, lam_, x, v in quadratics():
        rho_, H = 1 + 2 * lam_, h + lam_
        r, zeta = rho_**-0.5, 2 + 1 / lam_
        y = (x + r * v) / (1 + r)
        least, far = lam_ * y / H, (x - y) @ (x - y)
        weight = 1 + r * (rule == "theory")  # of P - P* in the potential

        def worth(new, y=y, v=v, h=h, r=r, zeta=zeta, lam_=lam_, weight=weight):
            moved = (1 - r) * v + r * (y - zeta * lam_ * (y - new))
            slope = weight * h * new + moved * r * zeta * lam_ / 2
            return weight * new @ (h * new) / 2 + moved @ moved / 4, slope

        before = weight * x @ (h * x) / 2 + v @ v / 4
        if rule == "theory":
            allowed = (H @ (x - least) ** 2) / 2 / (float(appa.ACC_ORACLE_ACCURACY.subs({lam: lam_, mu: 1})) + 1)
            share = float(value.subs({lam: lam_, mu: 1}))
        else:  # (1 + rho) (f(x') - f*) <= (lambda/2)(||x' - y||^2 + r ||x - y||^2): an ellipsoid, too
            excess = (1 + rho_) * H - lam_
            middle = ((1 + rho_) * H * least - lam_ * y) / excess
            spent = (1 + rho_) * (H @ (middle - least) ** 2) - lam_ * (middle - y) @ (middle - y)
            least, H, allowed = middle, excess, (lam_ * r * far - spent) / 2
            share = float(exact.subs({lam: lam_, mu: 1}))
        closest = max(closest, farthest(worth, least, H, allowed) / (share * before))
    assert 0.5 < closest <= 1 + 1e-9


def test_the_derivation_of_an_accelerated_stage_ends_where_the_docstring_says():
    s, t, e, r = sp.symbols("s t e r", positive=True)
    expected = (1 + r**-2) * e - lam / 2 * s**2 - r * lam / 2 * t**2
    assert equal(stages.accelerated_stage(), expected)
    progress = sp.expand(r * (lam / 2 * (t**2 - s**2)))  # r (f(x) - f(x')) but for P(x) - P(x')
    assert equal(expected.subs(e, progress / (1 + r**-2)).coeff(t, 2), 0)
    at_rho = appa.ACC_ORACLE_ACCURACY.subs(lam, mu / 2 * (r**-2 - 1))
    assert equal(at_rho, (1 + r**-2) / r)


def test_a_stage_ends_at_the_latest_at_the_gap_that_its_cost_is_derived_from():
    """At every x' whose f(x') - f* is at most that gap the rule holds: of appa, accelerated, and of an oracle."""
    rng = np.random.default_rng(1)
    for h, lam_, x, v in quadratics():
        rho_, H, q = 1 + 2 * lam_, h + lam_, lam_ / (lam_ + 1)
        r, c = rho_**-0.5, 10 ** rng.uniform(0, 4)
        direction = rng.standard_normal(h.size)

        def at_gap(gap, around, H=H, direction=direction, lam_=lam_):
            return lam_ * around / H + np.sqrt(2 * gap / (H @ direction**2)) * direction

        s2 = (h * x / H) @ (h * x / H)
        gap = lam_ / 2 * s2 / (1 + np.sqrt(q)) ** 2
        assert gap <= lam_ / 2 * ((at_gap(gap, x) - x) ** 2).sum() * (1 + 1e-9)
        y = (x + r * v) / (1 + r)
        far, s2 = r * (x - y) @ (x - y), (h * y / H) @ (h * y / H)
        gap = 9 / 16 * lam_ / 2 * (s2 + far) / (1 + rho_)
        assert gap <= lam_ / 2 * (((at_gap(gap, y) - y) ** 2).sum() + far) / (1 + rho_) * (1 + 1e-9)

        def f(w, y=y, h=h, lam_=lam_):
            return w @ (h * w) / 2 + lam_ / 2 * ((w - y) ** 2).sum()

        gap = (f(x) - f(lam_ * y / H)) / (c + 1)
        assert gap <= (f(x) - f(at_gap(gap, y))) / c * (1 + 1e-6) + 1e-12 * f(x)


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
def test_relative_gaps_promise_the_rate_of_exact_steps(method):
    b, oracle = (next(b for b in MAIN if b.method == method and bool(b.parameters) == told) for told in (False, True))
    exact = {"appa": pick("appa", "lemma 3.1"), "acc_appa": pick("acc_appa", "exact prox")}
    assert equal(1 - 1 / b.K, exact.get(method, exact["appa"]).expr)
    assert (oracle.K - b.K).subs({lam: 3, mu: 1}) > 0
