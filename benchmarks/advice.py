"""Is the first choice of `cdlab.advise` right? Each method's time to relative accuracy 1e-6, on many problems.

    python benchmarks/advice.py measure      time every candidate on every problem (two hours; goes on where it stopped)
    python benchmarks/advice.py validate     how good such a table is on unseen tuning problems (five minutes)
    python benchmarks/advice.py calibrate    fit cdlab/advice/calibration.csv to the tuning problems (two minutes)
    python benchmarks/advice.py calibrate passes    the same, with what a pass costs left as it is: on another machine
    python benchmarks/advice.py ask          what `advise` says of every problem (five minutes)
    python benchmarks/advice.py report       write docs/advice.md from the two files beside this one

One thread; needs CDLAB_DATA.

Finish lines, timed in the same runs: the relative gap that `solve` stops on, <= 1e-6, which is what `advise` is
calibrated to predict (the best gap that `Race.winner` judges by is there a little sooner, and never later once D(alpha)
is above D(0)); and relative suboptimality (P(w) - P*)/(P(0) - P*) <= 1e-6, with P* certified to 1e-8 by runs of its
own, which the certified gap of a primal method trails.

Runs are races of one candidate, kept in a store in the cache folder (`cdlab.race(store=)`). Seconds are passes to the
finish line times the median over a run's records of seconds a pass, of solver time alone and CPU time of one thread:
what else the machine does in the meantime shall not count. A candidate is given up once it has taken 2.5 times the best
so far, or a quarter of that if at its pace ten times would not do. Those within 2 of the best run again with two other
seeds, in turn; medians count.
"""

import math
import statistics
import sys
import time

import numpy as np
import scipy.linalg
import scipy.optimize  # noqa: F401
from advice_cases import Case, cases
from advice_times import CANDIDATES, EPS, GIVEN_UP, TIMES, Time, append, load
from threadpoolctl import threadpool_limits

import cdlab
from cdlab.advice.candidates import Candidate, candidates_for
from cdlab.datasets.catalogue import cache_folder
from cdlab.runs.trace import Record

STORE = cache_folder().parent / "benchmarks" / "advice"
TOL = 0.999 * EPS  # the relative gap at which a run is at both finish lines
MAX_PASSES = 1e7  # passes; the clock ends a run before
CLOSE_RATIO = 2.0  # candidates this near to the best run again
SEEDS = (0, 1, 2)
PATIENCE_SECONDS = 90.0  # seconds for a candidate while none has reached the finish line
EARLY_SHARE, HOPELESS_RATIO = 0.25, 4.0  # given up after this share of the cap, if this multiple would not do
MIN_SECONDS = 0.02  # seconds that every candidate may take
INF = float("inf")
CERTIFIED = 1e-8  # share of P(0) - P* to which P* must be known


# ---------------------------------------------------------------- the finish line
def optimum(P) -> float:
    """P*; where a dual value can certify it, to within CERTIFIED (P(0) - P*)."""
    found = cdlab.reference(P, tol=CERTIFIED / 20, max_passes=MAX_PASSES)
    if found.certified and found.certificate > CERTIFIED * (found.at_zero - found.primal):
        raise RuntimeError(f"{P}: P* is only known to {found.certificate / (found.at_zero - found.primal):.1e}")
    return found.primal


# ---------------------------------------------------------------- times
def candidates(P) -> list[Candidate]:
    """The candidates of CANDIDATES that take this problem, in that order."""
    fitting = {c.key: c for c in candidates_for(P)[0]}
    keys = [f"{method}@{s}" if s else method for method, names in CANDIDATES.items() for s in names or ("",)]
    return [fitting[key] for key in keys if key in fitting]


class GivenUp:
    """Ends a run that has taken too long, from outside: as `stop` of a race.

    Parameters
    ----------
    best : float
        P*.
    cap : float
        Solver seconds that the run may take.
    """

    def __init__(self, best: float, cap: float) -> None:
        self._best, self._cap, self._deadline = best, cap, time.monotonic() + 4 * PATIENCE_SECONDS
        self._records: list[Record] = []

    def __call__(self, record: Record) -> bool:
        self._records.append(record)
        if record.seconds > self._cap or time.monotonic() > self._deadline:
            return True
        return record.seconds > EARLY_SHARE * self._cap and is_hopeless(self._records, self._best, self._cap)


