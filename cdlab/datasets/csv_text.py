"""CSV: numbers in columns, with or without a header line; labels may be words."""

from __future__ import annotations

import csv
import io
import itertools
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ..numerics import checks
from ..numerics.tables import cure_of
from ..problems.labels import MAX_LABEL_CHARACTERS
from .text_files import Fault, faulty_line, is_number, open_bytes

LABEL_NAMES = ("y", "label", "target", "class")
LAST_COLUMN = "the last column"
MAX_NAMES_SHOWN = 8
POINTS = "write decimals with a point, without commas that group digits and without units"
DELIMITERS = {"\t": "tabs", ";": "semicolons", ",": "commas", " ": "spaces"}  # the first that is used


class LabelColumn(NamedTuple):
    """The column of a table that is its label.

    Attributes
    ----------
    name : str or None
        The name of the column in the header; None in a file without a header.
    position : int
        Counted from 0.
    how : str
        The reason for this column: "by its name", "the last column", "as asked for".
    """

    name: str | None
    position: int
    how: str

    def __str__(self) -> str:
        if self.name is None:
            return self.how if self.how == LAST_COLUMN else f"column {self.position} from 0 ({self.how})"
        return f"{_shortened(self.name)} ({self.how})"


class Columns(NamedTuple):
    """The columns of a table that are not features, by names or positions from 0 (-1: the last), as in `load`."""

    label: str | int | None = None
    drop: Sequence[str | int] = ()
    offset: str | int | None = None


class Layout(NamedTuple):
    """First lines of a table: how it is separated, its header ([]: none), an example, its columns."""

    delimiter: str
    ends_with_delimiter: bool
    header: list[str]
    example: list[str]
    label: LabelColumn
    features: list[int]  # all columns but the label, the offset and those that are dropped
    offset: list[int]  # the position of the offset, or none

    @property
    def names(self) -> list[str]:
        """Names of the columns in the header; without a header "column 1" and so on."""
        return self.header or [f"column {k + 1}" for k in range(len(self.example))]

    @property
    def feature_names(self) -> tuple[str, ...]:
        """The names of the columns of X; () without a header."""
        return tuple(self.header[k] for k in self.features) if self.header else ()


Rows = tuple[np.ndarray, np.ndarray, np.ndarray | None]


def read_csv(path: Path, columns: Columns, features: Sequence[str] | None = None) -> Rows:
    """Read numbers separated by commas, semicolons, tabs or spaces, with or without a header line.

    Parameters
    ----------
    path : Path
        The file.
    columns : Columns
        The label, numbers or words, the offset, and what is left out.
    features : sequence of str, optional
        The columns of X, in this order, by their names in the header. Default: all others.

    Returns
    -------
    X : ndarray (n, d), float64, row-major
    y : ndarray (n,), float64 or str
    offset : ndarray (n,), float64, or None
    """
    layout = layout_of(path, columns)
    at = layout.label.position
    words = None if is_number(layout.example[at]) else _LabelWords()
    places = layout.features if features is None else _places(layout, features)
    table = _table(path, layout, words, [*places, at, *layout.offset])
    X, y = np.ascontiguousarray(table[:, places]), table[:, at].copy()
    return X, y if words is None else words.of(y), _offset(layout, table)


