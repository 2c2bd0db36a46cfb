"""`python -m benchmarks.peers` says what it compares, refuses what it cannot, and keeps what it measured."""

import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from commands import strict_json

import benchmarks
from benchmarks.peers import adapters
from benchmarks.peers.adapters.peer import Package, Peer
from benchmarks.peers.command import COMMAND, Comparison, compare
from cdlab import cli

ROOT = Path(benchmarks.__file__).parents[1]


@pytest.fixture(autouse=True)
def nowhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CDLAB_DATA", raising=False)


def main(words):
    return cli.run_program(partial(cli.call, COMMAND, compare), words)


def ran(capsys, *words, code=0):
    assert main(words) == code
    return capsys.readouterr().out


HERE = [
    "--methods",
    "sdca@permutation",
    "--peers",
    "sklearn-liblinear-dual",
    "--targets",
    "1e-3",
    "--repeats",
    "1",
    "--out",
    "out",
]


def test_the_list_says_who_is_here_and_how_to_get_the_others(monkeypatch, capsys):
    text = ran(capsys, "--list")
    assert "sklearn-newton-cholesky" in text
    rows = strict_json(ran(capsys, "--list", "--json"))["packages"]
    assert {row["package"] for row in rows} >= {"scikit-learn", "liblinear-official", "snapml"}
    monkeypatch.setattr(Package, "version", "")
    text = ran(capsys, "--list")
    assert "  celer: pip install celer" in text
    assert "snapml: pip install snapml (proprietary licence" in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--cells", "leu"], "'leu' is not a cell: write DATA/LOSS/C"),
        (["--cells", "drawn*"], "no cell matches 'drawn*'; there are leu, "),
        (["--draw", "x"], "'x' is not a whole number"),
        (["--peers", "libsvm"], "no peer matches 'libsvm'; python -m benchmarks.peers --list names them"),
        (["--methods", "sddca"], "did you mean 'sdca'"),
        (["--targets", "2"], "a target is a number from 1e-11 to below 1"),
        (["--repeats", "0"], "--repeats must be at least 1"),
        (["--max-seconds", "0"], "--max-seconds more than 0"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(words, sentence, capsys):
    assert main(words) == 2
    assert sentence in capsys.readouterr().err


def test_a_peer_that_is_missing_is_named_with_what_installs_it(monkeypatch, capsys):
    gone = Peer("gone", Package("no-such-package", "pip install it"), None, ("logistic",), ("l2",), (1,))
    monkeypatch.setattr(adapters, "all_peers", lambda: {"gone": gone})
    assert main(["--peers", "gone"]) == 2
    assert "no-such-package is not installed: pip install it" in capsys.readouterr().err


@pytest.mark.full  # test_resuming.py measures, too
def test_a_cell_is_measured_told_and_kept(tmp_path, capsys):
    text = ran(capsys, "--cells", "small_text/logistic/1", *HERE)
    first = text.splitlines()[0]
    assert first.startswith("cdlab sdca@permutation to 0.001: 1 cell: median ratio ")
    assert "sklearn-liblinear-dual" in text
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"benchmark.md", "store.sqlite"}
    found = strict_json(ran(capsys, "--cells", "small_text/logistic/1", *HERE, "--json"))
    assert found["methods"][0]["targets"][0]["rows"][0]["peer"] == "sklearn-liblinear-dual"


def test_ctrl_c_keeps_what_is_finished(monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Comparison, "run", interrupted)
    text = ran(capsys, "--cells", "small_text/logistic/1", *HERE, code=130)
    assert "interrupted: the same command goes on from here" in text


def test_cells_that_are_drawn_are_those_of_the_seed(monkeypatch, capsys):
    """No peer takes part, and nothing is measured: the cells are told as they are left."""
    asked = []
    monkeypatch.setattr(Comparison, "run", lambda self: asked.append(list(self.keys)))
    monkeypatch.setattr(Comparison, "_digest", lambda self, cell: cell.name)
    for seed in (3, 4, 3):
        ran(capsys, "--draw", str(seed), "--cells", "drawn*", *HERE, code=1)
    assert asked[0] == asked[2]
    assert not set(asked[0]) & set(asked[1])
    assert all(name.startswith(f"drawn:3:{k}/") for k, name in enumerate(asked[0]))


@pytest.mark.full
def test_it_is_a_module_of_a_clone():
    done = subprocess.run(
        [sys.executable, *COMMAND.split()[1:], "--list"], cwd=ROOT, capture_output=True, text=True, env=dict(os.environ)
    )
    assert done.returncode == 0, done.stderr
    assert "sklearn-newton-cholesky" in done.stdout


def test_the_old_verb_says_what_it_is_now(capsys):
    assert cli.main(["bench", "--quick"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "cdlab: cdlab bench is now a command of a clone of cdlab: python -m benchmarks.peers"
    ]
