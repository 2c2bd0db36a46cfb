"""Importance sampling for one coordinate from each bucket."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..problems.problem import Problem
from ..samplings import Bucket
from .of_samplings import eso


def bucket_importance(problem: Problem, buckets: Sequence[np.ndarray], side: str = "dual") -> Bucket:
    """Probabilities within buckets that need the fewest iterations: importance sampling for one coordinate from each.

    Iterations to eps are max_i s_i/(p_i l2 n) log(1/eps) with s = beta v + l2 n, smallest within each bucket for p_i ~
    s_i. But the ESO parameters v depend on p, so both are computed in turn, from uniform p, for as long as that helps.
    What comes out is never worse than uniform buckets and close to the best, which is not known in closed form.

    Parameters
    ----------
    problem : Problem
        With l2 > 0 and a smooth loss.
    buckets : sequence of index arrays
        A partition of the examples (dual side) or features (primal side).
    side : "dual" or "primal", default "dual"
        Whether coordinates are examples or features.

    Returns
    -------
    Bucket
        A sampling for the methods quartz (dual) and rcd (primal).

    Raises
    ------
    ValueError
        For l2 = 0, a loss that is not smooth, iterations beyond float64, or what `eso` and `Bucket` refuse.

    References
    ----------
    Csiba & Richtarik, Importance sampling for minibatches (2018).
    """
    if problem.l2 == 0 or problem.loss.gamma == 0:
        raise ValueError("bucket_importance minimises a bound that needs l2 > 0 and a smooth loss")
    best = sampling = Bucket(buckets)
    fewest = np.inf
    while True:
        c = problem.coordinates(side)
        s = c._replace(norms2=eso(problem, sampling, side), beta=problem.beta).smoothness
        iterations = float((s / sampling.inside).max())
        if not np.isfinite(iterations):
            raise ValueError("the iterations of these buckets exceed float64: take a smaller l2, or scale X down")
        if iterations >= fewest * (1 - 1e-6):
            return best
        best, fewest, sampling = sampling, iterations, Bucket(buckets, s)
