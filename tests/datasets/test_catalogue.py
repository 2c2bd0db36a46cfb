"""A user's own data sets: files of the folder CDLAB_DATA, with an entry in its catalogue.toml or without."""

import json
import subprocess
import sys

import numpy as np
import pytest
from cases import each_of

import cdlab
from cdlab.cli import main
from cdlab.datasets import describe, load, names
from cdlab.datasets.catalogue import shipped

ENTRY = '[spam]\nn = 3\nd = 2\ntask = "binary"\n'


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CDLAB_DATA", str(tmp_path))
    return tmp_path


def listed():
    return {name: (n, d, where) for name, n, d, where in names()}


def test_every_shipped_entry_says_what_it_is_from_where_and_under_which_terms():
    assert all(entry.about and entry.source and entry.licence for entry in shipped().values())


def test_the_catalogue_is_not_read_before_it_is_needed():
    code = "import sys, cdlab, cdlab.datasets as d; sys.exit(d.catalogue._read.cache_info().currsize)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_file_without_an_entry_is_listed_loaded_and_described(folder):
    (folder / "flowers.csv").write_text("1,2,a\n3,4,b\n5,6,c\n")
    (folder / "flowers.t.csv").write_text("7,8,a\n")
    (folder / "targets").write_text("# of a regression\n\n0.5 1:1 3:2\n1.5 2:1\n2.5 1:4\n")
    (folder / "signs.svm").write_text("1 0:1\n-1 1:1\n")
    assert {name: listed()[name] for name in ("flowers", "targets", "signs")} == dict.fromkeys(
        ("flowers", "targets", "signs"), (None, None, "CDLAB_DATA")
    )
    found = [describe(name) for name in ("flowers", "targets", "signs")]
    assert [(each.n, each.d, each.task, each.test) for each in found] == [
        (3, 2, "classes", 1),
        (3, 3, "regression", 0),
        (2, 2, "binary", 0),
    ]
    assert load("targets")[0].shape == (3, 3)
    (folder / "targets").write_text("1 1:1\n")
    assert describe("targets").n == 1


def test_the_test_part_of_a_file_without_an_entry_is_counted_or_its_errors_are_told(folder):
    X, y = np.eye(4), np.array([1.0, -1, 1, -1])
    (folder / "broken.csv").write_text("1,2,a\n3,4,b\n5,6,c\n")
    (folder / "broken.t.csv").write_text("7,8,a\n1,2\n")
    np.savez(folder / "alone.npz", X=X, y=y)
    np.savez(folder / "flagged.npz", X=X, y=y, is_test=[0, 0, 0, 1])
    np.savez(folder / "sides.npz", x_train=X, y_train=y, x_test=X[:2], y_test=y[:2])
    assert [describe(name).test for name in ("alone", "flagged", "sides")] == [0, 1, 2]
    with pytest.raises(ValueError, match=r"broken\.t\.csv: "):
        describe("broken")


def test_what_is_no_data_and_no_set_of_its_own_is_not_listed(folder):
    before = set(listed())
    (folder / "MANIFEST.md").write_text("# Data\n\nWhat is here.\n")
    (folder / "script.py").write_text("print(1)\n")
    (folder / ".hidden").write_text("1 1:1\n")
    (folder / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0")
    (folder / "damaged.gz").write_text("1 1:1\n")
    (folder / "a9a").write_text("1 1:1\n")  # a known one
    (folder / "deeper").mkdir()
    assert set(listed()) == before


def test_an_entry_of_ones_own_is_known_everywhere(folder):
    (folder / "catalogue.toml").write_text(ENTRY + 'file = "raw"\npositive = [2, 3]\nabout = "mail"\ntest = 1\n')
    (folder / "raw.svm").write_text("1 0:1\n2 1:1\n3 0:2\n")
    (folder / "raw.t.svm").write_text("")
    (folder / "raw.t").write_text("3 1:1\n")  # index 1 is the second column, as the train part says
    assert listed()["spam"] == (3, 2, "CDLAB_DATA")
    assert "raw" not in listed()
    X, y = load("spam", dense=True)
    assert X.tolist() == [[1, 0], [0, 1], [2, 0]]  # an index 0: a set of one's own may begin there
    assert y.tolist() == [-1, 1, 1]
    X, y = load("spam", split="test", dense=True)
    assert (X.tolist(), y.tolist()) == ([[0, 1]], [1])
    assert cdlab.datasets.scan("spam").labels == (-1, 1)
    store = cdlab.sweep({"data": "spam", "method": "sdca", "l2": 0.1, "max_passes": 2}, store=folder / "store")
    assert set(store.to_frame()["data"]) == {"spam"}


def test_the_page_offers_the_files_of_the_folder(folder):
    from cdlab.dashboard.engine import Choices
    from cdlab.dashboard.engine.data_sources import at_hand

    (folder / "mine.csv").write_text("1,2,1\n3,4,-1\n5,6,1\n")
    at_hand.cache_clear()
    try:
        choices = Choices(data="mine", scale="none", loss="logistic")
        assert choices.shape() == (3, 2)
        assert choices.problem().X.tolist() == [[1, 2], [3, 4], [5, 6]]
    finally:
        at_hand.cache_clear()


def test_the_command_line_takes_an_entry_of_ones_own_and_made_data(folder, capsys):
    (folder / "catalogue.toml").write_text(ENTRY)
    (folder / "spam").write_text("1 1:1\n-1 2:1\n1 1:2\n")
    for data, n in (("spam", 3), ("synthetic:n=20,d=4", 20)):
        main(["solve", data, "--l2", "0.1", "--method", "sdca", "--json"])
        assert json.loads(capsys.readouterr().out)["problem"]["n"] == n


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("[spam\n", "catalogue.toml is not TOML"),
        ("spam = 3\n", r"\[spam\] must be a table with the keys n, d, test.*, not 3"),
        (ENTRY.replace("d = 2\n", ""), r"\[spam\] needs the key d"),
        (ENTRY + "licences = 'x'\n", r"\[spam\] has no key 'licences'; did you mean 'licence'\?"),
        (ENTRY.replace("= 3", "= 0"), r"\[spam\]: n must be a whole number >= 1, not 0"),
        (ENTRY.replace("binary", "two"), r"\[spam\]: task must be 'binary', 'classes' or 'regression', not 'two'"),
        (ENTRY + "about = 3\n", r"\[spam\]: about must be a text in quotes, not 3"),
        (ENTRY + "positive = 2\n", r"\[spam\]: positive must be a list of whole numbers, such as \[2\], not 2"),
        (ENTRY + "download = 'x'\n", r"\[spam\]: download must be a table with the keys url, filename, sha256"),
        (ENTRY + "download.sha256 = 'x'\n", r"\[spam\], download needs the key url"),
        (
            ENTRY + "download.url = 'ftp://here/x'\n",
            r"download: url must be an address that begins with https:// or http://",
        ),
        (
            ENTRY + "download.url = 'file:///etc/passwd'\n",
            r"download: url must be an address that begins with https:// or http://",
        ),
        (ENTRY.replace("spam", "a9a"), "a9a is the name of another data set already"),
        (ENTRY.replace("spam", "arrow"), "arrow is the name of another data set already"),
        (ENTRY.replace("spam", "'a b'"), "a data set is named by one word without : and /, not 'a b'"),
    ],
)
def test_a_mistake_in_ones_own_catalogue_is_named(folder, text, sentence):
    (folder / "catalogue.toml").write_text(text)
    for call in (names, lambda: load("spam"), lambda: describe("mushrooms")):
        with pytest.raises(ValueError, match=sentence):
            call()
    (folder / "x.svm").write_text("1 1:1\n")
    assert load(folder / "x.svm")[1].tolist() == [1]  # a path asks no catalogue


