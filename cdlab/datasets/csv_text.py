"""CSV: numbers in columns, with or without a header line; labels may be words."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..numerics import checks
from ..numerics.tables import ENCODE_WORDS
from ..problems.labels import MAX_LABEL_CHARACTERS
from .text_files import Fault, faulty_line, is_number, open_bytes

LABEL_NAMES = ("y", "label", "target", "class")
LAST_COLUMN = "the last column"
MAX_NAMES_SHOWN = 8
DELIMITERS = {"\t": "tabs", ";": "semicolons", ",": "commas", " ": "spaces"}  # the first that is used


class LabelColumn(NamedTuple):
    """The column of a table that is its label.

    Attributes
    ----------
    name : str or None
        What the header calls it; None in a file without a header.
    position : int
        Counted from 0.
    how : str
        Why this one: "by its name", "the last column", "as asked for".
    """

    name: str | None
    position: int
    how: str

    def __str__(self) -> str:
        if self.name is None:
            return self.how if self.how == LAST_COLUMN else f"column {self.position} from 0 ({self.how})"
        return f"{_shortened(self.name)} ({self.how})"


class _Layout(NamedTuple):
    """What the first lines of a table say: how it is separated, its header ([]: none), an example, its label."""

    delimiter: str
    header: list[str]
    example: list[str]
    label: LabelColumn


def label_column_of(path: Path, label: str | int | None) -> LabelColumn:
    """The column that `read_csv` takes as the label."""
    return _layout(path, label).label


def read_csv(
    path: Path, label: str | int | None = None, features: Sequence[str] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Read numbers separated by commas, semicolons, tabs or spaces, with or without a header line.

    Parameters
    ----------
    path : Path
        The file.
    label : str or int, optional
        The column of the label, by its name in the header or its position from 0 (-1: the last). Default: the column
        called y, label, target or class (in any case); without such a column, and without a header, the last one.
        Labels are numbers or words.
    features : sequence of str, optional
        The columns of X, in this order, by their names in the header. Default: all but the label.

    Returns
    -------
    X : ndarray (n, d), float64, row-major
    y : ndarray (n,), float64 or str
    """
    layout = _layout(path, label)
    at = layout.label.position
    words = None if is_number(layout.example[at]) else _LabelWords()
    if features is None:
        table, last = _table(path, layout, words), at
    else:
        table, last = _table(path, layout, words, [*_places(layout, features), at]), len(features)
    X, y = np.ascontiguousarray(np.delete(table, last, axis=1)), table[:, last].copy()
    return X, y if words is None else words.of(y)


def header_of(path: Path, label: str | int | None = None) -> tuple[str, ...]:
    """The names of all columns, the label's too; () without a header."""
    return tuple(_layout(path, label).header)


def column_names(path: Path) -> list[str]:
    """What the header of a table calls its columns; without a header "column 1" and so on."""
    layout = _layout(path, None)
    return layout.header or [f"column {k + 1}" for k in range(len(layout.example))]


def read_features(path: Path, names: Sequence[str] | None = None) -> np.ndarray:
    """Columns of a table, (n, d) float64: those with these names, in this order; None: all, none of them as a label."""
    layout = _layout(path, None)
    return _table(path, layout, None, None if names is None else _places(layout, names))


def _places(layout: _Layout, names: Sequence[str]) -> list[int]:
    return [layout.header.index(name) for name in names]


def _table(path: Path, layout: _Layout, words: _LabelWords | None, columns: Sequence[int] | None = None) -> np.ndarray:
    """These columns, in this order; of all (None) every line must have as many."""
    at = layout.label.position
    with _text(path) as lines:
        if layout.header:
            next(line for line in lines if line.strip())
        try:
            # numpy's reader and not pandas': it gives the double nearest to the text in every version, and names rows.
            return np.loadtxt(
                lines,
                delimiter=layout.delimiter.strip(" ") or None,
                quotechar='"',
                comments=None,
                ndmin=2,
                converters=words and {at: words},
                usecols=columns,
            )
        except ValueError:
            raise ValueError(_refusal(path, layout, words is not None, columns)) from None


class _LabelWords:
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
    if not 0 < len(field) <= MAX_LABEL_CHARACTERS:
        raise ValueError
    return field


@contextmanager
def _text(path: Path) -> Iterator[io.TextIOWrapper]:
    with open_bytes(path) as stream, io.TextIOWrapper(stream, encoding="utf-8-sig", newline="") as lines:
        try:
            yield lines
        except UnicodeDecodeError:
            raise ValueError(f"{path} is not a CSV file: it is not UTF-8 text") from None


def _layout(path: Path, label: str | int | None) -> _Layout:
    with _text(path) as lines:
        full = itertools.islice((line for line in lines if line.strip()), 2)
        one, two = next(full, ""), next(full, "")
    if not one:
        raise ValueError(f"{path} holds no examples")
    delimiter = _delimiter(one, two)
    first, second = (next((row for _, row in _rows([line], delimiter)), []) for line in (one, two))
    if len(first) == 1:
        raise ValueError(
            f"{path} needs at least one feature and the label; it has one column (columns are separated by commas, "
            "semicolons, tabs or spaces)"
        )
    names = first if _is_header(path, first, second, label) else []
    if names and not second:
        raise ValueError(f"{path} holds a header and no examples")
    found = _label_column(path, names, len(first), label)
    if names and len(second) != len(names):
        raise ValueError(f"{path}: the header has {len(names)} fields and the examples have {len(second)}")
    return _Layout(delimiter, names, second if names else first, found)


