"""The page about sweeps does what it says."""

import re
from pathlib import Path

import pandas as pd
import pytest

from cdlab import cli

PAGE = (Path(__file__).parents[2] / "docs" / "sweeps.md").read_text()


def block(language):
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE, flags=re.DOTALL)
    return found


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.full
def test_the_snippet_and_the_file_are_the_same_grid(here, capsys):
    exec(block("python"), {})
    assert "quartz" in capsys.readouterr().out
    Path("grid.toml").write_text(block("toml"))
    assert cli.main(["sweep", "grid.toml", "--dry-run", "--quiet", "--json"]) == 0
    assert '"runs": 18, "finished": 18' in capsys.readouterr().out
    assert cli.main(["sweep", "grid.toml", "--quiet", "--export", "runs.csv"]) == 0
    assert len(pd.read_csv("runs.csv")) == 18
