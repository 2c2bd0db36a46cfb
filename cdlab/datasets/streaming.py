"""Scan of a LIBSVM file: what the face-off needs of it, from one pass in bounded memory."""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ..numerics import checks
from ..numerics.profiles import Profile, line_profile
from .catalogue import DataSet, shipped
from .formats import format_of, unpacked_name
from .libsvm import FORM, MAX_INDEX, ZeroBased, batches, column_range, too_large
from .loading import check_zero_based, resolve
from .parts import check_n_features, check_width
from .scaling import check_scale, to_unit_rows
from .text_files import open_bytes

MAX_CLASSES = 1000  # More distinct labels are the targets of a regression.
INITIAL_COLUMNS = 1024


class Scanned(NamedTuple):
    """The progress of a scan. `total` is the size of a plain file in bytes, None for a compressed one."""

    examples: int
    nonzeros: int
    bytes: int  # of text, uncompressed
    total: int | None


class Scan(NamedTuple):
    """A data matrix in summary: sums over its rows, and the profile of its columns.

    Attributes
    ----------
    n, d, nnz : int
        Examples, features, nonzeros (explicit zeros do not count).
    n_nonempty : int
        Examples with a nonzero.
    F : float
        Squared Frobenius norm.
    C_D : float
        Sum over rows of nonzeros times squared norm (Csiba & Richtarik 2016, eq. 16).
    largest : float
        The largest squared norm of a row.
    columns : Profile
        Squared norms and nonzeros of the columns; ``columns.C`` is C_P.
    labels : tuple of float or None
        The distinct labels in increasing order; None if there are more than 1000.
    zero_based : bool
        Whether indices were taken to start at 0.
    """

    n: int
    d: int
    nnz: int
    n_nonempty: int
    F: float
    C_D: float
    largest: float
    columns: Profile
    labels: tuple[float, ...] | None
    zero_based: bool


def scan(
    name_or_path: str | os.PathLike[str],
    *,
    n_features: int | None = None,
    scale: str = "none",
    zero_based: ZeroBased = "auto",
    progress: Callable[[Scanned], None] | None = None,
) -> Scan:
    """Read a LIBSVM file once, in bounded memory, and keep what ``cdlab.faceoff`` needs to know of it.

    Takes 16 bytes a column and about 10 MB beside (more where a single line is longer than that); rows leave only sums.
    The columns' profile is that of the loaded matrix to the last bit; sums over rows agree up to rounding.

    Parameters
    ----------
    name_or_path : str or path
        As in `load`, but LIBSVM text only (plain, .gz, .bz2, .xz), and that file alone, without a test part beside it.
        Labels are checked for being numbers; which ones there are is kept.
    n_features : int, optional
        Number of columns d. Default: the known d of a named set, otherwise the largest index.
    scale : {"none", "unit", "mean"}
        As in `load`.
    zero_based : bool or "auto"
        As in `load`.
    progress : callable, optional
        Called with a `Scanned` after each batch of about 1 MB of text.

    Returns
    -------
    Scan

    Raises
    ------
    ValueError
        For malformed lines (named by file and line), entries that are not finite, squared norms beyond float64, an
        n_features that is too small, a file that is not LIBSVM text.
    OSError
        If there is no such file.

    Examples
    --------
    >>> import cdlab
    >>> summary = scan("mushrooms")
    >>> summary.n, summary.d, cdlab.faceoff(summary, loss="logistic", l2=1 / summary.n).T_D > summary.nnz
    (8124, 112, True)
    """
    check_scale(scale)
    checks.callable_or_none("progress", progress, "a Scanned")
    check_zero_based(zero_based)
    n_features = check_n_features(n_features)
    known, path, _ = resolve(name_or_path, wants_test=False)
    if format_of(path) != "libsvm":
        raise ValueError(f"{path} is not LIBSVM text, which is all that can be read in passing: load it instead")
    d = n_features or (known.d if known else None)
    columns, n, nnz, nonempty, F, C_D, largest, norms = _Columns(path, d), 0, 0, 0, 0.0, 0.0, 0.0, 0.0
    labels: np.ndarray = np.empty(0)
    for X, y, at in _batches(path):
        if labels.size <= MAX_CLASSES:
            labels = np.union1d(labels, y)
        if scale == "unit":
            to_unit_rows(X)
        columns.add(X)
        X.eliminate_zeros()
        try:
            rows = line_profile(X, "rows")
        except ValueError as error:  # squared norms overflow
            raise ValueError(f"{path}: {error}") from None
        n, nnz, nonempty = n + X.shape[0], nnz + X.nnz, nonempty + int(np.count_nonzero(rows.counts))
        F, C_D = F + float(rows.norms2.sum()), C_D + rows.C
        largest = max(largest, float(rows.norms2.max()))
        norms += float(np.sqrt(rows.norms2).sum())
        if progress is not None:
            progress(at._replace(examples=n, nonzeros=nnz))
    if n == 0:
        raise ValueError(f"{path} holds no examples: {FORM}")
    found, start = columns.profile(False if known is not None and known.name in shipped() else zero_based)
    if not math.isfinite(F * max(n, found.counts.size)):
        raise ValueError(f"{path}: squared norms of its rows add up to more than float64 holds; divide X by 1e150")
    classes = _classes(labels, known)
    summary = Scan(n, found.counts.size, nnz, nonempty, F, C_D, largest, found, classes, start == 0)
    return _shrunk(summary, norms / n) if scale == "mean" and norms > 0 else summary


