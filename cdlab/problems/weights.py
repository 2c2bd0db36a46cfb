"""Sample weights: what each example counts in the mean loss; and offsets, which are added to predictions."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..numerics import checks


def as_given(weights: Any, n: int) -> np.ndarray:
    """The n sample weights.

    Raises
    ------
    ValueError
        For another number of weights, or weights that are not finite numbers >= 0.
    """
    s = checks.real_array("sample_weight", weights)
    if s.shape != (n,):
        raise ValueError(f"sample_weight must have shape ({n},), one weight for each row of X; it has {s.shape}")
    bad = np.flatnonzero(~(np.isfinite(s) & (s >= 0)))
    if bad.size:
        first = f"that of example {bad[0]} (of {bad.size} such) is {s[bad[0]]:g}"
        raise ValueError(f"sample_weight must hold finite numbers >= 0; {first}")
    return s


def checked(weights: Any, n: int) -> np.ndarray | None:
    """The n sample weights divided by their mean; None where all are alike.

    Raises
    ------
    ValueError
        As `as_given`; if none is positive.
    """
    if weights is None:
        return None
    s = as_given(weights, n)
    if not s.any():
        raise ValueError("all sample weights are zero: give at least one example a positive weight")
    if (s == s[0]).all():
        return None
    s = s / s.max()  # or else their sum might overflow
    return s / s.mean()


def checked_offset(offset: Any, n: int) -> np.ndarray | None:
    """The n offsets as float64, of one number n times; None where all are 0.

    Raises
    ------
    ValueError
        For another number of offsets, or one that is not finite.
    """
    if offset is None:
        return None
    o = checks.real_array("offset", np.full(n, offset) if np.ndim(offset) == 0 else offset).astype(np.float64)
    if o.shape != (n,):
        raise ValueError(f"offset must have shape ({n},), one number for each row of X; it has {o.shape}")
    bad = np.flatnonzero(~np.isfinite(o))
    if bad.size:
        first = f"that of example {bad[0]} (of {bad.size} such) is {o[bad[0]]:g}"
        raise ValueError(f"offset must hold finite numbers; {first}")
    return o if o.any() else None


def with_offset(z: np.ndarray, offset: Any, is_needed: bool) -> np.ndarray:
    """Decision values (n,) or (n, K) and offsets (n,), or one number for all.

    Raises
    ------
    ValueError
        As `checked_offset`; if there are none, and training had some.
    """
    if offset is None and is_needed:
        raise ValueError(
            "training had an offset: pass that of these examples, too, or pass offset=0 for the baseline, which is "
            "what x'w and the intercept predict"
        )
    o = checked_offset(offset, len(z))
    return z if o is None else z + o.reshape(-1, *[1] * (z.ndim - 1)).astype(z.dtype)


def relative(s: np.ndarray) -> np.ndarray:
    """s_i/max s, (n,)."""
    return s / s.max()


def rooted(X: np.ndarray | sp.csr_matrix, s: np.ndarray | None) -> np.ndarray | sp.csr_matrix:
    """The rows sqrt(s_i/max s) x_i; X itself where there are no weights."""
    if s is None:
        return X
    roots = np.sqrt(relative(s))
    return roots[:, None] * X if isinstance(X, np.ndarray) else sp.diags_array(roots) @ X


def sums_of_squares(X: np.ndarray | sp.csr_matrix, s: np.ndarray) -> np.ndarray:
    """sum_i s_i X_ij^2, (d,)."""
    return np.einsum("i,ij,ij->j", s, X, X) if isinstance(X, np.ndarray) else X.power(2).T @ s
