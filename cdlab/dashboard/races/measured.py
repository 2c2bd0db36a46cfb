"""How far the runs of a race came, and how fast: by the gap that they certify, or without a dual by P(w) alone."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ...plots import Y_AXES, Best, best_of, errors
from ...runs.trace import Trace
from ..choices.sliders import TARGET
from ..words import NOTHING, number
from .results import Lane, Result
from .story import reached_by, spoken

NEAREST = 1e-6  # to the best P(w) of some runs: what is nearer may be as far from P* itself
SHORT = {"gap": "relative gap", "primal": Y_AXES["primal"]}


def uncertified(race: Result) -> bool:
    """Whether no lower bound on P* is known, so that there is no gap."""
    return race.choices.l1 == race.choices.l2 == 0


def quantity(races: Sequence[Result]) -> str:
    """What the races are measured by: "gap", or "primal" where none of them has a gap."""
    return "primal" if races and all(map(uncertified, races)) else "gap"


def common_target(races: Sequence[Result]) -> float:
    """The relative error at which the races are compared: the largest of their targets."""
    targets = [race.choices.target for race in races]
    return max([NEAREST, *targets] if quantity(races) == "primal" else targets, default=TARGET)


def bests(races: Sequence[Result]) -> dict[tuple, Best]:
    """For each problem the best values that any of its runs measured."""
    groups: dict[tuple, list[Trace]] = {}
    for race in races:
        groups.setdefault(race.choices.problem_key(), []).extend(trace for trace in race.traces if trace.records)
    return {key: best_of(traces) for key, traces in groups.items() if traces}


def best_known(race: Result) -> Best | None:
    """What the runs of a race are measured from where no lower bound on P* is known; else None."""
    return next(iter(bests([race]).values()), None) if uncertified(race) else None


def reached(lanes: Sequence[Lane], level: float, by: str, best: Best | None = None) -> str:
    """Passes or seconds to this relative gap, in words; with `best`, to this relative primal suboptimality."""
    traces = _begun(lanes)
    if not traces or (best is None and _unknown(traces)):
        return NOTHING
    work = _work(traces, level, by, best)
    return number(work) if math.isfinite(work) else "not reached"


def at_the_end(lanes: Sequence[Lane], best: Best | None = None) -> str:
    """The relative gap at the end, or so far; with `best`, the relative primal suboptimality."""
    traces = _begun(lanes)
    if not traces or (best is None and _unknown(traces)):
        return NOTHING
    ends = [trace.column("relative_gap") if best is None else errors(trace, best, "primal") for trace in traces]
    return number(float(np.median([end[-1] for end in ends])))


def first_and_last(race: Result) -> str:
    """Who got there with the fewest passes, and who with the most; empty while that is open."""
    level, best = common_target([race]), best_known(race)
    if race.running or len(race.methods) < 2:
        return ""
    work = {label: _work(_begun(lanes), level, "passes", best) for label, lanes in race.methods.items()}
    first, last = min(work, key=work.get), max(work, key=work.get)
    goal = f"a {SHORT[quantity([race])]} of {number(level)}"
    if best is not None and sum(map(math.isfinite, work.values())) < 2:
        return _unproved(race, best)
    if not math.isfinite(work[first]):
        return f"None of the runs has come to {goal}."
    words = f"To {goal} {spoken(first)} needed {number(work[first])} passes"
    if work[first] == work[last]:
        return f"{words}, as did all others."
    fewest, most = (", the fewest", ", the most") if len(work) > 2 else ("", "")
    if not math.isfinite(work[last]):
        return f"{words}{fewest}; {spoken(last)} did not get there."
    times = f", which is {number(work[last] / work[first])} times as many" if work[first] > 0 else ""
    return f"{words}{fewest}; {spoken(last)} {number(work[last])}{most}{times}."


def _unproved(race: Result, best: Best) -> str:
    """Of runs that nothing certifies, and of which no two agree: the least P(w) of one run is not P*."""
    ends = {label: _begun(lanes) for label, lanes in race.methods.items()}
    above = {
        label: float(np.median([np.nanmin(errors(trace, best, "primal")) for trace in traces]))
        for label, traces in ends.items()
        if traces
    }
    least, *others = sorted(above, key=above.get)
    none = "Neither run is certified" if len(race.methods) == 2 else "None of the runs is certified"
    rest = "".join(f"; {spoken(label)} ended {number(above[label], 2)} above it" for label in others[:1])
    shares = ", as a share of what P fell by" if others else ""
    why = "without l1 and l2 no lower bound on P* is known"
    return f"{none}, as {why}. {spoken(least)} found the least P(w){rest}{shares}."


def _work(traces: Sequence[Trace], level: float, by: str, best: Best | None) -> float:
    """The median over the runs; inf if most of them did not get there, or none has begun."""
    if not traces:
        return math.inf
    if best is None:
        return reached_by(traces, level, by)
    return float(np.median([_first(trace, errors(trace, best, "primal") <= level, by) for trace in traces]))


def _begun(lanes: Sequence[Lane]) -> list[Trace]:
    return [lane.trace for lane in lanes if lane.trace.records]


def _first(trace: Trace, there: np.ndarray, by: str) -> float:
    return float(trace.column(by)[there.argmax()]) if there.any() else math.inf


def _unknown(traces: Sequence[Trace]) -> bool:
    return all(np.isinf(trace.column("relative_gap")).all() for trace in traces)
