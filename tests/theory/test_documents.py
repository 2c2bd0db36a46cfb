"""docs/theorems.md is what its generator writes, and every formula of a theorem is in it."""

import importlib.util
from pathlib import Path

import pytest

from cdlab.theory import registry

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("docs_theorems", ROOT / "docs" / "theorems.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def page(generator):
    return generator.text()


def test_the_committed_page_is_what_the_objects_say(page):
    assert page == (ROOT / "docs" / "theorems.md").read_text(encoding="utf-8"), "run python docs/theorems.py"


def test_each_distinct_formula_is_printed(page):
    """Bounds that share a name need not share a formula: SPDC's distance by Theorem 2 is not that by Theorem 1."""
    for b in registry.all_theorems():
        shown = b.per("passes") if b.counts else b
        section = page.partition(f"\n## {b.method}\n")[2].partition("\n## ")[0]
        entries = [entry for entry in section.split("\n**") if entry.lstrip("*").startswith(f"{b.theorem}**")]
        about = [entry for entry in entries if shown.latex() in entry and b.source in entry]
        assert about, b
        if b.sampling not in ("none", "any"):
            named = [entry.partition(" sampling.")[0].partition("**, ")[2].split(", ") for entry in about]
            assert any(b.sampling in names for names in named), b
        assert all(line in about[0] for line in shown.latex_definitions()) or len(about) > 1, b


def test_the_page_says_what_of_the_papers_is_out(page):
    without = page.partition("\n## No theorem\n")[2].partition("\n## ")[0]
    assert all(f"- {method}: {why}." in without for method, why in registry.WITHOUT_THEOREM.items())
    assert "any g that is strongly convex in some norm" in " ".join(without.split())
