"""A store holds what was swept, and can be read as tables."""

import json
import sqlite3

import numpy as np
import pandas as pd
import psutil
import pytest
from cases import each_of
from stores import SESSIONS, edit, finished, query, set_aside, texts, when_finished, write_text
from swept import X, contents, grid, numbers, y

import cdlab
from cdlab.runs.running import Run
from cdlab.sweeps import run_keys


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    runs = [
        *({"X": X, "y": y, "l2": 0.1, "method": m, "seed": s, "tol": 1e-3} for m in ("sdca", "rcd") for s in (0, 1))
    ]
    runs.append({"X": X, "y": y, "method": "kaczmarz"})  # which solves X w = y only
    return cdlab.sweep(runs, store=tmp_path_factory.mktemp("store"))


def test_the_traces_are_those_of_solve(store):
    solved = cdlab.solve(cdlab.Problem(X, y, l2=0.1), "rcd", tol=1e-3, seed=1, every=1)
    (trace,) = store.where(method="rcd", seed=1)
    assert numbers(trace) == numbers(solved.trace)


def test_a_row_says_what_ran_and_how_it_ended(store):
    frame = store.to_frame()
    assert frame["method"].tolist() == ["sdca", "sdca", "rcd", "rcd", "kaczmarz"]
    row = frame.iloc[1]
    assert (row["seed"], row["l2"], row["loss"], row["n"], row["d"]) == (1, 0.1, "logistic", 60, 12)
    assert row["status"] == "tolerance reached"
    assert row["relative_gap"] <= 1e-3
    assert store[row["key"]].records[-1].passes == row["passes"]


def test_a_failure_is_a_row_with_its_reason_and_no_trace(store):
    failed = store.to_frame().iloc[-1]
    assert failed["status"] == "failed"
    assert "kaczmarz solves X w = y" in failed["failure"]
    assert np.isnan(failed["passes"])
    assert len(store) == len(store.traces()) == 4
    with pytest.raises(KeyError):
        store[failed["key"]]


def test_runs_that_are_the_same_share_a_key_and_what_is_forgotten_is_computed_anew(tmp_path):
    run = {"X": X, "y": y, "l2": 0.1, "method": "sdca", "tol": 1e-3}
    runs = [run, run | {"seed": 1}, run | {"tol": 0.001, "seed": 0}, {"X": X, "y": y, "method": "kaczmarz"}]
    keys = run_keys(runs)
    assert keys[0] == keys[2]
    assert len(set(keys)) == 3
    store = cdlab.sweep(runs, store=tmp_path)
    assert store[keys[1]].meta["seed"] == 1
    before = when_finished(tmp_path)
    cdlab.Store(tmp_path, [keys[0], keys[3]]).forget()
    assert finished(tmp_path) == [keys[1]]
    assert store.to_frame()["key"].tolist() == [keys[1]]
    cdlab.sweep(runs, store=tmp_path)
    after = when_finished(tmp_path)
    assert after[keys[1]] == before[keys[1]]
    assert after[keys[0]] > before[keys[0]]
    cdlab.Store(tmp_path).forget()
    assert finished(tmp_path) == []


def test_its_traceback_is_kept(store):
    failed = store.to_frame().iloc[-1]
    failure = json.loads(texts(store.path)[failed["key"]])["meta"]["failure"]
    assert failure["kind"] == "ValueError"
    assert failure["traceback"].startswith("Traceback")


def test_filters_take_values_and_lists(store):
    assert len(store.where(method="sdca")) == 2
    assert len(store.where(method=["sdca", "rcd"], seed=0)) == 2
    assert len(store.where(method="sdca").where(seed=5)) == 0
    with pytest.raises(ValueError, match="no column 'sede'; did you mean 'seed'"):
        store.where(sede=1)


