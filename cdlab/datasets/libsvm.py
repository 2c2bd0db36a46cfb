"""LIBSVM text: ``label index:value index:value ...``, one example a line, read by scikit-learn's reader."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
import scipy.sparse as sp

from ..numerics.checks import short_repr
from .streams import is_number, looks_like, reading

FORM = "a line is 'label index:value index:value ...', indices rising"
_BATCH = 1 << 20  # bytes of text parsed at a time
_EMPTY = re.compile(rb"\n(?:\s+|#[^\n]*\n)+")  # lines of nothing but spaces or a comment
_UNDERSCORE = re.compile(rb"^[^#\n]*_.*", re.MULTILINE)  # the reader takes 1_0 for 10, as Python does
TABLE = "if this is a table of numbers, give it the suffix .csv"


def batches(path: Path, stream: BinaryIO) -> Iterator[tuple[sp.csr_matrix, np.ndarray, int]]:
    """The examples of a stream, about 1 MB of text at a time: X with column numbers as written, y, bytes read so far.

    Raises
    ------
    ValueError
        For the first line that is not an example, named by its number.
    """
    from sklearn.datasets import load_svmlight_file

    lines, size = 0, 0
    while text := stream.read(_BATCH):
        text += stream.readline()
        size += len(text)
        full = _EMPTY.sub(b"\n", b"\n" + text)[1:]  # a file can hold millions of empty lines in few bytes
        if full:
            misread = _UNDERSCORE.search(full) if b"_" in full else None
            at = io.BytesIO(full[: misread.start()] if misread else full)
            try:
                X, y = load_svmlight_file(at, zero_based=True)
            except (ValueError, OverflowError, IndexError) as error:
                raise ValueError(_what_is_wrong(path, text, lines, full[: at.tell()], str(error))) from None
            if misread:
                why = "an underscore is no part of a number"
                raise ValueError(_what_is_wrong(path, text, lines, full[: misread.end()], why))
            if y.size:
                yield X, y, size
        lines += text.count(b"\n")


def read_libsvm(path: Path) -> tuple[sp.csr_matrix, np.ndarray]:
    """Read one file; the column numbers stay as written (`settle_columns` makes them start at 0).

    Returns
    -------
    X : csr_matrix, float64 data, int32 indices
    y : ndarray, float64
    """
    # scikit-learn keeps 64-bit indices; narrowing them batch by batch holds the peak close to the size of the result.
    data, indices, ends, y = _Growing(np.float64), _Growing(np.int32), _Growing(np.int64), _Growing(np.float64)
    ends.append([0])
    with reading(path) as stream:
        for X, labels, _ in batches(path, stream):
            ends.append(data.size + X.indptr[1:])
            data.append(X.data)
            indices.append(X.indices)
            y.append(labels)
    if y.size == 0:
        raise ValueError(f"{path} holds no examples: {FORM}")
    columns = indices.array()
    d = int(columns.max(initial=0)) + 1
    return sp.csr_matrix((data.array(), columns, ends.array()), shape=(y.size, d)), y.array()


class _Growing:
    """An array that grows at its end, moved by the allocator instead of copied: two never exist side by side."""

    def __init__(self, dtype: type) -> None:
        self.size = 0
        self._store: np.ndarray = np.empty(1 << 22, dtype)  # this large, it has pages of its own; untouched, none

    def append(self, more: np.ndarray | list) -> None:
        end = self.size + len(more)
        if end > self._store.size:
            self._store.resize(end + end // 8, refcheck=False)
        self._store[self.size : end] = more
        self.size = end

    def array(self) -> np.ndarray:
        self._store.resize(self.size, refcheck=False)
        return self._store


def settle_columns(
    files: list[tuple[Path, sp.csr_matrix]], n_features: int | None, one_based: bool = False
) -> list[sp.csr_matrix]:
    """Give the matrices of one data set the same first column and the same number of columns.

    LIBSVM indices start at 1. Files that start at 0 exist and do not say so; as in scikit-learn, an index 0 anywhere
    marks the set as zero-based. `one_based` says that the set is known to start at 1, so that an index 0 is an error.
    """
    zero_based = any(X.nnz and X.indices.min() == 0 for _, X in files)
    if zero_based and one_based:
        raise ValueError(f"{files[0][0]} has an index 0, but this set's indices start at 1: is it the right file?")
    shift = 0 if zero_based else 1
    widths = [int(X.indices.max()) + 1 - shift if X.nnz else 0 for _, X in files]
    d = max(widths) if n_features is None else n_features
    if d == 0:
        raise ValueError(f"{files[0][0]} holds labels but no index:value pairs; give n_features if X = 0 is meant")
    settled = []
    for (path, X), width in zip(files, widths, strict=True):
        if width > d:
            example = int(np.searchsorted(X.indptr, X.indices.argmax(), side="right"))
            raise ValueError(
                f"{path}, example {example}: index {width - 1 + shift} needs n_features >= {width}, not {d}"
            )
        X.indices -= shift
        settled.append(sp.csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], d)))
    return settled


def _what_is_wrong(path: Path, text: bytes, before: int, read: bytes, error: str) -> str:
    """Name the token that scikit-learn stumbled over and say what would be right.

    `text` follows `before` lines of the file; the last line of `read`, which is text without empty lines, is wrong.
    """
    wrong = read.rstrip(b"\n").count(b"\n")  # full lines before it in this text
    full = (k for k, line in enumerate(text.split(b"\n")) if line.split(b"#", 1)[0].strip())
    number = before + 1 + next(itertools.islice(full, wrong, None), 0)
    line = read.rstrip(b"\n").rpartition(b"\n")[2].split(b"#", 1)[0]
    if b"\0" in line or not line.isascii():
        suffix = looks_like(text) if number == 1 else ""
        kind = f"its first bytes are those of a {suffix} file: give it that suffix, or unpack it" if suffix else FORM
        return f"{path}, line {number}: this is not LIBSVM text; {kind}"
    label, *pairs = (token.decode() for token in line.split())
    return f"{path}, line {number}: {_fault(label, pairs) or error}"


def _fault(label: str, pairs: list[str]) -> str:
    if (pairs and all(map(is_number, pairs))) or (not pairs and {",", ";"} & {*label}):
        return f"this is not LIBSVM text: {FORM}; {TABLE}"
    if ":" in label:
        return f"the label is missing (the line starts with {short_repr(label)}); {FORM}"
    if not is_number(label):
        return f"the label {short_repr(label)} is not a number; {FORM}"
    before = -1
    for pair in pairs[1:] if pairs and pairs[0].startswith("qid") else pairs:
        index, colon, value = pair.partition(":")
        if not colon:
            return f"{short_repr(pair)} is not an index:value pair; {FORM}"
        if not is_number(index, int) or not 0 <= int(index) < 2**31:
            return f"the index {short_repr(index)} of {short_repr(pair)} is not a whole number from 0 to {2**31 - 1}"
        if int(index) <= before:
            return f"the index of {short_repr(pair)} does not rise after {before}: sort the pairs, one for each index"
        if not is_number(value):
            return f"the value {short_repr(value)} of {short_repr(pair)} is not a number"
        before = int(index)
    return ""
