"""load: a data set by name or by path."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..numerics import checks
from ..numerics.profiles import validated_matrix
from ..problems.labels import validated_labels
from .catalogue import (
    DataSet,
    catalogue,
    data_folder,
    entry_of,
    expand_home,
    find,
    locate,
    own_files,
    shipped,
    unknown_name,
)
from .csv_text import Columns, LabelColumn, Layout, layout_of, read_csv
from .fetching import fetch
from .formats import SUFFIXES, TABLES, format_of, is_table, named_format, unpacked_name
from .generators import GENERATORS, call_of
from .libsvm import FROM_1, ZeroBased, align_columns, read_libsvm
from .npz import read_npz
from .parts import (
    NEITHER,
    TEST,
    TRAIN,
    Loaded,
    Matrix,
    Part,
    check_finite,
    check_n_features,
    check_width,
    is_mostly_nonzero,
    select_rows,
    stack,
    stored_as,
    widened,
)
from .scaling import check_scale, divide_by_mean, row_norms, to_unit_rows
from .text_files import COMPRESSED, check_readable

MAX_CLASSES = 20  # More distinct labels of a file are the targets of a regression.
Column: TypeAlias = str | int | None
Drop: TypeAlias = str | int | Sequence[str | int]
_SPLITS = {"train": {TRAIN}, "test": {TEST}, "all": {NEITHER, TRAIN, TEST}}


def load(
    name_or_path: str | os.PathLike[str],
    *,
    split: str = "train",
    n_features: int | None = None,
    scale: str = "none",
    dense: bool | None = None,
    label: Column = None,
    drop: Drop = (),
    zero_based: ZeroBased = "auto",
    offset: Column = None,
) -> Loaded:
    """Load a data set by name or from a file.

    Parameters
    ----------
    name_or_path : str or path
        A known name (`names()` lists them) is looked for in the folder that the environment variable CDLAB_DATA names,
        among the bundled sets, in the cache of downloads, and is downloaded if it is published unchanged at a public
        address. The name of a generator makes data, with its arguments behind a colon:
        "synthetic:n=500,d=20,density=0.1". Other names are files of the CDLAB_DATA folder without their suffix.
        Anything that is a file, has a path separator or a known suffix is a path ("./a9a" is the file, "a9a" the known
        set). Formats, by suffix, in capitals or not:

        - ``.csv``, ``.tsv``: numbers separated by commas, semicolons, tabs or spaces, whichever the first lines use,
          with or without a header; labels may be words. A line ``sep=;`` before it, and delimiters at the ends of
          lines, are skipped.
        - ``.npz``: ``X`` and ``y``; or ``data``, ``indices``, ``indptr``, ``shape`` (CSR) and ``y``; either with an
          optional ``is_test`` or ``lewis_split`` (1 train, 2 test, 0 neither); or ``x_train``, ``y_train`` and
          optionally ``x_test``, ``y_test``; in capitals or not. Pickled objects are refused.
        - ``.svm``, ``.libsvm``: LIBSVM text. Indices must rise within a line; a ``qid:`` is skipped, ``#`` starts a
          comment.
        - anything else, as ``.txt``, ``.data`` and no suffix: a table or LIBSVM text, as the first lines look.

        CSV, TSV and LIBSVM text may be compressed (.gz, .bz2, .xz), and UTF-8 or UTF-16. A pipe ("/dev/stdin") gives
        LIBSVM text.
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
    drop : str, int or several
        Columns of a CSV or TSV file that are left out, named as `label` is: row numbers, identifiers, dates, texts.
    zero_based : bool or "auto", default "auto"
        Whether the indices of LIBSVM text start at 0 or at 1; "auto": at 0 where one of the set is 0. A file of few
        examples may lack an index 0 by chance: read new data with the base of the old.
    offset : str or int, optional
        The column of a CSV or TSV file, named as `label` is, or the array of an NPZ file beside X and y, that is added
        to predictions: no feature, but the attribute ``offset`` (n,) of the pair.

    Returns
    -------
    X : csr_matrix (int32 indices) or row-major ndarray (n, d), float64
    y : ndarray (n,), float64 (str, if they are words), the labels as in the file; +-1 for covtype.binary, mnist.binary
        The attributes ``zero_based`` and ``taken`` of the pair say what was taken where the file does not.

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
    check_zero_based(zero_based)
    n_features, dense = check_n_features(n_features), None if dense is None else checks.flag("dense", dense)
    columns = _columns(label, drop, offset)
    roles = _SPLITS[split] | ({TRAIN} if scale == "mean" else set())
    taken: tuple[str, ...] = ()
    make = call_of(name_or_path) if isinstance(name_or_path, str) else None
    if make is not None:
        known, path = None, None
        parts = [_generated_part(str(name_or_path), make, n_features, columns)]
    else:
        known, path, _ = source = resolve(name_or_path, wants_test=split != "train")
        parts, zero_based, taken = _read(source, roles, n_features, columns, zero_based)
        if n_features is None and known is None:
            check_width(path, max((part.X.shape[1] for part in parts), default=0))
    found = {int(role) for part in parts for role in np.unique(part.role)}
    if split == "test" and TEST not in found:
        raise ValueError(f"{name_or_path} has no test part; the split 'train' gives all its rows")
    if TRAIN in roles - found:
        raise ValueError(f"{name_or_path} has no train part; the split 'test' gives its rows")
    if scale == "mean":
        norms = np.concatenate([row_norms(part.X)[part.role == TRAIN] for part in parts])
        divide_by_mean((part.X for part in parts), norms)
    X, y, added = stack([select_rows(part, _SPLITS[split]) for part in parts])
    if scale == "unit":
        to_unit_rows(X)
    if known and known.positive:
        y = np.where(np.isin(y, known.positive), 1.0, -1.0)
    loaded = Loaded(stored_as(X, _suits_an_array(path, X) if dense is None else dense), y)
    loaded.zero_based, loaded.taken, loaded.offset = zero_based, taken, added
    return loaded


