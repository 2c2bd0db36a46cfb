"""Times of ours beside the best peer of each cell, and what they say together."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .results import Result
from .searching import Verdict

GOOD, TIE, BAD = 0.6, 1.0, 1.5  # ratios whose shares are counted


@dataclass(frozen=True)
class Row:
    """Ours beside the best peer in one cell.

    Attributes
    ----------
    cell : str
    ours, theirs : float
        Median CPU seconds of ours and of the best peer; inf where the target was not reached, NaN without a peer.
    peer : str
        The best one by median CPU time; empty where none reached the target.
    ratio : float
        The median over rounds of ours/theirs within the round, without a common session that of the medians; inf where
        only a peer reached the target, 0 where only ours did, NaN where no peer that was asked takes such a problem.
    low, high : float
        Smallest and largest ratio within a round; without a common session the quotients of the extremes.
    wall : float
        The ratio of the median wall times.
    in_turn : bool
        Whether both were timed in the same rounds.
    """

    cell: str
    ours: float
    theirs: float
    peer: str
    ratio: float
    low: float
    high: float
    wall: float
    in_turn: bool


def median_time(result: Result | None, target: float, clock: str = "cpu") -> float:
    """Median seconds to a target; inf where it was not reached, or not again when it was timed."""
    times = {} if result is None else getattr(result, clock)
    if result is None or not times.get(target) or float(np.median(result.reached[target])) > target:
        return math.inf
    return float(np.median(times[target]))


def competes(result: Result) -> bool:
    """Whether it is of a peer that takes such a problem."""
    return not result.ours and result.verdict != Verdict.UNFIT


def rows(results: Iterable[Result], method: str, target: float) -> list[Row]:
    """A row for each cell in which ours or a peer reached the target, ours being the method with this name."""
    cells: dict[str, list[Result]] = {}
    for result in results:
        cells.setdefault(result.cell, []).append(result)
    found = []
    for cell, inside in cells.items():
        ours = next((each for each in inside if each.peer == method), None)
        peers = [each for each in inside if competes(each)]
        best = min(peers, key=lambda each: median_time(each, target), default=None)
        row = _row(cell, ours, best, target)
        if row is not None:
            found.append(row)
    return found


def _row(cell: str, ours: Result | None, best: Result | None, target: float) -> Row | None:
    a, b = median_time(ours, target), median_time(best, target)
    if math.isinf(a) and math.isinf(b):
        return None
    if ours is None or best is None or math.isinf(a) or math.isinf(b):
        if best is None:
            return Row(cell, a, math.nan, "", math.nan, math.nan, math.nan, math.nan, False)
        ratio = math.inf if math.isinf(a) else 0.0
        peer = "" if math.isinf(b) else best.peer
        return Row(cell, a, b, peer, ratio, ratio, ratio, ratio, False)
    mine, theirs = np.array(ours.cpu[target]), np.array(best.cpu[target])
    in_turn = ours.session == best.session
    rounds = min(mine.size, theirs.size)
    quotients = (
        mine[:rounds] / theirs[:rounds] if in_turn else np.array([mine.min() / theirs.max(), mine.max() / theirs.min()])
    )
    wall = median_time(ours, target, "wall") / median_time(best, target, "wall")
    ratio = float(np.median(quotients)) if in_turn else a / b
    return Row(cell, a, b, best.peer, ratio, float(quotients.min()), float(quotients.max()), wall, in_turn)


def counts(ratios: Sequence[float]) -> dict[str, Any]:
    """How many cells have a peer and how many have none; the median ratio; the shares of cells on either side of marks.

    Examples
    --------
    >>> counts([0.5, 0.9, 1.2, 3.0, math.nan])
    {'cells': 4, 'alone': 1, 'median': 1.05, 'good': 0.25, 'ahead': 0.5, 'behind': 0.25}
    """
    values = np.array([ratio for ratio in ratios if not math.isnan(ratio)], dtype=np.float64)
    alone = len(ratios) - values.size
    if not values.size:
        return {"cells": 0, "alone": alone, "median": math.nan, "good": math.nan, "ahead": math.nan, "behind": math.nan}
    shares = {"good": values <= GOOD, "ahead": values <= TIE, "behind": values > BAD}
    return {
        "cells": values.size,
        "alone": alone,
        "median": float(np.median(values)),
        **{name: float(np.mean(each)) for name, each in shares.items()},
    }


def sentence(found: dict[str, Any]) -> str:
    """The counts in words."""
    alone = f" (and {found['alone']} that no peer compared here takes)" if found["alone"] else ""
    if not found["cells"]:
        return f"no cell with a peer was finished{alone}"
    shares = f"{found['ahead']:.0%} at most {TIE:g}, {found['good']:.0%} at most {GOOD:g}"
    cells = f"{found['cells']} cell{'' if found['cells'] == 1 else 's'}{alone}"
    return f"{cells}: median ratio {found['median']:.2f}, {shares}, {found['behind']:.0%} above {BAD:g}"
