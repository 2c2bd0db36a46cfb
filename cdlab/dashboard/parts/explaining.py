"""How words that explain themselves look, in every component that has some; see `explain.js`."""

from __future__ import annotations

from functools import cache
from pathlib import Path

HERE = Path(__file__).parent


@cache
def css() -> str:
    """Their style sheet."""
    return (HERE / "explain.css").read_text(encoding="utf-8")
