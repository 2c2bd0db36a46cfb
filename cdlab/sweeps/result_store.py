"""Results by key in one SQLite file, which several processes may fill at once.

A process that writes opens a session: a folder beside the file with a lock that the system frees when the process ends,
however it ends. It claims a key before it computes the result; claims of sessions that are gone count for nothing.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import re
import shutil
import sqlite3
import time
import uuid
import warnings
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, Self

import psutil
from filelock import FileLock, Timeout

from ..numerics import checks
from ..numerics.files import explain_errors

FILE = "store.sqlite"
LOG = f"{FILE}-wal"
SESSIONS = ".sessions"  # a folder for each, with its lock and the data that it shares with its workers
SESSION_LOCK = "owner.lock"
OPENING_LOCK = "opening.lock"  # held for a moment, while a session begins
APPLICATION_ID = 0x63646C62  # "cdlb", in the head of the file
VERSION = 1  # of the tables
BUSY_SECONDS = 60.0  # that a process waits for another one's transaction
NETWORK_FILE_SYSTEMS = {
    *("9p", "afpfs", "afs", "beegfs", "ceph", "cifs", "coda", "fuse.glusterfs", "fuse.sshfs", "gfs2", "glusterfs"),
    *("gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "smb3", "smbfs", "webdav"),
}
TABLES = (
    """CREATE TABLE results (
        number INTEGER PRIMARY KEY AUTOINCREMENT, -- counts all results that were ever written
        key TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        finished REAL NOT NULL, -- seconds since 1970
        row TEXT NOT NULL, -- JSON
        trace TEXT -- JSON, as `Trace.save` writes it; NULL where a result has no records
    )""",
    "CREATE TABLE claims (key TEXT PRIMARY KEY, session TEXT NOT NULL)",
    "CREATE TABLE set_aside (key TEXT NOT NULL, kind TEXT NOT NULL, row TEXT, trace TEXT, why TEXT NOT NULL)",
)
RESULT = "results (key, kind, finished, row, trace)"


class Entry(NamedTuple):
    """That there is a result.

    Attributes
    ----------
    kind : str
    finished : float
        When, in seconds since 1970.
    """

    kind: str
    finished: float


class Result(NamedTuple):
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


class DamagedFile(ValueError):
    """The file of a store is no longer what SQLite wrote."""

    def __init__(self, path: Path, why: str) -> None:
        self.why = " ".join(why.split())
        super().__init__(
            f"{path} is damaged ({self.why}); the next sweep or race into {path.parent} keeps what can be read of it"
        )


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
            self._open = _connect(self.path)
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection of a ``with`` block."""
        if self._open is not None:
            self._open.close()
            self._open = None

    def index(self, *kinds: str) -> dict[str, Entry]:
        """What results of these kinds, or of all, there are by key, in the order in which they were written.

        Raises
        ------
        DamagedFile, ValueError
            If the file is damaged, or no store that this version can read; if there are files of an earlier one.
        OSError
            If it cannot be read.
        """
        query = f"SELECT key, kind, finished FROM results WHERE {_among(kinds)} ORDER BY number"
        with self._reading() as connection:
            return {key: Entry(kind, finished) for key, kind, finished in connection.execute(query, kinds)}

    def rows(self, *kinds: str) -> list[tuple[str, str]]:
        """The keys and the rows, as JSON, of all results of these kinds, in the same order; errors as of `index`."""
        with self._reading() as connection:
            query = f"SELECT key, row FROM results WHERE {_among(kinds)} ORDER BY number"
            return connection.execute(query, kinds).fetchall()

    def get(self, key: str, *kinds: str) -> Result | None:
        """The result with this key, if it is there and of one of these kinds; errors as of `index`."""
        with self._reading() as connection:
            query = f"SELECT row, trace FROM results WHERE {_among(kinds)} AND key = ?"
            found = connection.execute(query, (*kinds, key)).fetchone()
        return None if found is None else Result(*found)

    def put(self, key: str, kind: str, row: Mapping[str, Any], trace: str | None = None) -> None:
        """Write a result, in place of another one with its key.

        No end of any process can harm it from now on, nor a power cut: at once, or of a `Session` in a moment.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        self.put_all([(key, kind, time.time(), json.dumps(row, allow_nan=False), trace)])

    def put_all(self, results: Sequence[tuple[str, str, float, str, str | None]]) -> None:
        """As `put`, of several results at once: key, kind, when it finished, row and trace, both as JSON."""
        with self._writing() as connection, _transaction(connection, self._synchronous):
            connection.executemany(f"INSERT OR REPLACE INTO {RESULT} VALUES (?, ?, ?, ?, ?)", results)

    def delete(self, keys: Sequence[str]) -> None:
        """Forget these results."""
        with self._writing() as connection, _transaction(connection):
            connection.executemany("DELETE FROM results WHERE key = ?", [(key,) for key in keys])

    def set_aside(self, key: str, why: str) -> str:
        """Move a result that cannot be read to a table of its own, so that it counts as missing; tells it."""
        words = f"the result {key} in {self.path} cannot be read: {why}"
        try:
            with self._writing() as connection, _transaction(connection):
                copied = "INSERT INTO set_aside SELECT key, kind, row, trace, ? FROM results WHERE key = ?"
                connection.execute(copied, (why, key))
                connection.execute("DELETE FROM results WHERE key = ?", (key,))
        except OSError:  # read-only
            return f"{words}; it counts as not done, and cannot be set aside, since the store is read-only"
        return f"{words}; it is set aside, and counts as not done"

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """The connection of the ``with`` block, or another one outside."""
        with explain_sqlite_errors(self.path):
            if self._open is not None:
                yield self._open
            else:
                with contextlib.closing(_connect(self.path)) as connection:
                    yield connection

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A connection to the file, which is made if it is missing."""
        with self._alone():
            connection = _connect_to_write(self.path)
        with contextlib.closing(connection), explain_sqlite_errors(self.path):
            yield connection

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """A block that one process at a time is in."""
        with explain_sqlite_errors(self.path):
            self._sessions.mkdir(parents=True, exist_ok=True)
            with FileLock(self._sessions / OPENING_LOCK):
                yield


