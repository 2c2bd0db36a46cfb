"""The face-off's lemmas as formulas: against exact integers, random matrices, and the golden example."""

from dataclasses import replace

import numpy as np
import pytest
import sympy as sp
from hypothesis import given
from hypothesis import strategies as st
from problems import problem

import cdlab
from cdlab.faceoffs import binary_matrices
from cdlab.theory import symbols as S
from cdlab.theory.derivations import counts
from cdlab.theory.importance import theorem2_small
from cdlab.theory.limiting_cases import arrow_constants
from cdlab.theory.named_samplings import name_sampling
from cdlab.theory.theorems import faceoff_lemmas
from cdlab.theory.theorems.faceoff import BOUNDS as THEOREM_1

LEMMAS = {b.theorem: b for b in faceoff_lemmas.BOUNDS}
SIZES = [(n, d, alpha) for n in range(1, 9) for d in range(1, 9) for alpha in range(max(n, d), n * d + 1)]


def at(theorem, **values):
    return LEMMAS[theorem].at(**values)


def grid():
    n, d, alpha = np.array(SIZES).T
    return {"n": n, "d": d, "nnz": alpha}


# ------------------------------------------------------------ binary data
@pytest.mark.parametrize(
    ("theorem", "exact"),
    [
        ("eq. (19)", lambda n, d, alpha: binary_matrices.L(alpha, n)),
        ("eq. (20)", lambda n, d, alpha: binary_matrices.L(alpha, d)),
        ("eq. (21)", lambda n, d, alpha: binary_matrices.U(alpha, n, d)),
        ("eq. (22)", lambda n, d, alpha: binary_matrices.U(alpha, d, n)),
        ("theorem 4", lambda n, d, alpha: binary_matrices.theorem4(alpha, d, n)[1]),
        ("theorem 4, lower", lambda n, d, alpha: binary_matrices.theorem4(alpha, d, n)[0]),
    ],
)
def test_lemma_9_and_theorem_4_agree_with_exact_integers(theorem, exact):
    assert at(theorem, **grid()) == pytest.approx([exact(*sizes) for sizes in SIZES], rel=1e-15)
    assert at(theorem, n=1000, d=100, nnz=5000) == pytest.approx(exact(1000, 100, 5000), rel=1e-15)


@given(st.integers(1, 10**6), st.integers(1, 10**6), st.floats(0, 1))
def test_they_agree_at_large_sizes_too(n, d, share):
    alpha = round(max(n, d) + share * (n * d - max(n, d)))
    assert at("eq. (19)", n=n, d=d, nnz=alpha) == pytest.approx(binary_matrices.L(alpha, n), rel=1e-9)
    assert at("theorem 4", n=n, d=d, nnz=alpha) == pytest.approx(binary_matrices.R(alpha, d, n), rel=1e-9)


def test_the_papers_forms_of_L_and_U():
    A, B, x = (sp.Symbol(name, integer=True) for name in "ABx")
    alpha, m, top = sp.symbols("alpha m top", integer=True, positive=True)
    k = sp.floor(alpha / m)
    lower = faceoff_lemmas.smallest_sum_of_squares(alpha, m).subs(k, A / m)
    assert sp.simplify(lower - (A**2 + (alpha - A) * (2 * A + m)) / m) == 0
    floor = sp.floor((alpha - m) / sp.Max(1, top - 1))
    upper = faceoff_lemmas.largest_sum_of_squares(alpha, m, top).subs(floor, x).subs(x, B / (top - 1))
    assert sp.simplify(upper - ((top + 1) * B + m - 1 + (alpha - m - B + 1) ** 2)) == 0


def test_golden_numbers_of_lemma_9_and_theorem_4():
    sizes = {"n": 5, "d": 4, "nnz": 9}
    assert [at(f"eq. ({number})", **sizes) for number in (19, 20, 21, 22)] == [17, 21, 23, 31]
    assert at("theorem 4, lower", **sizes) == pytest.approx(0.9130434783, rel=1e-9)
    assert at("theorem 4", **sizes) == pytest.approx(1.8235294118, rel=1e-9)
    assert at("theorem 4, lower", n=1000, d=100, nnz=5000) == pytest.approx(0.6209020465, rel=1e-9)
    with pytest.raises(ValueError, match="needs nnz >= n, but n = 5 and nnz = 4 was passed"):
        at("eq. (19)", n=5, d=4, nnz=4)


