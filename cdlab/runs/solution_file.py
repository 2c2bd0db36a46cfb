"""Solutions as files: an NPZ archive of w and alpha, and of one line of JSON with the rest. No pickles."""

from __future__ import annotations

import json
import os
import struct
import zipfile
import zlib
from typing import IO, Any

import numpy as np

from ..numerics import checks, files
from ..numerics.json_numbers import is_json_number
from .trace import Trace

KIND, VERSION = "cdlab solution", 1
DAMAGED = (  # what reading a file that was not written here, or was changed since, can raise
    ValueError, TypeError, KeyError, EOFError, RecursionError, MemoryError, RuntimeError,
    zipfile.BadZipFile, zlib.error, struct.error,
)  # fmt: skip
LARGEST_ABOUT = 1 << 28  # bytes of JSON: a trace of a million records


def write(path: str | os.PathLike[str], arrays: dict[str, np.ndarray], about: dict[str, Any], trace: Trace) -> None:
    """Write everything, or leave what was there."""
    content = {"file": KIND, "version": VERSION, **about, "trace": trace.to_plain()}
    text = json.dumps(content, allow_nan=False)
    with files.atomic_write(checks.file_name("path", path)) as file:
        parts: dict[str, Any] = {**arrays, "about": np.frombuffer(text.encode(), np.uint8)}
        np.savez_compressed(file, **parts)


def read(path: str | os.PathLike[str]) -> tuple[dict[str, np.ndarray], dict[str, Any], Trace]:
    """The arrays, the description and the trace that `write` was given.

    Raises
    ------
    OSError
        If the file cannot be opened.
    TypeError, ValueError
        If `path` is no name of a file, or it is not such a file, in a sentence that says what is wrong in it.
    """
    path = checks.file_name("path", path)
    if path.is_dir():
        raise ValueError(f"{path} is a folder, and a solution is a file")
    with open(path, "rb") as file:
        try:
            return _parsed(file)
        except (*DAMAGED, OSError) as error:  # a damaged directory sends the reader to places before the file's start
            what = f"it has no {error.args[0]}" if isinstance(error, KeyError) and error.args else str(error)
            raise ValueError(f"{path} is not a solution saved by cdlab: {what}") from None


def _parsed(file: IO[bytes]) -> tuple[dict[str, np.ndarray], dict[str, Any], Trace]:
    archive = _archive(file)
    if "about" not in archive.files:
        raise ValueError("it has no part named about")
    parts: Any = archive.zip  # open, as the archive is
    if parts.getinfo("about.npy").file_size > LARGEST_ABOUT:
        raise ValueError("its description is longer than any that is written")
    content = json.loads(archive["about"].tobytes())
    if not isinstance(content, dict) or content.get("file") != KIND:
        raise ValueError("it is something else")
    if content.get("version") != VERSION:
        raise ValueError(f"it has version {content.get('version')!r}, and this cdlab reads {VERSION}")
    arrays = {name: _numbers(name, archive[name]) for name in ("w", "alpha")}
    return arrays, content, Trace.from_plain(content.get("trace"))


def _archive(file: IO[bytes]) -> np.lib.npyio.NpzFile:
    """The parts of an NPZ file; they are read from the open file."""
    if not zipfile.is_zipfile(file):
        raise ValueError("it is not an archive")
    file.seek(0)
    return np.load(file, allow_pickle=False)


def number(content: dict[str, Any], name: str) -> float:
    """A number of the description, as `json_numbers.to_json_number` writes it."""
    value: Any = content.get(name)
    if not is_json_number(value):
        raise ValueError(f"its {name} is {checks.short_repr(value)}, not a number")
    return float(value)


def number_or_vector(content: dict[str, Any], name: str) -> float | np.ndarray:
    """A number of the description, or where it is a list the vector of its numbers."""
    value = content.get(name)
    return np.array([number({name: x}, name) for x in value]) if isinstance(value, list) else number(content, name)


def _numbers(name: str, x: np.ndarray) -> np.ndarray:
    if x.dtype != np.float64 or x.ndim not in (1, 2):
        raise ValueError(f"its {name} is not a vector or matrix of float64")
    return x
