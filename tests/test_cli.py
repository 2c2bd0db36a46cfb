"""The command line says what the API says, as tables and as JSON, and its exit code is a verdict."""

import functools
import io
import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cdlab
import cdlab.dashboard
from cdlab import cli
from cdlab.cli import main, running, specs
from cdlab.methods import RCD, SDCA, Quartz
from cdlab.samplings import Importance, Lipschitz, Uniform

N, D = 60, 7


@pytest.fixture(autouse=True)
def nowhere(tmp_path, monkeypatch):
    """Relative names mean files of this test; the caller's own data folder and window do not matter."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CDLAB_DATA", raising=False)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def data(tmp_path):
    """A CSV file `small.csv` with a test part beside it; the training data."""
    rng = np.random.default_rng(3)
    w = rng.standard_normal(D)
    for name, n in (("small.csv", N), ("small.t.csv", 25), ("other.csv", 20)):
        X = rng.standard_normal((n, D))
        y = np.where(X @ w + 0.5 * rng.standard_normal(n) > 0, 1, -1)
        np.savetxt(tmp_path / name, np.column_stack([X, y]), delimiter=",", fmt="%.17g")
    return cdlab.datasets.load(tmp_path / "small.csv")


@pytest.fixture
def golden(tmp_path):
    """d = 4, n = 5, X_ji = (((3j + 5i) mod 7) - 3)/2 in the face-off's transposed notation, as LIBSVM text."""
    X = np.array([[(((3 * j + 5 * i) % 7) - 3) / 2 for j in range(4)] for i in range(5)])
    lines = [
        f"{label} " + " ".join(f"{j + 1}:{x}" for j, x in enumerate(row) if x)
        for label, row in zip((1, -1, 1, 1, -1), X, strict=True)
    ]
    (tmp_path / "golden").write_text("\n".join(lines) + "\n")
    return "./golden"


def strict_json(text):
    def refuse(word):
        raise AssertionError(f"{word} is not JSON")

    return json.loads(text, parse_constant=refuse)


def ran(capsys, *words, code=0):
    """stdout of a command that ends with `code`."""
    assert main([str(word) for word in words]) == code
    return capsys.readouterr().out


def without_seconds(trace):
    columns = trace if isinstance(trace, dict) else {name: trace.column(name) for name in trace.records[0]._fields}
    return {name: list(columns[name]) for name in ("iteration", "passes", "primal", "dual", "gap")}


# ---------------------------------------------------------------- help
def help_of(capsys, *words):
    with pytest.raises(SystemExit) as end:
        main([*words, "--help"])
    assert end.value.code == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("verb", cli.VERBS)
def test_help_teaches(verb, capsys):
    text = help_of(capsys, verb)
    assert "example" in text
    assert max(map(len, text.splitlines())) <= 80, "a terminal of 80 columns shows it unbroken"
    if verb != "serve":
        assert "mushrooms" in text
        assert "exit codes" in text
        assert "columns\n" in text


def test_help_lists_every_verb_that_works(capsys):
    text = ran(capsys, "--help")
    assert all(f"\n  {verb} " in text for verb in cli.VERBS)
    assert max(map(len, text.splitlines())) <= 80
    assert "advise" not in text


def test_help_names_every_loss_method_and_sampling(capsys):
    text = " ".join(help_of(capsys, "solve").split())
    for names in (cdlab.losses.LOSSES, cdlab.methods.METHODS, cdlab.samplings.SAMPLINGS):
        assert ", ".join(names) in text


def test_defaults_are_those_of_the_api(data, capsys):
    found = strict_json(ran(capsys, "solve", "small.csv", "--json"))
    s = cdlab.solve(cdlab.Problem(*data))
    assert found["run"]["label"] == s.trace.label
    assert found["run"]["problem"] == s.trace.meta["problem"]
    assert without_seconds(found["trace"]) == without_seconds(s.trace)


