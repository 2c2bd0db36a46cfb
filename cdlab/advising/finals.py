"""The final: who is predicted to be among the fastest runs for a while, and that says how long it takes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from ..problem import Problem
from .fitting import Candidate
from .probing import Probe, probe
from .result import Choice

FINALISTS = 4  # at most; what a probe was run of needs no second run
WITHIN = 2.5  # times the best prediction: whose own is at most this may be the fastest
MAX_PASSES = 30.0


def finals(
    problem: Problem,
    candidates: Sequence[Candidate],
    choices: Sequence[Choice],
    measured: dict[str, Probe],
    eps: float,
    max_seconds: float,
    seed: int,
) -> dict[str, Probe]:
    """Runs of the finalists by label, the likeliest winner first, each stopped where it cannot win any more."""
    expected: dict[str, float] = {}
    for choice in choices:
        if choice.seconds is not None:
            expected.setdefault(choice.runs, choice.seconds)
    by_key, probed = {c.key: c for c in candidates}, {own.key for own in measured.values()}
    near = WITHIN * min(expected.values(), default=math.inf)
    entered = sorted((k for k, s in expected.items() if s <= near and k not in probed), key=lambda k: expected[k])
    best = min((s for key, s in expected.items() if key in probed), default=math.inf)
    found: dict[str, Probe] = {}
    for key in entered[:FINALISTS]:
        found[key] = probe(problem, by_key[key], eps, MAX_PASSES, min(best, max_seconds / FINALISTS), seed)
        best = min(best, found[key].seconds_to(eps))
    return found


def corrected(choice: Choice, found: dict[str, Probe], eps: float) -> Choice:
    """The choice with what its own run says, if it had one."""
    run = found.get(choice.runs)
    if run is None:
        return choice
    passes = run.passes_to(eps)
    if not math.isfinite(passes):
        return choice
    basis = f"{run.passes:.3g} passes of its own"
    return replace(choice, passes=passes, seconds=passes * run.pass_seconds, basis=basis)
