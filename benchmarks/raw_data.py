"""Whether "solved" is solved on data as they are: sixty raw sets, every loss that fits, the default estimators.

    python benchmarks/raw_data.py [--sets TEXT] [--loss TEXT] [--race] [--passes] [--peers] [--jobs N]
        [--max-passes N] [--csv FILE]

Without --race, --passes or --peers: each set with each loss, by CDRegressor or CDClassifier at their defaults, and
again with l2 = 0 and l1 = 1e-3, against an independent optimum (raw_referee.py). Solved is P - P_ref <=
1e-6 (P0 - P_ref) + 1e-9 P0 with P in 60 digits at the returned coefficients and P0 the best constant. One-vs-rest is
judged class by class, and the worst is told. --race: CPU seconds beside the best of cdlab's methods, to the same
tolerance; of one-vs-rest the last class. --passes: passes against the offset. --peers: ms and scores beside
scikit-learn's.
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
import time
import warnings
from collections import Counter
from typing import Any, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from raw_referee import Exact, Point, minimum
from raw_sets import LOSSES, SEED, WEIGHTS, Data, all_sets, targets
from raw_tables import passes_by_offset, peers, race
from sklearn.exceptions import ConvergenceWarning

import cdlab

TOL, NOISE = 1e-6, 1e-9


class Verdict(NamedTuple):
    """One set with one loss and one penalty."""

    name: str
    loss: str
    penalty: str
    verdict: str  # solved, missed (warned), rounding (limit, not warned), silent failure, refused, referee weak
    status: str
    distance: float  # (P - P_ref)/(P0 - P_ref), the worst of the classes
    share: float  # (P - P_ref)/P0 of that class
    passes: float
    seconds: float  # of CPU
    words: str  # of what was chosen, or of errors


def estimator(loss: str, task: str, weights: dict[str, float], limits: dict[str, float]) -> Any:
    if task == "regression":
        return cdlab.CDRegressor(loss, **weights, **limits)
    return cdlab.CDClassifier("logistic" if loss == "softmax" else loss, **weights, **limits)


def judged(data: Data, loss: str, weights: dict[str, float], limits: dict[str, float]) -> Verdict:
    penalty = "l1" if weights["l1"] else "l2"
    model, begun = estimator(loss, data.task, weights, limits), time.process_time()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            model.fit(data.X, data.y)
        except Exception as error:
            return Verdict(data.name, loss, penalty, "refused", "", *[np.nan] * 4, repr(error)[:150])
    seconds = time.process_time() - begun
    warned = any(issubclass(each.category, ConvergenceWarning) for each in caught)
    solutions = model.solution_ if isinstance(model.solution_, list) else [model.solution_]
    ys = targets(data, loss)
    coefs, intercepts = np.atleast_2d(model.coef_), np.atleast_1d(model.intercept_)
    worst, is_weak, states = (-np.inf, 0.0, True), False, []
    for k, y in enumerate(ys):
        exact = Exact(data.X, y, loss, **weights)
        whole = loss == "softmax"
        mine = Point(coefs.T, [float(b) for b in intercepts]) if whole else Point(coefs[k], float(intercepts[k]))
        p0 = exact.of_constant()
        theirs, state = minimum(exact, p0)
        P, P_ref = exact.primal(mine), exact.primal(theirs)
        over, room = float(P - P_ref), p0 - float(P_ref)
        states.append(state)
        good = over <= TOL * room + NOISE * p0
        is_weak |= over < -TOL * room - NOISE * p0 or (good and state != "optimal")
        worst = max(worst, (over / max(room, TOL * p0), over / p0, good))
    status = "; ".join(sorted({s.status for s in solutions}))
    verdict = "referee weak" if is_weak else "solved"
    if not worst[2]:
        verdict = "missed" if warned else "rounding" if "rounding" in status else "silent failure"
    words = f"gap/P0 {max(s.relative_gap for s in solutions):.1e}; {solutions[0].trace.meta.get('chosen', '')}"
    words += f"; referee {'; '.join(sorted(set(states)))}" if set(states) != {"optimal"} else ""
    return Verdict(data.name, loss, penalty, verdict, status, *worst[:2], model.n_passes_, seconds, words)


def show(found: list[Verdict]) -> None:
    counts = Counter(v.verdict for v in found)
    print(f"\n{len(found)} cases of {len({v.name for v in found})} sets (seed {SEED}): {dict(counts)}")
    print(f"strictly, (P - P_ref)/(P0 - P_ref) <= 1e-6: {sum(v.distance <= TOL for v in found)}")
    print("\nStatus by verdict:")
    for (status, verdict), count in sorted(Counter((v.status, v.verdict) for v in found).items()):
        print(f"  {status:40} {verdict:16}{count:5}")
    print(f"\nNot solved:\n{'set':34}{'loss':15}{'':4}{'verdict':16}{'status':20}{'distance':>9}{'/P0':>9}{'passes':>8}"
          f"{'s':>7}")  # fmt: skip
    for v in found:
        if v.verdict != "solved":
            print(f"{v.name:34}{v.loss:15}{v.penalty:4}{v.verdict:16}{v.status:20}{v.distance:9.1e}{v.share:9.1e}"
                  f"{v.passes:8.0f}{v.seconds:7.2f}  {v.words}")  # fmt: skip
    for kind in sorted({v.loss for v in found}):
        each = [v for v in found if v.loss == kind]
        print(f"{kind:15}{sum(v.verdict == 'solved' for v in each):4} of {len(each)}")


def of_set(data: Data, wanted: str, limits: dict[str, float]) -> list[Verdict]:
    return [judged(data, loss, w, limits) for loss in LOSSES[data.task] if wanted in loss for w in WEIGHTS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="", help="only sets whose names contain this")
    parser.add_argument("--loss", default="", help="only losses whose names contain this")
    parser.add_argument("--jobs", type=int, default=1, help="processes, one set each")
    parser.add_argument("--max-passes", type=float, help="in place of the estimators' default")
    parser.add_argument("--csv", help="file for all verdicts")
    for flag in ("race", "passes", "peers"):
        parser.add_argument(f"--{flag}", action="store_true")
    args = parser.parse_args()
    if args.passes or args.peers or args.race:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            if args.passes:
                passes_by_offset()
            if args.race:
                race(args.sets, args.loss)
        if args.peers:  # which tells who warns
            peers()
        return
    found: list[Verdict] = []
    limits = {"max_passes": args.max_passes} if args.max_passes else {}
    tasks = (delayed(of_set)(data, args.loss, limits) for data in all_sets(args.sets))
    for each in Parallel(n_jobs=args.jobs, return_as="generator")(tasks):
        found += each
        for v in each:
            print(f"{v.name:34}{v.loss:15}{v.penalty:4}{v.verdict:16}{v.status:20}{v.distance:9.1e}{v.passes:8.0f}"
                  f"{v.seconds:7.2f}", flush=True)  # fmt: skip
    show(found)
    if args.csv:
        with open(args.csv, "w", newline="") as file:
            csv.writer(file).writerows([Verdict._fields, *found])


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    sys.exit(main())