# ---------------------------------------------------------------- bad input
BAD = {
    "no verb": ("", "name a verb"),
    "unknown verb": ("slove small.csv", "did you mean 'solve'"),
    "no file named": ("solve", "required: FILE"),
    "empty name": ("solve ''", "this name is empty"),
    "missing file": ("solve ./nothing.svm", "there is no file"),
    "unknown data set": ("faceoff mushroom", "did you mean mushrooms"),
    "unknown method": ("solve small.csv --method sdcaa", "did you mean 'sdca'"),
    "unknown loss": ("solve small.csv --loss logistik", "did you mean 'logistic'"),
    "unknown sampling": ("solve small.csv --sampling uniformly", "did you mean 'uniform'"),
    "unknown option": ("solve small.csv --metod sdca", "--metod"),
    "shortened option": ("solve small.csv --met sdca", "--met"),
    "unknown parameter": ("solve small.csv --method quartz:average=true", "it has step, averaged"),
    "parameter of the parameterless": ("solve small.csv --method sdca:step=1", "it has none"),
    "no value": ("solve small.csv --loss huber:gamma", "key=value"),
    "truth wanted": ("solve small.csv --method quartz:averaged=maybe", "true or false"),
    "number wanted": ("solve small.csv --loss huber:gamma=wide", "is a number"),
    "negative gamma": ("solve small.csv --loss huber:gamma=-1", "gamma must be"),
    "wrong word": ("solve small.csv --method quartz:step=long", "'fixed' or 'local'"),
    "l2 of words": ("solve small.csv --l2 small", "such as 1e-3, 1/n"),
    "l2 over d": ("solve small.csv --l2 1/d", "such as 1e-3, 1/n"),
    "negative l2": ("solve small.csv --l2 -1", "l2 must be"),
    "l2 = 0": ("solve small.csv --l2 0", "needs l2 > 0"),
    "infinite l2": ("solve small.csv --l2 inf", "l2 must be a finite number"),
    "tol nan": ("solve small.csv --tol nan", "tol must be"),
    "no limit": ("solve small.csv --max-passes none", "without a limit"),
    "every 0": ("solve small.csv --every 0", "every must be"),
    "huge d": ("solve small.csv --n-features 99999999999", "whole number from 0 to"),
    "too few columns": ("solve small.csv --n-features 3", "at least 7"),
    "misfit": ("solve small.csv --loss hinge --sampling importance", "needs a smooth loss"),
    "no test part": ("solve other.csv --test other.csv", "has no test part"),
    "test in training": ("solve small.csv --split all --test small.csv", "trains on the test part"),
    "scale of other data": ("solve small.csv --scale mean --test other.csv", "mean row norm of small.csv"),
    "no folder": ("solve small.csv --save nowhere/trace.json", "cannot write nowhere/trace.json"),
    "folder for a file": ("solve small.csv --solution .", "cannot write ."),
    "entry without sampling": ("race small.csv sdca@", "METHOD@SAMPLING"),
    "entry without method": ("race small.csv @uniform", "METHOD@SAMPLING"),
    "entry unknown": ("race small.csv rcd sdac", "did you mean 'sdca'"),
    "entry that does not fit": ("race small.csv sdca rcd --l1 0.1", "rcd does not handle l1 > 0"),
    "nobody fits": ("race small.csv --l2 0", "no entry of the default field"),
    "seeds": ("race small.csv --seeds two", "0,1,7 or 0-4"),
    "backward seeds": ("race small.csv --seeds 4-0", "from small to large"),
    "one seed twice": ("race small.csv --seeds 1,0-2", "a seed twice"),
    "eps 0": ("race small.csv --eps 0", "--eps must be a number > 0"),
    "race folder is a file": ("race small.csv --save small.csv", "small.csv: File exists"),
    "no such port": ("serve --port 70000", "from 0 to 65535"),
    "negative derivative cost": ("faceoff small.csv --derivative-cost -1", "derivative_cost"),
    "bad derivative cost": ("faceoff small.csv --derivative-cost dear", "'dear' is not a number"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence_and_exit_code_2(case, data, capsys):
    line, sentence = BAD[case]
    assert main([word.strip("'") for word in line.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    last = err.splitlines()[-1]
    assert last.startswith("cdlab: ")
    assert sentence in last
    assert "Traceback" not in err


def test_several_classes_are_refused_with_what_to_use(tmp_path, capsys):
    np.savetxt(tmp_path / "classes.csv", [[1, 0], [2, 1], [3, 2]], delimiter=",")
    assert main(["solve", "classes.csv"]) == 2
    assert "3 distinct labels" in capsys.readouterr().err


def test_a_damaged_file_is_bad_input(tmp_path, capsys):
    (tmp_path / "cut.svm.gz").write_bytes(b"\x1f\x8b\x08\x00not gzip at all")
    assert main(["faceoff", "cut.svm.gz"]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("cdlab: ")


def test_memory_that_is_not_there_is_bad_input(data, monkeypatch, capsys):
    def hungry(*_, **__):
        raise MemoryError("Unable to allocate 728. TiB")

    monkeypatch.setattr(cdlab.datasets, "load", hungry)
    assert main(["faceoff", "small.csv"]) == 2
    assert "not enough memory" in capsys.readouterr().err


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
    assert lines[0] == "./golden: 5 x 4, nnz 17; logistic loss, l2 = 0.2, l1 = 0"
    assert lines[2].split() == ["side", "sampling", "K", "W", "T", "passes"]
    rows = {tuple(line.split()[:2]): line.split()[2:] for line in lines[3:7]}
    assert set(rows) == {(side, s) for side in ("primal", "dual") for s in ("uniform", "importance")}
    assert float(rows["primal", "importance"][2]) == 39.25
    assert float(rows["dual", "importance"][3]) == pytest.approx(34.8125 / 17, rel=1e-5)
    text = "\n".join(lines)
    assert "C_P = 89, C_D = 71.25" in text
    assert "between 1/d = 0.25 and n = 5" in text
    assert "predicted winner: " in text
    assert "break-even: " in text


def test_faceoff_says_why_there_is_no_bound(golden, capsys):
    text = ran(capsys, "faceoff", golden, "--loss", "hinge")
    reason = cdlab.faceoff(cdlab.Problem(*cdlab.datasets.load(golden), loss="hinge")).reason
    assert reason in text
    assert "predicted winner" not in text
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


# ---------------------------------------------------------------- solve
def test_solve_prints_the_trace_and_the_verdict(data, capsys):
    lines = ran(capsys, "solve", "small.csv", "--l2", "0.01", "--tol", "1e-5").splitlines()
    assert lines[0] == f"small.csv: {N} x {D}, nnz {N * D}; logistic loss, l2 = 0.01, l1 = 0"
    assert lines[1] == "sdca, uniform sampling, seed 0"
    assert lines[3].split() == ["iteration", "passes", "seconds", "primal", "dual", "gap", "relative_gap"]
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
    point = np.load("point")
    np.testing.assert_array_equal(point["w"], s.w)
    np.testing.assert_array_equal(point["alpha"], s.alpha)


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


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--tol", "1e-3"], 0),
        (["--max-passes", "1"], 1),
        (["--max-seconds", "0"], 1),
        (["--tol", "0", "--max-passes", "2"], 0),  # nothing to reach
    ],
)
def test_the_exit_code_is_the_verdict(words, code, data, capsys):
    ran(capsys, "solve", "small.csv", *words, code=code)
    ran(capsys, "race", "small.csv", "sdca", *words, code=code)


@pytest.mark.parametrize(
    ("statuses", "tol", "code"),
    [
        (["tolerance reached", "gradient small"], 1e-6, 0),
        (["tolerance reached", "pass limit"], 1e-6, 1),
        (["pass limit", "time limit"], 0, 0),
        (["diverged"], 0, 1),
        (["tolerance reached", "stopped"], 1e-6, 130),
    ],
)
def test_every_status_word_has_its_exit_code(statuses, tol, code):
    assert running.exit_code(statuses, tol) == code


# ---------------------------------------------------------------- race
def test_race_is_the_api_s_race_with_the_same_seeds(data, tmp_path, capsys):
    entries = ["sdca", "sdca@importance", "rcd", "quartz:averaged=true@importance"]
    words = ["--l2", "1/n", "--seeds", "0,3", "--max-passes", "15", "--eps", "1e-3", "--test", "small.csv"]
    found = strict_json(ran(capsys, "race", "small.csv", *words, *entries, "--save", "runs", "--json", code=1))

    P = cdlab.Problem(*data, l2=1 / N)
    api = ["sdca", (SDCA(), {"sampling": "importance"}), "rcd", (Quartz(averaged=True), {"sampling": "importance"})]
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
    assert lines[2].split() == ["method", "sampling", "passes", "seconds", "relative_gap", "status"]
    assert [line.split()[:2] for line in lines[3:6]] == [
        ["sdca", "uniform"],
        ["rcd", "importance"],
        ["quartz", "uniform"],
    ]
    assert lines[-1].startswith("winner: ")
    assert "over 3 seeds" in lines[-1]


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
    assert "is only known to be within" in text
    found = strict_json(ran(capsys, *words, "--json", code=1))
    assert found["winner"] is None
    assert found["summary"][0]["passes"] is None


# ---------------------------------------------------------------- Ctrl-C
def ctrl_c_at(monkeypatch, k):
    """Ctrl-C arrives while the k-th record of the command is being shown."""
    record, count = running.Progress.record, iter(range(10**6))

    def interrupted(self, r):
        if next(count) == k:
            signal.raise_signal(signal.SIGINT)
        record(self, r)

    monkeypatch.setattr(running.Progress, "record", interrupted)


def test_ctrl_c_keeps_what_solve_has_reached(data, monkeypatch, capsys):
    before = signal.getsignal(signal.SIGINT)
    ctrl_c_at(monkeypatch, 4)
    text = ran(capsys, "solve", "small.csv", "--tol", "0", "--save", "trace.json", code=130)
    assert len(text.split("\n\n")[1].splitlines()) == 1 + 5
    assert "interrupted after 4 passes" in text
    saved = cdlab.Trace.load("trace.json")
    assert len(saved.records) == 5
    assert saved.meta["status"] == "stopped"
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ("record", "begun"), [(1, 1), (3, 2), (5, 3), (8, 3)]
)  # two a run; the third reaches the limit
def test_ctrl_c_keeps_what_a_race_has_compared(record, begun, data, monkeypatch, capsys):
    ctrl_c_at(monkeypatch, record)
    words = ["sdca", "rcd", "quartz", "--tol", "0", "--max-passes", "2", "--seeds", "0-4", "--save", "runs"]
    text = ran(capsys, "race", "small.csv", *words, code=130)
    rows = [line.split()[0] for line in text.split("\n\n")[1].splitlines()[1:]]
    assert rows == ["sdca", "rcd", "quartz"][:begun]
    assert len(os.listdir("runs")) == record // 2 + 1


def test_the_second_ctrl_c_ends_at_once(data, monkeypatch, capsys):
    def twice(self, record):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(running.Progress, "record", twice)
    assert main(["solve", "small.csv"]) == 130
    assert capsys.readouterr().err.splitlines()[-1] == "cdlab: interrupted"
    assert signal.getsignal(signal.SIGINT) is before


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
    ],
)
def test_serve_is_the_dashboard_s(words, call, monkeypatch, capsys):
    calls = []
    serve = functools.wraps(cdlab.dashboard.serve)(lambda **options: calls.append(options))
    monkeypatch.setattr(cdlab.dashboard, "serve", serve)
    assert ran(capsys, "serve", *words) == ""
    assert calls == [call]