def _suits_an_array(path: Path | None, X: Matrix) -> bool:
    """Tell whether X should be an array: what its file or generator says, but LIBSVM text can only be sparse."""
    if path is None or isinstance(X, np.ndarray) or format_of(path) != "libsvm":
        return isinstance(X, np.ndarray)
    return is_mostly_nonzero(X.shape[0], X.shape[1], int(np.count_nonzero(X.data)))


def file_of(name_or_path: str | os.PathLike[str]) -> Path:
    """The file of the train part of a data set, as `load` finds it.

    Parameters
    ----------
    name_or_path : str or path
        As for `load`.

    Returns
    -------
    Path

    Raises
    ------
    ValueError, OSError
        As `load`; for made data, which are in no file.
    """
    if isinstance(name_or_path, str) and call_of(name_or_path):
        raise ValueError(f"{name_or_path} is made, and in no file")
    return resolve(name_or_path, wants_test=False).path


def label_column(
    name_or_path: str | os.PathLike[str], *, label: Column = None, drop: Drop = (), offset: Column = None
) -> LabelColumn | None:
    """The column that `load` takes as the label, which its return value does not contain.

    Parameters
    ----------
    name_or_path, label, drop, offset
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
    layout = _layout(name_or_path, _columns(label, drop, offset))
    return None if layout is None else layout.label


def feature_names(
    name_or_path: str | os.PathLike[str], *, label: Column = None, drop: Drop = (), offset: Column = None
) -> tuple[str, ...] | None:
    """The columns of the X that `load` returns; None for a file without a header, and one that is not CSV or TSV."""
    layout = _layout(name_or_path, _columns(label, drop, offset))
    names = () if layout is None else layout.feature_names
    return names if names and len(set(names)) == len(names) else None


def _layout(name_or_path: str | os.PathLike[str], columns: Columns) -> Layout | None:
    """Return the layout of the table of a data set; None for one that is no table."""
    if isinstance(name_or_path, str) and call_of(name_or_path):
        return None
    path = resolve(name_or_path, wants_test=False).path
    _check_has_columns(path, columns)
    return layout_of(path, columns) if is_table(path) else None


def check_label(label: Any, name: str = "label") -> None:
    """Refuse what cannot name a column."""
    if not (label is None or isinstance(label, str) or checks.is_integer(label)):
        raise TypeError(f"{name} must be the name or the position of a column, not {checks.short_repr(label)}")


def check_zero_based(zero_based: Any) -> None:
    """Refuse what does not say where indices start."""
    if not (isinstance(zero_based, bool) or zero_based == "auto"):
        raise ValueError(f"zero_based must be True, False or 'auto', not {checks.short_repr(zero_based)}")


def _columns(label: Any, drop: Any, offset: Any) -> Columns:
    """The columns that are no features, checked."""
    check_label(label)
    check_label(offset, "offset")
    names = (drop,) if isinstance(drop, str) or checks.is_integer(drop) else drop
    if not (isinstance(names, list | tuple) and all(isinstance(x, str) or checks.is_integer(x) for x in names)):
        raise TypeError(f"drop must be names or positions of columns, not {checks.short_repr(drop)}")
    return Columns(label, tuple(names), offset)


def _check_has_columns(source: str | Path, columns: Columns) -> None:
    kind = format_of(Path(source))
    if columns[:2] != Columns()[:2] and kind != "table":
        name = "label names a column" if columns.label is not None else "drop names columns"
        raise ValueError(f"{name} of a CSV or TSV file, and {source} is neither")
    if columns.offset is not None and kind == "libsvm":
        raise ValueError(f"offset names a column of a CSV or TSV file or an array of an NPZ file, and {source} is none")


# ---------------------------------------------------------------- from a name to a file
class Source(NamedTuple):
    """The file of a data set, the file of its test part, if there is one, and its entry, if it is a known set."""

    known: DataSet | None
    path: Path
    test_path: Path | None


def resolve(source: str | os.PathLike[str], wants_test: bool) -> Source:
    """Find the files of a data set, and download those of a known one that is not here."""
    if not isinstance(source, str | os.PathLike) or not os.fspath(source):
        raise TypeError(f"a data set is named by a string or a path, not {checks.short_repr(source)}")
    is_name = isinstance(source, str) and os.sep not in source and "/" not in source
    if is_name and (known := catalogue().get(str(source))):
        path = _file_of(known)
        test_path = find(path.parent, Path(known.stem).name + ".t")
        if test_path is None and wants_test and (test_part := catalogue().get(known.name + ".t")):
            test_path = _file_of(test_part)
        return Source(known, path, test_path)
    path = expand_home(source)
    if is_name and not path.is_file():
        if own := find(data_folder(), str(source)):
            path = own
        elif path.suffix.lower() not in {".t", *COMPRESSED, *SUFFIXES} - {""}:
            raise unknown_name(str(source))
        elif (stem := str(source).split(".")[0]) in catalogue():
            raise FileNotFoundError(f"there is no file {source} here; the known data set is called {stem!r}")
    check_readable(path)
    name, packed = unpacked_name(path)
    table = next((name[-len(suffix) :] for suffix in TABLES if name.lower().endswith(suffix)), "")
    test_name = f"{name.removesuffix(table)}.t{table}"
    beside = (path.with_name(test_name + suffix) for suffix in (packed, "", *COMPRESSED))
    return Source(None, path, next((file for file in beside if file.is_file()), None))


def _file_of(known: DataSet) -> Path:
    _, path = locate(known)
    if path is None and known.download is None:
        raise FileNotFoundError(
            f"{known.name} is a known data set ({known.about}), but it has no public address: "
            f"set CDLAB_DATA to a folder that holds {known.stem}"
        )
    return path or fetch(known.name)


# ---------------------------------------------------------------- from a file to rows
def _read(
    source: Source, roles: set[int], n_features: int | None, columns: Columns, zero_based: ZeroBased
) -> tuple[list[Part], ZeroBased, tuple[str, ...]]:
    """The rows with these roles, and `zero_based` and `taken` of `Loaded`."""
    known, path, test_path = source
    kind = format_of(path)
    _check_has_columns(path, columns)
    d = n_features or (known.d if known else None)
    if kind != "libsvm" and not path.is_file():
        raise ValueError(f"{path} is a pipe, which gives LIBSVM text; name a file")
    if kind == "npz":
        return [part._replace(X=widened(path, part.X, d)) for part in read_npz(path, roles, columns.offset)], "auto", ()
    files = {TRAIN: path} | ({TEST: test_path} if test_path else {})
    is_shipped = known is not None and known.name in shipped()
    if is_shipped:  # d is known, too, so the other part need not be read
        files = {role: file for role, file in files.items() if role in roles}
        if zero_based is True:
            raise ValueError(f"the indices of {path} start at 1, and zero_based is True")
    if not files:
        return [], "auto", ()
    read: dict[int, Any] = {
        role: read_csv(file, columns) if kind == "table" else (*read_libsvm(file), None) for role, file in files.items()
    }
    if kind == "table":
        matrices = [widened(file, read[role][0], d) for role, file in files.items()]
        for role, file in files.items():
            check_finite(file, *read[role][:2])
        taken, start = tuple(_taken_of_table(path, columns, *next(iter(read.values()))[:2])), zero_based
    else:
        from_files = [(file, read[role][0]) for role, file in files.items()]
        matrices, start = align_columns(from_files, d, False if is_shipped else zero_based)
        taken = (FROM_1,) if zero_based == "auto" and not (start or is_shipped) else ()
    parts = [
        Part(X, read[role][1], np.full(X.shape[0], role, np.int8), None, read[role][2])
        for role, X in zip(files, matrices, strict=True)
    ]
    return [part for part, role in zip(parts, files, strict=True) if role in roles], start, taken


def _taken_of_table(path: Path, columns: Columns, X: np.ndarray, y: np.ndarray) -> Iterator[str]:
    """Tell what a reader of a table should know that its file does not say."""
    if named_format(path) is None:
        yield f"format: a table, by the first lines of {path.name}"
    has_default = columns.label is None and not layout_of(path, columns).header
    if has_default and np.unique(X[:, 0]).size == 2 and np.unique(y).size > MAX_CLASSES:
        yield "label: not the first column, which holds two values; label=0 takes that"


def _generated_part(name: str, make: Callable[[], tuple[Any, Any]], n_features: int | None, columns: Columns) -> Part:
    _check_has_columns(name, columns)
    X, y = make()
    X = widened(name, validated_matrix(X), n_features)
    return Part(X, validated_labels(y, X.shape[0]), np.full(X.shape[0], TRAIN, np.int8))


# ---------------------------------------------------------------- what a data set is
def describe(name: str) -> DataSet:
    """The facts about a known data set: size, task, source, licence.

    Parameters
    ----------
    name : str
        A name of `names()`. A file of the folder CDLAB_DATA that no catalogue lists is read: what it holds is counted,
        and its task is guessed from the labels.

    Returns
    -------
    DataSet

    Raises
    ------
    ValueError
        If the name is not known, in which case the message lists close matches, or is that of a generator.

    Examples
    --------
    >>> describe("a9a").d
    123
    """
    if isinstance(name, str) and name in GENERATORS:
        raise ValueError(f"{name} is no data set but makes them, of any size: see help(cdlab.datasets.make)")
    if isinstance(name, str) and name not in catalogue() and (path := own_files().get(name)):
        return _described(name, path, path.stat().st_mtime_ns)
    return entry_of(name)


@lru_cache(maxsize=64)
def _described(name: str, path: Path, changed: int) -> DataSet:
    """The facts about a file; `changed` is its modification time, part of the cache key."""
    X, y = load(path)
    test = _size_of_test_part(path)
    labels = np.unique(y)
    few = labels.size <= MAX_CLASSES and (y.dtype.kind == "U" or not (labels % 1).any())
    task = "binary" if labels.size == 2 else "classes" if few else "regression"
    stored = X.size if isinstance(X, np.ndarray) else X.nnz
    about = f"{path.name} of the folder CDLAB_DATA"
    return DataSet(name, X.shape[0], X.shape[1], task, about, test=test, stored=stored)


def _size_of_test_part(path: Path) -> int:
    """The number of test rows of a file; 0 if it has no test part."""
    if format_of(path) == "npz":
        return sum(part.y.size for part in read_npz(path, {TEST}))
    if resolve(path, wants_test=True).test_path is None:
        return 0
    return int(load(path, split="test")[1].size)
