"""LIBSVM text: ``label index:value index:value ...``, one example a line, read by scikit-learn's reader."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Literal, TypeAlias

import numpy as np
import scipy.sparse as sp

from ..numerics.checks import short_repr
from .parts import check_finite
from .text_files import Fault, faulty_line, is_number, open_bytes, suffix_of_content

ZeroBased: TypeAlias = bool | Literal["auto"]  # whether indices start at 0

FORM = "a line is 'label index:value index:value ...', indices rising"
IF_TABLE = "if this is a table of numbers, save it as a file with the suffix .csv"
FROM_1 = "indices: from 1, since none is 0; zero_based=True (--zero-based) says that they start at 0"
BATCH_BYTES = 1 << 20  # Bytes of text that are parsed at a time.
INITIAL_ENTRIES = 1 << 22  # of a growing array: so large that it has pages of its own; untouched, it takes none
MAX_INDEX = 2**31 - 1
_EMPTY_LINES = re.compile(rb"\n(?:\s+|#[^\n]*\n)+")  # lines of nothing but spaces or a comment
_UNDERSCORE = re.compile(rb"^[^#\n]*_", re.MULTILINE)  # the reader takes 1_0 for 10, as Python does


def batches(path: Path, stream: BinaryIO) -> Iterator[tuple[sp.csr_matrix, np.ndarray, int]]:
    """The examples of a stream, about 1 MB of text at a time: X with column numbers as written, y, bytes read so far.

    Raises
    ------
    ValueError
        For the first line that is not an example, named by its number, or the first that has a nan or inf.
    """
    from sklearn.datasets import load_svmlight_file

    lines, examples, size = 0, 0, 0
    while text := stream.read(BATCH_BYTES):
        text += stream.readline()
        size += len(text)
        full = _EMPTY_LINES.sub(b"\n", b"\n" + text)[1:]  # a file can hold millions of empty lines in few bytes
        if full:
            try:
                if b"_" in full and _UNDERSCORE.search(full):
                    raise ValueError("an underscore is no part of a number")
                X, y = load_svmlight_file(io.BytesIO(full), zero_based=True)
            except (ValueError, OverflowError, IndexError) as error:
                raise ValueError(_refusal(path, text, lines, str(error))) from None
            check_finite(path, X, y, first=examples + 1, column="index", base=0)
            if y.size:
                yield X, y, size
            examples += y.size
        lines += text.count(b"\n")


def read_libsvm(path: Path) -> tuple[sp.csr_matrix, np.ndarray]:
    """Read one file; the column numbers stay as written (`align_columns` makes them start at 0).

    Returns
    -------
    X : csr_matrix, float64 data, int32 indices
    y : ndarray, float64
    """
    # scikit-learn keeps 64-bit indices; narrowing them batch by batch holds the peak close to the size of the result.
    data, indices, ends, y = _Growing(np.float64), _Growing(np.int32), _Growing(np.int64), _Growing(np.float64)
    ends.append([0])
    with open_bytes(path) as stream:
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
        self._store: np.ndarray = np.empty(INITIAL_ENTRIES, dtype)

    def append(self, more: np.ndarray | list) -> None:
        end = self.size + len(more)
        if end > self._store.size:
            self._store.resize(end + end // 8, refcheck=False)
        self._store[self.size : end] = more
        self.size = end

    def array(self) -> np.ndarray:
        self._store.resize(self.size, refcheck=False)
        return self._store


def align_columns(
    files: list[tuple[Path, sp.csr_matrix]], n_features: int | None, zero_based: ZeroBased = "auto"
) -> tuple[list[sp.csr_matrix], bool]:
    """Give the matrices of one data set the same first column and the same number of columns.

    With whether indices start at 0, which files do not say: with "auto", as in scikit-learn, they do where one is 0.
    """
    first = min((int(X.indices.min()) for _, X in files if X.nnz), default=1)
    last = [int(X.indices.max()) if X.nnz else -1 for _, X in files]
    start, d = column_range(files[0][0], first, max(last), n_features, zero_based)
    aligned = []
    for (path, X), index in zip(files, last, strict=True):
        if index >= start + d:
            example = int(np.searchsorted(X.indptr, X.indices.argmax(), side="right"))
            raise ValueError(f"{path}, example {example}: {too_large(index, start, d)}")
        X.indices -= start
        aligned.append(sp.csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], d)))
    return aligned, start == 0


def too_large(index: int, start: int, d: int) -> str:
    """Tell what is wrong with an index that d columns do not have, where indices start at `start`."""
    return f"index {index} needs n_features >= {index + 1 - start}, not {d}, as indices start at {start}"


def column_range(path: Path, first: int, last: int, n_features: int | None, zero_based: ZeroBased) -> tuple[int, int]:
    """The index at which a set's columns start, 0 or 1, and their number d, from the smallest and the largest index."""
    if first == 0 and zero_based is False:
        raise ValueError(f"{path} has an index 0, and its indices should start at 1: is it the right file?")
    start = 0 if first == 0 or zero_based is True else 1
    d = n_features if n_features is not None else max(0, last + 1 - start)
    if d == 0:
        raise ValueError(f"{path} holds labels but no index:value pairs; give n_features if X = 0 is meant")
    return start, d


# ---------------------------------------------------------------- what is wrong in a file
def _refusal(path: Path, text: bytes, lines_before: int, reason: str) -> str:
    """Tell what is wrong in a text that was not read, which follows so many lines of the file."""
    if lines_before == 0 and (suffix := suffix_of_content(text)):
        kind = f"its first bytes are those of a {suffix} file: give it that suffix, or unpack it"
        return f"{path}, line 1: this is not LIBSVM text; {kind}"
    lines = text.split(b"\n")
    numbered = ((lines_before + k, line.partition(b"#")[0]) for k, line in enumerate(lines, 1))
    last = lines_before + len(lines)
    return faulty_line(path, numbered, _fault) or f"{path}, lines {lines_before + 1} to {last}: {reason}; {FORM}"


def _fault(line: bytes) -> Fault | None:
    """Tell what is wrong in a line without its comment."""
    if b"\0" in line or not line.isascii():
        return Fault(f"this is not LIBSVM text; {FORM}")
    if not line.strip():
        return None
    label, *pairs = (token.decode() for token in line.split())
    if (pairs and all(map(is_number, pairs))) or (not pairs and {",", ";"} & {*label}):
        return Fault(f"this is not LIBSVM text: {FORM}; {IF_TABLE}")
    if ":" in label:
        return Fault(f"the label is missing (the line starts with {short_repr(label)}); {FORM}")
    if not is_number(label):
        return Fault(f"the label {short_repr(label)} is not a number; {FORM}")
    before = -1
    for pair in pairs[1:] if pairs and pairs[0].startswith("qid:") else pairs:
        index, colon, value = pair.partition(":")
        if not colon:
            return Fault(f"{short_repr(pair)} is not an index:value pair; {FORM}")
        if not is_number(index, int) or not 0 <= int(index) <= MAX_INDEX:
            return Fault(
                f"the index {short_repr(index)} of {short_repr(pair)} is not a whole number from 0 to {MAX_INDEX}"
            )
        if int(index) <= before:
            return Fault(
                f"the index of {short_repr(pair)} does not rise after {before}: sort the pairs, one for each index"
            )
        if not is_number(value):
            return Fault(f"the value {short_repr(value)} of {short_repr(pair)} is not a number")
        before = int(index)
    return None
