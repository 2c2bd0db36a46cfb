"""Data in files that several processes map into memory: they travel once, and stand in memory once."""

from __future__ import annotations

import json
import shutil
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..numerics.files import atomic_write, explain_errors
from .data import Arrays, Source, parts_of
from .locks import Lock

OWNER = "owner.lock"
ABOUT = "about.json"


@dataclass(frozen=True)
class Mapped:
    """X and y of a folder that `SharedFiles` wrote."""

    token: str

    def arrays(self) -> Arrays:
        """The arrays, mapped: read as they are used, and copied where they are written to."""
        folder = Path(self.token)
        about = json.loads((folder / ABOUT).read_text(encoding="utf-8"))
        # "c": numba compiles other kernels for arrays that may not be written to; a plain array of a mapped one is one
        parts = {name: np.asarray(np.load(folder / f"{name}.npy", mmap_mode="c")) for name in about["parts"]}
        y = parts.pop("y")
        if "X" in parts:
            return parts["X"], y
        X = sp.csr_matrix((parts["data"], parts["indices"], parts["indptr"]), shape=about["shape"], copy=False)
        X.has_canonical_format = True
        return X, y


class SharedFiles:
    """A folder of a process for the data of its workers, which goes with the process.

    Parameters
    ----------
    root : Path
        The folder of such folders.
    """

    def __init__(self, root: Path) -> None:
        self._folder = root / uuid.uuid4().hex
        self._written: dict[Any, Mapped] = {}

    def mapped(self, source: Source, arrays: Arrays) -> Mapped:
        """The data of a source, written when they are asked for first."""
        if source.token not in self._written:
            if not self._written:
                self._folder.mkdir(parents=True)
                Lock(self._folder / OWNER).take()
            self._written[source.token] = self._write(*arrays)
        return self._written[source.token]

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _write(self, X: np.ndarray | sp.csr_matrix, y: np.ndarray) -> Mapped:
        folder = self._folder / str(len(self._written))
        folder.mkdir()
        parts = {**parts_of(X), "y": y}
        for name, array in parts.items():
            with explain_errors(path := folder / f"{name}.npy", needed=array.nbytes):
                np.save(path, array, allow_pickle=False)
        about = {"parts": list(parts), "shape": list(X.shape)}
        with atomic_write(folder / ABOUT) as file:
            file.write(json.dumps(about).encode())
        return Mapped(str(folder))


def tidy(root: Path) -> None:
    """Remove the folders whose process is gone."""
    for folder in root.iterdir() if root.is_dir() else ():
        owner = Lock(folder / OWNER)
        if not owner.alive and owner.path.exists():  # without an owner it is being made just now
            shutil.rmtree(folder, ignore_errors=True)
