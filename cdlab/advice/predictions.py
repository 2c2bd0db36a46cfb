"""Passes and seconds that each candidate is expected to need: a table of measured problems, and the cost model.

    passes = factor * worst^a * sharp^b * probe^c, within a factor `spread` in two cases out of three

The drivers are the bound with its worst-case constants ("worst"), the bound with sharper ones ("sharp"), and the passes
that the probe of the family extrapolates to ("probe"): one of the bounds, the probe, or one and the other, whichever
explained the measured passes best. Methods with fixed steps follow "worst", since their steps are made of the same
constants; those whose steps look at the data follow "sharp" and the probe. The cost of a pass is a multiple of the
cost in the family's probe: columns dense and sparse (the matrix), with _logistic for the logistic loss, whose
derivative is expensive. Newton's method has no rate to extrapolate: its passes are counted.

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

import numpy as np
import scipy.sparse as sp

from ..methods import NewtonCD, cost_model
from ..problems.problem import Problem
from .bounds import BoundBehind, bound_behind, effective_l2
from .candidates import Candidate
from .probing import Probe
from .ranking import Choice

TABLE = Path(__file__).with_name("calibration.csv")
DRIVERS = ("worst", "sharp", "probe")
# After k passes of draws with replacement a share e^-k of the coordinates was never drawn. No method that draws so took
# fewer passes than this part of ln(1/eps), at which that share is eps, on any tuning problem with l2 > 0.
MIN_PASSES_SHARE = 0.57
# Methods whose error is that of coordinates never drawn, at least, whatever their probabilities: none took fewer passes
# than this part of `passes_until_drawn` on any tuning problem. (Full gradients or other regularisers come round it.)
COORDINATE_STEPS = ("sdca", "quartz", "rcd")
MIN_DRAWN_SHARE = 0.41
# Rows of samplings that were not measured: their own bounds go into the row of this one.
MEASURED_LIKE = {"clipped": "uniform", "mixture": "uniform"}
OWN_RUN_WEIGHT = 0.6  # of ln(passes): how much the own run counts beside the table, unless it reached eps


# ---------------------------------------------------------------- the table
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
    """The row of a candidate on problems of this kind, or of the one like it; None if neither was measured."""
    method, at, sampling = key.partition("@")
    return table().get(f"{method}{at}{MEASURED_LIKE.get(sampling, sampling)}{suffix_of(problem)}")


def suffix_of(problem: Problem) -> str:
    """The ending of a row's entry for problems of this kind: " nonsmooth", " no l2" or nothing."""
    if problem.loss.gamma == 0:
        return " nonsmooth"
    return " no l2" if problem.mu == 0 else ""


# ---------------------------------------------------------------- predictions
def known_l2(problem: Problem, lines: str, probe: Probe | None) -> float | None:
    """The effective l2 of methods that go along these lines.

    None without a probe, for a loss that is not smooth, for l2 = 0, or for methods that use products with all of X
    ("matrix").
    """
    if probe is None or lines == "matrix" or problem.loss.gamma == 0 or problem.mu == 0 or problem.bounded:
        return None
    return effective_l2(problem, lines, probe.rate)


def predicted(problem: Problem, candidate: Candidate, eps: float, measured: dict[str, Probe]) -> Choice:
    """The choice that predicts passes and seconds of one candidate, from the probes that were measured."""
    probe, actual = measured.get(candidate.lines), candidate.actual(problem)
    l2 = known_l2(problem, candidate.lines, probe)
    known = bound_behind(problem, candidate, eps, l2)
    actual_key, behind = actual.key, known if actual == candidate else bound_behind(problem, actual, eps, l2)
    passes, spread, basis, sources = _passes(problem, actual, eps, probe, behind)
    if isinstance(actual.method.unwrapped, NewtonCD) and problem.nnz:  # of the table's prediction only the spread holds
        passes, seconds = _counted(problem, eps, probe)
        basis, sources = "a count of what its iterations multiply", ("count",)
    else:
        seconds = _seconds(problem, actual_key, passes, probe)
    if actual_key != candidate.key:
        basis += f" (here it is {actual_key})"
    return Choice(
        method=candidate.method.name,
        sampling=candidate.sampling.name if candidate.draws else "none",
        parameters={},
        runs=actual_key,
        passes=passes,
        seconds=seconds,
        spread=spread,
        basis=basis,
        sources=sources,
        worst=known.worst,
        sharp=known.sharp,
        bound=known.bound,
        outside=known.outside,
    )


