"""LIBSVM text: what is written is read back, and every malformed file gets its sentence."""

import bz2
import gzip
import lzma
import os
import tempfile
import threading
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from cdlab.datasets import libsvm, load, scan
from cdlab.datasets.parts import FULL, WIDEST

PACK = {"": bytes, ".gz": gzip.compress, ".bz2": bz2.compress, ".xz": lzma.compress}


def text_of(X, y, base=1):
    rows = ([f"{j + base}:{float(X[i, j])!r}" for j in np.flatnonzero(X[i])] for i in range(len(y)))
    return "".join(" ".join([repr(float(label)), *row]) + "\n" for label, row in zip(y, rows, strict=True))


def write(folder, text, name="data.txt"):
    path = Path(folder) / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


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
    monkeypatch.setattr(libsvm, "_BATCH", 50)  # bytes: about one line
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


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("abc 1:2", "the label 'abc' is not a number"),
        ("1,2 1:2", "the label '1,2' is not a number"),
        ("1:2 2:3", "the label is missing (the line starts with '1:2')"),
        ("1 1:2 x", "'x' is not an index:value pair"),
        ("1 1: 2", "the value '' of '1:' is not a number"),
        ("1 1:two", "the value 'two' of '1:two' is not a number"),
        ("1 1:2,5", "the value '2,5' of '1:2,5' is not a number"),
        ("1 a:2", "the index 'a' of 'a:2' is not a whole number"),
        ("1 1.5:2", "the index '1.5' of '1.5:2' is not a whole number"),
        ("1 -1:2", "the index '-1' of '-1:2' is not a whole number from 0"),
        ("1 99999999999:2", "the index '99999999999' of '99999999999:2' is not a whole number from 0 to 2147483647"),
        ("1 9999999999999999999999:2", "is not a whole number from 0 to 2147483647"),
        ("1 3:1 2:1", "the index of '2:1' does not rise after 3"),
        ("1 3:1 3:1", "the index of '3:1' does not rise after 3"),
    ],
)
def test_a_malformed_line_is_named_with_its_token(tmp_path, line, sentence):
    with pytest.raises(ValueError, match="data.txt, line 3: ") as error:
        load(write(tmp_path, f"1 1:1\n# comment\n{line}\n1 1:1\n"))
    assert sentence in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("value", ["nan", "inf", "-inf", "1e400"])
def test_entries_and_labels_must_be_finite(tmp_path, value):
    with pytest.raises(ValueError, match=r"example 2, feature 7 is (nan|-?inf); every entry must be a finite number"):
        load(write(tmp_path, f"1 1:1\n1 2:1 7:{value}\n"))
    with pytest.raises(ValueError, match=r"the label of example 2 is (nan|-?inf); it must be a finite number"):
        load(write(tmp_path, f"1 1:1\n{value} 2:1\n"))


@pytest.mark.parametrize("text", ["\n", "\n \n", "# only a comment\n"])
@pytest.mark.parametrize("suffix", PACK)
def test_a_file_without_examples(tmp_path, text, suffix):
    with pytest.raises(ValueError, match="holds no examples"):
        load(write(tmp_path, PACK[suffix](text.encode()), "data.txt" + suffix))


