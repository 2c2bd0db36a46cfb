"""Short runs: how fast a method contracts on this problem, and how long a pass takes on this machine."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from ..numerics.clocks import cpu_seconds
from ..problems.problem import Problem
from ..runs.pauses import EveryEpochs
from ..runs.progress_line import STARTING_TEXT, ProgressLine
from ..runs.running import Run
from ..runs.trace import Record
from .candidates import Candidate

# For each kind of lines of X: which candidates may be its probe, the first that fits, and for how many passes. L-BFGS
# needs more than coordinate methods to show what it can do, and its passes are cheaper. Likely winners are first.
PROBES = {
    "rows": (("sdca@permutation", "saga@permutation"), 10.0),
    "matrix": (("lbfgs",), 30.0),
    "columns": (("rcd@permutation",), 10.0),
}
MIN_EPOCHS = 3  # fewer have no rate to measure
TAIL_SHARE = 0.5  # the contraction is that of the probe's last passes, from this part of them on
FREQUENT_RECORDS = 20  # of a run to the end; then they become rarer, as measuring must not cost more than running


@dataclass(frozen=True)
class Probe:
    """The measurements of a short run.

    Attributes
    ----------
    key : str
        The method and sampling that ran.
    passes, seconds : float
        Its duration; seconds are CPU time of this thread, measuring and compiling not counted.
    error : float
        Relative best gap that it reached, see `Trace.column`. Without any certificate (l2 = l1 = 0) the squared ratio
        of the gradients' norms.
    rate : float
        Decrease of ln(error) per pass, over the last half of the passes.
    pass_seconds : float
        Seconds per pass: the median over epochs.
    reached : float or None
        Passes after which the probe had reached the accuracy asked for; None if it had not.
    """

    key: str
    passes: float
    seconds: float
    error: float
    rate: float
    pass_seconds: float
    reached: float | None

    def passes_to(self, eps: float) -> float:
        """Passes to relative accuracy eps, at the measured rate from where the probe ended; inf if it stood still."""
        if self.reached is not None:
            return self.reached
        return self.passes + max(0.0, math.log(self.error / eps)) / self.rate if self.rate > 0 else math.inf

    def seconds_to(self, eps: float) -> float:
        """Seconds of a whole run to relative accuracy eps; inf if the probe stood still."""
        return self.passes_to(eps) * self.pass_seconds

    def to_dict(self) -> dict[str, Any]:
        """The attributes as a dict."""
        return dict(self.__dict__)


def probe(
    problem: Problem, candidate: Candidate, eps: float, max_passes: float, max_seconds: float, seed: int
) -> Probe:
    """Run a candidate until it reaches relative accuracy eps, or a limit of passes or CPU seconds.

    It does at least three epochs, so that there is a rate to measure. The clock is the CPU time of this thread: other
    load of the machine must not decide what is advised. The same seed gives the same passes.
    """
    run = Run(problem, candidate.method, candidate.sampling, seed, clock=cpu_seconds)

    def is_over(records: list[Record]) -> bool:
        last = records[-1]
        return (last.passes >= max_passes or last.seconds >= max_seconds) and len(records) > MIN_EPOCHS

    return _measurements(candidate.key, *_run_until(run, eps, is_over), eps)


def run_to_end(problem: Problem, candidate: Candidate, eps: float, max_seconds: float, seed: int) -> Probe:
    """Run a candidate until it reaches relative accuracy eps; its `reached` is None if the time was over first."""
    run = Run(problem, candidate.method, candidate.sampling, seed, clock=cpu_seconds)

    def is_over(records: list[Record]) -> bool:
        run.when = EveryEpochs(max(1, len(records) // FREQUENT_RECORDS))
        return records[-1].seconds >= max_seconds

    return _measurements(candidate.key, *_run_until(run, eps, is_over), eps)


def _run_until(run: Run, eps: float, is_over: Callable[[list[Record]], bool]) -> tuple[list[Record], list[float]]:
    """Records until the error is at most eps, the run diverges or is over; and its errors then."""
    records, errors = [next(run)], [1.0]
    while True:
        records.append(next(run))
        errors.append(_error(run))
        if not errors[-1] > eps or not np.isfinite(records[-1].primal) or is_over(records):
            return records, errors


def _error(run: Run) -> float:
    """The relative best gap so far; without any certificate (l2 = l1 = 0) the squared ratio of the gradients' norms."""
    found = float(run.trace.column("relative_best_gap")[-1])
    assert run.seen is not None, "it has measured"
    return found if math.isfinite(found) else min(1.0, run.seen.gradient_ratio**2)


def _measurements(key: str, records: list[Record], errors: list[float], eps: float) -> Probe:
    passes = [r.passes for r in records]
    late = min(int(np.searchsorted(passes, TAIL_SHARE * passes[-1])), len(passes) - 2)
    tiny = np.finfo(float).tiny
    rate = math.log(max(errors[late], tiny) / max(errors[-1], tiny)) / (passes[-1] - passes[late])
    costs = [(b.seconds - a.seconds) / (b.passes - a.passes) for a, b in zip(records, records[1:], strict=False)]
    reached = next((p for p, error in zip(passes, errors, strict=True) if error <= eps), None)
    return Probe(key, passes[-1], records[-1].seconds, errors[-1], rate, median(costs), reached)


# ---------------------------------------------------------------- the probes of a problem
def probes(
    problem: Problem,
    candidates: Sequence[Candidate],
    eps: float,
    max_seconds: float,
    seed: int,
    *,
    full: bool = False,
    report: Callable[[Probe], Any] = lambda probe: None,
) -> dict[str, Probe]:
    """Run one probe for each kind of lines that some candidate goes along, and `report` each.

    By default a probe stops where it cannot win any more: when it has taken as long as an earlier one is expected to
    need for its whole work. With `full` it does not.
    """
    by_key = {c.key: c for c in candidates}
    found: dict[str, Probe] = {}
    for lines, (keys, max_passes) in PROBES.items():
        fitting = [by_key[key] for key in keys if key in by_key]
        if fitting:
            needed = min((other.seconds_to(eps) for other in found.values()), default=math.inf)
            limit = max_seconds / len(PROBES)
            found[lines] = probe(problem, fitting[0], eps, max_passes, limit if full else min(limit, needed), seed)
            report(found[lines])
    return found


def describe_probes() -> str:
    """The short runs and their longest durations: "10 passes of sdca, 30 of lbfgs"."""
    (first, *rest) = ((max_passes, keys[0].partition("@")[0]) for keys, max_passes in PROBES.values())
    return ", ".join([f"{first[0]:g} passes of {first[1]}", *(f"{number:g} of {name}" for number, name in rest)])


@contextmanager
def progress_reporter(progress: bool | Callable[[Probe], Any] | None) -> Iterator[Callable[[Probe], Any]]:
    """The function that is called with each short run: `progress` itself, or one that shows it in a line on stderr."""
    if callable(progress):
        yield progress
        return
    with ProgressLine(quiet=not progress) as line:
        line.show(f"advice: {STARTING_TEXT}")
        runs = 0

        def report(run: Probe) -> None:
            nonlocal runs
            runs += 1
            line.now_and_then(f"advice: {runs} short runs; {run.key}: {run.passes:.3g} passes in {run.seconds:.2g} s")

        yield report
