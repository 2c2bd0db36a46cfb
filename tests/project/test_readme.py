"""README and docs do what they say: their snippets run, their commands work, their links lead somewhere."""

import linecache
import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from cases import pushed

import cdlab
from cdlab import cli
from cdlab.methods import METHODS
from cdlab.samplings import SAMPLINGS
from cdlab.theory.registry import forget

ROOT = Path(__file__).parents[2]
PAGES = [
    *("README.md", "CONTRIBUTING.md", "SECURITY.md", "CODE_OF_CONDUCT.md"),
    *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
]
ELSEWHERE = ("docs/sweeps.md", "docs/scale.md")  # tests/sweeps and tests/distributed run them, in folders of their own
PRINTED = {"README.md": r"^189\.\d+ dual\n.*tolerance reached", "docs/sklearn.md": "^LogisticRegression: P.w. = "}


def blocks(page, language):
    return re.findall(rf"```{language}\n(.*?)```", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL)


WITH_SNIPPETS = [page for page in PAGES if blocks(page, "python") and page not in ELSEWHERE]
WITH_COMMANDS = [
    page for page in PAGES if page not in ELSEWHERE and "\ncdlab " in "\n".join(["", *blocks(page, "bash")])
]


def run(snippet, names):
    """Compiled with its source at hand, as a file of one's own is: kernels are explained by it."""
    file = f"<snippet {abs(hash(snippet))}>"
    linecache.cache[file] = (len(snippet), None, snippet.splitlines(keepends=True), file)
    exec(compile(snippet, file, "exec"), names)


@pytest.mark.parametrize("page", pushed(WITH_SNIPPETS, "README.md", "docs/extending.md"))
def test_the_snippets_of_a_page_run_in_their_order(page, capsys):
    names = {"__name__": "own"}
    for snippet in blocks(page, "python"):
        run(snippet, names)
    assert re.search(PRINTED.get(page, r"\S"), capsys.readouterr().out, flags=re.DOTALL)
    if page == "docs/extending.md":
        is_found_by_name(names)


def is_found_by_name(own):
    """What the page makes, when it is registered as the page says."""
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


@pytest.mark.parametrize("page", pushed(WITH_COMMANDS, "README.md"))
def test_the_commands_of_a_page_run(page, capsys):
    for command in re.findall(r"^cdlab (.*)", "\n".join(blocks(page, "bash")), flags=re.MULTILINE):
        assert cli.main(shlex.split(command)) in (0, 1), command  # 1: a limit was reached
        assert capsys.readouterr().out.strip(), command


def test_there_are_exactly_two_set_up_commands():
    """.ci/run executes both, the first one in an environment made from scratch."""
    commands = [line for block in blocks("README.md", "bash") for line in block.splitlines() if "venv" in line]
    assert len(commands) == 2
    assert all(line.startswith("python3 -m venv .venv && .venv/bin/pip install -e ") for line in commands)


@pytest.mark.parametrize("page", PAGES)
def test_the_links_of_a_page_lead_somewhere(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert re.search(r"\A(---\n.*?\n---\n\n)?# ", text, re.S)  # settings of its page on the site, or none, and a title
    for target in re.findall(r"\]\((?!http)([^)\s]+)\)", text):
        path, _, section = target.replace("\\", "").partition("#")
        there = (ROOT / page).parent / path if path else ROOT / page
        assert there.exists(), target
        assert not section or section in sections(there.read_text(encoding="utf-8")), target


def sections(text):
    """What links call the headings of a page."""
    titles = re.findall(r"^#+ (.*)", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).lower().replace(" ", "-") for title in titles}
