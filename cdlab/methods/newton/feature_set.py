"""A working set of features: its members in the order in which they entered, and their columns."""

from __future__ import annotations

from math import inf, sqrt
from typing import NamedTuple

import numpy as np

from ...numerics.jit import kernel
from ...problems.problem import Problem
from .model import Model
from .set_columns import FIRST_CAPACITY, SetColumns, enlarge

MIN_SET_SIZE, FIRST_SHARE = 50, 0.03  # Least size of a set; least first size, relative to the smaller side of X.
FIRST_GROWTH = 2  # Size of the first set, relative to the number of features that leave 0 at w.
CHEAP_NONZEROS = 1e4  # Nonzeros of a set whose sweeps cost no more than the measurements it saves.
GROWTH, FULL_GROWTH = 2, 4  # Size of a set relative to the support of w; the second where w fills the last set.
FULL_SHARE = 0.9  # Share of a set from which on a support fills it.


class FeatureSet:
    """Features over which a model with l1 > 0 is minimised; an intercept enters at once.

    Attributes
    ----------
    size : int
        Number of features.
    nonzeros : int
        Nonzeros of their columns.
    position_in_set : (d,) int64 array
        Position of each feature; -1 outside of the set.
    columns : SetColumns
    visits : float
        Nonzeros visited for the set.
    """

    def __init__(self, P: Problem) -> None:
        self.P = P
        self.position_in_set, self.visits = np.full(P.d, -1), 0.0
        self.columns = SetColumns(P)
        self.size, self.capacity, self.nonzeros = 0, min(FIRST_CAPACITY, P.d), 0
        self._features = np.zeros(self.capacity, np.uint64)
        self._l1_share = self._shares()
        if P.intercept:
            self.enter(np.array([P.d - 1]))

    @property
    def features(self) -> np.ndarray:
        """Features of the set (size,), in the order in which they entered."""
        return self._features[: self.size]

    @property
    def l1_share(self) -> np.ndarray:
        """Factors of l1 (size,): 1, and 0 for the intercept, which stands first."""
        return self._l1_share[: self.size]

    def enter(self, features: np.ndarray) -> None:
        """Add these features."""
        new = self.size + features.size
        if new > self.capacity:
            self.capacity = max(new, 2 * self.capacity)
            self._features = enlarge(self._features, self.capacity)
            self._l1_share = self._shares()
        self._features[self.size : new] = features
        self.position_in_set[features] = np.arange(self.size, new)
        self.nonzeros += int(self.P.column_profile.counts[features].sum())
        self.visits += self.columns.enter(self._features[:new], self.size, self.position_in_set)
        self.size = new

    def nonzeros_of(self, counts: np.ndarray) -> float:
        """Count the nonzeros in so many (size,) visits to each column."""
        return float(self.P.column_profile.counts[self.features] @ counts)

    def _shares(self) -> np.ndarray:
        share = np.ones(self.capacity)
        share[0] = 1.0 - self.P.intercept
        return share


class Entering(NamedTuple):
    """Features that join a working set."""

    features: np.ndarray
    left_out: int  # number of others that violate |g_j| <= l1


def entering(P: Problem, K: FeatureSet, model: Model, first_share: float) -> Entering:
    """Choose the features that join the working set: those where w is not 0, and those nearest to leaving 0.

    Feature j leaves 0 where |g_j| reaches l1; how far w has to move until it does is measured by ||X_:j||. Where few
    leave 0 at first, the support will hardly be larger: then the first set is of FIRST_GROWTH times as many, which
    may be a share `first_share` of the smaller side of X; of any size where n > d.
    """
    distance = np.empty(P.d)
    counts = np.zeros(4, np.int64)
    find_distances(K.position_in_set, P.column_profile.norms2, model.w, model.g, P.l1, distance, counts)
    count, missing, candidates, violating = counts.tolist()
    growth = FULL_GROWTH if count >= FULL_SHARE * K.size else GROWTH
    smaller = min(P.n, P.d)
    first = FIRST_GROWTH * violating if K.size == P.intercept else 0
    first = first if first <= first_share * smaller or P.n > P.d else 0
    size = max(MIN_SET_SIZE, int(FIRST_SHARE * smaller), first, growth * count)
    cheap = int(CHEAP_NONZEROS * P.d / max(1, P.nnz)) - K.size  # columns of the mean length
    room = max(size - K.size - missing, min(violating, max(MIN_SET_SIZE, count, cheap)))
    room = max(room, violating, first) if P.n > P.d else room
    room = min(room, candidates) if violating else 0
    nearest = np.argpartition(distance, room - 1)[:room] if room > 0 else np.empty(0, np.intp)
    left_out = max(0, violating - max(0, room))
    if not missing:
        return Entering(np.sort(nearest), left_out)
    used = np.flatnonzero((K.position_in_set < 0) & (model.w != 0))
    return Entering(np.sort(np.concatenate([used, nearest])), left_out)


@kernel
def find_distances(
    index: np.ndarray, norms2: np.ndarray, w: np.ndarray, g: np.ndarray, l1: float, out: np.ndarray, counts: np.ndarray
) -> None:
    """Set out_j = (l1 - |g_j|)/||X_:j|| for the features outside of the set with w_j = 0, inf for the others.

    `index` is each feature's position in the set. `counts` (4,) adds up the nonzeros of w, those of them outside of the
    set, the other features that may join, and those of these that violate |g_j| <= l1.
    """
    for j in range(w.size):
        out[j] = inf
        if w[j] != 0.0:
            counts[0] += 1
            counts[1] += index[j] < 0
        elif index[j] < 0 and norms2[j] > 0.0:
            out[j] = (l1 - abs(g[j])) / sqrt(norms2[j])
            counts[2] += 1
            counts[3] += out[j] < 0.0
