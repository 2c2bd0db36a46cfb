"""The README does what it says: its snippets run, its commands work, its links lead somewhere."""

import linecache
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from cases import each_of

import cdlab
from cdlab import cli
from cdlab.methods import METHODS
from cdlab.samplings import SAMPLINGS
from cdlab.theory.registry import forget

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, flags=re.DOTALL)


def blocks(language):
    return [code for name, code in BLOCKS if name == language]


def run(snippet, names):
    """Compiled with its source at hand, as a file of one's own is: kernels are explained by it."""
    file = f"<README snippet {abs(hash(snippet))}>"
    linecache.cache[file] = (len(snippet), None, snippet.splitlines(keepends=True), file)
    exec(compile(snippet, file, "exec"), names)


def test_the_ten_lines_run(capsys):
    run(blocks("python")[0], {})
    printed = capsys.readouterr().out
    assert re.match(r"189\.\d+ dual\n", printed)
    assert "tolerance reached" in printed


def test_what_is_ones_own_is_made_checked_and_found_by_name(capsys):
    """The snippets after the first (of certify, and of "Make it yours") run in this order; names are as they say."""
    own = {"__name__": "own"}
    for snippet in blocks("python")[1:]:
        run(snippet, own)
    assert r"\gamma" in capsys.readouterr().out
    for register, made in (
        (cdlab.losses.register, "TooLow"),
        (cdlab.samplings.register, "RootNorms"),
        (cdlab.methods.register, "Damped"),
    ):
        register(own[made])
    cdlab.theory.register(own["theorem"])
    try:
        assert cdlab.theory.bound("damped").method == "damped"
        P = cdlab.Problem(np.eye(3), [1.0, 2.0, 3.0], loss="too_low", l2=0.1)
        assert cdlab.solve(P, "damped@root_norms", tol=1e-6, max_passes=500).status == "tolerance reached"
    finally:
        for registry, name in ((METHODS, "damped"), (SAMPLINGS, "root_norms"), (cdlab.losses.LOSSES, "too_low")):
            del registry[name]
        forget("damped")


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


@each_of("target", re.findall(r"\]\((?!http)([^)]+)\)", README))
def test_links_lead_somewhere(target):
    assert (ROOT / target.replace("\\", "")).exists()


@each_of("name", [*METHODS, *SAMPLINGS])
def test_every_method_and_sampling_is_mentioned(name):
    assert f"`{name}" in README
