"""Runs of the face-off: a sweep over the methods and seeds of one problem, and what its traces say."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import scipy.sparse as sp

import cdlab
from cdlab.comparisons import crossing
from cdlab.datasets.catalogue import cache_folder

LEVELS = (1e-4, 1e-6)  # of relative suboptimality, which is 1 at the start
METHODS = ("quartz", "rcd", "sdca")
SMALL = 1000  # features up to which the Hessian's smallest eigenvalue is computed
STORE = cache_folder().parent / "benchmarks" / "faceoff"
REFERENCE = {"method": "sdca", "sampling": "permutation", "tol": 1e-9, "max_passes": 20_000}


@dataclass(frozen=True)
class Effort:
    """How much work races may do, and where they are kept."""

    seeds: int = 5
    visits: float = 1e10  # of a nonzero, after which a run ends: the same on every machine
    jobs: int = 1
    store: Path = field(default=STORE)

    def sweep(self, P: cdlab.Problem, runs: list[dict]) -> list[cdlab.Trace]:
        """The traces of some runs on a problem, of which those that are kept are not computed again."""
        grid = [{"data": (P.X, P.y), "loss": P.loss, "l2": P.l2, **run} for run in runs]
        executor = "serial" if self.jobs == 1 else "processes"
        store = cdlab.sweep(grid, executor, store=self.store, jobs=self.jobs, progress=print_progress)
        if len(traces := store.traces()) < len(runs):
            raise RuntimeError(store.to_frame()["failure"].dropna().iloc[0])
        return traces


def print_progress(progress: cdlab.sweeps.Progress) -> None:
    print(f"  {progress}", file=sys.stderr, flush=True)


def race(name: str, P: cdlab.Problem, sampling: str, effort: Effort, methods=METHODS) -> dict[str, list[dict]]:
    """For each method its runs, one a seed; a run that did not get there says the same with every seed."""
    print(f"{name}, {P.loss.name}, l2 n = {P.l2 * P.n:g}, {sampling}", flush=True)
    (reference,) = effort.sweep(P, [REFERENCE])
    best, known = reference.records[-1].primal, reference.column("relative_gap")[-1]
    if not known <= 1e-8:
        print(f"  P* is known to {known:.0e} only", flush=True)
    # the gap is at least P - P*, and P(0) - D in the end P(0) - P*: who ends by this is at the fine level
    ends = {"sampling": sampling, "tol": 0.99 * LEVELS[-1], "max_passes": math.ceil(effort.visits / P.nnz)}
    entries = [{"method": method, **ends} for method in methods]
    found = {
        method: [run_summary(trace, best)]
        for method, trace in zip(methods, effort.sweep(P, [{**entry, "seed": 0} for entry in entries]), strict=True)
    }
    arrived = [entry for entry in entries if np.isfinite(list(found[entry["method"]][0]["reached"].values())).all()]
    more = [{**entry, "seed": seed} for seed in range(1, effort.seeds) for entry in arrived]
    if more:
        for run, trace in zip(more, effort.sweep(P, more), strict=True):
            found[run["method"]].append(run_summary(trace, best))
    return found


def run_summary(trace: cdlab.Trace, best: float) -> dict:
    """Passes and seconds to each level, on the straight line between two records; inf if it was not reached.

    Seconds are the processor's: what else the machine does must not decide a race. `excess` is the slack of the
    inequality that brings l2 into the bound: how many times more strongly convex than l2 the path is,
    ||grad P||^2/(2 l2 (P - P*)) for rcd, where the numerator is the gap to the dual point that w gives, and
    (P - D)/(P* - D) for the dual methods. Each interval between records counts, to the fine level, with its passes and
    the geometric mean of its ends.
    """
    passes, seconds, primal, gap = (trace.column(name) for name in ("passes", "seconds", "primal", "gap"))
    distance = np.maximum(primal - best, 1e-300)
    error = distance / distance[0]
    below = distance if trace.meta["method"] == "rcd" else np.maximum(best - (primal - gap), 1e-300)
    end = int(np.argmax(error <= LEVELS[-1])) if error.min() <= LEVELS[-1] else len(error) - 1
    slack, steps = np.log(gap / below)[: end + 1], np.diff(passes[: end + 1])
    mean = float(np.exp((slack[1:] + slack[:-1]) / 2) @ steps / passes[end])
    reached = {f"{level:g}": [crossing(each, error, level) for each in (passes, seconds)] for level in LEVELS}
    return {
        "reached": reached,
        "seconds": float(seconds[end]),
        "passes": float(passes[end]),
        "error": float(error[end]),
        "excess": mean,
    }


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
