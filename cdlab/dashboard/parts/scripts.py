"""The JavaScript of components."""

from pathlib import Path

HERE = Path(__file__).parent


def script(path: Path) -> str:
    """The text of a module, with what dom.js defines before it."""
    return "\n".join(part.read_text(encoding="utf-8") for part in (HERE / "dom.js", path))
