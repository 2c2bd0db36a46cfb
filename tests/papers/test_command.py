"""python -m papers: what it lists, what it says, and its exit codes."""

import subprocess
import sys
from pathlib import Path

import pytest
from cases import each_of
from commands import strict_json

from cdlab import cli
from papers import running
from papers.__main__ import main


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def ran(capsys, *words, code=0):
    """stdout of a command that ends with `code`."""
    assert main([str(word) for word in words]) == code
    return capsys.readouterr().out


def test_the_list_names_every_item_with_data_cost_and_verdicts_so_far(capsys):
    told = ran(capsys, "--list")
    assert "faceoff-fig2c" in told
    ran(capsys, "faceoff-fig1", "--quiet")
    row = strict_json(ran(capsys, "--list", "faceoff-fig1", "--json"))["items"][0]
    assert row["verdicts"] == "2 reproduced"


@pytest.mark.full
def test_verdicts_stand_on_stdout_and_the_page_is_written(capsys, tmp_path):
    told = ran(capsys, "faceoff-fig1", "--quiet", "--out", tmp_path / "pages")
    assert "faceoff-fig1 C1  reproduced  holds in 2 of 2" in told
    assert "\n2 reproduced\n" in told
    assert (tmp_path / "pages" / "faceoff.md").is_file()


@pytest.mark.full
def test_json_has_every_number(capsys):
    told = strict_json(ran(capsys, "faceoff-fig1", "--quiet", "--json"))
    assert told["mode"] == "quick"
    assert told["items"]["faceoff-fig1"]["claims"][0]["panels"][0]["value"] < 1


def test_a_dry_run_tells_keys_and_runs_nothing(capsys, tmp_path):
    rows = strict_json(ran(capsys, "faceoff-fig2a", "--dry-run", "--json"))["runs"]
    assert len(rows) == 84
    assert len({row["key"] for row in rows}) == 84
    assert not any(row["there"] for row in rows)
    assert not (tmp_path / "reproductions").exists()


def test_interrupted_it_says_how_to_go_on(capsys, monkeypatch):
    real = running.reproduce

    def interrupted(*args, **options):
        done = real(*args, **options)
        done.interrupted = True
        return done

    monkeypatch.setattr(running, "reproduce", interrupted)
    assert "the same command goes on from here" in ran(capsys, "faceoff-fig1", "--quiet", code=130)


@each_of(
    "words, sentence",
    [
        ([], "name what to reproduce: items, papers or all; python -m papers --list shows them"),
        (["faceof"], "there is no item or paper 'faceof'; did you mean 'faceoff'?"),
        (["faceoff", "--quick", "--full"], "argument --full: not allowed with argument --quick"),
        (["faceoff", "--seeds", "1-0"], "seeds are different whole numbers and ranges, as 0,1,7 or 0-4, not '1-0'"),
        (["faceoff", "--seeds", "1,a"], "seeds are different whole numbers and ranges"),
        (["faceoff", "--seeds", "1-2-3"], "seeds are different whole numbers and ranges"),
        (["faceoff", "--jobs", "0"], "'0' is not a whole number >= 1"),
        (["faceoff", "--ful"], "unrecognized arguments: --ful"),
    ],
)
def test_bad_input_is_a_sentence_and_exit_code_2(words, sentence, capsys):
    try:
        code = main(words)
    except SystemExit as end:
        code = end.code
    assert code == 2
    assert sentence in capsys.readouterr().err.splitlines()[-1]


def test_the_former_verb_says_what_to_use_now(capsys):
    assert cli.main(["reproduce", "faceoff-fig1", "--quick"]) == 2
    assert capsys.readouterr().err == "cdlab: cdlab reproduce is now a command of a clone of cdlab: python -m papers\n"


@pytest.mark.full
def test_it_is_a_command_of_a_clone(tmp_path):
    root = Path(__file__).parents[2]
    said = subprocess.run([sys.executable, "-m", "papers", "--help"], cwd=root, capture_output=True, text=True)
    assert said.returncode == 0
    assert "python -m papers faceoff --full" in said.stdout
