"""Text files that may be compressed: opening them, and naming the line that is wrong."""

from __future__ import annotations

import codecs
import io
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from ..numerics.files import check_is_file

COMPRESSED = (".gz", ".bz2", ".xz")
BUFFER_BYTES = 1 << 18
_FIRST_BYTES = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ": ".xz", b"PK\x03\x04": ".npz"}
FORMATS = {  # that hold no table or matrix which is read here
    b"PAR1": "a Parquet file",
    b"ARROW1": "a Feather file",
    b"\x89HDF": "an HDF5 file",
    b"\x93NUMPY": "an NPY file",
    b"\xd0\xcf\x11\xe0": "an Excel file",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
    b"GIF8": "a picture",
    b"%PDF": "a PDF file",
}
HEAD_BYTES = 16
TABLES_ELSEWHERE = ("an Excel file", "a Parquet file", "a Feather file")

Line = TypeVar("Line")


class Fault(NamedTuple):
    """Fault in a line, and its column, where that is known."""

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
    """Tell whether a file's token is a number: as Python reads it, but 1_0, which other readers refuse, is none."""
    try:
        kind(token)
    except ValueError:
        return False
    return "_" not in token


def suffix_of_content(head: bytes) -> str:
    """The suffix that fits the first bytes of a file ("" for anything but gzip, bzip2, xz and zip)."""
    return next((suffix for start, suffix in _FIRST_BYTES.items() if head.startswith(start)), "")


def check_format(path: Path) -> None:
    """Refuse a file of a known format that is not read here, by what it holds: its name may lie.

    Raises
    ------
    ValueError
        What it is, and which formats are read.
    """
    if not path.is_file():  # what a pipe has given, it does not give again
        return
    with path.open("rb") as file:
        head = file.read(HEAD_BYTES)
    found = next((words for start, words in FORMATS.items() if head.startswith(start)), "")
    if suffix_of_content(head) == ".npz":
        found = _zip_format(path)
    if found:
        cure = "save its table as CSV; " if found in TABLES_ELSEWHERE else ""
        raise ValueError(f"{path} is {found}: {cure}CSV, TSV, LIBSVM text and NPZ are read")


def _zip_format(path: Path) -> str:
    """Return what a zip archive is, that is not an NPZ file; "" for one, and for a damaged archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, NotImplementedError):
        return "an Excel file" if path.suffix.startswith(".xls") else ""
    if any(name.endswith(".npy") for name in names):
        return ""
    return "an Excel file" if any(name.startswith("xl/") for name in names) else "a ZIP archive"


def check_readable(path: Path) -> None:
    """Refuse what is not a file with something in it.

    Raises
    ------
    ValueError, FileNotFoundError
    """
    check_is_file(path, "a data set")
    if path.is_file() and path.stat().st_size == 0:  # a pipe has no size
        raise ValueError(f"{path} is empty (0 bytes)")


class _UTF16(io.RawIOBase):
    """UTF-16 text as bytes of UTF-8."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._text, self._left = io.TextIOWrapper(stream, "utf-16", newline=""), b""

    def readable(self) -> bool:
        return True

    def readinto(self, into: Any) -> int:
        self._left = self._left or self._text.read(BUFFER_BYTES).encode()
        size = min(len(into), len(self._left))
        into[:size], self._left = self._left[:size], self._left[size:]
        return size


def _as_utf8(stream: io.BufferedReader) -> io.BufferedReader:
    """The text of a stream without the mark that it may begin with, which Excel and PowerShell write."""
    if stream.peek(3)[:3] == codecs.BOM_UTF8:
        stream.read(3)
    is_utf16 = stream.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
    return io.BufferedReader(_UTF16(stream), BUFFER_BYTES) if is_utf16 else stream


def openers() -> dict[str, Callable]:
    """Return what opens a compressed file, or a stream of one, by its suffix."""
    import bz2
    import gzip
    import lzma

    return {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}


@contextmanager
def open_bytes(path: Path) -> Iterator[io.BufferedReader]:
    """Open `path` for reading bytes, decompressed on the fly where its suffix is .gz, .bz2 or .xz; UTF-16 as UTF-8.

    Raises
    ------
    ValueError, OSError
        In one sentence for each way in which a file can be unreadable.
    """
    import lzma

    check_readable(path)
    check_format(path)
    try:
        # The compressed readers find their lines in slow Python, a BufferedReader in C.
        with (
            openers().get(path.suffix.lower(), open)(path, "rb") as raw,
            io.BufferedReader(raw, BUFFER_BYTES) as stream,
            _as_utf8(stream) as text,
        ):
            yield text
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is not {error.encoding.upper()} text, as which it begins") from None
    except EOFError:
        raise ValueError(
            f"{path} is cut short: its compressed data end before their end mark; copy or download it again"
        ) from None
    except (OSError, zlib.error, lzma.LZMAError) as error:
        if getattr(error, "errno", None) is not None:  # permission, disk, ...: the system's own sentence is the best
            raise
        raise ValueError(f"{path} is damaged, or is not a {path.suffix} file; copy or download it again") from None
