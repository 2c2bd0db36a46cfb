"""Where node is."""

from pathlib import Path

import playwright


def node() -> str:
    """The one that playwright's wheel brings along."""
    (found, *_) = (Path(playwright.__file__).parent / "driver").glob("node*")
    return str(found)
