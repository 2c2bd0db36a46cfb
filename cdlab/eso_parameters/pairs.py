"""Pr, the probabilities that two coordinates are drawn together, and the eigenvalues that make them ESO parameters."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import samplings
from ..numerics import checks, profiles
from ..problems.problem import Problem
from ..samplings import Blocks, Bucket, Distributed, Independent, TauNice

MAX_COORDINATES = 2000  # Pr is a dense matrix, and each different row of A costs an eigenvalue


def pair_probabilities(sampling: Blocks, m: int) -> np.ndarray:
    """The probabilities that two coordinates are drawn together.

    Parameters
    ----------
    sampling : TauNice, Independent, Bucket or Distributed
        An instance.
    m : int
        Coordinates, at most 2000.

    Returns
    -------
    Pr : (m, m) array
        Pr[j, l] = Prob(j and l in S), with the marginals p on the diagonal.

    Raises
    ------
    ValueError
        For more than 2000 coordinates, or a sampling that does not fit m of them.
    TypeError
        For another sampling.
    """
    if m > MAX_COORDINATES:
        raise ValueError(
            f"pair probabilities of {m} coordinates are a dense {m} x {m} matrix; at most {MAX_COORDINATES}"
        )
    p = sampling.marginals(m)
    match sampling:
        case TauNice(tau=tau):
            Pr = np.full((m, m), tau / m * (tau - 1) / max(m - 1, 1))
        case Independent():
            Pr = np.outer(p, p)
        case Bucket(of=of):
            Pr = np.outer(p, p) * (of[:, None] != of)
        case Distributed(tau=tau):
            s = sampling.size(m)
            part = np.arange(m) // s
            Pr = np.where(part[:, None] == part, tau / s * (tau - 1) / max(s - 1, 1), (tau / s) ** 2)
        case _:
            raise TypeError(f"no pair probabilities are known for {sampling}; known: {', '.join(samplings.BLOCKS)}")
    np.fill_diagonal(Pr, p)
    return Pr


def tightness(X: Any, sampling: Blocks | np.ndarray, v: np.ndarray, side: str = "dual") -> float:
    """lambda_max of Diag(p o v)^-1/2 (Pr o (A'A)) Diag(p o v)^-1/2: v are ESO parameters if it is at most 1.

    At 1 they cannot all be made smaller by one factor; at 1/2, half of them would do.

    Parameters
    ----------
    X : (n, d) array, scipy sparse matrix or Problem
        Rows are examples.
    sampling : Blocks or (m, m) array
        Draws blocks of m <= 2000 coordinates, or is their Pr.
    v : (m,) array
        ESO parameters, >= 0.
    side : "dual" or "primal", default "dual"
        Whether coordinates are examples (A = X') or features (A = X).

    Returns
    -------
    float
        0 where X = 0, inf where v_j = 0 and column j of A is not empty.

    Raises
    ------
    ValueError
        For another side, if `v` is not one number >= 0 for each coordinate, or `sampling` does not fit them.
    """
    check_side(side)
    X = X.X if isinstance(X, Problem) else profiles.validated_matrix(X)
    A, v = (X.T if side == "dual" else X), np.asarray(v, dtype=np.float64)
    m = A.shape[1]
    if v.shape != (m,) or not (np.isfinite(v) & (v >= 0)).all():
        raise ValueError(f"ESO parameters of {m} coordinates are {m} finite numbers >= 0")
    Pr = check_pairs(sampling, m) if isinstance(sampling, np.ndarray) else pair_probabilities(sampling, m)
    gram = A.T @ A
    gram = gram.toarray() if sp.issparse(gram) else gram
    nonempty = np.diag(gram) > 0  # an empty column of A has no part in A'A
    if not nonempty.any():
        return 0.0
    if (v[nonempty] == 0).any():
        return float("inf")
    scale = np.sqrt(np.diag(Pr) * v)[nonempty]
    return _largest_eigenvalue((Pr * gram)[np.ix_(nonempty, nonempty)] / np.outer(scale, scale))


def exact_factors(pattern: sp.csr_matrix, Pr: np.ndarray) -> np.ndarray:
    """lambda_max(D^-1/2 Pr[J_k, J_k] D^-1/2) for each row k of the pattern; equal rows share theirs."""
    scale = np.sqrt(np.diag(Pr))
    scaled, known = Pr / np.outer(scale, scale), {}
    factors = np.ones(pattern.shape[0])
    for k in np.flatnonzero(np.diff(pattern.indptr) > 1):
        J = np.sort(pattern.indices[pattern.indptr[k] : pattern.indptr[k + 1]])
        key = J.tobytes()
        if key not in known:
            known[key] = _largest_eigenvalue(scaled[np.ix_(J, J)])
        factors[k] = known[key]
    return factors


def _largest_eigenvalue(M: np.ndarray) -> float:
    from scipy.linalg import eigvalsh

    return float(eigvalsh(M, subset_by_index=[len(M) - 1, len(M) - 1])[0])


def check_side(side: str) -> None:
    """Refuse what is neither "dual" nor "primal", with a ValueError."""
    if not checks.is_one_of(side, ("dual", "primal")):
        raise ValueError(
            f"side must be 'dual' (coordinates are examples) or 'primal' (features), not {checks.short_repr(side)}"
        )


def check_pairs(Pr: np.ndarray, m: int) -> np.ndarray:
    """Refuse what cannot be the pair probabilities of m coordinates."""
    if Pr.dtype.kind not in "biuf":
        raise ValueError(f"pair probabilities must be real numbers; their dtype is {Pr.dtype}")
    if Pr.shape != (m, m):
        raise ValueError(f"pair probabilities of {m} coordinates are a {m} x {m} array; this has shape {Pr.shape}")
    p = np.diag(Pr)
    if not (np.allclose(Pr, Pr.T, rtol=0, atol=1e-12) and (Pr >= 0).all() and (p > 0).all()):
        raise ValueError("pair probabilities must be a symmetric array, not negative, and positive on the diagonal")
    if (Pr > np.minimum(p, p[:, None]) + 1e-12).any() or p.max() > 1 + 1e-12:
        raise ValueError("Prob(j and l in S) must be at most Prob(j in S) and Prob(l in S), and these at most 1")
    return Pr
