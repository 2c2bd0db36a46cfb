"""Pauses between measurements: each so many epochs, on a logarithmic scale, or as seldom as finds the tolerance.

A measurement computes up to two products with X, each of which visits as many nonzeros as half a pass. So the next one
of `solve` comes when the gap, falling as it fell between the last two, would reach the tolerance; but before the epochs
have grown by half, and after ten at the latest, because methods speed up and slow down. Where a measurement costs more
than an epoch, as on small data, pauses are longer: from half to ten times as many epochs as cost what it costs, and
halfway to the tolerance, while that does not make four epochs of one; where it costs a tenth of one, every epoch is
measured. Where the method itself knows the gap to be far (`Method.estimated_gap`), a run goes on without a measurement.
All of it depends on gaps and counts, on no clock: the same seed gives the same run.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from ..methods import Method
from ..problems.problem import Problem
from .feed import Counts
from .measuring import Measured

FIRST_PAUSE_EPOCHS = 2  # The first measurement after the start comes after so many epochs.
MAX_PAUSE_SHARE = 0.5  # The longest pause is this share of the epochs done so far.
MAX_PAUSE_EPOCHS = 10  # A pause is at most so many epochs, or measurements where these take longer.
SPARE_SHARE = 1 / 16  # A pause that should end at the tolerance is longer by this share, because methods slow down.
MAX_GROWTH = 3  # Where a measurement costs more than an epoch, a pause is at most so many times the epochs so far.
CHEAP_MEASURING_SHARE = 0.1  # Each epoch is measured where that visits at most this share of what an epoch visits.
MEASURING_NONZEROS = 1e5  # So many could be visited in the time that a measurement takes beside its products,
FULL_MEASURING_NONZEROS = 3e5  # and so many of a full X, which is read in order.

MOMENTS_PER_DECADE = 30  # With records="log" a decade of passes has so many moments,
FIRST_MOMENT = 0.01  # the first of them after this many passes.
CERTIFICATES_SHARE = 0.1  # Beyond the first pass certificates visit at most this share of the nonzeros visited there,
FREE_NONZEROS = 1e7  # or this many in any case, a hundredth of a second.


class Pause(NamedTuple):
    """The next measurement: after so many epochs or passes from the start of a run, whichever comes first."""

    epochs: float
    passes: float = math.inf
    reaches_tol: bool = False  # then it measures products that are computed afresh
    predicted: bool = False  # from what the method that runs has done: where another goes on, the run measures at once


class EveryEpochs:
    """A measurement at each multiple of `every` epochs."""

    def __init__(self, every: int = 1) -> None:
        self.every = every

    def next(self, counts: Counts, seen: Measured, tol: float | None = None) -> Pause:
        """The pause after the measurement `seen`; `counts` are those of now, and `tol` is what the run should reach."""
        begun = counts.epochs + (seen.epochs == counts.epochs)
        return Pause(-(-begun // self.every) * self.every)


class LogMoments:
    """Measurements at 30 moments a decade of passes, from 0.01.

    Up to one pass all of them. Beyond, certificates visit at most a tenth of the nonzeros that the run visits there,
    but for the first 10 million: where they would visit more, moments are left out.

    Parameters
    ----------
    nnz : int
        Nonzeros of the data: a pass.
    """

    def __init__(self, nnz: int) -> None:
        self._free = FREE_NONZEROS / max(1, nnz)  # passes
        self._spent = 0.0  # passes that certificates took beyond the first pass
        self._k = 0
        self._noted: Measured | None = None

    @property
    def due(self) -> float:
        """Passes at which the next measurement is due."""
        return FIRST_MOMENT * 10 ** (self._k / MOMENTS_PER_DECADE)

    def next(self, counts: Counts, seen: Measured, tol: float | None = None) -> Pause:
        """Return the next pause, as `EveryEpochs` does."""
        if seen is not self._noted:
            self.note(seen.record.passes, seen.products)
            self._noted = seen
        return Pause(math.inf, self.due)

    def note(self, passes: float, products: int) -> None:
        """Note a measurement after so many passes, which made so many products with X, each half a pass."""
        cost = products / 2
        if passes > 1:
            self._spent += cost
        while self.due <= passes:
            self._k += 1
        while self.due > 1 and self._spent + cost > self._free + CERTIFICATES_SHARE * (self.due - 1):
            self._k += 1


class Pauses:
    """Measurements as seldom as finds the tolerance in time.

    It remembers a pause that a limit has cut short: a run that is resumed goes on with it. When another method goes on,
    it forgets what it knows.

    Parameters
    ----------
    problem : Problem
        The problem as methods see it.
    method : Method
        The method, in the state S in which the run begins.
    """

    def __init__(self, problem: Problem, method: Method, S: Any) -> None:
        self._nnz = problem.nnz
        self._beside = FULL_MEASURING_NONZEROS if problem.is_full else MEASURING_NONZEROS
        self._run_together = method.epochs_together(problem, S) > 1
        self._types = tuple(map(type, S))  # Another method goes on where they change.
        self._forget()

    def _forget(self) -> None:
        self._tol = math.nan
        self._first: tuple[int, float] = (0, math.nan)
        self._last: tuple[int, float] | None = None
        self._due, self._reaches_tol = 0, False

    def next(self, counts: Counts, seen: Measured, tol: float | None = None) -> Pause:
        """Return the next pause, as `EveryEpochs` does; without a tolerance the next epoch."""
        if tol is None:
            return Pause(counts.epochs + (seen.epochs == counts.epochs))
        if seen.types != self._types:
            self._types = seen.types
            self._forget()
        if not (tol == self._tol and counts.epochs < self._due):
            level = seen.relative_gap if math.isfinite(seen.relative_gap) else seen.gradient_ratio
            self.plan(tol, counts.epochs, level, *self._costs(counts, seen.products))
        return Pause(self._due, math.inf, self._reaches_tol, True)

    def _costs(self, counts: Counts, products: int) -> tuple[float, float]:
        """Nonzeros that measuring visits over those of an epoch, and what it costs beside, in the same unit.

        Before the first epoch the first is inf, or 0 if nothing was multiplied, and the second is of epochs of a pass
        if they run together.
        """
        nonzeros, epochs, visits = products * self._nnz / 2, counts.epochs, counts.visits
        if visits:
            return nonzeros * epochs / visits, self._beside * epochs / visits
        first = (self._beside / self._nnz if self._run_together else 0.0) if self._nnz else math.inf
        return math.inf if products else 0.0, first

    def plan(self, tol: float, epochs: int, level: float, share: float, overhead: float = 0.0) -> tuple[int, bool]:
        """Plan the pause after a measurement: its epochs, and whether the tolerance should be reached by then.

        Parameters
        ----------
        tol, level : float
            The level that ends the run (0: none does), and what was measured: the relative gap, or what stands for it.
        epochs : int
            Epochs done.
        share, overhead : float
            Nonzeros that measuring visits, divided by those of an epoch; what it costs beside, in the same unit.
        """
        length, reaches_tol = 1, False
        if share > CHEAP_MEASURING_SHARE:
            if self._last is None or not epochs:
                length = max(FIRST_PAUSE_EPOCHS, int(min(overhead, MAX_PAUSE_EPOCHS) / 2))
            else:
                needed = _epochs_to_tol(tol, *self._last, epochs, level)
                most, spare = self._longest(tol, epochs, level, max(1.0, share + overhead), needed)
                length, reaches_tol = (int(needed) + spare, True) if needed <= most else (most, False)
        self._first = (epochs, level) if self._last is None else self._first
        self._tol, self._due, self._last, self._reaches_tol = tol, epochs + length, (epochs, level), reaches_tol
        return length, reaches_tol

    def _longest(self, tol: float, epochs: int, level: float, cost: float, needed: float) -> tuple[int, int]:
        """The longest pause, and what is added to one that should end at the tolerance: else many end just short of it.

        Where a measurement costs more than an epoch (`cost`), the gap has hardly fallen since the last one, and the run
        as a whole is nearly at its end, pauses are short and double.
        """
        if cost == 1:
            return math.ceil(min(MAX_PAUSE_SHARE * epochs, MAX_PAUSE_EPOCHS)), 0
        assert self._last is not None, "the first pause is another"
        least, last = min(cost, MAX_PAUSE_EPOCHS) / 2, epochs - self._last[0]
        near = min(needed, _epochs_to_tol(tol, *self._first, epochs, level))
        most = max(least, min(2 * near, epochs), min(2 * last, MAX_PAUSE_SHARE * epochs))
        if needed < math.inf:
            most = max(most, min(near / 2, MAX_GROWTH * epochs))
        most = min(most, MAX_PAUSE_EPOCHS * cost)
        return math.ceil(most), int(least / 2 + SPARE_SHARE * min(needed, most))


def _epochs_to_tol(tol: float, before: int, level_before: float, epochs: int, level: float) -> float:
    """Epochs until the level is the tolerance, at the rate since `before`; inf where it did not fall."""
    if tol == 0 or not 0 < level < level_before < math.inf or epochs == before:
        return math.inf
    rate = math.log(level_before / level) / (epochs - before)
    return max(1, math.ceil((math.log(level) - math.log(tol)) / rate))  # level / tol may be beyond float64
