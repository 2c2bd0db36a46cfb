"""Permutations of many coordinates: an estimate from simulated runs, since the exact recursion is out of reach.

A population of runs does an epoch each, and is drawn anew in proportion to the energies that are left: its covariance
is then a random step of the power method on C <- E[T C T'], and the quotient of total energies estimates the radius. A
mean over plain runs would be carried by ever fewer of them. It begins with the errors that last longest under
independent draws, which permutations leave nearly as they are.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from ..numerics.jit import kernel
from .draws import IndependentDraws
from .expected_errors import ExpectedErrors
from .quadratics import Quadratic, energy_root
from .radius import Radius

MAX_COORDINATES = 500
RUNS = 1000
SETTLING = 30  # epochs before the quotients are counted
COUNTED = 40
STANDARD_ERRORS = 3


@kernel
def sweep_runs(G: np.ndarray, omega: np.ndarray, orders: np.ndarray, errors: np.ndarray) -> None:
    """One epoch of each run: e <- e - omega_i (G e)_i e_i for all i of its order."""
    for run in range(errors.shape[0]):
        e = errors[run]
        for k in range(orders.shape[1]):
            i = orders[run, k]
            slope = 0.0
            for j in range(e.size):
                slope += G[i, j] * e[j]
            e[i] -= omega[i] * slope


class SimulatedPermutations(ExpectedErrors):
    """Errors under a fresh random order of all coordinates every epoch, estimated with a fixed seed."""

    how = "simulated"

    def __init__(self, quadratic: Quadratic):
        self.G, self.omega = quadratic.G, quadratic.omega
        self.root = energy_root(quadratic.G)
        uniform = np.full(quadratic.size, 1 / quadratic.size)
        self.beginning = IndependentDraws(quadratic, uniform).step_radius().matrix

    def curve(self, form: np.ndarray, error: np.ndarray, epochs: int) -> np.ndarray:
        """The mean over the simulated runs."""
        rng = np.random.default_rng(0)
        errors = np.repeat(error[None, :], RUNS, axis=0)
        values = [error @ form @ error]
        for _ in range(epochs):
            self._sweep(errors, rng)
            values.append(float(np.mean(np.einsum("ri,ri->r", errors @ form, errors))))
        return np.array(values)

    def radius(self) -> Radius:
        """The mean quotient of energies, plus and minus three standard errors."""
        rng = np.random.default_rng(0)
        values, vectors = np.linalg.eigh(self.beginning)
        in_energy = rng.standard_normal((RUNS, self.omega.size)) * np.sqrt(np.maximum(values, 0.0)) @ vectors.T
        errors = np.ascontiguousarray(scipy.linalg.solve_triangular(self.root, in_energy.T, lower=True, trans="T").T)
        quotients = []
        for _ in range(SETTLING + COUNTED):
            before = self._energies(errors)
            self._sweep(errors, rng)
            after = self._energies(errors)
            quotients.append(after.sum() / before.sum())
            if after.sum() == 0:
                return Radius(0.0, 0.0, 0.0, np.eye(self.omega.size))
            chosen = rng.choice(RUNS, RUNS, p=after / after.sum())
            errors = errors[chosen] / np.sqrt(after[chosen])[:, None]
        counted = np.array(quotients[SETTLING:])
        mean, error = float(counted.mean()), float(counted.std(ddof=1) / np.sqrt(COUNTED))
        return Radius(mean, max(mean - STANDARD_ERRORS * error, 0.0), mean + STANDARD_ERRORS * error, self.G)

    def _energies(self, errors: np.ndarray) -> np.ndarray:
        return np.einsum("ri,ri->r", errors @ self.G, errors)

    def _sweep(self, errors: np.ndarray, rng: np.random.Generator) -> None:
        orders = rng.permuted(np.repeat(np.arange(self.omega.size)[None, :], RUNS, axis=0), axis=1)
        sweep_runs(self.G, self.omega, orders, errors)
