"""Where node is."""

from pathlib import Path

import pytest


def node() -> str:
    """The one that playwright brings along."""
    playwright = pytest.importorskip("playwright")
    (found, *_) = (Path(playwright.__file__).parent / "driver").glob("node*")
    return str(found)
