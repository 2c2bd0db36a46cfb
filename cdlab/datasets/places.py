"""Places of data files: the CDLAB_DATA folder, the bundled folder, the cache folder, a public address."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from ..numerics import files
from .catalogue import CATALOGUE, describe

COMPRESSED = (".gz", ".bz2", ".xz")
_TEXT = ("", ".libsvm", ".svm", ".txt", ".csv", ".tsv")
SUFFIXES = (".npz", *(kind + packed for kind in _TEXT for packed in ("", *COMPRESSED)))
BUNDLED = Path(__file__).parent / "bundled"


class Listing(NamedTuple):
    """One line of `names()`; `where` is "CDLAB_DATA", "bundled", "cache", "fetch" or "unavailable"."""

    name: str
    n: int
    d: int
    where: str


def at_home(path: str | os.PathLike[str]) -> Path:
    """The path, with ~ and ~name replaced by a home folder.

    Raises
    ------
    ValueError
        If there is no such user.
    """
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise ValueError(f"{path}: no home folder is known for {Path(path).parts[0]}") from None


def data_folder() -> Path | None:
    """The folder that CDLAB_DATA names, or None if the variable is not set."""
    value = os.environ.get("CDLAB_DATA", "")
    if not value:
        return None
    folder = at_home(value)
    if not folder.is_dir():
        raise ValueError(f"CDLAB_DATA is {value!r}, which is not a folder: point it at one, or unset it")
    return folder


def cache_folder() -> Path:
    """The folder of downloads: ``data`` in the folder of `numerics.files.cache_folder`."""
    return files.cache_folder() / "data"


def find(folder: Path | None, stem: str) -> Path | None:
    """The file of `folder` that is `stem` with one of the known suffixes (or none), or None."""
    candidates = (folder / (stem + suffix) for suffix in SUFFIXES) if folder else ()
    return next((path for path in candidates if path.is_file()), None)


def locate(stem: str) -> tuple[str, Path | None]:
    """The first place that holds `stem`, and the file: CDLAB_DATA, then bundled, then the cache; else ("", None)."""
    for where, folder in (("CDLAB_DATA", data_folder()), ("bundled", BUNDLED), ("cache", cache_folder())):
        if path := find(folder, stem):
            return where, path
    return "", None


def where(name: str) -> str:
    """The place that `load(name)` would take the known set from."""
    entry = describe(name)
    return locate(entry.stem)[0] or ("fetch" if entry.download else "unavailable")


def names() -> list[Listing]:
    """The known data sets, each with n (train part), d and the place `load` would take it from.

    Returns
    -------
    list of Listing
        ``(name, n, d, where)``; `where` is the first that applies of "CDLAB_DATA" (in the folder which that environment
        variable names), "bundled", "cache" (downloaded before), "fetch" (`load` would download it) and "unavailable"
        (no public address: only CDLAB_DATA can provide it).

    Examples
    --------
    >>> {name: (n, d) for name, n, d, where in names()}["mushrooms"]
    (8124, 112)
    """
    return [Listing(entry.name, entry.n, entry.d, where(entry.name)) for entry in CATALOGUE.values()]
