"""Whether causes that `cdlab.explain` names, taken away, move a race by as much as it says.

python benchmarks/explanations.py            all cases, some fifteen minutes; CDLAB_DATA names the folder of real data
python benchmarks/explanations.py PATTERN    those whose line contains it
python benchmarks/explanations.py --drawn    40 cases of the last of `DRAWN_SEEDS`, which was fresh; or give a seed

That seed was chosen before any of its cases had run, and neither `explain` nor what is tested was changed after. All
other cases were looked at while `explain` was written, so what it says of them counts less: those of earlier seeds, 20
on real data and 20 on made ones whose prediction is off by a factor 1.5 or more, and 10 whose prediction is not, chosen
by how far it is off.

What is accounted for is all but chance by construction, as `explain` simulates races of its own; so it is the causes
that are tested. Each is taken away after those before it, by runs with other seeds than those that `explain` uses:

draws     all draw as the bounds suppose (importance)               against the shares of weights and cost
steps     then the dual method steps as its bound (quartz)          against the share of exact steps
distance  then both begin next to the optimum, in the same direction, and what is settled there stays settled
start     then both begin there in their slowest direction alone, and the rate of the mean error is followed

Draws and steps are tested by the way in which `explain` measures them, with other seeds: these tests find chance and
runs that were cut short. Distance and start are named by runs on the quadratic at the optimum and by exact rates, and
tested by runs of the methods on the problem itself. Runs end after so many nonzeros, not seconds: what is tested does
not depend on the machine.

Agreement is one sign and a factor 2 of the logarithms, of causes that moved the ratio by a factor 1.25 or more; where
only a band of a rate is known, of some number of the interval that was named.
"""

from __future__ import annotations

import itertools
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg

import cdlab
from cdlab.comparisons.curves import reach
from cdlab.exact_rates.quadratics import Curvature, Optimum, curvature, dense
from cdlab.explanations.measuring import where_it_falls_to
from cdlab.losses import per_example
from cdlab.methods import SDCA, Quartz
from cdlab.runs import Race

UNIFORM, PERMUTED = ("rcd", "sdca"), ("rcd", "sdca@permutation")
RACE = {"max_passes": 100, "tol": 1e-8, "seeds": (0, 1, 2)}
SEEDS = range(15)  # of races without a cause
MIN_PASSES, MAX_PASSES, MAX_NONZEROS = 50, 3000, 2e9  # of a race without a cause; visited by all of its runs
NEAR_START = 1e-5  # of the distance to the optimum, where runs without it begin
NEWTON_STEPS = 4
SLOW_FALL, SLOW_RUNS, SLOW_RECORDS = 3.0, 60, 60  # of runs from the slowest direction: how far they fall at most
NO_TERMS = np.zeros(3)
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


DRAWN_SEEDS = (77003, 88001)
DRAWN_REAL = (
    "mushrooms unit", "a9a.t unit", "abalone_scale mean", "bodyfat_scale mean", "housing_scale mean",
    "space_ga_scale mean", "leu.t mean", "rcv1_vw1000 unit", "reuters21578.earnacq unit",
)  # fmt: skip
DRAWN_LOSSES = ("squared", "logistic", "smooth_hinge", "squared_hinge")


def drawn_cases(seed: int, many: int = 40) -> Iterator[Case]:
    """Half of them on real data; a set with labels other than two classes has the squared loss. None of other cases."""
    earlier = DRAWN_SEEDS[: DRAWN_SEEDS.index(seed)] if seed in DRAWN_SEEDS else DRAWN_SEEDS
    known = {*REAL_CASES, *AGREEING_CASES, *(case for each in earlier for case in drawn_cases(each))}
    rng, drawn = np.random.default_rng(seed), 0
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
    (primal, _), (dual, _) = race.setup.contestants[:2]
    draws = named.get("weights", NO_TERMS) + named.get("cost", NO_TERMS)
    steps, distance, start = (named.get(name, NO_TERMS) for name in ("steps", "distance", "start"))
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
    optimum = _polished(P)
    starts = [Near(P, optimum, method) for method in by_bound]
    if not is_quadratic:
        passes = [near.passes_in_the_same_direction(fall) for near, fall in zip(starts, numbers["fall"], strict=True)]
        yield _test("distance", distance, moved(_log_of_ratio(passes)))
    passes = [near.passes_in_the_slowest_direction(fall) for near, fall in zip(starts, numbers["fall"], strict=True)]
    yield _test("start", start, moved(_log_of_ratio(passes)))