def is_hopeless(records: list[Record], best: float, cap: float) -> bool:
    """Tell whether a run at its pace since the middle of its records needs more than HOPELESS_RATIO times the cap."""
    middle, last, floor = records[(len(records) - 1) // 2], records[-1], EPS * (records[0].primal - best)
    errors = (max(r.primal - best, floor) for r in (middle, last))
    before, now = map(math.log, errors)
    pace = (before - now) / (last.seconds - middle.seconds)
    return now - math.log(floor) > HOPELESS_RATIO * cap * max(pace, 0.0)


def run(P, candidate: Candidate, best: float, seed: int, cap: float) -> Time:
    """One run to both finish lines, kept, or for `cap` seconds."""
    race = cdlab.race(
        P, [(candidate.method, {"sampling": candidate.sampling})], seeds=[seed], tol=TOL, max_passes=MAX_PASSES,
        store=STORE, stop=GivenUp(best, cap),
    )  # fmt: skip
    return time_of(candidate.key, race.traces[0], best)


def time_of(entry: str, trace: cdlab.Trace, best: float) -> Time:
    """Passes to both finish lines, and seconds a pass; without a dual value the second finish line is the first."""
    passes, seconds = trace.column("passes"), trace.column("seconds")
    reached = trace.reached(EPS * (trace.records[0].primal - best), column="primal", shift=best)
    certified = trace.reached(EPS) if np.isfinite(trace.column("relative_gap")).any() else reached
    return Time("", entry, reached, certified, float(np.median(np.diff(seconds) / np.diff(passes))), passes[-1])


def measure_case(case: Case) -> list[Time]:
    """Every candidate on one problem."""
    P = case.build()
    best, entries = optimum(P), candidates(P)
    found: dict[str, list[Time]] = {}
    fastest, certified = INF, PATIENCE_SECONDS / GIVEN_UP
    for candidate in entries:
        t = run(P, candidate, best, SEEDS[0], max(GIVEN_UP * certified, MIN_SECONDS))
        found[candidate.key] = [t]
        fastest, certified = min(fastest, t.seconds), min(certified, t.gap_seconds)
    close = {
        key
        for key, (t,) in found.items()
        if t.seconds <= CLOSE_RATIO * fastest or t.gap_seconds <= CLOSE_RATIO * certified
    }
    for seed in SEEDS[1:]:
        for candidate in entries:
            if candidate.key in close:
                cap = max(2 * GIVEN_UP * certified, MIN_SECONDS)
                found[candidate.key].append(run(P, candidate, best, seed, cap))
    return [_merged(case, times) for times in found.values()]


def _merged(case: Case, times: list[Time]) -> Time:
    names = ("passes", "gap_passes", "pass_seconds", "tried")
    return Time(case.name, times[0].entry, *(statistics.median(getattr(t, name) for t in times) for name in names))


def measure() -> None:
    done = {t.problem for t in load(TIMES, Time)}
    for case in cases():
        if case.name in done:
            continue
        start = time.monotonic()
        try:
            times = measure_case(case)
        except RuntimeError as error:
            print(f"left out: {error}", flush=True)
            continue
        append(TIMES, times)
        first = min(times, key=lambda t: t.seconds)
        print(f"{time.monotonic() - start:6.0f} s  {case.name}: {first.entry}, {first.seconds:.3g} s", flush=True)


def main(words: list[str]) -> None:
    if words == ["measure"]:
        measure()
    elif words in (["validate"], ["calibrate"], ["calibrate", "passes"]):
        import advice_fit

        if words == ["validate"]:
            advice_fit.validate(load(TIMES, Time))
        else:
            advice_fit.calibrate(load(TIMES, Time), costs=words == ["calibrate"])
    elif words == ["ask"]:
        import advice_report

        advice_report.ask()
    elif words == ["report"]:
        import advice_report

        advice_report.report(load(TIMES, Time))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    with threadpool_limits(1):
        main(sys.argv[1:])
