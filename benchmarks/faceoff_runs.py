"""Runs of the face-off, kept: passes and seconds of rcd, quartz and sdca to given levels of relative suboptimality."""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

import cdlab
from cdlab.datasets.places import cache_folder
from cdlab.runs.running import Run

LEVELS = (1e-4, 1e-6)  # of relative suboptimality, which is 1 at the start
METHODS = ("quartz", "rcd", "sdca")
SMALL = 1000  # features up to which the Hessian's smallest eigenvalue is computed
STATE = cache_folder().parent / "benchmarks" / "faceoff.json"


@dataclass(frozen=True)
class Effort:
    """How much time races may take."""

    seeds: int = 5
    limit: float = 60.0  # seconds of a run
    quick: float = 20.0  # a run that takes longer without getting there is not repeated
    slow: float = 30.0  # one that takes longer and gets there is repeated twice


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


def optimum(P: cdlab.Problem, effort: Effort) -> dict:
    """P(0) and P*, the latter to a relative gap of 1e-9 if time suffices."""
    s = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-9, max_passes=20000, max_seconds=4 * effort.limit)
    return {"start": s.trace.records[0].primal, "best": s.trace.records[-1].primal, "certified": s.relative_gap}


def run(P: cdlab.Problem, method: str, sampling: str, seed: int, ends: dict, limit: float) -> dict:
    """Passes and seconds to each level, on the straight line between two records; None if not reached in time.

    Seconds are the processor's: what else the machine does must not decide a race. `excess` is the slack of the
    inequality that brings l2 into the bound: how many times more strongly convex than l2 the path is,
    ||grad P||^2/(2 l2 (P - P*)) for rcd, and (P - D)/(P* - D) for the dual methods. Each interval between records
    counts with its passes and the geometric mean of its ends.
    """
    records, best = Run(P, method, sampling, seed, clock=time.thread_time), ends["best"]
    before, reached = next(records), dict.fromkeys(LEVELS)
    error, slack, weighted = 1.0, excess(P, method, records, before, best), 0.0
    while any(found is None for found in reached.values()) and before.seconds < limit:
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
    if method != "rcd":
        return (record.primal - record.dual) / max(best - record.dual, 1e-300)
    gradient = P.gradient(records.w)
    return float(gradient @ gradient) / (2 * P.l2 * max(record.primal - best, 1e-300))


def race(name: str, P: cdlab.Problem, sampling: str, effort: Effort, methods=METHODS) -> dict[str, list[dict]]:
    """For each method its runs, one a seed."""
    key = f"{name}, {P.loss.name}, l2 n = {P.l2 * P.n:g}"
    ends = kept(f"{key}, optimum, {P.digest}", lambda: optimum(P, effort))
    if not ends["certified"] <= 1e-8:
        print(f"{key}: P* is known to {ends['certified']:.0e} only", flush=True)
    found: dict[str, list[dict]] = {}
    for method in methods:
        runs = found[method] = []
        while len(runs) < effort.seeds and not _enough(runs, effort):
            seed = len(runs)
            label = f"{key}, {method}, {sampling}, seed {seed}, {P.digest}"
            runs.append(kept(label, lambda m=method, s=seed: run(P, m, sampling, s, ends, effort.limit)))
    return found


def _enough(runs: list[dict], effort: Effort) -> bool:
    """A run that did not get there says the same with every seed, and long ones are repeated less."""
    if not runs:
        return False
    unfinished = runs[-1]["seconds"] >= effort.quick and None in runs[-1]["reached"].values()
    return unfinished or (len(runs) >= 3 and runs[0]["seconds"] >= effort.slow)


def curvature(P: cdlab.Problem) -> dict:
    """At the optimum: the Hessian's smallest eigenvalue over l2, and the mean of phi''/beta weighted by squared norms.

    The eigenvalue is None where there are many features, and where d > n it is 1: X'DX has a null space.
    """
    w = cdlab.solve(P, "sdca", sampling="permutation", tol=1e-6, max_passes=1000).w
    if P.loss.name == "squared":
        second = np.ones(P.n)
    else:
        slope = 1 / (1 + np.exp(P.y * P.predict(w)))
        second = slope * (1 - slope)  # logistic: phi'' <= beta = 1/4
    norms2 = P.row_profile.norms2
    share = float(second @ norms2 / (P.beta * norms2.sum()))
    if P.d > P.n or P.d > SMALL:
        return {"strong": 1.0 if P.d > P.n else None, "share": share}
    H = P.X.T @ (sp.diags(second) @ P.X if sp.issparse(P.X) else second[:, None] * P.X) / P.n
    least = float(np.linalg.eigvalsh(H.toarray() if sp.issparse(H) else H)[0])
    return {"strong": 1 + max(0.0, least) / P.l2, "share": share}
