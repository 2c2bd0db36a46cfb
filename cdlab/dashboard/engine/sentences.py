"""The sentences of the page: templates over numbers, from the table that the WebAssembly engine reads, too."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from ...numerics.written_numbers import spoken

TABLE = Path(__file__).with_name("words.json")


@cache
def templates() -> dict[str, str]:
    return json.loads(TABLE.read_text(encoding="utf-8"))


def sentence_of(key: str, numbers: Mapping[str, float | str]) -> str:
    """The sentence with this key, its places filled with numbers as people write them."""
    return templates()[key].format_map({name: spoken(value) for name, value in numbers.items()})
