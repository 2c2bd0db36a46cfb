"""Shards: the files of one data set, each of which fits into memory."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..datasets.catalogue import expand_home
from ..datasets.csv_text import LABEL_NAMES
from ..datasets.formats import format_of
from ..datasets.libsvm import MAX_INDEX, ZeroBased, batches, column_range, too_large
from ..datasets.loading import load
from ..datasets.npz import read_npz, write_npz
from ..datasets.parts import TRAIN, check_n_features, stored_as, widened
from ..datasets.scaling import divide_rows, to_unit_rows
from ..datasets.text_files import open_bytes
from ..numerics import checks
from ..numerics.files import atomic_write
from ..numerics.profiles import validated_matrix
from ..problems.labels import validated_labels
from ..problems.weights import as_given

PARQUET = (".parquet", ".pq")


class Reading(NamedTuple):
    """How shards become X: the number of their columns (None: their own), and how rows are scaled."""

    d: int | None = None
    scale: str = "none"
    mean: float = 1.0  # the mean norm of all rows, for "mean"


WHOLE = Reading()


class Examples(NamedTuple):
    """Some rows: X (n, d), labels (n,), and what each counts in the mean loss, (n,); None: 1."""

    X: Any
    y: Any
    weights: Any = None


@dataclass(frozen=True)
class Shard:
    """Some rows of a data set: a file, a row group of a Parquet file, or what is in memory."""

    name: str  # how messages call it
    path: Path | None = None
    group: int | None = None
    held: Examples | None = field(default=None, repr=False)

    def read(self, reading: Reading = WHOLE) -> Examples:
        """The rows, never to be written to, with labels as given.

        Raises
        ------
        ValueError, OSError
            If it is empty, damaged or not a matrix of finite numbers with labels; the sentence names the shard.
        """
        with self.named():
            X, y, weights = self._read()
            X = widened(self.name, validated_matrix(X), reading.d)
            weights = np.ones(X.shape[0]) if weights is None else as_given(weights, X.shape[0])
            if reading.scale != "none":
                X = X.copy()
                if reading.scale == "unit":
                    to_unit_rows(X)
                else:
                    divide_rows(X, np.full(X.shape[0], reading.mean))
            return Examples(X, validated_labels(y, X.shape[0]), weights)

    @contextmanager
    def named(self) -> Iterator[None]:
        """A block whose refusals name the shard."""
        try:
            yield
        except (ValueError, TypeError) as error:
            known = str(error)
            raise ValueError(known if self.name in known else f"{self.name}: {known}") from None

    def _read(self) -> Examples:
        if self.held is not None:
            return self.held
        assert self.path is not None, "a shard is a file or in memory"
        if self.group is not None:
            return _read_row_group(self.path, self.group)
        X, y, _, weights, _ = read_npz(self.path, {TRAIN})[0]
        return Examples(X, y, weights)


def shards_of(data: Any) -> list[Shard]:
    """The shards of a folder, a pattern such as data/*.npz, a file, or a list of (X, y) or (X, y, weights), in order.

    Raises
    ------
    ValueError, TypeError, OSError
        If there are none, or a file is neither NPZ nor Parquet.
    """
    if isinstance(data, str | os.PathLike):
        return [shard for path in files_of(data) for shard in _shards_of_file(path)]
    if not (isinstance(data, list | tuple) and data and all(isinstance(each, list | tuple) for each in data)):
        raise TypeError(f"data must be a folder, a pattern or a list of pairs (X, y), not {checks.short_repr(data)}")
    for k, each in enumerate(data):
        if len(each) not in (2, 3):
            raise TypeError(f"shard {k} must be (X, y) or (X, y, weights), and has {len(each)} entries")
    return [Shard(f"shard {k}", held=Examples(*each)) for k, each in enumerate(data)]


def files_of(data: str | os.PathLike[str]) -> list[Path]:
    """The files of a folder, those that fit a pattern, or the one of this name, sorted; hidden ones do not count.

    Raises
    ------
    FileNotFoundError
        If there are none.
    """
    path = expand_home(data)
    if path.is_file():
        return [path]
    anchor = Path(path.anchor)
    found: Iterable[Path] = path.iterdir() if path.is_dir() else anchor.glob(str(path.relative_to(anchor)))
    files = sorted(file for file in found if file.is_file() and not file.name.startswith("."))
    if not files:
        raise FileNotFoundError(f"{path} holds no files" if path.is_dir() else f"there are no files {path}")
    return files


def _shards_of_file(path: Path) -> list[Shard]:
    if path.suffix.lower() in PARQUET:
        groups = _parquet_file(path).num_row_groups
        if groups == 0:
            raise ValueError(f"{path} holds no examples")
        return [Shard(f"{path}, row group {k}", path, k) for k in range(groups)]
    if format_of(path) != "npz":
        raise ValueError(
            f"{path} is text, which is slow to read again and again: convert it once by cdlab.distributed.convert"
        )
    return [Shard(str(path), path)]


def _parquet_file(path: Path) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet as parquet
    except ImportError:
        raise ImportError(f"{path} is read by pyarrow: pip install pyarrow") from None
    try:
        return parquet.ParquetFile(path)
    except pyarrow.ArrowException as error:
        raise ValueError(f"{path} is not a Parquet file, or is damaged ({checks.error_message(error)})") from None


def _read_row_group(path: Path, group: int) -> Examples:
    """The rows of a row group, whose label is the column y, label, target or class."""
    try:
        frame = _parquet_file(path).read_row_group(group).to_pandas()
    except OSError as error:
        raise ValueError(f"{path}, row group {group}, is damaged ({checks.error_message(error)})") from None
    names = {name.lower(): name for name in reversed(list(frame))}
    label = next((names[name] for name in LABEL_NAMES if name in names), None)
    if label is None:
        raise ValueError(f"{path} has no column {checks.join_with_or(LABEL_NAMES)}, in which the labels belong")
    y = frame.pop(label)
    return Examples(frame, y)


def joined(examples: Sequence[Examples]) -> Examples:
    """Several shards as one, stored as the first one is."""
    if len(examples) == 1:
        return examples[0]
    matrices, y, weights = zip(*examples, strict=True)
    is_dense = isinstance(matrices[0], np.ndarray)
    alike = [stored_as(X, is_dense) for X in matrices]
    X = np.vstack(alike) if is_dense else sp.csr_matrix(sp.vstack(alike, format="csr"))
    return Examples(X, np.concatenate(y), np.concatenate(weights))


# ------------------------------------------------------------ text, read once
def convert(
    data: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    *,
    rows: int = 100_000,
    n_features: int | None = None,
    zero_based: ZeroBased = "auto",
    label: str | int | None = None,
) -> list[Path]:
    """Write LIBSVM or CSV files as NPZ shards, since text takes longer to read than an epoch on it.

    LIBSVM text is read twice, some lines at a time; a CSV file has to fit into memory.

    Parameters
    ----------
    data : folder, pattern or file
        Files of one of the two kinds, in the order of their names.
    folder : path
        A new folder, or an empty one.
    rows : int, default 100,000
        Examples of a shard, about.
    n_features, zero_based, label
        As of ``cdlab.datasets.load``, of all files: what "auto" finds, and the number of columns, are of all of them.

    Returns
    -------
    list of Path
        The shards, in their order.
    """
    files, folder, rows = files_of(data), Path(folder), checks.integer("rows", rows, "a whole number of examples >= 1")
    if len(kinds := {format_of(file) for file in files}) > 1 or "npz" in kinds:
        raise ValueError(f"{data} holds {' and '.join(sorted(kinds))} files: convert takes LIBSVM text, or CSV")
    if folder.exists() and any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty: name a new folder")
    folder.mkdir(parents=True, exist_ok=True)
    pieces: Iterator[Examples]
    if kinds == {"table"}:
        tables = (load(file, n_features=n_features, label=label) for file in files)
        cuts = ((X[k : k + rows], y[k : k + rows]) for X, y in tables for k in range(0, y.size, rows))
        pieces = (Examples(X, y, np.ones(y.size)) for X, y in cuts)
    else:
        pieces = _libsvm_pieces(files, check_n_features(n_features), zero_based)
    written: list[Path] = []
    kept: list[Examples] = []
    for piece in pieces:
        kept.append(piece)
        if sum(each.y.size for each in kept) >= rows:
            written.append(_write(folder / f"{len(written):06}.npz", joined(kept)))
            kept = []
    return [*written, _write(folder / f"{len(written):06}.npz", joined(kept))] if kept else written


def _libsvm_pieces(files: list[Path], d: int | None, zero_based: ZeroBased) -> Iterator[Examples]:
    """Some examples at a time, with the columns of all files."""
    first, last = MAX_INDEX, -1
    for X, _ in _libsvm_batches(files):
        first, last = min(first, int(X.indices.min(initial=first))), max(last, int(X.indices.max(initial=last)))
    start, d = column_range(files[0], first, last, d, zero_based)
    if last >= start + d:
        raise ValueError(f"{files[0].parent}: {too_large(last, start, d)}")
    for X, y in _libsvm_batches(files):
        indices = (X.indices - start).astype(np.int32)
        yield Examples(sp.csr_matrix((X.data, indices, X.indptr), shape=(y.size, d)), y, np.ones(y.size))


def _libsvm_batches(files: list[Path]) -> Iterator[tuple[sp.csr_matrix, np.ndarray]]:
    for file in files:
        with open_bytes(file) as stream:
            yield from ((X, y) for X, y, _ in batches(file, stream))


def _write(path: Path, examples: Examples) -> Path:
    with atomic_write(path) as file:
        write_npz(file, examples.X, examples.y)
    return path