def test_theorem_5_and_corollary_6_printed_and_exact():
    n = np.arange(1, 61)
    assert (at("theorem 5", n=n, d=100) == [binary_matrices.alpha_threshold(k) for k in n]).all()
    assert (at("corollary 6", n=n) == [binary_matrices.d_threshold(k) for k in n]).all()
    for theorem, exact in (
        ("theorem 5", binary_matrices.alpha_threshold),
        ("corollary 6", binary_matrices.d_threshold),
    ):
        printed = at(f"{theorem}, printed", n=n, d=100)
        assert (printed == [exact(int(k), as_stated=True) for k in n]).all()
        assert (printed > at(theorem, n=n, d=100)).all()
    for k in range(1, 40):
        few = range(k, binary_matrices.d_threshold(k) + (k % 2 == 0))  # 4 d < (n + 1)^2
        assert [at("theorem 5, this d", n=k, d=d) for d in few] == [binary_matrices.alpha_threshold(k, d) for d in few]
    with pytest.raises(ValueError, match=r"needs 4\*d < \(n \+ 1\)\*\*2"):
        at("theorem 5, this d", n=5, d=9)


def test_above_the_thresholds_C_P_is_at_most_C_D_by_theorem_4():
    for n, d, alpha in SIZES:
        if d >= n and (alpha >= at("theorem 5", n=n, d=d) or d >= at("corollary 6", n=n)):
            assert at("theorem 4", n=n, d=d, nnz=alpha) <= 1


# ------------------------------------------------------------ any data
@given(st.integers(1, 7), st.integers(1, 7), st.integers(0, 2**32 - 1))
def test_theorem_3_on_random_matrices(n, d, seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.6) * np.exp(3 * rng.standard_normal((n, d)))
    X[0, 0] = 1.0
    f, F = cdlab.faceoff(X), (X**2).sum()
    slack = 1 + 1e-12
    assert F <= f.C_P * slack
    assert F <= f.C_D * slack
    assert f.C_P <= at("theorem 3, C_P", n=n, F=F) * slack
    assert f.C_D <= at("theorem 3, C_D", d=d, F=F) * slack
    assert at("theorem 3, lower", d=d) / slack <= f.C_P / f.C_D <= at("theorem 3", n=n) * slack


def test_both_ends_of_theorem_3_are_limits_of_the_arrow():
    a, b, c = sp.symbols("a b c", positive=True)
    C_P, C_D = arrow_constants(a, b, c)
    F = a**2 + (S.n - 1) * b**2 + (S.d - 1) * c**2
    for variable, P_over_D, P_over_F, D_over_F in ((b, S.n, S.n, 1), (c, 1 / S.d, 1, S.d)):
        for ratio, end in ((C_P / C_D, P_over_D), (C_P / F, P_over_F), (C_D / F, D_over_F)):
            assert sp.cancel(sp.limit(ratio, variable, sp.oo) - end) == 0
    X = np.zeros((4, 6))
    X[0, 0], X[1:, 0], X[0, 1:] = 1.0, 3.0, 0.5
    f = cdlab.faceoff(X)
    numbers = {a: 1, b: 3, c: sp.Rational(1, 2), S.n: 4, S.d: 6}
    assert (f.C_P, f.C_D) == pytest.approx((float(C_P.subs(numbers)), float(C_D.subs(numbers))))


def test_independent_entries_have_the_expected_ratio():
    n, d, density, draws = 12, 5, 0.4, 4000
    rng = np.random.default_rng(0)
    X = (1 + rng.standard_normal((draws, n, d))) * (rng.random((draws, n, d)) < density)
    C_P = ((X != 0).sum(1) * (X**2).sum(1)).sum(1).mean()
    C_D = ((X != 0).sum(2) * (X**2).sum(2)).sum(1).mean()
    assert C_P / C_D == pytest.approx(at("i.i.d. entries", n=n, d=d, nnz=density * n * d), rel=0.02)
    assert at("i.i.d. entries", n=7, d=7, nnz=20) == 1


# ------------------------------------------------------------ the equations
def test_golden_numbers_of_the_equations(golden):
    P = golden()
    values = {theorem: b.for_problem(P) for theorem, b in LEMMAS.items() if theorem.startswith(("eq. (14", "eq. (15"))}
    assert values["eq. (15), primal"] == pytest.approx(106)
    assert values["eq. (15), dual"] == pytest.approx(88.25)
    assert LEMMAS["uniform, primal"].for_problem(P) == pytest.approx(127.5)
    assert LEMMAS["uniform, dual"].for_problem(P) == pytest.approx(97.75)
    assert LEMMAS["ratio"].for_problem(P) == pytest.approx(106 / 88.25)
    assert LEMMAS["ratio, table 1"].for_problem(P) == pytest.approx(106 / 88.25)  # here l2 n gamma = 1
    assert (LEMMAS["eq. (16), primal"].for_problem(P), LEMMAS["eq. (16), dual"].for_problem(P)) == (89, 71.25)


