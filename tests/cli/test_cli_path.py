"""cdlab path is the API's path, and what was found before Ctrl-C is kept."""

import signal

import numpy as np
import pandas as pd
import pytest
from cases import each_of
from commands import D, N, ran, strict_json

import cdlab
from cdlab.cli import main, values
from cdlab.cli.output import VerbProgress

L2 = ["--l2", "1,0.1,0.01"]


def path(data, **options):
    return cdlab.path(cdlab.Problem(*data), l2=[1, 0.1, 0.01], **options)


@each_of(
    "text, weights",
    [("1,0.1", [1, 0.1]), ("1,0.1/n", [1 / 7, 0.1 / 7]), ("2", [2]), (" 2, 1 / n", [2 / 7, 1 / 7])],
)
def test_weights_are_read_exactly(text, weights):
    assert values.weights(text)(7) == weights


def test_it_is_the_api_s_path_with_its_defaults(data, capsys):
    found = strict_json(ran(capsys, "path", "small.csv", *L2, "--json"))
    along = path(data, method="auto")
    assert found["problem"]["l2"] == list(along.l2)
    for row, expected, s in zip(found["path"], along.to_frame().to_dict("records"), along, strict=True):
        assert row.pop("chosen") == s.trace.meta["chosen"]
        assert row | {"seconds": 0} == expected | {"seconds": 0}


def test_it_is_the_api_s_path_with_the_same_options(data, capsys):
    words = ["--method", "sdca@permutation", "--seed", 3, "--tol", 1e-4, "--l1", "1e-3,1e-2", "--test", "small.csv"]
    found = strict_json(ran(capsys, "path", "small.csv", *L2, *words, "--json"))
    test = cdlab.datasets.load("small.csv", split="test")
    along = path(data, l1=[1e-3, 1e-2], method="sdca@permutation", seed=3, tol=1e-4, test=test)
    for name in ("l2", "l1", "primal", "passes", "nonzeros", "test_error"):
        assert [row[name] for row in found["path"]] == list(along.to_frame()[name])


def test_a_row_a_solution_and_what_auto_chose(data, capsys):
    lines = ran(capsys, "path", "small.csv", *L2, "--intercept").splitlines()
    assert lines[0].startswith(f"small.csv: {N} x {D + 1}, nnz {N * (D + 1)}")
    assert lines[0].endswith("; logistic loss, 3 pairs of l2 and l1, intercept (the last column)")
    assert [line.split()[0] for line in lines[2:6]] == ["l2", "1", "0.1", "0.01"]
    assert lines[-1] == "newton_cd at once: sdca does not fit: 3 of 3"


def test_the_table_is_saved_with_all_digits(data, capsys):
    ran(capsys, "path", "small.csv", *L2, "--save", "path.csv")
    saved, frame = pd.read_csv("path.csv"), path(data, method="auto").to_frame()
    pd.testing.assert_frame_equal(saved.drop(columns="seconds"), frame.drop(columns="seconds"), rtol=1e-15)


@pytest.mark.parametrize(
    ("words", "code"),
    [([], 0), (["--method", "sdca", "--max-passes", "1"], 1), (["--tol", "0", "--max-passes", "1"], 0)],
)
def test_the_exit_code_is_the_verdict(words, code, data, capsys):
    ran(capsys, "path", "small.csv", *L2, *words, code=code)


@pytest.mark.parametrize("done", [0, 2])
def test_ctrl_c_keeps_the_solutions_that_are_done(done, data, monkeypatch, capsys):
    before = signal.getsignal(signal.SIGINT)

    def interrupted(self, text):
        if text.startswith(f"solution {done + 1} of 3"):
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(VerbProgress, "now_and_then", interrupted)
    text = ran(capsys, "path", "small.csv", *L2, "--save", "path.csv", code=130)
    assert text.splitlines()[-1] == f"interrupted after {done} of 3 solutions"
    assert list(pd.read_csv("path.csv")["l2"]) == [1, 0.1, 0.01][:done]
    assert signal.getsignal(signal.SIGINT) is before


def test_progress_goes_to_stderr_and_quiet_silences_it(data, capsys):
    assert main(["path", "small.csv", *L2]) == 0
    assert "a path of 3: starting" in capsys.readouterr().err
    assert main(["path", "small.csv", *L2, "--quiet"]) == 0
    assert capsys.readouterr().err == ""


def test_an_intercept_is_the_api_s(data, capsys):
    words = ["solve", "small.csv", "--intercept", "--l2", "0.1", "--test", "small.csv", "--solution", "point"]
    found = strict_json(ran(capsys, *words, "--json"))
    P = cdlab.Problem(*data, l2=0.1, intercept=True)
    s = cdlab.solve(P, "auto", test=cdlab.datasets.load("small.csv", split="test"))
    assert found["problem"]["intercept"] is True
    assert found["result"]["primal"] == s.trace.records[-1].primal
    assert found["result"]["test_error"] == s.trace.records[-1].test_error
    np.testing.assert_array_equal(cdlab.load_solution("point").w, s.w)
    assert cdlab.load_solution("point").intercept == s.intercept


def test_a_race_with_an_intercept_leaves_out_what_takes_none(data, capsys):
    assert main(["race", "small.csv", "--intercept", "--l2", "0.1", "--tol", "1e-3"]) == 0
    out, err = capsys.readouterr()
    assert [line.split()[0] for line in out.split("\n\n")[1].splitlines()[1:]] == ["rcd", "rcd", "sdca", "sdca"]
    assert "left out quartz@uniform, quartz@importance: quartz takes no intercept" in err


def test_solve_says_what_auto_chose(data, capsys):
    head = ran(capsys, "solve", "small.csv", "--l2", "0.1").splitlines()[1]
    assert head == "auto, sdca to begin with, seed 0"


# ---------------------------------------------------------------- screening
def test_solve_prints_the_coordinates_that_are_left(data, capsys):
    words = ("solve", "small.csv", "--loss", "smooth_hinge", "--l2", "0.1", "--tol", "1e-9")
    for method, column in (("sdca:screening=shrink", True), ("sdca", False)):
        assert ("  active" in ran(capsys, *words, "--method", method)) == column
    left = strict_json(ran(capsys, *words, "--method", "sdca:screening=shrink", "--json"))["trace"]["active"]
    assert left[-1] < left[0]


def test_path_has_a_column_of_them(data, capsys):
    words = ("--loss", "squared_hinge", "--l2", "1,0.1", "--tol", "1e-9", "--method", "sdca:screening=gap_safe")
    rows = strict_json(ran(capsys, "path", "small.csv", *words, "--json"))["path"]
    assert all(row["active"] > 0 for row in rows)
