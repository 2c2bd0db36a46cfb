"""The JavaScript of components."""

from pathlib import Path

HERE = Path(__file__).parent


def script(name: str) -> str:
    """The text of a module of this folder, with what dom.js defines before it."""
    return "\n".join((HERE / part).read_text(encoding="utf-8") for part in ("dom.js", name))
