"""Fits cdlab/advising/calibration.csv: passes = factor driver^power for every candidate, and what its passes cost.

A candidate that was given up after t passes says only that it needs more than t. The fit counts that: it is a Tobit
regression of ln(passes), in which such a candidate has the probability of what is above ln t, by the EM algorithm, with
the weights of Student's t, so that a single odd problem does not spoil it. Of the three drivers the likeliest is taken;
a power other than 1 has to earn its place by two units of log-likelihood.
"""

import csv
import math
import statistics
from collections.abc import Iterator
from dataclasses import asdict, fields

import numpy as np
import scipy.sparse as sp
from advice_cases import cases
from scipy.special import log_ndtr

from cdlab.advising.calibration import TABLE, Row
from cdlab.advising.covering import cover
from cdlab.advising.fitting import field
from cdlab.advising.predicting import known_l2, probes

EPS = 1e-6
TYPICAL = 0.15  # prior of the variance of ln(passes), with the weight of PRIOR problems
PRIOR = 3
STIFF = 0.3  # prior that keeps the power near 1
FREEDOM = 4  # of Student's t: problems far from the rest count little
PRICE = 2.0  # log-likelihood that a power other than 1 must gain
WORST = -6.0  # log-likelihood below which one problem cannot go
MOST = 0.85  # a driver must exist for so many of the problems
ROUNDS = 100
NORMAL = 0.5 * math.log(2 * math.pi)


def fitted(x: np.ndarray, y: np.ndarray, above: np.ndarray, power: float | None) -> tuple[float, float, float, float]:
    """(a, power, s, log-likelihood) of y = a + power x + s error; where `above`, y is only a lower bound."""
    full, extra, weight = y.copy(), np.zeros_like(y), np.ones_like(y)
    for _ in range(ROUNDS):
        centre, middle = np.average(x, weights=weight), np.average(full, weights=weight)
        slope = weight @ ((x - centre) * (full - middle))
        b = power if power is not None else (slope + STIFF) / (weight @ (x - centre) ** 2 + STIFF)
        a = middle - b * centre
        residual = full - a - b * x
        s = math.sqrt((weight @ (residual**2 + extra) + PRIOR * TYPICAL) / (y.size + PRIOR))
        z = (y - a - b * x) / s
        hazard = np.exp(-0.5 * z * z - NORMAL - log_ndtr(-z))
        full = np.where(above, a + b * x + s * hazard, y)
        extra = np.where(above, s * s * (1 + z * hazard - hazard**2), 0.0)
        weight = np.where(above, 1.0, np.minimum((FREEDOM + 1) / (FREEDOM + z * z), (FREEDOM + 1) / FREEDOM))
    likelihood = np.where(above, log_ndtr(-z), -0.5 * z * z - math.log(s) - NORMAL)
    return float(a), float(b), s, float(np.maximum(likelihood, WORST).sum())


def drivers(P) -> tuple[dict[str, dict[str, float]], dict[str, float], bool, bool]:
    """Of one problem: each candidate's drivers, seconds a pass of its family's probe, dense, logistic."""
    fitting, _ = field(P)
    measured = probes(P, fitting, EPS, 60.0, 0)
    found, seconds = {}, {}
    for candidate in fitting:
        if candidate.runs(P) != candidate.key:
            continue
        own = measured[candidate.walks]
        known = cover(P, candidate, EPS, known_l2(P, candidate.walks, own))
        values = {"worst": known.worst, "sharp": known.sharp, "probe": own.passes_to(EPS)}
        found[candidate.key] = {k: v for k, v in values.items() if v is not None and 0 < v < math.inf}
        seconds[candidate.key] = own.pass_seconds
    return found, seconds, not sp.issparse(P.X), P.loss.name == "logistic"


def calibrate(times: list) -> None:
    by_problem: dict[str, list] = {}
    for t in times:
        by_problem.setdefault(t.problem, []).append(t)
    observed: dict[str, list] = {}
    for case in cases():
        if case.part != "tuning" or case.name not in by_problem:
            continue
        P = case.build()
        found, seconds, dense, logistic = drivers(P)
        for t in by_problem[case.name]:
            if t.entry in found:
                key = t.entry if P.loss.gamma > 0 else f"{t.entry} nonsmooth"
                observed.setdefault(key, []).append((t, found[t.entry], seconds[t.entry], dense, logistic))
    write(rows(observed))


def rows(observed: dict[str, list]) -> list[Row]:
    return [Row(key, *_passes(seen), *_costs(seen)) for key, seen in observed.items()]


def _passes(seen: list) -> tuple:
    """driver, factor, power, spread, the last three for "worst" alone, problems, reached."""
    reached = sum(t.passes < math.inf for t, *_ in seen)
    options = [option for driver in ("worst", "sharp", "probe") for option in _options(seen, driver)]
    theory = [option for option in options if option[1] == "worst"]
    bare = (0.0, "worst", 1.0, 1.0, 1.0)  # nothing to learn from: the bound as it is
    _, *best = max(options, default=bare)
    _, _, *alone = max(theory, default=bare)
    return *best, *alone, len(seen), reached


def _options(seen: list, driver: str) -> Iterator[tuple]:
    """(likelihood a problem, driver, factor, power, spread) with a power of 1 and with a free one."""
    known = [(t, values[driver]) for t, values, *_ in seen if driver in values]
    if len(known) < MOST * len(seen) or sum(t.passes < math.inf for t, _ in known) < 2:
        return
    data = [(x, max(0.5, min(t.passes, t.tried)), t.passes == math.inf) for t, x in known]
    x, y, above = (np.array(column) for column in zip(*data, strict=True))
    for power, price in ((1.0, 0.0), (None, PRICE)):
        a, b, s, likelihood = fitted(np.log(x), np.log(y), above, power)
        yield (likelihood - price) / len(data), driver, math.exp(a), b, math.exp(s)


def _costs(seen: list) -> tuple[float, ...]:
    """Median cost of a pass over that of the probe, by kind of matrix and loss; of all kinds where one is missing."""
    ratios = [(t.pass_seconds / seconds, dense, logistic) for t, _, seconds, dense, logistic in seen]
    everything = statistics.median(r for r, *_ in ratios)
    found = []
    for kind in ((True, False), (True, True), (False, False), (False, True)):
        own = [r for r, *of in ratios if tuple(of) == kind] or [r for r, dense, _ in ratios if dense == kind[0]]
        found.append(statistics.median(own) if own else everything)
    return tuple(found)


def write(table: list[Row]) -> None:
    with TABLE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([f.name for f in fields(Row)])
        for row in sorted(table, key=lambda row: row.entry):
            writer.writerow([f"{v:.3g}" if isinstance(v, float) else v for v in asdict(row).values()])
