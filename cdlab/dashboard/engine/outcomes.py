"""Outcomes of races: who was first, and by how much, in medians over the draws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from ...comparisons.curves import FirstCrossing, crossings, reach
from .numbers import ALIKE, finite, finite_or_none
from .schema import Outcome, Result

if TYPE_CHECKING:
    from .run_views import RunView

EVEN = 1.25  # A smaller lead counts as none.
LEVELS_PER_DECADE = 10


def outcome(runs: Sequence[RunView]) -> Outcome:
    """The outcome of runs that have ended."""
    by_label: dict[str, list[RunView]] = {}
    for run in runs:
        by_label.setdefault(run.entry.label, []).append(run)
    sides = {label: own[0].entry.side for label, own in by_label.items()}
    passes = {label: reach_of(own) for label, own in by_label.items()}
    middle = {label: each.median[1] for label, each in passes.items()}
    results = [_result(label, own, passes[label]) for label, own in by_label.items()]
    first = _lowest(middle, list(by_label))
    none = Outcome(results, None, None, None, None, None, False, _primal_over_dual(middle, sides))
    if not math.isfinite(middle[first]) or len(by_label) < 2:
        return none
    others = [label for label in by_label if label != first]
    second = _lowest(middle, [label for label in others if sides[label] != sides[first]] or others)
    none = replace(none, loser=second, at_least=math.isinf(middle[second]))
    if not middle[first]:  # it is there before any step: so are the others, or no quotient says how far behind
        return replace(none, winner=first) if middle[second] else replace(none, lead=1.0)
    reached = np.isfinite(passes[first].high) & (passes[first].high > 0)
    leads = passes[second].low[reached] / passes[first].high[reached]
    # of the medians, which people see; of a run that went on for less than the winner nothing is known
    lead = passes[second].median[0] / middle[first]
    winner = None if lead < EVEN else first
    return replace(none, winner=winner, lead=lead, lead_low=float(leads.min()), lead_high=float(leads.max()))


def reach_of(runs: Sequence[RunView], by: str = "passes") -> FirstCrossing:
    """The passes, or another column, to the target of the runs of one entry."""
    return reach([(run.trace.column(by), run.gaps) for run in runs], runs[0].target)


def _lowest(middle: dict[str, float], labels: list[str]) -> str:
    """The first of these labels with the fewest passes: of equal ones, rounding does not choose."""
    least = min(middle[label] for label in labels)
    return next(label for label in labels if ALIKE * middle[label] <= least)


def _result(label: str, runs: list[RunView], passes: FirstCrossing) -> Result:
    target = runs[0].target
    levels = np.append(10 ** -np.arange(0, -math.log10(target), 1 / LEVELS_PER_DECADE), target)
    grid = np.array([crossings(run.trace.column("passes"), run.gaps, levels) for run in runs])
    with np.errstate(invalid="ignore"):
        median = np.median(grid, axis=0)
    return Result(
        label,
        finite_or_none(passes.median[1]),
        finite_or_none(passes.high.min()),
        finite_or_none(passes.high.max()),
        float(min(run.gaps[-1] for run in runs)),
        float(max(run.records[-1].passes for run in runs)),
        levels.tolist(),
        finite(median),
        finite(grid.min(axis=0)),
        finite(grid.max(axis=0)),
        finite_or_none(reach_of(runs, "iteration").median[1]),
        next((run.weights for run in runs if run.weights is not None), None),
    )


def _primal_over_dual(middle: dict[str, float], sides: dict[str, str]) -> float | None:
    """The ratio of the first entries of the sides, which the bounds compare; None unless both were at the target."""
    first = {side: next((middle[x] for x in middle if sides[x] == side), math.inf) for side in ("primal", "dual")}
    known = all(0 < value < math.inf for value in first.values())
    return first["primal"] / first["dual"] if known else None