def test_a_sweep_gives_the_runs_of_its_grid_and_the_folder_all(store):
    again = cdlab.sweep([{"X": X, "y": y, "l2": 0.1, "method": "rcd", "seed": 1, "tol": 1e-3}], store=store.path)
    assert len(again) == 1
    assert len(cdlab.Store(store.path)) == 4
    assert contents(again).items() <= contents(cdlab.Store(store.path)).items()


def test_records_are_the_traces_one_below_the_other(store):
    records = store.records()
    assert len(records) == sum(len(trace.records) for trace in store)
    assert records.columns[:3].tolist() == ["key", "data", "l2"]


def test_csv_holds_the_table(store, tmp_path):
    store.export(tmp_path / "runs.csv")
    read = pd.read_csv(tmp_path / "runs.csv")
    assert read["passes"].tolist()[:4] == store.to_frame()["passes"].tolist()[:4]
    with pytest.raises(ValueError, match=r"ends in \.csv or \.parquet"):
        store.export(tmp_path / "runs.xls")


def test_a_store_is_exported_to_parquet_as_it_is(store, tmp_path):
    pytest.importorskip("pyarrow", reason="Parquet needs a library of its own")
    store.export(tmp_path / "runs.parquet")
    assert pd.read_parquet(tmp_path / "runs.parquet").equals(store.to_frame())


def test_parquet_without_a_library_is_one_sentence(store, tmp_path, monkeypatch):
    def absent(*_, **__):
        raise ImportError("Unable to find a usable engine; ...")

    monkeypatch.setattr(pd.DataFrame, "to_parquet", absent)
    with pytest.raises(ImportError, match="pip install pyarrow"):
        store.export(tmp_path / "runs.parquet")


def test_there_must_be_a_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no store at"):
        cdlab.Store(tmp_path / "absent")
    with pytest.raises(ValueError, match="no finished run"):
        cdlab.Store(tmp_path).records()


def computed(monkeypatch):
    """The labels of the runs that begin from now on."""
    begun, init = [], Run.__init__
    monkeypatch.setattr(Run, "__init__", lambda self, *a, **k: begun.append(a) or init(self, *a, **k))
    return begun


def test_a_finished_run_is_never_computed_twice_in_whatever_order(tmp_path, monkeypatch):
    first = cdlab.sweep(grid(), store=tmp_path)
    begun = computed(monkeypatch)
    again = cdlab.sweep(
        dict(reversed(grid(method=["rcd", "sdca"], seed=[1, 0], l2=[0.01, 0.1]).items())), store=tmp_path
    )
    assert begun == []
    assert contents(again) == contents(first)
    longer = cdlab.sweep(grid(seed=[2, 1, 0]), store=tmp_path)
    assert len(begun) == 4
    assert len(longer) == 12


def test_a_failure_is_tried_again_only_when_asked(tmp_path, monkeypatch):
    wrong = [{"X": X, "y": y, "method": "kaczmarz"}]
    cdlab.sweep(wrong, store=tmp_path)
    begun = computed(monkeypatch)
    cdlab.sweep(wrong, store=tmp_path)
    assert len(begun) == 0
    cdlab.sweep(wrong, store=tmp_path, retry=True)
    assert len(begun) == 1


def test_a_result_takes_the_place_of_a_failure(tmp_path):
    run = [{"X": X, "y": y, "method": "rcd", "tol": 1e-12, "max_passes": 1e6}]
    failed = cdlab.sweep(run, store=tmp_path, time_limit=1e-9)
    assert failed.to_frame()["failure"].tolist() == ["the time limit of 1e-09 s ended it"]
    done = cdlab.sweep(run, store=tmp_path, retry=True)
    assert done.to_frame()["status"].tolist() == ["tolerance reached"]


DAMAGE = ["", "{", "[1, 2]", b"\xff\xfe"]
DAMAGES = [*(("row", each) for each in DAMAGE), *(("trace", each) for each in (*DAMAGE, None, '{"meta": {}}'))]


