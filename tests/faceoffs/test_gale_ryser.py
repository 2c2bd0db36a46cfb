"""Theorems 4 and 5 and Corollary 6 on binary data, by listing row and column sums instead of matrices.

A 0-1 matrix with given row and column sums exists exactly if the sums agree and the column sums are majorised by the
conjugate of the row sums (Gale 1957, Ryser 1957). Both C_P and C_D depend on the sums alone, so a sweep over sorted
sums is a sweep over all matrices: 6,435 lists on each side where there are 2^64 matrices.
"""

from functools import cache
from itertools import combinations_with_replacement, product

import numpy as np
import pytest
from cases import each_of

from cdlab.datasets import worst_dual, worst_primal
from cdlab.faceoffs import binary_matrices

SIZES = range(1, 9)


@cache
def lists(length, most):
    """By their sum: all falling lists of so many whole numbers from 1 to `most`."""
    every = np.array(list(combinations_with_replacement(range(most, 0, -1), length)))
    sums = every.sum(axis=1)
    return {int(alpha): every[sums == alpha] for alpha in np.unique(sums)}


def conjugate(counts, length):
    """How many of the numbers are at least 1, 2, ..., length: the piled-up counts of the other side."""
    return (counts[:, :, None] > np.arange(length)).sum(axis=1)


def compatible(rows, columns):
    """(lists of rows, lists of columns): whether a 0-1 matrix with these sums exists."""
    below = np.cumsum(columns, axis=1)
    above = np.cumsum(conjugate(rows, columns.shape[1]), axis=1)
    fits = np.ones((len(rows), len(columns)), bool)
    for k in range(columns.shape[1]):
        fits &= below[None, :, k] <= above[:, None, k]
    return fits


def sums_of(X):
    """Falling row and column sums of a built matrix."""
    return tuple(np.sort(np.asarray(X.sum(axis=axis)).ravel().astype(int))[::-1] for axis in (1, 0))


@each_of("n, d", [(2, 2), (2, 4), (3, 3), (4, 3)])
def test_gale_and_ryser_are_right(n, d):
    found = set()
    for bits in product((0, 1), repeat=n * d):
        X = np.reshape(bits, (n, d))
        found.add((tuple(sorted(X.sum(1), reverse=True)), tuple(sorted(X.sum(0), reverse=True))))
    for alpha in range(max(n, d), n * d + 1):
        rows, columns = lists(n, d)[alpha], lists(d, n)[alpha]
        fits = compatible(rows, columns)
        for (i, r), (j, c) in product(enumerate(rows), enumerate(columns)):
            assert fits[i, j] == ((tuple(r), tuple(c)) in found)


@pytest.mark.parametrize("n", SIZES)
def test_theorem_4_is_the_range_of_all_matrices_and_the_builders_attain_its_ends(n):
    for d in SIZES:
        for alpha in range(max(n, d), n * d + 1):
            rows, columns = lists(n, d)[alpha], lists(d, n)[alpha]
            C_D, C_P = (rows**2).sum(axis=1), (columns**2).sum(axis=1)
            low, high = (
                (binary_matrices.L(alpha, d), binary_matrices.U(alpha, n, d)),
                (binary_matrices.U(alpha, d, n), binary_matrices.L(alpha, n)),
            )
            fits = compatible(rows, columns)
            i, j = np.nonzero(fits)
            # in whole numbers: low <= C_P/C_D <= high, over every pair that some matrix has
            assert (low[0] * C_D[i] <= C_P[j] * low[1]).all()
            assert (C_P[j] * high[1] <= high[0] * C_D[i]).all()
            for build, (least, most) in ((worst_dual, low), (worst_primal, high)):
                r, c = sums_of(build(d, n, alpha)[0])
                assert (c @ c, r @ r) == (least, most)
                assert fits[(rows == r).all(axis=1), (columns == c).all(axis=1)].all()
            assert binary_matrices.theorem4(alpha, d, n) == pytest.approx(
                (low[0] / low[1], high[0] / high[1]), rel=1e-15
            )


@cache
def extremes(length, most, total):
    """By their sum up to `total`: least and greatest sum of squares of so many numbers from 1 to `most`.

    Every list is looked at, one number at a time.
    """
    least, greatest = np.full(total + 1, np.inf), np.full(total + 1, -np.inf)
    least[0] = greatest[0] = 0
    for _ in range(length):
        longer = np.full(total + 1, np.inf), np.full(total + 1, -np.inf)
        for k in range(1, min(most, total) + 1):
            shifted = slice(k, None), slice(None, total + 1 - k)
            longer[0][shifted[0]] = np.minimum(longer[0][shifted[0]], least[shifted[1]] + k * k)
            longer[1][shifted[0]] = np.maximum(longer[1][shifted[0]], greatest[shifted[1]] + k * k)
        least, greatest = longer
    return least, greatest


def favours_primal(n, d):
    """For alpha = 0, ..., n d: whether C_P <= C_D for all binary matrices with alpha ones; True where there is none.

    The greatest C_P and the least C_D belong to one matrix (the test above), so the extremes of each side decide.
    """
    return ~(extremes(d, n, n * d)[1] > extremes(n, d, n * d)[0])


@each_of("n", range(1, 13))
def test_the_thresholds_of_theorem_5_and_corollary_6_are_exact(n):
    """And the paper's own hold, too: they are larger."""
    star, threshold = binary_matrices.d_threshold(n), binary_matrices.alpha_threshold(n)
    last_bad = -1
    for d in range(n, star + 3):
        always = favours_primal(n, d)
        assert always[threshold:].all()
        assert always[binary_matrices.alpha_threshold(n, d) :].all()
        assert always.all() == (d >= star)
        if not always.all():
            last_bad = max(last_bad, int(np.flatnonzero(~always)[-1]))
    assert last_bad == (threshold - 1 if n >= 3 else -1)
    assert (
        binary_matrices.alpha_threshold(n, as_stated=True)
        == binary_matrices.d_threshold(n, as_stated=True)
        == n * n + 3 * n
    )
    assert max(star, threshold) <= n * n + 3 * n


@each_of("n", [3, 4, 5])
def test_corollary_6_as_the_paper_states_it(n):
    """From d = n^2 + 3n on: enumerated there, and n further values."""
    stated = binary_matrices.d_threshold(n, as_stated=True)
    for d in range(stated, stated + n):
        assert favours_primal(n, d).all()
