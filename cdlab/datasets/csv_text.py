"""CSV: numbers separated by commas, with or without a header line; labels may be words."""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from ..numerics import checks
from ..problems.labels import LONGEST
from .streams import reading

LABELS = ("y", "label", "target", "class")


def read_csv(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read comma-separated numbers, with or without a header line.

    With a header, the label is the column called y, label, target or class (in any case); without such a column, and
    without a header, it is the last column. Labels are numbers or words.

    Returns
    -------
    X : ndarray (n, d), float64, row-major
    y : ndarray (n,), float64 or str
    """
    header, first = _first_lines(path)
    labels = [i for i, field in enumerate(header) if field.lower() in LABELS]
    if len(labels) > 1:
        raise ValueError(f"{path} has more than one label column: {', '.join(header[i] for i in labels)}; keep one")
    label = labels[0] if labels else len(first) - 1
    words = _Words() if label < len(first) and not _is_number(first[label]) else None
    with _text(path) as lines:
        if header:
            next(line for line in lines if line.strip())
        try:
            # numpy's reader and not pandas': it gives the double nearest to the text in every version, and names rows.
            table = np.loadtxt(
                lines, delimiter=",", quotechar='"', comments=None, ndmin=2, converters=words and {label: words}
            )
        except ValueError:
            fault = _fault(path, header, None if words is None else label)
            raise ValueError(
                fault or f"{path} is not a regular CSV file: every line needs as many numbers, separated by commas"
            ) from None
    if header and table.shape[1] != len(header):
        raise ValueError(f"{path}: the header has {len(header)} fields and the examples have {table.shape[1]}")
    X, y = np.ascontiguousarray(np.delete(table, label, axis=1)), table[:, label].copy()
    return X, y if words is None else words.of(y)


class _Words:
    """Numbers words in the order in which they come, and gives them back."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, field: str) -> int:
        return self._numbers.setdefault(_word(field), len(self._numbers))

    def of(self, numbers: np.ndarray) -> np.ndarray:
        return np.array(list(self._numbers))[numbers.astype(np.int64)]


def _word(field: str) -> str:
    """A label. Raises ValueError for what is none: nothing, or a text."""
    field = field.strip()
    if not 0 < len(field) <= LONGEST:
        raise ValueError
    return field


@contextmanager
def _text(path: Path) -> Iterator[io.TextIOWrapper]:
    with reading(path) as stream, io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as lines:
        try:
            yield lines
        except UnicodeDecodeError:
            raise ValueError(f"{path} is not a CSV file: it is not UTF-8 text") from None


def _first_lines(path: Path) -> tuple[list[str], list[str]]:
    """The names in the first line, [] if it is an example; and the fields of the first example."""
    with _text(path) as lines:
        full = itertools.islice((line for line in lines if line.strip()), 2)
        first, second = ([field.strip() for field in next(csv.reader([next(full, "")]), [])] for _ in range(2))
    if not first:
        raise ValueError(f"{path} holds no examples")
    if len(first) == 1:
        raise ValueError(f"{path} needs at least one feature and the label; it has one column (separated by commas?)")
    words = [field for field in first if field and not _is_number(field)]
    if not words or _ends_in_a_word(first, second):
        return [], first
    if "" in first:
        raise ValueError(f"{path}: column {first.index('') + 1} has no name (row numbers?): name it or leave it out")
    if len(words) < len(first) and not any(field.lower() in LABELS for field in words):
        raise ValueError(
            f"{path}: its first line mixes numbers and words; is it a header or an example? "
            "A header names every column by a word, and the label y; an example holds numbers, and its label at the end"
        )
    if not second:
        raise ValueError(f"{path} holds a header and no examples")
    return first, second


def _ends_in_a_word(first: list[str], second: list[str]) -> bool:
    """Whether the first line is an example whose label is a word: numbers before it, and the next line agrees."""
    numbers = all(_is_number(field) for field in first[:-1])
    agrees = not second or (bool(second[-1]) and not _is_number(second[-1]))
    return numbers and agrees and first[-1].lower() not in LABELS


def _fault(path: Path, header: list[str], label: int | None) -> str:
    """The first line that is not as many numbers as the first one; `label` is the column of words, if there is one."""
    with _text(path) as lines:
        rows = csv.reader(lines)
        full = (row for row in rows if row)
        width = len(next(full)) if header else 0
        for row in full:
            width = width or len(row)
            if len(row) != width:
                return f"{path}, line {rows.line_num}: {len(row)} fields, where the first line has {width}"
            for k, field in enumerate(row):
                column = header[k] if header and len(header[k]) <= LONGEST else k + 1
                where = f"{path}, line {rows.line_num}, column {column}"
                if k == label and not 0 < len(field.strip()) <= LONGEST:
                    return f"{where}: a label is a word of 1 to {LONGEST} characters, not {checks.shown(field)}"
                if k != label and not _is_number(field):
                    return (
                        f"{where}: {checks.shown(field)} is not a number; encode words as numbers (labels as -1 and 1) "
                        "and fill in missing values"
                    )
    return ""


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
