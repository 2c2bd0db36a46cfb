"""Checkpoints of a run: each part writes a file after each round, of its own and of what all share.

Files have two generations, by turns, so that a kill between those of two parts leaves a round that all have.
"""

from __future__ import annotations

import contextlib
import json
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any

import numpy as np

from ..numerics import files

UNREADABLE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error)  # what was cut off


def write(folder: Path, name: str, at: int, about: dict[str, Any], **arrays: Any) -> None:
    """Write what `name` has after this round, down to the disk, in place of what it had two rounds before."""
    folder.mkdir(parents=True, exist_ok=True)
    with files.atomic_write(_path(folder, name, at)) as file:
        np.savez(file, about=json.dumps({"round": at, **about}), **arrays)
        file.flush()
        os.fsync(file.fileno())


def rounds(folder: Path, name: str) -> set[int]:
    """The rounds of which `name` can be read."""
    found = set()
    for generation in (0, 1):
        with contextlib.suppress(*UNREADABLE):
            found.add(read(folder, name, generation)[0]["round"])
    return found


def read(folder: Path, name: str, at: int) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """What `name` had after this round."""
    with _path(folder, name, at).open("rb") as file, np.load(file, allow_pickle=False) as archive:
        arrays = {name: archive[name] for name in archive.files}
    return json.loads(arrays.pop("about").item()), arrays


def _path(folder: Path, name: str, at: int) -> Path:
    return folder / f"{name}.{at % 2}.npz"