@pytest.mark.parametrize(("column", "damage"), DAMAGES)
def test_an_unreadable_run_is_set_aside_and_computed_anew(tmp_path, column, damage):
    runs = grid(l2=0.1, method="sdca", seed=0)
    store = cdlab.sweep(runs, store=tmp_path)
    whole = contents(store)
    (key,) = store.keys
    write_text(tmp_path, key, damage, column)
    with pytest.warns(
        UserWarning, match=f"the result {key} in .* cannot be read: .*; it is set aside, and counts as not"
    ):
        assert store.traces() == [] if column == "trace" else len(store.to_frame()) == 0
    assert finished(tmp_path) == []
    assert set(set_aside(tmp_path)) == {key}
    assert contents(cdlab.sweep(runs, store=tmp_path)) == whole


EDITS = {
    "no settings": lambda meta: meta.pop("settings"),
    "another key": lambda meta: meta.update(key="0" * 32),
    "settings of text": lambda meta: meta.update(settings="x"),
    "a method without a name": lambda meta: meta["settings"].update(method={}),
    "a word for a weight": lambda meta: meta["settings"].update(l2="small"),
    "a weight beyond float64": lambda meta: meta["settings"].update(l1=10**399),
    "a shape in words": lambda meta: meta["shape"].update(n="many"),
    "a list of shapes": lambda meta: meta.update(shape=[1, 2]),
}


@each_of("what", EDITS)
def test_a_trace_that_is_not_of_a_run_is_set_aside(tmp_path, what):
    store = cdlab.sweep(grid(l2=0.1, method="sdca", seed=0), store=tmp_path)
    edit(tmp_path, *store.keys, lambda content: EDITS[what](content["meta"]))
    with pytest.warns(UserWarning, match=r"cannot be read: .*(its|in) .*; it is set aside, and counts as not done"):
        assert store.traces() == []


def test_an_edited_gap_is_refused(tmp_path):
    store = cdlab.sweep(grid(l2=0.1, method="sdca", seed=0), store=tmp_path)

    def smaller(content):
        content["columns"]["gap"][1] /= 2

    edit(tmp_path, *store.keys, smaller)
    with pytest.warns(UserWarning, match=r"the gap of record 1 is .*, and P\(w\) - D\(alpha\) makes it"):
        assert store.traces() == []


def test_a_damaged_file_is_refused_in_a_sentence_that_says_what_to_do(tmp_path):
    """Where a page in the middle is overwritten, and where nothing of SQLite is left."""
    whole, path = contents(cdlab.sweep(grid(seed=range(12)), store=tmp_path)), tmp_path / "store.sqlite"
    page = bytearray(path.read_bytes())
    middle = len(page) // 2 // 4096 * 4096
    page[middle : middle + 4096] = b"\xff" * 4096
    for content in (page, b"not a database, " * 1000):
        path.write_bytes(content)
        for use in (lambda: contents(cdlab.Store(tmp_path)), lambda: cdlab.sweep(grid(), store=tmp_path)):
            with pytest.raises(ValueError, match=r"store.sqlite is damaged \(.*\): move it out of its folder"):
                use()
        assert path.read_bytes() == content
    path.rename(tmp_path / "damaged")
    assert contents(cdlab.sweep(grid(seed=range(12)), store=tmp_path)) == whole


def test_a_store_of_a_later_version_and_a_file_of_another_program_are_refused(tmp_path):
    store = cdlab.sweep(grid(l2=0.1), store=tmp_path)
    query(tmp_path, "PRAGMA user_version = 2")
    for use in (store.to_frame, lambda: cdlab.sweep(grid(), store=tmp_path)):
        with pytest.raises(ValueError, match="is of a later cdlab") as error:
            use()
        assert str(tmp_path / "store.sqlite") not in {file.path for file in psutil.Process().open_files()}
        assert str(error.value).endswith("its tables have version 2, and this one reads 1")
    (tmp_path / "other").mkdir()
    with sqlite3.connect(tmp_path / "other" / "store.sqlite") as connection:
        connection.execute("CREATE TABLE results (a)")
    connection.close()
    with pytest.raises(ValueError, match="is an SQLite file, but no store of cdlab"):
        cdlab.sweep(grid(), store=tmp_path / "other")


