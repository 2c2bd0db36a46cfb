"""Locks: files that say which process works on what, and that are worth nothing once it is gone."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import psutil

from ..numerics.files import explain_errors

try:
    import fcntl
except ImportError:  # Windows
    import msvcrt

    fcntl = None  # type: ignore[assignment]

CLEARING = ".clearing"  # held while a dead lock of this folder is taken away
UNWRITTEN = 5.0  # seconds after which a lock without an owner was left by a process that was killed as it made it
FOREIGN = 86400.0  # seconds for which the lock of another host is believed, whose processes cannot be seen from here
TOLERANCE = 2.0  # seconds between two readings of when a process started, which clocks that are set can move


@cache
def _started(pid: int) -> float:
    return psutil.Process(pid).create_time()


class Lock:
    """A file made by exclusive creation, with host, pid and start time of the process that holds it.

    Parameters
    ----------
    path : Path
        In a folder that exists.
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def take(self) -> bool:
        """Whether the lock is now held by this process: it was free, or its owner is gone."""
        return self._made() or (not self.alive and self._cleared() and self._made())

    def release(self) -> None:
        """Give the lock back; nothing happens if it is no longer there."""
        with contextlib.suppress(FileNotFoundError):
            self.path.unlink()

    @property
    def alive(self) -> bool:
        """Whether a living process holds it."""
        return _alive(self.path) is not None

    @property
    def mine(self) -> bool:
        """Whether this process holds it."""
        owner = _alive(self.path)
        return bool(owner) and (owner["host"], owner["pid"]) == (platform.node(), os.getpid())

    def _made(self) -> bool:
        try:
            made = os.open(self.path, os.O_CREAT | os.O_EXCL | os.O_WRONLY)
        except FileExistsError:
            return False
        try:
            owner = {"host": platform.node(), "pid": os.getpid(), "started": _started(os.getpid())}
            with explain_errors(self.path), open(made, "w", encoding="utf-8") as file:
                json.dump(owner, file)
        except BaseException:  # a Ctrl-C: nobody would know whose it is
            self.release()
            raise
        return True

    def _cleared(self) -> bool:
        """Whether a dead lock was taken away; one process at a time, so that it still is the one that was seen."""
        with _alone(self.path.with_name(CLEARING)):
            if not self.path.exists():  # cleared by another, who makes it anew now, outside
                return True
            if self.alive:
                return False
            self.release()
            return True


class Locks:
    """Those that this process takes: each is known before it is taken, so that a Ctrl-C leaves none behind."""

    def __init__(self) -> None:
        self._known: list[Lock] = []

    def take(self, path: Path) -> Lock | None:
        """The lock of this path, or None where another process has it."""
        path.parent.mkdir(exist_ok=True)
        lock = Lock(path)
        self._known.append(lock)
        if lock.take():
            return lock
        self._known.remove(lock)
        return None

    def release(self, path: Path) -> None:
        """Give the lock of this path back."""
        (lock,) = (each for each in self._known if each.path == path)
        lock.release()
        self._known.remove(lock)

    def release_all(self) -> None:
        """Give back those that this process holds."""
        for lock in self._known:
            if lock.mine:
                lock.release()


@contextlib.contextmanager
def _alone(path: Path) -> Iterator[None]:
    """A lock of the system, which it takes back from a process that ends; only for a moment, and never removed."""
    with open(path, "ab") as file:
        if fcntl is not None:
            fcntl.flock(file, fcntl.LOCK_EX)
        else:
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)  # closing the file ends it
        yield


def _alive(path: Path) -> Any:
    """The owner of a lock, or None if there is none or it is dead."""
    try:
        age = time.time() - path.stat().st_mtime
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return None
    try:
        owner = json.loads(text)
        host, pid, started = owner["host"], owner["pid"], owner["started"]
    except (ValueError, KeyError, TypeError):
        return {} if age < UNWRITTEN else None
    if host != platform.node():
        return owner if age < FOREIGN else None
    try:
        living = psutil.Process(pid)
        same = abs(living.create_time() - started) < TOLERANCE and living.status() != psutil.STATUS_ZOMBIE
    except (psutil.NoSuchProcess, TypeError, ValueError):
        return None
    except psutil.AccessDenied:
        return owner
    return owner if same else None
