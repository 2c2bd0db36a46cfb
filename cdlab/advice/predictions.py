"""From bounds and probes to predicted passes and seconds."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import scipy.sparse as sp

from ..methods import NewtonCD
from ..methods.shared import costs
from ..problems.problem import Problem
from .calibration import Row, row_of
from .candidates import Candidate
from .guarantees import Cover, cover, effective_l2
from .probing import Probe, probe
from .ranking import Choice

# For each way to walk along X: which candidates may be its probe, the first that fits, and for how many passes. L-BFGS
# needs more than coordinate methods to show what it can do, and its passes are cheaper. Likely winners are first.
PROBES = {
    "rows": (("sdca@permutation", "saga@permutation"), 10.0),
    "matrix": (("lbfgs",), 30.0),
    "columns": (("rcd@permutation",), 10.0),
}


# After k passes of draws with replacement a share e^-k of the coordinates was never drawn. No method that draws so took
# fewer passes than this part of ln(1/eps), at which that share is eps, on any tuning problem with l2 > 0.
NEVER_DRAWN = 0.57


def probing_in_words() -> str:
    """The short runs and their longest durations: "10 passes of sdca, 30 of lbfgs"."""
    (first, *rest) = ((max_passes, keys[0].partition("@")[0]) for keys, max_passes in PROBES.values())
    return ", ".join([f"{first[0]:g} passes of {first[1]}", *(f"{number:g} of {name}" for number, name in rest)])


def probes(
    problem: Problem,
    candidates: Sequence[Candidate],
    eps: float,
    max_seconds: float,
    seed: int,
    *,
    full: bool = False,
    told: Callable[[Probe], Any] = lambda probe: None,
) -> dict[str, Probe]:
    """Run one probe for each kind of lines that some candidate walks along.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    candidates : sequence of Candidate
        All that fit the problem.
    eps : float
        Relative accuracy, as in `advise`.
    max_seconds : float
        CPU seconds for all probes; each may take an equal share.
    seed : int
        Of every run.
    full : bool, default False
        By default a probe stops where it cannot win any more: when it has taken as long as an earlier one is expected
        to need for its whole work. True: it does not.
    told : callable, optional
        Called with each probe.

    Returns
    -------
    dict of str to Probe
        By `Candidate.walks`.
    """
    by_key = {c.key: c for c in candidates}
    found: dict[str, Probe] = {}
    for walks, (keys, max_passes) in PROBES.items():
        fitting = [by_key[key] for key in keys if key in by_key]
        if fitting:
            needed = min((other.seconds_to(eps) for other in found.values()), default=math.inf)
            limit = max_seconds / len(PROBES)
            found[walks] = probe(problem, fitting[0], eps, max_passes, limit if full else min(limit, needed), seed)
            told(found[walks])
    return found


def known_l2(problem: Problem, walks: str, own: Probe | None) -> float | None:
    """The effective l2 of methods that walk along these lines; None without a probe, a smooth loss and l2 > 0."""
    if own is None or walks == "matrix" or problem.loss.gamma == 0 or problem.l2 == 0:
        return None
    return effective_l2(problem, walks, own.rate)


def predicted(problem: Problem, candidate: Candidate, eps: float, measured: dict[str, Probe]) -> Choice:
    """The choice that predicts passes and seconds of one candidate.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    candidate : Candidate
        The method and its sampling.
    eps : float
        Relative accuracy, as in `advise`.
    measured : dict of str to Probe
        The probes by `Candidate.walks`; empty without any.
    """
    own, actual = measured.get(candidate.walks), candidate.actual(problem)
    l2 = known_l2(problem, candidate.walks, own)
    known = cover(problem, candidate, eps, l2)
    runs, behind = actual.key, known if actual == candidate else cover(problem, actual, eps, l2)
    passes, spread, basis, sources = _passes(problem, actual, eps, own, behind)
    seconds = _seconds(problem, runs, passes, own)
    if isinstance(actual.method, NewtonCD) and problem.nnz:
        passes, seconds = _counted(problem, eps, own)
        basis, sources = "a count of what its iterations multiply", ("count",)
    if runs != candidate.key:
        basis += f" (here it is {runs})"
    return Choice(
        method=candidate.method.name,
        sampling=candidate.sampling.name if candidate.draws else "none",
        parameters={},
        runs=runs,
        passes=passes,
        seconds=seconds,
        spread=spread,
        basis=basis,
        sources=sources,
        worst=known.worst,
        sharp=known.sharp,
        bound=known.bound,
        outside=known.outside,
    )


def _passes(
    problem: Problem, candidate: Candidate, eps: float, own: Probe | None, known: Cover
) -> tuple[float | None, float | None, str, tuple[str, ...]]:
    """Expected passes, spread, and where they come from, in words and in short.

    That is the table, else its own probe, else its bound.
    """
    row = row_of(candidate.key, problem)
    extrapolated = math.inf if own is None else own.passes_to(eps)
    if row is not None:
        row = row.without_probe() if own is None else row
        passes = row.passes({"worst": known.worst, "sharp": known.sharp, "probe": extrapolated})
        if passes is not None:
            if candidate.replaces and problem.l2 > 0:
                passes = max(passes, NEVER_DRAWN * math.log(1 / eps))
            sources = dict.fromkeys("probe" if name == "probe" else "bound" for name in row.powers)
            return passes, row.spread, f"{row.factor:.2g} x {_in_words(row, own)}", tuple(sources)
    whose = "" if row else " (not measured)"
    if own is not None and own.key == candidate.key and math.isfinite(extrapolated):
        return extrapolated, None, f"its own probe{whose}", ("own run",)
    if known.worst is not None and math.isfinite(known.worst):
        return known.worst, None, f"its bound{whose}", ("bound",)
    return None, None, f"no prediction: neither bound nor probe{whose}", ()


def _counted(problem: Problem, eps: float, own: Probe | None) -> tuple[float, float | None]:
    """Passes and seconds of Newton's method: it has no rate to extrapolate, but its work can be counted."""
    left = math.log(1 / eps)
    products = costs.of_newton(problem, left) / costs.of_product(problem)
    return costs.passes_of_newton(problem, left), None if own is None else products * own.pass_seconds / 2


def _in_words(row: Row, own: Probe | None) -> str:
    words = {"worst": "its bound", "sharp": "its bound with sharp constants", "probe": f"{own and own.key}'s probe"}
    return " x ".join(
        words[name] if power == 1 else f"({words[name]})^{power:.2g}" for name, power in row.powers.items()
    )


def _seconds(problem: Problem, runs: str, passes: float | None, own: Probe | None) -> float | None:
    """Passes, times seconds a pass in the probe, times what a pass of a whole run costs beside the probe's."""
    if passes is None or own is None:
        return None
    row = row_of(runs, problem)
    if row is None:
        return passes * own.pass_seconds if own.key == runs else None
    return passes * own.pass_seconds * row.cost(not sp.issparse(problem.X), problem.loss.name == "logistic")
