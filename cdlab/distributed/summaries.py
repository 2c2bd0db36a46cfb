"""Summaries: exact sums over shards, which do not depend on how these are divided."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..losses import Loss
from ..numerics.profiles import line_profile
from ..problems.labels import LabelMap, are_words, make_label_map
from .exact_sums import ExactSums
from .shards import Examples

MAX_CLASSES = 1000  # More distinct labels are the targets of a regression.
SUMS = ("squares", "C_D", "norms", "weights")


class Summary:
    """Exact sums over shards, and what else is known of them; the name is that of the first one.

    Squares are of columns, C_D, norms and weights one sum each, over rows; labels have the shard in which each came
    first, and are None if there are more than 1000. The sums of columns are plain ones.
    """

    def __init__(self, name: str, examples: Examples) -> None:
        X, y, weights = examples
        rows = line_profile(X, "rows")
        self.name, self.d, self.has_words = name, X.shape[1], are_words(y)
        self.counts = line_profile(X, "columns").counts
        self.sizes = np.array([y.size, rows.counts.sum(), np.count_nonzero(rows.counts)])
        self.largest = np.array([rows.norms2.max(), weights.max(), -weights.min()])
        self.columns = np.asarray(X.sum(axis=0)).ravel()
        self.squares, self.C_D, self.norms, self.weights = ExactSums(self.d), *(ExactSums() for _ in range(3))
        self.squares.add_columns(X)
        self.C_D.add(rows.counts * rows.norms2)
        self.norms.add(np.sqrt(rows.norms2))
        self.weights.add(weights)
        self.labels: dict[Any, str] | None = dict.fromkeys(np.unique(y).tolist(), name)
        self._forget_many()

    @property
    def n(self) -> int:
        """The number of examples."""
        return int(self.sizes[0])

    @property
    def mean_weight(self) -> float | None:
        """The mean of the weights of examples; None if all are alike."""
        return None if self.largest[1] == -self.largest[2] else self.weights.total() / self.n

    def join(self, other: Summary) -> Summary:
        """Add other shards, and return all.

        Raises
        ------
        ValueError
            If they have another number of columns, or words where these have numbers.
        """
        if other.d != self.d:
            raise ValueError(f"{other.name} has {other.d} features, and {self.name} has {self.d}: not one set")
        if other.has_words != self.has_words:
            words, numbers = (other, self) if other.has_words else (self, other)
            raise ValueError(f"the labels of {words.name} are words, and those of {numbers.name} numbers: not one set")
        self.sizes, self.counts = self.sizes + other.sizes, self.counts + other.counts
        self.columns = self.columns + other.columns
        self.largest = np.maximum(self.largest, other.largest)
        for name in SUMS:
            getattr(self, name).join(getattr(other, name))
        self.labels = self.labels and other.labels and self.labels | {**other.labels, **self.labels}  # first come first
        self._forget_many()
        return self

    def _forget_many(self) -> None:
        if self.labels is not None and len(self.labels) > MAX_CLASSES:
            self.labels = None

    def label_map(self, loss: Loss) -> LabelMap | None:
        """The map of all labels, see `labels.make_label_map`; a refusal names the shard in which a third class came."""
        if not loss.classification and not self.has_words:
            return None
        if self.labels is None:
            raise ValueError(f"there are more than 1000 distinct labels, and the {loss.name} loss is one of classes")
        try:
            return make_label_map(np.array(sorted(self.labels)), loss, self.n)
        except ValueError as error:
            shards = list(dict.fromkeys(self.labels.values()))
            if len(shards) == 1:
                raise
            late = next(label for label, shard in self.labels.items() if shard == shards[-1])
            raise ValueError(f"{shards[-1]} has the label {late!r}, which no shard before it has: {error}") from None
