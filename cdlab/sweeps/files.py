"""The files of a store: one for each run, written whole, named by its key; and what is left of runs that failed."""

from __future__ import annotations

import contextlib
import json
import os
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..numerics import checks
from ..numerics.files import UNFINISHED_SUFFIX, atomic_write
from ..runs.trace import Trace
from .keys import DIGITS
from .metas import check_run

RUN, FAILED, LOCK, BAD = ".json", ".failed.json", ".lock", ".bad"
FAILURE = "failed"  # the status in the meta of what failed
SHARED = ".shared"  # the folder of data that running sweeps hand to their workers
FORGOTTEN = 86400.0  # seconds after which an unfinished file has no writer any more


def folder(store: Any) -> Path:
    """The folder of a store, made if it is missing.

    Raises
    ------
    TypeError, ValueError, OSError
        If it is no path, or cannot be a folder.
    """
    if not isinstance(store, str | os.PathLike):
        raise TypeError(f"the store must be the path of a folder, not {checks.short_repr(store)}")
    path = Path(store)
    if not os.fspath(store):
        raise ValueError("the store needs the name of a folder, and this one is empty")
    if path.exists() and not path.is_dir():
        raise NotADirectoryError(f"{path} is a file, and a store is a folder")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OSError(f"the folder {path} cannot be made: {error.strerror}") from None
    return path


def path_of(root: Path, key: str, suffix: str) -> Path:
    """The file of a run with this ending; folders by the first two digits keep listings short."""
    return root / key[:2] / f"{key}{suffix}"


def keys_of(root: Path, suffix: str = RUN) -> Iterator[str]:
    """The keys of the runs that have a file with this ending, in order."""
    for path in sorted(root.glob(f"??/*{suffix}")):
        key = path.name.removesuffix(suffix)
        if len(key) == DIGITS:
            yield key


def read(root: Path, key: str, suffix: str = RUN) -> Trace | None:
    """The trace of a run, or None.

    A file that is no trace, or not of a sweep's run, is set aside with a warning, and the run can be computed anew.
    Of a run that failed the trace has no records, and its meta says why.
    """
    trace, why = read_or_why(root, key, suffix)
    if why:
        warnings.warn(why, stacklevel=2)
    return trace


def read_or_why(root: Path, key: str, suffix: str = RUN) -> tuple[Trace | None, str]:
    """As `read`, without the warning: the trace or None, and the sentence about a file that was set aside, else ""."""
    path = path_of(root, key, suffix)
    try:
        trace = Trace.load(path)
        try:
            check_run(trace.meta, key)
        except ValueError as error:
            raise ValueError(f"{path} is a trace that no sweep wrote: {error}") from None
        return trace, ""
    except FileNotFoundError:
        return None, ""
    except ValueError as error:
        aside = path.with_name(path.name + BAD)
        try:
            path.replace(aside)
        except FileNotFoundError:  # set aside by another process
            pass
        except OSError as why:  # a folder beside another that was set aside
            return (
                None,
                f"{error}; it cannot be set aside as {aside.name}: {why.strerror}, and its run counts as not done",
            )
        return None, f"{error}; it is set aside as {aside.name}, and its run counts as not done"


def write(root: Path, key: str, content: dict[str, Any]) -> Path:
    """Keep what a run came to, `Trace.to_plain` or `Task.failed`: a result takes the place of a failure.

    From then on no end of any process can harm it; a machine that loses its power still can, until `to_disk`.

    Returns
    -------
    Path
        Of the file.

    Raises
    ------
    OSError
        If it cannot be written.
    """
    failed = content["meta"].get("status") == FAILURE
    path = path_of(root, key, FAILED if failed else RUN)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(json.dumps(content, allow_nan=False).encode())
    if not failed:
        with contextlib.suppress(FileNotFoundError):
            path_of(root, key, FAILED).unlink()
    return path


def to_disk(path: Path) -> None:
    """Wait until a file is on the disk; nothing happens if it is no longer there."""
    with contextlib.suppress(FileNotFoundError), open(path, "rb+") as file:
        os.fsync(file.fileno())


def tidy(root: Path) -> None:
    """Remove what killed processes left: unfinished files, and locks of runs that are finished."""
    for path in root.glob(f"??/.*{UNFINISHED_SUFFIX}"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - path.stat().st_mtime > FORGOTTEN:
                path.unlink()
    for path in root.glob(f"??/*{LOCK}"):
        if path_of(root, path.name.removesuffix(LOCK), RUN).exists():  # killed between its writing and the release
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
