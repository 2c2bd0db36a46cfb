"""How the page looks, light and dark: style sheets, read once."""

from __future__ import annotations

from functools import cache
from pathlib import Path

HERE = Path(__file__).parent


@cache
def css() -> str:
    """Of texts and tables."""
    return (HERE / "style.css").read_text(encoding="utf-8")


@cache
def tab_names() -> str:
    """Of the names of the tabs, and the room that closed ones take."""
    return (HERE / "tabs.css").read_text(encoding="utf-8")


@cache
def theme() -> str:
    """The colours, by name, which all others refer to."""
    return (HERE / "theme.css").read_text(encoding="utf-8")


@cache
def present() -> str:
    """What is shown on a projector, and how large."""
    return (HERE / "present.css").read_text(encoding="utf-8")
