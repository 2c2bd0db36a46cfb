"""The sentences of the page: templates over numbers, from the table that the WebAssembly engine reads, too."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from .numbers import spoken

TABLE = Path(__file__).with_name("words.json")
COUNTS = ("No", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine")


@cache
def templates() -> dict[str, str]:
    return json.loads(TABLE.read_text(encoding="utf-8"))


def sentence_of(key: str, numbers: Mapping[str, float | str]) -> str:
    """The sentence with this key, its places filled with numbers as people write them."""
    text = templates()[key].format_map({name: spoken(value) for name, value in numbers.items()})
    return text[:1].upper() + text[1:] if text[:1].isalpha() and key.startswith("importance") else text


def spelled(count: int) -> str:
    """A count at the beginning of a sentence.

    >>> spelled(3), spelled(12)
    ('Three', '12')
    """
    return COUNTS[count] if count < len(COUNTS) else f"{count:,}"
