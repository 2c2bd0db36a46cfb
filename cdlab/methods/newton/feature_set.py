"""A working set of features: which there are, in which order they entered, and their columns."""

from __future__ import annotations

import numpy as np

from ...problems.problem import Problem
from .model import Model
from .set_columns import FIRST_CAPACITY, SetColumns, enlarge

MIN_SET_SIZE, FIRST_SHARE = 50, 0.03  # features of a set, and those of the first one: of the smaller side of X
CHEAP_NONZEROS = 1e4  # of a set whose sweeps cost no more than the measurements that it saves
GROWTH, FULL_GROWTH = 2, 4  # of a set over the support of w; where w fills the last one
FULL_SHARE = 0.9  # of a set: a support that fills it


class FeatureSet:
    """The features that a model with l1 > 0 is of; an intercept enters at once.

    Attributes
    ----------
    size : int
        Features.
    nonzeros : int
        Of their columns.
    place : (d,) int64 array
        Of each feature, in the set; -1 outside.
    columns : SetColumns
    visits : float
        Nonzeros that were visited for it.
    """

    def __init__(self, P: Problem) -> None:
        self.P = P
        self.place, self.visits = np.full(P.d, -1), 0.0
        self.columns = SetColumns(P)
        self.size, self.capacity, self.nonzeros = 0, min(FIRST_CAPACITY, P.d), 0
        self._features = np.zeros(self.capacity, np.uint64)
        self._l1_share = self._shares()
        if P.intercept:
            self.enter(np.array([P.d - 1]))

    @property
    def features(self) -> np.ndarray:
        """(size,) of them."""
        return self._features[: self.size]

    @property
    def l1_share(self) -> np.ndarray:
        """(size,) 1, and 0 for the intercept, which stands first."""
        return self._l1_share[: self.size]

    def enter(self, features: np.ndarray) -> None:
        """Take these features in."""
        new = self.size + features.size
        if new > self.capacity:
            self.capacity = max(new, 2 * self.capacity)
            self._features = enlarge(self._features, self.capacity)
            self._l1_share = self._shares()
        self._features[self.size : new] = features
        self.place[features] = np.arange(self.size, new)
        self.nonzeros += int(self.P.column_profile.counts[features].sum())
        self.visits += self.columns.enter(self._features[:new], self.size, self.place)
        self.size = new

    def nonzeros_of(self, counts: np.ndarray) -> float:
        """Nonzeros in so many (size,) visits to each column."""
        return float(self.P.column_profile.counts[self.features] @ counts)

    def _shares(self) -> np.ndarray:
        share = np.ones(self.capacity)
        share[0] = 1.0 - self.P.intercept
        return share


def entering(P: Problem, K: FeatureSet, model: Model) -> np.ndarray:
    """The features that join the working set: where w is not 0, and those nearest to leaving 0.

    Feature j leaves 0 where |g_j| reaches l1; how far w has to move until it does is measured by ||X_:j||.
    """
    outside, norms2 = K.place < 0, P.column_profile.norms2
    used = model.w != 0
    missing = outside & used
    count = int(used.sum())
    growth = FULL_GROWTH if count >= FULL_SHARE * K.size else GROWTH
    size = max(MIN_SET_SIZE, int(FIRST_SHARE * min(P.n, P.d)), growth * count)
    distance = np.full(P.d, np.inf)
    candidates = outside & ~used & (norms2 > 0)
    distance[candidates] = (P.l1 - np.abs(model.g[candidates])) / np.sqrt(norms2[candidates])
    violating = int((distance < 0).sum())
    cheap = int(CHEAP_NONZEROS * P.d / max(1, P.nnz)) - K.size  # of columns as long as the mean
    room = max(size - K.size - int(missing.sum()), min(violating, max(MIN_SET_SIZE, count, cheap)))
    room = max(room, violating) if P.n > P.d else room
    room = min(room, int(candidates.sum())) if violating else 0
    nearest = np.argpartition(distance, room - 1)[:room] if room > 0 else np.empty(0, np.intp)
    return np.sort(np.concatenate([np.flatnonzero(missing), nearest]))
