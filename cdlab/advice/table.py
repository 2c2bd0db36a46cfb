"""The table of an advice, for people: one row for each run that differs from those above it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .ranking import Choice

COLUMNS = ("passes", "spread", "seconds", "worst", "sharp")
HEAD = ("entry", *COLUMNS, "basis")
BASIS = (  # the words of the last column
    "basis: own run, it was run here; probe, a short run of a method that walks alike; bound, the theorem's; count, of "
    "what its iterations multiply"
)


def rows(choices: Sequence[Choice]) -> list[dict[str, str]]:
    """The cells of each choice, by column."""
    return [
        {"entry": c.label, **{name: _number(getattr(c, name)) for name in COLUMNS}, "basis": "+".join(c.sources) or "-"}
        for c in choices
    ]


def lines(choices: Sequence[Choice]) -> list[str]:
    """The table as lines of text, at most 100 columns wide."""
    cells = [dict(zip(HEAD, HEAD, strict=True)), *rows(choices)]
    width = {name: max(len(row[name]) for row in cells) for name in HEAD}
    words = ("entry", "basis")
    return [
        "  ".join(
            row[name].ljust(width[name]) if name in words else row[name].rjust(width[name]) for name in HEAD
        ).rstrip()
        for row in cells
    ]


def rest(choices: Sequence[Choice], shown: Sequence[Choice], where: str) -> str:
    """What is not in the table, and where it is; empty where nothing is missing."""
    runs = len({c.runs for c in choices}) - len(shown)
    names = len(choices) - len(shown) - runs
    parts = [f"{runs} more run{'s' * (runs > 1)}"] if runs else []
    parts += [f"{names} other name{'s' * (names > 1)} for the same runs"] if names else []
    return f"and {' and '.join(parts)}; {where}" if parts else ""


def _number(value: Any) -> str:
    return "-" if value is None else f"{value:.3g}"
