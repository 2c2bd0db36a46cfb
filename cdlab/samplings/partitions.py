"""Blocks of partitioned coordinates: one from each bucket, some from each machine; and those made for a block size."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..numerics import checks
from ..numerics.checks import set_integer_field
from .base import Coordinates
from .blocks import Blocks, Independent

POWERS = {"uniform": 0.0, "importance": 1.0, "lipschitz": 0.5}  # of s_i, in probabilities


@dataclass(frozen=True, eq=False)
class Bucket(Blocks):
    """One coordinate from each bucket, independently: as many as there are buckets.

    Parameters
    ----------
    buckets : sequence of index arrays
        A partition of the coordinates 0, ..., m - 1.
    p : (m,) array, optional
        Probabilities within the buckets, positive; each bucket's are divided by their sum. Default: uniform in each.

    Attributes
    ----------
    of : (m,) the bucket of each coordinate
    inside : (m,) probabilities within the buckets, with sum 1 in each

    References
    ----------
    Csiba & Richtarik, Importance sampling for minibatches (2018).
    """

    buckets: Sequence[np.ndarray]
    p: np.ndarray | None = None
    of: np.ndarray = field(init=False)
    inside: np.ndarray = field(init=False)
    name: ClassVar[str] = "bucket"
    summary: ClassVar[str] = "One coordinate of each bucket at once."
    example: ClassVar[str] = "Bucket(buckets=[[0, 1], [2, 3, 4]])"

    def __post_init__(self) -> None:
        buckets = tuple(checks.array("each of Bucket's buckets", b) for b in _as_bucket_tuple(self.buckets))
        if not buckets or any(b.ndim != 1 or b.size == 0 or b.dtype.kind not in "iu" for b in buckets):
            raise ValueError("Bucket needs at least one bucket, each a non-empty 1-D array of coordinate numbers")
        buckets = tuple(b.astype(np.int64) for b in buckets)
        sizes, flat = np.array([b.size for b in buckets]), np.concatenate(buckets)
        if not np.array_equal(np.sort(flat), np.arange(flat.size)):
            raise ValueError(f"Bucket's {flat.size} entries must be 0 to {flat.size - 1}, each in exactly one bucket")
        of = np.empty(flat.size, np.int64)
        of[flat] = np.repeat(np.arange(sizes.size), sizes)
        p = np.ones(flat.size) if self.p is None else checks.real_array("Bucket's p", self.p)
        if p.shape != flat.shape or not np.all(np.isfinite(p) & (p > 0)):
            raise ValueError(f"Bucket's p must be {flat.size} positive numbers, one for each coordinate")
        for name, value in (("buckets", buckets), ("of", of), ("inside", p / np.bincount(of, weights=p)[of])):
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        return f"Bucket({len(self.buckets)} buckets of {self.of.size} coordinates)"

    @property
    def label(self) -> str:
        return f"{self.name}({len(self.buckets)} buckets)"

    def marginals(self, m: int) -> np.ndarray:
        if self.of.size != m:
            raise ValueError(f"{self} does not fit {m} coordinates; its buckets must hold 0 to {m - 1}")
        return self.inside.copy()

    def draws(self, m: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        # Bucket k owns [k, k + 1) of one cumulative sum, so a single search draws from every bucket at once.
        flat = np.concatenate(self.buckets)
        ends = np.cumsum([b.size for b in self.buckets])
        starts, k = ends - [b.size for b in self.buckets], np.arange(ends.size)
        edges = np.concatenate([i + np.cumsum(self.inside[b]) for i, b in enumerate(self.buckets)])
        while True:
            places = np.searchsorted(edges, k + rng.random(k.size), side="right")
            yield flat[np.clip(places, starts, ends - 1)]  # edges are k + 1 only up to rounding


@dataclass(frozen=True)
class Distributed(Blocks):
    """c machines, each holding m/c consecutive coordinates and drawing tau of them (tau-nice): c tau in all.

    Parameters
    ----------
    c : int >= 1
        Machines; c must divide the number of coordinates.
    tau : int >= 1
        Coordinates that a machine draws; at most as many as it holds.

    References
    ----------
    Fercoq, Qu, Richtarik & Takac, Fast distributed coordinate descent (2014).
    """

    c: int
    tau: int
    name: ClassVar[str] = "distributed"
    summary: ClassVar[str] = "Some coordinates of each machine at once."
    example: ClassVar[str] = "Distributed(c=4, tau=8)"

    def __post_init__(self) -> None:
        set_integer_field(self, "c", "a whole number >= 1", ())
        set_integer_field(self, "tau", "a whole number >= 1", ())

    def size(self, m: int) -> int:
        """Coordinates of one machine, m/c.

        Raises
        ------
        ValueError
            If c does not divide m, or a machine holds fewer than tau.
        """
        if m % self.c:
            near = min((k for k in range(1, m + 1) if m % k == 0), key=lambda k: abs(k - self.c))
            raise ValueError(f"{self}: {m} coordinates do not split into {self.c} parts of one size; take c = {near}")
        if self.tau > m // self.c:
            raise ValueError(f"{self}: each part has {m // self.c} coordinates; take tau <= {m // self.c}")
        return m // self.c

    def marginals(self, m: int) -> np.ndarray:
        return np.full(m, self.tau / self.size(m))

    def draws(self, m: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        s = self.size(m)
        while True:
            yield np.concatenate([k * s + rng.choice(s, self.tau, replace=False, shuffle=False) for k in range(self.c)])


@dataclass(frozen=True)
class BySize(Blocks):
    """Independent, bucket or distributed blocks of about so many coordinates, made for those that there are.

    Draws by importance have p_i in proportion to s_i = beta ||a_i||^2 + l2 n, those by lipschitz to sqrt(s_i), which
    suits methods with momentum: within buckets, to which coordinates are dealt out in turn from the largest s_i on, or
    by a coin of each, at most 1.

    Parameters
    ----------
    kind : "independent", "bucket" or "distributed"
        Coins of probability size/m; as many buckets as that; or machines that share the block: the fewest, above one,
        whose number divides both m and the size.
    size : int >= 1
        Coordinates of a block; with coins on average, and fewer where some p_i would be above 1.
    by : "uniform", "importance" or "lipschitz", default "uniform"
        What the probabilities are; distributed blocks are drawn uniformly.
    """

    kind: str
    size: int
    by: str = "uniform"
    name: ClassVar[str] = "by_size"
    example: ClassVar[str] = 'BySize("bucket", 8, by="importance")'

    def __post_init__(self) -> None:
        checks.one_of("BySize's kind", self.kind, ("independent", "bucket", "distributed"))
        checks.one_of("BySize's by", self.by, POWERS)
        set_integer_field(self, "size", "a whole number >= 1", ())
        object.__setattr__(self, "name", self.kind)  # of which theorems speak
        object.__setattr__(self, "needs_smooth", self.by != "uniform")

    @property
    def label(self) -> str:
        return f"{self.kind}({self.size})" if self.by == "uniform" else f"{self.kind}({self.size}, {self.by})"

    def on(self, c: Coordinates) -> Blocks:
        m, size = c.m, self.size
        if size > m:
            raise ValueError(f"{self.label}: there are {m} coordinates; take a size <= {m}")
        s = np.ones(m) if self.by == "uniform" else c.smoothness ** POWERS[self.by]
        s = np.where(s > 0, s, s[s > 0].min(initial=s.max() or 1.0))  # l2 = 0 and an empty line
        if self.kind == "independent":
            return Independent(np.minimum(1.0, size * s / s.sum()))
        if self.kind == "bucket":
            order = np.argsort(-s, kind="stable")
            return Bucket([order[k::size] for k in range(size)], s)
        if self.by != "uniform":
            raise ValueError(f"distributed blocks are drawn uniformly: take bucket or independent ones by {self.by}")
        machines = next((k for k in range(2, size + 1) if m % k == size % k == 0), 1)
        if machines == 1 < m:
            near = min((k for k in range(2, m + 1) if math.gcd(k, m) > 1), key=lambda k: abs(k - size))
            raise ValueError(f"{self.label}: no machines can share {m} coordinates and such blocks; take {near}")
        return Distributed(machines, size // machines)

    def marginals(self, m: int) -> np.ndarray:
        raise TypeError(f"{self.label} blocks are made for their coordinates: ask for probabilities(c)")

    def draws(self, m: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        raise TypeError(f"{self.label} blocks are made for their coordinates: take them from blocks(c, rng)")


def _as_bucket_tuple(buckets: Any) -> tuple[Any, ...]:
    try:
        return tuple(buckets)
    except TypeError:
        raise ValueError(f"Bucket's buckets must be a list of index arrays, not {checks.short_repr(buckets)}") from None
