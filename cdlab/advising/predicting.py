"""From bounds and probes to predicted passes and seconds."""

from __future__ import annotations

import math
from collections.abc import Sequence

import scipy.sparse as sp

from ..problem import Problem
from .calibration import Row, row_of
from .covering import Cover, cover, effective_l2
from .fitting import Candidate
from .probing import Probe, probe
from .result import Choice

# For each way to walk along X: which candidates may be its probe, the first that fits, and for how many passes. L-BFGS
# needs more than coordinate methods to show what it can do, and its passes are cheaper. Likely winners are first.
PROBES = {
    "rows": (("sdca@permutation", "saga@permutation"), 10.0),
    "matrix": (("lbfgs",), 30.0),
    "columns": (("rcd@permutation",), 10.0),
}


def probing_in_words() -> str:
    """The short runs and how long they are at most: "10 passes of sdca, 30 of lbfgs"."""
    (first, *rest) = ((max_passes, keys[0].partition("@")[0]) for keys, max_passes in PROBES.values())
    return ", ".join([f"{first[0]:g} passes of {first[1]}", *(f"{number:g} of {name}" for number, name in rest)])


def probes(
    problem: Problem, candidates: Sequence[Candidate], eps: float, max_seconds: float, seed: int, *, full: bool = False
) -> dict[str, Probe]:
    """One probe for each way to walk that some candidate takes; each may take its share of the seconds.

    Unless all are to run in full, one stops where it cannot win any more: when it has taken as long as a probe before
    it needs for all of its work.
    """
    by_key = {c.key: c for c in candidates}
    found: dict[str, Probe] = {}
    for walks, (keys, max_passes) in PROBES.items():
        fitting = [by_key[key] for key in keys if key in by_key]
        if fitting:
            needed = min((other.seconds_to(eps) for other in found.values()), default=math.inf)
            limit = max_seconds / len(PROBES)
            found[walks] = probe(problem, fitting[0], eps, max_passes, limit if full else min(limit, needed), seed)
    return found


def known_l2(problem: Problem, walks: str, own: Probe | None) -> float | None:
    """The effective l2 of coordinate methods, if there is a probe to tell and a smooth problem to speak of."""
    if own is None or walks == "matrix" or problem.loss.gamma == 0 or problem.l2 == 0:
        return None
    return effective_l2(problem, walks, own.rate)


def predicted(problem: Problem, candidate: Candidate, eps: float, measured: dict[str, Probe]) -> Choice:
    """What is expected of one candidate."""
    own, actual = measured.get(candidate.walks), candidate.actual(problem)
    l2 = known_l2(problem, candidate.walks, own)
    known = cover(problem, candidate, eps, l2)
    runs, behind = actual.key, known if actual == candidate else cover(problem, actual, eps, l2)
    passes, spread, basis = _passes(problem, candidate, runs, eps, own, behind)
    return Choice(
        method=candidate.method.name,
        sampling=candidate.sampling.name if candidate.draws else "none",
        parameters={},
        runs=runs,
        passes=passes,
        seconds=_seconds(problem, candidate, runs, passes, own),
        spread=spread,
        basis=basis,
        worst=known.worst,
        sharp=known.sharp,
        bound=known.bound,
        outside=known.outside,
    )


def _passes(
    problem: Problem, candidate: Candidate, runs: str, eps: float, own: Probe | None, known: Cover
) -> tuple[float | None, float | None, str]:
    """Expected passes, spread, and in words where they come from: the table, else its own probe, else its bound."""
    row, whose = row_of(runs, problem)
    caveat = f" (here it is {runs})" if runs != candidate.key else f" ({whose})" if whose else ""
    extrapolated = math.inf if own is None else own.passes_to(eps)
    drivers = {"worst": known.worst, "sharp": known.sharp, "probe": extrapolated}
    if row is not None:
        row = row.without_probe() if own is None else row
        passes = row.passes(drivers)
        if passes is not None:
            return passes, row.spread, f"{row.factor:.2g} x {_in_words(row, own)}{caveat}"
    if own is not None and own.key == runs and math.isfinite(extrapolated):
        return extrapolated, None, f"its own probe{caveat}"
    if known.worst is not None and math.isfinite(known.worst):
        return known.worst, None, f"its bound{caveat}"
    return None, None, f"no prediction: neither bound nor probe{caveat}"


def _in_words(row: Row, own: Probe | None) -> str:
    words = {"worst": "its bound", "sharp": "its bound with sharp constants", "probe": f"{own and own.key}'s probe"}
    return " x ".join(
        words[name] if power == 1 else f"({words[name]})^{power:.2g}" for name, power in row.powers.items()
    )


def _seconds(
    problem: Problem, candidate: Candidate, runs: str, passes: float | None, own: Probe | None
) -> float | None:
    """Passes, times seconds a pass in the probe, times what a pass costs this method beside the probe's."""
    if passes is None or own is None:
        return None
    dense, logistic = not sp.issparse(problem.X), problem.loss.name == "logistic"
    mine, _ = row_of(runs, problem)
    probed, _ = row_of(own.key, problem)
    if mine is None or probed is None:
        return passes * own.pass_seconds if own.key == candidate.key else None
    return passes * own.pass_seconds * mine.cost(dense, logistic) / probed.cost(dense, logistic)
