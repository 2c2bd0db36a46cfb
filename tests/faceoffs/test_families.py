"""C_P and C_D in closed form: arrows and their limits, and the mean over random matrices."""

import math
from itertools import product

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab import datasets
from cdlab.faceoffs import arrow, iid

entries = st.floats(-10, 10).filter(lambda x: abs(x) > 1e-3)


# ---------------------------------------------------------------- arrows
@given(st.integers(1, 9), st.integers(1, 9), entries, entries, entries)
def test_an_arrow_s_sums_are_its_matrix_s(d, n, a, b, c):
    f, sums = cdlab.faceoff(datasets.arrow(d, n, a, b, c)[0]), arrow(d, n, a, b, c)
    assert (f.F, f.C_P, f.C_D, f.theorem3.ratio) == pytest.approx((*sums, sums.ratio), rel=1e-12)


@each_of("d, n", [(2, 2), (3, 7), (7, 3), (50, 4)])
def test_both_ends_of_theorem_3_are_limits_of_arrows(d, n):
    """C_P/C_D -> n and C_P/F -> n, C_D/F -> 1 for a heavy column; 1/d, 1 and d for a heavy row."""
    for heavy, ratio, P, D in (("b", n, n, 1), ("c", 1 / d, 1, d)):
        limit = arrow(d, n, **{"a": 1.0, "b": 2.0, "c": 3.0, heavy: math.inf})
        assert limit == pytest.approx((1, P, D), rel=1e-15)
        assert limit.ratio == pytest.approx(ratio, rel=1e-15)
        gaps = []
        for size in (1e2, 1e4, 1e6):
            sums = arrow(d, n, **{"a": 1.0, "b": 2.0, "c": 3.0, heavy: size})
            assert 1 / d < sums.ratio < n, "never attained"
            assert (sums.C_P / sums.F, sums.C_D / sums.F) == pytest.approx((P, D), rel=100 * n * d / size**2)
            gaps.append(abs(math.log(sums.ratio / ratio)))
        assert gaps[0] > gaps[1] > gaps[2]


def test_the_ends_are_attained_by_single_lines_only():
    assert arrow(1, 5, 1, 2, 3).ratio == 5
    assert arrow(5, 1, 1, 2, 3).ratio == 1 / 5


@each_of(
    "arguments, words",
    [
        ((0, 3, 1, 1, 1), "d must be a whole number >= 1"),
        ((3, 2.5, 1, 1, 1), "n must be a whole number >= 1"),
        ((3, 3, 0, 1, 1), "a must be a number other than 0"),
        ((3, 3, 1, math.nan, 1), "b must be a number other than 0"),
        ((3, 3, 1, math.inf, math.inf), "b and c cannot all be infinite"),
        ((1, 3, 1, 1, math.inf), "a 3 x 1 arrow has no entry c that could be infinite"),
        ((math.nan, 3, 1, 1, 1), "d must be a whole number >= 1"),
        ((3, math.inf, 1, 1, 1), "n must be a whole number >= 1"),
        (("3", 3, 1, 1, 1), "d must be a whole number >= 1"),
        ((3, 10**400, 1, 1, 1), "n must be a whole number >= 1 and at most 1e"),
        ((3, 3, "a", 1, 1), "a must be a number other than 0"),
        ((3, 3, 1, 1e200, 1), "the sums exceed float64"),
        ((3, 3, 1e-200, 1e-200, 1e-200), "the squares of the entries underflow"),
    ],
)
def test_arrows_that_are_none(arguments, words):
    with pytest.raises(ValueError, match=words):
        arrow(*arguments)


# ---------------------------------------------------------------- independent entries
@each_of("n, d", [(1, 1), (2, 3), (3, 2)])
def test_the_expectation_over_every_outcome(n, d):
    """Entries -1, 0, 2 with probabilities 0.2, 0.5, 0.3, all 3^(n d) matrices."""
    values, shares = np.array([-1.0, 0.0, 2.0]), np.array([0.2, 0.5, 0.3])
    mean = values @ shares
    expected = np.zeros(3)
    for outcome in product(range(3), repeat=n * d):
        X = np.reshape(values[list(outcome)], (n, d))
        counts, squares = X != 0, X**2
        C_P, C_D = counts.sum(0) @ squares.sum(0), counts.sum(1) @ squares.sum(1)
        expected += np.prod(shares[list(outcome)]) * np.array([squares.sum(), C_P, C_D])
    sums = iid(d, n, density=0.5, mean=mean, variance=values**2 @ shares - mean**2)
    assert sums == pytest.approx(tuple(expected), rel=1e-12)


@given(st.integers(1, 50), st.integers(1, 50), st.floats(0.01, 1))
def test_iid_data_favour_the_side_with_more_coordinates(d, n, density):
    sums = iid(d, n, density)
    assert (sums.C_P <= sums.C_D) == (n <= d)
    assert 1 / d <= sums.ratio * (1 + 1e-12) <= n * (1 + 1e-12) ** 2
    dense = iid(d, n)
    assert (dense.C_P, dense.C_D) == pytest.approx((n * dense.F, d * dense.F))


def test_dense_entries_of_one_size_need_no_expectation():
    f = cdlab.faceoff(np.random.default_rng(0).choice([-3.0, 3.0], (5, 8)))
    assert (f.F, f.C_P, f.C_D) == iid(8, 5, mean=3.0, variance=0.0)
    assert math.isnan(iid(2, 2, density=0.0, variance=0.0).ratio)


@each_of(
    "settings, words",
    [
        ({"d": 0, "n": 1}, "d must be"),
        ({"d": 1, "n": 1, "density": 1.5}, "density in"),
        ({"d": 1, "n": 1, "variance": -1.0}, "variance >= 0"),
        ({"d": 1, "n": 1, "mean": 1e200}, "variance >= 0"),
        ({"d": 1, "n": 1, "mean": math.nan}, "variance >= 0"),
        ({"d": 1, "n": 1, "density": math.nan}, "density in"),
        ({"d": True, "n": 1}, "d must be"),
        ({"d": 100, "n": 100, "variance": 1e307}, "the sums exceed float64"),
        ({"d": 1, "n": 1, "density": 0.5, "mean": 1.0, "variance": 0.5}, "nonzero more often"),
    ],
)
def test_entries_that_do_not_exist(settings, words):
    with pytest.raises(ValueError, match=words):
        iid(**settings)
