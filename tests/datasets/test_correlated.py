"""sun_ye: rows of norm 1 that are all equally alike, on which only fixed orders are slow (Sun & Ye 2016)."""

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab.datasets import scaled, sun_ye


@given(st.integers(1, 60), st.floats(0, 0.999))
def test_the_gram_matrix_is_what_it_says(n, c):
    X, y = sun_ye(n, c)
    np.testing.assert_allclose(X @ X.T, (1 - c) * np.eye(n) + c, atol=1e-12)
    np.testing.assert_allclose(X, np.linalg.cholesky((1 - c) * np.eye(n) + c), atol=1e-10)
    assert set(y) <= {-1, 1}


@pytest.mark.parametrize("order", ["cyclic", "fixed_permutation"])
def test_a_fixed_order_is_slow_and_random_coordinates_are_not(order):
    X, y = sun_ye(24)
    P = cdlab.Problem(X, y, loss="squared", l2=0.05 / 24)
    race = cdlab.race(P, [("sdca", {"sampling": s}) for s in (order, "uniform")], max_passes=3000, tol=1e-7)
    slow, fast = race.reached(1e-6)[:, 0]
    assert slow > 10 * fast


@each_of("wrong, words", [({"n": 0}, "n must be"), ({"c": 1}, "all examples are the same"), ({"c": -0.5}, "c must")])
def test_bad_arguments_are_refused(wrong, words):
    with pytest.raises(ValueError, match=words):
        sun_ye(**({"n": 3} | wrong))


# ---------------------------------------------------------------- scaled
@pytest.mark.parametrize("density", [0.05, 1.0])
def test_scaled_rows_are_a_copy_with_norms_as_asked_for(density):
    X, _ = cdlab.datasets.make(50, 20, density=density, row_spread=1.0)
    before = X.copy()
    norms = {
        scale: cdlab.Problem(scaled(X, scale), np.ones(50)).row_profile.norms2 ** 0.5 for scale in ("mean", "unit")
    }
    assert norms["mean"].mean() == pytest.approx(1)
    np.testing.assert_allclose(norms["unit"][norms["unit"] > 0], 1)
    assert abs(X - before).sum() == abs(scaled(X, "none") - X).sum() == 0


def test_an_unknown_scale_is_refused():
    with pytest.raises(ValueError, match="scale must be none, unit or mean, not 'max'"):
        scaled(np.eye(2), "max")
