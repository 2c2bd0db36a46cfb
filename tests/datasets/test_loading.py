"""load and names: where a set is looked for, its parts, its labels."""

import bz2
import gzip
import hashlib
import lzma
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of

from cdlab import datasets
from cdlab.datasets import describe, load, names
from cdlab.datasets.catalogue import BUNDLED, cache_folder, locate, shipped
from cdlab.datasets.formats import unpacked_name
from cdlab.datasets.text_files import open_bytes

# --- the search ------------------------------------------------------------------------------------------------------


def test_the_public_names():
    assert set(datasets.__all__) >= {
        "load",
        "make",
        "arrow",
        "worst_primal",
        "worst_dual",
        "names",
        "fetch",
        "describe",
    }


@pytest.mark.parametrize(
    ("name", "shape", "nnz", "counts"),
    [
        ("mushrooms", (8124, 112), 170604, {1: 3916, 2: 4208}),
        ("a9a", (32561, 123), 451592, {-1: 24720, 1: 7841}),
        ("a9a.t", (16281, 123), 225732, {-1: 12435, 1: 3846}),
    ],
)
def test_bundled_sets(name, shape, nnz, counts):
    X, y = load(name)
    assert (X.shape, X.nnz) == (shape, nnz)
    assert dict(zip(*np.unique(y, return_counts=True), strict=True)) == counts
    assert X.indices.dtype == np.int32
    assert X.has_sorted_indices


def test_bundled_abalone():
    X, y = load("abalone_scale")
    assert X.shape == (4177, 8)
    assert (y.min(), y.max(), round(y.mean(), 3)) == (1, 29, 9.934)
    assert abs(X).max() == 1


def test_bundled_files_are_the_ones_whose_licence_is_stated():
    stated = dict(re.findall(r"^    (\S+) +([0-9a-f]{64})$", (BUNDLED / "LICENCES.md").read_text(), re.M))
    files = {unpacked_name(path)[0]: path for path in BUNDLED.iterdir() if path.name != "LICENCES.md"}
    assert set(files) == set(stated), "a line of LICENCES.md with its sha256 for each bundled file"
    for name, file in files.items():
        with open_bytes(file) as stream:
            assert hashlib.sha256(stream.read()).hexdigest() == stated[name]
    assert sum(file.stat().st_size for file in files.values()) < 300_000


def test_every_bundled_file_is_a_set_of_the_catalogue_or_its_test_part():
    known = {locate(entry)[1] for entry in shipped().values()}
    files = [path for path in BUNDLED.iterdir() if path.name != "LICENCES.md"]
    assert {path.with_name(path.name.replace(".t.", ".")) for path in files} <= known


def test_bundled_text_is_byte_for_byte_what_the_public_address_holds():
    for name in ("mushrooms", "a9a", "a9a.t"):
        text = bz2.decompress((BUNDLED / f"{name}.bz2").read_bytes())
        if name == "a9a.t":  # but for the one stored zero that LICENCES.md speaks of
            text = text.replace(b"123:0 ", b"", 1)
        assert hashlib.sha256(text).hexdigest() == describe(name).download.sha256


def test_cdlab_data_comes_first_then_bundled_then_the_cache(tmp_path, monkeypatch):
    where = {entry.name: entry.where for entry in names()}
    assert (where["mushrooms"], where["real-sim"], where["leu"]) == ("bundled", "fetch", "unavailable")
    cache_folder().mkdir(parents=True)
    for name in ("mushrooms", "real-sim"):
        (cache_folder() / name).write_text("1 1:3\n")
    where = {entry.name: entry.where for entry in names()}
    assert (where["mushrooms"], where["real-sim"]) == ("bundled", "cache")
    assert load("real-sim")[0].shape == (1, 20958)
    monkeypatch.setenv("CDLAB_DATA", str(tmp_path))
    (tmp_path / "mushrooms.xz").write_bytes(lzma.compress(b"1 1:3\n2 2:4\n"))
    assert {entry.name: entry.where for entry in names()}["mushrooms"] == "CDLAB_DATA"
    assert load("mushrooms")[0].shape == (2, 112)


def test_names_lists_n_and_d_of_what_load_gives():
    for entry in names():
        if entry.where == "bundled":
            assert load(entry.name)[0].shape == (entry.n, entry.d)


def test_own_files_of_the_cdlab_data_folder_have_names_too(tmp_path, monkeypatch):
    monkeypatch.setenv("CDLAB_DATA", str(tmp_path))
    (tmp_path / "mine.csv").write_text("1,2,3\n")
    assert load("mine")[0].tolist() == [[1, 2]]


def test_a_name_is_the_known_set_and_a_path_is_the_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("mushrooms").write_text("1 1:3\n")
    Path("other").write_text("1 1:3\n")
    assert load("mushrooms")[0].shape == (8124, 112)
    for source in ("./mushrooms", tmp_path / "mushrooms", Path("mushrooms"), "other"):
        assert load(source)[0].shape == (1, 1)


