"""Opening plain and compressed files, with one sentence for each way in which a file can be unreadable."""

from __future__ import annotations

import io
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

_MAGIC = {b"\x1f\x8b": ".gz", b"BZh": ".bz2", b"\xfd7zXZ": ".xz", b"PK\x03\x04": ".npz"}


def looks_like(head: bytes) -> str:
    """The suffix that fits the first bytes of a file ("" for anything but gzip, bzip2, xz and zip)."""
    return next((suffix for magic, suffix in _MAGIC.items() if head.startswith(magic)), "")


def is_number(token: str, kind: type = float) -> bool:
    """Whether a file's token is a number: as Python reads it, but 1_0, which other readers refuse, is none."""
    try:
        kind(token)
    except ValueError:
        return False
    return "_" not in token


def check_readable(path: Path) -> None:
    """Refuse what is not a file with something in it."""
    if path.is_dir():
        raise ValueError(f"{path} is a folder; name a file in it")
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}")
    if path.is_file() and path.stat().st_size == 0:  # a pipe has no size
        raise ValueError(f"{path} is empty (0 bytes)")


@contextmanager
def reading(path: Path) -> Iterator[BinaryIO]:
    """Open `path` for reading bytes, decompressed on the fly where its suffix is .gz, .bz2 or .xz."""
    import bz2
    import gzip
    import lzma

    check_readable(path)
    openers: dict[str, Callable] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}
    try:
        # The compressed readers find their lines in slow Python, a BufferedReader in C.
        with openers.get(path.suffix, open)(path, "rb") as raw, io.BufferedReader(raw, 1 << 18) as stream:
            yield stream
    except EOFError:
        raise ValueError(
            f"{path} is cut short: its compressed data end before their end mark; copy or download it again"
        ) from None
    except (OSError, zlib.error, lzma.LZMAError) as error:
        if getattr(error, "errno", None) is not None:  # permission, disk, ...: the system's own sentence is the best
            raise
        raise ValueError(f"{path} is damaged, or is not a {path.suffix} file; copy or download it again") from None