@pytest.mark.parametrize("suffix", PACK)
def test_an_empty_file(tmp_path, suffix):
    with pytest.raises(ValueError, match=r"is empty \(0 bytes\)"):
        load(write(tmp_path, b"", "data.txt" + suffix))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_truncated_compressed_file(tmp_path, suffix, share):
    rng = np.random.default_rng(0)
    whole = PACK[suffix](text_of(rng.standard_normal((3000, 4)), rng.standard_normal(3000)).encode())
    with pytest.raises(ValueError, match=r"data.txt.\w+ is cut short"):
        load(write(tmp_path, whole[: int(share * len(whole))], "data.txt" + suffix))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_a_damaged_or_misnamed_compressed_file(tmp_path, suffix):
    whole = bytearray(PACK[suffix](b"1 1:2\n" * 5000))
    whole[len(whole) // 2] ^= 0xFF
    with pytest.raises(ValueError, match=r"(damaged, or is not a|cut short|line \d+)"):
        load(write(tmp_path, bytes(whole), "data.txt" + suffix))
    with pytest.raises(ValueError, match=rf"is damaged, or is not a {suffix} file"):
        load(write(tmp_path, b"1 1:2\n" * 50, "plain.txt" + suffix))


@pytest.mark.parametrize("suffix", [".gz", ".bz2", ".xz"])
def test_a_compressed_file_without_its_suffix(tmp_path, suffix):
    with pytest.raises(ValueError, match=rf"not LIBSVM text; its first bytes are those of a {suffix} file"):
        load(write(tmp_path, PACK[suffix](b"1 1:2\n" * 50)))


def test_a_binary_file(tmp_path):
    with pytest.raises(ValueError, match="line 1: this is not LIBSVM text"):
        load(write(tmp_path, b"\x89PNG\r\n\x1a\n\0\0\0"))


def test_not_a_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load(tmp_path / "absent.txt")
    with pytest.raises(ValueError, match="is a folder"):
        load(tmp_path)


# --- dense data ------------------------------------------------------------------------------------------------------


@given(st.integers(1, 8), st.integers(1, 8), st.data())
def test_a_file_with_few_zeros_becomes_an_array(n, d, data):
    """Above the share of nonzeros in `parts.FULL`; stored zeros are zeros. `dense` decides otherwise, or the same."""
    nonzeros = data.draw(st.integers(1, n * d))
    X = np.zeros(n * d)
    X[:nonzeros] = 2.0
    X = X.reshape(n, d)
    lines = [f"{i} " + " ".join(f"{j + 1}:{X[i, j]}" for j in range(d)) for i in range(n)]
    with tempfile.TemporaryDirectory() as folder:
        path = write(folder, "\n".join(lines))
        found = {dense: load(path, dense=dense)[0] for dense in (None, True, False)}
    assert isinstance(found[None], np.ndarray) == (nonzeros > FULL * n * d)
    assert isinstance(found[True], np.ndarray)
    assert sp.issparse(found[False])
    for read in found.values():
        np.testing.assert_array_equal(read.toarray() if sp.issparse(read) else read, X)


# --- size ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("read", [load, scan])
def test_an_index_that_alone_would_take_all_memory_must_be_meant(tmp_path, read):
    path = write(tmp_path, f"1 {WIDEST + 2}:1\n-1 1:1\n")
    with pytest.raises(
        ValueError, match=r"data.txt has an index \d+: so many columns would take 1.07 GB .* n_features="
    ):
        read(path)
    with pytest.raises(ValueError, match=f"needs n_features >= {WIDEST + 2}, not 7"):
        read(path, n_features=7)


def test_a_wide_sparse_file_is_read_if_it_is_meant(tmp_path):
    X, _ = load(write(tmp_path, "1 2147483646:1\n-1 1:1\n"), n_features=2**31 - 1)
    assert X.shape == (2, 2**31 - 1)
    assert X.nnz == 2
    assert load(write(tmp_path, f"1 {WIDEST}:1\n-1 1:1\n"))[0].shape == (2, WIDEST)


@pytest.mark.parametrize("empty", ["\n", "  \r\n", "#\n", "# text\n\n", "\n\t\n"])
def test_lines_without_examples_reach_no_parser(tmp_path, monkeypatch, empty):
    """A few hundred kilobytes of .gz can hold hundreds of megabytes of them."""
    import sklearn.datasets

    parsed = []

    def reader(stream, **options):
        parsed.append(len(stream.getbuffer()))
        return sklearn_reader(stream, **options)

    sklearn_reader = sklearn.datasets.load_svmlight_file
    monkeypatch.setattr(sklearn.datasets, "load_svmlight_file", reader)
    path = write(tmp_path, gzip.compress(("1 1:1\n" + empty * 500_000 + "-1 2:1\n").encode()), "data.gz")
    X, y = load(path)
    assert X.toarray().tolist() == [[1, 0], [0, 1]]
    assert y.tolist() == [1, -1]
    assert sum(parsed) < 100


@pytest.mark.parametrize("batch", [50, 1 << 20])
@pytest.mark.parametrize("before", [0, 1, 40])
def test_an_error_names_its_line_whatever_stands_before(tmp_path, monkeypatch, batch, before):
    monkeypatch.setattr(libsvm, "_BATCH", batch)
    text = "1 1:1\n\n# comment\n" * before + "\n   -1 2:x  # here\n1 1:1\n"
    with pytest.raises(ValueError, match=rf"line {3 * before + 2}: the value 'x' of '2:x' is not a number"):
        load(write(tmp_path, text))


# --- pipes -----------------------------------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.parametrize("read", [load, scan])
def test_a_pipe_is_read_once(tmp_path, read):
    os.mkfifo(tmp_path / "pipe")
    writer = threading.Thread(target=(tmp_path / "pipe").write_text, args=("1 1:1 3:2\n-1 2:1\n",))
    writer.start()
    found = read(tmp_path / "pipe")
    writer.join()
    assert (found[0].shape if read is load else (found.n, found.d)) == (2, 3)
