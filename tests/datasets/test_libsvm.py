"""LIBSVM text: what is written is read back."""

import os
import tempfile
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from libsvm_files import PACK, text_of, write

from cdlab.datasets import libsvm, load, scan
from cdlab.datasets.parts import MAX_SPARSE_DENSITY

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.data())
def test_what_is_written_is_read_back_to_the_last_bit(data):
    n, d = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 6))
    X = data.draw(hnp.arrays(float, (n, d), elements=st.one_of(st.just(0.0), finite)))
    y = data.draw(hnp.arrays(float, n, elements=finite))
    base = data.draw(st.sampled_from([0, 1]))
    if base == 0:
        X[0, 0] = 1.0  # a zero-based file is recognised by its index 0
    suffix = data.draw(st.sampled_from(sorted(PACK)))
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, PACK[suffix](text_of(X, y, base).encode()), "data.txt" + suffix)
        read, labels = load(path, n_features=d, dense=False)
    assert sp.issparse(read)
    assert read.format == "csr"
    assert read.indices.dtype == np.int32
    assert read.dtype == labels.dtype == np.float64
    np.testing.assert_array_equal(read.toarray(), X)
    np.testing.assert_array_equal(labels, y)


def test_scikit_learn_reads_the_same(tmp_path):
    from sklearn.datasets import dump_svmlight_file, load_svmlight_file

    rng = np.random.default_rng(0)
    X = sp.csr_matrix(rng.standard_normal((300, 40)) * (rng.random((300, 40)) < 0.2))
    dump_svmlight_file(X, rng.integers(0, 3, 300), str(tmp_path / "f"), zero_based=False)
    theirs, labels = load_svmlight_file(str(tmp_path / "f"))
    ours, y = load(tmp_path / "f")
    assert abs(ours - theirs).max() == 0
    np.testing.assert_array_equal(y, labels)


def test_batches_do_not_show(tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((200, 5)) * (rng.random((200, 5)) < 0.5), rng.standard_normal(200)
    path = write(tmp_path, text_of(X, y))
    monkeypatch.setattr(libsvm, "BATCH_BYTES", 50)  # bytes: about one line
    read, labels = load(path, n_features=5)
    np.testing.assert_array_equal(read.toarray(), X)
    np.testing.assert_array_equal(labels, y)


def test_arrays_grow_beyond_their_first_capacity():
    array = libsvm._Growing(np.int32)
    whole = np.arange((1 << 22) + 12345, dtype=np.int32)
    for part in np.array_split(whole, 7):
        array.append(part)
    np.testing.assert_array_equal(array.array(), whole)


def test_comments_blank_lines_qid_plus_signs_and_carriage_returns(tmp_path):
    X, y = load(write(tmp_path, "# head\r\n\r\n+1 qid:4 1:2 +3:4 # tail\r\n\n-1\r\n-1 2:1e-3"))
    np.testing.assert_array_equal(X.toarray(), [[2, 0, 4], [0, 0, 0], [0, 1e-3, 0]])
    np.testing.assert_array_equal(y, [1, -1, -1])


def test_stored_zeros_are_kept(tmp_path):
    X, _ = load(write(tmp_path, "1 1:0 3:2\n"), dense=False)
    assert (X.nnz, X.count_nonzero()) == (2, 1)


def test_an_index_0_means_zero_based(tmp_path):
    assert load(write(tmp_path, "1 0:5 2:6\n"), dense=True)[0].tolist() == [[5, 0, 6]]
    assert load(write(tmp_path, "1 1:5 2:6\n"), dense=True)[0].tolist() == [[5, 6]]


def test_both_parts_share_their_first_column_and_their_width(tmp_path):
    path = write(tmp_path, "1 1:5 2:6\n", "set")
    write(tmp_path, "1 0:7 4:8\n", "set.t")
    train, test = load(path)[0], load(path, split="test")[0]
    assert train.toarray().tolist() == [[0, 5, 6, 0, 0]]
    assert test.toarray().tolist() == [[7, 0, 0, 0, 8]]


def test_n_features(tmp_path):
    path = write(tmp_path, "1 1:5\n1 3:6\n")
    assert load(path)[0].shape == (2, 3)
    assert load(path, n_features=10)[0].shape == (2, 10)
    with pytest.raises(ValueError, match=r"data.txt, example 2: index 3 needs n_features >= 3, not 2"):
        load(path, n_features=2)
    with pytest.raises(ValueError, match=r"holds labels but no index:value pairs; give n_features"):
        load(write(tmp_path, "1\n-1\n"))
    assert load(write(tmp_path, "1\n-1\n"), n_features=2)[0].toarray().tolist() == [[0, 0], [0, 0]]


@given(st.integers(1, 8), st.integers(1, 8), st.data())
def test_a_file_with_few_zeros_becomes_an_array(n, d, data):
    """Above `MAX_SPARSE_DENSITY`, where stored zeros are zeros. `dense` decides otherwise, or the same."""
    nonzeros = data.draw(st.integers(1, n * d))
    X = np.zeros(n * d)
    X[:nonzeros] = 2.0
    X = X.reshape(n, d)
    lines = [f"{i} " + " ".join(f"{j + 1}:{X[i, j]}" for j in range(d)) for i in range(n)]
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, "\n".join(lines))
        found = {dense: load(path, dense=dense)[0] for dense in (None, True, False)}
    assert isinstance(found[None], np.ndarray) == (nonzeros > MAX_SPARSE_DENSITY * n * d)
    assert isinstance(found[True], np.ndarray)
    assert sp.issparse(found[False])
    for read in found.values():
        np.testing.assert_array_equal(read.toarray() if sp.issparse(read) else read, X)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("read", [load, scan])
def test_a_pipe_is_read_once(tmp_path, read):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=("1 1:1 3:2\n-1 2:1\n",))
    writer.start()
    found = read(tmp_path / "pipe")
    writer.join()
    assert (found[0].shape if read is load else (found.n, found.d)) == (2, 3)
