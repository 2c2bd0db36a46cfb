"""The stores that a server lets its visitors see: the folders that it was started with, and no others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

ENVIRONMENT = "CDLAB_STORES"  # This variable names folders, as PATH does.

_served: list[Path] | None = None


def stores() -> dict[str, Path]:
    """The folders by the names that visitors see: those given to `set_stores`, else those of the environment.

    Raises
    ------
    ValueError
        If the environment names one that does not exist.
    """
    return named(_served if _served is not None else _from_environment())


def set_stores(folders: Iterable[str | os.PathLike[str]] | None = None) -> None:
    """Let visitors see these folders; None: those of the environment.

    Raises
    ------
    ValueError
        If there is no such folder, here or in the environment.
    """
    global _served
    if folders is None:
        _served = None
        stores()
    else:
        _served = [_checked(str(folder), "") for folder in folders]


def named(folders: Sequence[Path]) -> dict[str, Path]:
    """Each folder by the end of its path, as long as it takes to tell it from the others: hosts keep the rest.

    >>> list(named([Path("/a/results"), Path("/b/results"), Path("/b/small")]))
    ['a/results', 'b/results', 'small']
    """
    found = {}
    for folder in dict.fromkeys(folders):
        others = [other for other in folders if other != folder]
        ends = (Path(*folder.parts[-k:]) for k in range(1, len(folder.parts) + 1))
        name = next(end for end in ends if not any(other.parts[-len(end.parts) :] == end.parts for other in others))
        found[name.as_posix()] = folder
    return found


def _from_environment() -> list[Path]:
    asked = os.environ.get(ENVIRONMENT, "").split(os.pathsep)
    return [_checked(folder, f", which {ENVIRONMENT} names") for folder in asked if folder]


def _checked(folder: str, named_by: str) -> Path:
    path = Path(folder).resolve()
    if not path.is_dir():
        raise ValueError(f"there is no store {folder!r}{named_by}: it is the folder that a sweep wrote into")
    return path