def test_a_port_that_is_taken_is_bad_input(capsys):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        assert main(["serve", "--no-show", "--port", str(other.getsockname()[1])]) == 2
    assert " is taken" in capsys.readouterr().err


# ---------------------------------------------------------------- stderr
def test_progress_goes_to_stderr_and_quiet_silences_it(data, capsys):
    words = ["race", "small.csv", "sdca", "--l2", "0.1", "--json"]
    assert main(words) == 0
    out, err = capsys.readouterr()
    strict_json(out)
    assert "reading small.csv" in err
    assert "sdca, uniform, seed 0" in err
    assert main([*words, "--quiet"]) == 0
    out, err = capsys.readouterr()
    strict_json(out)
    assert err == ""


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_on_a_terminal_one_line_is_rewritten(data, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(running, "TERMINAL_EVERY", 0.0)
    assert main(["solve", "small.csv"]) == 0
    text = sys.stderr.getvalue()
    assert "\n" not in text
    lines = text.split("\r")
    assert len(lines) > 5
    assert max(len(line.removesuffix("\x1b[K")) for line in lines) < 80
    assert lines[-1] == "\x1b[K", "nothing stays behind"


def test_on_a_terminal_an_error_has_its_own_line(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    assert main(["solve", "mushroom"]) == 2
    reading, cleared, error = sys.stderr.getvalue().rpartition("\r\x1b[K")
    assert "reading mushroom" in reading
    assert error.startswith("cdlab: ")


# ---------------------------------------------------------------- values
@given(st.floats(allow_nan=False), st.integers(1, 10**9))
def test_a_weight_is_read_exactly(c, n):
    assert specs.weight(f"{c!r}/n")(n) == c / n
    assert specs.weight(repr(c))(n) == c


@given(st.sets(st.integers(0, 999), min_size=1))
def test_seeds_are_read_as_written(numbers):
    assert specs.seeds(",".join(map(str, numbers))) == list(numbers)
    low, high = min(numbers), max(numbers)
    assert specs.seeds(f"{low}-{high}") == list(range(low, high + 1))


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("sdca", (SDCA(), Uniform())),
        ("rcd@importance", (RCD(), Importance())),
        ("quartz:step=local,averaged=true@lipschitz:power=0.25", (Quartz("local", True), Lipschitz(0.25))),
        ("quartz:averaged=false@lipschitz:power=1", (Quartz(), Lipschitz(1.0))),
    ],
)
def test_an_entry_is_a_method_and_a_sampling(text, entry):
    assert specs.entry(text) == entry


