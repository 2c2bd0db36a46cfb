"""Where one bound overtakes another, and the limits in which bounds become known ones."""

import numpy as np
import pytest
import sympy as sp

import cdlab
from cdlab import theory
from cdlab.theory.symbols import F, L, R, d, gamma, kappa, l2, m, n


def test_spdc_beats_sdca_exactly_where_kappa_exceeds_n():
    """Names stand for main bounds."""
    c = theory.crossover("spdc", theory.bound("sdca"))
    assert c.points == (m * n,)  # a batch of m: kappa = m n
    assert [(region.where, region.winner) for region in c.regions] == [(kappa < m * n, "sdca"), (kappa > m * n, "spdc")]
    single = theory.crossover(theory.bound(cdlab.methods.SPDC(batch_size=1)), theory.bound("sdca"))
    assert single.points[0].subs(m, 1) == n


def test_apcg_is_never_behind_spdc_or_sdca():
    """sqrt(1 + k) <= 1 + sqrt(m k) and sqrt(1 + k) <= 1 + k, k = kappa/n: squaring must not invent a crossing."""
    for other in ("spdc", "sdca"):
        c = theory.crossover(theory.bound("apcg"), theory.bound(other))
        assert c.points == ()
        assert [region.winner for region in c.regions] == ["apcg"]


def test_a_crossing_is_where_the_two_bounds_are_equal():
    spdc, sdca = theory.bound("spdc"), theory.bound("sdca")
    numbers = {"n": 100, "m": 4, "gamma": 4.0, "R": 2.0}
    assert theory.crossing(spdc, sdca, "kappa", n=100, m=4) == pytest.approx((400,))
    (at,) = theory.crossing(spdc, sdca, "l2", **numbers)
    assert at == pytest.approx(2.0**2 / (4.0 * 400))  # kappa = 400
    T = [theory.bound(method, "K").at(**numbers, l2=at) * cost for method, cost in (("spdc", 4), ("sdca", 1))]
    assert T[0] == pytest.approx(T[1])


def test_crossings_say_what_is_missing():
    spdc, sdca = theory.bound("spdc"), theory.bound("sdca")
    with pytest.raises(ValueError, match=r"crossing needs m: pass m=\.\.\."):
        theory.crossing(spdc, sdca, "kappa", n=100)
    with pytest.raises(ValueError, match="unknown symbol 'lam'"):
        theory.crossover(spdc, sdca, "lam")


def test_uniform_never_beats_importance_sampling():
    """F <= n R^2: the bounds of the two samplings meet only where all rows have the same norm."""
    importance, uniform = (theory.bound("quartz", "K", s).expr for s in ("importance", "uniform"))
    excess = sp.expand((uniform - importance) * gamma * l2 * n)
    assert sp.simplify(excess - (n * R**2 - F)) == 0


# ------------------------------------------------------------ limits
def test_limits_are_the_known_special_cases():
    expected = [
        1 + sp.sqrt(kappa),
        4 * sp.Max(n, kappa),
        4 * sp.Max(1, sp.sqrt(kappa)),
        R**2 / gamma,
        L**2 * R**2 / l2,
        L * R * sp.sqrt(n) / sp.sqrt(m * l2),
        n + R**2 / (gamma * l2),
        theory.bound("sdca", "T").expr,
        theory.bound("spdc", "T").expr,
        n,
        1 / d,
    ]
    for limit, value in zip(theory.limits(), expected, strict=True):
        positive = {s: sp.Symbol(s.name, positive=True) for s in (limit.value - value).free_symbols}
        assert sp.simplify((limit.value - value).subs(positive)) == 0, limit
    for limit in theory.limits():
        assert str(limit.value) in str(limit)
        assert limit.latex().startswith(r"\lim_{")


def test_one_batch_of_all_examples_makes_asdca_the_accelerated_method_up_to_kappa_n2():
    """Shalev-Shwartz & Zhang 2013 say so without the condition gamma s lambda >= 1/n^2; just beyond it, it is false."""
    (limit,) = (each for each in theory.limits() if each.where != sp.true)
    assert limit.where == sp.Le(kappa, n**2)
    assert "where kappa <= n**2" in str(limit)
    K = sp.lambdify((n, kappa), limit.expr.subs(m, n))
    value = sp.lambdify((n, kappa), limit.value)
    for size in (10, 1000, 10**6):
        for power in np.linspace(-3, 2, 41):
            assert K(size, size**power) == pytest.approx(value(size, size**power))
        assert K(size, 1.1 * size**2) > value(size, 1.1 * size**2)


def test_names_stand_for_their_main_bounds():
    """As in test_spdc_beats_sdca_exactly_where_kappa_exceeds_n."""
    assert theory.crossing("spdc", "sdca", "kappa", n=1000, m=8) == pytest.approx((8000,))


def test_the_arrow_s_limits_are_those_of_the_matrix():
    """b fills the first column (one feature in every example), c the first row."""
    column, row = theory.limits()[-2:]
    for limit, letter in ((column, "b"), (row, "c")):
        X, _ = cdlab.datasets.arrow(5, 7, **{"a": 1.0, "b": 1.0, "c": 1.0, letter: 1e6})
        assert str(limit.symbol) == letter
        assert cdlab.faceoff(X).theorem3.ratio == pytest.approx(float(limit.value.subs({n: 7, d: 5})), rel=1e-5)
    assert "first column" in column.name
    assert "first row" in row.name
