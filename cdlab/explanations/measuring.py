"""What a race measured: for each of two entries the passes to one level, and the logarithm that its error fell by."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..comparisons.curves import crossing
from ..methods import Method
from ..problems.problem import Problem
from ..runs import Trace
from ..samplings import Sampling

DEEPEST_SHARE = 1e-9  # of P(0) - P*: levels below it are those of rounding
SAFE_FACTOR = 30.0  # times the gap of the reference: what P* is known well enough for
LEAST_FALL = 0.7  # P(0) - P* must have fallen to this share by the end: what falls less has no rate


@dataclass(frozen=True)
class Entry:
    """One entry of the race.

    Attributes
    ----------
    label : str
    method, sampling : Method, Sampling
    traces : sequence of Trace
        One for each seed.
    """

    label: str
    method: Method
    sampling: Sampling
    traces: Sequence[Trace]

    @property
    def passes_per_draw(self) -> float:
        """The cost of a step, in passes."""
        return float(np.median([t.column("passes")[-1] / max(1, t.column("iteration")[-1]) for t in self.traces]))


class Reference(NamedTuple):
    """The optimum that levels refer to: P*, and what it may be off."""

    optimum: float
    gap: float


class Measured(NamedTuple):
    """How an entry came to the level of the race.

    Attributes
    ----------
    passes : float
        Median over seeds.
    fall : float
        ln of what the method lowers (P - P*, or D* - D) at the start, over what it is at the level.
    drawn_passes, drawn_fall : float
        The same where all coordinates had been drawn, or where the level was reached if that was sooner.
    last_error : float
        What the method lowers, at the level.
    """

    passes: float
    fall: float
    drawn_passes: float
    drawn_fall: float
    last_error: float


def deepest_level(entries: Sequence[Entry], by: str, reference: Reference, at_zero: float) -> float:
    """The lowest level of a quantity that every run came down to, and that P* is known well enough for.

    Raises
    ------
    ValueError
        If a run has not come down at all.
    """
    reached = max(float(np.nanmin(quantity(trace, by, reference))) for entry in entries for trace in entry.traces)
    scale = at_zero - reference.optimum
    if not scale > SAFE_FACTOR * reference.gap:
        raise ValueError("explain needs a way to go, and w = 0 is the optimum of this problem already")
    level = max(reached, DEEPEST_SHARE * scale, SAFE_FACTOR * reference.gap)
    if not level < LEAST_FALL * scale:
        raise ValueError(
            f"explain needs runs that have come down: by {by} the slowest of them is still at {level / scale:.2g} of "
            "P(0) - P*; give the race more passes"
        )
    return level


def quantity(trace: Trace, by: str, reference: Reference) -> np.ndarray:
    """The gap of each record or the best so far, or P - P*."""
    return trace.column("primal") - reference.optimum if by == "primal" else trace.column(by)


def measure(entry: Entry, by: str, level: float, reference: Reference, drawn_after: float) -> Measured:
    """The passes of an entry to a level, and how far it fell until then.

    Parameters
    ----------
    entry : Entry
        The entry.
    by : "gap", "best_gap" or "primal"
        The quantity.
    level : float
        Of that quantity.
    reference : Reference
        The optimum.
    drawn_after : float
        Passes until every coordinate was drawn, as expected.
    """
    found = [_measure_one(trace, entry.method.side, by, level, reference, drawn_after) for trace in entry.traces]
    return Measured(*np.median(np.array(found), axis=0).tolist())


def _measure_one(
    trace: Trace, side: str, by: str, level: float, reference: Reference, drawn_after: float
) -> tuple[float, ...]:
    passes, curve = trace.column("passes"), np.minimum.accumulate(quantity(trace, by, reference))
    own = trace.column("primal") - reference.optimum if side == "primal" else reference.optimum - trace.column("dual")
    floor = max(reference.gap, np.finfo(float).tiny)
    logs = np.log(np.maximum(np.minimum.accumulate(own), floor))
    at = crossing(passes, curve, level)
    drawn = min(at, drawn_after)
    last, before = (float(np.interp(x, passes, logs)) for x in (at, drawn))
    return at, float(logs[0]) - last, drawn, float(logs[0]) - before, math.exp(last)


def common_fall(problem: Problem, level: float, reference: Reference) -> float:
    """ln((P(0) - P*)/level): the one logarithm of both bounds."""
    return math.log((problem.at_zero - reference.optimum) / level)
