"""A fresh permutation every epoch: a recursion over subsets, exact for up to 16 coordinates.

The last update of a random order of the set U is uniform in U, so the expectation over orders obeys

    M_{} = M,   M_U = (1/|U|) sum_{i in U} T_i' M_{U without i} T_i,   L(M) = M_{all},

in N 2^(N-1) updates of rank two in place of N! orders. Entry (i, j) of the expected T has, as a polynomial in the
off-diagonal of G, the number of Hamiltonian paths from j to i among its coefficients: no algorithm that is polynomial
in N can be exact for all G unless P = #P.
"""

from __future__ import annotations

import numpy as np

from ..numerics.jit import kernel
from .expected_errors import SymmetricEpochs
from .quadratics import Quadratic

MAX_COORDINATES = 16


@kernel
def subset_recursion(G: np.ndarray, omega: np.ndarray, M: np.ndarray) -> None:
    """Fill M[U] for all subsets U, bit masks; M[0] is the form. Subsets of U are smaller numbers than U."""
    N = omega.size
    for U in range(1, M.shape[0]):
        size = 0
        for i in range(N):
            size += (U >> i) & 1
        for i in range(N):
            if (U >> i) & 1 == 0:
                continue
            S, share = M[U ^ (1 << i)], 1 / size
            # T_i'ST_i = S - omega_i (g r' + r g') + omega_i^2 S_ii g g', g = G[i], r = S[i]
            for j in range(N):
                a = share * omega[i] * (omega[i] * S[i, i] * G[i, j] - S[i, j])
                b = -share * omega[i] * G[i, j]
                for k in range(N):
                    M[U, j, k] += share * S[j, k] + a * G[i, k] + b * S[i, k]


class Permutations(SymmetricEpochs):
    """Expected errors under a fresh random order of all coordinates every epoch.

    An order and its reverse are equally likely, so that the map of forms is symmetric in energy.
    """

    how = "subsets"

    def __init__(self, quadratic: Quadratic):
        super().__init__(quadratic.G)
        self.omega = quadratic.omega

    def epoch(self, M: np.ndarray) -> np.ndarray:
        """See `SymmetricEpochs.epoch`."""
        N = self.omega.size
        states = np.zeros((1 << N, N, N))
        states[0] = M
        subset_recursion(self.G, self.omega, states)
        return states[-1].copy()
