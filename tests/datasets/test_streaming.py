"""scan: one pass over a file gives what the loaded matrix gives, in bounded memory."""

import bz2
import gzip
import lzma
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from libsvm_files import PACK, text_of, write

import cdlab
from cdlab.datasets import libsvm, load, scan
from cdlab.faceoffs import FaceOff

SCALES = ("none", "unit", "mean")
ROW_SUMS = ("F", "C_D")  # added up in another order than in memory


def numbers(f: FaceOff) -> dict[str, float]:
    """All numbers of a face-off that it has, but the one that a scan cannot know."""
    fields = ("n", "d", "nnz", "F", "C_P", "C_D", "ratio", "ratio_table", "T_P_acc", "break_even")
    work = {f"{name}_{side}": getattr(f, f"{name}_{side}") for name in "KWT" for side in "PD"}
    uniform = {f"uniform {name}_{side}": getattr(f.uniform, f"{name}_{side}") for name in "KWT" for side in "PD"}
    found = {name: getattr(f, name) for name in fields} | work | uniform
    return {name: value for name, value in found.items() if value is not None}


def uneven(n=400, d=30, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < rng.random((n, 1)) * rng.random(d))
    X *= np.exp(rng.standard_normal((n, 1)))
    X[3], X[:, 5] = 0, 0  # an empty row, an empty column
    return X, rng.choice([-1.0, 1.0], n)


@pytest.fixture
def small_batches(monkeypatch):
    monkeypatch.setattr(libsvm, "BATCH_BYTES", 2000)  # bytes: a few lines


# ---------------------------------------------------------------- the same numbers
@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("scale", SCALES)
def test_it_agrees_with_the_loaded_matrix(suffix, scale, tmp_path, small_batches):
    X, y = uneven()
    path = write(tmp_path, PACK[suffix](text_of(X, y).encode()), f"data.txt{suffix}")
    loaded, labels = load(path, scale=scale)
    found, P = scan(path, scale=scale), cdlab.Problem(loaded, labels, loss="logistic", l2=0.01)
    assert (found.n, found.d, found.nnz) == (P.n, P.d, P.nnz)
    np.testing.assert_array_equal(found.columns.counts, P.column_profile.counts)
    if scale != "mean":  # divided before squaring there, after it here
        np.testing.assert_array_equal(found.columns.norms2, P.column_profile.norms2)
    f, g = numbers(cdlab.faceoff(found, loss="logistic", l2=0.01)), numbers(cdlab.faceoff(P))
    assert f == pytest.approx(g, rel=1e-13)


@pytest.mark.parametrize("base", [0, 1])
def test_whole_numbers_agree_exactly(base, tmp_path, small_batches):
    X = np.random.default_rng(1).integers(-3, 4, (300, 20)) * 1.0
    path = write(tmp_path, text_of(X, np.resize([1.0, -1.0], 300), base))
    P = cdlab.Problem(*load(path), loss="squared", l2=0.25)
    assert numbers(cdlab.faceoff(scan(path), loss="squared", l2=0.25)) == numbers(cdlab.faceoff(P))


def test_without_a_loss_it_gives_what_a_matrix_gives(tmp_path):
    X, y = uneven()
    path = write(tmp_path, text_of(X, y))
    f, g = cdlab.faceoff(scan(path)), cdlab.faceoff(load(path)[0])
    assert numbers(f) == pytest.approx(numbers(g), rel=1e-13)
    assert f.theorem3.position == pytest.approx(g.theorem3.position, rel=1e-13)
    assert f.reason == g.reason


def test_known_sets_explicit_zeros_and_widths(tmp_path):
    found = scan("mushrooms")
    assert (found.n, found.d, found.nnz, found.columns.C) == (
        8124,
        112,
        170604,
        cdlab.faceoff(load("mushrooms")[0]).C_P,
    )
    path = write(tmp_path, "1 1:0 3:2\n-1 7:0\n")
    assert (scan(path).d, scan(path).nnz) == (7, 1) == (load(path)[0].shape[1], load(path)[0].count_nonzero())
    assert scan(path, n_features=9).columns.counts.tolist() == [0, 0, 1, 0, 0, 0, 0, 0, 0]
    with pytest.raises(ValueError, match="index 7 needs n_features >= 7, not 5"):
        scan(path, n_features=5)


def test_what_a_scan_cannot_tell(tmp_path):
    found = scan(write(tmp_path, "1 1:1 2:2\n-1 2:1\n"))
    f = cdlab.faceoff(found, loss="logistic", l2=0.5)
    assert f.T_P_acc is not None
    assert f.T_D_acc is None
    with pytest.raises(ValueError, match="a scan keeps only sums of the rows"):
        cdlab.faceoff(found, loss="logistic", l2=0.5, samplings=["norms"])


