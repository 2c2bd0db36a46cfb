"""What lists say of methods and samplings: facts of their classes, and what stands in for those of one's own."""

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import pytest

from cdlab.dashboard.engine import catalog
from cdlab.methods import METHODS, RCD
from cdlab.methods.listing import group_of, summary_of
from cdlab.samplings import BLOCKS, SAMPLINGS, Uniform
from cdlab.theory.registry import WITHOUT_THEOREM

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def page():
    """docs/methods.py, which writes docs/methods.md."""
    spec = importlib.util.spec_from_file_location("docs_methods", DOCS / "methods.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_shipped_class_says_what_lists_need():
    summaries = [cls.summary for cls in METHODS.values()]
    assert all(0 < len(words) <= 80 for words in summaries)
    assert len(set(summaries)) == len(METHODS)
    for name, cls in METHODS.items():
        assert cls.reference, name
        assert bool(cls.guarantee) == (name not in WITHOUT_THEOREM), name
    assert all(cls.summary.endswith(".") for cls in (*SAMPLINGS.values(), *BLOCKS.values()))


def test_the_committed_page_is_what_the_classes_say(page):
    assert page.text() == (DOCS / "methods.md").read_text(encoding="utf-8"), "run python docs/methods.py"


def test_those_of_ones_own_are_in_all_lists(page, monkeypatch):
    @dataclass(frozen=True)
    class Plain(RCD):
        name: ClassVar[str] = "plain"

    @dataclass(frozen=True)
    class Worded(RCD):
        """Steps of one's own. And more.

        Not this.
        """

        name: ClassVar[str] = "worded"
        group: ClassVar[str] = "Ours"

    @dataclass(frozen=True)
    class Drawn(Uniform):
        """Drawn by hand."""

        name: ClassVar[str] = "drawn"

    for registry, cls in ((METHODS, Plain), (METHODS, Worded), (SAMPLINGS, Drawn)):
        monkeypatch.setitem(registry, cls.name, cls)
    assert (group_of(Plain), summary_of(Plain)) == (group_of(RCD), RCD.summary)
    offered = catalog.__wrapped__()  # that of the process is kept
    methods = {each.name: each for each in offered.methods}
    assert (methods["worded"].sentence, methods["worded"].group) == ("Steps of one's own. And more.", "Ours")
    assert {each.name: each.words for each in offered.samplings}["drawn"] == "Drawn by hand."
    assert "### Ours\n" in page.text()