# ---------------------------------------------------------------- generators
@each_of(
    "text, made",
    [
        ("synthetic", cdlab.datasets.make()),
        ("synthetic:n=5,d=3,density=0.5,values=binary", cdlab.datasets.make(5, 3, 0.5, values="binary")),
        ("sun_ye:n=4,c=0.5,seed=2", cdlab.datasets.sun_ye(4, 0.5, 2)),
        ("arrow:d=3,n=4,a=1,b=2e0,c=-3", cdlab.datasets.arrow(3, 4, 1, 2, -3)),
        ("equicorrelated:n=4,s0=0.1", cdlab.datasets.equicorrelated(4, 0.1)),
        ("identical:n=4,q=9", cdlab.datasets.identical(4, 9)),
        ("clusters:m=4,q=9,c=-0.5,seed=1", cdlab.datasets.clusters(4, 9, -0.5, seed=1)),
        ("orthogonal:n=4,row_spread=1", cdlab.datasets.orthogonal(4, 1)),
        ("chain:n=5,Q=9", cdlab.datasets.chain(5, 9)),
    ],
)
def test_made_data_are_loaded_by_name(text, made):
    X, y = load(text)
    assert abs(X - made[0]).sum() == 0
    np.testing.assert_array_equal(y, made[1])
    assert cdlab.datasets.label_column(text) is None
    assert load(text, n_features=300, scale="unit")[0].shape == (y.size, 300)
    with pytest.raises(ValueError, match="has no test part"):
        load(text, split="test")


def test_a_generator_of_ones_own_is_known_everywhere(tmp_path):
    @cdlab.datasets.generator("halves")
    def halves(n, d=2):
        return np.full((n, d), 0.5), np.arange(n) % 2

    try:
        assert listed()["halves"] == (None, None, "made")
        for X, y in (load("halves:n=3"), cdlab.datasets.make("halves", n=3), cdlab.datasets.make("halves", 3)):
            assert (X.tolist(), y.tolist()) == ([[0.5, 0.5]] * 3, [0, 1, 0])
        grid = {"data": "halves:n=9", "method": "sdca", "l2": 0.1, "max_passes": 2}
        assert set(cdlab.sweep(grid, store=tmp_path / "store").to_frame()["data"]) == {"halves:n=9"}
        with pytest.raises(ValueError, match="halves is the name of another generator"):
            cdlab.datasets.generator("halves")(lambda n: None)
    finally:
        from cdlab.datasets.generators import GENERATORS

        del GENERATORS["halves"]


@each_of(
    "text, sentence",
    [
        ("sun_ye", "sun_ye needs n: write sun_ye:n=NUMBER"),
        ("arrow:d=3,n=4", "arrow needs a and b and c: write arrow:a=NUMBER,b=NUMBER,c=NUMBER"),
        ("synthetic:", "after the colon write key=value"),
        ("synthetic:n=3,densty=1", "synthetic has no parameter 'densty'; it has n, d, density"),
        ("synthetic:n=x", "synthetic: n is a number, not 'x'"),
        ("synthetics:n=3", "unknown data set 'synthetics:n=3': did you mean synthetic"),
    ],
)
def test_a_mistake_in_the_arguments_of_made_data_is_named(text, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        load(text)


def test_no_generator_of_this_name():
    with pytest.raises(ValueError, match=r"no generator is called 'arow'; did you mean 'arrow'\?"):
        cdlab.datasets.make("arow", n=3)
    with pytest.raises(ValueError, match="arrow is no data set but makes them"):
        describe("arrow")
    with pytest.raises(ValueError, match="a generator is named by a word"):
        cdlab.datasets.generator("a:b")