def _delimiter(first: str, second: str) -> str:
    """What separates the fields of these lines; one that is as frequent in both is likelier."""
    one, two = (re.sub(r'"[^"]*"', "", line) for line in (first, second))
    used = [mark for mark in DELIMITERS if mark in one.strip()]
    return next((mark for mark in used if one.count(mark) == two.count(mark)), used[0] if used else ",")


def _rows(lines: Iterable[str], delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """The fields of each row, and the number of the line in which it ends."""
    if delimiter == " ":
        lines = (" ".join(line.split()) for line in lines)
    reader = csv.reader(lines, delimiter=delimiter)
    try:
        for row in reader:
            yield reader.line_num, [field.strip() for field in row]
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num} of the table cannot be read: {error}") from None


def _is_header(path: Path, first: list[str], second: list[str], label: str | int | None) -> bool:
    """Whether the first line names the columns; if not, it is an example."""
    words = [field for field in first if field and not is_number(field)]
    if isinstance(label, str) and label in first:
        _check_named(path, first)
        return True
    if not words or _holds_a_label(first, second, -1 if label is None else _position(label, len(first))):
        return False
    _check_named(path, first)
    if len(words) < len(first) and not any(field.lower() in LABEL_NAMES for field in words):
        raise ValueError(
            f"{path}: its first line mixes numbers and words; is it a header or an example? "
            "A header names every column by a word, and the label y; an example holds numbers, and its label at the "
            "end or in the column that label names"
        )
    return True


def _check_named(path: Path, header: list[str]) -> None:
    if "" in header:
        raise ValueError(
            f"{path}: column {header.index('') + 1} has no name: name it, or leave it out if it holds row numbers, as "
            "pandas does with to_csv(..., index=False)"
        )


def _holds_a_label(first: list[str], second: list[str], at: int | None) -> bool:
    """Whether the first line is an example whose label, in column `at`, is a word, and the next line agrees."""
    if at is None:
        return False
    numbers = all(is_number(field) for k, field in enumerate(first) if k != at % len(first))
    agrees = not second or (-len(second) <= at < len(second) and bool(second[at]) and not is_number(second[at]))
    return numbers and agrees and first[at].lower() not in LABEL_NAMES


def _position(label: str | int, width: int) -> int | None:
    """The position that a label stands for, from -width to width - 1; None if it is none."""
    if isinstance(label, str) and not re.fullmatch(r"[+-]?[0-9]{1,9}", label):
        return None
    at = int(label)
    return at if -width <= at < width else None


def _label_column(path: Path, header: list[str], width: int, label: str | int | None) -> LabelColumn:
    if label is None:
        named = [i for i, field in enumerate(header) if field.lower() in LABEL_NAMES]
        if len(named) > 1:
            clash = ", ".join(header[i] for i in named)
            raise ValueError(f"{path} has more than one label column: {clash}; keep one, or name one by label")
        at, how = (named[0], "by its name") if named else (width - 1, LAST_COLUMN)
    elif isinstance(label, str) and label in header:
        if header.count(label) > 1:
            raise ValueError(
                f"{path} has {header.count(label)} columns called {checks.short_repr(label)}; name it by its position"
            )
        at, how = header.index(label), "as asked for"
    elif (position := _position(label, width)) is not None:
        at, how = position % width, "as asked for"
    elif isinstance(label, int) or re.fullmatch(r"[+-]?[0-9]+", label):
        raise ValueError(f"{path} has {width} columns, 0 to {width - 1}, and label is {checks.short_repr(label)}")
    elif not header:
        raise ValueError(f"{path} has no header, so its label is a position from 0, not {checks.short_repr(label)}")
    else:
        hint = checks.did_you_mean(label, header)
        raise ValueError(f"{path} has no column {checks.short_repr(label)}{hint} (columns: {_listed(header)})")
    return LabelColumn(header[at] if header else None, at, how)


def _listed(names: list[str]) -> str:
    rest = [f"... {len(names)} in all"] if len(names) > MAX_NAMES_SHOWN else []
    return ", ".join([*map(_shortened, names[:MAX_NAMES_SHOWN]), *rest])


def _shortened(name: str) -> str:
    return name if len(name) <= MAX_LABEL_CHARACTERS else checks.short_repr(name)


def _refusal(path: Path, layout: _Layout, words: bool, columns: Sequence[int] | None) -> str:
    """What is wrong in the columns of a table (None: all) that were not read; with `words` its labels are words."""
    header, width, label = layout.header, len(layout.example), layout.label.position if words else None

    def fault(row: list[str]) -> Fault | None:
        if len(row) != width:
            return Fault(f"{len(row)} fields, where the first line has {width}")
        for k, field in enumerate(row):
            column = header[k] if header and len(header[k]) <= MAX_LABEL_CHARACTERS else k + 1
            if k == label and not 0 < len(field) <= MAX_LABEL_CHARACTERS:
                length = f"1 to {MAX_LABEL_CHARACTERS} characters"
                return Fault(f"a label is a word of {length}, not {checks.short_repr(field)}", column)
            if k != label and not is_number(field) and (columns is None or k in columns):
                cure = ENCODE_WORDS
                if isinstance(column, str) and column.lower() in LABEL_NAMES and k != layout.label.position:
                    cure = f"it is a feature, since the label is {layout.label}"
                if re.fullmatch(r"[+-]?[0-9]+,[0-9]*", field):
                    cure = "write decimals with a point"
                return Fault(f"{checks.short_repr(field)} is not a number; {cure}", column)
        return None

    with _text(path) as lines:
        rows = ((number, row) for number, row in _rows(lines, layout.delimiter) if row)
        if header:
            next(rows)
        separated = DELIMITERS[layout.delimiter]
        return faulty_line(path, rows, fault) or (
            f"{path} is not a regular table: every line needs as many numbers, separated by {separated}"
        )
