"""Whether causes that `cdlab.explain` names, taken away, move a race by as much as it says.

python benchmarks/explanations.py            all cases, some fifteen minutes; CDLAB_DATA names the folder of real data
python benchmarks/explanations.py PATTERN    those whose line contains it
python benchmarks/explanations.py --drawn    40 cases of a seed that was fresh

The seed was chosen before any of its cases had run, and neither `explain` nor what is tested was changed after. The
other cases were looked at while `explain` was written, so what it says of them counts less: 20 on real data and 20 on
made ones whose prediction is off by a factor 1.5 or more, and 10 whose prediction is not, chosen by how far it is off.

What is accounted for is all but chance by construction, as `explain` simulates races of its own; so it is the causes
that are tested. Each is taken away after those before it, by runs with the seeds of the race, which `explain` does not
use:

draws     all draw as the bounds suppose (importance)               against the shares of weights and cost
steps     then the dual method steps as its bound (quartz)          against the share of exact steps
distance  then both begin near the optimum, in the same direction   against the share of the distance
start     then both begin there in their slowest direction alone, and the mean error is followed

Draws and steps are tested by the way in which `explain` measures them, with other seeds: these tests find chance and
runs that were cut short. Distance and start are named by runs on the quadratic at the optimum and by exact rates, and
tested by runs of the methods on the problem itself.

Agreement is one sign and a factor 2 of the logarithms, of causes that moved the ratio by a factor 1.25 or more; where
only a band of a rate is known, of some number of the interval that was named.
"""

from __future__ import annotations

import itertools
import math
import sys
import time
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

import cdlab
from cdlab.comparisons.curves import crossing
from cdlab.exact_rates.quadratics import Optimum, curvature, dense
from cdlab.explanations.measuring import where_it_falls_to
from cdlab.losses import per_example
from cdlab.methods import SDCA, Quartz
from cdlab.runs import Race

UNIFORM, PERMUTED = ("rcd", "sdca"), ("rcd", "sdca@permutation")
RACE = {"max_passes": 100, "tol": 1e-8, "seeds": (0, 1, 2)}
MAX_PASSES, MAX_SECONDS = 3000, 6.0  # of a race without a cause
NEAR_START = 1e-3  # of the distance to the optimum, where a run without it begins
SMALL_START, SLOW_FALL, SLOW_SEEDS = 1e-3, 3.0, 60  # of starts in the slowest direction: relative length, how far, runs
NOTHING = np.zeros(3)
MAX_SIZE = 1500  # of the quadratic whose slowest direction is computed
TESTABLE_FACTOR, AGREEMENT_FACTOR = 1.25, 2.0


class Case(NamedTuple):
    """Data (a data set with its scaling, or a call of a generator), loss, l2 times n, and what races."""

    data: str
    loss: str
    l2n: float
    entries: Sequence[Any] = UNIFORM

    def __str__(self) -> str:
        return f"{self.data} {self.loss} {self.l2n:g}/n {' / '.join(map(str, self.entries))}"

    def problem(self) -> cdlab.Problem:
        """Regression labels are standardised; rows of made data stay as they are."""
        X, y = MADE[self.data]() if self.data in MADE else _loaded(*self.data.split())
        if self.loss in ("squared", "huber") and np.unique(y).size > 2:
            y = (y - y.mean()) / y.std()
        return cdlab.Problem(X, y, self.loss, l2=self.l2n / X.shape[0])


def _loaded(name: str, scale: str) -> tuple[Any, np.ndarray]:
    X, y = cdlab.datasets.load(name)
    return (X if scale == "none" else cdlab.datasets.scaled(X, scale)), y


def _arrow(a: float, b: float, c: float) -> tuple[np.ndarray, np.ndarray]:
    """60 x 60, rows divided by their mean norm."""
    X = np.full((60, 60), 0.0)
    X[:, 0], X[0] = b, c
    X[0, 0] = a
    return X / np.linalg.norm(X, axis=1).mean(), np.where(np.arange(60) % 2, 1.0, -1.0)