def test_a_store_holds_its_file_and_nothing_else(tmp_path):
    cdlab.sweep(grid(), "processes", store=tmp_path, jobs=2)
    found = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*") if path.is_file()}
    assert found == {"store.sqlite", f"{SESSIONS}/opening.lock"}


def test_the_runs_on_one_problem_are_a_race(store):
    P = cdlab.Problem(X, y, l2=0.1)
    raced = cdlab.race(P, ["sdca", "rcd"], seeds=[0, 1], tol=1e-3, max_passes=1000)
    found = store.race()
    assert found.seeds == raced.seeds
    assert [numbers(trace) for trace in found.traces] == [numbers(trace) for trace in raced.traces]
    assert found.winner(1e-2) == raced.winner(1e-2)
    assert found.incomplete == []


def test_a_seed_that_not_all_have_run_takes_no_part_in_a_race(store):
    keys = [key for key in store.keys if not (store[key].meta["seed"] == 1 and store[key].meta["method"] == "rcd")]
    found = cdlab.Store(store.path, keys).race()
    assert found.seeds == [0]
    assert [(trace.meta["method"], trace.meta["seed"]) for trace in found.incomplete] == [("sdca", 1)]


def test_runs_on_several_problems_are_no_race(tmp_path):
    grid = {"X": X, "y": y, "l2": [0.1, 0.2], "method": "sdca", "max_passes": 1}
    store = cdlab.sweep([{**grid, "l2": l2} for l2 in grid["l2"]], store=tmp_path)
    with pytest.raises(ValueError, match="the runs are on 2 problems: choose one"):
        store.race()
    assert len(store.where(l2=0.2).race().traces) == 1
    with pytest.raises(ValueError, match="there is none of the runs asked for"):
        store.where(l2=0.3).race()
    apart = [{**grid, "l2": 0.1, "method": method, "seed": seed} for seed, method in enumerate(("sdca", "rcd"))]
    with pytest.raises(ValueError, match="no seed has been run by all entries"):
        cdlab.sweep(apart, store=tmp_path).race()


def test_weights_are_found_as_the_grid_wrote_them(tmp_path):
    store = cdlab.sweep(grid(l2=["1/n", "0.1/n"], seed=[0]), store=tmp_path)
    assert len(store) == 4
    assert len(store.where(l2="0.1/n")) == len(store.where(l2=0.1 / len(y))) == 2
    assert len(store.where(l2=["1/n", "0.1/n"], l1=0.0)) == 4
    with pytest.raises(ValueError, match="a weight is a number or c/n"):
        store.where(l2="a tenth")


def test_a_choice_that_is_empty_is_told_from_a_store_that_is(tmp_path):
    store = cdlab.sweep(grid(), store=tmp_path)
    with pytest.raises(ValueError, match="there is none of the runs asked for in"):
        store.where(method="quartz").race()
    with pytest.raises(ValueError, match=r"two columns: where\(method='sdca', sampling='importance'\)"):
        store.where(method="sdca@importance")


@pytest.mark.parametrize(
    ("store", "error", "sentence"),
    [
        ("", ValueError, "the store needs the name of a folder, and this one is empty"),
        (5, TypeError, "the store must be the path of a folder, not 5"),
        ("file", NotADirectoryError, "file is a file, and a store is a folder"),
        ("file/below", OSError, "the folder file/below cannot be made: Not a directory"),
    ],
)
def test_what_is_no_folder_is_refused_by_sweeps_and_races(store, error, sentence, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(error, match=sentence):
        cdlab.sweep(grid(), store=store)
    with pytest.raises(error, match=sentence):
        cdlab.race(cdlab.Problem(X, y, l2=0.1), ["sdca"], store=store)
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
