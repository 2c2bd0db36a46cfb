"""Tables from users: their columns by the names that a message can give them, and words where numbers belong."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from contextlib import suppress
from typing import Any, NoReturn

import numpy as np
import scipy.sparse as sp

from . import checks

ENCODE_WORDS = "encode words as numbers (labels as -1 and 1) and fill in missing values"
DATES_TO_NUMBERS = "make numbers of dates, as days since the first by pandas.to_datetime"
NUMBER_AS_TEXT = re.compile(r"\W*\d[\d.,\s]*(e[-+]?\d+)?\W*", re.IGNORECASE)  # "113,558", "1.5e5", "113558 €"
DATE = re.compile(r"\d{1,4}([-/.])\d{1,2}\1\d{1,4}([ T]\d{1,2}:\d{2}\S*)?")
MAX_NAMED_COLUMNS = 5  # columns in a message


def array_of(X: Any) -> np.ndarray:
    """The examples as an array, of any dtype that is not of words.

    Raises
    ------
    ValueError
        If it is none, or a column holds words: which one, and what to do.
    """
    x = checks.array("X", X)
    if x.ndim == 2 and x.dtype.kind in "OUT":
        check_words(X, x)
        if all(getattr(kind, "kind", "O") in "biuf" for kind in getattr(X, "dtypes", "O")):
            with suppress(TypeError):  # of a missing entry
                return x.astype(np.float64)  # booleans beside numbers, which numpy makes objects of
        if (place := next((at for at, each in np.ndenumerate(x) if not _is_float(each)), None)) is not None:
            shown = f"row {place[0]} (from 0) of {named_columns(X, [place[1]])} holds {checks.short_repr(x[place])}"
            cure = DATES_TO_NUMBERS if hasattr(x[place], "year") else "fill in missing entries, all must be numbers"
            raise ValueError(f"X must hold real numbers, and {shown}; {cure}")
        raise ValueError("X must hold real numbers; its dtype is object: convert it by X.astype(float)")
    if x.dtype.kind in "mM":
        raise ValueError(f"X must hold real numbers; its dtype is {x.dtype}: {DATES_TO_NUMBERS}")
    return x


def cure_of(text: str, of_numbers: str) -> str:
    """Tell what makes a number of a text that is none: of a date, of a number as people write it, or of a word."""
    if DATE.fullmatch(text):
        return DATES_TO_NUMBERS
    if is_number_text([text]):
        return of_numbers
    return ENCODE_WORDS


def check_words(X: Any, x: np.ndarray, *, convertible: bool = False) -> None:
    """Refuse words among the entries x (n, d), an array of objects or of str, of the examples X.

    Parameters
    ----------
    X : frame, array or list
        Says what the columns are called.
    x : (n, d) array
        The same as an array.
    convertible : bool, default False
        Whether texts that `float` takes are numbers.

    Raises
    ------
    ValueError
    """
    for j in range(x.shape[1]):
        words = (each for each in x[:, j] if isinstance(each, str) and not (convertible and _is_float(each)))
        if (word := next(words, None)) is not None:
            cure = cure_of(word, "numbers stored as text: convert them by astype(float)")
            raise ValueError(
                f"X must hold real numbers, and {named_columns(X, [j])} holds {checks.short_repr(str(word))}; {cure}"
            )


def _is_float(entry: Any) -> bool:
    try:
        float(entry)
    except (TypeError, ValueError):
        return False
    return True


def is_number_text(words: Collection[str]) -> bool:
    """Tell whether all these words are numbers as people write them: with commas, blanks or a currency."""
    return all(NUMBER_AS_TEXT.fullmatch(word) for word in words)


def named_columns(X: Any, places: Collection[int]) -> str:
    """Columns of X in a sentence, the first five: by their names in a frame, else by their numbers from 0."""
    names = getattr(X, "columns", None)
    shown = _first_words([checks.short_repr(names[j]) if names is not None else str(j) for j in places])
    count = "" if names is not None else " (counted from 0)"
    return f"{'column' if len(places) == 1 else 'columns'} {shown}{count}"


def _first_words(words: Sequence[str]) -> str:
    more = f" and {len(words) - MAX_NAMED_COLUMNS} more" if len(words) > MAX_NAMED_COLUMNS else ""
    return ", ".join(words[:MAX_NAMED_COLUMNS]) + more


def feature_names(X: Any) -> tuple[str, ...] | None:
    """The columns of a frame whose names are all texts, as scikit-learn takes them; None for anything else."""
    names = getattr(X, "columns", None)
    return tuple(names) if names is not None and all(isinstance(name, str) for name in names) else None


def check_feature_names(X: Any, known: tuple[str, ...] | None) -> None:
    """Refuse a frame whose columns are not those of training, in their order, where both have names.

    Raises
    ------
    ValueError
    """
    names = feature_names(X)
    if names is None or known is None or names == known:
        return
    if missing := [checks.short_repr(name) for name in known if name not in names]:
        raise ValueError(f"X lacks columns that were there in training: {_first_words(missing)}")
    raise ValueError("X has more columns than in training, or these in another order: pass X[list(feature_names)]")


def refuse_infinite(X: Any, values: np.ndarray | sp.csr_matrix) -> NoReturn:
    """Refuse entries of which some are NaN or infinite, with the columns that hold them.

    Parameters
    ----------
    X : frame, array or sparse matrix
        Says what the columns are called.
    values : (n, d) array or CSR
        Its entries.

    Raises
    ------
    ValueError
    """
    if isinstance(values, np.ndarray):
        strange, entries = ~np.isfinite(values), values.size
        by_column = strange.sum(axis=0)
    else:
        strange, entries = ~np.isfinite(values.data), values.data.size
        by_column = np.bincount(values.indices[strange], minlength=values.shape[1])
    whole = np.flatnonzero(by_column == values.shape[0])
    where = named_columns(X, np.flatnonzero(by_column).tolist())
    cure = f", in {where}; fill or remove them first"
    if whole.size and isinstance(values, np.ndarray):
        cure = (
            f": {named_columns(X, whole.tolist())} without a single number, as a constant column is after it was "
            "divided by its standard deviation, 0; leave it out"
        )
    raise ValueError(f"X contains NaN or infinity ({int(by_column.sum())} of {entries} entries){cure}")


def check_order(X: Any, y: Any) -> None:
    """Refuse a vector as X beside a matrix as y.

    Raises
    ------
    ValueError
    """
    if getattr(X, "ndim", None) == 1 and getattr(y, "ndim", None) == 2:
        raise ValueError(
            f"X has shape {X.shape} and y {y.shape}: they seem to be in each other's place; the examples X come first, "
            "their labels y second"
        )
