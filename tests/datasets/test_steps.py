"""Each step on small matrices, dense and sparse, beside its formula."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of

from cdlab.datasets import PreparedData, steps

RNG = np.random.default_rng(0)
X = RNG.standard_normal((20, 4)) * (RNG.random((20, 4)) < 0.7)
X[3] = 0
Y = np.arange(20) % 4
TEST = (RNG.standard_normal((6, 4)), np.arange(6) % 4)


def prepared(sparse=False, test=True):
    as_stored = sp.csr_matrix if sparse else np.asarray
    return PreparedData(as_stored(X), Y, (as_stored(TEST[0]), TEST[1]) if test else None)


def array(matrix):
    return matrix.toarray() if sp.issparse(matrix) else matrix


@pytest.mark.parametrize("sparse", [False, True])
def test_a_permutation_keeps_rows_with_their_labels_and_leaves_test_rows(sparse):
    data = steps.Permute(seed=5).apply(prepared(sparse))
    order = np.random.default_rng(5).permutation(20)
    np.testing.assert_array_equal(array(data.X), X[order])
    np.testing.assert_array_equal(data.y, Y[order])
    np.testing.assert_array_equal(array(data.test[0]), TEST[0])


def test_a_permutation_of_test_rows_keeps_them_with_their_labels():
    X, y = steps.Permute(seed=5, test=True).apply(prepared()).test
    assert not np.array_equal(X, TEST[0])
    place = [int(np.flatnonzero((TEST[0] == row).all(axis=1))[0]) for row in X]
    assert sorted(place) == list(range(6))
    np.testing.assert_array_equal(y, TEST[1][place])
    np.testing.assert_array_equal(steps.Permute(seed=5, test=True).apply(prepared(test=False)).y, Y[order_of(5)])


def order_of(seed):
    return np.random.default_rng(seed).permutation(20)


@pytest.mark.parametrize("sparse", [False, True])
def test_rows_by_label_keep_their_order_within_a_label_and_test_rows_stay(sparse):
    data = steps.SortByLabel().apply(prepared(sparse))
    order = [i for label in range(4) for i in range(label, 20, 4)]
    np.testing.assert_array_equal(array(data.X), X[order])
    np.testing.assert_array_equal(data.y, Y[order])
    np.testing.assert_array_equal(data.test[1], TEST[1])


def test_first_rows_are_those_of_both_parts():
    data = steps.FirstRows(7, test_rows=2).apply(prepared())
    np.testing.assert_array_equal(data.X, X[:7])
    np.testing.assert_array_equal(data.test[0], TEST[0][:2])
    assert steps.FirstRows(7).apply(prepared()).test[1].size == 6


@pytest.mark.parametrize("sparse", [False, True])
def test_held_out_rows_are_the_last(sparse):
    data = steps.HoldOut(5).apply(prepared(sparse, test=False))
    np.testing.assert_array_equal(array(data.X), X[:15])
    np.testing.assert_array_equal(array(data.test[0]), X[15:])
    np.testing.assert_array_equal(data.test[1], Y[15:])


@pytest.mark.parametrize("sparse", [False, True])
def test_empty_rows_are_dropped(sparse):
    data = steps.DropEmptyRows().apply(prepared(sparse))
    keep = np.flatnonzero(X.any(axis=1))
    assert keep.size < 20
    np.testing.assert_array_equal(array(data.X), X[keep])
    np.testing.assert_array_equal(data.y, Y[keep])


def test_columns_go_from_zero_to_one_over_the_train_rows():
    low, width = X.min(axis=0), np.ptp(X, axis=0)
    data = steps.ColumnsToUnitInterval().apply(prepared())
    np.testing.assert_allclose(data.X, (X - low) / width, atol=1e-15)
    np.testing.assert_allclose(data.test[0], (TEST[0] - low) / width, atol=1e-14)
    assert (data.X.min(axis=0) == 0).all()  # exactly: they are no nonzeros


@pytest.mark.parametrize("sparse", [False, True])
def test_the_most_frequent_columns_are_counted_in_train_rows(sparse):
    counts = np.count_nonzero(X, axis=0)
    data = steps.MostFrequentColumns(2).apply(prepared(sparse))
    kept = sorted(sorted(range(4), key=lambda j: (-counts[j], j))[:2])
    np.testing.assert_array_equal(array(data.X), X[:, kept])
    np.testing.assert_array_equal(array(data.test[0]), TEST[0][:, kept])


@pytest.mark.parametrize("sparse", [False, True])
def test_a_column_of_ones_is_the_last(sparse):
    data = steps.AppendOnes().apply(prepared(sparse))
    np.testing.assert_array_equal(array(data.X), np.column_stack([X, np.ones(20)]))
    assert (array(data.test[0])[:, -1] == 1).all()


@pytest.mark.parametrize("sparse", [False, True])
def test_rows_have_norm_one_or_are_empty(sparse):
    norms = np.linalg.norm(array(steps.UnitRows().apply(prepared(sparse)).X), axis=1)
    np.testing.assert_allclose(norms, X.any(axis=1))


@pytest.mark.parametrize("sparse", [False, True])
def test_the_mean_norm_of_train_rows_is_one_and_scales_test_rows(sparse):
    mean = np.linalg.norm(X, axis=1).mean()
    data = steps.MeanRowNormOne().apply(prepared(sparse))
    np.testing.assert_allclose(array(data.X), X / mean)
    np.testing.assert_allclose(array(data.test[0]), TEST[0] / mean)


def test_positive_classes_are_plus_one_and_all_others_minus_one():
    data = steps.PositiveClasses((1, 3)).apply(prepared())
    np.testing.assert_array_equal(data.y, np.where((Y == 1) | (Y == 3), 1, -1))
    np.testing.assert_array_equal(data.test[1], np.where(TEST[1] % 2 == 1, 1, -1))


@pytest.mark.parametrize("sparse", [False, True])
def test_fourier_features_have_inner_products_near_the_gaussian_kernel(sparse):
    s, D = 1.3, 20_000
    data = steps.RandomFourierFeatures(D, bandwidth=s).apply(prepared(sparse))
    distances2 = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(data.X @ data.X.T, np.exp(-distances2 / (2 * s**2)), atol=6 / np.sqrt(D))
    across = ((X[:, None] - TEST[0][None]) ** 2).sum(axis=2)  # the same W and c for test rows
    np.testing.assert_allclose(data.X @ data.test[0].T, np.exp(-across / (2 * s**2)), atol=6 / np.sqrt(D))


@pytest.mark.parametrize("sparse", [False, True])
def test_the_default_bandwidth_is_the_median_distance_times_the_factor(sparse):
    rows = RNG.standard_normal((500, 4))
    median = np.median(np.linalg.norm(rows[:, None] - rows[None], axis=2))
    data = PreparedData(sp.csr_matrix(rows) if sparse else rows, np.ones(500), None)
    D = 20_000
    features = steps.RandomFourierFeatures(D, factor=0.5).apply(data).X
    distance2 = ((rows[:20, None] - rows[None, :20]) ** 2).sum(axis=2)
    kernel = np.exp(-distance2 / (2 * (median / 2) ** 2))
    np.testing.assert_allclose(features[:20] @ features[:20].T, kernel, atol=6 / np.sqrt(D) + 0.05)


@each_of(
    "step, said",
    [
        (lambda: steps.FirstRows(0), "whole number >= 1"),
        (lambda: steps.HoldOut(2.5), "whole number >= 1"),
        (lambda: steps.Permute(-1), "whole number >= 0"),
        (lambda: steps.MostFrequentColumns(0), "whole number >= 1"),
        (lambda: steps.RandomFourierFeatures(0), "whole number >= 1"),
        (lambda: steps.RandomFourierFeatures(5, bandwidth=0), "a number > 0 or None"),
        (lambda: steps.RandomFourierFeatures(5, factor=-1), "a number > 0"),
        (lambda: steps.PositiveClasses(2), r"a tuple, such as \(2,\)"),
        (lambda: steps.FirstRows(7, test_rows=2).apply(prepared(test=False)), "no test rows"),
        (lambda: steps.HoldOut(20).apply(prepared(test=False)), "at most 19"),
        (lambda: steps.HoldOut(2).apply(prepared()), "a test part already"),
        (lambda: steps.MostFrequentColumns(5).apply(prepared()), "4 columns, not 5"),
        (lambda: steps.ColumnsToUnitInterval().apply(prepared(sparse=True)), "load them dense"),
        (lambda: steps.PositiveClasses((7,)).apply(prepared()), "no example has the label 7"),
        (lambda: steps.DropEmptyRows().apply(PreparedData(np.zeros((2, 2)), np.ones(2), None)), "every row is empty"),
        (
            lambda: steps.RandomFourierFeatures(3).apply(PreparedData(np.ones((9, 2)), np.ones(9), None)),
            "give a bandwidth",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(step, said):
    with pytest.raises(ValueError, match=said):
        step()
