"""The SQLite file of a store: its tables, connections to it, and its errors as sentences."""

from __future__ import annotations

import contextlib
import errno
import sqlite3
import warnings
from collections.abc import Iterator
from pathlib import Path

import psutil

from ..numerics.files import explain_errors

FILE = "store.sqlite"
LOG = f"{FILE}-wal"
APPLICATION_ID = 0x63646C62  # The head of the file has these letters, "cdlb".
TABLES_VERSION = 1
BUSY_SECONDS = 60.0  # A process waits so long for another one's transaction.
NETWORK_FILE_SYSTEMS = {
    "9p", "afpfs", "afs", "beegfs", "ceph", "cifs", "coda", "fuse.glusterfs", "fuse.sshfs", "gfs2", "glusterfs",
    "gpfs", "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "smb3", "smbfs", "webdav",
}  # fmt: skip
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
RESULT_COLUMNS = "results (key, kind, finished, row, trace)"


def damaged(path: Path, why: str) -> ValueError:
    """The error for the file of a store that is no longer what SQLite wrote."""
    return ValueError(
        f"{path} is damaged ({' '.join(why.split())}): move it out of its folder, into which the next sweep or race "
        "then computes its runs anew"
    )


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
    """A block that uses the database at `path`; turns SQLite errors into OSErrors with a readable message.

    Raises
    ------
    ValueError
        If what is there is not what SQLite wrote.
    OSError
        If the database cannot be read or written.
    """
    with explain_errors(path):
        try:
            yield
        except sqlite3.Error as error:
            code = _code_of(error)
            if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
                raise damaged(path, str(error)) from None
            words = str(error)
            if code == sqlite3.SQLITE_BUSY:
                words = f"another process has kept it locked for {BUSY_SECONDS:g} s"
            number = errno.ENOSPC if code == sqlite3.SQLITE_FULL else errno.EIO
            raise OSError(number, words, str(path)) from None


def _code_of(error: sqlite3.Error) -> int:
    """The error code of SQLite, without the bits that extend it."""
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def connect(path: Path) -> sqlite3.Connection:
    """A connection to a store that may be read-only, or not there: then to an empty one in memory."""
    if not path.exists():
        return _with_tables(open_file(":memory:"))
    connection = open_file(path, "mode=rw")
    try:
        try:
            connection.execute("PRAGMA schema_version").fetchone()
        except sqlite3.OperationalError as error:
            log = path.with_name(LOG)
            if _code_of(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                raise
            if log.exists() and log.stat().st_size:
                words = f"read-only, and its last results are in {log.name}, which cannot be merged there"
                raise OSError(errno.EROFS, f"{words}: copy both to a folder of yours", str(path)) from None
            connection.close()
            connection = open_file(path, "immutable=1")  # an ordinary connection would need to write a log
        if _has_tables(connection, path):
            return connection
    except BaseException:
        connection.close()
        raise
    connection.close()  # the process that made the file was killed meanwhile
    return _with_tables(open_file(":memory:"))


def connect_to_write(path: Path) -> sqlite3.Connection:
    """A connection to a store, made if it is missing."""
    connection = open_file(path, "mode=rwc")
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


def open_file(path: Path | str, options: str = "") -> sqlite3.Connection:
    """A connection to a file, or to ":memory:", with the options of SQLite's addresses."""
    uri = f"{path.absolute().as_uri()}?{options}" if isinstance(path, Path) else path
    connection = sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)
    connection.text_factory = lambda text: text.decode("utf-8", "replace")  # readers of a row detect damaged text
    return connection


def _has_tables(connection: sqlite3.Connection, path: Path) -> bool:
    """Tell whether a database has the tables of a store; refuse those of another program or version."""
    if not connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
        return False
    if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise ValueError(f"{path} is an SQLite file, but no store of cdlab")
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if version > TABLES_VERSION:
        raise ValueError(
            f"{path} is of a later cdlab: its tables have version {version}, and this one reads {TABLES_VERSION}"
        )
    return True


def _with_tables(connection: sqlite3.Connection) -> sqlite3.Connection:
    with transaction(connection):
        for table in TABLES:
            connection.execute(table)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {TABLES_VERSION}")
    return connection


@contextlib.contextmanager
def transaction(connection: sqlite3.Connection, synchronous: str = "NORMAL") -> Iterator[None]:
    """Write all or nothing in this block; with "FULL" all of it is on the disk afterwards."""
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    with connection:  # commits, or rolls back
        connection.execute("BEGIN IMMEDIATE")
        yield
