"""Serial samplings: one coordinate at a time.

Some draw with replacement and independently, with their probabilities. The others are orders, in which every epoch goes
over the coordinates; no theorem here covers them.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..numerics import checks
from ..numerics.checks import set_number_field
from ..numerics.jit import kernel
from .base import Coordinates, Epochs, Sampling, normalised


@dataclass(frozen=True)
class Uniform(Sampling):
    """Each coordinate with probability 1/m, with replacement."""

    name: ClassVar[str] = "uniform"
    summary: ClassVar[str] = "Every coordinate is equally likely."

    def epochs(self, c: Coordinates, rng: np.random.Generator) -> Iterator[np.ndarray]:
        m = c.m
        return Epochs(lambda k: rng.integers(m, size=k * m, dtype=np.uint64))


@dataclass(frozen=True)
class Permutation(Sampling):
    """A new random order of all coordinates each epoch ("random reshuffling")."""

    name: ClassVar[str] = "permutation"
    summary: ClassVar[str] = "Every coordinate once a pass, in an order that is drawn anew for each pass."
    has_theorem: ClassVar[bool] = False

    def epochs(self, c: Coordinates, rng: np.random.Generator) -> Iterator[np.ndarray]:
        compile_permutation()
        return Epochs(lambda k: random_permutations(rng, c.m, k))


@dataclass(frozen=True)
class PairedPermutation(Sampling):
    """A new random order of all coordinates, and in the next epoch that order back ("FlipFlop").

    Rajput, Lee & Papailiopoulos, Permutation-based SGD: is random optimal? (2022), for sgd on quadratics.
    """

    name: ClassVar[str] = "paired_permutation"
    summary: ClassVar[str] = (
        "Every coordinate once a pass: in a new random order, and in the next pass that order back."
    )
    has_theorem: ClassVar[bool] = False

    def epochs(self, c: Coordinates, rng: np.random.Generator) -> Iterator[np.ndarray]:
        compile_permutation()
        while True:
            order = random_permutations(rng, c.m)
            yield order
            yield order[::-1].copy()


@dataclass(frozen=True)
class FixedPermutation(Sampling):
    """One random order of all coordinates, reused every epoch."""

    name: ClassVar[str] = "fixed_permutation"
    summary: ClassVar[str] = "Every coordinate once a pass, always in the same random order."
    has_theorem: ClassVar[bool] = False
    period: ClassVar[int | None] = 1

    def epochs(self, c: Coordinates, rng: np.random.Generator) -> Iterator[np.ndarray]:
        compile_permutation()
        return itertools.repeat(random_permutations(rng, c.m))


@dataclass(frozen=True)
class Cyclic(Sampling):
    """0, 1, ..., m - 1, every epoch. Can be hundreds of times slower than a random order (Sun & Ye 2016)."""

    name: ClassVar[str] = "cyclic"
    summary: ClassVar[str] = "One coordinate after another, always in the same order."
    has_theorem: ClassVar[bool] = False
    period: ClassVar[int | None] = 1

    def epochs(self, c: Coordinates, rng: np.random.Generator) -> Iterator[np.ndarray]:
        order = np.arange(c.m, dtype=np.uint64)
        while True:
            yield order


@dataclass(frozen=True)
class Symmetric(Sampling):
    """0, 1, ..., m - 1 in one epoch and back in the next.

    On a quadratic, exact steps there and back are a symmetric iteration, which extrapolation is made for; without it
    two such epochs are never faster than two cyclic ones in the end.
    """

    name: ClassVar[str] = "symmetric"
    summary: ClassVar[str] = "One coordinate after another, and in the next pass back again."
    has_theorem: ClassVar[bool] = False
    period: ClassVar[int | None] = 2

    def epochs(self, c: Coordinates, rng: np.random.Generator) -> Iterator[np.ndarray]:
        order = np.arange(c.m, dtype=np.uint64)
        while True:
            yield order
            yield order[::-1].copy()


@dataclass(frozen=True)
class Importance(Sampling):
    """p_i proportional to beta v_i + l2 n: minimises iterations and total work of the bound at once.

    Csiba & Richtarik 2016, eq. (14) and Theorem 2.
    """

    name: ClassVar[str] = "importance"
    summary: ClassVar[str] = (
        "Coordinates on which a step is short are drawn more often: the sampling of the face-off's theorem."
    )
    needs_smooth: ClassVar[bool] = True

    def probabilities(self, c: Coordinates) -> np.ndarray:
        return normalised(c.smoothness)  # s_i, as `Coordinates` says


@dataclass(frozen=True)
class Norms(Sampling):
    """p_i = 1/(2m) + ||a_i|| / (2 sum ||a||) (Zhang & Xiao 2015, Algorithm 2); uniform if X = 0."""

    name: ClassVar[str] = "norms"
    summary: ClassVar[str] = "In proportion to the norms of the lines."

    def probabilities(self, c: Coordinates) -> np.ndarray:
        return 0.5 / c.m + 0.5 * normalised(np.sqrt(c.norms2))


@dataclass(frozen=True)
class Lipschitz(Sampling):
    """p_i proportional to (beta v_i + l2 n)^power.

    Parameters
    ----------
    power : float >= 0, default 0.5
        Between 0 (uniform) and 1 (importance), or larger.

    References
    ----------
    Nesterov, Efficiency of coordinate descent methods on huge-scale optimization problems (2012).
    """

    power: float = 0.5
    name: ClassVar[str] = "lipschitz"
    summary: ClassVar[str] = "In proportion to the smoothness of each coordinate."
    needs_smooth: ClassVar[bool] = True

    def __post_init__(self) -> None:
        set_number_field(self, "power", "a number >= 0, usually at most 1", (), ends="[)")

    def probabilities(self, c: Coordinates) -> np.ndarray:
        s = c.smoothness
        return normalised((s / (s.max() or 1.0)) ** self.power)


@dataclass(frozen=True, eq=False)
class Given(Sampling):
    """The probabilities in `p` (m,), divided by their sum.

    Positive on every coordinate that the method must not neglect: `solve` refuses others.

    Parameters
    ----------
    p : (m,) array, >= 0
        Need not be of sum 1.
    """

    p: np.ndarray
    name: ClassVar[str] = "given"

    def __post_init__(self) -> None:
        p = checks.real_array("sampling probabilities", self.p)
        if p.ndim != 1:
            raise ValueError(
                f"sampling probabilities must be a 1-D array, one per coordinate; this has shape {p.shape}"
            )
        bad = np.flatnonzero(~(np.isfinite(p) & (p >= 0)))
        if bad.size:
            raise ValueError(
                f"sampling probability {p[bad[0]]} of coordinate {bad[0]} (of {bad.size} such): probabilities must be "
                "finite and positive"
            )
        if p.size and not p.any():
            raise ValueError("all sampling probabilities are 0; give each coordinate a positive one")
        object.__setattr__(self, "p", p)

    def __repr__(self) -> str:
        return f"Given(p of {self.p.size} coordinates)"

    @property
    def label(self) -> str:
        return self.name

    def probabilities(self, c: Coordinates) -> np.ndarray:
        if self.p.size != c.m:
            raise ValueError(
                f"{self.p.size} sampling probabilities were given for {c.m} coordinates; give one for each"
            )
        return normalised(self.p)

    def among(self, which: np.ndarray) -> Sampling:
        return Given(self.p[which])


def random_permutations(rng: np.random.Generator, m: int, k: int = 1) -> np.ndarray:
    """The numbers 0, ..., m - 1 in k random orders, one after another, uint64 (k m,).

    A fourth of the time of numpy's own, which asks its generator for one bounded integer after another: an epoch on
    short rows is not much longer. Of m! orders each is as likely as any other up to m 2^-53, the grain of `rng.random`.
    """
    orders = np.empty(k * m, np.uint64)
    _fill_permutations(orders, rng.random(k * m), m)
    return orders


def compile_permutation() -> None:
    """Compile it: not what a run's clock shall count."""
    _fill_permutations(np.empty(0, np.uint64), np.empty(0), 1)


@kernel
def _fill_permutations(orders: np.ndarray, u: np.ndarray, m: int) -> None:
    """Each k goes to a place j among the first k + 1, and what stood there to the end (Fisher & Yates, inside out)."""
    for begin in range(np.uint64(0), np.uint64(orders.size), np.uint64(m)):
        for k in range(np.uint64(m)):
            j = begin + np.uint64(u[begin + k] * (k + np.uint64(1)))
            orders[begin + k] = orders[j]
            orders[j] = k
