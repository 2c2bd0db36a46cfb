"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO


@contextlib.contextmanager
def whole(path: str | os.PathLike) -> Iterator[BinaryIO]:
    """A file to write to, which gets its name when the block ends; an error or an interrupt leaves what was there.

    Until then it stands beside `path` under a name that no other process uses, hidden and short, so that every `path`
    the file system can hold can be written.

    Raises
    ------
    OSError
        If it cannot be written; the error names `path`.
    """
    path = Path(path)
    unfinished = path.with_name(f".{uuid.uuid4().hex}.part")
    try:
        with open(unfinished, "wb") as file:
            yield file
        os.replace(unfinished, path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        with contextlib.suppress(OSError):  # what cannot be removed must not hide why it could not be written
            unfinished.unlink()
