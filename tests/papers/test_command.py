"""cdlab reproduce: what it lists, what it says, and its exit codes."""

import pytest
from cases import each_of
from commands import ran, strict_json

from cdlab import cli
from cdlab.reproductions import running


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)


def test_the_list_names_every_item_with_data_cost_and_verdicts_so_far(capsys):
    told = ran(capsys, "reproduce", "--list")
    assert "faceoff-fig2c" in told
    ran(capsys, "reproduce", "faceoff-fig1", "--quiet")
    row = strict_json(ran(capsys, "reproduce", "--list", "faceoff-fig1", "--json"))["items"][0]
    assert row["verdicts"] == "2 reproduced"


def test_verdicts_stand_on_stdout_and_the_page_is_written(capsys, tmp_path):
    told = ran(capsys, "reproduce", "faceoff-fig1", "--quiet", "--out", tmp_path / "pages")
    assert "faceoff-fig1 C1  reproduced  holds in 2 of 2" in told
    assert "\n2 reproduced\n" in told
    assert (tmp_path / "pages" / "faceoff.md").is_file()


def test_json_has_every_number(capsys):
    told = strict_json(ran(capsys, "reproduce", "faceoff-fig1", "--quiet", "--json"))
    assert told["mode"] == "quick"
    assert told["items"]["faceoff-fig1"]["claims"][0]["panels"][0]["value"] < 1


def test_a_dry_run_tells_keys_and_runs_nothing(capsys, tmp_path):
    rows = strict_json(ran(capsys, "reproduce", "faceoff-fig2a", "--dry-run", "--json"))["runs"]
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
    assert "the same command goes on from here" in ran(capsys, "reproduce", "faceoff-fig1", "--quiet", code=130)


@each_of(
    "words, sentence",
    [
        ([], "name what to reproduce: items, papers or all; cdlab reproduce --list shows them"),
        (["faceof"], "there is no item or paper 'faceof'; did you mean 'faceoff'?"),
        (["faceoff", "--quick", "--full"], "--full repeats or contradicts an earlier option"),
        (["faceoff", "--seeds", "1-0"], "'1-0' names no seed"),
    ],
)
def test_bad_input_is_one_sentence(words, sentence, capsys):
    assert cli.main(["reproduce", *words]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1
