"""Rcd and quartz: a kernel for one coordinate at a time, one for blocks, and steps by the sampling's ESO."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ... import samplings
from ...eso_parameters import eso
from ...numerics.profiles import count_nonzeros
from ...problems.points import View
from ...problems.problem import Problem
from ...samplings import Batches, Sampling, SamplingLike
from .batching import MiniBatch

NO_ORDER = np.empty(0, np.uint64)
NO_BLOCKS = Batches(NO_ORDER, np.zeros(1, np.uint64))


@dataclass(frozen=True)
class OneOrMany(MiniBatch):
    """A method whose epochs are index arrays for serial samplings and Batches for all others.

    Its states have a scratch ``h``, the steps of a block, which is empty in serial runs.
    """

    settles_empty: ClassVar[bool] = True

    def allowed(self, problem: Problem, sampling: SamplingLike) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The steps that a sampling allows: p, s = beta v + l2 n with its ESO parameters v, and the scratch of blocks.

        The objective's smoothness along a coordinate is s_i/n (primal) or s_i/(beta l2 n^2) (dual) times what a block
        at once needs: Csiba & Richtarik 2016, eq. 5 to 7.
        """
        sampling, c = self.effective(samplings.resolve(sampling)), problem.coordinates(self.side)
        p = self.probabilities(problem, sampling)
        if sampling.serial:
            return p, c.smoothness, np.empty(0)
        s = c._replace(norms2=eso(problem, sampling, side=self.side), beta=problem.beta).smoothness
        return p, s, np.zeros(c.m)

    def orders(self, problem: Problem, sampling: Sampling, rng: np.random.Generator) -> Iterator[Any]:
        if self.effective(sampling).serial:
            return self.serial(problem, sampling, rng)
        return super().orders(problem, sampling, rng)

    def count(self, problem: Problem, S: Any, order: Any) -> tuple[int, float]:
        if isinstance(order, Batches):
            return super().count(problem, S, order)
        return order.size, count_nonzeros(self.visits(problem), order)

    def warm(self, P: View, S: Any) -> None:
        self.epoch(P, S, NO_BLOCKS if S.h.size else NO_ORDER)