def _classes(labels: np.ndarray, known: DataSet | None) -> tuple[float, ...] | None:
    if labels.size > MAX_CLASSES:
        return None
    if known and known.positive:
        labels = np.unique(np.where(np.isin(labels, known.positive), 1.0, -1.0))
    return tuple(labels.tolist())


def _batches(path: Path) -> Iterator[tuple[sp.csr_matrix, np.ndarray, Scanned]]:
    """The file's examples, about 1 MB of text at a time, with column numbers as written."""
    plain = path.is_file() and unpacked_name(path)[1] == ""
    total = path.stat().st_size if plain else None
    with open_bytes(path) as stream:
        for X, y, size in batches(path, stream):
            yield X, y, Scanned(0, 0, size, total)


class _Columns:
    """Squared norms and nonzeros of columns, by the numbers that the file gives them."""

    def __init__(self, path: Path, d: int | None) -> None:
        self._path, self._d = path, d  # None: as many columns as there are
        self._norms2, self._counts = np.zeros(INITIAL_COLUMNS), np.zeros(INITIAL_COLUMNS, np.int64)
        self._first, self._last = MAX_INDEX, -1  # explicit zeros count, too

    def add(self, X: sp.csr_matrix) -> None:
        """Add entries one by one, in their order: the sums are then those over the whole matrix to the last bit."""
        if X.indices.size == 0:
            return
        self._first, self._last = min(self._first, int(X.indices.min())), max(self._last, int(X.indices.max()))
        if self._last >= self._counts.size:
            self._check_last()
            more = self._last + 1 + self._last // 4 - self._counts.size
            self._norms2, self._counts = np.pad(self._norms2, (0, more)), np.pad(self._counts, (0, more))
        with np.errstate(over="ignore"):  # `scan` looks at the sum
            np.add.at(self._norms2, X.indices, X.data**2)
        np.add.at(self._counts, X.indices, (X.data != 0).astype(np.int64))

    def _check_last(self) -> None:
        """Refuse an index that is too large before its column takes memory; whether indices start at 0 is not known."""
        if self._d is None:
            check_width(self._path, self._last)
        elif self._last > self._d:
            raise ValueError(f"{self._path}: index {self._last} needs n_features >= {self._last}, not {self._d}")

    def profile(self, zero_based: ZeroBased) -> tuple[Profile, int]:
        """The profile of all columns, and the index of the first."""
        first, last = self._first, self._last
        start, d = column_range(self._path, first, last, self._d, zero_based)
        width = max(0, last + 1 - start)
        if width > d:
            raise ValueError(f"{self._path}: {too_large(last, start, d)}")
        columns = slice(start, start + width)
        return Profile(*(np.pad(a[columns], (0, d - width)) for a in (self._norms2, self._counts))), start


def _shrunk(found: Scan, mean: float) -> Scan:
    """The result that a scan of X/mean would have. It divides twice: mean^2 could underflow."""
    columns = found.columns._replace(norms2=found.columns.norms2 / mean / mean)
    F, C_D, largest = (x / mean / mean for x in (found.F, found.C_D, found.largest))
    return found._replace(F=F, C_D=C_D, largest=largest, columns=columns)