def test_whole_numbers_become_what_the_parameter_is():
    assert isinstance(specs.loss("squared_hinge:c=1").c, float), "an int would compile another kernel"


# ---------------------------------------------------------------- processes
def process(*words, **options):
    command = [sys.executable, "-m", "cdlab", *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def test_python_m_cdlab():
    run = process("--version")
    out, err = run.communicate(timeout=60)
    assert (run.returncode, out, err) == (0, f"cdlab {cdlab.__version__}\n", "")


def test_serve_until_ctrl_c():
    """It says where it is, answers there, and Ctrl-C is how it ends."""
    run = process("serve", "--port", "0", "--no-show")
    said = run.stdout.readline()
    url = re.search(r"http://\S+", said)
    assert url, run.communicate(timeout=60)
    with urllib.request.urlopen(url[0], timeout=60) as answer:
        assert answer.status == 200
    run.send_signal(signal.SIGINT)
    _, err = run.communicate(timeout=60)
    assert run.returncode == 0
    assert "Traceback" not in err


def test_a_real_ctrl_c(data, tmp_path):
    run = process("solve", "small.csv", "--tol", "0", "--max-passes", "none", "--max-seconds", "50", cwd=tmp_path)
    while "starting" not in run.stderr.readline():
        pass
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130
    assert "interrupted after " in out
    assert "Traceback" not in err


def test_a_reader_that_leaves_early_is_no_error(data, tmp_path):
    """`cdlab solve ... | head -0`: the pipe is closed before the table is printed."""
    read, write = os.pipe()
    run = subprocess.Popen(
        [sys.executable, "-m", "cdlab", "solve", "small.csv"], stdout=write, stderr=subprocess.PIPE, cwd=tmp_path
    )
    os.close(read)
    os.close(write)
    _, err = run.communicate(timeout=60)
    assert run.returncode == 0
    assert b"Broken" not in err
    assert b"Traceback" not in err
