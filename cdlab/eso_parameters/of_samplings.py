"""ESO parameters, by formula or from the pair probabilities."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import samplings
from ..numerics import profiles
from ..problems.problem import Problem
from ..samplings import Blocks, Bucket, Distributed, Independent, Sampling, TauNice
from .pairs import check_side, checked, exact_factors, pair_probabilities

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
    if method not in METHODS:
        raise ValueError(f"method must be {' or '.join(map(repr, METHODS))}, not {method!r}")
    check_side(side)
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
        if method == "exact":
            Pr = pair_probabilities(blocks, norms2.size)
    A = sp.coo_matrix(X)
    rows, columns = (A.col, A.row) if side == "dual" else (A.row, A.col)
    pattern = sp.csr_matrix((np.ones(A.nnz), (rows, columns)), shape=(X.shape[1 if side == "dual" else 0], norms2.size))
    own: np.ndarray | float = 0.0
    if Pr is None:
        own, factors = _factors(blocks, pattern, blocks.marginals(norms2.size))
    else:
        factors = exact_factors(pattern, checked(Pr, norms2.size))
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
