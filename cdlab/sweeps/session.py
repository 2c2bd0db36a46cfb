"""A session: a process that adds results to a store while others do the same.

It is a folder beside the file with a lock that the system frees when the process ends, however it ends. It claims a key
before it computes the result; claims of sessions that are gone count for nothing.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
import uuid
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from filelock import FileLock, Timeout

from .result_store import ResultStore
from .store_file import connect_to_write, damaged, explain_sqlite_errors, open_file, transaction

SESSION_LOCK = "owner.lock"


class Session(ResultStore):
    """The results in a folder, to which this process adds what it computes, and others do at the same time.

    Used in a ``with`` block, at whose end all claims of this process are released. Opening a sound store writes
    nothing, so a folder whose results are all there may be read-only.

    Parameters
    ----------
    folder : Path
        A folder that exists.

    Raises
    ------
    ValueError
        If its file is damaged, or no store that this version can read.
    """

    _synchronous = "NORMAL"  # a thread waits for the disk, so that no run does

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._checkpoint_thread = ThreadPoolExecutor(1)
        self._is_checkpoint_due = False  # True: one is submitted that begins later
        self.session_folder = self._sessions / uuid.uuid4().hex
        self._has_begun = False
        self._lock = FileLock(self.session_folder / SESSION_LOCK, thread_local=False)
        with self._reading() as connection:
            (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if found != "ok":
            raise damaged(self.path, found)

    def claim(self, key: str) -> bool:
        """Tell whether this process may compute the result now: nobody else does, until it is released.

        A claim of a process that was killed counts for nothing.
        """
        session = self.session_folder.name
        with self._writing() as connection, transaction(connection):
            claimed = connection.execute("SELECT session FROM claims WHERE key = ?", (key,)).fetchone()
            if claimed and claimed[0] != session and self._is_alive(claimed[0]):
                return False
            connection.execute("INSERT OR REPLACE INTO claims VALUES (?, ?)", (key, session))
        return True

    def release(self, key: str) -> None:
        """Give a claim back: the result is written, or left to whoever claims it next."""
        with self._writing() as connection, transaction(connection):
            connection.execute("DELETE FROM claims WHERE key = ?", (key,))

    def put_all(self, results: Sequence[tuple[str, str, float, str, str | None]]) -> None:
        """See `ResultStore`."""
        super().put_all(results)
        if not self._is_checkpoint_due:
            self._is_checkpoint_due = True
            self._checkpoint_thread.submit(self._checkpoint)

    def _checkpoint(self) -> None:
        """Bring to the disk what is written; what is put from here on has a checkpoint of its own."""
        self._is_checkpoint_due = False
        with explain_sqlite_errors(self.path), contextlib.closing(open_file(self.path, "mode=rw")) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """End the session: release all that it claimed, and remove its folder."""
        if self._open is not None and self._has_begun:
            with contextlib.suppress(sqlite3.Error):
                self._open.rollback()  # of what an interrupt broke off
                self._open.execute("DELETE FROM claims WHERE session = ?", (self.session_folder.name,))
                self._open.execute("PRAGMA wal_checkpoint(PASSIVE)")
        self._checkpoint_thread.shutdown()
        super().close()
        self._lock.release()
        shutil.rmtree(self.session_folder, ignore_errors=True)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The connection of the session, which begins with the first one."""
        if not self._has_begun:
            with self._opening_locked():
                self._begin()
        with self._reading() as connection:
            yield connection

    def _begin(self) -> None:
        """Take the lock of the session, and remove the folders and claims of dead sessions."""
        dead = [each for each in self._sessions.iterdir() if each.is_dir() and not self._is_alive(each.name)]
        self.session_folder.mkdir()
        self._lock.acquire()
        super().close()
        self._open = connect_to_write(self.path)
        self._has_begun = True
        for each in dead:
            self._open.execute("DELETE FROM claims WHERE session = ?", (each.name,))
            shutil.rmtree(each, ignore_errors=True)

    def _is_alive(self, session: str) -> bool:
        """Tell whether the process of a session lives: it holds the lock."""
        path = self._sessions / session / SESSION_LOCK
        try:
            with FileLock(path).acquire(blocking=False) if path.exists() else contextlib.nullcontext():
                return False
        except Timeout:
            return True
