"""The README does what it says: its snippets run, its commands work, its links lead somewhere."""

import re
import shlex
from pathlib import Path

import pytest

from cdlab import cli
from cdlab.methods import METHODS
from cdlab.samplings import SAMPLINGS

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, flags=re.DOTALL)


def blocks(language):
    return [code for name, code in BLOCKS if name == language]


def test_the_python_snippets_run(capsys):
    (snippet,) = blocks("python")
    exec(compile(snippet, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert re.match(r"189\.\d+ dual\n", printed)
    assert "tolerance reached" in printed


@pytest.mark.parametrize(
    "command", [line for block in blocks("bash") for line in block.splitlines() if line.startswith("cdlab ")]
)
def test_the_commands_run(command, capsys):
    words = shlex.split(command)
    assert cli.main(words[1:]) in (0, 1)  # 1: a limit was reached
    assert capsys.readouterr().out.strip()


def test_there_are_exactly_two_set_up_commands():
    """.ci/run executes both, the first one in an environment made from scratch."""
    commands = [line for block in blocks("bash") for line in block.splitlines() if "venv" in line]
    assert len(commands) == 2
    assert all(line.startswith("python3 -m venv .venv && .venv/bin/pip install -e ") for line in commands)


@pytest.mark.parametrize("target", re.findall(r"\]\((?!http)([^)]+)\)", README))
def test_links_lead_somewhere(target):
    assert (ROOT / target.replace("\\", "")).exists()


@pytest.mark.parametrize("name", [*METHODS, *SAMPLINGS])
def test_every_method_and_sampling_is_mentioned(name):
    assert f"`{name}" in README
