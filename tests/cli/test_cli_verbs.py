"""Each verb says what the API says, as a table and as JSON."""

import functools
import json
import os

import numpy as np
import pytest
from commands import D, N, ran, strict_json, without_seconds

import cdlab
import cdlab.dashboard
from cdlab.cli import main
from cdlab.methods import SDCA, Quartz
from cdlab.samplings import Lipschitz

DATA = os.environ.get("CDLAB_DATA", "")


# ---------------------------------------------------------------- faceoff
def test_faceoff_gives_the_golden_numbers(golden, capsys):
    found = strict_json(ran(capsys, "faceoff", golden, "--loss", "logistic", "--l2", "1/n", "--json"))
    f = found["faceoff"]
    assert found["problem"]["l2"] == 0.2
    assert (f["C_P"], f["C_D"], f["nnz"], f["F"]) == pytest.approx((89, 71.25, 17, 20.75), rel=1e-10)
    assert (f["T_P"], f["T_D"]) == pytest.approx((39.25, 34.8125), rel=1e-10)
    assert (f["uniform"]["T_P"], f["uniform"]["T_D"]) == pytest.approx((44.625, 37.1875), rel=1e-10)
    assert f["ratio_table"] == pytest.approx((17 + 89) / (17 + 71.25), rel=1e-10)
    assert set(found["versions"]) == {"cdlab", "numpy", "python"}


def test_faceoff_prints_both_sides_and_both_samplings(golden, capsys):
    lines = ran(capsys, "faceoff", golden, "--l2", "1/n").splitlines()
    assert lines[0] == "./golden: 5 x 4, nnz 17, stored as an array; logistic loss, l2 = 0.2, l1 = 0"
    assert lines[2].split() == ["side", "sampling", "K", "W", "T", "passes"]
    rows = {tuple(line.split()[:2]): line.split()[2:] for line in lines[3:7]}
    assert set(rows) == {(side, s) for side in ("primal", "dual") for s in ("uniform", "importance")}
    assert float(rows["primal", "importance"][2]) == 39.25
    assert float(rows["dual", "importance"][3]) == pytest.approx(34.8125 / 17, rel=1e-5)
    text = "\n".join(lines)
    assert "C_P = 89, C_D = 71.25" in text
    assert "between 1/d = 0.25 and n = 5" in text
    f = cdlab.faceoff(cdlab.Problem(*cdlab.datasets.load(golden), l2=0.2))
    assert "the bounds favour: neither side" in text
    assert " ".join(f.verdict.split()) in " ".join(lines)
    assert "break-even: " in text


def test_faceoff_counts_lines_that_are_not_empty(golden, capsys):
    text = ran(capsys, "faceoff", golden, "--l2", "1/n", "--n-features", "9")
    assert "5 of 5 rows (n) and 4 of 9 columns (d) are not empty" in text
    assert "between 1/d = 0.25 and n = 5" in text
    f = strict_json(ran(capsys, "faceoff", golden, "--l2", "1/n", "--n-features", "9", "--json"))["faceoff"]
    assert (f["n"], f["d"], f["n_nonempty"], f["d_nonempty"]) == (5, 9, 5, 4)
    assert f["winner"] is None
    assert "With importance sampling the bounds call it a tie" in f["verdict"]


def test_faceoff_says_why_there_is_no_bound(golden, capsys):
    text = ran(capsys, "faceoff", golden, "--loss", "hinge")
    reason = cdlab.faceoff(cdlab.Problem(*cdlab.datasets.load(golden), loss="hinge")).reason
    assert reason in text
    assert "the bounds favour:" not in text
    f = strict_json(ran(capsys, "faceoff", golden, "--loss", "hinge", "--json"))["faceoff"]
    assert f["T_P"] is None
    assert f["ratio"] is None
    assert f["C_P"] == pytest.approx(89)


@pytest.mark.parametrize("options", [{}, {"derivative_cost": 3.0}])
def test_faceoff_is_the_api_s(options, data, capsys):
    words = [word for key, value in options.items() for word in (f"--{key.replace('_', '-')}", value)]
    found = strict_json(ran(capsys, "faceoff", "small.csv", "--loss", "smooth_hinge:gamma=0.5", "--json", *words))
    P = cdlab.Problem(*data, loss=cdlab.losses.SmoothHinge(gamma=0.5))
    assert found["faceoff"] == json.loads(json.dumps(cdlab.faceoff(P, **options).to_dict()))
    assert found["problem"]["loss"] == {"name": "smooth_hinge", "gamma": 0.5}
    assert found["problem"]["digest"] == P.digest


@pytest.mark.full
@pytest.mark.skipif(not DATA, reason="CDLAB_DATA is not set: the large real data sets are not here")
@pytest.mark.parametrize(("name", "ratio"), [("leu", 0.486), ("news20.bigram", 2.78)])
def test_the_paper_s_table(name, ratio, monkeypatch, capsys):
    """The paper's Table 1 has 0.5 and 2.0, on other normalisations or versions of these files."""
    monkeypatch.setenv("CDLAB_DATA", DATA)
    found = strict_json(ran(capsys, "faceoff", name, "--scale", "mean", "--l2", "1/n", "--json"))
    assert found["faceoff"]["ratio_table"] == pytest.approx(ratio, rel=0.01)


