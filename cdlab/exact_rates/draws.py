"""Independent draws with replacement: the expectation of one step is three products of matrices, for any N.

With T_i = I - omega_i e_i e_i'G and i drawn with probability p_i,

    L_1(M) = E[T_i'MT_i] = M - B - B' + G diag(p_i omega_i^2 M_ii) G,   B = M diag(p omega) G.

An epoch is as many steps as there are coordinates. Where some of these do not move, p sums to less than 1.
"""

from __future__ import annotations

import numpy as np

from .expected_errors import SymmetricEpochs
from .quadratics import Quadratic
from .radius import Radius, symmetric_radius

MAX_COORDINATES = 200  # a radius of 200 takes about ten seconds


class IndependentDraws(SymmetricEpochs):
    """Expected errors under draws that are independent and alike.

    Parameters
    ----------
    quadratic : Quadratic
    p : (N,) array
        Probabilities of its coordinates.
    """

    how = "Lanczos"

    def __init__(self, quadratic: Quadratic, p: np.ndarray):
        super().__init__(quadratic.G)
        self.omega, self.p, self.draws = quadratic.omega, p, quadratic.drawn

    def step(self, M: np.ndarray) -> np.ndarray:
        """L_1(M)."""
        G, omega, p = self.G, self.omega, self.p
        B = M * (p * omega) @ G
        return M - B - B.T + G * (p * omega**2 * np.diag(M)) @ G

    def epoch(self, M: np.ndarray) -> np.ndarray:
        """See `SymmetricEpochs.epoch`."""
        for _ in range(self.draws):
            M = self.step(M)
        return M

    def step_radius(self) -> Radius:
        """The radius of one step."""
        return symmetric_radius(self.step, self.root)

    def radius(self) -> Radius:
        """The radius of an epoch."""
        return self.step_radius().power(self.draws)