def test_the_equations_are_theorem_1_without_the_logarithm():
    for method, side in (("rcd", "primal"), ("quartz", "dual")):
        by = {b.sampling: b for b in THEOREM_1 if b.method == method and b.theorem in ("smooth", "plain")}
        assert sp.simplify(LEMMAS[f"eq. (14), {side}"].expr - by["importance"].K) == 0
        assert sp.simplify(LEMMAS[f"eq. (15), {side}"].expr - by["importance"].per("T").expr) == 0
        assert sp.simplify(LEMMAS[f"uniform, {side}"].expr - by["uniform"].per("T").expr) == 0


@given(st.integers(0, 2**32 - 1))
def test_no_probabilities_beat_importance_sampling(seed):
    P, rng = problem(l2=0.01), np.random.default_rng(seed)
    for number, side, m in ((12, "primal", P.d), (13, "dual", P.n)):
        drawn = name_sampling(rng.dirichlet(np.ones(m)) + 1e-6)
        T = replace(LEMMAS[f"eq. ({number})"], asked_sampling=drawn).for_problem(P)
        assert T >= LEMMAS[f"eq. (15), {side}"].for_problem(P)
        assert LEMMAS[f"uniform, {side}"].for_problem(P) >= LEMMAS[f"eq. (15), {side}"].for_problem(P)


def test_eq_15_is_the_minimum_that_theorem_2_proves():
    """For two coordinates, s_j = v_j/gamma + l2 n, up to the factor 1/(l2 n)."""
    found = theorem2_small(2)
    s, c, v = (sp.symbols(f"{name}1:3", positive=True) for name in "scv")
    minimum = found.minimum.subs({s[j]: v[j] / S.gamma + S.l2 * S.n for j in range(2)}) / (S.l2 * S.n)
    moments = {S.nnz: c[0] + c[1], S.C_P: c[0] * v[0] + c[1] * v[1]}
    assert sp.simplify(LEMMAS["eq. (15), primal"].expr.subs(moments) - minimum) == 0


def test_the_break_even_cost_of_a_derivative_is_the_face_offs():
    P = problem("logistic", l2=0.05, n=8, d=30, density=1.0)
    f = cdlab.faceoff(P)
    assert f.break_even is not None
    assert LEMMAS["break-even"].for_problem(P) == pytest.approx(max(0.0, f.break_even), rel=1e-10)
    K_D = counts.coordinate_descent(counts.DUAL, "importance").K
    cost = sp.Symbol("cost", positive=True)
    with_derivatives = (1 + cost) * faceoff_lemmas.T_P - (faceoff_lemmas.T_D + cost * K_D)
    assert sp.simplify(sp.solve(with_derivatives, cost)[0] - LEMMAS["break-even"].expr) == 0


# ------------------------------------------------------------ Lemmas 7 and 8
@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_lemma_7_bounds_every_change_of_P(loss):
    P, rng = problem(loss, l2=0.1), np.random.default_rng(0)
    curvature, least = LEMMAS["lemma 7"].for_problem(P), P.l2
    for w, h in rng.standard_normal((50, 2, P.d)):
        change = P.primal(w + h) - P.primal(w) - P.gradient(w) @ h
        assert least / 2 * (h @ h) <= change * (1 + 1e-12)
        assert change <= curvature / 2 * (h @ h) * (1 + 1e-12)


def test_lemma_8_serial():
    P, rng = problem("logistic", l2=0.1), np.random.default_rng(1)
    u = (P.X**2).sum(0) * P.beta / P.n + P.l2
    assert LEMMAS["lemma 8"].for_problem(P) == pytest.approx(u.max())
    p = rng.dirichlet(np.ones(P.d))
    for w, h in rng.standard_normal((20, 2, P.d)):
        expected = sum(p[j] * P.primal(w + h[j] * np.eye(P.d)[j]) for j in range(P.d))
        assert expected <= P.primal(w) + p @ (P.gradient(w) * h) + p @ (u * h**2) / 2 + 1e-12