# ---------------------------------------------------------------- solve
def test_defaults_are_those_of_the_api_but_for_the_method_that_chooses(data, capsys):
    found = strict_json(ran(capsys, "solve", "small.csv", "--json"))
    s = cdlab.solve(cdlab.Problem(*data), "auto")
    assert found["run"]["label"] == s.trace.label
    assert found["run"]["problem"] == s.trace.meta["problem"]
    assert without_seconds(found["trace"]) == without_seconds(s.trace)


def test_solve_prints_the_trace_and_the_verdict(data, capsys):
    lines = ran(capsys, "solve", "small.csv", "--method", "sdca", "--l2", "0.01", "--tol", "1e-5").splitlines()
    assert lines[0] == f"small.csv: {N} x {D}, nnz {N * D}, stored as an array; logistic loss, l2 = 0.01, l1 = 0"
    assert lines[1] == "sdca, uniform sampling, seed 0"
    assert lines[3].split() == ["iteration", "passes", "seconds", "primal", "dual", "gap", "examples", "relative_gap"]
    rows = [[float(cell) for cell in line.split()] for line in lines[4:-2]]
    assert 2 <= len(rows) <= 20
    assert rows[0][:3] == [0, 0, 0]
    assert rows[0][3] == pytest.approx(np.log(2), rel=1e-5), "P(0) of the logistic loss"
    assert rows[-1][-1] <= 1e-5
    assert lines[-1].startswith("tolerance reached after ")


def test_solve_is_the_api_s_run_with_the_same_seed(data, tmp_path, capsys):
    words = (
        "--loss smooth_hinge:gamma=0.5 --l2 0.1/n --l1 1e-3 --method quartz:step=local --sampling lipschitz:power=0.3"
    )
    options = [*words.split(), "--seed", "5", "--max-passes", "30", "--every", "2", "--test", "small.csv"]
    files = ["--save", "trace.json", "--solution", "point"]
    found = strict_json(ran(capsys, "solve", "small.csv", *options, *files, "--json", code=1))

    P = cdlab.Problem(*data, loss=cdlab.losses.SmoothHinge(gamma=0.5), l2=0.1 / N, l1=1e-3)
    test = cdlab.datasets.load("small.csv", split="test")
    s = cdlab.solve(P, Quartz(step="local"), sampling=Lipschitz(0.3), seed=5, max_passes=30, every=2, test=test)
    assert without_seconds(found["trace"]) == without_seconds(s.trace)
    assert found["trace"]["test_error"] == s.trace.column("test_error").tolist()
    assert found["result"]["relative_gap"] == s.relative_gap
    assert found["run"] == s.trace.meta
    assert (found["problem"]["l2"], found["problem"]["file"]) == (0.1 / N, "small.csv")

    saved = cdlab.Trace.load("trace.json")
    assert without_seconds(saved) == without_seconds(s.trace)
    assert saved.meta == s.trace.meta
    point = cdlab.load_solution("point")
    np.testing.assert_array_equal(point.w, s.w)
    np.testing.assert_array_equal(point.alpha, s.alpha)
    assert (point.gap, point.status, point.label_map) == (s.gap, s.status, s.label_map)


@pytest.mark.parametrize(("text", "l2"), [("1/n", 1 / N), ("0.1/n", 0.1 / N), ("1e-2", 1e-2), (" 2 / n", 2 / N)])
def test_l2_is_a_number_or_a_share_of_1_over_n(text, l2, data, capsys):
    found = strict_json(ran(capsys, "faceoff", "small.csv", "--l2", text, "--json"))
    assert found["problem"]["l2"] == l2


@pytest.mark.parametrize("scale", ["none", "unit", "mean"])
def test_scale_split_and_width_are_those_of_load(scale, data, capsys):
    words = ["small.csv", "--scale", scale, "--split", "all", "--n-features", D + 2]
    found = strict_json(ran(capsys, "faceoff", *words, "--json"))
    X, y = cdlab.datasets.load("small.csv", scale=scale, split="all", n_features=D + 2)
    assert found["problem"]["digest"] == cdlab.Problem(X, y).digest


def test_test_data_may_be_another_file(data, capsys):
    text = ran(capsys, "solve", "small.csv", "--scale", "unit", "--test", "other.csv")
    assert "test_error" in text
    found = strict_json(ran(capsys, "solve", "small.csv", "--scale", "unit", "--test", "other.csv", "--json"))
    Xt, yt = cdlab.datasets.load("other.csv", scale="unit")
    X, y = cdlab.datasets.load("small.csv", scale="unit")
    s = cdlab.solve(cdlab.Problem(X, y))
    assert found["result"]["test_error"] == np.mean(np.sign(Xt @ s.w) != yt)


