"""A candidate that leads by prediction alone is run: first the finals, then, where that costs little, a play-off.

Predictions of some sixty candidates are wrong by a factor of two now and then, and the smallest of many is more likely
too small than too large. In the finals a candidate that leads without having run is run, until the first choice is one
that has: this corrects the choice in less time than a poor choice would cost. Where a whole run takes a moment, those
nearly as fast as the leader run to the end, and no prediction is left among them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from ..problems.problem import Problem
from .candidates import Candidate
from .probing import Probe, probe, whole
from .ranking import Choice

FINALISTS = 6  # at most
MAX_PASSES = 20.0
TRUST = 0.6  # of ln(passes): how much the own run counts beside the table, unless it got to the end

CONTENDERS = 8  # at most, in the play-off
NEARLY = 3.0  # times the leader's seconds: who is expected to need no more takes part
MOMENT = 0.5  # seconds that a play-off may take; it is held if two such runs would fit


def finals(
    problem: Problem,
    candidates: Sequence[Candidate],
    choices: Sequence[Choice],
    measured: dict[str, Probe],
    eps: float,
    max_seconds: float,
    seed: int,
    told: Callable[[Probe], Any] = lambda probe: None,
) -> dict[str, Probe]:
    """Run the leaders, each until it cannot win any more.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    candidates : sequence of Candidate
        All that fit the problem.
    choices : sequence of Choice
        The predictions of the candidates.
    measured : dict of str to Probe
        The probes that have run already.
    eps : float
        Relative accuracy, as in `advise`.
    max_seconds : float
        CPU seconds for all runs together.
    seed : int
        Of every run.
    told : callable, optional
        Called with each run.

    Returns
    -------
    dict of str to Probe
        The new runs by label.
    """
    by_key = {candidate.key: candidate for candidate in candidates}
    leading = {choice.runs: choice for choice in choices if choice.seconds is not None and choice.runs == choice.label}
    expected = {label: float(choice.seconds or 0.0) for label, choice in leading.items()}
    ran = {own.key for own in measured.values()}
    found: dict[str, Probe] = {}
    while expected and len(found) < FINALISTS:
        first = min(expected, key=lambda label: expected[label])
        if first in ran:
            break
        best = min((seconds for label, seconds in expected.items() if label in ran), default=math.inf)
        found[first] = probe(problem, by_key[first], eps, MAX_PASSES, min(best, max_seconds / FINALISTS), seed)
        told(found[first])
        expected[first] = corrected(leading[first], found, eps).seconds or math.inf
        ran.add(first)
    moment = min(MOMENT, max_seconds - sum(run.seconds for run in found.values()))
    if 2 * min(expected.values(), default=math.inf) <= moment:
        found |= _playoff(problem, by_key, expected, eps, moment, seed, told)
    return found


def _playoff(
    problem: Problem,
    by_key: Mapping[str, Candidate],
    expected: dict[str, float],
    eps: float,
    moment: float,
    seed: int,
    told: Callable[[Probe], Any],
) -> dict[str, Probe]:
    """Whole runs by label, the likeliest winner first, each stopped when it has taken as long as the fastest before."""
    found: dict[str, Probe] = {}
    best, highest = math.inf, -math.inf
    for label in sorted(expected, key=lambda label: expected[label])[:CONTENDERS]:
        if expected[label] > NEARLY * best or moment <= 0:
            break
        found[label], highest = whole(problem, by_key[label], eps, highest, min(best, moment), seed)
        told(found[label])
        moment -= found[label].seconds
        if found[label].reached is not None:
            best = min(best, found[label].seconds_to(eps))
    return found


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
        passes=max(run.passes, _mixed(passes, choice.passes)),
        seconds=max(run.seconds, _mixed(passes * run.pass_seconds, choice.seconds)),
        basis=f"{ran}, and {choice.basis}",
        sources=tuple(dict.fromkeys(("own run", *choice.sources))),
    )


def _mixed(own: float, other: float) -> float:
    return own**TRUST * other ** (1 - TRUST)
