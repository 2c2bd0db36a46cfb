"""What `solve(P, "auto")` costs beside the best of the methods that one could have named: CPU time from X and y.

    python benchmarks/auto.py [DATA ...]      default: the sets below, as far as they are here

For each problem every method gets the same (X, y), builds its own Problem and ends with a certified relative gap of
1e-6; rounds are interleaved, in a new order each, a method's time is its median over rounds. A method that needs more
than LIMIT seconds is out of that problem. One thread: run it with OPENBLAS_NUM_THREADS=1.
"""

import math
import random
import sys
import time
from statistics import median

import cdlab

SETS = ("leu", "reuters21578.earnacq", "w8a", "a9a", "rcv1_vw1000", "news20.unigram", "mushrooms")
LOSSES = ("logistic", "squared_hinge", "squared")
WEIGHTS = (1, 0.1, 0.01)  # l2 n
ALONE = ("sdca@permutation", "newton_cd", "rcd@permutation", "apcg", "lbfgs")
ROUNDS, LIMIT = 3, 4.0
SHORT, MANY = 0.02, 15  # seconds; rounds where all are shorter


def seconds(X, y, loss: str, l2: float, method: str, limit: float = LIMIT) -> tuple[float, str]:
    """CPU seconds to the certified answer, inf where it was not reached; and what was chosen."""
    begun = time.process_time()
    s = cdlab.solve(cdlab.Problem(X, y, loss=loss, l2=l2), method, tol=1e-6, max_passes=None, max_seconds=limit)
    took = time.process_time() - begun
    return took if s.status == "tolerance reached" else math.inf, s.trace.meta.get("chosen", "")


def problem(X, y, loss: str, l2: float) -> tuple[float, str, float, str]:
    """The ratio of auto to the best, who that is, auto's seconds, and what it chose."""
    for method in ("auto", *ALONE):
        seconds(X, y, loss, l2, method, 0.01)  # compiles
    able = [m for m in ALONE if seconds(X, y, loss, l2, m)[0] < math.inf]
    known = {m: [] for m in ("auto", *able)}
    chosen = ""
    for k in range(ROUNDS if max(seconds(X, y, loss, l2, m)[0] for m in known) > SHORT else MANY):
        for m in random.Random(k).sample(sorted(known), len(known)):
            took, words = seconds(X, y, loss, l2, m, 10 * LIMIT)
            known[m].append(took)
            chosen = words or chosen
    times = {m: median(each) for m, each in known.items()}
    mine = times.pop("auto")
    best = min(times, key=times.__getitem__, default="none in time")
    return mine / times.get(best, math.inf), best, mine, chosen


def main(names) -> None:
    found = []
    print(f"{'data':22}{'loss':15}{'l2 n':>6}{'auto, ms':>10}{'ratio':>7}  best alone")
    for name in names:
        X, y = cdlab.datasets.load(name)
        for loss in LOSSES:
            for weight in WEIGHTS:
                ratio, best, took, chosen = problem(X, y, loss, weight / X.shape[0])
                found.append(ratio)
                print(f"{name:22}{loss:15}{weight:6}{1e3 * took:10.1f}{ratio:7.2f}  {best:17}  {chosen}", flush=True)
    for most in (1.0, 1.25, 1.5, 2.0):
        print(f"at most {most} times the best: {sum(r <= most for r in found)} of {len(found)}")
    print(f"median {median(found):.2f}, worst {max(found):.2f}")


if __name__ == "__main__":
    main(sys.argv[1:] or SETS)
