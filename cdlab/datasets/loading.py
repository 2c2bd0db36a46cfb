"""load: a data set by name or by path."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..numerics import checks
from . import csv_text
from .catalogue import CATALOGUE, DataSet, describe
from .csv_text import LabelColumn, read_csv
from .fetching import fetch
from .libsvm import read_libsvm, settle_columns
from .npz import read_npz
from .parts import (
    TEST,
    TRAIN,
    Part,
    check_finite,
    check_width,
    divide_by_mean_norm,
    is_full,
    rows_of,
    stacked,
    stored,
    whole_width,
    widened,
)
from .places import COMPRESSED, SUFFIXES, at_home, data_folder, find, locate
from .scaling import check_scale, to_unit_rows
from .streams import check_readable

_SPLITS = {"train": {TRAIN}, "test": {TEST}, "all": {0, TRAIN, TEST}}


def load(
    name_or_path: str | os.PathLike[str],
    *,
    split: str = "train",
    n_features: int | None = None,
    scale: str = "none",
    dense: bool | None = None,
    label: str | int | None = None,
) -> tuple[np.ndarray | sp.csr_matrix, np.ndarray]:
    """Load a data set by name or from a file.

    Parameters
    ----------
    name_or_path : str or path
        A known name (`names()` lists them) is looked for in the folder that the environment variable CDLAB_DATA names,
        among the bundled sets, in the cache of downloads, and is downloaded if it is published unchanged at a public
        address. Other names are files of the CDLAB_DATA folder without their suffix. Anything that is a file, has a
        path separator or a known suffix is a path ("./a9a" is the file, "a9a" the known set). Formats, by suffix:

        - ``.csv``, ``.tsv``: numbers separated by commas, semicolons, tabs or spaces, whichever the first lines use,
          with or without a header; labels may be words.
        - ``.npz``: ``X`` and ``y``; or ``data``, ``indices``, ``indptr``, ``shape`` (CSR) and ``y``; either with an
          optional ``is_test`` or ``lewis_split`` (1 train, 2 test, 0 neither); or ``x_train``, ``y_train`` and
          optionally ``x_test``, ``y_test``. Pickled objects are refused.
        - anything else: LIBSVM text. A set with an index 0 anywhere is taken as zero-based, otherwise indices start
          at 1. Indices must rise within a line; a ``qid:`` is skipped, ``#`` starts a comment.

        CSV, TSV and LIBSVM text may be compressed (.gz, .bz2, .xz). A pipe ("/dev/stdin") gives LIBSVM text.
    split : {"train", "test", "all"}
        Which part. The test part is the file NAME.t beside NAME (NAME.t.csv beside NAME.csv), or what the keys of an
        NPZ file say; the train part is the rest. Where nothing says so, all rows are the train part.
    n_features : int, optional
        Number of columns d; more than the file has adds zero columns. Default: the known d of a named set, otherwise
        the largest index (over both parts); one above 2^27 needs n_features, for it may be a mistake that takes all
        memory.
    scale : {"none", "unit", "mean"}
        "unit" divides each nonzero row by its Euclidean norm; "mean" divides X by the mean row norm of the train part.
        Nothing is centred.
    dense : bool, optional
        Store X as an array (True) or as a sparse matrix (False). Default: CSV and NPZ as they are, and LIBSVM text as
        an array where more than half of its entries are not 0, for which an array is faster.
    label : str or int, optional
        The column of a CSV or TSV file that is the label: its name in the header, or its position, from 0 as in pandas
        and scikit-learn (-1: the last). A string that is no name but a whole number is a position, too. Default: the
        column called y, label, target or class; without such a column or a header, the last one. `label_column` says
        which one it is.

    Returns
    -------
    X : csr_matrix (int32 indices) or row-major ndarray (n, d), float64
    y : ndarray (n,), float64 (str, if they are words), the labels as in the file; +-1 for covtype.binary, mnist.binary

    Raises
    ------
    ValueError
        Unknown name, malformed or damaged file, a split that does not exist, data that are not finite.
    OSError
        No such file, a known set that is only available through CDLAB_DATA, a failed download.

    Examples
    --------
    >>> X, y = load("mushrooms", scale="unit")
    >>> X.shape, float(round(X[0].power(2).sum(), 12))
    ((8124, 112), 1.0)
    """
    if not checks.is_one_of(split, _SPLITS):
        raise ValueError(f"split must be train, test or all, not {checks.short_repr(split)}")
    check_scale(scale)
    check_label(label)
    n_features, dense = whole_width(n_features), None if dense is None else checks.flag("dense", dense)
    known, path, test_path = _resolve(name_or_path, wants_test=split != "train")
    roles = _SPLITS[split] | ({TRAIN} if scale == "mean" else set())
    parts = _read(known, path, test_path, roles, n_features, label)
    if n_features is None and known is None:
        check_width(path, max((part.X.shape[1] for part in parts), default=0))
    held = {int(role) for part in parts for role in np.unique(part.role)}
    if split == "test" and TEST not in held:
        raise ValueError(f"{name_or_path} has no test part; the split 'train' gives all its rows")
    if TRAIN in roles - held:
        raise ValueError(f"{name_or_path} has no train part; the split 'test' gives its rows")
    if scale == "mean":
        divide_by_mean_norm(parts)
    X, y = stacked([rows_of(part, _SPLITS[split]) for part in parts])
    if scale == "unit":
        to_unit_rows(X)
    if known and known.positive:
        y = np.where(np.isin(y, known.positive), 1.0, -1.0)
    return stored(X, _worth_an_array(path, X) if dense is None else dense), y


def _worth_an_array(path: Path, X: np.ndarray | sp.csr_matrix) -> bool:
    """Whether X should be an array: what its file says, but LIBSVM text can only be sparse."""
    is_text = path.suffix != ".npz" and not is_table(path)
    return isinstance(X, np.ndarray) or (is_text and is_full(X.shape[0], X.shape[1], int(np.count_nonzero(X.data))))


def _resolve(source: str | os.PathLike[str], wants_test: bool) -> tuple[DataSet | None, Path, Path | None]:
    """The known set (if it is one), its file and the file of its test part (if there is one)."""
    if not isinstance(source, str | os.PathLike) or not os.fspath(source):
        raise TypeError(f"a data set is named by a string or a path, not {checks.short_repr(source)}")
    if isinstance(source, str) and source in CATALOGUE:
        known = CATALOGUE[source]
        path = _named_file(known)
        test_path = find(path.parent, known.stem + ".t")
        if test_path is None and wants_test and known.name + ".t" in CATALOGUE:
            test_path = _named_file(CATALOGUE[known.name + ".t"])
        return known, path, test_path
    path = at_home(source)
    if isinstance(source, str) and os.sep not in source and "/" not in source and not path.is_file():
        if own := find(data_folder(), source):
            path = own
        elif path.suffix not in {".t", *COMPRESSED, *SUFFIXES} - {""}:
            describe(source)  # raises: unknown name, with close matches
        elif (stem := source.split(".")[0]) in CATALOGUE:
            raise FileNotFoundError(f"there is no file {source} here; the known data set is called {stem!r}")
    check_readable(path)
    name, packed = _unpacked_name(path)
    table = next((suffix for suffix in csv_text.SUFFIXES if name.endswith(suffix)), "")
    test_name = f"{name.removesuffix(table)}.t{table}"
    beside = (path.with_name(test_name + suffix) for suffix in (packed, "", *COMPRESSED))
    return None, path, next((file for file in beside if file.is_file()), None)


def is_table(path: Path) -> bool:
    """Whether a file is CSV or TSV text, by its name."""
    return _unpacked_name(path)[0].endswith(csv_text.SUFFIXES)


def label_column(name_or_path: str | os.PathLike[str], *, label: str | int | None = None) -> LabelColumn | None:
    """The column that `load` takes as the label, which is told nowhere in what it returns.

    Parameters
    ----------
    name_or_path, label
        As for `load`.

    Returns
    -------
    LabelColumn or None
        ``(name, position, how)``, which `str` turns into "is_member (the last column)"; None for a file that is not
        CSV or TSV, where the format says which the labels are.

    Raises
    ------
    ValueError, OSError
        As `load`, as far as the first lines of the file tell.
    """
    check_label(label)
    _, path, _ = _resolve(name_or_path, wants_test=False)
    _check_has_columns(path, label)
    return csv_text.label_of(path, label) if is_table(path) else None


def check_label(label: Any) -> None:
    """Refuse what cannot name a column.

    Raises
    ------
    TypeError
    """
    if not (label is None or isinstance(label, str) or checks.is_integer(label)):
        raise TypeError(f"label must be the name or the position of a column, not {checks.short_repr(label)}")


def _check_has_columns(path: Path, label: str | int | None) -> None:
    if label is not None and not is_table(path):
        raise ValueError(f"label names a column of a CSV or TSV file, and {path} is neither")


def _unpacked_name(path: Path) -> tuple[str, str]:
    """The file's name without .gz, .bz2 or .xz, and that suffix."""
    packed = path.suffix if path.suffix in COMPRESSED else ""
    return path.name.removesuffix(packed), packed


