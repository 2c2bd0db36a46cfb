"""Fits cdlab/advice/calibration.csv: passes = factor * (drivers to powers), and what a pass of each candidate costs.

The passes are those to the certified gap, which trails a primal method's own P(w) - P*.

A candidate that was given up after t passes says only that it needs more than t. The fit counts that: it is a Tobit
regression of ln(passes), in which such a candidate has the probability of what is above ln t, by the EM algorithm, with
the weights of Student's t, so that a single odd problem does not spoil it. Of the sets of drivers the likeliest is
taken; each power that is not simply 1 has to earn its place by two units of log-likelihood.

`python benchmarks/advice.py validate` leaves out each data set in turn, fits to the other tuning problems, and says how
often the first choice would have been right on those left out: what the form of the table was chosen by.
"""

import csv
import math
import statistics
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields, replace
from unittest import mock

import numpy as np
import scipy.sparse as sp
from advice_cases import Case, cases
from scipy.special import log_ndtr

import cdlab
from cdlab.advice import predictions
from cdlab.advice.bounds import bound_behind
from cdlab.advice.candidates import candidates_for
from cdlab.advice.predictions import DRIVERS, TABLE, Row, known_l2, predicted, suffix_of
from cdlab.advice.probing import Probe, probes

EPS = 1e-6
COSTS = ("dense", "dense_logistic", "sparse", "sparse_logistic")  # columns of the table
TYPICAL_VARIANCE = 0.15  # prior of the variance of ln(passes), with the weight of PRIOR_PROBLEMS problems
PRIOR_PROBLEMS = 3
POWER_PRIOR = 0.3  # prior that keeps the powers equal, and their sum near 1
DRIVER_SETS = (("worst",), ("sharp",), ("probe",), ("worst", "probe"), ("sharp", "probe"))  # drivers that go together
DEGREES_OF_FREEDOM = 4  # of Student's t: problems far from the rest count little
POWER_PRICE = 2.0  # log-likelihood that a power must gain, unless it is simply 1
MIN_LOG_LIKELIHOOD = -6.0  # log-likelihood below which one problem cannot go
MIN_PROBLEMS_PER_POWER = 5  # problems for each power that is free
MIN_DRIVER_SHARE = 0.85  # a driver must exist for so many of the problems
EM_ROUNDS = 100
LOG_SQRT_2_PI = 0.5 * math.log(2 * math.pi)


def fitted(
    X: np.ndarray, y: np.ndarray, above: np.ndarray, powers: np.ndarray | None
) -> tuple[float, np.ndarray, float, float]:
    """(a, powers, s, log-likelihood) of y = a + X powers + s error; where `above`, y is only a lower bound.

    X (problems, drivers); powers are found if they are not given.
    """
    full, extra, weight, drivers = y.copy(), np.zeros_like(y), np.ones_like(y), X.shape[1]
    for _ in range(EM_ROUNDS):
        centre, middle = np.average(X, axis=0, weights=weight), np.average(full, weights=weight)
        if powers is None:
            gram = (X - centre).T @ (weight[:, None] * (X - centre)) + POWER_PRIOR * np.eye(drivers)
            b = np.linalg.solve(gram, (X - centre).T @ (weight * (full - middle)) + POWER_PRIOR / drivers)
        else:
            b = powers
        a = middle - centre @ b
        residual = full - a - X @ b
        s = math.sqrt((weight @ (residual**2 + extra) + PRIOR_PROBLEMS * TYPICAL_VARIANCE) / (y.size + PRIOR_PROBLEMS))
        z = (y - a - X @ b) / s
        hazard = np.exp(-0.5 * z * z - LOG_SQRT_2_PI - log_ndtr(-z))
        full = np.where(above, a + X @ b + s * hazard, y)
        extra = np.where(above, s * s * (1 + z * hazard - hazard**2), 0.0)
        weight = np.where(
            above,
            1.0,
            np.minimum(
                (DEGREES_OF_FREEDOM + 1) / (DEGREES_OF_FREEDOM + z * z), (DEGREES_OF_FREEDOM + 1) / DEGREES_OF_FREEDOM
            ),
        )
    likelihood = np.where(above, log_ndtr(-z), -0.5 * z * z - math.log(s) - LOG_SQRT_2_PI)
    return float(a), b, s, float(np.maximum(likelihood, MIN_LOG_LIKELIHOOD).sum())


@dataclass
class MeasuredProblem:
    """A tuning problem, its probes, and each candidate's drivers."""

    case: Case
    P: cdlab.Problem
    probes: dict[str, Probe]
    drivers: dict[str, dict[str, float]]
    pass_seconds: dict[str, float]  # of each candidate's family's probe
    times: list


def measured_problems(times: list) -> list[MeasuredProblem]:
    """The tuning problems."""
    by_problem: dict[str, list] = {}
    for t in times:
        by_problem.setdefault(t.problem, []).append(t)
    tuning = [case for case in cases() if case.part == "tuning" and case.name in by_problem]
    return [_measured_problem(case, case.build(), by_problem[case.name]) for case in tuning]


