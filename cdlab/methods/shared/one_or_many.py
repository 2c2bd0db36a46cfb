"""What rcd and quartz share: a kernel for one coordinate at a time, one for blocks, and steps by the sampling's ESO."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ... import samplings
from ...eso_parameters import eso
from ...samplings import Batches
from .batching import MiniBatch

NO_ORDER = np.empty(0, np.uint64)
NO_BLOCKS = Batches(NO_ORDER, np.zeros(1, np.uint64))


@dataclass(frozen=True)
class OneOrMany(MiniBatch):
    """A method whose epochs are index arrays for serial samplings and Batches for all others.

    Its states have a scratch ``h``, the steps of a block, which is empty in serial runs.
    """

    settles_empty: ClassVar[bool] = True

    def allowed(self, problem, sampling) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """What a sampling allows: its probabilities p, s = beta v + l2 n with its ESO parameters v, and the scratch.

        The objective's smoothness along a coordinate is s_i/n (primal) or s_i/(beta l2 n^2) (dual) times what a block
        at once needs: Csiba & Richtarik 2016, eq. 5 to 7.
        """
        sampling, c = self.effective(samplings.resolve(sampling)), problem.coordinates(self.side)
        p = self.probabilities(problem, sampling)
        if sampling.serial:
            return p, c.smoothness, np.empty(0)
        s = c._replace(norms2=eso(problem, sampling, side=self.side)).smoothness
        return p, s, np.zeros(c.m)

    def orders(self, problem, sampling, rng):
        if self.effective(sampling).serial:
            return self.serial(problem, sampling, rng)
        return super().orders(problem, sampling, rng)

    def count(self, problem, S, order):
        if isinstance(order, Batches):
            return super().count(problem, S, order)
        return order.size, int(self.visits(problem)[order].sum())

    def warm(self, P, S):
        self.epoch(P, S, NO_BLOCKS if S.h.size else NO_ORDER)