def _orthogonal(spread: float) -> tuple[np.ndarray, np.ndarray]:
    """50 orthogonal rows, squared norms from 1 to `spread`."""
    Q = np.linalg.qr(np.random.default_rng(0).standard_normal((50, 50)))[0]
    return Q * np.sqrt(np.geomspace(1, spread, 50))[:, None], np.where(np.arange(50) % 3, 1.0, -1.0)


def _identical(n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows of norm 1 that are all the same."""
    return np.full((n, d), d**-0.5), np.where(np.arange(n) % 3, 1.0, -1.0)


MADE = {
    "arrow long row": lambda: _arrow(1, 0.05, 1),
    "arrow long column": lambda: _arrow(1, 1, 0.05),
    "arrow both": lambda: _arrow(0.3, 0.5, 0.5),
    "orthogonal 100": lambda: _orthogonal(100),
    "orthogonal 10": lambda: _orthogonal(10),
    "identical rows": lambda: _identical(40, 10),
    "tall": lambda: cdlab.datasets.make(n=600, d=30, seed=0),
    "tall uneven rows": lambda: cdlab.datasets.make(n=600, d=30, row_spread=1.0, seed=0),
    "square uneven rows": lambda: cdlab.datasets.make(n=150, d=150, row_spread=1.0, seed=0),
    "wide": lambda: cdlab.datasets.make(n=60, d=400, seed=0),
    "ill-conditioned": lambda: cdlab.datasets.make(n=300, d=40, condition=1e3, seed=0),
    "sparse words": lambda: cdlab.datasets.make(n=400, d=300, density=0.05, skew=1.1, seed=0),
    "sparse binary": lambda: cdlab.datasets.make(n=400, d=300, density=0.05, skew=1.1, values="binary", seed=0),
}
REAL_CASES = (
    Case("mushrooms unit", "logistic", 1.0),
    Case("mushrooms unit", "logistic", 0.1, PERMUTED),
    Case("mushrooms unit", "squared", 0.1, PERMUTED),
    Case("a9a unit", "logistic", 1.0),
    Case("a9a unit", "squared_hinge", 1.0),
    Case("abalone_scale mean", "squared", 1.0),
    Case("abalone_scale mean", "squared", 0.1, PERMUTED),
    Case("abalone_scale mean", "huber", 1.0),
    Case("bodyfat_scale mean", "squared", 1.0),
    Case("bodyfat_scale mean", "squared", 0.1, PERMUTED),
    Case("housing_scale mean", "squared", 1.0),
    Case("housing_scale mean", "squared", 0.1, PERMUTED),
    Case("housing_scale mean", "huber", 1.0),
    Case("housing_scale mean", "huber", 0.1, PERMUTED),
    Case("space_ga_scale mean", "squared", 1.0),
    Case("leu mean", "logistic", 0.1, PERMUTED),
    Case("leu mean", "squared", 0.1, PERMUTED),
    Case("leukemia72.raw mean", "logistic", 0.1, PERMUTED),
    Case("rcv1_vw1000 unit", "logistic", 0.1, PERMUTED),
    Case("w8a unit", "logistic", 1.0),
)
MADE_CASES = (
    Case("arrow long row", "squared", 1.0),
    Case("arrow long row", "logistic", 1.0),
    Case("arrow long row", "squared", 1.0, PERMUTED),
    Case("arrow long column", "squared", 1.0),
    Case("arrow long column", "logistic", 1.0),
    Case("arrow long column", "logistic", 1.0, PERMUTED),
    Case("arrow both", "squared", 0.1),
    Case("orthogonal 100", "squared", 1.0),
    Case("orthogonal 100", "logistic", 1.0),
    Case("orthogonal 10", "squared", 1.0),
    Case("identical rows", "squared", 1.0),
    Case("orthogonal 10", "logistic", 1.0),
    Case("tall", "squared", 1.0),
    Case("tall", "logistic", 1.0, PERMUTED),
    Case("tall uneven rows", "squared", 30.0),
    Case("square uneven rows", "squared", 1.0),
    Case("wide", "squared", 0.1),
    Case("ill-conditioned", "squared", 0.1),
    Case("sparse words", "logistic", 1.0),
    Case("sparse binary", "squared", 0.1),
)
AGREEING_CASES = (
    Case("mushrooms unit", "squared", 1.0),
    Case("mushrooms none", "smooth_hinge", 0.1, PERMUTED),
    Case("leu mean", "logistic", 1.0),
    Case("leukemia72.raw mean", "logistic", 1.0),
    Case("rcv1_vw1000 unit", "logistic", 1.0),
    Case("wide", "logistic", 1e3),
    Case("wide", "squared", 1e4),
    Case("sparse binary", "logistic", 10.0),
    Case("sparse binary", "squared", 100.0),
    Case("square uneven rows", "logistic", 1e4),
)


DRAWN_SEED = 77003
DRAWN_REAL = (
    "mushrooms unit", "a9a.t unit", "abalone_scale mean", "bodyfat_scale mean", "housing_scale mean",
    "space_ga_scale mean", "leu.t mean", "rcv1_vw1000 unit", "reuters21578.earnacq unit",
)  # fmt: skip
DRAWN_LOSSES = ("squared", "logistic", "smooth_hinge", "squared_hinge")


def drawn_cases(many: int = 40) -> Iterator[Case]:
    """Half of them on real data; a set with labels other than two classes has the squared loss."""
    rng, drawn, known = np.random.default_rng(DRAWN_SEED), 0, {*REAL_CASES, *AGREEING_CASES}
    for k in itertools.count():
        loss, l2n = str(rng.choice(DRAWN_LOSSES)), float(rng.choice([0.1, 0.3, 1.0, 3.0]))
        if k % 2:
            data = str(rng.choice(DRAWN_REAL))
            loss = "squared" if "_scale" in data else loss
        else:
            n, d = rng.integers(30, 500, size=2)
            density, spread, skew = rng.choice([0.05, 0.3, 1.0]), rng.choice([0.0, 0.5, 1.0]), rng.choice([0.0, 1.0])
            data = f"synthetic:n={n},d={d},density={density},row_spread={spread},skew={skew},seed={k} none"
        case = Case(data, loss, l2n, UNIFORM if rng.random() < 0.5 else PERMUTED)
        if case not in known:
            known.add(case)
            yield case
            drawn += 1
        if drawn == many:
            return


class Test(NamedTuple):
    """A cause that was taken away: by how much it was said to move ln of the ratio (low to high), and what it did."""

    name: str
    named: float
    low: float
    high: float
    did: float

    def agrees(self) -> bool:
        """Whether both have one sign and are within a factor 2, for some number of the interval."""
        ends = [x for x in (self.named, self.low, self.high) if x * self.did > 0]
        if self.low <= self.did <= self.high:
            return True
        return any(max(x / self.did, self.did / x) <= AGREEMENT_FACTOR for x in ends)


class Outcome(NamedTuple):
    """What came of a case.

    Attributes
    ----------
    off : float
        Measured over predicted, as a factor >= 1.
    accounted : float
        1 less the absolute share that is not explained; NaN where measured and predicted agree.
    tested : list of Test
    """

    off: float
    accounted: float
    tested: list[Test]


def run(case: Case) -> Outcome:
    """Race, explanation, and the races without causes."""
    P = case.problem()
    race = cdlab.race(P, list(case.entries), **RACE)
    causes = cdlab.explain(race)
    numbers = causes[-1].numbers
    off = abs(math.log(numbers["measured"] / numbers["predicted"]))
    if numbers["name"] == "agreement":
        return Outcome(math.exp(off), math.nan, [])
    signed = math.log(numbers["measured"] / numbers["predicted"])
    named = {c.numbers["name"]: np.array([c.share, *sorted(c.interval)]) * signed for c in causes[:-1]}
    tests = _tested(P, race, named, numbers)
    tested = [t for t in tests if abs(t.named) >= math.log(TESTABLE_FACTOR)]
    return Outcome(math.exp(off), 1 - abs(causes[-1].share), tested)


def _tested(P: cdlab.Problem, race: Race, named: dict[str, Any], numbers: Any) -> Iterator[Test]:
    (primal, _), (dual, _) = race.setup.entrants[:2]
    draws = named.get("weights", NOTHING) + named.get("cost", NOTHING)
    steps, distance, start = (named.get(name, NOTHING) for name in ("steps", "distance", "start"))
    is_quadratic, is_damped = P.loss.name == "squared", P.loss.name != "squared" and isinstance(dual, SDCA)
    ratios = [math.log(numbers["measured"])]

    def moved(ratio: float) -> float:
        """By how much ln of the ratio moved from the run before; NaN where a run did not arrive."""
        ratios.append(ratio)
        return ratios[-2] - ratio

    yield _test("draws", draws, moved(_log_ratio(P, (primal, dual), numbers["level"])))
    by_bound = (primal, Quartz() if is_damped else dual)
    if is_damped:
        yield _test("steps", steps, moved(_log_ratio(P, by_bound, numbers["level"])))
    if is_quadratic and abs(start[0]) < math.log(TESTABLE_FACTOR):
        return
    best = cdlab.solve(P, tol=1e-12, max_passes=2000)
    if not is_quadratic:
        yield _test("distance", distance, moved(_log_ratio_from_near_starts(P, by_bound, numbers["fall"], best)))
    if abs(start[0]) >= math.log(TESTABLE_FACTOR):
        yield _test("start", start, moved(_log_ratio_from_slow_starts(P, by_bound, numbers["fall"], best)))


def _log_ratio(P: cdlab.Problem, methods: Sequence[Any], level: float) -> float:
    """ln of the passes of the first entry over the second's to a gap; NaN where one does not get there."""
    stop = lambda record: record.gap <= level  # noqa: E731
    passes = []
    for method in methods:
        entry, found = (method, {"sampling": "importance"}), []
        for seed in RACE["seeds"]:
            race = cdlab.race(
                P, [entry], seeds=[seed], tol=0, max_passes=MAX_PASSES, max_seconds=MAX_SECONDS, stop=stop
            )
            trace = race.traces[0]
            found.append(crossing(trace.column("passes"), np.minimum.accumulate(trace.column("gap")), level))
        passes.append(np.median(found))
    return float(np.log(passes[0] / passes[1])) if np.isfinite(passes).all() and min(passes) > 0 else math.nan


def _log_ratio_from_near_starts(P: cdlab.Problem, methods: Sequence[Any], falls: Sequence[float], best: Any) -> float:
    """ln of the ratio of passes of runs that begin near the optimum, to where their own error fell by as much."""
    optimum, passes = P.primal(best.w), []
    near_alpha = (1 - NEAR_START) * P.alpha(best.w)
    for method, fall in zip(methods, falls, strict=True):
        is_dual, found = method.side == "dual", []
        for seed in RACE["seeds"]:
            start = (None, near_alpha) if is_dual else ((1 - NEAR_START) * best.w, None)
            begun, errors, at = time.perf_counter(), [], []
            for r in cdlab.iterate(P, method, sampling="importance", seed=seed, start=start):
                errors.append(optimum - r.dual if is_dual else r.primal - optimum)
                at.append(r.passes)
                done = errors[-1] <= max(errors[0] * math.exp(-fall), 30 * best.gap)
                if done or r.passes >= MAX_PASSES or time.perf_counter() - begun >= MAX_SECONDS:
                    break
            logs = np.log(np.maximum(np.minimum.accumulate(errors), 1e-300))
            place = where_it_falls_to(logs - logs[0], -fall)
            found.append(place * at[-1] / max(1, len(at) - 1))
        passes.append(np.median(found))
    return float(np.log(passes[0] / passes[1])) if np.isfinite(passes).all() and min(passes) > 0 else math.nan


def _log_ratio_from_slow_starts(P: cdlab.Problem, methods: Sequence[Any], falls: Sequence[float], best: Any) -> float:
    """ln of the ratio of passes of runs that begin in the slowest direction of the optimum's quadratic."""
    z = P.predict(best.w)
    optimum = Optimum(best.w, P.alpha(best.w, z=z), per_example.curvatures(P.loss, z, P.loss_y))
    passes = []
    for method, fall in zip(methods, falls, strict=True):
        A, lines = curvature(P, optimum, method.side)
        if lines.size > MAX_SIZE:
            return math.nan
        p = cdlab.samplings.Importance().probabilities(P.coordinates(method.side))[lines]
        b = np.sqrt(p / A.diagonal)
        matrix = b[:, None] * (np.diag(A.E) + dense(A.F @ A.F.T)) * b
        slowest = b * scipy.linalg.eigh(matrix, subset_by_index=[0, 0])[1][:, 0]
        shift = np.zeros(P.coordinates(method.side).m)
        shift[lines] = slowest
        scale = SMALL_START * np.linalg.norm(optimum.alpha if method.side == "dual" else optimum.w)
        shift *= scale / np.linalg.norm(shift)
        point = (None, optimum.alpha + shift) if method.side == "dual" else (optimum.w + shift, None)
        passes.append(_passes_per_e(P, method, point, best) * fall)
    return float(np.log(passes[0] / passes[1])) if np.isfinite(passes).all() and min(passes) > 0 else math.nan


def _passes_per_e(P: cdlab.Problem, method: Any, point: tuple, best: Any) -> float:
    """Passes per factor e of the mean over seeds of the runs' own error, over a fall by e^3."""
    optimum, begun = P.primal(best.w), time.perf_counter()
    try:
        runs = [cdlab.iterate(P, method, sampling="importance", seed=k, start=point) for k in range(SLOW_SEEDS)]
    except ValueError:  # outside of the dual's domain
        return math.nan
    errors, passes = [], []
    for records in zip(*runs, strict=True):
        errors.append(np.mean([r.primal - optimum if method.side == "primal" else optimum - r.dual for r in records]))
        passes.append(np.mean([r.passes for r in records]))
        if errors[-1] <= errors[0] * math.exp(-SLOW_FALL):
            return crossing(passes, np.array(errors), errors[0] * math.exp(-SLOW_FALL)) / SLOW_FALL
        if passes[-1] >= MAX_PASSES or time.perf_counter() - begun >= MAX_SECONDS or errors[-1] <= 0:
            return math.nan
    return math.nan


def _test(name: str, named: np.ndarray, did: float) -> Test:
    middle, *ends = named.tolist()
    return Test(name, middle, min(ends), max(ends), did)


def main(pattern: str = "") -> None:
    """Print a line for each case, and the counts of each group."""
    begun, everything = time.perf_counter(), []
    warnings.simplefilter("ignore")
    groups = {"made": MADE_CASES, "agreeing": AGREEING_CASES, "real": REAL_CASES}
    if pattern == "--drawn":
        groups, pattern = {"drawn": tuple(drawn_cases())}, ""
    for group, cases in groups.items():
        outcomes = []
        for case in cases:
            if pattern not in str(case):
                continue
            try:
                outcome = run(case)
            except ValueError as error:
                print(f"{case}: {error}", flush=True)
                continue
            told = ", ".join(f"{t.name} {t.named:+.2f} ({t.did:+.2f})" for t in outcome.tested)
            print(f"{case}: off {outcome.off:.3g}, accounted {outcome.accounted:.0%}; {told}", flush=True)
            outcomes.append(outcome)
        everything += outcomes
        off = [o for o in outcomes if math.isfinite(o.accounted)]
        print(
            f"== {group}: {len(outcomes)} races, {len(off)} off by 1.5 or more, 80% accounted for in "
            f"{sum(o.accounted >= 0.8 for o in off)} of these; {time.perf_counter() - begun:.0f} s so far"
        )
    tests = [each for o in everything for each in o.tested]
    for name in ("draws", "steps", "distance", "start"):
        of_kind = [t for t in tests if t.name == name]
        ran = [t.agrees() for t in of_kind if math.isfinite(t.did)]
        not_run = len(of_kind) - len(ran)
        print(
            f"== {name}: {sum(ran)} of {len(ran)} causes agree with the race without them, {not_run} had no such race"
        )


if __name__ == "__main__":
    main(*sys.argv[1:2])
