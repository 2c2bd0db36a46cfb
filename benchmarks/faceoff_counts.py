"""Results of the face-off's races: medians and their intervals, who won, and how often that was predicted."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from cdlab.comparisons import FirstCrossing

DRAWS = 2000  # draws of the bootstrap
WHAT = ("passes", "seconds")


class Ratio(NamedTuple):
    """rcd's median over another method's, with a 90% bootstrap interval over the seeds of both."""

    value: float
    low: float
    high: float
    sign: str = ""  # ">" where rcd did not get there, "<" where the other did not, "?" where neither did

    @property
    def side(self) -> str | None:
        """The side that won, if the interval leaves no doubt."""
        if self.sign == "?":
            return None
        if self.low > 1 and self.sign != "<":
            return "dual"
        return "primal" if self.high < 1 and self.sign != ">" else None


class MeasuredRuns:
    """The runs of each method, {"rcd": [run, ...]}."""

    def __init__(self, runs: dict[str, list[dict]]):
        self.runs = runs

    def __call__(self, method: str) -> list[dict]:
        return self.runs[method]

    def reached(self, method: str, level: str, what: int = 0) -> FirstCrossing:
        """Passes (0) or seconds (1) of each run to the level."""
        ends = [(run["reached"][level][what], run[WHAT[what]]) for run in self(method)]
        return FirstCrossing(*np.array([(min(reached, spent), reached) for reached, spent in ends]).T)

    def ratio(self, level: str, other: str = "quartz", what: int = 0) -> Ratio:
        sides = [self.reached(method, level, what) for method in ("rcd", other)]
        unknown = [not side.reached for side in sides]
        value = sides[0].cost / sides[1].cost
        if any(unknown):
            return Ratio(value, value, value, "?" if all(unknown) else ">" if unknown[0] else "<")
        rng = np.random.default_rng(0)
        primal, dual = (np.median(rng.choice(side.high, (DRAWS, side.high.size)), axis=1) for side in sides)
        return Ratio(value, *(float(q) for q in np.quantile(primal / dual, (0.05, 0.95))))


# ---------------------------------------------------------------- how often predictions are right
class Count(NamedTuple):
    """Predictions against outcomes that leave no doubt."""

    right: int
    wrong: int

    @property
    def said(self) -> int:
        return self.right + self.wrong

    @property
    def share(self) -> float:
        return self.right / self.said if self.said else math.nan

    def wilson(self) -> tuple[float, float]:
        """95% interval of the share, as if the cases were independent."""
        n, z, p = self.said, 1.959964, self.share
        middle, half = p + z * z / (2 * n), z * math.sqrt(p * (1 - p) / n + (z / (2 * n)) ** 2)
        return (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n)


class Case(NamedTuple):
    """One race: the set it is from, what was predicted (None: nothing), and who won."""

    name: str
    source: str
    bounds: str | None
    baseline: str
    won: str


def cases(found: Sequence[dict], sampling: str, level: str, predicted: Callable[[dict, str], str | None]) -> list[Case]:
    """The races that ended without doubt. The baseline predicts dual if there are more examples than features."""
    ended = []
    for each in found:
        side = MeasuredRuns(each["races"][sampling]).ratio(level).side
        if side is not None:
            face = each["face"]
            baseline = "dual" if face.n > face.d else "primal"
            name = each["name"]
            ended.append(Case(name, name.split(", ")[0], predicted(each, sampling), baseline, side))
    return ended


def count(some: Sequence[Case], who: str) -> Count:
    said = [case for case in some if getattr(case, who) is not None]
    right = sum(getattr(case, who) == case.won for case in said)
    return Count(right, len(said) - right)


def over_sets(some: Sequence[Case], who: str) -> tuple[float, float]:
    """95% bootstrap interval of the share that `who` has right, over data sets: cases of one set go together."""
    names, rng = sorted({case.source for case in some}), np.random.default_rng(0)
    of = {name: count([case for case in some if case.source == name], who) for name in names}
    table = np.array([(of[name].right, of[name].said) for name in names])
    drawn = table[rng.integers(len(names), size=(DRAWS, len(names)))].sum(axis=1)
    shares = drawn[:, 0] / np.maximum(1, drawn[:, 1])
    return tuple(float(q) for q in np.quantile(shares, (0.025, 0.975)))
