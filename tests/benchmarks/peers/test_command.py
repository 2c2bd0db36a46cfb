"""`cdlab bench` says what it compares, refuses what it cannot, and keeps what it measured."""

import pytest
from commands import ran, strict_json

from cdlab.bench import peers
from cdlab.bench.peers.peer import Package, Peer
from cdlab.cli import bench, main

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
    text = ran(capsys, "bench", "--list")
    assert "sklearn-newton-cholesky" in text
    rows = strict_json(ran(capsys, "bench", "--list", "--json"))["packages"]
    assert {row["package"] for row in rows} >= {"scikit-learn", "liblinear-official", "snapml"}
    monkeypatch.setattr(Package, "version", "")
    text = ran(capsys, "bench", "--list")
    assert "  celer: pip install celer" in text
    assert "snapml: pip install snapml (proprietary licence" in text


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--cells", "leu"], "'leu' is not a cell: write DATA/LOSS/C"),
        (["--peers", "libsvm"], "no peer matches 'libsvm'; cdlab bench --list names them"),
        (["--methods", "sddca"], "did you mean 'sdca'"),
        (["--targets", "2"], "a target is a number from 1e-11 to below 1"),
        (["--repeats", "0"], "--repeats must be at least 1"),
        (["--max-seconds", "0"], "--max-seconds more than 0"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(words, sentence, capsys, nowhere):
    assert main(["bench", *words]) == 2
    assert sentence in capsys.readouterr().err


def test_a_peer_that_is_missing_is_named_with_what_installs_it(monkeypatch, capsys):
    gone = Peer("gone", Package("no-such-package", "pip install it"), None, ("logistic",), ("l2",), (1,))
    monkeypatch.setattr(peers, "all_peers", lambda: {"gone": gone})
    assert main(["bench", "--peers", "gone"]) == 2
    assert "no-such-package is not installed: pip install it" in capsys.readouterr().err


@pytest.mark.full  # tests/bench/test_resuming.py measures, too
def test_a_cell_is_measured_told_and_kept(tmp_path, capsys):
    text = ran(capsys, "bench", "--cells", "small_text/logistic/1", *HERE)
    first = text.splitlines()[0]
    assert first.startswith("cdlab sdca@permutation to 0.001: 1 cell: median ratio ")
    assert "sklearn-liblinear-dual" in text
    assert {path.name for path in (tmp_path / "out").iterdir()} >= {"report.html", "report.json", "store.sqlite"}
    found = strict_json(ran(capsys, "bench", "--cells", "small_text/logistic/1", *HERE, "--json"))
    assert found["methods"][0]["targets"][0]["rows"][0]["peer"] == "sklearn-liblinear-dual"


def test_ctrl_c_keeps_what_is_finished(monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(bench, "measure", interrupted)
    text = ran(capsys, "bench", "--cells", "small_text/logistic/1", *HERE, code=130)
    assert "interrupted: the same command goes on from here" in text


def test_the_folder_for_benchopt_is_written_once(capsys):
    assert "benchopt run folder" in ran(capsys, "bench", "--benchopt", "folder")
    assert main(["bench", "--benchopt", "folder"]) == 2
    assert "is not an empty folder" in capsys.readouterr().err
