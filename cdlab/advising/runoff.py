"""The final: whoever leads the ranking without having run does so now, until the first choice is one that has run.

Predictions of some sixty candidates are wrong by a factor of two now and then, and the smallest of many is likelier too
small than too large. A run of the leader's own corrects that, for less time than the run that it saves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ..problem import Problem
from .fitting import Candidate
from .probing import Probe, probe
from .result import Choice

FINALISTS = 6  # at most
MAX_PASSES = 20.0
TRUST = 0.6  # of ln(passes): how much the own run counts beside the table, unless it got to the end


def finals(
    problem: Problem,
    candidates: Sequence[Candidate],
    choices: Sequence[Choice],
    measured: dict[str, Probe],
    eps: float,
    max_seconds: float,
    seed: int,
) -> dict[str, Probe]:
    """Runs of the leaders by label, each stopped where it cannot win any more."""
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
        expected[first] = corrected(leading[first], found, eps).seconds or math.inf
        ran.add(first)
    return found


def corrected(choice: Choice, found: dict[str, Probe], eps: float) -> Choice:
    """The choice with what its own run says, if it had one."""
    run = found.get(choice.runs)
    if run is None or choice.passes is None or choice.seconds is None:
        return choice
    passes, ran = run.passes_to(eps), f"its own run of {run.passes:.3g} passes"
    if not math.isfinite(passes):
        return replace(choice, passes=None, seconds=None, basis=f"no prediction: {ran} stood still")
    if run.reached is not None:
        return replace(choice, passes=passes, seconds=passes * run.pass_seconds, basis=ran)
    return replace(
        choice,
        passes=_mixed(passes, choice.passes),
        seconds=_mixed(passes * run.pass_seconds, choice.seconds),
        basis=f"{ran}, and {choice.basis}",
    )


def _mixed(own: float, other: float) -> float:
    return own**TRUST * other ** (1 - TRUST)
