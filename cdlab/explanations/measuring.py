"""Passes to one level, of the race's runs and of simulated runs with other steps, draws and seeds."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..exact_rates.quadratics import Optimum
from ..losses import Squared, unweighted
from ..methods import Method, Points
from ..problems.problem import Problem
from ..runs import Record, Trace, solve
from ..samplings import Sampling

DEEPEST_SHARE = 1e-9  # Levels below this share of P(0) - P* are lost in rounding.
SAFE_FACTOR = 30.0  # P* is known well enough for levels above this many times the gap of the reference.
LEAST_FALL = 0.7  # By the end P(w) - P* must be down to this share of P(0) - P*: a run that falls less has no rate.
SEEDS, MIN_RUNS = range(101, 116), 5  # Seeds of simulated runs, of which at least MIN_RUNS are used.
ENOUGH_NONZEROS = 1e8  # Once simulated runs have visited so many nonzeros, no further seed runs.
# Limits of a simulated run; a slower one is extrapolated at its last rate.
MAX_SIMULATED_PASSES, MAX_SIMULATED_NONZEROS = 2000, 2e8
MIN_SIMULATED_PASSES = 50


@dataclass(frozen=True)
class RacedEntry:
    """One entry of the race.

    Attributes
    ----------
    label : str
    method, sampling : Method, Sampling
    traces : sequence of Trace
        One trace for each seed.
    """

    label: str
    method: Method
    sampling: Sampling
    traces: Sequence[Trace]


@dataclass(frozen=True)
class Setting:
    """The problem of a race, its optimum, where the runs began, and the level to which their passes are counted.

    Attributes
    ----------
    problem : Problem
    optimum : Optimum
    best, gap : float
        P*, and the most by which it may be off.
    start : Points or None
        The point where the runs began, if not 0.
    by : "gap", "best_gap" or "primal"
    level : float
        The level, of the gap or of P - P*.
    tell : function of str
        Called with a text on each simulated run; does nothing by default.
    """

    problem: Problem
    optimum: Optimum
    best: float
    gap: float
    start: Points | None
    by: str
    level: float
    tell: Callable[[str], object] = len

    @property
    def is_quadratic(self) -> bool:
        """Tell whether the curvature is the same everywhere."""
        return isinstance(unweighted(self.problem.loss), Squared)

    @property
    def common_fall(self) -> float:
        """ln((P(0) - P*)/level), the logarithm that both bounds have."""
        return math.log((self.problem.at_zero - self.best) / self.level)


class Measured(NamedTuple):
    """Course of runs to the level: medians over seeds.

    Attributes
    ----------
    passes : float
    fall : float
        ln of the method's own error (P - P*, or D* - D) at the start, over that at the level.
    passes_per_draw : float
        The cost of a step.
    """

    passes: float
    fall: float
    passes_per_draw: float


def deepest_level(entries: Sequence[RacedEntry], by: str, best: float, gap: float, at_zero: float) -> float:
    """The lowest level of a quantity that every run came down to, and that P* is known well enough for.

    Raises
    ------
    ValueError
        If a run has not come down at all.
    """
    reached = max(float(np.nanmin(_quantity(trace, by, best))) for entry in entries for trace in entry.traces)
    scale = at_zero - best
    if not scale > SAFE_FACTOR * gap:
        raise ValueError("explain needs a way to go, and w = 0 is the optimum of this problem already")
    level = max(reached, DEEPEST_SHARE * scale, SAFE_FACTOR * gap)
    if not level < LEAST_FALL * scale:
        raise ValueError(
            f"explain needs runs that have come down: by {by} the slowest of them is still at {level / scale:.2g} of "
            "P(0) - P*; give the race more passes"
        )
    return level


def simulate(setting: Setting, method: Method, sampling: Sampling) -> Measured:
    """Run the problem of the race with these steps and draws, from where its runs began, with seeds of its own."""
    problem, start = setting.problem, setting.start

    def is_there(record: Record) -> bool:
        # the best gap is there no later than the gap of a record
        return (record.primal - setting.best if setting.by == "primal" else record.gap) <= setting.level

    limit = min(MAX_SIMULATED_PASSES, max(MIN_SIMULATED_PASSES, MAX_SIMULATED_NONZEROS / max(1, problem.nnz)))
    begun = None if start is None else (start.w, start.alpha)
    traces: list[Trace] = []
    for seed in SEEDS:
        if are_enough(len(traces), problem.nnz * sum(trace.records[-1].passes for trace in traces)):
            break
        setting.tell(f"explain: {method.label} with {sampling.label} sampling, run {len(traces) + 1} of {len(SEEDS)}")
        run = solve(
            problem, method, sampling=sampling, seed=seed, tol=0, max_passes=limit, every=1, stop=is_there, start=begun
        )
        traces.append(run.trace)
    return measure(traces, method.side, setting)


def are_enough(runs: int, nonzeros: float) -> bool:
    """Tell whether a median needs no more simulated runs than these, which visited so many nonzeros."""
    return runs >= MIN_RUNS and nonzeros >= ENOUGH_NONZEROS


def measure(traces: Iterable[Trace], side: str, setting: Setting) -> Measured:
    """The passes of runs to the level, and how far their own error fell until then."""
    found = [_measure_one(trace, side, setting) for trace in traces]
    return Measured(*np.median(np.array(found), axis=0).tolist())


def _measure_one(trace: Trace, side: str, setting: Setting) -> Measured:
    passes, curve = trace.column("passes"), np.minimum.accumulate(_quantity(trace, setting.by, setting.best))
    own = trace.column("primal") - setting.best if side == "primal" else setting.best - trace.column("dual")
    own_logs = np.log(np.maximum(np.minimum.accumulate(own), max(setting.gap, np.finfo(float).tiny)))
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(curve, 0))
    at = where_it_falls_to(logs, math.log(setting.level))
    cost = passes[-1] / max(1, trace.column("iteration")[-1])
    return Measured(_value_at(passes, at), float(own_logs[0]) - _value_at(own_logs, at), float(cost))


def _quantity(trace: Trace, by: str, best: float) -> np.ndarray:
    return trace.column("primal") - best if by == "primal" else trace.column(by)


def where_it_falls_to(logs: np.ndarray, level: float) -> float:
    """The index of the record, with a fraction, at which a curve is down to a level; extrapolated beyond the last.

    Extrapolation takes the slope of the second half; inf where that does not fall.
    """
    below = np.flatnonzero(logs <= level)
    if below.size and below[0] == 0:
        return 0.0
    if below.size:
        k = int(below[0])
        if np.isneginf(logs[k]):
            return float(k)
        return k - float((level - logs[k]) / (logs[k - 1] - logs[k]))
    last = logs.size - 1
    slope = (logs[last // 2] - logs[last]) / max(1, last - last // 2)
    return last + float((logs[last] - level) / slope) if slope > 0 else math.inf


def _value_at(values: np.ndarray, at: float) -> float:
    """Value of a column at an index with a fraction, which may be beyond the last record."""
    last = values.size - 1
    if at <= last:
        return float(np.interp(at, np.arange(values.size), values))
    slope = float(values[last] - values[last // 2]) / max(1, last - last // 2)
    return float(values[last]) + (slope * (at - last) if slope else 0.0)
