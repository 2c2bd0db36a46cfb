"""kill -9 at random moments: of a command that carries out runs, and of its workers."""

import contextlib
import os
import signal
import sqlite3
import time

import psutil

import cdlab
from cdlab.sweeps.store_file import FILE

PAUSE = 0.02  # seconds between two looks at most


def disturbed(begin, finished, runs, kills, rng, pause=PAUSE):
    """Start, kill and start again, `kills` times over the runs; return the numbers of commands and workers killed.

    `begin()` starts the command and returns its process; `finished()` counts the runs that are in the store.
    """
    commands = workers = 0
    process = begin()
    for k in range(kills):
        at = (k + rng.random()) * runs / kills
        while finished() < at and process.poll() is None:
            time.sleep(pause * rng.random())
        if process.poll() is not None:
            break
        going = [each for each in psutil.Process(process.pid).children() if "loky.backend.popen" in str(each.cmdline())]
        if going and k % 2:
            os.kill(rng.choice(going).pid, signal.SIGKILL)
            workers += 1
        else:
            process.kill()
            process.wait()
            commands += 1
            process = begin()
    process.wait()
    return commands, workers


def finished(store):
    """The number of finished runs, also while other processes write."""
    return len(cdlab.Store(store)) if store.is_dir() else 0


def count_writes(store):
    """The number of results ever written: one that is computed again counts again."""
    return _number(store, "SELECT max(seq) FROM sqlite_sequence")


def count_set_aside(store):
    """The number of results that could not be read."""
    return _number(store, "SELECT count(*) FROM set_aside")


def _number(store, query):
    with contextlib.closing(sqlite3.connect(store / FILE)) as connection:
        return connection.execute(query).fetchone()[0] or 0
