"""Row norms, and the two scales of load."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cdlab.datasets import load, scaled
from cdlab.datasets.scaling import divide_rows, row_norms, to_unit_rows

matrices = hnp.arrays(
    float,
    st.tuples(st.integers(1, 6), st.integers(1, 5)),
    elements=st.one_of(st.just(0.0), st.floats(1e-160, 1e160), st.floats(-1e160, -1e-160)),
)


@given(matrices)
def test_row_norms_without_overflow_and_underflow(X):
    exact = [math.hypot(*row) for row in X]
    for matrix in (X, sp.csr_matrix(X)):
        np.testing.assert_allclose(row_norms(matrix), exact, rtol=1e-14)


@given(matrices)
def test_unit_rows_have_norm_1_and_keep_their_direction(X):
    dense, sparse = X.copy(), sp.csr_matrix(X)
    to_unit_rows(dense)
    to_unit_rows(sparse)
    np.testing.assert_allclose(dense, sparse.toarray(), rtol=2e-15)  # sums over rows of other lengths
    np.testing.assert_allclose(row_norms(dense), np.where(X.any(axis=1), 1.0, 0.0), rtol=1e-14)
    np.testing.assert_array_equal(np.sign(dense), np.sign(X) * (dense != 0))


def test_blocks_do_not_show(monkeypatch):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100, 7)) * (rng.random((100, 7)) < 0.4)
    X[10:30] = 0
    whole = row_norms(X)
    monkeypatch.setattr("cdlab.datasets.scaling.BLOCK_ENTRIES", 10)
    divisors = np.arange(1.0, 101.0)
    for matrix in (X.copy(), sp.csr_matrix(X)):
        np.testing.assert_allclose(row_norms(matrix), whole, rtol=1e-15)
        divide_rows(matrix, divisors)
        dense = matrix.toarray() if sp.issparse(matrix) else matrix
        np.testing.assert_array_equal(dense, X / divisors[:, None])


def test_scale_unit():
    X, _ = load("a9a", split="all", scale="unit")
    norms = np.sqrt(X.multiply(X).sum(axis=1)).A1
    np.testing.assert_allclose(norms[norms > 0], 1, rtol=1e-15)


@each_of("split", ["train", "test", "all"])
def test_scale_mean_divides_every_part_by_the_mean_row_norm_of_the_train_part(split, tmp_path):
    rng = np.random.default_rng(0)
    for name, rows in (("set", 30), ("set.t", 20)):
        lines = (" ".join(["1", *(f"{j}:{rng.standard_normal()!r}" for j in (1, 4, 9))]) for _ in range(rows))
        (tmp_path / name).write_text("\n".join(lines))
    X, _ = load(tmp_path / "set")
    mean = np.sqrt(X.multiply(X).sum(axis=1)).mean()
    raw, scaled = (load(tmp_path / "set", split=split, scale=scale)[0] for scale in ("none", "mean"))
    assert raw.shape[0] == {"train": 30, "test": 20, "all": 50}[split]
    np.testing.assert_allclose(scaled.data * mean, raw.data, rtol=1e-13)


def test_scale_mean_with_rows_of_either_part_in_one_file(tmp_path):
    np.savez(tmp_path / "s.npz", X=[[3.0, 4], [0, 0], [6, 8], [1, 0]], y=[1, 2, 3, 4], lewis_split=[1, 1, 2, 0])
    assert load(tmp_path / "s.npz", scale="mean")[0].tolist() == [[1.2, 1.6], [0, 0]]
    assert load(tmp_path / "s.npz", scale="mean", split="test")[0].tolist() == [[2.4, 3.2]]
    assert load(tmp_path / "s.npz", scale="mean", split="all")[0].tolist()[3] == [0.4, 0]


@pytest.mark.parametrize("scale", ["unit", "mean"])
def test_x_equal_to_0_stays_0(tmp_path, scale):
    (tmp_path / "s.csv").write_text("0,0,1\n0,0,2\n")
    assert load(tmp_path / "s.csv", scale=scale)[0].tolist() == [[0, 0], [0, 0]]


@each_of("scale", ["unit", "mean"])
@each_of("power", ["e150", "e-150"])
def test_entries_far_from_1_are_scaled_right(tmp_path, scale, power):
    (tmp_path / "s.csv").write_text(f"3{power},4{power},1\n")
    np.testing.assert_allclose(load(tmp_path / "s.csv", scale=scale)[0], [[0.6, 0.8]], rtol=1e-15)


@pytest.mark.parametrize("scale", ["unit", "mean"])
def test_a_norm_beyond_the_largest_double(tmp_path, scale):
    (tmp_path / "s.csv").write_text("1.5e308,1.5e308,1\n")
    with pytest.raises(ValueError, match="a row norm exceeds the largest double"):
        load(tmp_path / "s.csv", scale=scale)


@each_of(
    "X, scale, sentence",
    [
        ("x", "mean", "X must have two dimensions"),
        ([[1.0, np.nan]], "mean", "X contains NaN"),
        (sp.csr_matrix((np.ones(1), [0], [0, 1]), shape=(1, 2**31)), "unit", "X has 2147483648 columns"),
        (np.eye(2), ["mean"], "scale must be none, unit or mean, not"),
        (np.eye(2), "median", "scale must be none, unit or mean, not 'median'"),
    ],
)
def test_what_is_no_matrix_or_no_scale_is_refused(X, scale, sentence):
    with pytest.raises(ValueError, match=sentence):
        scaled(X, scale)
