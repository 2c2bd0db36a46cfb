"""Coordinate descent on the quadratic that the problem is near its optimum: typical runs, not their expectation.

A = diag(E) + F F' of the coordinates that move, F of as many columns as the other side has coordinates.
An update costs as many numbers as F has columns, or as A has, whichever is less.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from ..exact_rates.quadratics import Curvature, dense
from ..numerics.jit import kernel
from ..samplings import Coordinates, Sampling
from .cause import Interval

MAX_SIZE = 1500  # of A, or of the columns of F where A is larger
MAX_NUMBERS = 3e7  # of F
SEEDS = range(101, 110)
MAX_EPOCHS = 3000
MAX_UPDATES = 6e9  # of numbers, in all


@dataclass(frozen=True, eq=False)
class Descent:
    """Coordinate descent on (x - x*)'A(x - x*)/2: x_i -= omega_i A_i(x - x*)/A_ii.

    Attributes
    ----------
    A : Curvature
    lines : (N,) array of indices
        The coordinates that move, of all.
    omega : (N,) array
        Step lengths.
    error : (N,) array
        x - x* at the start.
    """

    A: Curvature
    lines: np.ndarray
    omega: np.ndarray
    error: np.ndarray

    @property
    def is_small(self) -> bool:
        """Whether runs of it are short enough."""
        N, r = self.A.F.shape
        return N <= MAX_SIZE or (r <= MAX_SIZE and N * r <= MAX_NUMBERS)

    def draws_to_fall(self, coordinates: Coordinates, sampling: Sampling, fall: float) -> Interval:
        """Draws until the energy has fallen by e^fall: the quartiles over seeds.

        Runs that do not get there within limits go on at their last rate.

        Parameters
        ----------
        coordinates : Coordinates
            Of all lines.
        sampling : Sampling
            Draws, or an order.
        fall : float > 0
            Of ln (x - x*)'A(x - x*).
        """
        found = [_epochs_to(logs, -fall) for logs in self._runs(coordinates, sampling, fall)]
        return _quartiles(found).times(coordinates.m)

    def draws_per_e(self, coordinates: Coordinates, sampling: Sampling, falls: tuple[float, float]) -> Interval:
        """Draws per factor e between two falls of ln of the energy: the quartiles over seeds."""
        first, last = falls
        runs = self._runs(coordinates, sampling, last)
        found = [(_epochs_to(logs, -last) - _epochs_to(logs, -first)) / (last - first) for logs in runs]
        return _quartiles(found).times(coordinates.m)

    def _runs(self, coordinates: Coordinates, sampling: Sampling, fall: float) -> Iterator[np.ndarray]:
        """ln of the energy after each epoch, less that of the start, for each seed."""
        N, r = self.A.F.shape
        place = np.full(coordinates.m, -1)
        place[self.lines] = np.arange(N)
        seeds = SEEDS if N * min(N, r) < MAX_SIZE**2 / 10 else SEEDS[:3]
        limit = int(min(MAX_EPOCHS, max(50, MAX_UPDATES / len(seeds) / (N * (N if N <= MAX_SIZE else r)))))
        F = dense(self.A.F)
        if N <= MAX_SIZE:  # A itself as F, and its products with the error as what is kept
            E, F = np.zeros(N), F @ F.T + np.diag(self.A.E)
        else:
            E = self.A.E
        rate = self.omega / self.A.diagonal
        for seed in seeds:
            orders = (place[order] for order in sampling.epochs(coordinates, np.random.default_rng(seed)))
            yield self._run(E, np.ascontiguousarray(F), rate, islice(orders, limit), fall)

    def _run(
        self, E: np.ndarray, F: np.ndarray, rate: np.ndarray, orders: Iterator[np.ndarray], fall: float
    ) -> np.ndarray:
        x, is_whole = self.error.copy(), F.shape[0] == F.shape[1] and not E.any()
        kept = F.T @ x
        sweep, energy = (_sweep_of_matrix, _energy_of_matrix) if is_whole else (_sweep, _energy)
        values = [energy(E, x, kept)]
        least = values[0] * np.finfo(float).eps ** 2
        for order in orders:
            sweep(E, F, rate, order[order >= 0], x, kept)
            values.append(max(energy(E, x, kept), least))
            if values[-1] <= values[0] * np.exp(-fall):
                break
        return np.log(values) - np.log(values[0])


def _quartiles(values: Sequence[float]) -> Interval:
    low, high = np.quantile(values, [0.25, 0.75])
    return Interval(float(low), float(high))


def _energy(E: np.ndarray, x: np.ndarray, kept: np.ndarray) -> float:
    return float((E * x) @ x + kept @ kept)


def _energy_of_matrix(E: np.ndarray, x: np.ndarray, kept: np.ndarray) -> float:
    return float(x @ kept)


@kernel
def _sweep(E: np.ndarray, F: np.ndarray, rate: np.ndarray, order: np.ndarray, x: np.ndarray, kept: np.ndarray) -> None:
    """x_i -= rate_i (A x)_i for each i of the order, with F'x kept."""
    for i in order:
        gradient = E[i] * x[i]
        for j in range(kept.size):
            gradient += F[i, j] * kept[j]
        step = rate[i] * gradient
        x[i] -= step
        for j in range(kept.size):
            kept[j] -= step * F[i, j]


@kernel
def _sweep_of_matrix(
    E: np.ndarray, A: np.ndarray, rate: np.ndarray, order: np.ndarray, x: np.ndarray, kept: np.ndarray
) -> None:
    """The same with A x kept."""
    for i in order:
        step = rate[i] * kept[i]
        x[i] -= step
        for j in range(kept.size):
            kept[j] -= step * A[i, j]


def _epochs_to(logs: np.ndarray, level: float) -> float:
    """Where a curve comes down to a level, log-linear between epochs and at its last slope beyond its end."""
    below = np.flatnonzero(logs <= level)
    if below.size and below[0] == 0:
        return 0.0
    if below.size:
        k = int(below[0])
        return k - float((level - logs[k]) / (logs[k - 1] - logs[k]))
    last = logs.size - 1
    slope = (logs[last // 2] - logs[last]) / (last - last // 2)
    return last + float((logs[last] - level) / slope) if slope > 0 else np.inf