def _named_file(known: DataSet) -> Path:
    _, path = locate(known.stem)
    if path is None and known.download is None:
        raise FileNotFoundError(
            f"{known.name} is a known data set ({known.about}), but it has no public address: "
            f"set CDLAB_DATA to a folder that holds {known.stem}"
        )
    return path or fetch(known.name)


def _read(
    known: DataSet | None, path: Path, test_path: Path | None, roles: set[int], n_features: int | None,
    label: str | int | None,
) -> list[Part]:  # fmt: skip
    _check_has_columns(path, label)
    d = n_features or (known.d if known else None)
    if path.suffix == ".npz":
        parts = read_npz(path, roles)
        return [part._replace(X=widened(path, part.X, d)) for part in parts]
    files = {TRAIN: path} | ({TEST: test_path} if test_path else {})
    if known:  # its d and first index are known, so the other part need not be read
        files = {role: file for role, file in files.items() if role in roles}
    if is_table(path):
        read = {role: read_csv(file, label) for role, file in files.items()}
        matrices = [widened(file, read[role][0], d) for role, file in files.items()]
    else:
        read = {role: read_libsvm(file) for role, file in files.items()}
        matrices = settle_columns([(file, read[role][0]) for role, file in files.items()], d, known is not None)
    parts = []
    for (role, file), X in zip(files.items(), matrices, strict=True):
        y = read[role][1]
        check_finite(file, X, y)
        if role in roles:
            parts.append(Part(X, y, np.full(y.size, role, np.int8)))
    return parts
