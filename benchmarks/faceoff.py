"""The face-off's predictions beside what happens: rcd against quartz, both with importance sampling; docs/faceoff.md.

    CDLAB_DATA=FOLDER nice -n 5 python benchmarks/faceoff.py        one process, about half an hour

As in the paper: logistic loss, l2 = 1/n, X divided by its mean row norm (Csiba & Richtarik 2016, section 7). Runs are
kept in ~/.cache/cdlab/benchmarks/faceoff.json, so that it goes on where it was stopped; delete that file to start anew.
`faceoff_page.py` writes the page, from `faceoff_text.py` and the numbers.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Sequence

import numpy as np
import scipy.sparse as sp
from faceoff_page import write

import cdlab
from cdlab.datasets.places import cache_folder

DATA = (
    "mushrooms", "a9a", "w8a", "leu", "rcv1_vw1000", "covtype.binary", "mnist.binary", "news20.bigram",
)  # fmt: skip
LEVELS = (1e-4, 1e-6)  # of relative suboptimality
# loss, l2 n, sampling: as in the paper; every coordinate in turn; no slack in the curvature; a strong regulariser
PAPER, *CONTROLS = (
    ("logistic", 1.0, "importance"),
    ("logistic", 1.0, "permutation"),
    ("squared", 1.0, "importance"),
    ("logistic", 100.0, "importance"),
)
SLOW = ("covtype.binary",)  # no controls: rcd takes hours
LIMIT, QUICK, SEEDS = 240.0, 20.0, 5  # seconds of a run; runs that take less are repeated with other seeds
SMALL = 1000  # features up to which the Hessian's smallest eigenvalue is computed
STATE = cache_folder().parent / "benchmarks" / "faceoff.json"
# (b, c) of arrows with a = 1, and (d, n, alpha) of binary matrices
ARROWS = [(d, n, 1.0, b, c) for b, c in ((0.05, 1.0), (1.0, 0.05)) for d, n in ((60, 60), (60, 240), (200, 60))]
WORST_DUAL = [(40, 40, 200), (40, 200, 600), (40, 400, 1200), (100, 100, 500), (100, 300, 1500), (100, 1000, 5000)]
WORST_PRIMAL = [(100, 40, 500), (300, 40, 1500)]


# ---------------------------------------------------------------- runs, kept
def kept(key: str, compute: Callable[[], dict]) -> dict:
    """What `compute` returned when it was asked first."""
    known = json.loads(STATE.read_text()) if STATE.exists() else {}
    if key not in known:
        print(key, flush=True)
        known[key] = compute()
        STATE.parent.mkdir(parents=True, exist_ok=True)
        part = STATE.with_suffix(".part")
        part.write_text(json.dumps(known, indent=1))
        os.replace(part, STATE)
    return known[key]


def optimum(P: cdlab.Problem) -> dict:
    """P(0) and P*, the latter to a relative gap of 1e-9."""
    s = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-9, max_passes=5000, max_seconds=4 * LIMIT)
    return {"start": s.trace.records[0].primal, "best": s.trace.records[-1].primal, "certified": s.relative_gap}


def run(P: cdlab.Problem, method: str, sampling: str, seed: int, ends: dict) -> dict:
    """Passes and seconds to each level, on the straight line between two records; None if not reached in time.

    And `excess`, the slack of the inequality that brings l2 into the bound: how many times more strongly convex than l2
    the path is, ||grad P||^2/(2 l2 (P - P*)) for rcd, and (P - D)/(P* - D) for quartz. Each interval between records
    counts with its passes and the geometric mean of its ends.
    """
    records, best = cdlab.iterate(P, method, sampling=sampling, seed=seed), ends["best"]
    before, reached = next(records), dict.fromkeys(LEVELS)
    error, slack, weighted = 1.0, excess(P, method, records, before, best), 0.0
    while any(found is None for found in reached.values()) and before.seconds < LIMIT:
        record = next(records)
        was, error = error, max((record.primal - best) / (ends["start"] - best), 1e-300)
        for level in LEVELS:
            if reached[level] is None and error <= level:
                share = math.log(was / level) / math.log(was / error)
                both = ((getattr(before, what), getattr(record, what)) for what in ("passes", "seconds"))
                reached[level] = [a + share * (b - a) for a, b in both]
        last, slack = slack, excess(P, method, records, record, best)
        weighted += math.sqrt(last * slack) * (record.passes - before.passes)
        before = record
        records.every = 1 + len(records.trace.records) // 50
    levels = {f"{level:g}": found for level, found in reached.items()}
    mean = weighted / before.passes
    return {"reached": levels, "seconds": before.seconds, "passes": before.passes, "error": error, "excess": mean}


def excess(P: cdlab.Problem, method: str, records, record: cdlab.Record, best: float) -> float:
    if method == "quartz":
        return (record.primal - record.dual) / max(best - record.dual, 1e-300)
    gradient = P.gradient(records.w)
    return float(gradient @ gradient) / (2 * P.l2 * max(record.primal - best, 1e-300))


def race(name: str, P: cdlab.Problem, sampling: str) -> dict:
    """For each method its runs' medians, {"quartz": {"1e-06": (passes, seconds)}}; inf where time did not suffice."""
    key = f"{name}, {P.loss.name}, l2 n = {P.l2 * P.n:g}"
    ends = kept(f"{key}, optimum, {P.digest}", lambda: optimum(P))
    if ends["certified"] > 1e-8:
        print(f"{key}: P* is known to {ends['certified']:.0e} only", flush=True)
    found: dict = {}
    for method in ("quartz", "rcd"):
        runs: list[dict] = []
        while not runs or (len(runs) < SEEDS and runs[0]["seconds"] < QUICK):
            seed = len(runs)
            label = f"{key}, {method}, {sampling}, seed {seed}, {P.digest}"
            runs.append(kept(label, lambda m=method, s=seed: run(P, m, sampling, s, ends)))
        medians = {}
        for level in (f"{level:g}" for level in LEVELS):
            times = [(math.inf, math.inf) if r["reached"][level] is None else r["reached"][level] for r in runs]
            medians[level] = tuple(np.median(times, axis=0))
        first = runs[0]
        found[method] = medians | {
            "seeds": len(runs),
            **{k: first[k] for k in ("passes", "seconds", "error", "excess")},
        }
    return found


