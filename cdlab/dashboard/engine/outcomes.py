"""Who was first, and by how much: medians over the draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from ...comparisons.curves import crossings
from .numbers import ALIKE, finite, finite_or_none
from .schema import Outcome, Result

if TYPE_CHECKING:
    from .lanes import Lane

EVEN = 1.25  # a lead below is none
LEVELS_PER_DECADE = 10


def outcome(lanes: Sequence[Lane], target: float) -> Outcome:
    """The outcome of runs that have ended."""
    runs: dict[str, list[Lane]] = {}
    for lane in lanes:
        runs.setdefault(lane.entry.label, []).append(lane)
    results = [_result(label, own, target) for label, own in runs.items()]
    passes = {label: np.array([lane.reached for lane in own]) for label, own in runs.items()}
    middle = {label: float(np.median(each)) for label, each in passes.items()}
    sides = {label: own[0].entry.side for label, own in runs.items()}
    first = _lowest(middle, list(runs))
    nothing = Outcome(results, None, None, None, None, None, False, _primal_over_dual(middle, sides))
    if not math.isfinite(middle[first]) or len(runs) < 2:
        return nothing
    others = [label for label in runs if label != first]
    second = _lowest(middle, [label for label in others if sides[label] != sides[first]] or others)
    spent = np.array([lane.records[-1].passes for lane in runs[second]])
    missed = ~np.isfinite(passes[second])
    own = passes[first]
    both = np.isfinite(own) & (own > 0)
    leads = (np.where(missed, spent, passes[second]) / np.where(both, own, 1.0))[both]
    if not leads.size or not middle[first]:
        return nothing
    # of the medians, which people see; of a run that went on for less than the winner nothing is known
    lead = float(np.median(np.where(missed, spent, passes[second]))) / middle[first]
    at_least = math.isinf(middle[second])
    even = lead < EVEN
    return Outcome(
        results, None if even else first, second, lead, float(leads.min()), float(leads.max()), at_least,
        _primal_over_dual(middle, sides),
    )  # fmt: skip


def _lowest(middle: dict[str, float], labels: list[str]) -> str:
    """The first of these labels with the fewest passes: of equal ones, rounding does not choose."""
    least = min(middle[label] for label in labels)
    return next(label for label in labels if ALIKE * middle[label] <= least)


def _result(label: str, lanes: list[Lane], target: float) -> Result:
    reached = np.array([lane.reached for lane in lanes])
    decades = -math.log10(target)
    levels = np.append(10 ** -np.arange(0, decades, 1 / LEVELS_PER_DECADE), target)
    grid = np.array([crossings([r.passes for r in lane.records], lane.gaps, levels) for lane in lanes])
    with np.errstate(invalid="ignore"):
        median = np.median(grid, axis=0)
    there = reached[np.isfinite(reached)]
    return Result(
        label,
        finite_or_none(float(np.median(reached))),
        finite_or_none(float(reached.min())),
        finite_or_none(float(reached.max())) if there.size == reached.size else None,
        float(min(lane.gaps[-1] for lane in lanes)),
        float(max(lane.records[-1].passes for lane in lanes)),
        levels.tolist(),
        finite(median),
        finite(grid.min(axis=0)),
        finite(grid.max(axis=0)),
        finite_or_none(float(np.median([lane.rounds for lane in lanes]))),
        next((lane.weights for lane in lanes if lane.weights is not None), None),
    )


def _primal_over_dual(middle: dict[str, float], sides: dict[str, str]) -> float | None:
    """Of the first entry of each side, which the bounds compare, too; None unless both were at the target."""
    first = {side: next((middle[x] for x in middle if sides[x] == side), math.inf) for side in ("primal", "dual")}
    known = all(0 < value < math.inf for value in first.values())
    return first["primal"] / first["dual"] if known else None