@each_of(
    "name, kind, sentence",
    [
        ("mushroms", ValueError, "unknown data set 'mushroms': did you mean mushrooms?"),
        ("Covtype.Binry", ValueError, "did you mean covtype.binary"),
        ("qqqq", ValueError, "the known ones are mushrooms, a9a"),
        ("", TypeError, "named by a string or a path"),
        (3, TypeError, "named by a string or a path, not 3"),
        ("leu", FileNotFoundError, "leu is a known data set .* no public address: set CDLAB_DATA to a folder"),
        ("leukemia72.raw", FileNotFoundError, "set CDLAB_DATA to a folder that holds leukemia72.raw"),
        ("a9a.bz2", FileNotFoundError, "there is no file a9a.bz2 here; the known data set is called 'a9a'"),
        ("absent.csv", FileNotFoundError, "there is no file absent.csv"),
        ("~nosuchuser/leu", ValueError, "no home folder is known for ~nosuchuser"),
        ("absent/leu", FileNotFoundError, "there is no file absent/leu"),
    ],
)
def test_what_is_not_there(name, kind, sentence):
    with pytest.raises(kind, match=sentence):
        load(name)


def test_cdlab_data_must_be_a_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CDLAB_DATA", str(tmp_path / "absent"))
    with pytest.raises(ValueError, match="CDLAB_DATA is .* which is not a folder"):
        load("mushrooms")


@each_of(
    "keywords, sentence",
    [
        ({"split": "training"}, "split must be train, test or all, not 'training'"),
        ({"scale": "max"}, "scale must be none, unit or mean, not 'max'"),
        ({"n_features": 0}, "n_features must be a positive whole number"),
        ({"n_features": 1.5}, "n_features must be a positive whole number"),
        ({"n_features": 100}, "needs n_features >= 112, not 100"),
        ({"split": "test"}, "mushrooms has no test part; the split 'train' gives all its rows"),
    ],
)
def test_arguments_out_of_range(keywords, sentence):
    with pytest.raises(ValueError, match=sentence):
        load("mushrooms", **keywords)


def test_a_known_set_with_an_index_0_is_not_that_set(tmp_path, monkeypatch):
    monkeypatch.setenv("CDLAB_DATA", str(tmp_path))
    (tmp_path / "mushrooms").write_text("1 0:1\n")
    with pytest.raises(ValueError, match="has an index 0, and its indices should start at 1"):
        load("mushrooms")


# --- the parts -------------------------------------------------------------------------------------------------------


def test_the_test_part_is_the_file_dot_t_and_all_is_one_below_the_other():
    X, y = load("a9a")
    Xt, yt = load("a9a", split="test")
    Xa, ya = load("a9a", split="all")
    assert Xt.shape == (16281, 123)
    assert abs(sp.vstack([X, Xt]) - Xa).max() == 0
    np.testing.assert_array_equal(np.concatenate([y, yt]), ya)
    np.testing.assert_array_equal(load("a9a.t")[1], yt)
    assert Xa.indices.dtype == np.int32


def test_without_a_test_part_all_is_train():
    np.testing.assert_array_equal(load("mushrooms", split="all")[1], load("mushrooms")[1])


def test_compression_of_the_two_files_may_differ(tmp_path):
    (tmp_path / "s.libsvm.bz2").write_bytes(bz2.compress(b"1 1:1\n"))
    (tmp_path / "s.libsvm.t").write_text("2 2:1\n")
    X, y = load(tmp_path / "s.libsvm.bz2", split="all")
    assert X.toarray().tolist() == [[1, 0], [0, 1]]
    assert y.tolist() == [1, 2]


# --- classes to +-1 --------------------------------------------------------------------------------------------------


def test_binary_tasks_are_made_from_classes(tmp_path, monkeypatch):
    monkeypatch.setenv("CDLAB_DATA", str(tmp_path))
    np.savez(tmp_path / "covtype.npz", X=np.ones((7, 54), np.int16), y=np.arange(1, 8))
    digits = np.arange(10)
    np.savez(tmp_path / "mnist.npz", x_train=np.ones((10, 28, 28), np.uint8), y_train=digits)
    assert load("covtype")[1].tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert load("covtype.binary")[1].tolist() == [-1, 1, -1, -1, -1, -1, -1]
    assert load("mnist")[0].shape == (10, 784)
    assert np.flatnonzero(load("mnist.binary")[1] == 1).tolist() == [1, 2, 4, 5, 7]


def test_the_uci_covtype_file_is_read_as_published(tmp_path, monkeypatch):
    """No header, 54 features, the class last: the form in which `fetch` gets it."""
    monkeypatch.setenv("CDLAB_DATA", str(tmp_path))
    row = ",".join(map(str, range(54)))
    (tmp_path / "covtype.csv.gz").write_bytes(gzip.compress(f"{row},5\n{row},2\n".encode()))
    X, y = load("covtype.binary")
    assert X.tolist() == [list(range(54))] * 2
    assert y.tolist() == [-1, 1]


def test_the_import_is_light():
    code = (
        "import sys, cdlab.datasets; sys.exit(any(m in sys.modules for m in ('pandas', 'sklearn', 'sympy', 'panel')))"
    )
    assert subprocess.run([sys.executable, "-c", code], env=os.environ, check=False).returncode == 0