def curvature(P: cdlab.Problem) -> dict:
    """At the optimum: the Hessian's smallest eigenvalue over l2, and the mean of phi''/beta weighted by squared norms.

    The eigenvalue is None where there are many features, and where d > n it is 1: X'DX has a null space.
    """
    w = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-6, max_passes=1000).w
    slope = 1 / (1 + np.exp(P.y * P.predict(w)))
    second, norms2 = slope * (1 - slope), P.row_profile.norms2  # logistic: phi'' <= beta = 1/4
    share = float(second @ norms2 / (P.beta * norms2.sum()))
    if P.d > P.n or P.d > SMALL:
        return {"strong": 1.0 if P.d > P.n else None, "share": share}
    H = P.X.T @ (sp.diags(second) @ P.X if sp.issparse(P.X) else second[:, None] * P.X) / P.n
    least = float(np.linalg.eigvalsh(H.toarray() if sp.issparse(H) else H)[0])
    return {"strong": 1 + max(0.0, least) / P.l2, "share": share}


# ---------------------------------------------------------------- the problems
def real(name: str, loss: str, l2n: float) -> cdlab.Problem:
    X, y = cdlab.datasets.load(name, scale="mean")
    return cdlab.Problem(X, y, loss=loss, l2=l2n / len(y))


def family(builder: str, arguments: Sequence[float]) -> cdlab.Problem:
    X, y = getattr(cdlab.datasets, builder)(*arguments)
    X = X / np.sqrt(X.multiply(X).sum(axis=1)).mean()
    return cdlab.Problem(X, y, loss="logistic", l2=1 / X.shape[0])


def data_set(name: str) -> dict:
    """All that the page says of one data set."""
    P = real(name, *PAPER[:2])
    face = cdlab.faceoff(P, derivative_cost="measured")
    found = {"name": name, "face": face, "race": race(name, P, PAPER[2]), "controls": []}
    found |= kept(f"{name}, curvature, {P.digest}", lambda: curvature(P))
    for loss, l2n, sampling in CONTROLS if name not in SLOW else ():
        Q = real(name, loss, l2n)
        found["controls"].append((cdlab.faceoff(Q).ratio, race(name, Q, sampling)))
    return found


def synthetic(builder: str, arguments: Sequence[float]) -> dict:
    P = family(builder, arguments)
    label = f"{builder}{tuple(arguments)}"
    return {"name": label, "face": cdlab.faceoff(P), "race": race(label, P, PAPER[2])}


if __name__ == "__main__":
    families = [("arrow", each) for each in ARROWS] + [("worst_dual", each) for each in WORST_DUAL]
    families += [("worst_primal", each) for each in WORST_PRIMAL]
    write([data_set(name) for name in DATA], [synthetic(*each) for each in families], LEVELS, LIMIT)
