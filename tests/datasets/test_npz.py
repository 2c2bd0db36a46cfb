"""NPZ: the conventions of the docstring, and a sentence for each way to break them."""

import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of

from cdlab.datasets import load

X3 = np.array([[0, 1], [2, 0], [3, 4]])


def npz(folder, **arrays):
    path = Path(folder) / "t.npz"
    np.savez_compressed(path, **arrays)
    return path


@each_of("dtype", [np.int16, np.uint8, np.float32, np.float64, bool])
@each_of("order", ["C", "F"])
def test_dense_npz(tmp_path, dtype, order):
    X, y = load(npz(tmp_path, X=np.asarray(X3, dtype, order=order), y=np.array([1, -1, 1], np.int8)))
    np.testing.assert_array_equal(X, X3.astype(dtype))
    assert X.flags.c_contiguous
    assert X.dtype == y.dtype == np.float64


def test_csr_npz_as_scipy_saves_it(tmp_path):
    S = sp.csr_matrix(X3.astype(np.float32))
    path = npz(tmp_path, data=S.data, indices=S.indices, indptr=S.indptr.astype(np.int64), shape=S.shape, y=[1, 2, 3])
    X, y = load(path, n_features=5)
    assert X.shape == (3, 5)
    assert X.indices.dtype == np.int32
    np.testing.assert_array_equal(X.toarray()[:, :2], X3)
    sp.save_npz(tmp_path / "u.npz", S)
    with pytest.raises(ValueError, match="has no key 'y': the labels belong there"):
        load(tmp_path / "u.npz")


def test_unsorted_indices_are_sorted_and_duplicates_are_summed_as_scipy_means_them(tmp_path):
    path = npz(tmp_path, data=[1.0, 2, 3, 4], indices=[2, 0, 1, 1], indptr=[0, 2, 4], shape=[2, 3], y=[1, -1])
    X, _ = load(path)
    assert X.toarray().tolist() == [[2, 0, 1], [0, 7, 0]]
    assert X.has_canonical_format
    assert X.nnz == 3


def test_is_test_splits_and_all_keeps_the_order(tmp_path):
    path = npz(tmp_path, X=X3, y=[1, 2, 3], is_test=np.array([False, True, False]))
    assert [load(path, split=s)[1].tolist() for s in ("train", "test", "all")] == [[1, 3], [2], [1, 2, 3]]


def test_lewis_split_leaves_rows_out_of_both_parts(tmp_path):
    path = npz(tmp_path, X=X3, y=[1, 2, 3], lewis_split=[0, 2, 1])
    assert [load(path, split=s)[1].tolist() for s in ("train", "test", "all")] == [[3], [2], [1, 2, 3]]


def test_x_train_and_x_test_and_flattened_images(tmp_path):
    images = np.arange(8).reshape(2, 2, 2)
    path = npz(tmp_path, x_train=images, y_train=[5, 6], x_test=images[:1] + 1, y_test=[[7]])
    assert load(path)[0].tolist() == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert load(path, split="test")[1].tolist() == [7]
    X, y = load(path, split="all")
    assert X.tolist() == [[0, 1, 2, 3], [4, 5, 6, 7], [1, 2, 3, 4]]
    assert y.tolist() == [5, 6, 7]


@each_of(
    "arrays, sentence",
    [
        ({"a": [1], "b": [2]}, "has the keys a, b; expected X and y, or data"),
        ({"X": X3}, "has no key 'y'"),
        ({"x_train": X3}, "has no key 'y_train'"),
        ({"X": X3, "y": [1, 2]}, "X has 3 rows, y has 2"),
        ({"X": X3, "y": X3}, r"y has shape \(3, 2\); it needs one number for each example"),
        ({"X": [1.0, 2], "y": [1, 2]}, r"X has shape \(2,\); it needs two axes"),
        ({"X": X3, "y": [b"a", b"b", b"c"]}, r"y has dtype \|S1; numbers or words are needed"),
        ({"X": X3 * 1j, "y": [1, 2, 3]}, "X has dtype complex128"),
        ({"X": X3 * np.nan, "y": [1, 2, 3]}, "example 1, feature 1 is nan"),
        ({"X": X3, "y": [1, np.inf, 3]}, "the label of example 2 is inf"),
        ({"X": X3, "y": [1, 2, 3], "is_test": [0, 1, 2]}, "is_test may hold 0, 1 and nothing else"),
        ({"X": X3, "y": [1, 2, 3], "is_test": [0, 1]}, "the split has 2; they must agree"),
        ({"X": X3, "y": [1, 2, 3], "lewis_split": [0, 1, 3]}, "lewis_split may hold 0, 1, 2"),
        ({"X": X3, "y": [1, 2, 3], "is_test": [1, 1, 1]}, "has no train part; the split 'test' gives its rows"),
        ({"X": X3[:0], "y": []}, "holds no examples"),
        ({"data": [1.0], "indices": [5], "indptr": [0, 1], "shape": [1, 2], "y": [1]}, "not a valid CSR matrix"),
        ({"data": [1.0], "indices": [0], "indptr": [0, 2], "shape": [1, 2], "y": [1]}, "not a valid CSR matrix"),
        ({"data": [1.0], "indices": [0.5], "indptr": [0, 1], "shape": [1, 2], "y": [1]}, "indices has dtype float64"),
        (
            {"data": [1.0], "indices": [0], "indptr": [0, 1], "shape": [1, 2], "format": b"csc", "y": [1]},
            "save X.tocsr()",
        ),
    ],
)
def test_a_malformed_npz_gets_a_sentence(tmp_path, arrays, sentence):
    with pytest.raises(ValueError, match=sentence) as error:
        load(npz(tmp_path, **arrays))
    assert "t.npz" in str(error.value)


