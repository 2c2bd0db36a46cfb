"""When `solve` measures: when the tolerance may have been reached, and now and then, for a curve.

A measurement costs up to two products with X, a third of an epoch of SDCA. So the next one comes when the gap, falling
as it fell between the last two, would reach the tolerance; but before the epochs have grown by half, and after ten at
the latest, because methods speed up and slow down. Where an epoch visits ten times what a measurement does, every
epoch is measured. All of it depends on gaps and counts, on no clock: the same seed gives the same run.
"""

from __future__ import annotations

import math
from typing import NamedTuple

FIRST = 2  # epochs before the first measurement after the start
GROWTH = 0.5  # of the epochs between two measurements, and
MOST = 10  # of them: then measuring is a thirtieth of the work, and a gap that rises and falls is not missed
CHEAP = 0.1  # of an epoch's visits: what measuring may cost after each epoch


class Pause(NamedTuple):
    """The epochs to the next measurement, and whether the tolerance should be reached by then."""

    epochs: int
    enough: bool


class Pace:
    """The pauses of one run. It remembers one that a limit has cut short: a run that is resumed goes on with it."""

    def __init__(self) -> None:
        self._tol = math.nan
        self._last: tuple[int, float] | None = None
        self._due, self._enough = 0, False

    def pause(self, tol: float, epochs: int, level: float, share: float) -> Pause:
        """How long to run after a measurement.

        Parameters
        ----------
        tol : float
            The level that ends the run; 0: none does.
        epochs : int
            Epochs done.
        level : float
            What was measured: the relative gap, or what takes its place.
        share : float
            Nonzeros that measuring visits, divided by those of an epoch.
        """
        if not (tol == self._tol and epochs < self._due):
            length, self._enough = self._next(tol, epochs, level, share)
            self._tol, self._due = tol, epochs + length
            self._last = epochs, level
        return Pause(self._due - epochs, self._enough)

    def _next(self, tol: float, epochs: int, level: float, share: float) -> Pause:
        if share <= CHEAP:
            return Pause(1, False)
        if self._last is None or not epochs:
            return Pause(FIRST, False)
        most = min(MOST, max(1, math.ceil(GROWTH * epochs)))
        needed = _needed(tol, *self._last, epochs, level)
        return Pause(int(needed), True) if needed <= most else Pause(most, False)


def _needed(tol: float, before: int, level_before: float, epochs: int, level: float) -> float:
    """Epochs until the level is the tolerance, at the rate since `before`; inf where it did not fall."""
    if tol == 0 or not 0 < level < level_before < math.inf or epochs == before:
        return math.inf
    rate = math.log(level_before / level) / (epochs - before)
    return max(1, math.ceil((math.log(level) - math.log(tol)) / rate))  # level / tol may be beyond float64
