"""What an estimator is handed, looked at before scikit-learn converts it.

Its conversions of sparse matrices trust their indices, and end the process where these lie; of masked arrays they drop
the mask, and times become nanoseconds.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from ..numerics import checks, sparse_input


def sound(X: Any) -> Any:
    """X as scikit-learn may convert it: a sparse matrix in CSR, whose members agree; anything else as it is.

    Raises
    ------
    ValueError
        For inconsistent sparse matrices, masked entries and times.
    """
    if not sp.issparse(X):
        return numbers("X", X)
    if X.ndim != 2:
        raise ValueError(f"X must have two dimensions (examples, features); it has shape {X.shape}")
    return sparse_input.to_csr(X)


def numbers(what: str, x: Any) -> Any:
    """The value itself, unless it is an array, a list or a frame of masked entries or of times.

    Raises
    ------
    ValueError
    """
    if np.ma.isMaskedArray(x):
        checks.array(what, x)
    if any(_is_time(kind) for kind in _kinds(x)):
        raise ValueError(f"{what} must hold real numbers, and it holds dates or durations: make numbers of them")
    return x


def _kinds(x: Any) -> list[Any]:
    """The dtypes of a frame's columns or of an array; none where numpy sees no array in it, which is told later."""
    if hasattr(x, "dtypes") and hasattr(x, "columns"):
        return list(x.dtypes)
    if isinstance(x, list | tuple):
        try:
            return [np.asarray(x).dtype]
        except Exception:  # rows of several lengths, or whatever a foreign object raises
            return []
    return [getattr(x, "dtype", None)]


def _is_time(kind: Any) -> bool:
    temporal = getattr(kind, "is_temporal", None)  # polars
    return bool(temporal()) if callable(temporal) else getattr(kind, "kind", "") in ("m", "M")
