"""Groups of equal coordinates: forms that no exchange of equals changes are a few numbers, whatever N.

Two coordinates are equal if G, the steps and the draws stay the same when they are exchanged. With k groups of sizes
n_g such a form has one value on the diagonal for each group, and one for each pair of groups off it (of a group with
itself: between two different coordinates): k + k(k + 1)/2 numbers, less one for each group of one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.linalg

MAX_GROUPS = 6
EQUAL = 1e-10  # relative difference of entries of equal coordinates


class GroupForm(NamedTuple):
    """A form that does not tell equal coordinates apart."""

    diag: np.ndarray  # (k,) of a coordinate of each group
    pair: np.ndarray  # (k, k) of two different coordinates of these groups; 0 in a group of one


@dataclass(frozen=True, eq=False)
class Groups:
    """Which coordinates are equal.

    Attributes
    ----------
    of : (N,) array
        The group of each coordinate, 0, ..., k - 1.
    sizes : (k,) array
    """

    of: np.ndarray
    sizes: np.ndarray

    @property
    def first(self) -> np.ndarray:
        """The first coordinate of each group (k,)."""
        return np.unique(self.of, return_index=True)[1]

    def form(self, M: np.ndarray) -> GroupForm:
        """M (N, N), which tells no equal coordinates apart, by groups."""
        pair = np.empty((self.sizes.size,) * 2)
        for g in range(self.sizes.size):
            members = np.flatnonzero(self.of == g)
            row = M[members[0]]
            for h in range(self.sizes.size):
                others = np.flatnonzero((self.of == h) & (np.arange(self.of.size) != members[0]))
                pair[g, h] = row[others[0]] if others.size else 0.0
        return GroupForm(np.diag(M)[self.first].copy(), pair)

    def value(self, M: GroupForm, e: np.ndarray) -> float:
        """e'Me, e (N,)."""
        sums = np.bincount(self.of, e, self.sizes.size)
        squares = np.bincount(self.of, e**2, self.sizes.size)
        return float((M.diag - np.diag(M.pair)) @ squares + sums @ M.pair @ sums)

    def product(self, M: GroupForm, N: GroupForm) -> GroupForm:
        """The matrix product M N: (x + X)(y + Y), x the diagonal part and X constant on blocks."""
        x, y = M.diag - np.diag(M.pair), N.diag - np.diag(N.pair)
        Z = x[:, None] * N.pair + M.pair * y + (M.pair * self.sizes) @ N.pair
        return self.canonical(x * y + np.diag(Z), Z)

    def inverse(self, M: GroupForm) -> GroupForm:
        """M^-1 = 1/x + Y: from (x + X)(1/x + Y) = I."""
        x = M.diag - np.diag(M.pair)
        Y = -np.linalg.solve(np.diag(x) + M.pair * self.sizes, M.pair / x)
        return self.canonical(1 / x + np.diag(Y), Y)

    def trace(self, M: GroupForm) -> float:
        """tr M."""
        return float(M.diag @ self.sizes)

    def canonical(self, diag: np.ndarray, pair: np.ndarray) -> GroupForm:
        """The form with 0 where a group of one has no pair."""
        pair = pair.copy()
        alone = np.flatnonzero(self.sizes == 1)
        pair[alone, alone] = 0.0
        return GroupForm(diag, pair)

    def range(self, M: GroupForm, N: GroupForm) -> tuple[float, float]:
        """The smallest and the largest generalised eigenvalue of (M, N), N positive definite.

        Vectors of sum 0 inside of one group see the diagonal parts alone, the others a matrix (k, k).
        """
        several = self.sizes > 1
        inside = (M.diag - np.diag(M.pair))[several] / (N.diag - np.diag(N.pair))[several]
        across = scipy.linalg.eigh(self._across(M), self._across(N), eigvals_only=True)
        values = np.concatenate([inside, across])
        return float(values.min()), float(values.max())

    def _across(self, M: GroupForm) -> np.ndarray:
        root = np.sqrt(self.sizes)
        return np.diag(M.diag - np.diag(M.pair)) + root[:, None] * (M.pair + M.pair.T) / 2 * root

    @property
    def entries(self) -> list[tuple[int, int]]:
        """The free numbers of a form: (g, -1) on the diagonal, (g, h) off it."""
        k = self.sizes.size
        pairs = [(g, h) for g in range(k) for h in range(g, k) if g != h or self.sizes[g] > 1]
        return [(g, -1) for g in range(k)] + pairs

    def to_vector(self, M: GroupForm) -> np.ndarray:
        """The free numbers of M."""
        return np.array([M.diag[g] if h < 0 else M.pair[g, h] for g, h in self.entries])

    def from_vector(self, v: np.ndarray) -> GroupForm:
        """The form with these free numbers."""
        k = self.sizes.size
        diag, pair = np.zeros(k), np.zeros((k, k))
        for value, (g, h) in zip(v, self.entries, strict=True):
            if h < 0:
                diag[g] = value
            else:
                pair[g, h] = pair[h, g] = value
        return GroupForm(diag, pair)


def find_groups(matrices: list[np.ndarray], vectors: list[np.ndarray]) -> Groups | None:
    """The groups of coordinates that none of these matrices (N, N) and vectors (N,) tells apart.

    Returns
    -------
    Groups or None
        None if there are more than `MAX_GROUPS`.
    """
    N = matrices[0].shape[0]
    of = np.full(N, -1)
    representatives: list[int] = []
    for i in range(N):
        for g, r in enumerate(representatives):
            if _exchangeable(i, r, matrices, vectors):
                of[i] = g
                break
        else:
            if len(representatives) == MAX_GROUPS:
                return None
            of[i] = len(representatives)
            representatives.append(i)
    return Groups(of, np.bincount(of))


def _exchangeable(i: int, r: int, matrices: list[np.ndarray], vectors: list[np.ndarray]) -> bool:
    if any(abs(v[i] - v[r]) > EQUAL * abs(v[r]) for v in vectors):
        return False
    for M in matrices:
        scale = EQUAL * np.abs(M[r]).max()
        different = np.abs(M[i] - M[r]) > scale
        different[[i, r]] = False
        if different.any() or abs(M[i, i] - M[r, r]) > scale:
            return False
    return True
