"""A candidate that leads by prediction alone is run: first the finals, then, where that costs little, a play-off.

Predictions of some sixty candidates are wrong by a factor of two now and then, and the smallest of many is more likely
too small than too large. In the finals a candidate that leads without having run is run, until the first choice is one
that has: this corrects the choice in less time than a poor choice would cost. Where a whole run takes a moment, those
nearly as fast as the leader run to the end, and no prediction is left among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..problems.problem import Problem
from .candidates import Candidate
from .predictions import corrected
from .probing import Probe, probe, run_to_end
from .ranking import Choice

MAX_FINALISTS = 6
MAX_FINAL_PASSES = 20.0
MAX_CONTENDERS = 8  # in the play-off
CONTENDER_RATIO = 3.0  # to the leader's seconds: who is expected to need no more takes part
MAX_PLAYOFF_SECONDS = 0.5  # it is held if two such runs would fit


def finals(
    problem: Problem,
    candidates: Sequence[Candidate],
    choices: Sequence[Choice],
    measured: dict[str, Probe],
    eps: float,
    max_seconds: float,
    seed: int,
    report: Callable[[Probe], Any] = lambda probe: None,
) -> dict[str, Probe]:
    """Run the leaders of the predicted `choices`, each until it cannot win any more; the new runs by label."""
    by_key = {candidate.key: candidate for candidate in candidates}
    leading = {choice.runs: choice for choice in choices if choice.seconds is not None and choice.runs == choice.label}
    expected = {label: float(choice.seconds or 0.0) for label, choice in leading.items()}
    ran = {own.key for own in measured.values()}
    found: dict[str, Probe] = {}
    while expected and len(found) < MAX_FINALISTS:
        first = min(expected, key=lambda label: expected[label])
        if first in ran:
            break
        best = min((seconds for label, seconds in expected.items() if label in ran), default=math.inf)
        found[first] = probe(
            problem, by_key[first], eps, MAX_FINAL_PASSES, min(best, max_seconds / MAX_FINALISTS), seed
        )
        report(found[first])
        expected[first] = corrected(leading[first], found, eps).seconds or math.inf
        ran.add(first)
    seconds_left = min(MAX_PLAYOFF_SECONDS, max_seconds - sum(run.seconds for run in found.values()))
    if 2 * min(expected.values(), default=math.inf) <= seconds_left:
        found |= _playoff(problem, by_key, expected, eps, seconds_left, seed, report)
    return found


def _playoff(
    problem: Problem,
    by_key: Mapping[str, Candidate],
    expected: dict[str, float],
    eps: float,
    seconds_left: float,
    seed: int,
    report: Callable[[Probe], Any],
) -> dict[str, Probe]:
    """Whole runs by label, the likeliest winner first, each stopped when it has taken as long as the fastest before."""
    found: dict[str, Probe] = {}
    best = math.inf
    for label in sorted(expected, key=lambda label: expected[label])[:MAX_CONTENDERS]:
        if expected[label] > CONTENDER_RATIO * best or seconds_left <= 0:
            break
        found[label] = run_to_end(problem, by_key[label], eps, min(best, seconds_left), seed)
        report(found[label])
        seconds_left -= found[label].seconds
        if found[label].reached is not None:
            best = min(best, found[label].seconds_to(eps))
    return found
