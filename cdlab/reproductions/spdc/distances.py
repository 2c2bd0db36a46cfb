"""Theorem 1 of SPDC over the problems of its figures: how fast x comes to x*."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from ... import theory
from ...comparisons.claims import Outcome
from ...problems.problem import Problem
from ...runs.iterating import iterate
from ...runs.solving import solve
from ..found import Found, Undecided
from ..judging import fact

AT, EPOCHS, SEEDS = 1e-4, 20, range(5)
KNOWN = 1e-12  # relative gap of x*


def measured(problem: Problem) -> dict[str, Any]:
    """The largest of E||x_t - x*||^2 divided by the theorem's bound, and how many epochs were compared; at l2 = 1e-4.

    The mean is over five seeds. Epochs count where the bound exceeds 100 times what x* may be wrong by.
    """
    if problem.l2 != AT:
        return {}
    best = solve(problem, "sdca", sampling="permutation", tol=KNOWN, max_passes=1000)
    rows, passes = [], np.zeros(EPOCHS)
    for seed in SEEDS:
        run = iterate(problem, "spdc", primal_point="iterate", seed=seed)
        distances = []
        for k, record in enumerate(islice(run, EPOCHS)):
            passes[k] = record.passes
            distances.append(float(np.sum((run.w - best.w) ** 2)))
        rows.append(distances)
    w2, a2 = (float(x @ x) for x in (best.w, best.alpha))
    bound = theory.bound("spdc").curve(problem, passes, w2=w2, a2=a2).values
    known = bound > 100 * 2 * best.gap / problem.l2
    shares = (np.mean(rows, axis=0) / bound)[known]
    return {"largest share": float(shares[1:].max()) if shares.size > 1 else float("nan"), "epochs": int(shares.size)}


def below(found: Found) -> tuple[Outcome, str]:
    """The mean squared distance divided by its bound, where that is largest."""
    share = found.facts.get("largest share", float("nan"))
    if np.isnan(share):
        raise Undecided("x* is not known well enough for it")
    outcome = fact(share <= 1, "mean/bound <= 1", share, threshold=1.0)
    return outcome, f"largest after the first of {found.facts['epochs']} epochs, mean over {len(SEEDS)} seeds"