def read_features(
    path: Path, columns: Columns, names: Sequence[str] | None = None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Columns of a table, those with these names or all that are not left out, (n, d) float64; the offset, (n,)."""
    layout = layout_of(path, columns)
    places = sorted([*layout.features, layout.label.position]) if names is None else _places(layout, names)
    table = _table(path, layout, None, [*places, *layout.offset])
    return np.ascontiguousarray(table[:, places]), _offset(layout, table)


def _offset(layout: Layout, table: np.ndarray) -> np.ndarray | None:
    return table[:, layout.offset[0]].copy() if layout.offset else None


def _places(layout: Layout, names: Sequence[str]) -> list[int]:
    return [layout.header.index(name) for name in names]


def _table(path: Path, layout: Layout, words: _LabelWords | None, places: Sequence[int]) -> np.ndarray:
    """All columns, with 0 in those at other places, whatever they hold; every line must have the same number."""
    unread = set(range(len(layout.example))) - set(places)
    converters: dict[int | str, Callable] = dict.fromkeys(unread, lambda field: 0.0)
    with _text(path, layout) as lines:
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
                converters=(converters | ({layout.label.position: words} if words else {})) or None,
            )
        except ValueError:
            raise ValueError(_refusal(path, layout, words is not None, unread)) from None


class _LabelWords:
    """Numbers words in the order in which they come, and gives them back."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def __call__(self, field: str) -> int:
        return self._numbers.setdefault(_word(field), len(self._numbers))

    def of(self, numbers: np.ndarray) -> np.ndarray:
        return np.array(list(self._numbers))[numbers.astype(np.int64)]


def _word(field: str) -> str:
    """A label, stripped. Raises ValueError if it is empty or too long."""
    field = field.strip()
    if not 0 < len(field) <= MAX_LABEL_CHARACTERS:
        raise ValueError
    return field


@contextmanager
def _text(path: Path, layout: Layout | None = None) -> Iterator[Iterator[str]]:
    """The lines of a table without delimiters at their ends; a first line sep=; as Excel writes it becomes empty."""
    with open_bytes(path) as stream:
        begins = re.match(rb'"?sep=(.)"?\s', stream.peek(8)[:8], re.IGNORECASE)
        before = ["\n"] if begins and stream.readline() else []
        with io.TextIOWrapper(stream, encoding="utf-8", newline="") as lines:
            try:
                end = layout.delimiter if layout is not None and layout.ends_with_delimiter else ""
                yield itertools.chain(
                    before, (line.rstrip().removesuffix(end) + "\n" for line in lines) if end else lines
                )
            except UnicodeDecodeError:
                raise ValueError(f"{path} is not a CSV file: it is not UTF-8 or UTF-16 text") from None


def layout_of(path: Path, columns: Columns) -> Layout:
    """Read the first lines of a table; a ValueError where they do not fit together, or not the columns named."""
    label, drop, offset = columns
    named = [*drop, *([] if offset is None else [offset])]
    with _text(path) as lines:
        full = itertools.islice((line for line in lines if line.strip()), 2)
        one, two = next(full, ""), next(full, "")
    if not one:
        raise ValueError(f"{path} holds no examples")
    delimiter = _delimiter(one, two)
    rows = [next((row for _, row in _rows([line], delimiter)), []) for line in (one, two)]
    shorter = [row[:-1] if row[-1:] == [""] else row for row in rows]
    ends = shorter != rows and len(shorter[0]) == len(shorter[1] or shorter[0])
    first, second = shorter if ends else rows
    if len(first) == 1:
        raise ValueError(
            f"{path} needs at least one feature and the label; it has one column (columns are separated by commas, "
            "semicolons, tabs or spaces)"
        )
    width = len(first)
    place = {x: k for k, x in enumerate(first) if not is_number(x)}
    likely = {place.get(str(x), (_position(x, width) or 0) % width) for x in named}
    names = first if _is_header(path, first, second, [label, *named], likely) else []
    if names and not second:
        raise ValueError(f"{path} holds a header and no examples")
    dropped = {_place(path, names, width, "drop", each) for each in drop}
    added = [] if offset is None else [_place(path, names, width, "offset", offset)]
    if both := dropped.intersection(added):
        raise ValueError(f"{path}: column {both.pop()} from 0 is the offset, and cannot be left out by drop")
    kept = [k for k in range(width) if k not in {*dropped, *added}]
    found = _label_column(path, names, width, label, kept)
    if found.position in dropped:
        raise ValueError(f"{path}: {found} is the label, and cannot be left out by drop")
    if found.position in added:
        raise ValueError(f"{path}: {found} is the label, and cannot be the offset, too")
    features = [k for k in kept if k != found.position]
    if not features:
        raise ValueError(f"{path} needs at least one feature beside the label, and drop leaves none")
    if names and len(second) != len(names):
        raise ValueError(f"{path}: the header has {len(names)} fields and the examples have {len(second)}")
    return Layout(delimiter, ends, names, second if names else first, found, features, added)


def _delimiter(first: str, second: str) -> str:
    """Return what separates the fields of these lines; one that is as frequent in both is likelier."""
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


def _is_header(
    path: Path, first: list[str], second: list[str], named: Sequence[str | int | None], dropped: Collection[int]
) -> bool:
    """Tell whether the first line names the columns; else it is an example. The first of those `named` is the label."""
    kept = [k for k in range(len(first)) if k not in dropped]
    words = [first[k] for k in kept if first[k] and not is_number(first[k])]
    label = kept[-1] if named[0] is None and kept else named[0]
    names = [name for name in named if isinstance(name, str) and first.count(name)]
    known = any(not is_number(name) for name in names)  # "0" is a name beside words alone, else a position
    known |= bool(names) and all(first.count(name) == 1 for name in names) and len(words) + len(names) >= len(kept)
    at = None if label is None else _position(label, len(first))
    if not known and (not words or _holds_a_label(first, second, at, kept)):
        return False
    if unnamed := [k for k in kept if not first[k]]:
        raise ValueError(
            f"{path}: column {unnamed[0] + 1} has no name: name it, or leave it out by drop={unnamed[0]} if it holds "
            "row numbers, as pandas does with to_csv(..., index=False)"
        )
    if not known and len(words) < len(kept) and not any(field.lower() in LABEL_NAMES for field in words):
        raise ValueError(
            f"{path}: its first line mixes numbers and words; is it a header or an example? "
            "A header names every column by a word, and the label y; an example holds numbers, and its label at the "
            "end or in the column that label names; drop leaves other columns out"
        )
    return True


def _holds_a_label(first: list[str], second: list[str], at: int | None, kept: Sequence[int]) -> bool:
    """Tell whether the first line is an example whose label, in column `at`, is a word, and the next line agrees."""
    if at is None:
        return False
    numbers = all(is_number(first[k]) for k in kept if k != at % len(first))
    agrees = not second or (-len(second) <= at < len(second) and bool(second[at]) and not is_number(second[at]))
    return numbers and agrees and first[at].lower() not in LABEL_NAMES


def _position(label: str | int, width: int) -> int | None:
    """The position that a label stands for, from -width to width - 1; None if it stands for none."""
    if isinstance(label, str) and not re.fullmatch(r"[+-]?[0-9]{1,9}", label):
        return None
    at = int(label)
    return at if -width <= at < width else None


def _label_column(
    path: Path, header: list[str], width: int, label: str | int | None, kept: Sequence[int]
) -> LabelColumn:
    if label is None:
        named = [k for k in kept if header and header[k].lower() in LABEL_NAMES]
        if len(named) > 1:
            clash = ", ".join(header[i] for i in named)
            raise ValueError(f"{path} has more than one label column: {clash}; keep one, or name one by label")
        at, how = (named[0], "by its name") if named else (max(kept, default=0), LAST_COLUMN)
    else:
        at, how = _place(path, header, width, "label", label), "as asked for"
    return LabelColumn(header[at] if header else None, at, how)


def _place(path: Path, header: list[str], width: int, what: str, column: str | int) -> int:
    """The position of the column that an argument names, which the sentence calls `what`."""
    if isinstance(column, str) and column in header:
        if (count := header.count(column)) > 1:
            raise ValueError(f"{path} has {count} columns called {checks.short_repr(column)}; name it by its position")
        return header.index(column)
    if (position := _position(column, width)) is not None:
        return position % width
    shown = checks.short_repr(column)
    if isinstance(column, int) or re.fullmatch(r"[+-]?[0-9]+", column):
        raise ValueError(f"{path} has {width} columns, 0 to {width - 1}, and {what} is {shown}")
    if not header:
        raise ValueError(f"{path} has no header, so {what} takes positions from 0, not {shown}")
    hint = checks.did_you_mean(column, header)
    raise ValueError(f"{path} has no column {shown}{hint} (columns: {_listed(header)})")


def _listed(names: list[str]) -> str:
    rest = [f"... {len(names)} in all"] if len(names) > MAX_NAMES_SHOWN else []
    return ", ".join([*map(_shortened, names[:MAX_NAMES_SHOWN]), *rest])


def _shortened(name: str) -> str:
    return name if len(name) <= MAX_LABEL_CHARACTERS else checks.short_repr(name)


def _refusal(path: Path, layout: Layout, words: bool, unread: Collection[int]) -> str:
    """Tell what is wrong in a table, apart from the columns `unread`; with `words` its labels are words."""
    header, width, label = layout.header, len(layout.example), layout.label.position if words else None

    def fault(row: list[str]) -> Fault | None:
        if len(row) != width:
            return Fault(f"{len(row)} fields, where the first line has {width}")
        for k, field in enumerate(row):
            column = header[k] if header and len(header[k]) <= MAX_LABEL_CHARACTERS else k + 1
            if k == label and not 0 < len(field) <= MAX_LABEL_CHARACTERS:
                length = f"1 to {MAX_LABEL_CHARACTERS} characters"
                return Fault(f"a label is a word of {length}, not {checks.short_repr(field)}", column)
            if k != label and not is_number(field) and k not in unread:
                cure = cure_of(field, POINTS) + (
                    ", or leave the column out by drop" if k != layout.label.position else ""
                )
                if isinstance(column, str) and column.lower() in LABEL_NAMES and k != layout.label.position:
                    cure = f"it is a feature, since the label is {layout.label}"
                return Fault(f"{checks.short_repr(field)} is not a number; {cure}", column)
        return None

    with _text(path, layout) as lines:
        rows = ((number, row) for number, row in _rows(lines, layout.delimiter) if row)
        if header:
            next(rows)
        separated = DELIMITERS[layout.delimiter]
        return faulty_line(path, rows, fault) or (
            f"{path} is not a regular table: every line needs as many numbers, separated by {separated}"
        )
