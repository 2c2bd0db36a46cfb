"""Fixed orders: an epoch is one matrix T, and errors fall like rho(T)^2.

They are cyclic order, any other that stays the same, and the symmetric one, there and back: with T_i symmetric in
energy the backward sweep is the adjoint of the forward one, so the radius of both is that of a symmetric matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle, islice

import numpy as np
import scipy.linalg

from .expected_errors import ExpectedErrors
from .quadratics import Quadratic, energy_root
from .radius import Map, Radius, worst_factor

ROUNDING = np.finfo(float).eps


class FixedOrders(ExpectedErrors):
    """Errors under sweeps in fixed orders, one after another and then from the first again.

    Parameters
    ----------
    quadratic : Quadratic
    orders : sequence of (N,) arrays
        Permutations of its coordinates: a sweep each.
    """

    how = "order"

    def __init__(self, quadratic: Quadratic, orders: Sequence[np.ndarray]):
        self.root = energy_root(quadratic.G)
        self.sweeps = [sweep_matrix(quadratic, order) for order in orders]

    def curve(self, form: np.ndarray, error: np.ndarray, epochs: int) -> np.ndarray:
        """See `ExpectedErrors.curve`; nothing is random here."""
        values = [error @ form @ error]
        for T in islice(cycle(self.sweeps), epochs):
            error = T @ error
            values.append(error @ form @ error)
        return np.array(values)

    def radius(self) -> Radius:
        """The radius of an epoch, with the first-order error of a computed eigenvalue as its interval."""
        there_and_back = np.eye(self.root.shape[0])
        for T in self.sweeps:
            there_and_back = T @ there_and_back
        in_energy = scipy.linalg.solve_triangular(self.root, (self.root.T @ there_and_back).T, lower=True).T
        return squared_radius(in_energy).power(1 / len(self.sweeps))

    def worst_epoch(self) -> float:
        """The largest factor by which the energy changes in one epoch, of any of the sweeps."""

        def after(T: np.ndarray) -> Map:
            return lambda M: T.T @ M @ T

        return max(worst_factor(after(T), self.root) for T in self.sweeps)


def squared_radius(T: np.ndarray) -> Radius:
    """rho(T)^2, by which errors fall, with the first-order error of a computed eigenvalue."""
    values, left, right = scipy.linalg.eig(T, left=True)
    k = int(np.argmax(np.abs(values)))
    condition = 1 / max(abs(np.vdot(left[:, k], right[:, k])), ROUNDING)
    largest, error = float(np.abs(values[k])), float(values.size * ROUNDING * np.linalg.norm(T) * condition)
    low, high = max(largest - error, 0.0) ** 2, (largest + error) ** 2
    return Radius(largest**2, low, high, np.real(np.outer(right[:, k], right[:, k].conj())))


def sweep_matrix(quadratic: Quadratic, order: np.ndarray) -> np.ndarray:
    """T (N, N) of one sweep: T_i of the coordinates in their order, the last one leftmost."""
    T = np.eye(quadratic.size)
    for i in order:
        T[i] -= quadratic.omega[i] * (quadratic.G[i] @ T)
    return T
