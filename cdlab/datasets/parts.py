"""A data set in parts: rows with their roles, checked, widened and stacked."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import scipy.sparse as sp

from ..numerics import checks
from ..numerics.sparse_input import INT32_MAX

Matrix: TypeAlias = np.ndarray | sp.csr_matrix
Examples: TypeAlias = tuple[Matrix, np.ndarray]

NEITHER, TRAIN, TEST = 0, 1, 2  # Roles of a row: the part that it belongs to.
MAX_SPARSE_DENSITY = 0.5  # Share of nonzeros above which LIBSVM text becomes an array.
MAX_COLUMNS_BY_INDEX = 2**27  # that a file may ask for by its largest index alone: a vector of weights then takes 1 GB


class _Pair(NamedTuple):
    X: Matrix
    y: np.ndarray


class Loaded(_Pair):
    """The pair (X, y), with what was taken where the file does not say it.

    Attributes
    ----------
    zero_based : bool or "auto"
        Whether the indices of LIBSVM text were taken to start at 0; else what was asked for.
    taken : tuple of str
        What was guessed, a sentence each.
    offset : (n,) array, or None
        What is added to predictions, where it was asked for.
    """

    zero_based: bool | Literal["auto"] = "auto"
    taken: tuple[str, ...] = ()
    offset: np.ndarray | None = None


class Part(NamedTuple):
    """Some rows of a data set and their roles."""

    X: Matrix
    y: np.ndarray
    role: np.ndarray
    weights: np.ndarray | None = None  # what examples count in the mean loss, of which `load` knows nothing
    offset: np.ndarray | None = None  # what is added to predictions

    def only(self, keep: np.ndarray) -> Part:
        """The rows for which `keep` is true."""
        return Part._make(None if each is None else each[keep] for each in self)


# ---------------------------------------------------------------- columns
def check_n_features(n_features: Any) -> int | None:
    """The number of features that was asked for, as an int; None stays None."""
    wanted = "a positive whole number up to 2^31 - 1"
    if n_features is None:
        return None
    if checks.integer("n_features", n_features, wanted) > INT32_MAX:
        raise ValueError(f"n_features must be {wanted}, not {n_features}")
    return int(n_features)


def check_width(path: Path, d: int) -> None:
    """Refuse a number of columns that nobody asked for: one wrong index could take all memory."""
    if d > MAX_COLUMNS_BY_INDEX:
        raise ValueError(
            f"{path} has an index {d}: so many columns would take {8 * d / 1e9:.3g} GB for each vector of weights; "
            f"if the index is right, say so with n_features={d}, else correct it"
        )


def widened(source: str | Path, X: Matrix, d: int | None) -> Matrix:
    """X with zero columns added up to d."""
    n, columns = X.shape
    if d is None or d == columns:
        return X
    if d < columns:
        raise ValueError(f"{source} has {columns} features, so n_features must be at least {columns}, not {d}")
    if isinstance(X, np.ndarray):
        return np.pad(X, ((0, 0), (0, d - columns)))
    return sp.csr_matrix((X.data, X.indices, X.indptr), shape=(n, d))


# ---------------------------------------------------------------- entries
def check_finite(path: Path, X: Matrix, y: np.ndarray, first: int = 1, column: str = "feature", base: int = 1) -> None:
    """Refuse nan and inf here: further on, nobody would know where they came from.

    The examples are those of a file from number `first` on; the file calls a column `column`, and counts from `base`.
    """
    values = X if isinstance(X, np.ndarray) else X.data
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        where = np.argwhere(~np.isfinite(values))[0]
        value = values[tuple(where)]
        if not isinstance(X, np.ndarray):
            where = np.array([np.searchsorted(X.indptr, where[0], side="right") - 1, X.indices[where[0]]])
        raise ValueError(
            f"{path}, example {first + where[0]}, {column} {base + where[1]} is {value}; every entry must be a finite "
            "number"
        )
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        i = int(np.flatnonzero(~np.isfinite(y))[0])
        raise ValueError(f"{path}: the label of example {first + i} is {y[i]}; it must be a finite number")


# ---------------------------------------------------------------- rows
def select_rows(part: Part, roles: set[int]) -> Part:
    """The rows of a part that have one of these roles."""
    keep = np.isin(part.role, list(roles))
    return part if keep.all() else part.only(keep)


def stack(parts: list[Part]) -> tuple[Matrix, np.ndarray, np.ndarray | None]:
    """X, y and offsets of all parts, one below the other."""
    parts = [part for part in parts if part.y.size]
    if len(parts) == 1:
        return parts[0].X, parts[0].y, parts[0].offset
    widths = {part.X.shape[1] for part in parts}
    if len(widths) > 1:
        raise ValueError(
            f"the train and test parts have {' and '.join(map(str, sorted(widths)))} features: not one set"
        )
    if len({part.y.dtype.kind for part in parts}) > 1:
        raise ValueError("the labels of the train and test parts are numbers here and words there: not one set")
    matrices = [part.X for part in parts]
    X = np.vstack(matrices) if isinstance(matrices[0], np.ndarray) else sp.vstack(matrices, format="csr")
    offsets = [part.offset for part in parts if part.offset is not None]
    return X, np.concatenate([part.y for part in parts]), np.concatenate(offsets) if offsets else None


# ---------------------------------------------------------------- array or sparse matrix
def is_mostly_nonzero(n: int, d: int, nonzeros: int) -> bool:
    """Tell whether an n x d matrix has so few zeros that an array holds it better."""
    return nonzeros > MAX_SPARSE_DENSITY * n * d


def stored_as(X: Matrix, dense: bool) -> Matrix:
    """X as an array, or as a sparse matrix."""
    if isinstance(X, np.ndarray):
        return X if dense else sp.csr_matrix(X)
    return X.toarray(order="C") if dense else X
