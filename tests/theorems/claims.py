"""Theorems as checkable claims: what was measured never exceeds what was promised.

A claim is a function of seeds that returns (measured, promised):

``@claim(method, theorem)``          measured: (seeds, times), one row a run. Its mean minus 3 standard errors must stay
                                     at or below promised (times,) wherever promised exceeds 1e-12 of its first value.
``@claim(..., kind="exact")``        measured: exact expectations by enumeration, or deterministic values, (points,);
                                     measured <= promised (1 + 1e-12) + 1e-14 scale at every point.

``tightness`` is the largest measured/promised over the points compared: 1 means that the theorem cannot be improved on
these (small, synthetic) problems, much less than 1 that a constant could be too small without being noticed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

SEEDS = range(30)
FLOOR = 1e-12


@dataclass(frozen=True)
class Claim:
    method: str
    theorem: str  # paper and number, and the setting
    kind: str  # "mean" or "exact"
    measure: Callable

    @property
    def name(self) -> str:
        return f"{self.method}-{self.theorem}"

    @property
    def source(self) -> tuple[str, int]:
        """Where the claim is written: a module may be imported under two names."""
        return self.measure.__code__.co_filename, self.measure.__code__.co_firstlineno

    def check(self, seeds=SEEDS) -> float:
        """Assert the claim and return its tightness."""
        measured, promised = (np.asarray(a, dtype=float) for a in self.measure(seeds))
        assert np.isfinite(measured).all()
        assert np.isfinite(promised).all()
        if self.kind == "exact":
            assert measured.shape == promised.shape
            scale = np.abs(promised).max()
            assert (measured <= promised * (1 + 1e-12) + 1e-14 * scale).all(), (measured - promised).max()
            compared = promised > FLOOR * scale
            return float((measured[compared] / promised[compared]).max())
        assert measured.shape == (len(seeds), promised.size)
        mean, error = measured.mean(axis=0), measured.std(axis=0, ddof=1) / np.sqrt(len(seeds))
        compared = promised > FLOOR * promised[0]
        assert (mean - 3 * error <= promised * (1 + 1e-12))[compared].all(), (mean / promised)[compared].max()
        return float((mean / promised)[compared].max())


CLAIMS: list[Claim] = []


def claim(method: str, theorem: str, kind: str = "mean"):
    """Register a function of seeds as a claim."""

    def register(measure: Callable) -> Callable:
        new = Claim(method, theorem, kind, measure)
        CLAIMS[:] = [old for old in CLAIMS if old.name != new.name or old.source != new.source]  # imported twice
        CLAIMS.append(new)
        return measure

    return register
