"""When a run measures, and when it recomputes its maintained products.

A measurement computes up to two products with X, each of which visits as many nonzeros as half a pass. So the next one
of `solve` comes when the gap, falling as it fell between the last two, would reach the tolerance; but before the epochs
have grown by half, and after ten at the latest, because methods speed up and slow down. Where a measurement costs more
than an epoch, as on small data, pauses are longer: from half to ten times as many epochs as cost what it costs, and
halfway to the tolerance, while that does not make four epochs of one; where it costs a tenth of one, every epoch is
measured. All of it depends on gaps and counts, on no clock: the same seed gives the same run.

Each update adds to X w and X'alpha/n a rounding of the size that the product has then: so after a fall from 1e10 to 1
it may be off by 1e10 eps. `Method.refresh` recomputes it every `REFRESH_EPOCHS`, and after epochs 1, 2, 4, 8, 16 and
32 of a run that starts far from the solution. Where a product has fallen since, a measurement computes its own, and
leaves the run alone.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..methods import Points

FIRST_PAUSE_EPOCHS = 2  # epochs before the first measurement after the start
MAX_PAUSE_SHARE = 0.5  # longest pause, as a share of the epochs done so far
MAX_PAUSE_EPOCHS = 10  # each as long as a measurement, if that is longer: then measuring is a small part of the work
SPARE_SHARE = 1 / 16  # of a pause that should end at the tolerance, because methods slow down
MAX_GROWTH = 3  # longest pause where a measurement costs more than an epoch, in the epochs done so far
CHEAP_MEASURING_SHARE = 0.1  # of an epoch's visits: what measuring may cost after each epoch
MEASURING_NONZEROS = 1e5  # that could be visited in the time that a measurement takes beside its products
FULL_MEASURING_NONZEROS = 3e5  # the same of a full X, which is read in order
REFRESH_EPOCHS = 50  # epochs; maintained vectors drift by about 1e-16 sqrt(updates)
MAX_PRODUCT_FALL = 8.0  # from the largest that was measured since the last refresh


MOMENTS_PER_DECADE = 30  # of passes, with records="log"
FIRST_MOMENT = 0.01  # passes
CERTIFICATES_SHARE = 0.1  # of the nonzeros visited beyond the first pass: what certificates may visit there
FREE_NONZEROS = 1e7  # that certificates may visit there in any case, a hundredth of a second


class LogMoments:
    """The moments at which a run is measured with ``records="log"``: 30 a decade of passes, from 0.01.

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

    @property
    def next(self) -> float:
        """Passes at which the next record is due."""
        return self._moment(self._k)

    def note(self, passes: float, products: int) -> None:
        """Note a measurement after so many passes, which made so many products with X, each half a pass."""
        cost = products / 2
        if passes > 1:
            self._spent += cost
        while self.next <= passes:
            self._k += 1
        while self.next > 1 and self._spent + cost > self._free + CERTIFICATES_SHARE * (self.next - 1):
            self._k += 1

    @staticmethod
    def _moment(k: int) -> float:
        return FIRST_MOMENT * 10 ** (k / MOMENTS_PER_DECADE)


class Pause(NamedTuple):
    """The epochs to the next measurement, and whether the tolerance should be reached by then."""

    epochs: int
    reaches_tol: bool


