"""Methods that update a block of coordinates from one point: what their ``batch_size`` means, and their steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from .. import samplings
from ..eso_parameters import eso
from ..numerics import checks
from ..numerics.checks import set_integer_field
from ..problems.points import View
from ..problems.problem import Problem
from ..samplings import Batches, Blocks, BySize, NormsBlocks, Sampling, SamplingLike, TauNice
from ..samplings.base import blocks_of_one
from .base import Method, State


@dataclass(frozen=True)
class MiniBatch(Method[State]):
    """A method with mini-batches: ``batch_size=m`` makes uniform sampling ``TauNice(m)``; without it, blocks of one.

    `blocks_of` says what other samplings become.

    Parameters
    ----------
    batch_size : int, optional
        Coordinates updated together, drawn without replacement.
    """

    batch_size: int | None = field(default=None, kw_only=True)

    takes: ClassVar[tuple[str, ...]] = ("l1", "blocks", "bounds")
    blocks_of: ClassVar[dict[str, Callable[[int], Blocks]]] = {"uniform": TauNice}  # of a serial sampling: batch_size

    def __post_init__(self) -> None:
        set_integer_field(self, "batch_size", "a whole number >= 1, or None")

    def draws(self, sampling: Sampling) -> Sampling:
        """The sampling that blocks are drawn from."""
        if self.batch_size is None or sampling.name not in self.blocks_of:
            return sampling
        return self.blocks_of[sampling.name](self.batch_size)

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if isinstance(self.draws(sampling), NormsBlocks) and NormsBlocks not in self.blocks_of.values():
            yield f"{self.name} does not run with {sampling.name} blocks, which are spdc's: use tau_nice or bucket"
        if self.batch_size is None:
            return
        is_own = sampling in [make(self.batch_size) for make in self.blocks_of.values()]
        if self.draws(sampling) is sampling and not is_own:
            yield (
                f"{self.name} with batch_size={self.batch_size} draws blocks by TauNice({self.batch_size}) and "
                f"cannot follow {sampling.name} sampling: use {checks.join_with_or(self.blocks_of)}, or leave "
                "batch_size out"
            )
        what, count = ("examples", problem.n) if self.side == "dual" else ("features", problem.d)
        if self.batch_size > count:
            yield f"{self.name} has batch_size={self.batch_size} for {count} {what}: take batch_size <= {count}"

    def norms2_in_blocks(self, problem: Problem, sampling: SamplingLike) -> np.ndarray:
        """The squared norms (m,) of the lines, or the ESO parameters of the blocks that are drawn."""
        drawn = self.draws(samplings.resolve(sampling))
        return problem.coordinates(self.side).norms2 if drawn.serial else eso(problem, drawn, side=self.side)


@dataclass(frozen=True)
class OneOrMany(MiniBatch[State]):
    """Rcd, sdca, quartz, saga, acc_rcd, apcg: kernels for one coordinate and for blocks, steps by the sampling's ESO.

    With a batch size, importance sampling draws one coordinate of each of so many buckets, by importance within them.
    Epochs are index arrays for serial samplings and Batches for all others. States have a scratch ``h``, the steps of
    a block, which is empty where the kernel of single coordinates runs.
    """

    zero_rows: ClassVar[str] = "set"
    blocks_of: ClassVar[dict[str, Callable[[int], Blocks]]] = {
        **MiniBatch.blocks_of,
        "importance": lambda size: BySize("bucket", size, by="importance"),
    }

    def scratch_of_blocks(self, problem: Problem, sampling: SamplingLike) -> np.ndarray:
        """Make scratch for the steps of a block, (m,) or (m, K); (0,) where coordinates come one at a time."""
        count = 0 if self.draws(samplings.resolve(sampling)).serial else problem.coordinates(self.side).norms2.size
        return np.zeros((count, *problem.outputs) if count else 0)

    def step_sizes(self, problem: Problem, sampling: SamplingLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the parts of steps: p, s = beta v + l2 n with the sampling's ESO parameters v, and scratch of blocks.

        The objective's smoothness along a coordinate is s_i/n (primal) or s_i/(beta l2 n^2) (dual) times what a block
        at once needs: Csiba & Richtarik 2016, eq. 5 to 7.
        """
        c, h = problem.coordinates(self.side), self.scratch_of_blocks(problem, sampling)
        norms2 = self.norms2_in_blocks(problem, sampling)
        s = c._replace(norms2=norms2, beta=problem.beta).smoothness if h.size else c.smoothness
        return self.probabilities(problem, sampling), s, h

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        drawn = self.draws(sampling)
        return self.serial_orders(problem, drawn, rng) if drawn.serial else super().orders(problem, sampling, rng)

    def warm(self, P: View, S: Any) -> None:
        nothing = np.empty(0, np.uint64)
        self.epoch(P, S, Batches(nothing, np.zeros(1, np.uint64)) if S.h.size else nothing)


def in_blocks(S: Any, order: Any) -> Any:
    """The order as the kernel of this state takes it: a state with scratch for blocks takes `Batches` alone."""
    return blocks_of_one(order) if S.h.size and not isinstance(order, Batches) else order
