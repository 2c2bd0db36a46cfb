"""Ctrl-C loses nothing, and is one line whenever it comes."""

import os
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from cases import pushed
from commands import ran
from stores import texts, when_finished, write_text

import cdlab
import cdlab.dashboard
from cdlab.cli import main, output

INTERRUPTED = """
import signal, sys

class Finder:
    def find_spec(name, path=None, target=None):
        if name == {module!r}:
            signal.raise_signal(signal.SIGINT)

sys.meta_path.insert(0, Finder)
from cdlab.cli import main
sys.exit(main(["solve", "small.csv", "--quiet"]))
"""


@pytest.mark.parametrize(
    "module",
    pushed(["cyclopts", "numpy", "scipy.sparse", "numba", "cdlab.problems.problem", "cdlab.cli.solve"], "scipy.sparse"),
)
def test_ctrl_c_while_modules_are_loaded_is_one_line(module, data):
    code = INTERRUPTED.format(module=module)
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (found.returncode, found.stdout, found.stderr) == (130, "", "cdlab: interrupted\n")


def test_nothing_that_takes_time_is_loaded_before_a_command_listens():
    code = "import cdlab.cli, sys; print({'numpy', 'scipy', 'numba', 'cyclopts'} & set(sys.modules))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert found.stdout == "set()\n"


def ctrl_c_at(monkeypatch, k):
    """Ctrl-C arrives while the k-th record of the command is being shown."""
    record, count = output.VerbProgress.record, iter(range(10**6))

    def interrupted(self, *what):
        if next(count) == k:
            signal.raise_signal(signal.SIGINT)
        record(self, *what)

    monkeypatch.setattr(output.VerbProgress, "record", interrupted)


def test_ctrl_c_keeps_what_solve_has_reached(data, monkeypatch, capsys):
    before = signal.getsignal(signal.SIGINT)
    ctrl_c_at(monkeypatch, 4)
    words = ["--tol", "0", "--every", "1", "--save", "trace.json"]
    text = ran(capsys, "solve", "small.csv", "--method", "sdca", *words, code=130)
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


def test_a_race_with_a_store_goes_on_after_ctrl_c(data, capsys):
    words = ["sdca", "rcd", "--tol", "0", "--max-passes", "2", "--seeds", "0-4", "--store", "kept"]
    with pytest.MonkeyPatch.context() as patch:
        ctrl_c_at(patch, 8)  # two records a run
        text = ran(capsys, "race", "small.csv", *words, code=130)
    assert text.splitlines()[-1] == "kept holds 4 of 10 runs: the same command goes on from there"
    assert len(cdlab.Store("kept")) == 4
    first = when_finished(Path("kept"))
    assert main(["race", "small.csv", *words]) == 0
    went_on, told = capsys.readouterr()
    assert "4 of 10 runs were in kept" in told
    assert len(cdlab.Store("kept")) == 10
    assert first.items() <= when_finished(Path("kept")).items()
    assert ran(capsys, "race", "small.csv", *words) == went_on


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--store", ""], "the store needs the name of a folder, and this one is empty"),
        (["--store", "small.csv"], "small.csv is a file, and a store is a folder"),
        (["--store", "kept", "--max-seconds", "3"], "--max-seconds does not go with --store"),
        (["--store", "kept", "--max-passes", "none", "--max-seconds", "3"], "give --max-passes"),
    ],
)
def test_a_store_that_cannot_be_is_refused_before_the_data_are_read(words, sentence, data, capsys):
    assert main(["race", "small.csv", "sdca", *words]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert "reading" not in told


@pytest.mark.parametrize("store", [[], ["--store", "kept"]])
def test_a_run_that_ends_at_its_start_was_not_in_a_store(store, data, capsys):
    assert main(["race", "small.csv", "sdca", "--max-passes", "0", "--tol", "0", *store]) == 0
    assert "runs were in" not in capsys.readouterr().err


def test_a_damaged_run_in_a_store_is_told_in_a_line_and_its_run_done_again(data, capsys):
    words = ["race", "small.csv", "sdca", "--max-passes", "2", "--tol", "0", "--store", "kept", "--quiet"]
    ran(capsys, *words)
    (key,) = texts(Path("kept"))
    write_text(Path("kept"), key, "{")
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        assert main(words) == 0
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"cdlab: the result {key} in kept/store.sqlite cannot be read: ")
    assert line.endswith("it is set aside, and counts as not done")
    assert len(cdlab.Store("kept")) == 1


def test_the_second_ctrl_c_ends_at_once(data, monkeypatch, capsys):
    def twice(self, *_):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(output.VerbProgress, "record", twice)
    assert main(["solve", "small.csv"]) == 130
    assert capsys.readouterr().err.splitlines()[-1] == "cdlab: interrupted"
    assert signal.getsignal(signal.SIGINT) is before


def test_a_real_ctrl_c(data, process):
    run = process("solve", "small.csv", "--tol", "0", "--max-passes", "none", "--max-seconds", "50")
    while "starting" not in (line := run.stderr.readline()):
        assert line, "ended before it started"
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=60)
    assert run.returncode == 130
    assert "interrupted after " in out
    assert "Traceback" not in err
