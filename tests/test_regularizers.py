"""g, g*, its gradient and its prox against brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from cdlab.numerics.lazy_prox import step_factors
from cdlab.regularizers import L2, Bounded, ElasticNet, PerFeature, of_each, regularizer

every_reg = pytest.mark.parametrize(
    "reg",
    [
        L2(0.7),
        ElasticNet(0.7, 0.0),
        ElasticNet(0.7, 0.4),
        ElasticNet(0.01, 2.0),
        Bounded(0.7, 0.4, 0.0, np.inf),
        Bounded(0.7, 0.0, -0.5, 1.5),
        Bounded(0.01, 2.0, -3.0, 0.0),
    ],
    ids=repr,
)
reals = st.floats(-10, 10)


@every_reg
@given(v=reals)
def test_g_conj_is_the_supremum(reg, v):
    """g*(v) = sup_w { v w - g(w) }, attained at grad g*(v)."""
    at = np.array([v])
    w = reg.grad_g_conj(at)
    assert v * w[0] - reg.g(w) == pytest.approx(reg.g_conj(at), abs=1e-10)
    for other in (w - 1e-3, w + 1e-3, np.zeros(1)):
        assert v * other[0] - reg.g(other) <= reg.g_conj(at) + 1e-12


@every_reg
@given(v=reals)
def test_shrink_over_l2_is_the_gradient_of_the_conjugate(reg, v):
    assert reg.shrink(v) / reg.l2 == pytest.approx(reg.grad_g_conj(np.array([v]))[0], abs=1e-14)


@every_reg
@given(x=reals, step=st.floats(0.01, 10))
def test_prox_minimises(reg, x, step):
    def value(w):
        return reg.g(reg.clipped(np.array([w]))) + (reg.inside(w) - x) ** 2 / (2 * step)

    found = minimize_scalar(value, bounds=(-abs(x) - 1, abs(x) + 1), method="bounded", options={"xatol": 1e-12})
    assert value(reg.prox_g(np.array([x]), step)[0]) <= found.fun + 1e-10


def test_without_l1_the_elastic_net_is_l2():
    v = np.linspace(-3, 3, 7)
    assert regularizer(0.5, 0.0) == L2(0.5)
    np.testing.assert_array_equal(ElasticNet(0.5, 0.0).grad_g_conj(v), L2(0.5).grad_g_conj(v))


@every_reg
@given(x=reals, step=st.floats(0.01, 10), u=reals)
def test_the_scalar_prox_is_the_vector_one(reg, x, step, u):
    assert reg.prox_at(x, step) == pytest.approx(reg.prox_g(np.array([x]), step)[0], abs=1e-15)
    c, s = step_factors(1.0, step, reg.l2)
    assert reg.prox_steps(1.0, c, s, x, u, step) == pytest.approx(reg.prox_at(x - step * u, step), abs=1e-13)


@given(
    box=st.tuples(st.floats(-3, 0), st.floats(0, 3)),
    weights=st.tuples(st.floats(0, 2), st.floats(0, 2)),
    x=st.floats(-3, 3),
    u=reals,
    step=st.floats(0.01, 3),
    k=st.integers(0, 40),
)
def test_lazy_steps_in_a_box_are_the_steps_one_by_one(box, weights, x, u, step, k):
    """The orbit of a point under an increasing map of the line goes one way, and so leaves a box at one end at most."""
    reg = Bounded(*weights, *box)
    x = one = reg.inside(x)
    for _ in range(k):
        one = reg.prox_at(one - step * u, step)
    assert reg.prox_steps(k, np.nan, np.nan, x, u, step) == pytest.approx(one, rel=1e-9, abs=1e-9)


def test_the_conjugate_with_and_without_quadratic_at_golden_numbers():
    reg = PerFeature(0.0, 0, *map(np.array, ([0.1, 0, 0.2], [0.05, 0.1, 0], [-1, -0.5, 0], [2, 0.4, np.inf])))
    v = np.array([0.3, -0.4, 0.5])
    assert reg.grad_g_conj(v) == pytest.approx(np.array([2, -0.5, 2.5]))
    assert reg.g_conj(v) == pytest.approx(1.075)
    assert reg._replace(upper=np.full(3, np.inf)).g_conj(np.array([0, 0.2, 0])) == np.inf


@given(v=reals, w=reals)
def test_no_pair_is_below_zero_by_fenchel_and_young(v, w):
    """g(w) + g*(v) >= v w, with equality at w = grad g*(v)."""
    for l2, l1, low, high in (
        (0.3, 0.2, -1.0, 2.0),
        (0.0, 0.5, -1.0, 0.5),
        (0.0, 0.0, -2.0, 0.0),
        (0.1, 0.0, 0.0, 3.0),
    ):
        reg, at = of_each(Bounded(l2, l1, low, high), (1,)), np.array([v])
        other = reg.clipped(np.array([w]))
        assert reg.g(other) + reg.g_conj(at) >= v * other[0] - 1e-12
        best = reg.grad_g_conj(at)
        assert reg.g(best) + reg.g_conj(at) == pytest.approx(v * best[0], abs=1e-12)
