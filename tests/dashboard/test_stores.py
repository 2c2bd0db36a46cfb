"""Stores of sweeps: which a visitor may see, how they are read, and what is told of them."""

import os
import re

import pytest
from cdlab.dashboard.stores.reading import Reading
from stores import edit, finished, forget, write_text

import cdlab
from cdlab.dashboard.stores import offered, summary, views
from cdlab.sweeps import statistics

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page

X, y = cdlab.datasets.make(n=60, d=12, seed=0)
GRID = {"X": X, "y": y, "l2": [0.1, 0.01], "method": ["sdca", "rcd"], "seed": [0, 1], "tol": 1e-6, "max_passes": 100}


@pytest.fixture
def folder(tmp_path):
    cdlab.sweep(GRID, store=tmp_path / "small")
    return tmp_path / "small"


@pytest.fixture(autouse=True)
def afterwards_as_before():
    yield
    offered._given = None


def read(reading):
    reading.begin()
    while reading.step():
        pass
    return reading.store()


def plain(text):
    return " ".join(re.sub(r"<[^>]+>", " ", text).split())


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


def test_a_folder_that_is_not_there_is_named_at_the_start(tmp_path, monkeypatch):
    with pytest.raises(ValueError, match="there is no store 'nowhere': it is the folder that a sweep wrote into"):
        offered.set_stores(["nowhere"])
    monkeypatch.setenv("CDLAB_STORES", "nowhere")
    with pytest.raises(ValueError, match="'nowhere', which CDLAB_STORES names"):
        cdlab.dashboard.serve(show=False)


# ---------------------------------------------------------------- reading
def test_what_is_read_gives_the_numbers_of_the_store(folder):
    held, store = read(Reading(folder)), cdlab.Store(folder)
    assert held.to_frame().equals(store.to_frame())
    assert statistics.costs(held) == statistics.costs(store)
    assert statistics.rank_table(held).equals(statistics.rank_table(store))


def test_reading_again_reads_what_is_new_and_forgets_what_is_gone(folder):
    reading = Reading(folder)
    assert len(read(reading)) == 8
    assert reading.begin() == 0
    cdlab.sweep(GRID | {"seed": [2]}, store=folder)
    forget(folder, finished(folder)[0])
    assert reading.begin() in (3, 4)  # the run that is gone may be a new one
    assert len(read(reading)) == 11


def test_what_cannot_be_read_is_told_without_the_paths_of_the_host(folder):
    broken, strange, *_ = finished(folder)
    write_text(folder, broken, "{")
    edit(folder, strange, lambda content: content["meta"].pop("settings"))
    reading = Reading(folder)
    held = read(reading)
    assert len(held) == 6
    told = plain(summary.troubles(held))
    assert f"the result {broken} in small/store.sqlite cannot be read" in told
    assert "it is set aside, and counts as not done" in told
    assert f"the result {strange} in small/store.sqlite cannot be read: its meta is not that of a run" in told
    assert str(folder) not in told
    assert read(reading).notes == held.notes


def test_a_folder_that_is_gone_is_a_sentence(tmp_path):
    with pytest.raises(ValueError, match="the folder of the store small is gone"):
        Reading(tmp_path / "small").begin()


# ---------------------------------------------------------------- telling
@pytest.mark.parametrize("by", ["passes", "seconds"])
@pytest.mark.parametrize("make", [views.profile, views.distribution, views.ranks])
def test_a_view_is_a_sentence_and_a_table(folder, make, by):
    view = make(read(Reading(folder)), 1e-4, by)
    assert by in plain(view.words)
    assert "<caption>" in view.words
    assert all(label in view.words for label in ("sdca, uniform", "rcd, uniform"))
    assert (view.figure is None) == (make is views.ranks)


def test_the_numbers_are_those_of_the_statistics(folder):
    held = read(Reading(folder))
    best = statistics.rank_table(held).iloc[0]
    assert f"{best.method} {best['rank']:g}" in plain(views.ranks(held, 1e-4, "passes").words)
    assert "of 2 problems" in plain(views.profile(held, 1e-4, "passes").words)


def test_bounds_stand_beside_the_runs_on_the_chosen_problem(folder):
    held = read(Reading(folder))
    words = plain(views.bounds(held, 1e-4, cdlab.Problem(X, y, l2=0.1)).words)
    assert "Promised and measured passes to 10⁻⁴" in words
    assert "sdca, uniform" in words
    other = views.bounds(held, 1e-4, cdlab.Problem(X, y, l2=0.3))
    assert other.figure is None
    assert "is on the problem that is chosen above" in other.words


def test_an_empty_store_and_a_target_beyond_all_runs_are_sentences(folder, tmp_path):
    (tmp_path / "empty").mkdir()
    empty = read(Reading(tmp_path / "empty"))
    for make in (views.profile, views.distribution, views.ranks):
        assert "There is no finished run yet." in make(empty, 1e-4, "passes").words
    assert "choose a larger target" in views.profile(read(Reading(folder)), 1e-14, "passes").words


def test_runs_are_counted_by_problem_and_method_and_failures_have_their_reason(folder):
    cdlab.sweep(GRID | {"seed": [7], "max_passes": 1e6, "tol": 0.0}, store=folder, time_limit=1e-9)
    held = read(Reading(folder))
    assert summary.counted(held) == "8 finished runs, and 4 that failed."
    assert "sdca, uniform 2 1 2" in plain(summary.runs_table(held))
    assert "the time limit of 1e-09 s ended it" in summary.failures(held)
    assert len(held.to_frame()) == 12


def test_a_long_table_is_cut_and_says_so(folder, monkeypatch):
    monkeypatch.setattr(summary, "MOST", 3)
    assert "The first 3 of 4 problems and methods" in summary.runs_table(read(Reading(folder)))
