"""ASDCA's theorem: theta and its maximum, the two methods it lies between, and runs below the curves."""

from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from problems import data

import cdlab
from cdlab.methods.asdca import ASDCA, theta
from cdlab.samplings import TauNice
from cdlab.theory import symbols as S
from cdlab.theory.named_samplings import name_sampling
from cdlab.theory.theorems.asdca import BOUNDS, STEP, K

SMOOTH, SUM, ONE_STEP = BOUNDS
RATE = SMOOTH.per("K")
SEEDS = range(30)
POSITIVE = {s: sp.Symbol(s.name, positive=True) for s in K.free_symbols}
kappa = S.R**2 / (S.l2 * S.gamma)


# ------------------------------------------------------------ the rate
def test_n_over_m_theta_is_the_printed_maximum():
    """1/min{...} = max{1/...}, term by term, in the paper's own gamma."""
    gamma_s = S.gamma / S.R**2
    printed = (
        S.n / S.m,
        sp.sqrt(S.n / (S.m * gamma_s * S.l2)),
        1 / (S.m * gamma_s * S.l2),
        sp.cbrt(S.n) / (gamma_s * S.l2 * S.m) ** sp.Rational(2, 3),
    )
    for term, expected in zip(STEP, printed, strict=True):
        assert sp.simplify((S.n / (S.m * term) - expected).subs(POSITIVE)) == 0
    assert ONE_STEP.expr == 1 - 1 / K


def test_the_last_term_never_decides():
    """It is the weighted geometric mean of the two before it: never their minimum."""
    _, second, third, last = (term.subs(POSITIVE) for term in STEP)
    assert sp.simplify(last / (second ** sp.Rational(2, 3) * third ** sp.Rational(1, 3))) == 1


@given(st.integers(1, 500), st.floats(0, 1), st.floats(1e-4, 10), st.floats(0.1, 4), st.floats(0.05, 5))
def test_K_is_that_of_the_step_the_method_takes(n, share, l2, gamma, R):
    m = max(1, round(share * n))
    step = theta(gamma * l2 * n / R**2, m)
    assert RATE.at(n=n, m=m, l2=l2, gamma=gamma, R=R) == pytest.approx(n / (m * step), rel=1e-12)


@given(st.integers(1, 10_000), st.floats(1e-6, 1e6))
def test_one_example_is_sdca_and_all_are_the_accelerated_gradient(n, ratio):
    values = {"n": n, "R": 1.0, "gamma": 1.0, "l2": ratio}
    assert RATE.at(m=1, **values) == pytest.approx(4 * max(n, 1 / ratio), rel=1e-12)
    if ratio >= n**-2.0:
        assert RATE.at(m=n, **values) == pytest.approx(4 * max(1, ratio**-0.5), rel=1e-12)


def test_the_accelerated_gradient_is_lost_below_its_condition():
    assert RATE.at(m=10, n=10, R=1.0, gamma=1.0, l2=1e-3) > 4 * 1e-3**-0.5 * 1.1


@pytest.mark.parametrize(
    ("regime", "iterations"), [(sp.S.One, S.n / sp.sqrt(S.m)), (1 / S.m, S.n), (S.m, S.n / S.m)]
)  # fmt: skip
def test_the_papers_three_regimes(regime, iterations):
    """gamma l2 n/R^2 ~ 1, 1/m and m: n/sqrt(m), n and n/m iterations."""
    at = K.subs(S.R, sp.sqrt(S.gamma * S.l2 * S.n / regime)).subs(POSITIVE)
    for n, m in ((64, 16), (1000, 10), (49, 49)):
        numbers = {POSITIVE[S.n]: n, POSITIVE[S.m]: m, POSITIVE[S.l2]: 0.1, POSITIVE[S.gamma]: 0.7}
        assert float(at.subs(numbers)) == pytest.approx(4 * float(iterations.subs({S.n: n, S.m: m})), rel=1e-12)


def test_constants_by_hand():
    values = {"n": 60, "m": 5, "R": 1.5, "l2": 0.01, "gamma": 0.5, "P0": 0.3, "D0": 0.2}
    count = RATE.at(**values) * np.log((5 * 0.3 + 60 * 0.2) / (5 * 1e-3))
    assert SMOOTH.at(**values, eps=1e-3) == pytest.approx(count)
    assert SUM.at(**values, gap0=0.5, eps=1e-3) == pytest.approx(RATE.at(**values) * np.log(60 / 5 * 0.5 / 1e-3))
    assert SMOOTH.per("examples").at(**values, nnz=99, eps=1e-3) == pytest.approx(5 * count)


# ------------------------------------------------------------ runs
def with_k(loss, k, n=20, d=5):
    """gamma l2 n/R^2 = k, and P* to rounding."""
    X, y = data(n=n, d=d, seed=2)
    free = cdlab.Problem(X, y, loss=loss)
    P = cdlab.Problem(X, y, loss=loss, l2=k * free.R**2 / (free.loss.gamma * n))
    s = cdlab.solve(P, "sdca", sampling="permutation", tol=0, max_passes=1500)
    assert s.gap <= 1e-14
    return P, P.dual(s.alpha)


@pytest.mark.full  # a push checks each theorem on one problem: tests/theorems
@pytest.mark.parametrize(("loss", "m", "k"), [("logistic", 1, 1.0), ("smooth_hinge", 4, 1 / 4), ("squared", 20, 20.0)])
def test_runs_stay_below_the_curves(loss, m, k):
    P, best = with_k(loss, k)
    drawn = name_sampling(TauNice(m))._replace(name="uniform")
    batch = {b.theorem: replace(b, asked_sampling=drawn) for b in (SMOOTH, SUM)}
    between = max(
        1, int(batch["smooth"].per("K").for_problem(P) / np.ceil(P.n / m) / 3)
    )  # epochs from one record to the next
    rows = np.empty((len(SEEDS), 16, 2))
    for row, seed in zip(rows, SEEDS, strict=True):
        method = ASDCA(batch_size=m)
        state, view = method.init(P, "uniform"), method.view(P)
        orders = method.orders(P, cdlab.samplings.resolve("uniform"), np.random.default_rng(seed))
        for record in row:
            for order in islice(orders, between):
                state = method.epoch(view, state, order)
            at = method.points(P, state)
            primal, dual = P.primal(at.w) - best, best - P.dual(at.alpha)
            record[:] = primal, primal + P.n / m * dual
    true = {"P0": P.primal(np.zeros(P.d)) - best, "D0": best - P.dual(np.zeros(P.n))}
    t = np.arange(1, 17) * between * np.ceil(P.n / m)
    for which, theorem in enumerate(("smooth", "sum")):
        cost = batch[theorem].per("cost per iteration").for_problem(P) / P.nnz
        assert cost == pytest.approx(m / P.n)
        curve = np.asarray(batch[theorem].curve(P, t * cost, **true))
        mean, error = rows[:, :, which].mean(axis=0), rows[:, :, which].std(axis=0, ddof=1) / np.sqrt(len(SEEDS))
        assert (mean - 3 * error <= curve * (1 + 1e-12)).all()
        assert curve[-1] < 0.05 * curve[0]
