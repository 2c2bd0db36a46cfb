"""k proximal gradient steps at once are k steps one after another."""

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st

from cdlab.numerics.lazy_prox import step_factors, step_table
from cdlab.regularizers import regularizer

reals = st.floats(-10, 10)
steps = st.floats(1e-3, 10)
strengths = st.sampled_from([0.0, 1e-300, 1e-16, 1e-9]) | st.floats(1e-6, 10)
thresholds = st.just(0.0) | st.floats(1e-3, 5)


def one_by_one(k, x, u, tau, l2, l1):
    for _ in range(k):
        z = x - tau * u
        x = np.sign(z) * max(abs(z) - tau * l1, 0.0) / (1 + tau * l2)
    return x


def lazy_steps(k, x, u, tau, l2, l1):
    return regularizer(l2, l1).prox_steps(k, *step_factors(k, tau, l2), x, u, tau)


def size(k, x, u, tau, l2, l1):
    """The size of the terms that are added up: what rounding is relative to."""
    return abs(x) + step_factors(float(k), tau, l2)[1] * (abs(u) + l1)


@given(k=st.integers(1, 60), x=reals, u=reals, tau=steps, l2=strengths, l1=thresholds)
def test_k_steps_at_once(k, x, u, tau, l2, l1):
    expected = one_by_one(k, x, u, tau, l2, l1)
    near = pytest.approx(expected, abs=1e-13 * size(k, x, u, tau, l2, l1))
    assert lazy_steps(k, x, u, tau, l2, l1) == near
    assert step_table(tau, l2).steps(float(k), x, u, regularizer(l2, l1)) == near


@given(
    k=st.integers(1, 40), j=st.integers(0, 45), tau=steps, l2=strengths, l1=st.floats(0.1, 5), above=st.floats(0.1, 5)
)
@pytest.mark.parametrize("sign", [-1, 1])
def test_zero_is_crossed_at_any_step(sign, k, j, tau, l2, l1, above):
    """Started so that j steps lead to 0 exactly, |u| > l1: the worst place for rounding."""
    u = l1 + above
    c, s = step_factors(float(j), tau, l2)
    x = s / c * (u + l1) if s / c * (u + l1) < 1e6 else 1.0
    expected = one_by_one(k, sign * x, sign * u, tau, l2, l1)
    assert lazy_steps(k, sign * x, sign * u, tau, l2, l1) == pytest.approx(
        expected, abs=1e-13 * size(k, x, u, tau, l2, l1)
    )


@given(x=reals, tau=steps, l2=strengths, l1=st.floats(0.1, 5), inside=st.floats(-1, 1))
def test_zero_absorbs_while_the_slope_is_within_l1(x, tau, l2, l1, inside):
    enough = 1 + 200 / (tau * (l1 - abs(inside * l1))) if abs(inside) < 1 else 1.0
    assert lazy_steps(0, x, inside * l1, tau, l2, l1) == x
    assert lazy_steps(7, 0.0, inside * l1, tau, l2, l1) == 0
    if abs(inside) < 0.99:
        assert lazy_steps(np.ceil(enough), x, inside * l1, tau, l2, l1) == 0


@given(a=st.integers(0, 10**9), b=st.integers(0, 10**9), x=reals, u=reals, l2=strengths, l1=thresholds)
def test_many_steps_compose(a, b, x, u, l2, l1):
    """F^(a + b) = F^b(F^a), for any number of steps, and table and exponentials agree."""
    tau = 1e-7
    once = lazy_steps(float(a + b), x, u, tau, l2, l1)
    twice = lazy_steps(float(b), lazy_steps(float(a), x, u, tau, l2, l1), u, tau, l2, l1)
    near = 1e-12 * size(a + b, x, u, tau, l2, l1)
    assert once == pytest.approx(twice, abs=near)
    assert step_table(tau, l2).steps(float(a + b), x, u, regularizer(l2, l1)) == pytest.approx(once, abs=near)


@given(x=reals, u=reals, l2=st.floats(0.01, 10), l1=thresholds)
def test_endless_steps_end_at_the_minimiser(x, u, l2, l1):
    """F's fixed point minimises u x + (l2/2) x^2 + l1 |x|."""
    minimiser = -np.sign(u) * max(abs(u) - l1, 0.0) / l2
    assert lazy_steps(1e12, x, u, 0.1, l2, l1) == pytest.approx(minimiser, rel=1e-12, abs=1e-12)


@each_of("l1", [0.0, 0.3])
@each_of("l2", [1e-305, 1e-200, 1e-30, 1e-17])
def test_a_tiny_l2_loses_no_digits(l2, l1):
    """(x + u/l2) c^k - u/l2 would be off by 1e-16 |u|/l2."""
    assert lazy_steps(1000, 2.0, 1.5, 0.01, l2, l1) == pytest.approx(
        lazy_steps(1000, 2.0, 1.5, 0.01, 0.0, l1), rel=1e-13
    )
