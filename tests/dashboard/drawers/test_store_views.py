"""Stores of sweeps: which a visitor may see, how they are read, and what is told of them."""

import os
import re

import pytest
from small_choices import small
from stores import edit, finished, forget, write_text

import cdlab
from cdlab.dashboard import stores as offered
from cdlab.dashboard.drawers import stores
from cdlab.dashboard.drawers.part import Subject
from cdlab.dashboard.drawers.stores import StoreInMemory
from cdlab.dashboard.engine.racing import run_race
from cdlab.sweeps import statistics

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("without_loop")]

CHOICES = small(seeds=1)
PROBLEM = CHOICES.problem()
GRID = {
    "X": PROBLEM.X, "y": PROBLEM.y, "l2": [PROBLEM.l2, 0.1], "method": ["sdca", "rcd"], "seed": [0, 1], "tol": 1e-6,
    "max_passes": 100,
}  # fmt: skip
ASKED = Subject(CHOICES, ())


@pytest.fixture
def folder(tmp_path):
    cdlab.sweep(GRID, store=tmp_path / "small")
    return tmp_path / "small"


@pytest.fixture(autouse=True)
def afterwards_as_before():
    yield
    offered._served = None


def read(folder):
    store = StoreInMemory(folder)
    store.refresh()
    return store


def words_of(blocks) -> str:
    """The texts of blocks without their tags."""
    texts = " ".join(each for each in blocks if isinstance(each, str))
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", texts))


# ---------------------------------------------------------------- which
def test_only_folders_that_the_server_was_started_with_are_offered(tmp_path, monkeypatch):
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    assert offered.stores() == {}
    monkeypatch.setenv("CDLAB_STORES", os.pathsep.join(map(str, (tmp_path / "one", tmp_path / "two"))))
    assert offered.stores() == {"one": tmp_path / "one", "two": tmp_path / "two"}
    offered.set_stores([tmp_path / "two"])
    assert list(offered.stores()) == ["two"]
    offered.set_stores([])
    assert offered.stores() == {}


def test_a_folder_that_is_not_there_is_named_at_the_start(monkeypatch):
    with pytest.raises(ValueError, match="there is no store 'nowhere': it is the folder that a sweep wrote into"):
        offered.set_stores(["nowhere"])
    monkeypatch.setenv("CDLAB_STORES", "nowhere")
    with pytest.raises(ValueError, match="'nowhere', which CDLAB_STORES names"):
        cdlab.dashboard.serve(show=False)


# ---------------------------------------------------------------- reading
def test_what_is_read_gives_the_numbers_of_the_store(folder):
    held, store = read(folder), cdlab.Store(folder)
    assert held.to_frame().drop(columns="problem").equals(store.to_frame())
    assert statistics.costs(held) == statistics.costs(store)
    assert statistics.rank_table(held).equals(statistics.rank_table(store))


def test_reading_again_reads_what_is_new_and_forgets_what_is_gone(folder):
    store = read(folder)
    before = dict(store.of_kind("run"))
    gone = finished(folder)[0]
    cdlab.sweep(GRID | {"seed": [2]}, store=folder)
    forget(folder, gone)
    store.refresh()
    assert len(store) == 11
    assert gone not in store.keys
    assert all(store.of_kind("run")[key] is trace for key, trace in before.items() if key != gone)


def test_what_cannot_be_read_is_told_without_the_paths_of_the_host(folder):
    broken, strange, *_ = finished(folder)
    write_text(folder, broken, "{")
    edit(folder, strange, lambda content: content["meta"].pop("settings"))
    told = words_of(stores.work(ASKED, folder, "ranks", 1e-4, "passes"))
    assert "6 finished runs." in told
    assert f"result {broken} in small/store.sqlite cannot be read" in told
    assert f"result {strange} in small/store.sqlite cannot be read: its meta is not that of a run" in told
    assert str(folder) not in told
    assert told == words_of(stores.work(ASKED, folder, "ranks", 1e-4, "passes"))  # set aside, and still said


def test_a_folder_that_is_gone_is_a_sentence(tmp_path):
    with pytest.raises(ValueError, match="the folder of the store small is gone"):
        stores.work(ASKED, tmp_path / "small", "ranks", 1e-4, "passes")


# ---------------------------------------------------------------- views
@pytest.mark.parametrize("by", ["passes", "seconds"])
@pytest.mark.parametrize("name", ["profile", "distribution", "ranks"])
def test_a_view_is_a_sentence_and_a_table(folder, name, by):
    blocks = stores.VIEWS[name][1](read(folder), 1e-4, by, ASKED)
    assert by in words_of(blocks)
    assert "<caption>" in blocks[-1]
    assert all(label in blocks[-1] for label in ("sdca, uniform", "rcd, uniform"))
    assert [isinstance(each, str) for each in blocks].count(False) == (name != "ranks")


def test_the_numbers_are_those_of_the_statistics(folder):
    store = read(folder)
    best = statistics.rank_table(store).iloc[0]
    assert f"{best.method} {best['rank']:g}" in words_of(stores.ranks(store, 1e-4, "passes", ASKED))
    assert "of 2 problems" in words_of(stores.profile(store, 1e-4, "passes", ASKED))


def test_bounds_stand_beside_the_runs_on_the_chosen_problem(folder):
    words = words_of(stores.predicted(read(folder), 1e-4, "passes", ASKED))
    assert "Promised and measured" in words
    assert "sdca, uniform" in words
    with pytest.raises(ValueError, match="is on the problem that is chosen above"):
        stores.predicted(read(folder), 1e-4, "passes", Subject(CHOICES.but(l2=7.0), ()))


def test_a_race_stands_beside_the_runs_on_its_problem(folder):
    race = run_race(CHOICES)
    picture, *blocks = stores.with_last_race(read(folder), 1e-4, "passes", Subject(CHOICES, (race,)))
    labels = {curve.label for curve in picture.Curve}
    assert labels == {f"{name}, uniform ({where})" for name in ("rcd", "sdca") for where in ("here", "store")}
    assert "2 runs of the last race beside 4 of the store" in words_of(blocks)
    other = run_race(CHOICES.but(l2=7.0))
    with pytest.raises(ValueError, match="no run of this store is on the problem of the last race"):
        stores.with_last_race(read(folder), 1e-4, "passes", Subject(other.choices, (other,)))


def test_an_empty_store_and_a_target_beyond_all_runs_are_sentences(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    assert "0 finished runs." in words_of(stores.work(ASKED, tmp_path / "empty", "ranks", 1e-4, "passes"))
    assert "choose a larger target" in words_of(stores.work(ASKED, folder, "profile", 1e-14, "passes"))


def test_runs_are_counted_by_problem_and_method_and_failures_have_their_reason(folder, monkeypatch):
    cdlab.sweep(GRID | {"seed": [7], "max_passes": 1e6, "tol": 0.0}, store=folder, time_limit=1e-9)
    words = words_of(stores.work(ASKED, folder, "ranks", 1e-4, "passes"))
    assert "8 finished runs, and 4 that failed." in words
    assert "sdca, uniform 2 " in words
    assert "the time limit of 1e-09 s ended it" in words
    monkeypatch.setattr(stores, "ROWS_LIMIT", 3)
    assert "Of long tables the first 3 rows" in words_of(stores.summary(read(folder)))
