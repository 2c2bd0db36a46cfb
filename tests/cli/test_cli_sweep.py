"""cdlab sweep: a file says what runs, a folder holds what ran."""

import json

import pandas as pd
import pytest
from commands import ran, strict_json

from cdlab import cli, sweeps

FILE = """
store = "{store}"
executor = "serial"

[grid]
data = "{data}"
l2 = ["1/n", 0.1]
method = ["sdca", "rcd@importance", "quartz:averaged_primal=true"]
seed = "0-1"
tol = 1e-2
"""


@pytest.fixture
def file(data, tmp_path):
    return written(tmp_path, FILE.format(store=tmp_path / "store", data="small.csv"))


def written(folder, text):
    path = folder / "grid.toml"
    path.write_text(text)
    return path


def test_all_runs_of_the_file_are_in_the_store(file, capsys, tmp_path):
    told = ran(capsys, "sweep", file, "--quiet")
    store = sweeps.Store(tmp_path / "store")
    assert len(store) == 12
    assert set(store.to_frame()["sampling"]) == {"uniform", "importance"}
    assert f"{store.path} holds 12 finished runs" in told
    assert len([line for line in told.splitlines() if " quartz " in line]) == 2


def test_a_dry_run_counts_and_computes_nothing(file, capsys, tmp_path):
    assert strict_json(ran(capsys, "sweep", file, "--dry-run", "--json", "--quiet"))["to do"] == 12
    assert not (tmp_path / "store").exists()
    ran(capsys, "sweep", file, "--quiet")
    counts = strict_json(ran(capsys, "sweep", file, "--dry-run", "--json", "--quiet"))
    assert counts == {"verb": "sweep", "runs": 12, "finished": 12, "failed": 0, "to do": 0}


def test_options_come_before_the_file(file, capsys, tmp_path):
    ran(capsys, "sweep", file, "--store", tmp_path / "other", "--quiet")
    assert len(sweeps.Store(tmp_path / "other")) == 12
    assert not (tmp_path / "store").exists()


def test_a_failure_is_told_and_the_exit_code_is_1(file, capsys, tmp_path):
    file.write_text(file.read_text().replace('"sdca", ', '"sdca", "kaczmarz", '))
    told = ran(capsys, "sweep", file, "--quiet", code=1)
    assert "holds 12 finished runs, and 4 that failed" in told
    assert "kaczmarz solves X w = y" in told


def test_the_table_is_exported(file, capsys, tmp_path):
    ran(capsys, "sweep", file, "--quiet", "--export", tmp_path / "runs.csv")
    assert len(pd.read_csv(tmp_path / "runs.csv")) == 12


def test_several_tables_are_several_grids(file, capsys, tmp_path):
    table = file.read_text().partition("[grid]")[2]
    file.write_text(f"[[grid]]{table}[[grid]]{table}".replace("seed = ", "intercept = false\nseed = ", 1))
    file.write_text(f'store = "{tmp_path / "store"}"\nexecutor = "serial"\n' + file.read_text())
    ran(capsys, "sweep", file, "--quiet")
    assert len(sweeps.Store(tmp_path / "store")) == 12


def test_ctrl_c_says_how_far_it_was_and_ends_with_130(file, capsys, monkeypatch):
    def interrupted(*_, progress, **__):
        progress(sweeps.Progress(12, 0, 3, 0, 4.0))
        raise KeyboardInterrupt

    ran(capsys, "sweep", file, "--quiet")
    monkeypatch.setattr(sweeps, "sweep", interrupted)
    told = ran(capsys, "sweep", file, "--quiet", code=130)
    assert "interrupted after 3 of 12 runs" in told
    assert json.loads(ran(capsys, "sweep", file, "--quiet", "--json", code=130))["interrupted"] is True


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("[grid]", "[grid", "is not TOML"),
        ("[grid]", "[grit]", "has no table [grid]"),
        ("[grid]", "grid = 3 #", "grid must be a table [grid] or several [[grid]], not 3"),
        ('executor = "serial"', "exekutor = 1", "the top of the file has no key 'exekutor'; did you mean 'executor'?"),
        ('executor = "serial"', 'executor = "threads"', "executor in the top of the file: it must be 'serial'"),
        ('executor = "serial"', "jobs = 0", "jobs in the top of the file: it must be a whole number >= 1, not 0"),
        ("l2 =", "l3 =", "[grid] has no key 'l3' (keys: data, "),
        ("tol = 1e-2", "tol = -1", "tol in [grid]: it must be a number >= 0, not -1"),
        ("tol = 1e-2", 'intercept = "yes"', "intercept in [grid]: it must be true or false, not 'yes'"),
        ('"sdca"', '"sdcaa"', "method in [grid]: there is no method named 'sdcaa'; did you mean 'sdca'?"),
        ('"sdca"', "3", "method in [grid]: it must be a text in quotes, not 3"),
        (
            "averaged_primal=true",
            "averaged_primal=3",
            "method in [grid]: quartz: averaged_primal is true or false, not '3'",
        ),
        ('"0-1"', '"1-0"', "seed in [grid]"),
        ('"0-1"', "[0.5]", 'a whole number >= 0 (ranges are texts, as in "0-4"), not 0.5'),
        ('"1/n"', '"1/m"', "l2 in [grid]: a weight is a number or c/n"),
        ('"1/n"', '"1/n"], data = [1', "is not TOML"),
        ("tol = 1e-2", 'scale = "units"', "scale in [grid]: scale must be"),
        ("tol = 1e-2", "max_seconds = 3", "[grid] has no key 'max_seconds'"),
    ],
)
def test_bad_input_is_one_sentence_about_a_key(old, new, sentence, file, capsys, tmp_path):
    assert old in file.read_text()
    file.write_text(file.read_text().replace(old, new, 1))
    assert cli.main(["sweep", str(file), "--quiet"]) == 2
    told = capsys.readouterr().err
    assert sentence in told
    assert told.count("\n") == 1
    assert not (tmp_path / "store").exists()


def test_a_file_that_is_not_there_is_named(capsys):
    assert cli.main(["sweep", "absent.toml"]) == 2
    assert capsys.readouterr().err == "cdlab: there is no file absent.toml\n"


def test_an_export_that_cannot_be_is_refused_at_once(file, capsys, tmp_path):
    assert cli.main(["sweep", str(file), "--export", "runs.xls"]) == 2
    assert "ends in .csv or .parquet" in capsys.readouterr().err
    assert not (tmp_path / "store").exists()
