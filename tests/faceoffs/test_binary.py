"""Binary data: sums of squares and C_P/C_D against listing every case."""

from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab.faceoffs import binary_matrices


@each_of("n, d", [(1, 5), (2, 4), (3, 3), (4, 5), (5, 2)])
def test_L_and_U_are_the_extreme_sums_of_squares(n, d):
    sums = {}
    for numbers in combinations_with_replacement(range(1, d + 1), n):
        sums.setdefault(sum(numbers), []).append(sum(k * k for k in numbers))
    for alpha in range(n, n * d + 1):
        assert binary_matrices.L(alpha, n) == min(sums[alpha])
        assert binary_matrices.U(alpha, n, d) == max(sums[alpha])


@given(st.integers(1, 60), st.integers(0, 10**6))
def test_L_and_U_in_the_papers_form(n, alpha):
    A = n * (alpha // n)
    assert n * binary_matrices.L(alpha, n) == A * A + (alpha - A) * (2 * A + n)
    d = 2 + alpha % 40
    alpha = n + alpha % (n * (d - 1) + 1)
    B = (d - 1) * ((alpha - n) // (d - 1))
    assert binary_matrices.U(alpha, n, d) == (d + 1) * B + n - 1 + (alpha - n - B + 1) ** 2


@each_of("n, d", [(1, 1), (1, 4), (2, 3), (3, 3), (3, 4), (4, 3)])
def test_theorem_4_is_attained_at_both_ends(n, d):
    found = {}
    for bits in product((0, 1), repeat=n * d):
        X = np.reshape(bits, (n, d))
        rows, columns = X.sum(1), X.sum(0)
        if rows.all() and columns.all():
            found.setdefault(sum(bits), []).append((columns @ columns) / (rows @ rows))
    assert sorted(found) == list(range(max(n, d), n * d + 1))
    for alpha, ratios in found.items():
        low, high = binary_matrices.theorem4(alpha, d, n)
        assert (min(ratios), max(ratios)) == pytest.approx((low, high), rel=1e-14)


@given(st.integers(1, 12), st.integers(1, 12), st.randoms(use_true_random=False))
def test_signs_do_not_matter_and_faceoff_stays_inside(n, d, random):
    rng = np.random.default_rng(random.randrange(2**32))
    X = rng.choice([-1.0, 0.0, 1.0], (n, d))
    X[np.arange(max(n, d)) % n, np.arange(max(n, d)) % d] = 1  # no zero row, no zero column
    f = cdlab.faceoff(X)
    low, high = binary_matrices.theorem4(f.nnz, d, n)
    assert low * (1 - 1e-12) <= f.C_P / f.C_D <= high * (1 + 1e-12)


def test_the_lower_end_is_the_upper_one_of_the_transpose():
    for alpha in range(7, 36):
        assert binary_matrices.theorem4(alpha, 5, 7)[0] == pytest.approx(1 / binary_matrices.R(alpha, 7, 5), rel=1e-15)


@each_of(
    "d, best, at, above_one_up_to",
    [
        (10, 2.9459, 19, 98),
        (20, 1.4932, 38, 84),
        (30, 1.0000, 57, None),
        (31, 0.9704, None, None),
        (40, 0.7517, None, None),
    ],
)
def test_worst_ratio_of_ten_examples(d, best, at, above_one_up_to):
    R = {alpha: binary_matrices.R(alpha, d, 10) for alpha in range(d, 10 * d + 1)}
    assert max(R.values()) == pytest.approx(best, abs=5e-5)
    assert at is None or max(R, key=R.get) == at
    assert max((alpha for alpha, ratio in R.items() if ratio > 1), default=None) == above_one_up_to


@pytest.mark.parametrize(
    "n", [*range(2, 10), *(pytest.param(n, marks=pytest.mark.full) for n in range(10, 13))]
)  # n = 1 leaves no d
def test_theorem_5_holds_from_its_threshold_on_and_not_before(n):
    for d in range(n, n * n):
        for alpha in range(max(d, binary_matrices.alpha_threshold(n)), n * d + 1):
            assert binary_matrices.U(alpha, d, n) <= binary_matrices.L(alpha, n)
        for alpha in range(max(d, binary_matrices.alpha_threshold(n, d)), n * d + 1):
            assert binary_matrices.U(alpha, d, n) <= binary_matrices.L(alpha, n)
    if n >= 3:
        alpha = binary_matrices.alpha_threshold(n) - 1
        assert binary_matrices.U(alpha, n, n) == binary_matrices.L(alpha, n) + 2


@each_of("n", range(1, 13))
def test_corollary_6_is_exact(n):
    star = binary_matrices.d_threshold(n)
    for d in range(n, star + 5):
        always = all(binary_matrices.U(alpha, d, n) <= binary_matrices.L(alpha, n) for alpha in range(d, n * d + 1))
        assert always == (d >= star)


def test_enough_features_need_no_nonzeros():
    assert binary_matrices.alpha_threshold(5, d=9) == 0
    assert binary_matrices.alpha_threshold(5, d=8) == 20
    assert binary_matrices.alpha_threshold(5, d=5) == 24


@each_of(
    "call, words",
    [
        (lambda: binary_matrices.L(3, 0), "n >= 1"),
        (lambda: binary_matrices.L(-1, 2), "alpha >= 0"),
        (lambda: binary_matrices.L(2.5, 2), "whole number"),
        (lambda: binary_matrices.L(float("nan"), 2), "alpha must be a whole number, not nan"),
        (lambda: binary_matrices.L(3, float("inf")), "n must be a whole number, not inf"),
        (lambda: binary_matrices.R("9", 4, 5), "alpha must be a whole number, not '9'"),
        (lambda: binary_matrices.d_threshold(None), "n must be a whole number, not None"),
        (lambda: binary_matrices.d_threshold(True), "n must be a whole number, not True"),
        (lambda: binary_matrices.U(1, 2, 3), "n <= alpha"),
        (lambda: binary_matrices.U(7, 2, 3), "n d = 6"),
        (lambda: binary_matrices.R(3, 4, 2), "no 2 x 4 matrix"),
        (lambda: binary_matrices.theorem4(9, 4, 2), "no 2 x 4 matrix"),
        (lambda: binary_matrices.alpha_threshold(4, 3), "swap"),
        (lambda: binary_matrices.alpha_threshold(0), "n >= 1"),
        (lambda: binary_matrices.d_threshold(0), "n >= 1"),
    ],
)
def test_refusals(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_large_sizes_stay_exact():
    """Whole numbers of Python, beyond what int64 squares can hold."""
    n, d = 10**10, 10**6
    assert binary_matrices.L(n * d, n) == n * d * d == binary_matrices.U(n * d, n, d)