def _log_of_ratio(passes: Sequence[float]) -> float:
    """ln of the passes of the first entry over the second's; NaN where one did not arrive."""
    return float(np.log(passes[0] / passes[1])) if np.isfinite(passes).all() and min(passes) > 0 else math.nan


def _limit(P: cdlab.Problem, runs: int) -> float:
    """Passes that each of so many runs may take."""
    return min(MAX_PASSES, max(MIN_PASSES, MAX_NONZEROS / (P.nnz * runs)))


def _log_ratio(P: cdlab.Problem, methods: Sequence[Any], level: float) -> float:
    """ln of the passes of the first entry over the second's to a gap."""
    stop = lambda record: record.gap <= level  # noqa: E731
    passes = []
    for method in methods:
        entry, limit = (method, {"sampling": "importance"}), _limit(P, len(SEEDS))
        race = cdlab.race(P, [entry], seeds=SEEDS, tol=0, max_passes=limit, stop=stop)
        curves = [(t.column("passes"), np.minimum.accumulate(t.column("gap"))) for t in race.traces]
        passes.append(reach(curves, level).median[1])
    return _log_of_ratio(passes)


class Near:
    """Runs of a method, with importance sampling, that begin so near the optimum that the loss is its quadratic there.

    Coordinates that do not curve the quadratic, such as those of the dual that are held at a bound, begin at their
    optimum. Errors are those of the quadratic, whose optimum Newton's method has found to rounding.
    """

    def __init__(self, P: cdlab.Problem, optimum: Optimum, method: Any) -> None:
        self.P, self.method, self.is_dual = P, method, method.side == "dual"
        self.A, self.lines = curvature(P, optimum, method.side)
        self.at = optimum.alpha if self.is_dual else optimum.w

    def passes_in_the_same_direction(self, fall: float) -> float:
        """Until the error has fallen by e^fall, of runs that begin in the direction of 0; the median."""
        shift, found = np.zeros(self.at.size), []
        shift[self.lines] = -self.at[self.lines]
        for seed in SEEDS:
            logs, passes = [], []
            for run in self._runs(shift, [seed], 1):
                logs.append(math.log(run[0][0]))
                passes.append(run[0][1])
                if logs[-1] <= logs[0] - fall or passes[-1] >= _limit(self.P, len(SEEDS)):
                    break
            place = where_it_falls_to(np.array(logs) - logs[0], -fall)
            found.append(place * passes[-1] / max(1, len(passes) - 1))
        return float(np.median(found))

    def passes_in_the_slowest_direction(self, fall: float) -> float:
        """Until the mean error over runs has fallen by e^fall, at the rate that it has in the end of a shorter way."""
        p = cdlab.samplings.Importance().probabilities(self.P.coordinates(self.method.side))[self.lines]
        b, solve = np.sqrt(p / self.A.diagonal), _solver(self.A)
        shift = np.zeros(self.at.size)
        shift[self.lines] = b * _first_eigenvector(lambda x: solve(x / b) / b, b.size)
        limit = _limit(self.P, SLOW_RUNS)
        logs, passes = [], []
        for runs in self._runs(shift, range(SLOW_RUNS), max(1, int(limit / SLOW_RECORDS))):
            logs.append(math.log(np.mean([error for error, _ in runs])))
            passes.append(np.mean([at for _, at in runs]))
            if logs[-1] <= logs[0] - SLOW_FALL or passes[-1] >= limit:
                break
        begin = (len(logs) - 1) // 3  # the noise of draws is there by then
        fell = logs[begin] - logs[-1]
        return fall * (passes[-1] - passes[begin]) / fell if fell > 0 else math.nan

    def _runs(self, shift: np.ndarray, seeds: Sequence[int], every: int) -> Iterator[list[tuple[float, float]]]:
        """Error and passes of all runs, record by record, from NEAR_START times the optimum's norm away."""
        shift = shift * (NEAR_START * np.linalg.norm(self.at[self.lines]) / np.linalg.norm(shift))
        start = (None, self.at + shift) if self.is_dual else (self.at + shift, None)
        runs = [
            cdlab.iterate(self.P, self.method, sampling="importance", seed=seed, start=start, every=every)
            for seed in seeds
        ]
        for records in zip(*runs, strict=True):
            yield [(self._error(run), record.passes) for run, record in zip(runs, records, strict=True)]

    def _error(self, run: Any) -> float:
        error = ((run.alpha if self.is_dual else run.w) - self.at)[self.lines]
        return max(float((self.A.E * error) @ error + np.square(self.A.F.T @ error).sum()), 1e-300)


