"""ESO parameters, by formula or from the pair probabilities, and the best probabilities within buckets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import samplings
from ..numerics import checks, profiles
from ..problems.problem import Problem
from ..samplings import Blocks, Bucket, BySize, Coordinates, Distributed, Independent, Sampling, TauNice
from .pairs import check_pairs, check_side, exact_factors, pair_probabilities

METHODS = ("formula", "exact")


def eso(X: Any, sampling: str | Sampling | np.ndarray, side: str = "dual", *, method: str = "formula") -> np.ndarray:
    """ESO parameters of a data matrix and a sampling.

    Parameters
    ----------
    X : (n, d) array, scipy sparse matrix or Problem
        Rows are examples.
    sampling : str, Sampling, array of probabilities, or (m, m) array
        A serial sampling gives squared norms; TauNice, Independent, Bucket and Distributed give what their blocks need.
        With method="exact" also the pair probabilities Pr of any other random subset of the m coordinates.
    side : "dual" or "primal", default "dual"
        Whether coordinates are examples or features.
    method : "formula" or "exact", default "formula"
        The formulas of Qu & Richtarik, from one pass over the nonzeros; or each row's smallest factor, an eigenvalue of
        Pr on its nonzeros, for up to 2000 coordinates.

    Returns
    -------
    (n,) array v for the dual side, (d,) array u for the primal side.

    Raises
    ------
    ValueError
        For another side or method, a sampling that does not fit the number of coordinates, more than 2000 of these with
        method="exact", or invalid X.

    Warnings
    --------
    Squared norms are right for one coordinate at a time only. Steps that use them on blocks of tau > 1 can be too long
    by a factor of up to tau, on dense rows, and then diverge.

    Examples
    --------
    >>> import numpy as np, cdlab
    >>> cdlab.eso(np.ones((3, 2)), "uniform")
    array([2., 2., 2.])
    >>> cdlab.eso(np.ones((3, 2)), cdlab.samplings.TauNice(3))
    array([6., 6., 6.])
    """
    checks.one_of("method", method, METHODS)
    check_side(side)
    c = X.coordinates(side) if isinstance(X, Problem) else None
    X = X.X if isinstance(X, Problem) else profiles.validated_matrix(X)
    Pr = sampling if isinstance(sampling, np.ndarray) and sampling.ndim == 2 else None
    if Pr is not None and method != "exact":
        raise ValueError('pair probabilities have no formula: pass method="exact", or name the sampling')
    norms2 = profiles.line_profile(X, "rows" if side == "dual" else "columns").norms2
    blocks: Any = None
    if Pr is None:
        blocks = samplings.resolve(sampling)
        if not isinstance(blocks, Blocks):
            return norms2  # lambda_max of a diagonal matrix scaled to 1: the formula is exact
        if c is None and isinstance(blocks, BySize) and blocks.needs_smooth:
            raise ValueError(f"{blocks.label} blocks are drawn by the loss's smoothness, too: pass the Problem, not X")
        blocks = blocks.on(c or Coordinates(norms2, 1.0, 0.0, norms2))
        if method == "exact":
            Pr = pair_probabilities(blocks, norms2.size)
    A = sp.coo_matrix(X)
    rows, columns = (A.col, A.row) if side == "dual" else (A.row, A.col)
    pattern = sp.csr_matrix((np.ones(A.nnz), (rows, columns)), shape=(X.shape[1 if side == "dual" else 0], norms2.size))
    own: np.ndarray | float = 0.0
    if Pr is None:
        own, factors = _factors(blocks, pattern, blocks.marginals(norms2.size))
    else:
        factors = exact_factors(pattern, check_pairs(Pr, norms2.size))
    return own * norms2 + np.bincount(columns, weights=A.data**2 * factors[rows], minlength=norms2.size)


def _factors(sampling: Blocks, pattern: sp.csr_matrix, p: np.ndarray) -> tuple[np.ndarray | float, np.ndarray]:
    """The factors f_kj = own_j + row_k as (own, row). `pattern` (K, m) has a 1 at each nonzero of A."""
    m, w = p.size, np.diff(pattern.indptr)
    match sampling:
        case TauNice(tau=tau):
            return 0.0, 1 + (w - 1) * (tau - 1) / max(m - 1, 1)
        case Independent():
            return 1 - p, pattern @ p
        case Bucket():
            return 1.0, (1 - 1 / _parts_met(pattern, sampling.of)) * (pattern @ p)
        case Distributed(tau=tau):
            s = sampling.size(m)
            parts, b = _parts_met(pattern, np.arange(m) // s), (tau - 1) / max(s - 1, 1)
            return 0.0, 1 + b * (w - 1) + (tau / s - b) * (1 - 1 / parts) * w
    raise TypeError(f"no ESO is known for {sampling}; known: {', '.join(samplings.BLOCKS)}, and all serial samplings")


def _parts_met(pattern: sp.csr_matrix, part: np.ndarray) -> np.ndarray:
    """Count the parts that each row's nonzeros meet; 1 for an empty row, where it does not matter."""
    member = sp.csr_matrix((np.ones(part.size), (np.arange(part.size), part)))
    return np.maximum(1, np.diff((pattern @ member).indptr))


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
    if problem.mu == 0 or problem.loss.gamma == 0:
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