class Session(ResultStore):
    """The results in a folder, to which this process adds what it computes, and others do at the same time.

    Used in a ``with`` block, at whose end all claims of this process are released. Nothing is written before the first
    claim: where all results are there, the folder may be read-only.

    Parameters
    ----------
    folder : Path
        A folder that exists.

    Raises
    ------
    ValueError
        If its results are those of an earlier cdlab, a file each, or of a later one.
    OSError
        If the file is damaged while another process writes to it.
    """

    _synchronous = "NORMAL"  # a thread waits for the disk, so that no run does

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._disk = ThreadPoolExecutor(1)
        self._on_its_way: Future[None] | None = None
        self.session_folder = self._sessions / uuid.uuid4().hex
        self._has_begun = False
        self._lock = FileLock(self.session_folder / SESSION_LOCK, thread_local=False)
        if self._damage():
            with self._alone():
                self._repair()

    def claim(self, key: str) -> bool:
        """Whether this process may compute the result now: nobody else does, until it is released."""
        session = self.session_folder.name
        with self._writing() as connection, _transaction(connection):
            claimed = connection.execute("SELECT session FROM claims WHERE key = ?", (key,)).fetchone()
            if claimed and claimed[0] != session and self._is_alive(claimed[0]):
                return False
            connection.execute("INSERT OR REPLACE INTO claims VALUES (?, ?)", (key, session))
        return True

    def release(self, key: str) -> None:
        """Give a claim back: the result is written, or left to whoever claims it next."""
        with self._writing() as connection, _transaction(connection):
            connection.execute("DELETE FROM claims WHERE key = ?", (key,))

    def put_all(self, results: Sequence[tuple[str, str, float, str, str | None]]) -> None:
        """See `ResultStore`."""
        super().put_all(results)
        if self._on_its_way is None or self._on_its_way.done():
            self._on_its_way = self._disk.submit(self._bring_to_disk)

    def _bring_to_disk(self) -> None:
        with explain_sqlite_errors(self.path), contextlib.closing(_open(self.path, "mode=rw")) as connection:
            connection.execute("PRAGMA wal_checkpoint(PASSIVE)")

    def close(self) -> None:
        """End the session: release all that it claimed, and remove its folder."""
        if self._open is not None and self._has_begun:
            with contextlib.suppress(sqlite3.Error):
                self._open.rollback()  # of what an interrupt broke off
                self._open.execute("DELETE FROM claims WHERE session = ?", (self.session_folder.name,))
                self._open.execute("PRAGMA wal_checkpoint(PASSIVE)")
        self._disk.shutdown()
        super().close()
        self._lock.release()
        shutil.rmtree(self.session_folder, ignore_errors=True)

    @contextlib.contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """The connection of the session, which begins with the first one."""
        if not self._has_begun:
            with self._alone():
                self._begin()
        with self._reading() as connection:
            yield connection

    def _begin(self) -> None:
        """Take the lock of the session, and remove what those left whose processes are gone."""
        dead = [each for each in self._sessions.iterdir() if each.is_dir() and not self._is_alive(each.name)]
        self.session_folder.mkdir()
        self._lock.acquire()
        super().close()
        self._open = _connect_to_write(self.path)
        self._has_begun = True
        for each in dead:
            self._open.execute("DELETE FROM claims WHERE session = ?", (each.name,))
            shutil.rmtree(each, ignore_errors=True)

    def _is_alive(self, session: str) -> bool:
        """Whether the process of a session lives: it holds the lock."""
        path = self._sessions / session / SESSION_LOCK
        try:
            with FileLock(path).acquire(blocking=False) if path.exists() else contextlib.nullcontext():
                return False
        except Timeout:
            return True

    def _damage(self) -> str:
        """What is wrong with the file, or an empty text."""
        try:
            with self._reading() as connection:
                (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
                return "" if found == "ok" else " ".join(found.split())
        except DamagedFile as error:
            return error.why

    def _repair(self) -> None:
        """Set a damaged file aside, and keep of it what can be read."""
        if not (why := self._damage()):  # repaired by another process
            return
        if any(self._is_alive(each.name) for each in self._sessions.iterdir()):
            words = f"damaged ({why}), and another process still writes to it: end that first"
            raise OSError(errno.EIO, words, str(self.path))
        aside = next(p for k in range(1, 10**6) if not (p := self.folder / f"{FILE}.bad{k if k > 1 else ''}").exists())
        with contextlib.suppress(FileNotFoundError):
            os.replace(self.folder / LOG, aside.with_name(f"{aside.name}-wal"))
        os.replace(self.path, aside)
        with contextlib.closing(_connect_to_write(self.path)) as connection:
            count = _copy_readable(aside, connection)
        warnings.warn(
            f"{self.path} is damaged ({why}); it is set aside as {aside.name}. {count} results could be read and are "
            "kept, all others count as not done",
            stacklevel=4,
        )


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


def files_of_earlier_versions(folder: Path) -> Iterator[Path]:
    """The results that earlier versions of cdlab kept in files: runs of sweeps, or measurements of the benchmark."""
    for path in folder.glob("??/*.json"):
        if re.fullmatch(r"[0-9a-f]{32}(\.failed)?", path.stem):
            yield path
    if (settings := folder / "settings.json").exists():
        yield settings
        yield from folder.glob("*,*/*.json")


def network_file_system(folder: Path) -> str:
    """The kind of the network file system that a folder is on; empty for a disk of this machine."""
    mounts = {Path(each.mountpoint): each for each in psutil.disk_partitions(all=True)}
    folder = folder.resolve()
    mount = next((mounts[each] for each in (folder, *folder.parents) if each in mounts), None)
    if mount is None or not (mount.fstype.lower() in NETWORK_FILE_SYSTEMS or "remote" in mount.opts.split(",")):
        return ""
    return mount.fstype


@contextlib.contextmanager
def explain_sqlite_errors(path: Path) -> Iterator[None]:
    """A block that uses the database at `path`: its errors are sentences, of a full disk with the folder and the space.

    Raises
    ------
    DamagedFile
        If what is there is not what SQLite wrote.
    OSError
        If it cannot be read or written.
    """
    with explain_errors(path):
        try:
            yield
        except sqlite3.Error as error:
            code = _code_of(error)
            if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                raise DamagedFile(path, str(error)) from None
            words = str(error)
            if code == sqlite3.SQLITE_BUSY:
                words = f"another process has kept it locked for {BUSY_SECONDS:g} s"
            number = errno.ENOSPC if code == sqlite3.SQLITE_FULL else errno.EIO
            raise OSError(number, words, str(path)) from None


def _code_of(error: sqlite3.Error) -> int:
    """The error code of SQLite, without the bits that extend it."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _connect(path: Path) -> sqlite3.Connection:
    """A connection to a store that may be read-only, or not there: then to an empty one in memory."""
    if not path.exists():
        if any(files_of_earlier_versions(path.parent)):
            raise ValueError(
                f"{path.parent} holds results as files, as earlier versions of cdlab wrote them: "
                f"python -m cdlab.conversion {path.parent} makes a store of them"
            )
        return _with_tables(_open(":memory:"))
    connection = _open(path, "mode=rw")
    try:
        connection.execute("PRAGMA schema_version").fetchone()
    except sqlite3.OperationalError as error:
        connection.close()
        log = path.with_name(LOG)
        if _code_of(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
            raise
        if log.exists() and log.stat().st_size:
            words = f"its last results are in {log.name}, which cannot be merged there: copy both to a folder of yours"
            raise OSError(errno.EROFS, f"read-only, and {words}", str(path)) from None
        connection = _open(path, "immutable=1")  # who could write would need a log
    if _has_tables(connection, path):
        return connection
    connection.close()  # its process was killed as it made the file
    return _with_tables(_open(":memory:"))


def _connect_to_write(path: Path) -> sqlite3.Connection:
    """A connection to a store, made if it is missing."""
    connection = _open(path, "mode=rwc")
    try:
        kind = network_file_system(path.parent)
        if not _has_tables(connection, path):
            connection.execute(f"PRAGMA journal_mode = {'DELETE' if kind else 'WAL'}")
            _with_tables(connection)
        if kind:
            connection.execute("PRAGMA journal_mode = DELETE")
            warnings.warn(
                f"{path.parent} is on a network ({kind}), where SQLite cannot keep its fast log: the store uses a "
                "rollback journal there, and only one machine should write to it at a time",
                stacklevel=5,
            )
        return connection
    except BaseException:
        connection.close()
        raise


def _open(path: Path | str, options: str = "") -> sqlite3.Connection:
    uri = f"{path.absolute().as_uri()}?{options}" if isinstance(path, Path) else path
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    connection.text_factory = lambda text: text.decode("utf-8", "replace")  # what reads it finds out what is damaged
    return connection


def _has_tables(connection: sqlite3.Connection, path: Path) -> bool:
    """Whether it has the tables of a store; refuses those of another program or version."""
    if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        return False
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise ValueError(f"{path} is an SQLite file, but no store of cdlab")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > VERSION:
        raise ValueError(f"{path} is of a later cdlab: its tables have version {version}, and this one reads {VERSION}")
    return True


def _with_tables(connection: sqlite3.Connection) -> sqlite3.Connection:
    with _transaction(connection):
        for table in TABLES:
            connection.execute(table)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {VERSION}")
    return connection


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection, synchronous: str = "NORMAL") -> Iterator[None]:
    """All or nothing of what is written in this block; with "FULL" it is on the disk afterwards."""
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    with connection:  # commits, or rolls back
        connection.execute("BEGIN IMMEDIATE")
        yield


def _copy_readable(damaged: Path, connection: sqlite3.Connection) -> int:
    """Copy the results of a damaged file that can still be read; how many."""
    copied = 0
    with contextlib.suppress(sqlite3.Error), contextlib.closing(_open(damaged, "mode=rw")) as source:
        (last,) = source.execute("SELECT seq FROM sqlite_sequence WHERE name = 'results'").fetchone()
        with _transaction(connection, synchronous="FULL"):
            for number in range(1, last + 1):
                with contextlib.suppress(sqlite3.Error):
                    query = "SELECT key, kind, finished, row, trace FROM results WHERE number = ?"
                    if found := source.execute(query, (number,)).fetchone():
                        connection.execute(f"INSERT INTO {RESULT} VALUES (?, ?, ?, ?, ?)", found)
                        copied += 1
    return copied


def _among(kinds: Sequence[str]) -> str:
    """The condition of a query for results of these kinds, or of all."""
    return f"kind IN ({', '.join('?' * len(kinds))})" if kinds else "TRUE"