def _polished(P: cdlab.Problem) -> Optimum:
    """The optimum, to rounding."""
    w = cdlab.solve(P, tol=1e-12, max_passes=2000).w
    for _ in range(NEWTON_STEPS):
        z = P.predict(w)
        optimum = Optimum(w, P.alpha(w, z=z), per_example.curvatures(P.loss, z, P.loss_y))
        A, lines = curvature(P, optimum, "primal")
        gradient = P.l2 * w - P.X.T @ optimum.alpha / P.n
        w = w.copy()
        w[lines] -= _solver(A)(gradient[lines])
    return optimum


def _solver(A: Curvature) -> Callable[[np.ndarray], np.ndarray]:
    """x -> A^-1 x, A = diag(E) + F F', by a factor of the size of the smaller side of F."""
    N, r = A.F.shape
    if N <= r:
        factor = scipy.linalg.cho_factor(A.matrix)
        return lambda x: scipy.linalg.cho_solve(factor, x)
    scaled = (A.F.T / A.E).T if not sp.issparse(A.F) else sp.diags_array(1 / A.E) @ A.F
    factor = scipy.linalg.cho_factor(np.eye(r) + dense(A.F.T @ scaled))
    return lambda x: x / A.E - scaled @ scipy.linalg.cho_solve(factor, scaled.T @ x)


def _first_eigenvector(operator: Callable[[np.ndarray], np.ndarray], N: int) -> np.ndarray:
    """That of the largest eigenvalue of a symmetric operator of N rows."""
    if N < 3:
        return np.linalg.eigh(np.array([operator(row) for row in np.eye(N)]))[1][:, -1]
    first = np.random.default_rng(0).standard_normal(N)
    return sp.linalg.eigsh(sp.linalg.LinearOperator((N, N), operator), 1, which="LA", tol=1e-4, v0=first)[1][:, 0]


def _test(name: str, named: np.ndarray, did: float) -> Test:
    middle, *ends = named.tolist()
    return Test(name, middle, min(ends), max(ends), did)


def main(pattern: str = "", seed: str = str(DRAWN_SEEDS[-1])) -> None:
    """Print a line for each case, and the counts of each group."""
    begun, everything = time.perf_counter(), []
    warnings.simplefilter("ignore")
    groups = {"made": MADE_CASES, "agreeing": AGREEING_CASES, "real": REAL_CASES}
    if pattern == "--drawn":
        groups, pattern = {f"drawn {seed}": tuple(drawn_cases(int(seed)))}, ""
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
            words = ", ".join(f"{t.name} {t.named:+.2f} ({t.did:+.2f})" for t in outcome.tested)
            print(f"{case}: off {outcome.off:.3g}, accounted {outcome.accounted:.0%}; {words}", flush=True)
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
    main(*sys.argv[1:])
