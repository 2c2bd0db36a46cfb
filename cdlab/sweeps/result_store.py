"""Results by key in one SQLite file: what is there, and single results written.

A process that computes many at the side of others opens a `Session`.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from filelock import FileLock

from ..numerics import checks
from .store_file import FILE, RESULT_COLUMNS, connect, connect_to_write, explain_sqlite_errors, transaction

SESSIONS = ".sessions"  # Each session has a folder here, with its lock and the data that it shares with its workers.
OPENING_LOCK = "opening.lock"  # This lock is held for a moment, while a session begins.


class ResultInfo(NamedTuple):
    """Kind and finishing time of a stored result.

    Attributes
    ----------
    kind : str
    finished : float
        When, in seconds since 1970.
    """

    kind: str
    finished: float


class StoredResult(NamedTuple):
    """A result, as JSON.

    Attributes
    ----------
    row : str
        What tables show of it.
    trace : str or None
        Its records.
    """

    row: str
    trace: str | None


class ResultStore:
    """The results in a folder; nothing where there is no file yet.

    In a ``with`` block all that is read goes through one connection.

    Parameters
    ----------
    folder : Path
    """

    _synchronous = "FULL"  # a result that is written is on the disk

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / FILE
        self._sessions = folder / SESSIONS
        self._open: sqlite3.Connection | None = None

    def __enter__(self) -> Self:
        with explain_sqlite_errors(self.path):
            self._open = connect(self.path)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection of a ``with`` block."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def index(self, *kinds: str) -> dict[str, ResultInfo]:
        """The results of these kinds, or of all, by key, in the order in which they were written.

        Raises
        ------
        ValueError
            If the file is damaged, or no store that this version can read.
        OSError
            If it cannot be read.
        """
        query = f"SELECT key, kind, finished FROM results WHERE {_among(kinds)} ORDER BY number"
        with self._reading() as connection:
            return {key: ResultInfo(kind, finished) for key, kind, finished in connection.execute(query, kinds)}

    def rows(self, *kinds: str) -> list[tuple[str, str]]:
        """The keys and the rows, as JSON, of all results of these kinds, in the same order; errors as of `index`."""
        with self._reading() as connection:
            query = f"SELECT key, row FROM results WHERE {_among(kinds)} ORDER BY number"
            return connection.execute(query, kinds).fetchall()

    def get(self, key: str, *kinds: str) -> StoredResult | None:
        """The result with this key, if it is there and of one of these kinds; errors as of `index`."""
        with self._reading() as connection:
            query = f"SELECT row, trace FROM results WHERE {_among(kinds)} AND key = ?"
            found = connection.execute(query, (*kinds, key)).fetchone()
        return None if found is None else StoredResult(*found)

    def put(self, key: str, kind: str, row: Mapping[str, Any], trace: str | None = None) -> None:
        """Write a result, in place of another one with its key.

        Once this returns the result survives the end of any process; a power cut too: at once, or for a `Session` after
        its next checkpoint.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        self.put_all([(key, kind, time.time(), json.dumps(row, allow_nan=False), trace)])

    def put_all(self, results: Sequence[tuple[str, str, float, str, str | None]]) -> None:
        """Write several results at once, as `put`: key, kind, when it finished, row and trace, both as JSON."""
        with self._writing() as connection, transaction(connection, self._synchronous):
            connection.executemany(f"INSERT OR REPLACE INTO {RESULT_COLUMNS} VALUES (?, ?, ?, ?, ?)", results)

    def delete(self, keys: Sequence[str]) -> None:
        """Forget these results."""
        with self._writing() as connection, transaction(connection):
            connection.executemany("DELETE FROM results WHERE key = ?", [(key,) for key in keys])

    def set_aside(self, key: str, why: str) -> str:
        """Move a result that cannot be read to a table of its own, so that it counts as missing.

        Returns
        -------
        str
            The sentence to report.
        """
        words = f"the result {key} in {self.path} cannot be read: {why}"
        try:
            with self._writing() as connection, transaction(connection):
                copied = "INSERT INTO set_aside SELECT key, kind, row, trace, ? FROM results WHERE key = ?"
                connection.execute(copied, (why, key))
                connection.execute("DELETE FROM results WHERE key = ?", (key,))
        except OSError as error:
            return f"{words}; it counts as not done, and cannot be set aside: {error.strerror or error}"
        return f"{words}; it is set aside, and counts as not done"

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """The connection of the ``with`` block, or another one outside."""
        with explain_sqlite_errors(self.path):
            if self._open is not None:
                yield self._open
            else:
                with contextlib.closing(connect(self.path)) as connection:
                    yield connection

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A connection to the file, which is made if it is missing."""
        with self._opening_locked():
            connection = connect_to_write(self.path)
        with contextlib.closing(connection), explain_sqlite_errors(self.path):
            yield connection

    @contextlib.contextmanager
    def _opening_locked(self) -> Iterator[None]:
        """A block that one process at a time is in: none opens the file to write meanwhile."""
        with explain_sqlite_errors(self.path):
            self._sessions.mkdir(parents=True, exist_ok=True)
            with FileLock(self._sessions / OPENING_LOCK):
                yield


def store_folder(store: Any) -> Path:
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


def _among(kinds: Sequence[str]) -> str:
    """The condition of a query for results of these kinds, or of all."""
    return f"kind IN ({', '.join('?' * len(kinds))})" if kinds else "TRUE"
