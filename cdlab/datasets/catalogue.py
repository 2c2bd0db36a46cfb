"""The data sets that have names: what each one is (catalogue.toml), and which file of which folder holds it."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from glob import escape
from pathlib import Path
from typing import Any, NamedTuple

from ..numerics import checks, files
from .formats import SUFFIXES, TEXTS, format_of, head_of, unpacked_name
from .generators import GENERATORS
from .text_files import is_number

CATALOGUE_FILE = "catalogue.toml"
BUNDLED = Path(__file__).parent / "bundled"
TASKS = ("binary", "classes", "regression")
MAX_NAME_CHARACTERS = 60  # Characters of a name in a message, at most.


@dataclass(frozen=True)
class Download:
    """A file published unchanged at a public address; `sha256` is empty where no sum is known."""

    url: str
    filename: str
    sha256: str = ""


@dataclass(frozen=True)
class DataSet:
    """One known data set.

    Attributes
    ----------
    name : str
        The name that `load` takes.
    n, d : int
        Examples of the train part (what ``load(name)`` gives) and features.
    task : str
        "binary" (two labels), "classes" (more than two) or "regression".
    about, source, licence : str
        What it is, where our copy comes from, and under which terms.
    test : int
        Examples of the test part; 0 where there is none.
    file : str
        Stem of the file that holds it, where that is not `name`.
    positive : tuple of int
        Classes that become +1 (all others -1), for a binary task made from classes.
    download : Download or None
        A public address, for sets that are published unchanged.
    stored : int or None
        Numbers that the matrix of ``load(name)`` stores: its nonzeros, or n d of a dense one. None: not known.
    """

    name: str
    n: int
    d: int
    task: str
    about: str = ""
    source: str = ""
    licence: str = ""
    test: int = 0
    file: str = ""
    positive: tuple[int, ...] = ()
    download: Download | None = None
    stored: int | None = None

    @property
    def stem(self) -> str:
        """Stem of the file that holds this set."""
        return self.file or self.name


# ---------------------------------------------------------------- catalogues
def catalogue() -> dict[str, DataSet]:
    """All sets with an entry: those that cdlab ships, then those of ``catalogue.toml`` in the folder CDLAB_DATA.

    Raises
    ------
    ValueError
        If CDLAB_DATA is no folder, or its catalogue has a mistake.
    """
    folder = data_folder()
    path = folder / CATALOGUE_FILE if folder else None
    if path is None or not path.is_file():
        return shipped()
    own = _read(path, path.stat().st_mtime_ns)
    for name in own:
        if name in shipped() or name in GENERATORS:
            raise ValueError(f"{path}: {name} is the name of another data set already; choose another one")
    return shipped() | own


def shipped() -> dict[str, DataSet]:
    """The sets of the package's own catalogue, which is read when it is first asked for."""
    return _read(Path(__file__).with_name(CATALOGUE_FILE), 0)


@lru_cache(maxsize=8)
def _read(path: Path, changed: int) -> dict[str, DataSet]:
    return read_catalogue(path)


def read_catalogue(path: Path) -> dict[str, DataSet]:
    """Read and check a catalogue.

    Raises
    ------
    ValueError
        For a wrong entry; the message names the set and the key, and says what would be right.
    """
    try:
        tables = tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is not TOML: {checks.error_message(error)}") from None
    return {name: _data_set(path, name, table) for name, table in tables.items()}


def _data_set(path: Path, name: str, table: Any) -> DataSet:
    if not re.fullmatch(r"[^\s:/\\]+", name):
        raise ValueError(f"{path}: a data set is named by one word without : and /, not {checks.short_repr(name)}")
    where = f"{path}, [{name}]"
    _check_table(where, table, ENTRY_KEYS, required=("n", "d", "task"))
    known = dict(table)
    if "positive" in known:
        known["positive"] = tuple(known["positive"])
    if "download" in known:
        _check_table(f"{where}, download", known["download"], DOWNLOAD_KEYS, required=("url",))
        filename = known["download"]["url"].rpartition("/")[2]
        known["download"] = Download(**{"filename": filename, **known["download"]})
    return DataSet(name, **known)


# The right values of the keys of a catalogue: a test, and the words for it in a message
COUNT = (lambda value: checks.is_integer(value) and value >= 1, "a whole number >= 1")
TEXT = (lambda value: isinstance(value, str) and value != "", "a text in quotes")
ENTRY_KEYS = {
    **dict.fromkeys(("n", "d", "test", "stored"), COUNT),
    **dict.fromkeys(("about", "source", "licence", "file"), TEXT),
    "task": (lambda value: checks.is_one_of(value, TASKS), checks.join_with_or([repr(task) for task in TASKS])),
    "positive": (
        lambda value: isinstance(value, list) and value != [] and all(map(checks.is_integer, value)),
        "a list of whole numbers, such as [2]",
    ),
    "download": (lambda value: isinstance(value, dict), "a table with the keys url, filename, sha256"),
}
DOWNLOAD_KEYS = {
    "url": (lambda value: re.match(r"https?://\S+$", str(value)), "an address that begins with https:// or http://"),
    "filename": TEXT,
    "sha256": (lambda value: re.fullmatch(r"[0-9a-f]{64}", str(value)), "64 digits from 0 to f"),
}


