"""The folder of the results as a shelf, which the loop of sweeps (`sweeps.carrying`) fills."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ..sweeps.locks import Locks
from ..sweeps.shelves import DONE, FAILED
from .optimum import Optimum
from .planning import Piece
from .results import Folder, Result

LOCK = "measuring.lock"


class Cells:
    """A piece is done when its results are there; one process at a time is in a cell.

    Parameters
    ----------
    folder : Folder
    pieces : sequence of Piece
        All that are asked for.
    """

    def __init__(self, folder: Folder, pieces: Sequence[Piece]) -> None:
        self._folder, self._pieces = folder, {piece.key: piece for piece in pieces}
        self._locks = Locks()

    def there(self, key: str) -> str | None:
        """See `Shelf`."""
        return DONE if self._pieces[key].there(self._folder) else None

    def take(self, key: str) -> bool:
        """See `Shelf`."""
        return self._locks.take(self._lock(key)) is not None

    def keep(self, key: str, result: Optimum | list[Result] | None) -> str:
        """See `Shelf`; what could not be measured is None, nothing is kept of it, and it is tried again next time."""
        piece = self._pieces[key]
        try:
            if isinstance(result, Optimum):
                self._folder.keep_optimum(piece.cell, result, piece.data)
            else:
                for each in result or ():
                    self._folder.keep(piece.cell, each)
        finally:
            self.give_back(key)
        return FAILED if result is None else DONE

    def give_back(self, key: str) -> None:
        """See `Shelf`."""
        self._locks.release(self._lock(key))

    def settle(self) -> None:
        """See `Shelf`."""

    def close(self) -> None:
        """See `Shelf`."""
        self._locks.release_all()

    def _lock(self, key: str) -> Path:
        return self._folder.path / self._pieces[key].cell.folder / LOCK
