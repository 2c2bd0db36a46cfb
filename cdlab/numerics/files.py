"""Files that are written whole or not at all, and the folder for those that can be made again."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

NAME = "cdlab"
UNFINISHED = ".part"


def cache_folder() -> Path:
    """The folder for what cdlab can make or fetch again: ``cdlab`` in $XDG_CACHE_HOME, or where the system wants it.

    That is ``~/.cache/cdlab`` on Linux, ``~/Library/Caches/cdlab`` on macOS and ``cdlab/Cache`` in %LOCALAPPDATA% on
    Windows.
    """
    if base := os.environ.get("XDG_CACHE_HOME"):  # on every system
        return Path(base) / NAME
    import platformdirs

    return platformdirs.user_cache_path(NAME, appauthor=False)


@contextlib.contextmanager
def whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A file to write to, which gets its name when the block ends; an error or an interrupt leaves what was there.

    Until then it stands beside `path` under a name that no other process uses, hidden and short, so that every `path`
    the file system can hold can be written. The disk is not waited for: a machine that loses its power may leave a file
    in part, which whoever reads it has to notice.

    Raises
    ------
    OSError
        If it cannot be written; the error names `path`.
    """
    path = Path(path)
    unfinished = path.with_name(f".{uuid.uuid4().hex}{UNFINISHED}")
    try:
        with open(unfinished, "wb") as file:
            yield file
        os.replace(unfinished, path)
    except OSError as error:
        if error.errno is None:  # not of the system: a sentence of whoever writes
            raise
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        with contextlib.suppress(OSError):  # what cannot be removed must not hide why it could not be written
            unfinished.unlink()
