"""Which format a file has: by its suffix, in capitals or not, or by its first lines."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Literal

from .text_files import COMPRESSED, is_number, open_bytes

Format = Literal["npz", "table", "libsvm"]

TABLES = (".csv", ".tsv")
TEXTS = (".libsvm", ".svm", ".txt", ".data", *TABLES)
SUFFIXES = (".npz", *(text + packed for text in ("", *TEXTS) for packed in ("", *COMPRESSED)))
MAX_HEAD_LINES, MAX_HEAD_BYTES = 20, 4096  # that are read of a file to see what it may be
_PAIR = re.compile(r"(^|\s)[^\s:,;]+:[^\s:,;]*(\s|$)")


def unpacked_name(path: Path) -> tuple[str, str]:
    """The file's name without .gz, .bz2 or .xz, and that suffix."""
    packed = path.suffix if path.suffix.lower() in COMPRESSED else ""
    return path.name.removesuffix(packed), packed


def named_format(path: Path) -> Format | None:
    """The format that a file's suffix names; None if it names none, as .txt, .data and no suffix."""
    name = unpacked_name(path)[0].lower()
    if path.suffix.lower() == ".npz":
        return "npz"
    return "table" if name.endswith(TABLES) else "libsvm" if name.endswith((".libsvm", ".svm")) else None


def format_of(path: Path) -> Format:
    """The format that a file's suffix names, else that of its first lines; what a pipe gives is LIBSVM text."""
    if (named := named_format(path)) is not None or not path.is_file():
        return named or "libsvm"
    return _sniffed(path, path.stat().st_mtime_ns, path.stat().st_size)


def is_table(path: Path) -> bool:
    """Tell whether a file holds CSV or TSV text."""
    return format_of(path) == "table"


def head_of(path: Path) -> list[str]:
    """The first lines of a text file that are not empty, without comments; [] if they cannot be read."""
    try:
        with open_bytes(path) as stream:
            read = islice(iter(lambda: stream.readline(MAX_HEAD_BYTES), b""), MAX_HEAD_LINES)
            lines = [line.decode().partition("#")[0].strip() for line in read]
    except (OSError, ValueError):
        return []
    return [line for line in lines if line]


@lru_cache(maxsize=256)
def _sniffed(path: Path, changed: int, size: int) -> Format:
    """LIBSVM text has pairs, a table a number beside something else; when it was changed is part of the cache key."""
    lines = head_of(path)
    if any(map(_PAIR.search, lines)):
        return "libsvm"
    rows = [re.split(r"\s*[\s,;]\s*", line) for line in lines[:3]]
    return "table" if any(len(row) > 1 and any(map(is_number, row)) for row in rows) else "libsvm"
