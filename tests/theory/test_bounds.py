"""The bounds as objects: numbers by hand, special cases and limits."""

import numpy as np
import pytest
import sympy as sp
from cases import each_of

import cdlab
from cdlab import theory
from cdlab.samplings import Lipschitz
from cdlab.theory import registry
from cdlab.theory import symbols as S


# ------------------------------------------------------------ by hand
@pytest.mark.parametrize(
    ("loss", "sampling", "T_P", "T_D"),
    [
        ("squared", "importance", 106, 88.25),
        ("squared", "uniform", 127.5, 97.75),
        ("logistic", "importance", 39.25, 34.8125),
        ("logistic", "uniform", 44.625, 37.1875),
    ],
)
def test_face_off_totals_of_the_golden_example(golden, loss, sampling, T_P, T_D):
    P = golden(loss)
    assert theory.bound("rcd", "T", sampling).for_problem(P) == pytest.approx(T_P, rel=1e-14)
    assert theory.bound("quartz", "T", sampling).for_problem(P) == pytest.approx(T_D, rel=1e-14)
    assert theory.bound("sdca", "T", sampling).for_problem(P) == pytest.approx(T_D, rel=1e-14)


def test_golden_example_in_every_quantity(golden):
    # squared loss, l2 n = 1: K_P = 4 + 20.75 and W_P = 106/24.75 with importance sampling
    P, log = golden(), np.log(1e6)
    by_hand = {"K": 24.75, "cost per iteration": 106 / 24.75, "iterations": 24.75 * log, "passes": 106 / 17 * log,
               "arithmetic": 106 * log, "T": 106}  # fmt: skip
    for quantity, value in by_hand.items():
        assert theory.bound("rcd", quantity, "importance").for_problem(P, eps=1e-6) == pytest.approx(value, rel=1e-13)
    # the dual pays ln K more for w = w(alpha): K_D = 5 + 20.75
    gap0 = P.constants()["gap0"]
    assert theory.bound("quartz", "iterations", "importance").for_problem(P, eps=1e-6, P0=gap0) == pytest.approx(
        25.75 * np.log(25.75e6), rel=1e-13
    )
    averaged = theory.bound("quartz", "iterations", "importance", "averaged")
    assert averaged.for_problem(P, eps=1e-6, P0=gap0) == pytest.approx(25.75 * log, rel=1e-13)


def test_lipschitz_count_by_hand(golden):
    # hinge, L = 1, R^2 = 4.75, l2 n = 1: t0 = ceil(5 ln(2/19)) < 0, so 5 + 20 * 4.75 / (0.2 eps)
    count = theory.bound("sdca", "iterations", theorem="lipschitz")
    assert count.for_problem(golden("hinge"), eps=0.01, P0=1.0) == pytest.approx(
        5 + 20 * 4.75 / (0.2 * 0.01), rel=1e-13
    )
    # t0 = ceil(1000 ln(1000 * 0.1 * 0.5 / 2)) = ceil(1000 ln 25)
    assert count.at(n=1000, l2=0.1, L=1, R=1, D0=0.5, eps=0.1) == np.ceil(1000 * np.log(25)) + 1000 + 20 / 0.01


@pytest.mark.parametrize("method", ["sdca", "quartz", "rcd"])
def test_without_nonzeros_a_pass_is_n_iterations_and_as_many_examples(method):
    P = cdlab.Problem(np.zeros((4, 3)), np.array([1.0, -1, 1, -1]), loss="squared", l2=0.1)
    iterations, passes, examples = (
        theory.bound(method, quantity).for_problem(P, P0=0.3, D0=0.3)
        for quantity in ("iterations", "passes", "examples")
    )
    assert iterations > 0
    assert (passes, examples) == (iterations / 4, iterations)


def test_measured_values_replace_the_upper_bounds(golden):
    b = theory.bound("sdca", "iterations")
    K = 5 + 4.75 / 0.2
    # eps is relative to P(0) - P*: 1e-3 * 0.4; D* - D(0) = 0.3
    assert b.for_problem(golden(), eps=1e-3, D0=0.3, P0=0.4) == pytest.approx(K * np.log(K * 0.3 / 4e-4), rel=1e-13)


@pytest.mark.parametrize("loss", ["squared", "logistic"])
@pytest.mark.parametrize("method", ["rcd", "quartz"])
def test_a_vector_of_probabilities_agrees_with_the_closed_forms(golden, method, loss):
    P = golden(loss)
    c = P.constants()
    v = c["col_norms2"] if method == "rcd" else c["row_norms2"]
    s = v / c["gamma"] + c["l2"] * c["n"]
    for quantity in theory.QUANTITIES:
        for name, p in (("importance", s / s.sum()), ("uniform", np.ones(v.size))):
            assert theory.bound(method, quantity, p).for_problem(P) == pytest.approx(
                theory.bound(method, quantity, name).for_problem(P), rel=1e-12
            )


def test_lipschitz_sampling_runs_from_uniform_to_importance(golden):
    P = golden()
    for power, name in ((0.0, "uniform"), (1.0, "importance")):
        b = theory.bound("rcd", "arithmetic", Lipschitz(power))
        assert b.for_problem(P) == pytest.approx(theory.bound("rcd", "arithmetic", name).for_problem(P), rel=1e-12)
    totals = [theory.bound("rcd", "T", Lipschitz(a)).for_problem(P) for a in (0, 0.5, 1)]
    assert totals == sorted(totals, reverse=True)
    assert theory.bound("rcd", "T", "lipschitz").for_problem(P) == totals[1]


