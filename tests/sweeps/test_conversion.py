"""Results that version 0.1.0 kept as files are taken over into a store; the archive holds what it wrote."""

import json
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from stores import texts

import cdlab
from cdlab import conversion
from cdlab.bench.results import BenchStore, Settings
from cdlab.reproductions.least_squares import LEAST_SQUARES
from cdlab.sweeps.result_store import ResultStore

ARCHIVE = Path(__file__).with_name("stores_of_0.1.zip")


@pytest.fixture
def old(tmp_path):
    """The folder with a store of runs, in runs, and one of the benchmark, in bench."""
    with zipfile.ZipFile(ARCHIVE) as archive:
        archive.extractall(tmp_path)
    return tmp_path


def test_the_runs_are_those_of_the_files(old):
    assert conversion.convert(old / "runs") == (6, [])
    store = cdlab.Store(old / "runs")
    frame = store.to_frame()
    assert frame["status"].tolist() == [*["tolerance reached"] * 4, "failed"]
    assert set(frame["method"]) == {"sdca", "gd", "kaczmarz"}
    for trace in store:
        key = trace.meta["key"]
        loaded = cdlab.Trace.load(old / "runs" / key[:2] / f"{key}.json")
        pd.testing.assert_frame_equal(trace.to_frame(), loaded.to_frame())
        assert frame.loc[frame["key"] == key, "gap"].item() == loaded.records[-1].gap
    (optimum,) = ResultStore(old / "runs").rows(LEAST_SQUARES)
    assert json.loads(optimum[1])["found_by"].startswith("scipy.linalg.lstsq")
    assert store.race().winner(1e-2)


def test_the_measurements_are_those_of_the_files(old):
    assert conversion.convert(old / "bench") == (5, [])
    results = {result.peer: result for result in BenchStore(old / "bench", Settings([1e-3], 2, 60.0)).results()}
    assert {result.verdict for result in results.values()} == {"right", "unfit"}
    assert len(results["cdlab sdca@permutation"].cpu[1e-3]) == 2


def test_what_is_there_is_not_written_over_and_what_is_no_result_is_told(old):
    bad, *_ = (old / "runs").glob("??/*.json")
    bad.write_text("{")
    count, (complaint,) = conversion.convert(old / "runs")
    assert count == 5
    assert complaint.startswith(f"{bad} is no result of cdlab: ")
    before = texts(old / "runs")
    assert conversion.convert(old / "runs")[0] == 0
    assert texts(old / "runs") == before


@pytest.mark.parametrize(
    "use",
    [
        lambda folder: cdlab.Store(folder).to_frame(),
        lambda folder: cdlab.sweep({"data": "mushrooms", "tol": 0.1}, store=folder),
        lambda folder: cdlab.race(cdlab.Problem(*cdlab.datasets.load("mushrooms")), ["sdca"], tol=0.1, store=folder),
    ],
)
def test_who_opens_such_a_folder_is_told_the_command(use, old):
    with pytest.raises(ValueError, match=r"runs holds results as files, .*: python -m cdlab.conversion .*runs makes"):
        use(old / "runs")
    assert not (old / "runs" / "store.sqlite").exists()


def test_the_command_says_how_many(old, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["cdlab.conversion", str(old / "runs")])
    conversion.main()
    assert capsys.readouterr().out.startswith("6 results are in the store of ")