def _measured_problem(case: Case, P: cdlab.Problem, times: list) -> MeasuredProblem:
    fitting, _ = candidates_for(P)
    measured = probes(P, fitting, EPS, 60.0, 0, full=True)
    found, seconds = {}, {}
    for candidate in fitting:
        own = measured.get(candidate.lines)
        if own is None or candidate.actual(P) != candidate:
            continue
        known = bound_behind(P, candidate, EPS, known_l2(P, candidate.lines, own))
        values = {"worst": known.worst, "sharp": known.sharp, "probe": own.passes_to(EPS)}
        found[candidate.key] = {k: v for k, v in values.items() if v is not None and 0 < v < math.inf}
        seconds[candidate.key] = own.pass_seconds
    return MeasuredProblem(case, P, measured, found, seconds, times)


def rows(problems: list[MeasuredProblem]) -> list[Row]:
    """The table that these problems make."""
    runs: dict[str, list] = {}
    for each in problems:
        kind = not sp.issparse(each.P.X), each.P.loss.name == "logistic"
        for t in each.times:
            if t.entry in each.drivers:
                runs.setdefault(t.entry + suffix_of(each.P), []).append(
                    (t, each.drivers[t.entry], each.pass_seconds[t.entry], *kind)
                )
    return [Row(key, *_passes(some), *_costs(some)) for key, some in runs.items()]


def validate(times: list) -> None:
    """How often the first choice would have been right on data sets that the table has not measured_problems."""
    problems, ratios = measured_problems(times), []
    for group in sorted({each.case.name.split(" ")[0] for each in problems}):
        left_out = [each for each in problems if each.case.name.split(" ")[0] == group]
        made = {row.entry: row for row in rows([each for each in problems if each not in left_out])}
        with mock.patch.object(predictions, "table", lambda made=made: made):
            ratios += [_ratio(each) for each in left_out]
    for level in (1.1, 1.25, 1.5, 2.0, 3.0):
        print(f"within {level:g} times the best: {sum(r <= level for r in ratios)} of {len(ratios)}")


def _ratio(one: MeasuredProblem) -> float:
    """Seconds of what would be the first choice over those of the best."""
    choices = [predicted(one.P, candidate, EPS, one.probes) for candidate in candidates_for(one.P)[0]]
    first = min((c for c in choices if c.seconds is not None), key=lambda c: c.seconds)
    took = {t.entry: t.gap_seconds for t in one.times}
    return took.get(first.label, math.inf) / min(took.values())


def _passes(some: list) -> tuple:
    """factor, three powers, spread; factor, power, spread of "worst" alone; problems, reached."""
    reached = sum(t.gap_passes < math.inf for t, *_ in some)
    options = [option for names in DRIVER_SETS for option in _options(some, names)]
    bare = (0.0, 1.0, {"worst": 1.0}, 1.0)  # nothing to learn from: the bound as it is
    _, factor, powers, spread = max(options, key=lambda option: option[0], default=bare)
    theory = [option for option in options if list(option[2]) == ["worst"]]
    _, *alone = max(theory, key=lambda option: option[0], default=bare)
    known = [powers.get(name, 0.0) for name in DRIVERS]
    return factor, *known, spread, alone[0], alone[1]["worst"], alone[2], len(some), reached


def _options(some: list, names: tuple[str, ...]) -> Iterator[tuple[float, float, dict[str, float], float]]:
    """(likelihood a problem, factor, powers, spread), with a power of 1 for a single driver and with free ones."""
    known = [(t, [values[name] for name in names]) for t, values, *_ in some if all(name in values for name in names)]
    if len(known) < MIN_DRIVER_SHARE * len(some) or sum(t.gap_passes < math.inf for t, _ in known) < 1 + len(names):
        return
    X = np.log([x for _, x in known])
    y = np.log([max(0.5, min(t.gap_passes, t.tried)) for t, _ in known])
    above = np.array([t.gap_passes == math.inf for t, _ in known])
    few = len(y) < MIN_PROBLEMS_PER_POWER * len(names)
    for given in [np.ones(1)] * (len(names) == 1) + [None] * (not few):
        a, powers, s, likelihood = fitted(X, y, above, given)
        if min(powers) <= 0:  # more passes where theory says fewer: chance
            continue
        price = 0.0 if given is not None else POWER_PRICE * len(names)
        named = dict(zip(names, powers.tolist(), strict=True))
        yield (likelihood - price) / len(known), math.exp(a), named, math.exp(s)


def _costs(some: list) -> tuple[float, ...]:
    """Median cost of a pass over that of the probe, by kind of matrix and loss; of all kinds where one is missing."""
    ratios = [(t.pass_seconds / seconds, dense, logistic) for t, _, seconds, dense, logistic in some]
    everything = statistics.median(r for r, *_ in ratios)
    found = []
    for kind in ((True, False), (True, True), (False, False), (False, True)):
        own = [r for r, *of in ratios if tuple(of) == kind] or [r for r, dense, _ in ratios if dense == kind[0]]
        found.append(statistics.median(own) if own else everything)
    return tuple(found)


def calibrate(times: list, costs: bool = True) -> None:
    """Write the table; without `costs` what a pass costs stays as it was, where it is known.

    Costs are CPU times of the measured runs over those of probes made now: of one machine, or they are off by a factor.
    """
    found = rows(measured_problems(times))
    if not costs:
        known = predictions.table()
        found = [replace(r, **{c: getattr(known[r.entry], c) for c in COSTS}) if r.entry in known else r for r in found]
    with TABLE.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([f.name for f in fields(Row)])
        for row in sorted(found, key=lambda row: row.entry):
            writer.writerow([f"{v:.3g}" if isinstance(v, float) else v for v in asdict(row).values()])
