"""Methods that update a block of coordinates from one point: what their ``batch_size`` means."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ...numerics import checks
from ...numerics.checks import set_integer_field
from ...problems.problem import Problem
from ...samplings import Blocks, Sampling, TauNice
from ..base import Method


@dataclass(frozen=True)
class MiniBatch(Method):
    """A method with mini-batches: ``batch_size=m`` makes uniform sampling ``TauNice(m)``; without it, blocks of one.

    `batched` says what other samplings become.

    Parameters
    ----------
    batch_size : int, optional
        Coordinates updated together, drawn without replacement.
    """

    batch_size: int | None = field(default=None, kw_only=True)

    takes_blocks: ClassVar[bool] = True
    batched: ClassVar[dict[str, Callable[[int], Blocks]]] = {
        "uniform": TauNice
    }  # serial samplings -> their blocks of batch_size

    def __post_init__(self) -> None:
        set_integer_field(self, "batch_size", "a whole number >= 1, or None")

    def effective(self, sampling: Sampling) -> Sampling:
        """The sampling that blocks are drawn from."""
        if self.batch_size is None or sampling.name not in self.batched:
            return sampling
        return self.batched[sampling.name](self.batch_size)

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        return super().orders(problem, self.effective(sampling), rng)

    def refusal(self, problem: Problem, sampling: Sampling) -> str | None:
        if self.batch_size is not None:
            if self.effective(sampling) is sampling:
                return (
                    f"{self.name} with batch_size={self.batch_size} draws blocks by TauNice({self.batch_size}) and "
                    f"cannot follow {sampling.name} sampling: use {checks.join_with_or(self.batched)}, or leave "
                    "batch_size "
                    "out"
                )
            what, count = ("examples", problem.n) if self.side == "dual" else ("features", problem.d)
            if self.batch_size > count:
                return f"{self.name} has batch_size={self.batch_size} for {count} {what}: take batch_size <= {count}"
        return super().refusal(problem, self.effective(sampling))
