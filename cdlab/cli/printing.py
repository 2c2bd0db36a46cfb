"""Numbers and tables for people, JSON for programs."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..numerics.checks import shorten_long_words
from ..numerics.json_numbers import null_non_finite

CELL = 100  # characters of a word in a table


def number(value: Any) -> str:
    """A number with six significant digits; "-" for None, NaN and infinity."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "-"
    if isinstance(value, float):
        return f"{value + 0.0:.6g}"  # -0.0 + 0.0 is 0.0
    return shorten_long_words(str(value), CELL)


def table(names: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """A table as text: the columns `names` of `rows` under their names, words to the left, numbers to the right."""
    rows = list(rows)
    lines = []
    words = {name for name in names if any(isinstance(row[name], str) for row in rows)}
    cells = [dict(zip(names, names, strict=True)), *({name: number(row[name]) for name in names} for row in rows)]
    width = {name: max(len(line[name]) for line in cells) for name in names}
    for line in cells:
        padded = (line[name].ljust(width[name]) if name in words else line[name].rjust(width[name]) for name in names)
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def to_json(value: Any) -> str:
    """A value as JSON text. JSON has neither NaN nor infinity: they are null."""
    return json.dumps(null_non_finite(value), allow_nan=False)
