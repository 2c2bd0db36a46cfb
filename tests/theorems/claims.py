"""Theorems as checkable claims: what was measured never exceeds what was promised.

A claim is a function of seeds that returns (measured, promised):

``@claim(method, theorem)``          measured: (seeds, times), one row a run. Its mean minus 3 standard errors must stay
                                     at or below promised (times,) wherever promised exceeds 1e-12 of its first value.
                                     Fewer seeds take more standard errors: Student's t at the same level.
``@claim(..., kind="exact")``        measured: exact expectations by enumeration, or deterministic values, (points,);
                                     measured <= promised (1 + 1e-12) + 1e-14 scale at every point.

A measure may return a third thing, by which factor the bound itself falls; ``@claim(..., fall=f)`` asks for at least f,
because runs that stay below a bound that hardly moves say nothing about its rate.

``check`` returns the largest measured/promised over the points compared. A value near 1 shows that the bound, or its
constant, leaves no room there; how its rate compares with the measured one is another question, see tightness.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.stats import t as students_t

SEEDS = range(30)
PUSHED_SEEDS = range(10)
FLOOR = 1e-12


@dataclass(frozen=True)
class Claim:
    method: str
    theorem: str  # paper and number, and the setting
    kind: str  # "mean" or "exact"
    measure: Callable
    fall: float = 1.0
    case: Callable | None = None  # of a bound along runs: which bound on which problem

    @property
    def name(self) -> str:
        return f"{self.method}-{self.theorem}"

    @property
    def source(self) -> tuple[str, int]:
        """Where the claim is written: a module may be imported under two names."""
        return self.measure.__code__.co_filename, self.measure.__code__.co_firstlineno

    def fallen(self, seeds=SEEDS[:2]) -> float:
        """By which factor the bound falls along what is compared."""
        return float(self.measure(seeds)[2])

    def check(self, seeds=SEEDS) -> float:
        """Assert the claim and return the largest measured/promised."""
        measured, promised, *fallen = (np.asarray(a, dtype=float) for a in self.measure(seeds))
        assert self.fall == 1.0 or fallen[0] >= self.fall
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
        least = mean - errors_allowed(len(seeds)) * error
        assert (least <= promised * (1 + 1e-12))[compared].all(), (mean / promised)[compared].max()
        return float((mean / promised)[compared].max())


def errors_allowed(seeds: int) -> float:
    """Standard errors by which a mean may exceed its bound: 3 for all SEEDS, the same false alarms for fewer."""
    return float(students_t.isf(students_t.sf(3, len(SEEDS) - 1), seeds - 1))


CLAIMS: list[Claim] = []


def claim(method: str, theorem: str, kind: str = "mean", *, fall: float = 1.0, case: Callable | None = None):
    """Register a function of seeds as a claim."""

    def register(measure: Callable) -> Callable:
        new = Claim(method, theorem, kind, measure, fall, case)
        CLAIMS[:] = [old for old in CLAIMS if old.name != new.name or old.source != new.source]  # imported twice
        CLAIMS.append(new)
        return measure

    return register
