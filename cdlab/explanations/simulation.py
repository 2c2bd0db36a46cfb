"""Coordinate descent on the quadratic that the problem is near its optimum: typical runs, not their expectation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from ..exact_rates.quadratics import Quadratic
from ..numerics.jit import kernel
from ..samplings import Coordinates, Sampling
from .cause import Interval

MAX_COORDINATES = 1500
SEEDS = range(101, 110)
MAX_EPOCHS = 3000
MAX_UPDATES = 4e9  # of numbers, in all: N for each draw


def typical(values: Sequence[float]) -> Interval:
    """Between the quartiles."""
    low, high = np.quantile(values, [0.25, 0.75])
    return Interval(float(low), float(high))


@kernel
def _sweep(G: np.ndarray, omega: np.ndarray, order: np.ndarray, e: np.ndarray, g: np.ndarray) -> None:
    """e_i -= omega_i (G e)_i for each i of the order, with g = G e kept."""
    for i in order:
        step = omega[i] * g[i]
        e[i] -= step
        for j in range(g.size):
            g[j] -= step * G[i, j]


def epochs_to_levels(
    quadratic: Quadratic,
    omega: np.ndarray,
    coordinates: Coordinates,
    sampling: Sampling,
    levels: tuple[float, float],
) -> list[tuple[float, float]]:
    """Epochs until e'Ge is at two levels times its start, log-linear between epochs: a pair for each seed.

    Parameters
    ----------
    quadratic : Quadratic
        G and the error at the start.
    omega : (N,) array
        Step lengths.
    coordinates : Coordinates
        Of all lines, of which `quadratic.lines` move.
    sampling : Sampling
        Draws, or an order.
    levels : (float, float)
        The second the lower one. Runs that do not get there within limits go on at their last rate.
    """
    place = np.full(quadratic.drawn, -1)
    place[quadratic.lines] = np.arange(quadratic.size)
    limit = int(min(MAX_EPOCHS, max(50, MAX_UPDATES / len(SEEDS) / quadratic.size**2)))
    found = []
    for seed in SEEDS:
        orders = sampling.epochs(coordinates, np.random.default_rng(seed))
        energy = _energies(quadratic, omega, (place[order] for order in orders), levels[1], limit)
        found.append((_crossing(energy, levels[0]), _crossing(energy, levels[1])))
    return found


def _energies(
    quadratic: Quadratic, omega: np.ndarray, orders: Iterator[np.ndarray], level: float, limit: int
) -> np.ndarray:
    """ln e'Ge after each epoch, less that of the start; to a level or a limit of epochs."""
    e = quadratic.error.copy()
    g = quadratic.G @ e
    least = float(e @ g) * np.finfo(float).eps ** 2
    energy = [float(e @ g)]
    for order in islice(orders, limit):
        _sweep(quadratic.G, omega, order[order >= 0], e, g)
        energy.append(max(float(e @ g), least))
        if energy[-1] <= level * energy[0]:
            break
    return np.log(energy) - np.log(energy[0])


def _crossing(energy: np.ndarray, level: float) -> float:
    below = np.flatnonzero(energy <= np.log(level))
    if below.size and below[0] == 0:
        return 0.0
    if below.size:
        k = int(below[0])
        return k - float((np.log(level) - energy[k]) / (energy[k - 1] - energy[k]))
    last = energy.size - 1
    slope = (energy[last // 2] - energy[last]) / (last - last // 2)
    return last + float((energy[last] - np.log(level)) / slope) if slope > 0 else np.inf
