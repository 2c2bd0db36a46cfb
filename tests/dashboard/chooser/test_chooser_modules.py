"""The modules of the chooser: their own tests, in node, and what Panel is given."""

import subprocess
from pathlib import Path

import pytest

from cdlab.dashboard.chooser.component import Chooser
from cdlab.dashboard.chooser.story_bar import StoryBar

HERE = Path(__file__).parent


def node() -> str:
    """The one that playwright brings along."""
    playwright = pytest.importorskip("playwright")
    (found, *_) = (Path(playwright.__file__).parent / "driver").glob("node*")
    return str(found)


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("*.test.mjs")))
def test_in_node(name):
    done = subprocess.run([node(), "--test", HERE / name], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("component", [Chooser, StoryBar])
def test_joined_they_are_one_module_that_asks_for_nothing(component):
    text = component._esm
    assert "\nimport " not in text
    assert text.count("\nexport ") == 1
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
