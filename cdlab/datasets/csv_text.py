"""CSV: numbers separated by commas, with or without a header line."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from .streams import reading

LABELS = ("y", "label", "target", "class")


def read_csv(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """Read comma-separated numbers, with or without a header line.

    With a header, the label is the column called y, label, target or class (in any case); without such a column, and
    without a header, it is the last column.

    Returns
    -------
    X : ndarray (n, d), float64, row-major
    y : ndarray (n,), float64
    """
    header = _header(path)
    with _text(path) as lines:
        if header:
            next(line for line in lines if line.strip())
        try:
            # numpy's reader and not pandas': it gives the double nearest to the text in every version, and names rows.
            table = np.loadtxt(lines, delimiter=",", quotechar='"', comments=None, ndmin=2)
        except ValueError as error:
            raise ValueError(_fault(path, header) or f"{path} is not a regular CSV file ({error})") from None
    if header and table.shape[1] != len(header):
        raise ValueError(f"{path}: the header has {len(header)} fields and the examples have {table.shape[1]}")
    labels = [i for i, field in enumerate(header) if field.lower() in LABELS]
    if len(labels) > 1:
        raise ValueError(f"{path} has more than one label column: {', '.join(header[i] for i in labels)}; keep one")
    label = labels[0] if labels else table.shape[1] - 1
    return np.ascontiguousarray(np.delete(table, label, axis=1)), table[:, label].copy()


@contextmanager
def _text(path: Path) -> Iterator[io.TextIOWrapper]:
    with reading(path) as stream, io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as lines:
        try:
            yield lines
        except UnicodeDecodeError:
            raise ValueError(f"{path} is not a CSV file: it is not UTF-8 text") from None


def _header(path: Path) -> list[str]:
    """The names in the first line; [] if it is an example."""
    with _text(path) as lines:
        full = (line for line in lines if line.strip())
        first, second = next(full, ""), next(full, "")
    fields = [field.strip() for field in next(csv.reader([first]), [])]
    if not fields:
        raise ValueError(f"{path} holds no examples")
    if len(fields) == 1:
        raise ValueError(f"{path} needs at least one feature and the label; it has one column (separated by commas?)")
    words = [field for field in fields if field and not _is_number(field)]
    if not words:
        return []
    if "" in fields:
        raise ValueError(f"{path}: column {fields.index('') + 1} has no name (row numbers?): name it or leave it out")
    if len(words) < len(fields) and not any(field.lower() in LABELS for field in words):
        raise ValueError(
            f"{path}: its first line mixes numbers and words; is it a header or an example? "
            "A header names every column by a word, and the label y; an example holds numbers alone"
        )
    if not second:
        raise ValueError(f"{path} holds a header and no examples")
    return fields


def _fault(path: Path, header: list[str]) -> str:
    """The first line that is not as many numbers as the first one."""
    with _text(path) as lines:
        rows = csv.reader(lines)
        full = (row for row in rows if row)
        width = len(next(full)) if header else 0
        for row in full:
            width = width or len(row)
            if len(row) != width:
                return f"{path}, line {rows.line_num}: {len(row)} fields, where the first line has {width}"
            for name, field in zip(header or range(1, width + 1), row, strict=True):
                if not _is_number(field):
                    return (
                        f"{path}, line {rows.line_num}, column {name}: {field!r} is not a number; encode words as "
                        "numbers (labels as -1 and 1) and fill in missing values"
                    )
    return ""


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
