"""arrow, worst_dual, worst_primal attain what Csiba & Richtarik (2016) say is extreme."""

import itertools

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st

from cdlab.datasets import arrow, worst_dual, worst_primal


def constants(X):
    """C_P and C_D by their definition, for X with rows = examples."""
    X = X.toarray()
    return tuple(((X != 0).sum(axis=k) * (X**2).sum(axis=k)).sum() for k in (0, 1))


def test_the_example():
    X, _ = worst_dual(4, 5, 9)
    assert ["".join(map(str, row)) for row in X.toarray().T.astype(int)] == ["11001", "11000", "10100", "10010"]
    assert constants(X) == (21, 23)


@each_of("d, n", [(1, 1), (1, 4), (4, 1), (2, 3), (3, 2), (3, 3), (3, 4), (4, 3)])
def test_the_builders_attain_both_extremes_over_all_binary_matrices(d, n):
    """Enumerate every binary matrix without empty rows and columns: min and max of C_P and C_D for each alpha."""
    bits = (np.arange(2 ** (d * n))[:, None] >> np.arange(d * n)) & 1
    matrices = bits.reshape(-1, n, d)
    rows, columns = matrices.sum(axis=2), matrices.sum(axis=1)
    whole = (rows > 0).all(axis=1) & (columns > 0).all(axis=1)
    ones = bits.sum(axis=1)
    for alpha in range(max(d, n), d * n + 1):
        use = whole & (ones == alpha)
        C_P, C_D = (columns[use] ** 2).sum(axis=1), (rows[use] ** 2).sum(axis=1)
        assert constants(worst_dual(d, n, alpha)[0]) == (C_P.min(), C_D.max())
        assert constants(worst_primal(d, n, alpha)[0]) == (C_P.max(), C_D.min())


def least(alpha, n):
    k, r = divmod(alpha, n)
    return n * k**2 + r * (2 * k + 1)


def greatest(alpha, n, d):
    x, y = divmod(alpha - n, d - 1) if d > 1 else (0, 0)
    return x * (d**2 - 1) + n + y * (y + 2)


shapes = st.tuples(st.integers(1, 40), st.integers(1, 40)).flatmap(
    lambda s: st.tuples(st.just(s[0]), st.just(s[1]), st.integers(max(s), s[0] * s[1]))
)


@given(shapes, st.integers(0, 99))
def test_the_builders_attain_the_formulas_of_lemma_9(shape, seed):
    d, n, alpha = shape
    for build, expected in (
        (worst_dual, (least(alpha, d), greatest(alpha, n, d))),
        (worst_primal, (greatest(alpha, d, n), least(alpha, n))),
    ):
        X, y = build(d, n, alpha, seed=seed)
        assert X.shape == (n, d)
        assert X.format == "csr"
        assert X.nnz == alpha
        assert X.has_sorted_indices
        assert set(X.data) == {1.0}
        assert (X.getnnz(axis=0) > 0).all()
        assert (X.getnnz(axis=1) > 0).all()
        assert constants(X) == expected
        assert set(y) <= {-1.0, 1.0}
        assert y.shape == (n,)
        np.testing.assert_array_equal(y, build(d, n, alpha, seed=seed)[1])


entries = st.floats(-10, 10).filter(lambda x: abs(x) > 1e-3)


@given(st.integers(1, 12), st.integers(1, 12), entries, entries, entries)
def test_arrow_constants(d, n, a, b, c):
    X, y = arrow(d, n, a, b, c)
    assert X.shape == (n, d)
    C_P, C_D = constants(X)
    assert pytest.approx(n * (a**2 + (n - 1) * b**2) + (d - 1) * c**2) == C_P
    assert pytest.approx(d * (a**2 + (d - 1) * c**2) + (n - 1) * b**2) == C_D
    assert 1 / d - 1e-12 <= C_P / C_D <= n + 1e-12
    assert set(y) <= {-1.0, 1.0}


def test_arrow_reaches_both_ends_of_theorem_3_in_the_limit():
    d, n = 7, 5
    C_P, C_D = constants(arrow(d, n, 1, 1e6, 1)[0])
    assert pytest.approx(n, rel=1e-9) == C_P / C_D
    C_P, C_D = constants(arrow(d, n, 1, 1, 1e6)[0])
    assert pytest.approx(1 / d, rel=1e-9) == C_P / C_D


def test_arrow_stores_no_zeros():
    for a, b, c in itertools.product((0, 1), repeat=3):
        assert arrow(3, 4, a, b, c)[0].nnz == a + 3 * b + 2 * c


def test_both_labels_and_every_seed_of_their_own():
    draws = [tuple(arrow(3, 20, 1, 1, 1, seed=s)[1]) for s in range(20)]
    assert len(set(draws)) == 20
    assert set(itertools.chain(*draws)) == {-1.0, 1.0}


@each_of(
    "call, sentence",
    [
        (lambda: worst_dual(4, 5, 4), r"alpha must be from max\(d, n\) = 5 .* to d n = 20, not 4"),
        (lambda: worst_primal(4, 5, 21), "alpha must be from"),
        (lambda: worst_dual(4, 5, 9.0), "alpha must be a whole number"),
        (lambda: worst_dual(0, 5, 9), "d must be a whole number >= 1"),
        (lambda: arrow(3, 0, 1, 1, 1), "n must be a whole number >= 1"),
        (lambda: arrow(3, 3, 1, float("nan"), 1), "b must be a finite number, not nan"),
        (lambda: arrow(3, 3, 1, 1, float("inf")), "c must be a finite number, not inf"),
        (lambda: arrow(3, 3, "1", 1, 1), "a must be a finite number, not '1'"),
    ],
)
def test_arguments_out_of_range(call, sentence):
    with pytest.raises(ValueError, match=sentence):
        call()