# ---------------------------------------------------------------- race
def test_race_is_the_api_s_race_with_the_same_seeds(data, tmp_path, capsys):
    entries = ["sdca", "sdca@importance", "rcd", "quartz:averaged_primal=true@importance"]
    words = ["--l2", "1/n", "--seeds", "0,3", "--max-passes", "15", "--eps", "1e-3", "--test", "small.csv"]
    found = strict_json(ran(capsys, "race", "small.csv", *words, *entries, "--save", "runs", "--json"))

    P = cdlab.Problem(*data, l2=1 / N)
    api = [
        "sdca",
        (SDCA(), {"sampling": "importance"}),
        "rcd",
        (Quartz(averaged_primal=True), {"sampling": "importance"}),
    ]
    race = cdlab.race(P, api, seeds=[0, 3], max_passes=15)
    assert [without_seconds(run["trace"]) for run in found["runs"]] == [without_seconds(t) for t in race.traces]
    assert [run["run"]["label"] for run in found["runs"]] == [trace.label for trace in race.traces]
    assert found["winner"] == race.winner(1e-3)
    reached = [None if passes == np.inf else passes for passes in race.summary(1e-3)["passes"]]
    assert [row["passes"] for row in found["summary"]] == reached
    assert {row["status"] for row in found["summary"]} <= {"pass limit", "tolerance reached"}

    saved = [cdlab.Trace.load(path) for path in sorted((tmp_path / "runs").iterdir())]
    assert [without_seconds(trace) for trace in saved] == [without_seconds(trace) for trace in race.traces]


def test_race_prints_a_row_for_each_entry_and_the_winner(data, capsys):
    words = ["sdca", "--l2", "0.1", "rcd@importance", "--seeds", "0-2", "--eps", "1e-4", "--tol", "1e-8", "quartz"]
    lines = ran(capsys, "race", "small.csv", *words).splitlines()
    heads = ["method", "sampling", "passes", "seconds", "relative_gap", "relative_best_gap", "status"]
    assert lines[2].split() == heads
    assert [line.split()[:2] for line in lines[3:6]] == [
        ["sdca", "uniform"],
        ["rcd", "importance"],
        ["quartz", "uniform"],
    ]
    assert lines[-1].startswith("winner: ")
    assert "over 3 seeds" in lines[-1]
    assert lines[-1].endswith("to a relative best gap of 0.0001")


def test_race_without_entries_runs_the_field_that_fits(data, capsys):
    assert main(["race", "small.csv", "--l2", "0.1", "--max-passes", "200"]) == 0
    out, err = capsys.readouterr()
    assert len(out.split("\n\n")[1].splitlines()) == 7
    assert "left out" not in err

    assert main(["race", "small.csv", "--loss", "hinge", "--max-passes", "5"]) == 1
    out, err = capsys.readouterr()
    assert len(out.split("\n\n")[1].splitlines()) == 2
    for sentence in ("left out rcd@uniform, rcd@importance: rcd needs a smooth loss", "left out sdca@importance: "):
        assert sentence in err


def test_a_race_that_proves_nothing_shows_no_finish(data, capsys):
    words = ["race", "small.csv", "sdca", "--max-passes", "1", "--eps", "1e-9"]
    text = ran(capsys, *words, code=1)
    assert text.split("\n\n")[1].splitlines()[1].split()[2:4] == ["-", "-"]
    assert "no entry reached a relative best gap of 1e-09" in text
    assert "is only known to be within" in ran(capsys, *words, "--judge", "primal", code=1)
    found = strict_json(ran(capsys, *words, "--json", code=1))
    assert (found["winner"], found["judged_by"]) == (None, "best_gap")
    assert found["summary"][0]["passes"] is None


# ---------------------------------------------------------------- serve
@pytest.mark.parametrize(
    ("words", "call"),
    [
        ([], {"port": 5006, "address": "127.0.0.1", "show": True}),
        (["--port", "0", "--no-show"], {"port": 0, "address": "127.0.0.1", "show": False}),
        (
            ["--address", "0.0.0.0", "--origin", "10.0.0.1:5006"],
            {"port": 5006, "address": "0.0.0.0", "show": True, "websocket_origin": "10.0.0.1:5006"},
        ),
        (
            ["--store", "one", "--store", "two"],
            {"port": 5006, "address": "127.0.0.1", "show": True, "stores": ["one", "two"]},
        ),
    ],
)
def test_serve_is_the_dashboard_s(words, call, monkeypatch, capsys):
    calls = []
    serve = functools.wraps(cdlab.dashboard.serve)(lambda **options: calls.append(options))
    monkeypatch.setattr(cdlab.dashboard, "serve", serve)
    assert ran(capsys, "serve", *words) == ""
    assert [{name: value for name, value in each.items() if value is not None} for each in calls] == [call]


def test_a_port_that_is_taken_is_bad_input(monkeypatch, capsys):
    def taken(**_):
        raise OSError("port 5006 is taken")

    monkeypatch.setattr(cdlab.dashboard, "serve", functools.wraps(cdlab.dashboard.serve)(taken))
    assert main(["serve"]) == 2
    assert capsys.readouterr().err == "cdlab: port 5006 is taken\n"
