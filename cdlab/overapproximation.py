"""Expected separable overapproximation (ESO): how far a random block of coordinates may move at once.

A matrix A (K, m) and a random subset S of its m columns, with p_j = Prob(j in S) and Pr[j, l] = Prob(j and l in S),
admit ESO parameters v if in the order of positive semidefinite matrices

    Pr o (A'A) <= Diag(p o v),    that is    E ||A h_S||^2 <= sum_j p_j v_j h_j^2    for all h

(o elementwise; h_S is h with the coordinates outside S set to 0). Then beta v_j + l2 n takes the place of
beta ||A_:j||^2 + l2 n in steps and bounds (Csiba & Richtarik 2016, eq. 5 to 9). A = X' for the dual side (coordinates
are examples) and A = X for the primal side (coordinates are features), with our X (n, d).

Every parameter here has the form v_j = sum_k f_kj A_kj^2, from one row a' of A at a time. J_k are the nonzeros of row
k, w_k = |J_k|, and w'_k is the number of buckets (parts) that J_k meets; x_j = a_j h_j:

    serial       f = 1: Pr leaves nothing of A'A but its diagonal.
    tau_nice     f = 1 + b (w_k - 1), b = (tau - 1)/(m - 1): E (a'h_S)^2 = p [(1 - b) sum x^2 + b (sum x)^2] with
                 p = tau/m, then Cauchy-Schwarz on J_k.
    independent  f = 1 - p_j + sum_{J_k} p_l: E (a'h_S)^2 = (sum p x)^2 + sum p (1 - p) x^2, then weighted
                 Cauchy-Schwarz, (sum p x)^2 <= (sum_{J_k} p) sum p x^2.
    bucket       f = 1 + (1 - 1/w'_k) sum_{J_k} p_l: only coordinates of different buckets meet, and with
                 s_B = sum_B p x their part is (sum s_B)^2 - sum s_B^2 <= (1 - 1/w'_k)(sum s_B)^2.
    distributed  f = 1 + b (w_k - 1) + (p - b)(1 - 1/w'_k) w_k, b = (tau - 1)/(s - 1), p = tau/s, s = m/c: with
                 s_B = sum_B x, E (a'h_S)^2 = p [(1 - b) sum x^2 + b (sum x)^2 + (p - b)((sum s_B)^2 - sum s_B^2)].

Sources: Qu & Richtarik, Coordinate descent with arbitrary sampling II: expected separable overapproximation (2016);
Fercoq, Qu, Richtarik & Takac, Fast distributed coordinate descent (2014).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import matrices, samplings
from .problem import Problem
from .samplings import Blocks, Bucket, Distributed, Independent, Sampling, TauNice


def eso(X: Any, sampling: str | Sampling | np.ndarray, side: str = "dual") -> np.ndarray:
    """ESO parameters of a data matrix and a sampling, from one pass over the nonzeros.

    Parameters
    ----------
    X : (n, d) array, scipy sparse matrix or Problem
        Rows are examples.
    sampling : str, Sampling or array of probabilities
        A serial sampling gives squared norms; TauNice, Independent, Bucket and Distributed give what their blocks need.
    side : "dual" or "primal", default "dual"
        Whether coordinates are examples or features.

    Returns
    -------
    (n,) array v for the dual side, (d,) array u for the primal side.

    Raises
    ------
    ValueError
        For another side, a sampling that does not fit the number of coordinates, or invalid X.

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
    if side not in ("dual", "primal"):
        raise ValueError(f"side must be 'dual' (coordinates are examples) or 'primal' (features), not {side!r}")
    sampling = samplings.make(sampling)
    X = X.X if isinstance(X, Problem) else matrices.validated(X)
    norms2 = matrices.profile(X, "rows" if side == "dual" else "columns").norms2
    if not isinstance(sampling, Blocks):
        return norms2
    p = sampling.marginals(norms2.size)
    A = sp.coo_matrix(X)
    rows, columns = (A.col, A.row) if side == "dual" else (A.row, A.col)
    pattern = sp.csr_matrix((np.ones(A.nnz), (rows, columns)), shape=(X.shape[1 if side == "dual" else 0], p.size))
    own, factors = _factors(sampling, pattern, p)
    return own * norms2 + np.bincount(columns, weights=A.data**2 * factors[rows], minlength=p.size)


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

    Returns
    -------
    Bucket
        A sampling for the methods quartz (dual) and rcd (primal).

    Raises
    ------
    ValueError
        For l2 = 0, a loss that is not smooth, or what `eso` and `Bucket` refuse.

    References
    ----------
    Csiba & Richtarik, Importance sampling for minibatches (2018).
    """
    if problem.l2 == 0 or problem.loss.gamma == 0:
        raise ValueError("bucket_importance minimises a bound that needs l2 > 0 and a smooth loss")
    best, fewest, sampling = None, np.inf, Bucket(buckets)
    while True:
        c = problem.coordinates(side)
        s = c._replace(norms2=eso(problem, sampling, side)).smoothness
        iterations = float((s / sampling.inside).max())
        if iterations >= fewest * (1 - 1e-6):
            return best
        best, fewest, sampling = sampling, iterations, Bucket(buckets, s)


def _factors(sampling: Blocks, pattern: sp.csr_matrix, p: np.ndarray) -> tuple[np.ndarray | float, np.ndarray]:
    """The factors f_kj = own_j + row_k as (own, row). `pattern` (K, m) has a 1 at each nonzero of A."""
    m, w = p.size, np.diff(pattern.indptr)
    match sampling:
        case TauNice(tau=tau):
            return 0.0, 1 + (w - 1) * (tau - 1) / max(m - 1, 1)
        case Independent():
            return 1 - p, pattern @ p
        case Bucket():
            return 1.0, (1 - 1 / _met(pattern, sampling.of)) * (pattern @ p)
        case Distributed(tau=tau):
            s = sampling.size(m)
            met, b = _met(pattern, np.arange(m) // s), (tau - 1) / max(s - 1, 1)
            return 0.0, 1 + b * (w - 1) + (tau / s - b) * (1 - 1 / met) * w
    raise TypeError(f"no ESO is known for {sampling}; known: {', '.join(samplings.BLOCKS)}, and all serial samplings")


def _met(pattern: sp.csr_matrix, part: np.ndarray) -> np.ndarray:
    """How many parts each row's nonzeros meet; 1 for an empty row, where it does not matter."""
    member = sp.csr_matrix((np.ones(part.size), (np.arange(part.size), part)))
    return np.maximum(1, np.diff((pattern @ member).indptr))
