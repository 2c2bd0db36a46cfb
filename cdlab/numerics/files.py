"""Files that are written in full or not at all, and the folder for those that can be made again."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import shutil
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

APP_NAME = "cdlab"
UNFINISHED_SUFFIX = ".part"
FULL_DISK_ERRNOS = {errno.ENOSPC, errno.EDQUOT}
SIZE_UNITS = ((10**9, "GB"), (10**6, "MB"), (10**3, "kB"))
SHORT_WRITE = re.compile(r"^\d+ requested and \d+ written")


def cache_folder() -> Path:
    """The folder for what cdlab can make or fetch again: ``cdlab`` in $XDG_CACHE_HOME, or where the system wants it.

    That is ``~/.cache/cdlab`` on Linux, ``~/Library/Caches/cdlab`` on macOS and ``cdlab/Cache`` in %LOCALAPPDATA% on
    Windows.
    """
    if base := os.environ.get("XDG_CACHE_HOME"):  # on every system
        return Path(base) / APP_NAME
    import platformdirs

    return platformdirs.user_cache_path(APP_NAME, appauthor=False)


def check_is_file(path: Path, what: str) -> None:
    """Refuse a folder, a device or a missing path in place of a file with `what`; a pipe is taken as a file.

    Raises
    ------
    ValueError, FileNotFoundError
    """
    if path.is_dir():
        raise ValueError(f"{path} is a folder, and {what} is a file")
    if not path.exists():
        raise FileNotFoundError(f"there is no file {path}")
    if path.is_char_device() or path.is_block_device():  # as /dev/zero, which never ends
        raise ValueError(f"{path} is a device, and {what} is a file")


@contextlib.contextmanager
def explain_errors(path: Path, unfinished: Path | None = None, needed: int | None = None) -> Iterator[None]:
    """A block that writes `path`: an OSError names it, and one of a full disk the folder and the space in it.

    Parameters
    ----------
    path : Path
        The file that is written.
    unfinished : Path, optional
        The file with what was written until then, if it will be removed.
    needed : int, optional
        The size of the file in bytes, where it is known.

    Raises
    ------
    OSError
    """
    try:
        yield
    except OSError as error:
        by_numpy = error.errno is None and SHORT_WRITE.search(str(error))  # numpy counts what it wrote
        full = error.errno in FULL_DISK_ERRNOS or by_numpy
        if error.errno is None and not full:  # not the system's error: the writer's own message
            raise
        on_disk = path.is_file() or not path.exists()
        why = _full_disk_message(path.absolute().parent, unfinished, needed) if full and on_disk else error.strerror
        raise OSError(error.errno or errno.ENOSPC, why, str(path)) from None


def _full_disk_message(folder: Path, unfinished: Path | None, needed: int | None) -> str:
    free = 0
    with contextlib.suppress(OSError):
        free = shutil.disk_usage(folder).free
        free += unfinished.stat().st_size if unfinished else 0
    more = "more" if needed is None else _in_units(needed)
    return f"no space is left in the folder {folder}: {_in_units(free)} free, {more} needed"


def _in_units(count: int) -> str:
    unit, name = next(((unit, name) for unit, name in SIZE_UNITS if count >= unit), (1, "bytes"))
    return f"{count / unit:.3g} {name}"


@contextlib.contextmanager
def atomic_write(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, which gets its name when the block ends; an error or an interrupt leaves what was there.

    Until then it stands beside `path` under a name that no other process uses, hidden and short, so that every `path`
    the file system can hold can be written. The disk is not waited for: a machine that loses its power may leave a file
    in part, which whoever reads it has to notice. A path that is no file, such as a pipe, is written to as it is.

    Raises
    ------
    OSError
        If it cannot be written; the error names `path`, and where the disk is full its folder and the space there.
    """
    path = Path(path)
    if path.exists() and not (path.is_file() or path.is_dir()):
        with explain_errors(path), open(path, "wb") as file:
            yield file
        return
    unfinished = path.with_name(f".{uuid.uuid4().hex}{UNFINISHED_SUFFIX}")
    try:
        with explain_errors(path, unfinished):
            with open(unfinished, "wb") as file:
                yield file
            os.replace(unfinished, path)
    finally:
        with contextlib.suppress(OSError):  # what cannot be removed must not hide why it could not be written
            unfinished.unlink()
