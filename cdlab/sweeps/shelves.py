"""Where results are kept as they come, and what is there already: a folder, which several processes may share."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, Protocol

from ..runs.trace import Trace
from . import files
from .locks import Locks

DONE, FAILED = "done", files.FAILURE


class Shelf(Protocol):
    """What is asked of a place for results, by their keys."""

    def there(self, key: str) -> str | None:
        """`DONE`, `FAILED` where that need not be tried again, or None: it is to be computed."""

    def take(self, key: str) -> bool:
        """Whether this process may compute it now: nobody else does, until it is kept or given back."""

    def keep(self, key: str, result: Any) -> str:
        """Keep a result, or a failure: `DONE` or `FAILED`."""

    def give_back(self, key: str) -> None:
        """Leave it to whoever takes it next."""

    def settle(self) -> None:
        """Wait until all that was kept is safe."""

    def close(self) -> None:
        """Give back what is taken; called in any case, also after errors."""


class Folder:
    """A store: one file a run, with locks, so that several processes can fill it.

    Parameters
    ----------
    root : Path
        A folder that is there.
    retry : bool, default False
        Whether failures that are kept are computed again.
    """

    def __init__(self, root: Path, retry: bool = False) -> None:
        files.tidy(root)
        self._root, self._retry = root, retry
        self._locks = Locks()
        self._disk = ThreadPoolExecutor(1)  # waits for it, so that no run does
        self._written: list[Future[None]] = []

    def read(self, key: str) -> Trace | None:
        """The trace of a finished run, if it is there."""
        return files.read(self._root, key)

    def there(self, key: str) -> str | None:
        """See `Shelf`."""
        if self.read(key) is not None:
            return DONE
        return None if self._retry or files.read(self._root, key, files.FAILED) is None else FAILED

    def take(self, key: str) -> bool:
        """See `Shelf`."""
        return self._locks.take(files.path_of(self._root, key, files.LOCK)) is not None

    def keep(self, key: str, result: dict[str, Any]) -> str:
        """See `Shelf`: a trace as `Trace.to_plain` writes it, or a failure as `work.Task.failed` does."""
        try:
            path = files.write(self._root, key, result)
            self._written.append(self._disk.submit(files.to_disk, path))
        finally:
            self.give_back(key)
        return FAILED if path.name.endswith(files.FAILED) else DONE

    def give_back(self, key: str) -> None:
        """See `Shelf`."""
        self._locks.release(files.path_of(self._root, key, files.LOCK))

    def settle(self) -> None:
        """See `Shelf`: waits for the disk."""
        for each in self._written:
            each.result()

    def close(self) -> None:
        """See `Shelf`."""
        self._disk.shutdown()
        self._locks.release_all()