def _passes(
    problem: Problem, candidate: Candidate, eps: float, probe: Probe | None, known: BoundBehind
) -> tuple[float | None, float | None, str, tuple[str, ...]]:
    """Expected passes, spread, and where they come from, in words and in short.

    That is the table, else its own probe, else its bound.
    """
    row = row_of(candidate.key, problem)
    extrapolated = math.inf if probe is None else probe.passes_to(eps)
    if row is not None:
        row = row.without_probe() if probe is None else row
        passes = row.passes({"worst": known.worst, "sharp": known.sharp, "probe": extrapolated})
        if passes is not None:
            if candidate.draws_with_replacement and problem.mu > 0:
                passes = max(passes, MIN_PASSES_SHARE * math.log(1 / eps))
                if candidate.method.name in COORDINATE_STEPS:
                    passes = max(passes, MIN_DRAWN_SHARE * passes_until_drawn(problem, candidate, eps))
            sources = dict.fromkeys("probe" if name == "probe" else "bound" for name in row.powers)
            return passes, row.spread, f"{row.factor:.2g} x {_describe(row, probe)}", tuple(sources)
    remark = "" if row else " (not measured)"
    if probe is not None and probe.key == candidate.key and math.isfinite(extrapolated):
        return extrapolated, None, f"its own probe{remark}", ("own run",)
    if known.worst is not None and math.isfinite(known.worst):
        return known.worst, None, f"its bound{remark}", ("bound",)
    return None, None, f"no prediction: neither bound nor probe{remark}", ()


def passes_until_drawn(problem: Problem, candidate: Candidate, eps: float) -> float:
    """Passes after which coordinates that were never drawn are expected to keep a share eps of the error, of that at 0.

    Where lines x_i are orthogonal, i has a part delta_i of the error until it is drawn, and an exact step then takes it
    away: E[error] = sum_i delta_i (1 - p_i)^t after t draws. With squared loss delta_i is proportional to 1/s_i on the
    dual side, for labels of equal size, and to (s_j - 1)/s_j on the primal side, for labels that are nothing but noise.
    """
    c = problem.coordinates(candidate.method.side)
    if not math.isfinite(c.beta):  # s_i is infinite, or 0/0 of an empty line
        return math.log(1 / eps)
    p = candidate.sampling.probabilities(c)
    drawn = p > 0
    s = (c.smoothness / c.l2n)[drawn]
    delta = 1 / s if candidate.method.side == "dual" else (s - 1) / s
    if not (np.isfinite(delta).all() and delta.any()):
        return math.log(1 / eps)
    delta, log_missed = delta / delta.sum(), np.log1p(-np.minimum(p[drawn], 1 - 2.0**-53))
    low, high = 0.0, math.log(eps) / float(log_missed.max())
    for _ in range(40):
        draws = (low + high) / 2
        if delta @ np.exp(draws * log_missed) > eps:
            low = draws
        else:
            high = draws
    return high * float(p @ c.counts) / problem.nnz


def _counted(problem: Problem, eps: float, probe: Probe | None) -> tuple[float, float | None]:
    """Passes and seconds of Newton's method: it has no rate to extrapolate, but its work can be counted."""
    cost = cost_model.newton(problem, math.log(1 / eps))
    products = cost.units / cost_model.product(problem)
    seconds = None if probe is None else products * probe.pass_seconds / 2  # a product is half a pass
    return cost.visits / problem.nnz, seconds


def _describe(row: Row, probe: Probe | None) -> str:
    words = {"worst": "its bound", "sharp": "its bound with sharp constants", "probe": f"{probe and probe.key}'s probe"}
    return " x ".join(
        words[name] if power == 1 else f"({words[name]})^{power:.2g}" for name, power in row.powers.items()
    )


def _seconds(problem: Problem, actual_key: str, passes: float | None, probe: Probe | None) -> float | None:
    """Passes, times seconds a pass in the probe, times what a pass of a whole run costs beside the probe's."""
    if passes is None or probe is None:
        return None
    row = row_of(actual_key, problem)
    if row is None:
        return passes * probe.pass_seconds if probe.key == actual_key else None
    return passes * probe.pass_seconds * row.cost(not sp.issparse(problem.X), problem.loss.name == "logistic")


# ---------------------------------------------------------------- corrected by an own run
def corrected(choice: Choice, found: dict[str, Probe], eps: float) -> Choice:
    """The choice with passes and seconds corrected by its own run, if it is among the runs `found` by label."""
    run = found.get(choice.runs)
    if run is None or choice.passes is None or choice.seconds is None:
        return choice
    passes, ran = run.passes_to(eps), f"its own run of {run.passes:.3g} passes"
    if not math.isfinite(passes):
        return replace(choice, passes=None, seconds=None, basis=f"no prediction: {ran} stood still", sources=())
    if run.reached is not None:
        return replace(choice, passes=passes, seconds=passes * run.pass_seconds, basis=ran, sources=("own run",))
    return replace(  # it has done so much already and was not there yet
        choice,
        passes=max(run.passes, _mix(passes, choice.passes)),
        seconds=max(run.seconds, _mix(passes * run.pass_seconds, choice.seconds)),
        basis=f"{ran}, and {choice.basis}",
        sources=tuple(dict.fromkeys(("own run", *choice.sources))),
    )


def _mix(own: float, other: float) -> float:
    return own**OWN_RUN_WEIGHT * other ** (1 - OWN_RUN_WEIGHT)
