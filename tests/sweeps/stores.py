"""How tests look into a store, and change what is in it."""

import contextlib
import json
import sqlite3

import cdlab
from cdlab.sweeps.result_store import SESSIONS
from cdlab.sweeps.store_file import FILE
from cdlab.sweeps.stored_runs import FINISHED


def finished(folder):
    """The keys of the runs that are finished, also while other processes write."""
    return cdlab.Store(folder).keys if folder.is_dir() else []


def query(folder, sql, *values):
    with contextlib.closing(sqlite3.connect(folder / FILE)) as connection, connection:
        return connection.execute(sql, values).fetchall()


def count_writes(folder):
    """How many results were ever written: a run that is computed again counts again."""
    return query(folder, "SELECT seq FROM sqlite_sequence WHERE name = 'results'")[0][0]


def when_finished(folder):
    """When each run finished, by its key."""
    return dict(query(folder, "SELECT key, finished FROM results WHERE kind = ?", FINISHED))


def texts(folder, column="trace"):
    """What is written of each result, by its key."""
    return dict(query(folder, f"SELECT key, {column} FROM results"))


def write_text(folder, key, text, column="trace"):
    """Write something else into a result."""
    query(folder, f"UPDATE results SET {column} = ? WHERE key = ?", text, key)


def edit(folder, key, change):
    """Let `change` change the trace of a run, as dicts and lists."""
    content = json.loads(texts(folder)[key])
    change(content)
    write_text(folder, key, json.dumps(content))


def forget(folder, key):
    query(folder, "DELETE FROM results WHERE key = ?", key)


def claims(folder):
    """The keys that somebody works on, or did when he was killed."""
    return [key for (key,) in query(folder, "SELECT key FROM claims")]


def set_aside(folder):
    """Why results were set aside, by their keys."""
    return dict(query(folder, "SELECT key, why FROM set_aside"))


def sessions(folder):
    """The folders of processes that write, or did when they were killed."""
    return [path for path in (folder / SESSIONS).iterdir() if path.is_dir()]