class MeasurementSchedule:
    """The pauses between the measurements of one run.

    It remembers a pause that a limit has cut short: a run that is resumed goes on with it.
    """

    def __init__(self) -> None:
        self._tol = math.nan
        self._first: tuple[int, float] = (0, math.nan)
        self._last: tuple[int, float] | None = None
        self._due, self._reaches_tol = 0, False

    def next_pause(self, tol: float, epochs: int, level: float, share: float, overhead: float = 0.0) -> Pause:
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
        overhead : float
            What it costs beside, in the same unit.
        """
        if not (tol == self._tol and epochs < self._due):
            length, self._reaches_tol = self._new_pause(tol, epochs, level, share, overhead)
            self._tol, self._due = tol, epochs + length
            self._first = (epochs, level) if self._last is None else self._first
            self._last = epochs, level
        return Pause(self._due - epochs, self._reaches_tol)

    def _new_pause(self, tol: float, epochs: int, level: float, share: float, overhead: float = 0.0) -> Pause:
        if share <= CHEAP_MEASURING_SHARE:
            return Pause(1, False)
        if self._last is None or not epochs:
            return Pause(max(FIRST_PAUSE_EPOCHS, int(min(overhead, MAX_PAUSE_EPOCHS) / 2)), False)
        cost = max(1.0, share + overhead)  # of a measurement, in epochs
        needed = _epochs_to_tol(tol, *self._last, epochs, level)
        if cost == 1:
            most, spare = min(MAX_PAUSE_SHARE * epochs, MAX_PAUSE_EPOCHS), 0
        else:
            most, spare = self._most_where_measuring_is_dear(tol, epochs, level, cost, needed)
        most = math.ceil(most)
        return Pause(int(needed) + spare, True) if needed <= most else Pause(most, False)

    def _most_where_measuring_is_dear(
        self, tol: float, epochs: int, level: float, cost: float, needed: float
    ) -> tuple[float, int]:
        """The longest pause, and what is added to one that should end at the tolerance: else many end just short of it.

        Where the gap has hardly fallen since the last measurement, and the run as a whole is nearly at its end, pauses
        are short and double.
        """
        assert self._last is not None
        least, last = min(cost, MAX_PAUSE_EPOCHS) / 2, epochs - self._last[0]
        near = min(needed, _epochs_to_tol(tol, *self._first, epochs, level))
        most = max(least, min(2 * near, epochs), min(2 * last, MAX_PAUSE_SHARE * epochs))
        if needed < math.inf:
            most = max(most, min(near / 2, MAX_GROWTH * epochs))
        most = min(most, MAX_PAUSE_EPOCHS * cost)
        return most, int(least / 2 + SPARE_SHARE * min(needed, most))


def _epochs_to_tol(tol: float, before: int, level_before: float, epochs: int, level: float) -> float:
    """Epochs until the level is the tolerance, at the rate since `before`; inf where it did not fall."""
    if tol == 0 or not 0 < level < level_before < math.inf or epochs == before:
        return math.inf
    rate = math.log(level_before / level) / (epochs - before)
    return max(1, math.ceil((math.log(level) - math.log(tol)) / rate))  # level / tol may be beyond float64


class ProductMonitor:
    """How large the maintained products of a run have been since they were last recomputed."""

    def __init__(self) -> None:
        self._started_far = False
        self._largest = [0.0, 0.0]  # of |z| and of |v|

    def note_start(self, gap: float, at_zero: float) -> None:
        """Note the gap of a start: one above P(0) is far from the solution."""
        self._started_far = not gap <= at_zero

    def is_refresh_due(self, epoch: int) -> bool:
        """Whether products are recomputed after this epoch, whatever was measured."""
        return self.epochs_to_refresh(epoch - 1) == 1

    def epochs_to_refresh(self, epoch: int) -> int:
        """How many epochs after this one products are recomputed next, whatever is measured."""
        due = REFRESH_EPOCHS * (epoch // REFRESH_EPOCHS + 1)
        if self._started_far and epoch < REFRESH_EPOCHS:
            due = min(due, 1 << epoch.bit_length())  # the next power of two
        return due - epoch

    def note_refresh(self) -> None:
        """Note that products have been recomputed."""
        self._largest = [0.0, 0.0]

    def drop_unreliable_products(self, points: Points) -> Points:
        """Drop a product that shrank by a factor `MAX_PRODUCT_FALL` since the last refresh; both after a far start.

        The certificate recomputes what is missing.

        Parameters
        ----------
        points : Points
            Those of the method, with the products that it maintains.
        """
        if self._started_far:
            return points.only_fresh
        z = points.z if "z" in points.fresh else self._reliable(0, points.z)
        v = points.v if "v" in points.fresh else self._reliable(1, points.v)
        return points if z is points.z and v is points.v else Points(points.w, points.alpha, z=z, v=v)

    def _reliable(self, which: int, product: np.ndarray | None) -> np.ndarray | None:
        size = math.inf if product is None else float(np.maximum.reduce(np.abs(product), axis=None))
        if size < math.inf:  # else it is not maintained, or the run diverged
            if size * MAX_PRODUCT_FALL < self._largest[which]:
                return None
            self._largest[which] = max(self._largest[which], size)
        return product
