"""Short runs: how fast a method contracts on this problem, and how long a pass takes on this machine."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from ..numerics.clocks import cpu_seconds
from ..problems.problem import Problem
from ..runs.records import Record
from ..runs.running import Run
from .candidates import Candidate

LEAST = 3  # epochs: fewer have no rate to measure
TAIL = 0.5  # the contraction is that of the probe's last passes, from this part of them on
SURELY = 0.1  # of eps: the gap at which P* is as good as known


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
        Relative gap that it reached: (P(w) - D(alpha))/(P(0) - D(alpha)), w and alpha the best so far. Without any
        certificate (l2 = l1 = 0) the squared ratio of the gradients' norms.
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
    load of the machine must not decide what is advised.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    candidate : Candidate
        The method and its sampling.
    eps : float
        Relative accuracy (P(w) - D(alpha))/(P(0) - D(alpha)).
    max_passes, max_seconds : float
        The limits.
    seed : int
        The same seed gives the same passes.
    """
    run = Run(problem, candidate.method, candidate.sampling, seed, clock=cpu_seconds)

    def over(records: list[Record]) -> bool:
        last = records[-1]
        return (last.passes >= max_passes or last.seconds >= max_seconds) and len(records) > LEAST

    records, errors, _ = _followed(run, eps, -math.inf, over)
    return _measured(candidate.key, records, errors, eps)


def whole(
    problem: Problem, candidate: Candidate, eps: float, known: float, max_seconds: float, seed: int
) -> tuple[Probe, float]:
    """Run a candidate until P(w) - D <= eps (P(0) - D), D being the highest dual value of this and of earlier runs.

    With its own gap alone, a primal method would be blamed for the slow certificate that comes with it. The first run,
    with `known` = -inf, goes on to a tenth of eps, so that D* - D hardly counts.

    Parameters
    ----------
    problem, candidate, eps, max_seconds, seed
        As in `probe`.
    known : float
        The highest dual value of the earlier runs; -inf if there were none.

    Returns
    -------
    probe : Probe
        Its `reached` is None if the time was over first.
    highest : float
        The highest dual value known now; -inf without any certificate (l2 = l1 = 0).
    """
    run = Run(problem, candidate.method, candidate.sampling, seed, clock=cpu_seconds)
    enough = eps if math.isfinite(known) else SURELY * eps

    def over(records: list[Record]) -> bool:
        run.every = max(1, len(records) // 20)  # measuring must not cost more than running
        return records[-1].seconds >= max_seconds

    records, errors, highest = _followed(run, enough, known, over)
    if math.isfinite(highest):
        errors = [_error(run, records[: k + 1], highest) for k in range(len(records))]
    return _measured(candidate.key, records, errors, eps), highest


def _followed(
    run: Run, enough: float, known: float, over: Callable[[list[Record]], bool]
) -> tuple[list[Record], list[float], float]:
    """Records until the error is small enough, the run diverges or is `over`; its errors then, and the highest dual."""
    records, errors = [next(run)], [1.0]
    highest = float(np.fmax(known, records[0].dual))
    while True:
        records.append(next(run))
        highest = float(np.fmax(highest, records[-1].dual))
        errors.append(_error(run, records, highest))
        if not errors[-1] > enough or not np.isfinite(records[-1].primal) or over(records):
            return records, errors, highest


def _error(run: Run, records: list[Record], highest: float) -> float:
    if not math.isfinite(highest):
        return min(1.0, float(run.gradient_ratio) ** 2)
    whole = records[0].primal - highest  # D at the start of a primal method can be far below any that counts
    return max(0.0, float(min(r.primal for r in records) - highest)) / whole if whole > 0 else 0.0


def _measured(key: str, records: list[Record], errors: list[float], eps: float) -> Probe:
    passes = [r.passes for r in records]
    late = min(int(np.searchsorted(passes, TAIL * passes[-1])), len(passes) - 2)
    tiny = np.finfo(float).tiny
    rate = math.log(max(errors[late], tiny) / max(errors[-1], tiny)) / (passes[-1] - passes[late])
    costs = [(b.seconds - a.seconds) / (b.passes - a.passes) for a, b in zip(records, records[1:], strict=False)]
    reached = next((p for p, error in zip(passes, errors, strict=True) if error <= eps), None)
    return Probe(key, passes[-1], records[-1].seconds, errors[-1], rate, median(costs), reached)