def test_symbolic_definitions_of_K_and_W_agree_with_their_numbers(golden):
    P = golden()
    c = P.constants()
    for method, axis in (("quartz", "row"), ("rcd", "col")):
        for sampling in ("norms", "lipschitz"):
            b = theory.bound(method, sampling=sampling)
            definition = {equation.lhs: equation.rhs for equation in b.definitions}
            size = c[f"{axis}_norms2"].size
            given = {S.l2: sp.Rational(1, 5), S.gamma: 1, S.n: 5, S.d: 4, S.power: sp.Rational(1, 2)}

            def value(expr, index, definition=definition, axis=axis, size=size, given=given):
                """Substitute the definitions, then the example's own norms and counts, at one coordinate."""
                expr = expr.subs(S.p[S.i], definition[S.p[S.i]]).subs(given).doit()
                for k in range(1, size + 1):
                    expr = expr.subs(S.s[k], definition[S.s[S.i]].subs(S.i, k).subs(given))
                expr = expr.subs(S.s[S.i], definition[S.s[S.i]].subs(given)).subs(S.i, index)
                for k in range(1, size + 1):
                    norms, counts = c[f"{axis}_norms2"][k - 1], int(c[f"{axis}_counts"][k - 1])
                    expr = expr.subs({S.v[k]: sp.Rational(norms), S.c[k]: counts})
                return float(expr)

            ratio = definition[S.K].args[0]
            cost = definition[S.W].function
            K = max(value(ratio, k) for k in range(1, size + 1))
            W = sum(value(cost, k) for k in range(1, size + 1))
            assert b.per("K").for_problem(P) == pytest.approx(K, rel=1e-12)
            assert b.per("cost per iteration").for_problem(P) == pytest.approx(W, rel=1e-12)


# ------------------------------------------------------------ special cases and limits
@pytest.mark.parametrize(("method", "size"), [("sdca", S.n), ("quartz", S.n), ("rcd", S.d)])
def test_importance_equals_uniform_for_equal_norms(method, size):
    largest, C = (S.R, S.C_D) if method != "rcd" else (S.R_col, S.C_P)
    equal = {S.F: size * largest**2, C: S.nnz * largest**2}
    for quantity in theory.QUANTITIES:
        importance, uniform = (theory.bound(method, quantity, s).expr for s in ("importance", "uniform"))
        assert sp.simplify(importance.subs(equal) - uniform) == 0


def test_sdca_and_quartz_have_the_same_bound_for_plain_w():
    for sampling in ("uniform", "importance", "norms"):
        assert theory.bound("sdca", sampling=sampling).expr == theory.bound("quartz", sampling=sampling).expr


@each_of("method", ["sdca", "quartz", "rcd"])
@each_of("sampling", ["uniform", "importance"])
def test_strong_regularisation_or_smoothness_costs_one_pass_per_factor_e(method, sampling, numbers):
    T = theory.bound(method, "T", sampling).expr
    assert sp.limit(T, S.l2, sp.oo) == S.nnz
    assert sp.limit(T, S.gamma, sp.oo) == S.nnz
    assert theory.bound(method, "K", sampling).at(**numbers | {"l2": 1e12}) == pytest.approx(
        50 if method != "rcd" else 20
    )


def test_dense_data_reward_the_shorter_side():
    # dense X: C_P = n F and C_D = d F, so T_P <= T_D iff n <= d
    T_P, T_D = (theory.bound(method, "T", "importance").expr for method in ("rcd", "quartz"))
    difference = (T_P - T_D).subs({S.C_P: S.n * S.F, S.C_D: S.d * S.F})
    assert sp.simplify(difference - (S.n - S.d) * S.F / (S.gamma * S.l2 * S.n)) == 0


def test_quartz_average_saves_the_factor_K_in_the_logarithm():
    plain, averaged = (theory.bound("quartz", "iterations", "uniform", t) for t in ("plain", "averaged"))
    saved = plain.expr - averaged.expr.subs(S.gap0, S.D0)
    assert sp.simplify(sp.expand_log(saved - plain.K * sp.log(plain.K), force=True)) == 0


@pytest.mark.full
def test_exact_count_is_never_larger_and_equal_in_the_limit(numbers, numbers_for):
    sharpened = [b for b in registry.all_theorems() if b.counts and b.exact is not None and b.K is not None]
    for b in {theorem.method: theorem.per("passes") for theorem in reversed(sharpened)}.values():  # the main ones
        values = numbers_for(b)
        sharper = b.sharper()
        assert sharper.exact is None
        K = b.per("K").at(**values)
        ratio = sharper.at(**values) / b.at(**values)
        assert ratio == pytest.approx(-1 / (K * np.log1p(-1 / K)), rel=1e-12)
        assert 1 - 1 / K < ratio < 1
    huge = theory.bound("rcd", "iterations", "norms")
    assert huge.sharper().at(**numbers | {"K": 1e17}) == pytest.approx(huge.at(**numbers | {"K": 1e17}), rel=1e-14)


def test_kappa_may_stand_for_what_it_is_made_of():
    given = {"n": 1000, "D0": 0.7, "eps": 1e-6}
    apart = theory.bound("sdca").at(R=2.0, l2=0.01, gamma=4.0, **given)
    assert theory.bound("sdca").at(kappa=100.0, **given) == pytest.approx(apart)
    with pytest.raises(ValueError, match="needs .*l2"):
        theory.bound("rcd").at(kappa=100.0, **given)  # the norms of columns are no part of kappa


def test_what_draws_nothing_has_no_sampling_in_its_name():
    assert theory.bound("gd").explain().startswith("gd: ")
    assert str(theory.bound("gd")).startswith("passes bound of gd (theorem ")
    assert theory.bound("sdca").explain().startswith("sdca with uniform sampling: ")