def _check_table(
    where: str, table: Any, keys: Mapping[str, tuple[Callable[[Any], Any], str]], required: tuple[str, ...]
) -> None:
    if not isinstance(table, dict):
        raise ValueError(f"{where} must be a table with the keys {', '.join(keys)}, not {checks.short_repr(table)}")
    for key in required:
        if key not in table:
            raise ValueError(f"{where} needs the key {key}")
    for key, value in table.items():
        if key not in keys:
            hint = checks.did_you_mean(key, keys)
            raise ValueError(f"{where} has no key {checks.short_repr(key)}{hint} (keys: {', '.join(keys)})")
        is_right, wanted = keys[key]
        if not is_right(value):
            raise ValueError(f"{where}: {key} must be {wanted}, not {checks.short_repr(value)}")


# ---------------------------------------------------------------- folders and files
def expand_home(path: str | os.PathLike[str]) -> Path:
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
    folder = expand_home(value)
    if not folder.is_dir():
        raise ValueError(f"CDLAB_DATA is {value!r}, which is not a folder: point it at one, or unset it")
    return folder


def cache_folder() -> Path:
    """The folder of downloads: ``data`` in the folder of `numerics.files.cache_folder`."""
    return files.cache_folder() / "data"


def find(folder: Path | None, stem: str) -> Path | None:
    """The file of `folder` that is `stem` with one of the known suffixes (or none), in capitals or not; or None."""
    if folder is None:
        return None
    start = folder / stem
    beside = {path.name.removeprefix(start.name): path for path in start.parent.glob(f"{escape(start.name)}*")}
    ranked = {SUFFIXES.index(end.lower()): path for end, path in beside.items() if end.lower() in SUFFIXES}
    return next((path for _, path in sorted(ranked.items()) if path.is_file()), None)


def locate(entry: DataSet) -> tuple[str, Path | None]:
    """The first place that holds a set, and its file: CDLAB_DATA, then bundled, then the cache; else ("", None)."""
    for place, folder in (("CDLAB_DATA", data_folder()), ("bundled", BUNDLED), ("cache", cache_folder())):
        if path := find(folder, entry.stem):
            return place, path
    return "", None


def own_files() -> dict[str, Path]:
    """The data files of the folder CDLAB_DATA that no catalogue lists, by their names without the suffix."""
    folder = data_folder()
    if folder is None:
        return {}
    listed = {entry.stem for entry in catalogue().values()}
    found: dict[str, Path] = {}
    for path in sorted(folder.iterdir()):
        name = unpacked_name(path)[0]
        stem = next((name[: -len(text)] for text in (".npz", *TEXTS) if name.lower().endswith(text)), name)
        if stem not in listed and stem not in found and not name.startswith(".") and _may_be_data(path):
            found[stem] = path
    return {name: path for name, path in found.items() if not _is_test_part(name, {*listed, *found})}


def _is_test_part(name: str, names: set[str]) -> bool:
    return name.endswith(".t") and name.removesuffix(".t") in names


def _may_be_data(path: Path) -> bool:
    """Tell whether a file may hold data: by its suffix, or, as LIBSVM text may have any, by its first number."""
    if not path.is_file():
        return False
    return format_of(path) != "libsvm" or any(is_number(line.split()[0]) for line in head_of(path)[:1])


# ---------------------------------------------------------------- names
class Listing(NamedTuple):
    """One line of `names()`; `where` is "CDLAB_DATA", "bundled", "cache", "fetch", "unavailable" or "made"."""

    name: str
    n: int | None
    d: int | None
    where: str


def where(name: str) -> str:
    """The place that `load(name)` would take the known set from."""
    entry = entry_of(name)
    return locate(entry)[0] or ("fetch" if entry.download else "unavailable")


def names() -> list[Listing]:
    """All data sets that `load` takes by name, each with n (train part), d and the place it would come from.

    These are the sets of the catalogue that cdlab ships and of a ``catalogue.toml`` in the folder that the environment
    variable CDLAB_DATA names; then the other data files in that folder; then the generators of made data.

    Returns
    -------
    list of Listing
        ``(name, n, d, where)``; `where` is the first that applies of "CDLAB_DATA" (in that folder), "bundled", "cache"
        (downloaded before), "fetch" (`load` would download it), "unavailable" (no public address: only CDLAB_DATA can
        provide it) and "made" (by a generator, see `make`). n and d are None where nothing but reading or making the
        data says them; of a file `describe` does.

    Examples
    --------
    >>> {name: (n, d) for name, n, d, where in names()}["mushrooms"]
    (8124, 112)
    """
    entries = [Listing(entry.name, entry.n, entry.d, where(entry.name)) for entry in catalogue().values()]
    own = [Listing(name, None, None, "CDLAB_DATA") for name in own_files()]
    return [*entries, *own, *(Listing(name, None, None, "made") for name in GENERATORS)]


def entry_of(name: str) -> DataSet:
    """The catalogue's entry of this name.

    Raises
    ------
    TypeError, ValueError
        If there is none; the message lists close matches.
    """
    if not isinstance(name, str):
        raise TypeError(f"name must be the name of a data set, not {checks.short_repr(name)}")
    if entry := catalogue().get(name):
        return entry
    raise unknown_name(name)


def unknown_name(name: str) -> ValueError:
    """The error about a name that no data set has; its message lists close matches, or says that it is a folder."""
    if name and len(name) <= MAX_NAME_CHARACTERS and Path(name).is_dir():
        return ValueError(f"{name} is a folder: shards are solved by --engine alone, mpi or dask, or distributed.solve")
    known = [*catalogue(), *own_files(), *GENERATORS]
    close = checks.close_names(name.lower(), known, limit=4, cutoff=0.5)
    hint = f"did you mean {' or '.join(close)}?" if close else f"the known ones are {', '.join(known)}."
    example = name if name and len(name) <= MAX_NAME_CHARACTERS else "NAME"
    return ValueError(
        f"unknown data set {checks.short_repr(name)}: {hint} A file is named by its path, such as ./{example}"
    )