# ---------------------------------------------------------------- memory and progress
@pytest.mark.full
def test_memory_stays_bounded(tmp_path, monkeypatch):
    """A batch of the text at a time, however long the file: here 1.1 million nonzeros, 13 MB as a matrix.

    (With batches of 1 MB it would have to be ten times as long, and tracing what sklearn allocates is slow.)
    """
    monkeypatch.setattr(libsvm, "BATCH_BYTES", 1 << 16)
    rng, d, copies = np.random.default_rng(0), 500, 90
    lines = [" ".join(["1", *(f"{j}:{rng.integers(1, 9)}" for j in range(1, d + 1))]) for _ in range(25)]
    block = ("\n".join(lines) + "\n").encode()
    path = write(tmp_path, gzip.compress(block, 1) * copies, "large.txt.gz")
    scan("mushrooms")  # imports
    tracemalloc.start()
    try:
        found = scan(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert (found.n, found.nnz) == (25 * copies, 25 * copies * d)
    assert peak < 1.5e6 < len(block) * copies / 4
    X = load(write(tmp_path, block))[0]
    assert found.C_D == copies * cdlab.faceoff(X).C_D
    np.testing.assert_array_equal(found.columns.norms2, copies * cdlab.Problem(X, np.ones(25)).column_profile.norms2)


@pytest.mark.parametrize("suffix", PACK)
def test_progress_counts_up_to_the_end(suffix, tmp_path, small_batches):
    X, y = uneven()
    text = text_of(X, y).encode()
    path, seen = write(tmp_path, PACK[suffix](text), f"data.txt{suffix}"), []
    found = scan(path, progress=seen.append)
    assert len(seen) > 5
    for name in ("examples", "nonzeros", "bytes"):
        counts = [getattr(at, name) for at in seen]
        assert counts == sorted(counts)
    assert (seen[-1].examples, seen[-1].nonzeros, seen[-1].bytes) == (found.n, found.nnz, len(text))
    assert {at.total for at in seen} == ({None} if suffix else {len(text)})


# ---------------------------------------------------------------- refusals
@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("abc 1:2", "line 203: the label 'abc' is not a number"),
        ("1 1:two", "line 203: the value 'two' of '1:two' is not a number"),
        ("1 3:1 2:1", "line 203: the index of '2:1' does not rise after 3"),
        ("1 2:1 7:inf", "example 202, index 7 is inf; every entry must be a finite number"),
        ("nan 2:1", "the label of example 202 is nan"),
        ("1 1:1e200", "too large for float64"),
    ],
)
def test_a_bad_line_is_named_wherever_it_stands(line, sentence, tmp_path, small_batches):
    path = write(tmp_path, "# head\n" + "1 1:1\n" * 201 + line + "\n" + "1 1:1\n" * 50)
    with pytest.raises(ValueError, match="data.txt") as error:
        scan(path)
    assert sentence in str(error.value)


@each_of(
    "name, content, words",
    [
        ("a.csv", b"1,2\n", "not LIBSVM text, which is all"),
        ("a.csv.gz", gzip.compress(b"1,2\n"), "not LIBSVM text, which is all"),
        ("a.npz", b"PK", "not LIBSVM text, which is all"),
        ("a.txt", b"# nothing\n", "holds no examples"),
        ("a.txt", b"1\n-1\n", "give n_features if X = 0 is meant"),
        ("a.txt.xz", lzma.compress(b"1 1:2\n" * 500)[:80], "cut short"),
        ("a.txt.bz2", b"1 1:2\n", "is damaged, or is not a .bz2 file"),
        ("a.txt", bz2.compress(b"1 1:2\n"), "its first bytes are those of a .bz2 file"),
    ],
)
def test_files_that_cannot_be_scanned(name, content, words, tmp_path):
    with pytest.raises(ValueError, match=words):
        scan(write(tmp_path, content, name))


def test_arguments_are_checked(tmp_path):
    path = write(tmp_path, "1 1:1\n")
    with pytest.raises(ValueError, match="scale must be"):
        scan(path, scale="big")
    with pytest.raises(ValueError, match="n_features must be"):
        scan(path, n_features=0)
    with pytest.raises(FileNotFoundError, match="there is no file"):
        scan(tmp_path / "absent.txt")
    assert scan(write(tmp_path, "1\n"), n_features=3).F == 0


def test_empty_lines_are_told_apart(tmp_path, small_batches):
    path = write(tmp_path, "1 1:1\n-1 2:1\n1\n-1 3:0\n")
    f = cdlab.faceoff(scan(path, n_features=5), loss="squared", l2=0.25)
    X, y = load(path, n_features=5)
    g = cdlab.faceoff(cdlab.Problem(sp.csr_matrix(X), y, loss="squared", l2=0.25))
    for face in (f, g):
        assert (face.n, face.d, face.n_nonempty, face.d_nonempty) == (4, 5, 2, 2)
        assert (face.K_P, face.K_D) == (2 + 2, 2 + 2)


def test_the_labels_that_there_are(tmp_path, small_batches):
    assert scan(write(tmp_path, "3 1:1\n1 1:1\n3 2:1\n")).labels == (1.0, 3.0)
    assert scan("mushrooms").labels == (1.0, 2.0)
    targets = "".join(f"{k / 7:.17g} 1:1\n" for k in range(1001))
    assert scan(write(tmp_path, targets)).labels is None
