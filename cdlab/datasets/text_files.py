"""Text files that may be compressed: opening them, and naming the line that is wrong."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeVar

COMPRESSED = (".gz", ".bz2", ".xz")
BUFFER_BYTES = 1 << 18
_FIRST_BYTES = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ": ".xz", b"PK\x03\x04": ".npz"}

Line = TypeVar("Line")


class Fault(NamedTuple):
    """What is wrong in a line, and in which column, where that is known."""

    words: str
    column: str | int | None = None


def faulty_line(path: Path, lines: Iterable[tuple[int, Line]], fault: Callable[[Line], Fault | None]) -> str:
    """A sentence about the first of these numbered lines with a fault, "data.csv, line 3, column age: ..."; or ""."""
    for number, line in lines:
        if found := fault(line):
            column = "" if found.column is None else f", column {found.column}"
            return f"{path}, line {number}{column}: {found.words}"
    return ""


def is_number(token: str, kind: type = float) -> bool:
    """Whether a file's token is a number: as Python reads it, but 1_0, which other readers refuse, is none."""
    try:
        kind(token)
    except ValueError:
        return False
    return "_" not in token


def suffix_of_content(head: bytes) -> str:
    """The suffix that fits the first bytes of a file ("" for anything but gzip, bzip2, xz and zip)."""
    return next((suffix for start, suffix in _FIRST_BYTES.items() if head.startswith(start)), "")


def check_readable(path: Path) -> None:
    """Refuse what is not a file with something in it.

    Raises
    ------
    ValueError, FileNotFoundError
    """
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file in it")
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}")
    if path.is_file() and path.stat().st_size == 0:  # a pipe has no size
        raise ValueError(f"{path} is empty (0 bytes)")


@contextmanager
def open_bytes(path: Path) -> Iterator[BinaryIO]:
    """Open `path` for reading bytes, decompressed on the fly where its suffix is .gz, .bz2 or .xz.

    Raises
    ------
    ValueError, OSError
        In one sentence for each way in which a file can be unreadable.
    """
    import bz2
    import gzip
    import lzma

    check_readable(path)
    openers: dict[str, Callable] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    try:
        # The compressed readers find their lines in slow Python, a BufferedReader in C.
        with openers.get(path.suffix, open)(path, "rb") as raw, io.BufferedReader(raw, BUFFER_BYTES) as stream:
            yield stream
    except EOFError:
        raise ValueError(
            f"{path} is cut short: its compressed data end before their end mark; copy or download it again"
        ) from None
    except (OSError, zlib.error, lzma.LZMAError) as error:
        if getattr(error, "errno", None) is not None:  # permission, disk, ...: the system's own sentence is the best
            raise
        raise ValueError(f"{path} is damaged, or is not a {path.suffix} file; copy or download it again") from None
