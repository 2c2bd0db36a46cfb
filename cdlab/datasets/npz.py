"""NPZ archives of plain arrays: dense, CSR, or train and test side by side."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp

from ..numerics import checks
from .parts import NEITHER, TEST, TRAIN, Matrix, Part, check_finite
from .text_files import check_readable

_KINDS = {"biuf": "numbers", "biufU": "numbers or words", "iu": "whole numbers", "biu": "flags", "SU": "letters"}


def read_npz(path: Path, roles: set[int], offset: Any = None) -> list[Part]:
    """Read the rows of an NPZ file whose role is in `roles` (pickled objects are refused).

    The keys are one of

    - ``X`` (n, d), dense, and ``y`` (n,);
    - ``data``, ``indices``, ``indptr``, ``shape`` of a CSR matrix (as scipy.sparse.save_npz writes), and ``y``;
    - ``x_train``, ``y_train`` and, with a test part, ``x_test``, ``y_test``, dense; images are flattened;

    in capitals or not. With the first two, ``weights`` (n,) are what examples count in the mean loss, and an array
    that `offset` names is what is added to predictions.

    The first two may have ``is_test`` (n,), true for rows of the test part, or ``lewis_split`` (n,): 1 train, 2 test,
    0 in neither part. Other keys are ignored.
    """
    check_readable(path)
    # Opened here, because numpy leaves its own file open when the archive turns out to be damaged.
    with path.open("rb") as file, _Archive(path, file) as archive:
        keys = archive.keys
        name = str(offset).lower()
        if offset is not None and (name not in keys or "x_train" in keys):
            raise ValueError(
                f"{path} has no array {checks.short_repr(offset)} beside X and y (arrays: {', '.join(keys.values())})"
            )
        if "x_train" in keys:
            sides = [("train", TRAIN)] + [("test", TEST)] * ("x_test" in keys)
            return [_side(archive, side, role) for side, role in sides if role in roles]
        if {"data", "indices", "indptr", "shape"} <= keys.keys():
            X = archive.csr()
        elif "x" in keys:
            X = archive.dense("x")
        else:
            raise ValueError(
                f"{path} has the keys {', '.join(sorted(keys.values())) or '(none)'}; expected X and y, or data, "
                "indices, indptr, shape and y, or x_train and y_train"
            )
        y = archive.labels("y")
        role = np.full(y.shape, TRAIN)
        if "is_test" in keys:
            role = archive.roles("is_test", {0, 1}) + TRAIN
        elif "lewis_split" in keys:
            role = archive.roles("lewis_split", {NEITHER, TRAIN, TEST})
        given = [archive.array(key) if key in keys else None for key in ("weights", name)]
        return [_part(path, X, y, role, roles, *given)]


def write_npz(file: Any, X: Matrix, y: np.ndarray) -> None:
    """Write a matrix, dense or CSR, and labels to a path or an open file, as `read_npz` reads them."""
    sparse = {name: getattr(X, name, None) for name in ("data", "indices", "indptr", "shape")}
    np.savez(file, y=y, **({"X": X} if isinstance(X, np.ndarray) else sparse))


def _side(archive: _Archive, side: str, role: int) -> Part:
    X, y = archive.dense(f"x_{side}"), archive.labels(f"y_{side}")
    return _part(archive.path, X, y, np.full(y.shape, role), {role})


def _part(
    path: Path, X: Matrix, y: np.ndarray, role: np.ndarray, roles: set[int], s: Any = None, offset: Any = None
) -> Part:
    for what, each in (("weights", s), ("offsets", offset)):
        if each is not None and each.shape != y.shape:
            raise ValueError(f"{path}: {what} have shape {each.shape}, and y has {y.size} labels; they must agree")
    if not X.shape[0] == y.size == role.size:
        raise ValueError(f"{path}: X has {X.shape[0]} rows, y has {y.size}, the split has {role.size}; they must agree")
    if y.size == 0:
        raise ValueError(f"{path} holds no examples")
    check_finite(path, X, y)
    keep = np.isin(role, list(roles))
    if not keep.all():  # before the conversion, which makes small integers eight times as large
        X, y, role, s, offset = Part(X, y, role, s, offset).only(keep)
    X = X.astype(np.float64, copy=False) if sp.issparse(X) else np.ascontiguousarray(checks.to_float64(f"{path}: X", X))
    y = y if y.dtype.kind == "U" else checks.to_float64(f"{path}: y", y).copy()
    return Part(X, y, role.astype(np.int8), s, offset)


class _Archive:
    """The arrays of one file, each checked when it is read."""

    def __init__(self, path: Path, file: BinaryIO) -> None:
        self.path = path
        with self._sound():
            self._npz = np.load(file, allow_pickle=False)
            if not isinstance(self._npz, np.lib.npyio.NpzFile):
                raise ValueError("it holds a single array, as .npy files do")
        as_documented = sorted(self._npz.files, key=lambda key: key == "X" or (key != "x" and key.islower()))
        self.keys = {key.lower(): key for key in as_documented}  # of X and x, y and Y the last one counts

    def __enter__(self) -> _Archive:
        return self

    def __exit__(self, *error: object) -> None:
        self._npz.close()

    @contextmanager
    def _sound(self) -> Iterator[None]:
        try:
            yield
        except Exception as error:  # of the readers of zip archives, of their compressions, of headers, of arrays
            if isinstance(error, OSError) and error.filename is not None:  # the system's own sentence is the best
                raise
            reason = checks.error_message(error)
            raise ValueError(f"{self.path} is not an NPZ file of plain arrays, or is damaged ({reason})") from None

    def array(self, key: str, kinds: str = "biuf") -> np.ndarray:
        if key not in self.keys:
            raise ValueError(f"{self.path} has no key {key!r}: the labels belong there (one number for each row of X)")
        key = self.keys[key]
        with self._sound():
            self._check_size(key)
            array = self._npz[key]
        if array.dtype.kind not in kinds:
            raise ValueError(f"{self.path}: {key} has dtype {array.dtype}; {_KINDS[kinds]} are needed")
        return array

    def _check_size(self, key: str) -> None:
        """Refuse an array whose header promises more than the archive holds, before memory is taken for it."""
        member = key if key in self._npz.zip.namelist() else f"{key}.npy"
        with self._npz.zip.open(member) as stream:
            version = np.lib.format.read_magic(stream)
            read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}
            if version not in read:
                raise ValueError(f"{member} is of the version {version}, and plain arrays need none above 2.0")
            shape, _, dtype = read[version](stream)
            promised, held = math.prod(shape) * dtype.itemsize, self._npz.zip.getinfo(member).file_size - stream.tell()
            if min(shape, default=0) < 0 or promised > held:
                raise ValueError(
                    f"{member} promises an array of shape {checks.short_repr(shape)}, and holds {held} bytes"
                )

    def dense(self, key: str) -> np.ndarray:
        X = self.array(key)
        if X.ndim < 2:
            raise ValueError(
                f"{self.path}: {self.keys[key]} has shape {X.shape}; it needs two axes, examples and features"
            )
        return X.reshape(X.shape[0], -1) if X.ndim > 2 else X

    def csr(self) -> sp.csr_matrix:
        if "format" in self.keys and (kind := self.array("format", "SU").item()) not in (b"csr", "csr"):
            raise ValueError(f"{self.path} holds a sparse matrix in the format {kind!r}; save X.tocsr()")
        data = self.array("data")
        indices, indptr, shape = (self.array(key, "iu") for key in ("indices", "indptr", "shape"))
        try:
            X = sp.csr_matrix((data, indices, indptr), shape=tuple(shape.tolist()))
            X.check_format(full_check=True)
        except Exception:  # scipy's own checks raise what they meet
            raise ValueError(
                f"{self.path} is not a valid CSR matrix: its data, indices, indptr and shape do not fit together"
            ) from None
        if not X.has_canonical_format:
            X = X.astype(np.float64)  # sums may be larger than small integers hold
            X.sum_duplicates()  # sorts too; to scipy, entries with equal indices mean their sum
        return X

    def labels(self, key: str) -> np.ndarray:
        y = self.array(key, "biufU")
        if y.size != max(y.shape, default=1):
            raise ValueError(f"{self.path}: {key} has shape {y.shape}; it needs one number for each example")
        return y.reshape(-1)

    def roles(self, key: str, allowed: set[int]) -> np.ndarray:
        values = self.array(key, "biu").reshape(-1).astype(np.int64)
        if not np.isin(values, list(allowed)).all():
            raise ValueError(f"{self.path}: {key} may hold {', '.join(map(str, sorted(allowed)))} and nothing else")
        return values
