"""Solutions as files: an NPZ archive of w and alpha, and of one line of JSON with the rest. No pickles."""

from __future__ import annotations

import json
import os
import struct
import zipfile
import zlib
from pathlib import Path
from typing import IO, Any

import numpy as np

from .trace import Trace

KIND, VERSION = "cdlab solution", 1
DAMAGED = (  # what reading a file that was not written here, or was changed since, can raise
    ValueError, TypeError, KeyError, EOFError, RecursionError, MemoryError, RuntimeError,
    zipfile.BadZipFile, zlib.error, struct.error,
)  # fmt: skip
LARGEST_ABOUT = 1 << 28  # bytes of JSON: a trace of a million records


def write(path: str | os.PathLike, arrays: dict[str, np.ndarray], about: dict[str, Any], trace: Trace) -> None:
    """Write everything, or leave what was there: the file is renamed when it is whole."""
    path = Path(path)
    content = {"file": KIND, "version": VERSION, **about, "trace": trace.to_plain()}
    text = json.dumps(content, allow_nan=False)
    unfinished = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with open(unfinished, "wb") as file:
            np.savez_compressed(file, **arrays, about=np.frombuffer(text.encode(), np.uint8))
        os.replace(unfinished, path)
    except OSError as error:  # the name that the caller gave, not the one it has until it is whole
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        unfinished.unlink(missing_ok=True)


def read(path: str | os.PathLike) -> tuple[dict[str, np.ndarray], dict[str, Any], Trace]:
    """What `write` was given.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If it is no such file, in a sentence that says what is wrong in it.
    """
    try:
        with open(path, "rb") as file:
            archive = _archive(file)
            if "about" not in archive.files:
                raise ValueError("it has no part named about")
            if archive.zip.getinfo("about.npy").file_size > LARGEST_ABOUT:
                raise ValueError("its description is longer than any that is written")
            content = json.loads(archive["about"].tobytes())
            if not isinstance(content, dict) or content.get("file") != KIND:
                raise ValueError("it is something else")
            if content.get("version") != VERSION:
                raise ValueError(f"it has version {content.get('version')!r}, and this cdlab reads {VERSION}")
            arrays = {name: _numbers(name, archive[name]) for name in ("w", "alpha")}
        return arrays, content, Trace.from_plain(content.get("trace"))
    except DAMAGED as error:
        what = f"it has no {error.args[0]}" if isinstance(error, KeyError) and error.args else str(error)
        raise ValueError(f"{path} is not a solution saved by cdlab: {what}") from None


def _archive(file: IO[bytes]) -> np.lib.npyio.NpzFile:
    """The parts of an NPZ file; they are read from the open file."""
    if not zipfile.is_zipfile(file):
        raise ValueError("it is no archive")
    file.seek(0)
    return np.load(file, allow_pickle=False)


def number(content: dict[str, Any], name: str) -> float:
    """A number of the description, as `trace.plain` writes it."""
    value = content.get(name)
    if isinstance(value, str) and value in ("inf", "nan"):
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"its {name} is {value!r}, not a number")
    return float(value)


def _numbers(name: str, x: np.ndarray) -> np.ndarray:
    if x.dtype != np.float64 or x.ndim not in (1, 2):
        raise ValueError(f"its {name} is no vector or matrix of float64")
    return x
