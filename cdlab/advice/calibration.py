"""How tight each bound typically is, and how much a pass of each method costs: numbers fitted to measured problems.

    passes = factor * worst^a * sharp^b * probe^c, within a factor `spread` in two cases out of three

The drivers are the bound with its worst-case constants ("worst"), the bound with sharper ones ("sharp"), and the passes
that the probe of the family extrapolates to ("probe"): one of the bounds, the probe, or one and the other, whichever
explained the measured passes best. Methods with fixed steps follow "worst", since their steps are made of the same
constants; those whose steps look at the data follow "sharp" and the probe. The cost of a pass is a multiple of the
cost in the family's probe: columns dense and sparse (the matrix), with _logistic for the logistic loss, whose
derivative is expensive.

The table is calibration.csv beside this file, made by ``python benchmarks/advice.py calibrate`` from the problems that
are set apart for tuning.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from ..problems.problem import Problem

TABLE = Path(__file__).with_name("calibration.csv")
DRIVERS = ("worst", "sharp", "probe")


@dataclass(frozen=True)
class Row:
    """The numbers fitted for one candidate.

    Attributes
    ----------
    entry : str
        The candidate's key; with " nonsmooth" for losses that are not smooth, and " no l2" for smooth ones without l2,
        where bounds for strongly convex problems do not hold.
    factor : float
        Typical passes over the product of the drivers' powers.
    worst, sharp, probe : float
        The powers of the drivers; 0 for those that play no part.
    spread : float
        Measured passes lie within this factor of the formula in two cases out of three.
    theory_factor, theory_power, theory_spread : float
        The same for the driver "worst" alone, for use without a probe.
    problems, reached : int
        The number of problems it ran on, and of those where it reached the accuracy in time.
    dense, dense_logistic, sparse, sparse_logistic : float
        Cost of a pass in a whole run over that of the family's probe.
    """

    entry: str
    factor: float
    worst: float
    sharp: float
    probe: float
    spread: float
    theory_factor: float
    theory_power: float
    theory_spread: float
    problems: int
    reached: int
    dense: float
    dense_logistic: float
    sparse: float
    sparse_logistic: float

    def without_probe(self) -> Row:
        """The row that predicts from the bound alone."""
        factor, worst, spread = self.theory_factor, self.theory_power, self.theory_spread
        return replace(self, sharp=0.0, probe=0.0, factor=factor, worst=worst, spread=spread)

    @property
    def powers(self) -> dict[str, float]:
        """The powers of the drivers that play a part."""
        return {name: getattr(self, name) for name in DRIVERS if getattr(self, name) != 0}

    def passes(self, drivers: Mapping[str, float | None]) -> float | None:
        """The expected number of passes: the mean of a lognormal variable with this median and spread, at least 1.

        Parameters
        ----------
        drivers : mapping
            Passes by the names in `DRIVERS`; None for one that is not known.

        Returns
        -------
        float or None
            None if a driver that the row needs is not known, or infinite.
        """
        known = {name: value for name in self.powers if (value := drivers[name]) is not None and math.isfinite(value)}
        if len(known) < len(self.powers):
            return None
        median = self.factor * math.prod(known[name] ** power for name, power in self.powers.items())
        return max(1.0, median * math.exp(math.log(self.spread) ** 2 / 2))

    def cost(self, dense: bool, logistic: bool) -> float:
        """Cost of a pass over that of the family's probe, on this kind of matrix and loss."""
        return float(getattr(self, ("dense" if dense else "sparse") + ("_logistic" if logistic else "")))


@cache
def table() -> dict[str, Row]:
    """The fitted rows by entry."""
    with TABLE.open(newline="") as file:
        rows = [Row(**{f.name: _typed(f.type, row[f.name]) for f in fields(Row)}) for row in csv.DictReader(file)]
    return {row.entry: row for row in rows}


def _typed(kind: Any, text: str) -> Any:
    return {"str": str, "int": int, "float": float}[kind](text)


def row_of(key: str, problem: Problem) -> Row | None:
    """The row of a candidate on problems of this kind; None if it was not measured."""
    return table().get(key + suffix_of(problem))


def suffix_of(problem: Problem) -> str:
    """The ending of a row's entry for problems of this kind: " nonsmooth", " no l2" or nothing."""
    if problem.loss.gamma == 0:
        return " nonsmooth"
    return " no l2" if problem.l2 == 0 else ""
