"""The bounds of a race's methods at numbers that a person moves: their values, curves, crossing points, and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ...methods import Method
from ...plots.style import Look, looks_by_side, side_of
from ...problems.problem import Problem
from ...runs.entries import label_of
from ...samplings import Sampling
from ..words import number, table
from .what_if import WhatIf, what_if

POINTS = 41  # of a curve
LARGEST_BATCH = 99
EQUAL = 1e-9  # bounds nearer than this, on a log scale, are the same formula
LEADING = 0.02  # beyond the smallest bound, interpolated between points of a curve
TOLD = 6  # crossings in words
WHOLE = ("n", "m")
QUANTITIES = {
    "l2": ("weight l2", "l2"),
    "n": ("examples n", "n"),
    "eps": ("relative accuracy eps", "eps"),
    "m": ("batch size m", "m"),
}


@dataclass(frozen=True)
class Setting:
    """What the bounds are asked for: the numbers, and which of them a curve runs along."""

    n: float
    l2: float
    eps: float
    m: float = 1.0
    against: str = "l2"


@dataclass(frozen=True)
class Crossing:
    """Two bounds are equal at x, where both are y: below x `low` is the smaller one, above it `high`."""

    x: float
    y: float
    low: str
    high: str
    leads: bool  # no other bound is smaller there


@dataclass(frozen=True)
class Movable:
    """The bounds of a race's methods.

    Attributes
    ----------
    home : Setting
        The problem itself.
    bounds : tuple of WhatIf
    looks : tuple of Look
        Of their curves: those that the methods have in a race of all of them.
    reasons : tuple of (label, reason)
        For methods without a bound that can be moved.
    """

    home: Setting
    bounds: tuple[WhatIf, ...]
    looks: tuple[Look, ...]
    reasons: tuple[tuple[str, str], ...]

    def range(self, name: str) -> tuple[float, float]:
        """How far a number can be moved."""
        if name == "eps":
            return 1e-12, 0.1
        if name == "m":
            return 1.0, float(max(1, min(self.home.n, LARGEST_BATCH)))
        home, factor = getattr(self.home, name), 100 if name == "n" else 1e4
        return max(home / factor, 2.0 if name == "n" else 0.0), home * factor

    def names(self) -> list[str]:
        """What can be moved: without l2 there is no scale for it."""
        return [name for name in QUANTITIES if self.range(name)[1] > self.range(name)[0]]


@dataclass(frozen=True)
class Moved:
    """The bounds at a setting.

    Attributes
    ----------
    setting : Setting
    xs : (points,) array
    curves : (bounds, points) array
        Passes along xs.
    here, home : (bounds,) arrays
        Passes at the setting, and on the problem itself; NaN where no theorem covers a method.
    crossings : tuple of Crossing
    """

    setting: Setting
    xs: np.ndarray
    curves: np.ndarray
    here: np.ndarray
    home: np.ndarray
    crossings: tuple[Crossing, ...]


def movable(problem: Problem, entrants: Sequence[tuple[Method, Sampling]], eps: float) -> Movable:
    """The bounds of these methods, ready to be moved."""
    bounds, looks, reasons = [], [], []
    of_race = looks_by_side({label_of(method, sampling): side_of(method) for method, sampling in entrants})
    for method, sampling in entrants:
        try:
            bounds.append(what_if(problem, method, sampling))
            looks.append(of_race[label_of(method, sampling)])
        except ValueError as reason:
            reasons.append((label_of(method, sampling), str(reason)))
    home = Setting(float(problem.n), problem.l2, eps, against="l2" if problem.l2 > 0 else "n")
    return Movable(home, tuple(bounds), tuple(looks), tuple(reasons))


def move(bounds: Movable, setting: Setting) -> Moved:
    """The bounds at a setting, and along the quantity that it names."""
    low, high = bounds.range(setting.against)
    xs = np.geomspace(low, high, POINTS)
    if setting.against == "m":
        xs = np.unique(np.round(xs))
    curves = _along(bounds.bounds, setting, xs)
    here, home = (
        np.array([float(each.passes(at.n, at.l2, at.eps, at.m)) for each in bounds.bounds])
        for at in (setting, bounds.home)
    )
    return Moved(setting, xs, curves, here, home, _crossings(bounds.bounds, setting, xs, curves))


def _along(bounds: Sequence[WhatIf], setting: Setting, xs: np.ndarray) -> np.ndarray:
    at = replace(setting, **{setting.against: xs})
    return np.array([each.passes(at.n, at.l2, at.eps, at.m) for each in bounds]).reshape(len(bounds), xs.size)


def _crossings(bounds: Sequence[WhatIf], setting: Setting, xs: np.ndarray, curves: np.ndarray) -> tuple[Crossing, ...]:
    found = []
    with np.errstate(divide="ignore"):
        logs = np.log(curves)
    alike = _alike(logs)
    names = [" and ".join(each.label for each, first in zip(bounds, alike, strict=True) if first == k) for k in alike]
    for a, b in combinations(sorted(set(alike)), 2):
        difference = logs[a] - logs[b]
        for left, right in _changes(difference):
            x, y = _refined((bounds[a], bounds[b]), setting, xs[[left, right]], difference[[left, right]])
            low, high = (a, b) if difference[left] < 0 else (b, a)
            others = [np.exp(np.interp(np.log(x), np.log(xs), each)) for each in logs]
            leads = bool(y <= np.nanmin(others) * (1 + LEADING))
            found.append(Crossing(x, y, names[low], names[high], leads))
    return tuple(sorted(found, key=lambda each: each.x))


def _alike(logs: np.ndarray) -> list[int]:
    """For each curve the first one that is the same: those of one formula cross others together."""
    with np.errstate(invalid="ignore"):
        return [
            next(k for k in range(j + 1) if np.nanmax(np.abs(logs[k] - logs[j]), initial=0) < EQUAL)
            for j in range(len(logs))
        ]


def _changes(difference: np.ndarray) -> list[tuple[int, int]]:
    """Neighbours between which the difference changes its sign; where it is 0 the formulas are equal."""
    clear = np.flatnonzero(np.isfinite(difference) & (np.abs(difference) > EQUAL))
    signs = np.sign(difference[clear])
    turns = np.flatnonzero(signs[:-1] != signs[1:])
    return [(int(clear[k]), int(clear[k + 1])) for k in turns]


def _refined(
    pair: Sequence[WhatIf], setting: Setting, ends: np.ndarray, differences: np.ndarray
) -> tuple[float, float]:
    """Where the two are equal, by two steps of regula falsi on log scales, and their value there."""
    low, high = np.log(ends)
    at_low, at_high = differences
    for _ in range(2):
        x = low + (high - low) * at_low / (at_low - at_high)
        there = np.log(_along(pair, setting, np.array([np.exp(x)]))[:, 0])
        difference = there[0] - there[1]
        if not np.isfinite(difference):
            break
        if np.sign(difference) == np.sign(at_low):
            low, at_low = x, difference
        else:
            high, at_high = x, difference
    x = float(np.exp(low + (high - low) * at_low / (at_low - at_high)))
    return x, float(_along(pair[:1], setting, np.array([x]))[0, 0])


# ------------------------------------------------------------ in words
def sentence(bounds: Movable, moved: Moved) -> str:
    """Who has the smallest bound at the setting, and where the bounds cross."""
    at = moved.setting
    where = f"At n = {number(round(at.n))}, l2 = {number(at.l2)}, eps = {number(at.eps)}" + (
        f" and m = {number(at.m)}" if at.m != 1 else ""
    )
    if not bounds.bounds:
        return "There is nothing to move: on these data no bound of these methods is known, for the reasons above."
    if not np.isfinite(moved.here).any():
        return f"{where} no bound of these methods is known."
    best = int(np.nanargmin(moved.here))
    words = [f"{where} the smallest bound is that of {bounds.bounds[best].label}: {number(moved.here[best])} passes."]
    words += [crossing_in_words(each, at.against) for each in _most_telling(moved.crossings)]
    if not moved.crossings and len(bounds.bounds) > 1:
        words.append(f"No two of the bounds cross as {QUANTITIES[at.against][1]} moves.")
    if len(moved.crossings) > TOLD:
        words.append(f"The picture marks {len(moved.crossings) - TOLD} more crossings.")
    return " ".join(words)


def crossing_in_words(crossing: Crossing, against: str) -> str:
    """One crossing as a sentence."""
    name, x = QUANTITIES[against][1], round(crossing.x) if against in WHOLE else crossing.x
    equal = "nearly equal" if against in WHOLE else "equal"
    lead = ", and no other is smaller" if crossing.leads else ""
    return (
        f"At {name} = {number(x)} the bounds of {crossing.low} and of {crossing.high} are {equal}, "
        f"{number(crossing.y)} passes"
        f"{lead}: below that fewer suffice for {crossing.low}, above it for {crossing.high}."
    )


def _most_telling(crossings: Sequence[Crossing]) -> list[Crossing]:
    kept = sorted(crossings, key=lambda each: not each.leads)[:TOLD]
    return sorted(kept, key=lambda each: each.x)


def moved_table(bounds: Movable, moved: Moved) -> str:
    """Each bound on the data and at the setting."""
    rows = [
        [what.label, number(home), number(here), number(here / home) if home > 0 else number(None)]
        for what, home, here in zip(bounds.bounds, moved.home, moved.here, strict=True)
    ]
    head = ["method", "passes on these data", "passes as moved", "moved/on these data"]
    return table(head, rows, "The bounds, moved") if rows else ""
