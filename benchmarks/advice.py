"""Is the first choice of `cdlab.advise` right? Each method's time to relative accuracy 1e-6, on many problems.

    python benchmarks/advice.py measure      time every candidate on every problem (two hours; goes on where it stopped)
    python benchmarks/advice.py validate     how good such a table is on unseen tuning problems (five minutes)
    python benchmarks/advice.py calibrate    fit cdlab/advice/calibration.csv to the tuning problems (two minutes)
    python benchmarks/advice.py ask          what `advise` says of every problem (five minutes)
    python benchmarks/advice.py report       write docs/advice.md from the two files beside this one

One thread; needs CDLAB_DATA.

Finish line: relative suboptimality (P(w) - P*)/(P(0) - P*) <= 1e-6, which is what `advise` predicts and `Race.winner`
judges by. It is the same for every method, whereas the certified gap of a primal method trails its own w. P* is
certified to 1e-8 by runs of its own. The relative gap that `solve` stops on is timed beside it, to the same 1e-6.

Seconds are passes to the finish line times the median over a run's records of seconds a pass, of solver time alone and
CPU time of one thread: what else the machine does in the meantime shall not count. A candidate is given up once it has
taken 2.5 times the best so far, or a quarter of that if at its pace ten times would not do. Those within 2 of the best
run again with two other seeds, in turn; medians count.
"""

import math
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
import scipy.linalg
import scipy.optimize  # noqa: F401
from advice_cases import Case, cases
from advice_optimum import optimum
from advice_times import CANDIDATES, EPS, GIVEN_UP, TIMES, Time, append, load
from threadpoolctl import threadpool_limits

from cdlab.advice.candidates import Candidate, field
from cdlab.runs.running import Run
from cdlab.runs.trace import Record, relative_gap

CLOSE = 2.0  # candidates this near to the best run again
SEEDS = (0, 1, 2)
PATIENCE = 90.0  # seconds for a candidate while none has reached the finish line
EARLY, HOPELESS = 0.25, 4.0  # given up after this part of that time, if so many times it would not do
AT_LEAST = 0.02  # seconds that every candidate may take
INF = float("inf")


def candidates(P) -> list[Candidate]:
    """Those of CANDIDATES that take this problem, in that order."""
    fitting = {c.key: c for c in field(P)[0]}
    keys = [f"{method}@{s}" if s else method for method, names in CANDIDATES.items() for s in names or ("",)]
    return [fitting[key] for key in keys if key in fitting]


def run(P, candidate: Candidate, best: float, seed: int, cap: float) -> tuple[Time, list[Record]]:
    """One run to both finish lines, or for `cap` seconds. Without a dual value the second finish line is the first."""
    going = Run(P, candidate.method, candidate.sampling, seed, clock=time.process_time)
    first = next(going)
    finish = best + EPS * (first.primal - best)
    uncertified = P.l2 == P.l1 == 0
    records, deadline = [first], time.monotonic() + 4 * PATIENCE
    while True:
        going.every = max(1, len(records) // 20)  # measuring must not cost more than running
        r = next(going)
        records.append(r)
        done = r.primal <= finish and (uncertified or relative_gap(r, first) <= EPS)
        if done or not np.isfinite(r.primal) or time.monotonic() > deadline or r.seconds > cap:
            break
        if r.seconds > EARLY * cap and hopeless(records, best, cap):
            break
    reached = min((r.passes for r in records if r.primal <= finish), default=INF)
    certified = min(
        (r.passes for r in records if relative_gap(r, first) <= EPS), default=reached if uncertified else INF
    )
    costs = [(b.seconds - a.seconds) / (b.passes - a.passes) for a, b in zip(records, records[1:], strict=False)]
    return Time("", candidate.key, reached, certified, statistics.median(costs), r.passes), records


def hopeless(records: list[Record], best: float, cap: float) -> bool:
    """Whether at its pace since the middle of its records a run needs more than HOPELESS times the cap."""
    middle, last, floor = records[(len(records) - 1) // 2], records[-1], EPS * (records[0].primal - best)
    errors = (max(r.primal - best, floor) for r in (middle, last))
    before, now = map(math.log, errors)
    pace = (before - now) / (last.seconds - middle.seconds)
    return now - math.log(floor) > HOPELESS * cap * max(pace, 0.0)


def measured(case: Case, keep: Callable[[str, str, list[Record]], None] | None = None) -> list[Time]:
    """Every candidate on one problem; `keep` is shown the records of the first seed."""
    P = case.build()
    best, entries = optimum(P), candidates(P)
    found: dict[str, list[Time]] = {}
    fastest, certified = INF, PATIENCE / GIVEN_UP
    for candidate in entries:
        t, records = run(P, candidate, best, SEEDS[0], max(GIVEN_UP * certified, AT_LEAST))
        if keep:
            keep(case.name, candidate.key, records)
        found[candidate.key] = [t]
        fastest, certified = min(fastest, t.seconds), min(certified, t.gap_seconds)
    close = {key for key, (t,) in found.items() if t.seconds <= CLOSE * fastest or t.gap_seconds <= CLOSE * certified}
    for seed in SEEDS[1:]:
        for candidate in entries:
            if candidate.key in close:
                cap = max(2 * GIVEN_UP * certified, AT_LEAST)
                found[candidate.key].append(run(P, candidate, best, seed, cap)[0])
    return [_merged(case, times) for times in found.values()]


def _merged(case: Case, times: list[Time]) -> Time:
    names = ("passes", "gap_passes", "pass_seconds", "tried")
    return Time(case.name, times[0].entry, *(statistics.median(getattr(t, name) for t in times) for name in names))


def measure(keep=None) -> None:
    done = {t.problem for t in load(TIMES, Time)}
    for case in cases():
        if case.name in done:
            continue
        start = time.monotonic()
        try:
            times = measured(case, keep)
        except RuntimeError as error:
            print(f"left out: {error}", flush=True)
            continue
        append(TIMES, times)
        first = min(times, key=lambda t: t.seconds)
        print(f"{time.monotonic() - start:6.0f} s  {case.name}: {first.entry}, {first.seconds:.3g} s", flush=True)


def main(words: list[str]) -> None:
    if words == ["measure"]:
        measure()
    elif words in (["validate"], ["calibrate"]):
        import advice_fit

        {"validate": advice_fit.validate, "calibrate": advice_fit.calibrate}[words[0]](load(TIMES, Time))
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
