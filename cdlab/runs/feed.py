"""Parts of an order: an epoch that stops between two of its updates, so that a run can be measured left of a pass."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..samplings import Batches


class DividedOrder:
    """An order of coordinates or blocks that is handed out in parts, one after another.

    Parameters
    ----------
    order : (m,) array of uint64, or Batches
        What `Method.epoch` takes.
    visits : (m,) array
        Nonzeros that an update of each coordinate visits.
    """

    def __init__(self, order: Any, visits: np.ndarray) -> None:
        self._order, self._done = order, 0
        if isinstance(order, Batches):
            self._ends = np.concatenate([[0], np.cumsum(visits[order.indices])])[order.starts[1:]]
        else:
            self._ends = np.cumsum(visits[order])

    @property
    def is_used_up(self) -> bool:
        """Whether no update is left."""
        return self._done >= self._order.size

    def take(self, visits: float) -> Any:
        """The next updates, as few as visit so many nonzeros; at least one, at most all that are left."""
        begin = self._done
        visited = self._ends[begin - 1] if begin else 0
        end = int(np.searchsorted(self._ends, visited + visits)) + 1
        self._done = min(max(end, begin + 1), self._order.size)
        if not isinstance(self._order, Batches):
            return self._order[begin : self._done]
        starts = self._order.starts[begin : self._done + 1]
        return Batches(self._order.indices[starts[0] : starts[-1]], starts - starts[0])


def lines_of_update(order: Any, k: int) -> list[int]:
    """The coordinates of update `k` of an order, from 0; from the end, where it is negative."""
    if isinstance(order, Batches):
        k %= order.size
        return [int(line) for line in order.indices[order.starts[k] : order.starts[k + 1]]]
    return [int(order[k])]