def test_pickled_objects_are_refused(tmp_path):
    path = npz(tmp_path, X=np.array([[{}]], dtype=object), y=[1])
    with pytest.raises(ValueError, match=r"not an NPZ file of plain arrays.*allow_pickle"):
        load(path)


@each_of("content", [b"1 1:2\n", b"PK\x03\x04 nothing", b""])
def test_a_file_of_another_kind(tmp_path, content):
    (tmp_path / "t.npz").write_bytes(content)
    with pytest.raises(ValueError, match="t.npz is (empty|not an NPZ file)"):
        load(tmp_path / "t.npz")
    with (tmp_path / "t.npz").open("wb") as file:
        np.save(file, X3)
    with pytest.raises(ValueError, match="holds a single array"):
        load(tmp_path / "t.npz")


@each_of("share", [0.2, 0.6, 0.95])
def test_a_truncated_npz(tmp_path, share):
    path = npz(tmp_path, X=np.random.default_rng(0).random((50, 4)), y=np.arange(50))
    whole = path.read_bytes()
    path.write_bytes(whole[: int(share * len(whole))])
    with pytest.raises(ValueError, match="not an NPZ file of plain arrays, or is damaged"):
        load(path)


def test_a_damaged_npz(tmp_path):
    path = npz(tmp_path, X=np.random.default_rng(0).random((50, 4)), y=np.arange(50))
    whole = bytearray(path.read_bytes())
    whole[200] ^= 0xFF
    path.write_bytes(whole)
    with pytest.raises(ValueError, match="not an NPZ file of plain arrays, or is damaged"):
        load(path)


def test_labels_of_an_npz_file_may_be_words(tmp_path):
    assert load(npz(tmp_path, X=X3, y=["b", "a", "b"]))[1].tolist() == ["b", "a", "b"]


def member(shape, dtype="<f8", content=b""):
    """An array's file that promises a shape, and holds `content`."""
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": dtype, "fortran_order": False, "shape": shape})
    return header.getvalue() + content


@each_of(
    "X, sentence",
    [
        (b"garbage", "magic string"),
        (b"", "EOF|magic"),
        (member((10**11, 10)), r"X.npy promises an array of shape \(100000000000, 10\), and holds 0 bytes"),
        (member((10**30, 1)), "X.npy promises an array of shape"),
        (member((3, -2)), "X.npy promises an array of shape"),
        (member((2, 2), content=b"1234"), "X.npy promises an array of shape"),
        (b"\x93NUMPY\x07\x00" + b"(" * 200, "version"),
        (b"\x93NUMPY\x01\x00\xff\x00" + b"(" * 300, "EOF"),
    ],
)
def test_a_member_that_is_no_array_gets_a_sentence(tmp_path, X, sentence):
    with zipfile.ZipFile(tmp_path / "t.npz", "w") as archive:
        archive.writestr("X.npy", X)
        archive.writestr("y.npy", member((3,), content=bytes(24)))
    with pytest.raises(ValueError, match=rf"t\.npz is not an NPZ file of plain arrays, or is damaged \(.*({sentence})"):
        load(tmp_path / "t.npz")


@each_of("shape", [[1e30, 1], [2**62, 2**62], [1], [1, 2, 3], [-1, 2], []])
def test_a_sparse_shape_that_is_none_gets_a_sentence(tmp_path, shape):
    parts = {"data": np.ones(1), "indices": np.array([0]), "indptr": np.array([0, 1]), "y": np.ones(1)}
    with pytest.raises(ValueError, match=r"t\.npz(:| is not a valid CSR)"):
        load(npz(tmp_path, shape=np.array(shape), **parts))
