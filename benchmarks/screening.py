"""The savings of screening: CPU time of `solve` with a rule over that without, and the passes of both.

    python benchmarks/screening.py run [DATA ...]    default: the sets below; appends to benchmarks/screening.csv
    python benchmarks/screening.py report            writes docs/screening.md from it

Each problem is built once; then rounds of no rule, "gap_safe" and "shrink" are interleaved, in a new order each, to a
certified relative gap. Ratios are medians over rounds. A run ends after LIMIT passes, and then its time is a lower
bound of what it needs. One thread: set OPENBLAS_NUM_THREADS=1.
"""

import csv
import math
import random
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import median

import numpy as np
from screening_page import write

import cdlab
from cdlab.methods.wrappers.screened import OFF, SAFE, SHRINK

RULES = (OFF, SAFE, SHRINK)
HERE = Path(__file__).parent
FOUND, PAGE = HERE / "screening.csv", HERE.parent / "docs" / "screening.md"
SETS = ("leu", "reuters21578.earnacq", "w8a", "news20.unigram", "rcv-like")
HINGES, SMOOTH = ("hinge", "smooth_hinge", "squared_hinge"), ("squared", "logistic")
EXAMPLES = [("sdca@permutation", loss, weight) for loss in HINGES for weight in (1, 0.1)]
FEATURES = [(m, loss, weight) for m in ("rcd@permutation", "newton_cd") for loss in SMOOTH for weight in (0.3, 0.03)]
PATHS = [("rcd@permutation", "squared", 0.9), *(("sdca@permutation", loss, 20) for loss in HINGES)]
PATH = np.geomspace(1, 0.05, 12)  # shares of the weight
GAPS, LIMIT = (1e-3, 1e-6, 1e-9), 300  # passes
MANY, SHORT, ROUNDS, LONG = 9, 0.05, 3, 1.0  # MANY rounds below SHORT seconds, ROUNDS below LONG, else one
ABOUT = ("data", "method", "loss", "weight", "tol")
FIELDS = (*ABOUT, "rule", "ms", "ratio", "low", "high", "passes", "active", "reached")


def load(name: str):
    if name == "rcv-like":
        return cdlab.datasets.make(n=20_000, d=47_000, density=76 / 47_000, seed=0)
    X, y = cdlab.datasets.load(name)
    kinds = np.unique(y)
    return X, y if kinds.size == 2 else np.where(y <= np.median(y), 1, -1)  # of several classes, one half and the other


def problem(X, y, method: str, loss: str, weight: float) -> cdlab.Problem:
    """l2 = weight/n for sdca; the others have l2 = 0, and l1 = weight times the least l1 for which w* = 0."""
    if method.startswith("sdca"):
        return cdlab.Problem(X, y, loss, l2=weight / X.shape[0])
    P = cdlab.Problem(X, y, loss, l2=0.0, l1=1.0)
    return P.with_(l1=weight * float(np.abs(P.v(P.alpha(np.zeros(P.d)))).max()))


def solver(P, method: str, tol: float):
    """A function that solves with a rule: whether it got there, the passes, and the share of the coordinates left."""

    def solve(rule: str) -> tuple[bool, float, float]:
        s = cdlab.solve(P, method, tol=tol, max_passes=LIMIT, screening=rule)
        size = P.n if method.startswith("sdca") else P.d
        return s.status == "tolerance reached", s.trace.records[-1].passes, active_count(s) / size

    return solve


def along(P, method: str, tol: float):
    """A function that solves a path with a rule: `solver`'s answers for all of it."""
    weights = {"l2": P.l2 * PATH} if method.startswith("sdca") else {"l1": P.l1 * PATH}

    def path(rule: str) -> tuple[bool, float, float]:
        found = cdlab.path(P, method=method, tol=tol, max_passes=LIMIT, screening=rule, **weights)
        size = P.n if method.startswith("sdca") else P.d
        ended = all(s.status == "tolerance reached" for s in found)
        passes = sum(s.trace.records[-1].passes for s in found)
        return ended, passes, sum(map(active_count, found)) / len(found) / size

    return path


def active_count(s) -> float:
    return math.nan if s.active is None else s.active


def timed(ask, rule: str):
    begun = time.thread_time()
    found = ask(rule)
    return time.thread_time() - begun, found


def compared(ask):
    """A row for each rule."""
    once = {rule: timed(ask, rule) for rule in RULES}  # compiles; the same seed gives the same passes
    took: dict[str, list[float]] = {rule: [] for rule in RULES}
    longest = max(seconds for seconds, _ in once.values())
    for k in range(MANY if longest < SHORT else ROUNDS if longest < LONG else 1):
        for rule in random.Random(k).sample(RULES, len(RULES)):
            took[rule].append(timed(ask, rule)[0])
    for rule in RULES:
        ratios = sorted(a / b for a, b in zip(took[rule], took["none"], strict=True))
        reached, passes, active = once[rule][1]
        yield {
            "rule": rule, "ms": 1e3 * median(took[rule]), "ratio": median(ratios), "low": ratios[0], "high": ratios[-1],
            "passes": passes, "active": active, "reached": int(reached),
        }  # fmt: skip


def questions(name: str, X, y):
    """The questions about a data set: words for each, and the function that answers it."""
    for method, loss, weight in EXAMPLES + FEATURES:
        P = problem(X, y, method, loss, weight)
        for tol in GAPS:
            yield (name, method, loss, weight, tol), solver(P, method, tol)
    for method, loss, weight in PATHS:
        P = problem(X, y, method, loss, weight)
        for tol in GAPS[:2]:
            yield (name, f"path, {method}", loss, weight, tol), along(P, method, tol)


def question_counts() -> Counter[tuple[str, str]]:
    """The number of questions about each data set and method."""
    count: Counter[tuple[str, str]] = Counter()
    for name in SETS:
        count.update((name, method) for method, *_ in EXAMPLES + FEATURES for _ in GAPS)
        count.update((name, f"path, {method}") for method, *_ in PATHS for _ in GAPS[:2])
    return count


def run(names) -> None:
    new = not FOUND.exists()
    with FOUND.open("a", newline="") as file:
        out = csv.DictWriter(file, FIELDS)
        if new:
            out.writeheader()
        for name in names:
            X, y = load(name)
            for about, ask in questions(name, X, y):
                for row in compared(ask):
                    row = {name: f"{x:.4g}" if isinstance(x, float) else x for name, x in row.items()}
                    out.writerow({**dict(zip(ABOUT, about, strict=True)), **row})
                file.flush()
                print(*about, flush=True)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["run", *names]:
            run(names or SETS)
        case ["report"]:
            write(FOUND, PAGE, question_counts(), many=MANY, rounds=ROUNDS, short=1e3 * SHORT, long=LONG, limit=LIMIT)
        case _:
            sys.exit(__doc__)
