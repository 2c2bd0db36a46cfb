"""The page's engine in node, against Python: whole races by seed, bounds, data."""

import gzip
import inspect
import json
import subprocess
from pathlib import Path

import asked
import pytest
import races
from engines import EVERY_METHOD, SMALL, SOURCES, built, check_runs, said
from nodejs import node

import cdlab
from cdlab.dashboard.frontend.wasm import building, cells

HERE = Path(__file__).parent
pytestmark = pytest.mark.timeout(900)  # the first test builds
MOST_GZIPPED_BYTES = 170_000  # of kernels, signatures, bounds and modules


def test_races_are_those_of_python(tmp_path):
    """The same draws, steps, points and values, of one kind of problem."""
    cases = races.cell_runs(SMALL) + races.sampling_runs(("sdca", "rcd"), ("smooth_hinge",), ())
    check_runs(said("runs.mjs", built(SMALL), cases, tmp_path), cases)


@pytest.mark.full
def test_races_of_every_method_are_those_of_python(tmp_path):
    cases = races.cell_runs(EVERY_METHOD)
    assert {case["method"] for case in cases} == set(cells.METHODS)
    check_runs(said("runs.mjs", building.kernels(EVERY_METHOD), cases, tmp_path), cases)


@pytest.mark.full
def test_all_races_are_those_of_python(tmp_path):
    cases = races.cell_runs() + races.sampling_runs(cells.METHODS, ("logistic", "smooth_hinge"), (3, 17))
    check_runs(said("runs.mjs", built(""), cases, tmp_path), cases)


@pytest.mark.skipif("records" not in inspect.signature(cdlab.solve).parameters, reason="solve knows no moments")
@pytest.mark.parametrize("method", ["sdca", "rcd"])
def test_records_are_those_of_python(method, tmp_path):
    """At the same passes, with the same P, D and best gap; the first updates are told of beside."""
    problem = cells.problem("sparse", "smooth_hinge", "L2", n=300, d=80)
    trace = cdlab.solve(problem, method, tol=1e-300, max_passes=20, seed=3, records="log").trace
    case = {"method": method, "data": races.data_of(problem), "weights": races.weights_of(problem)}
    options = {"seed": 3, "maxPasses": 20}
    (records,) = said("records.mjs", built(SMALL), [case | {"options": options}], tmp_path)
    for name, column in {"passes": "passes", "P": "primal", "D": "dual"}.items():
        assert [each[name] for each in records] == pytest.approx(trace.column(column), rel=1e-12, abs=1e-14), name
    best = trace.column("relative_best_gap")
    assert [each["bestGap"] for each in records] == pytest.approx(best, rel=1e-9, abs=1e-12)


def check_data(cases, tmp_path):
    for answer in said("making.mjs", built(SMALL), cases, tmp_path):
        assert answer["same"], answer
        assert answer["written"], answer
        assert answer["values"] < 1e-14, answer
        assert answer["y"] < 1e-14, answer


def test_data_are_those_of_python(tmp_path):
    """What is made in the page, of every generator that it has, and what it reads and writes."""
    check_data(asked.datasets_made(), tmp_path)


@pytest.mark.full
def test_presets_are_the_data_of_python(tmp_path):
    check_data(asked.datasets_packed(), tmp_path)


def test_a_run_streams_records_and_its_first_updates(tmp_path):
    (answer,) = said("streaming.mjs", built(SMALL), [{}], tmp_path)
    assert answer["status"] == "target"
    assert answer["reached"] <= answer["passes"]
    assert answer["repeated"] == answer["passes"]  # another run beside it changes nothing
    assert len(answer["updates"]) == 60
    assert all(len(update["lines"]) == 1 and update["before"] is not None for update in answer["updates"])
    assert answer["falls"]  # the best gap never rises
    assert answer["moments"] <= 30 * 4 + 1  # decades of passes, and the start
    assert "take logistic" in answer["unknown"]


def test_what_the_module_asks_of_the_page(tmp_path):
    """Four functions of Math, and little room."""
    folder = built(SMALL)
    source = "process.stdout.write(JSON.stringify(WebAssembly.Module.imports(await WebAssembly.compile((await import('fs')).readFileSync(process.argv[1])))))"  # noqa: E501
    done = subprocess.run(
        [node(), "--input-type=module", "-e", source, folder / "kernels.wasm"], capture_output=True, text=True
    )
    assert {each["name"] for each in json.loads(done.stdout)} <= {"exp", "log", "log1p", "expm1"}


@pytest.mark.full
def test_all_of_it_is_small():
    folder = built("")
    files = [folder / name for name in ("kernels.wasm", "kernels.json", "bounds.json")] + [*SOURCES.glob("*.js")]
    assert sum(len(gzip.compress(file.read_bytes())) for file in files) < MOST_GZIPPED_BYTES
