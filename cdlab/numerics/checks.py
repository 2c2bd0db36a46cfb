"""Checks of what users hand over, once: numbers, words and arrays, each refused in one sentence.

``what`` is how the sentence calls the value: "l2", "spdc's step". A value of the wrong kind, or out of its range, is a
ValueError, as it always was here: callers need to catch one exception only.
"""

from __future__ import annotations

import inspect
import math
import numbers
import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

MAX_FILE_NAME_CHARACTERS = 255  # characters of a file's name, in most file systems
SHOWN_CHARACTERS = 40  # of what is longer
LARGEST_FLOAT = float(np.finfo(np.float64).max)
NUMPY_VALUES = (np.generic, np.ndarray)
LITERALS = {"true": True, "false": False, "none": None}  # in texts


def number(what: str, value: Any, wanted: str, *, low: float = 0.0, high: float = math.inf, ends: str = "()") -> float:
    """A real number between `low` and `high` as a float.

    Parameters
    ----------
    what, value
        The name in the sentence, and the value.
    wanted : str
        What would be right: "a number > 0".
    low, high : float
        The range. Infinity and NaN are never in it.
    ends : str, default "()"
        "[" or "]" where an end belongs to the range.

    Raises
    ------
    ValueError
    """
    if is_number(value):
        try:
            x = float(value if isinstance(value, float) else _plain(value))
        except OverflowError:  # 10**400
            x = math.inf
        above = x >= low if ends[0] == "[" else x > low
        below = x <= high if ends[1] == "]" else x < high
        if above and below and math.isfinite(x):
            return x
    raise ValueError(f"{what} must be {wanted}, not {short_repr(value)}")


def is_number(value: Any) -> bool:
    """Tell whether the value is a real number, of any size; True and False are none."""
    if isinstance(value, float):  # as most are, and numpy's
        return True
    plain = _plain(value)
    return isinstance(plain, numbers.Real) and not isinstance(plain, bool)


def is_integer(value: Any) -> bool:
    """Tell whether the value is a whole number, of any size; True, False and 3.0 are none."""
    plain = _plain(value)
    return isinstance(plain, numbers.Integral) and not isinstance(plain, bool)


def integer(what: str, value: Any, wanted: str, *, low: int = 1) -> int:
    """A whole number from `low` on that fits 64 bits, as an int.

    Raises
    ------
    ValueError
    """
    if is_integer(value) and low <= int(value) < 2**63:
        return int(value)
    raise ValueError(f"{what} must be {wanted}, not {short_repr(value)}")


def seed(value: Any) -> np.random.Generator:
    """A generator of random numbers with this seed.

    Raises
    ------
    ValueError
    """
    try:
        return np.random.default_rng(value)
    except (TypeError, ValueError):
        raise ValueError(f"seed must be a whole number >= 0, not {short_repr(value)}") from None


def flag(what: str, value: Any) -> bool:
    """True or False.

    Raises
    ------
    ValueError
    """
    plain = _plain(value)
    if isinstance(plain, bool):
        return plain
    raise ValueError(f"{what} must be True or False, not {short_repr(value)}")


def has_several(value: Any) -> bool:
    """Tell whether the value can be gone through: no text, and no array that is one number."""
    return isinstance(value, Iterable) and not isinstance(value, str) and getattr(value, "ndim", 1) > 0


def is_one_of(value: Any, words: Collection[str | None]) -> bool:
    """Tell whether the value is one of these words (or None), and no array, which would be compared by elements."""
    return (value is None or isinstance(value, str)) and value in words


def one_of(what: str, value: Any, words: Collection[str | None]) -> None:
    """Refuse what is none of these words.

    Raises
    ------
    ValueError
    """
    if not is_one_of(value, words):
        raise ValueError(f"{what} must be {join_with_or(map(repr, words))}, not {short_repr(value)}")


def close_names(name: str, names: Collection[str], limit: int = 1, cutoff: float = 0.6) -> list[str]:
    """Return those of `names`, at most so many, that someone who wrote `name` may have meant."""
    import difflib  # only when something is wrong

    close = difflib.get_close_matches(name, names, n=max(1, len(names)), cutoff=cutoff)

    def distance(each: str) -> tuple[float, bool]:  # of equally close ones those of the same letters: "sdac" is sdca
        return -difflib.SequenceMatcher(None, each, name).ratio(), sorted(each) != sorted(name)

    return sorted(close, key=distance)[:limit]


def did_you_mean(name: str, names: Collection[str]) -> str:
    """The end of a sentence about an unknown name: "; did you mean 'sdca'?", or nothing where none is close."""
    close = close_names(name, names)
    return f"; did you mean {close[0]!r}?" if close else ""


def hint_for_name(name: str, names: Mapping[str, Any]) -> str:
    """The end of a sentence about "huber(gamma=0.5)": that this is an instance; else as `did_you_mean`."""
    head, bracket, rest = name.partition("(")
    if not (bracket and isinstance(names.get(head), type)):
        return did_you_mean(name, names)
    cls = names[head].__qualname__.rpartition(".")[2]
    return f"; parameters make it an instance: pass {cls}({rest}, not a string"


def join_with_or(words: Iterable[str]) -> str:
    """The words of a choice in a sentence: "uniform, permutation or cyclic"."""
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def array(what: str, value: Any) -> np.ndarray:
    """The value as an array, whatever its dtype. Masked entries are refused: numpy would drop the mask in silence.

    Raises
    ------
    ValueError
    """
    if type(value) is np.ndarray:  # as most are; masked ones are of another class
        return value
    if np.ma.isMaskedArray(value) and (count := int(np.ma.count_masked(value))):
        raise ValueError(f"{what} has {count} masked entries, which are not numbers; fill or remove them first")
    try:
        return np.asarray(value)
    except Exception:  # whatever a foreign object raises while numpy asks it for its values
        raise ValueError(
            f"{what} is not an array: its rows differ in length, or it cannot be converted to one"
        ) from None


def real_array(what: str, value: Any) -> np.ndarray:
    """The value as an array of float64, not necessarily finite; without a copy where it is one already.

    Raises
    ------
    ValueError
        For numbers that are not real, and for numbers that float64 cannot hold.
    """
    return to_float64(what, check_real_dtype(what, array(what, value)))


def check_real_dtype(what: str, x: np.ndarray) -> np.ndarray:
    """The array itself.

    Raises
    ------
    ValueError
        If it holds something else than real numbers.
    """
    if x.dtype.kind not in "biuf":
        raise ValueError(f"{what} must hold real numbers; its dtype is {x.dtype}")
    return x


def to_float64(what: str, x: np.ndarray) -> np.ndarray:
    """An array of real numbers in float64.

    Raises
    ------
    ValueError
        For finite numbers that become infinite.
    """
    if x.dtype == np.float64:
        return x
    if x.dtype.itemsize <= 8 or x.dtype.kind != "f":
        return x.astype(np.float64)
    with np.errstate(over="ignore"):
        out = x.astype(np.float64)
    lost = np.isinf(out) & np.isfinite(x)
    if lost.any():
        raise ValueError(
            f"{what} holds numbers beyond float64, whose largest is {LARGEST_FLOAT:.2g} ({int(lost.sum())} "
            "entries of dtype "
            f"{x.dtype}); divide them first"
        )
    return out


def error_message(error: BaseException) -> str:
    """The message of a foreign error in one line; its kind, if it has none."""
    text = getattr(error, "strerror", None) or " ".join(str(error).split())  # of the system, without its number
    return (text if len(text) <= 200 else f"{text[:200]} ...") or type(error).__name__


def shorten_long_words(text: str, limit: int = MAX_FILE_NAME_CHARACTERS) -> str:
    """The text with words of more characters than a file's name can have cut: their beginning, and their length."""
    if len(text) <= limit:
        return text
    return re.sub(
        rf"[^\s/\\]{{{limit + 1},}}", lambda word: f"{word[0][:SHOWN_CHARACTERS]}... ({len(word[0])} characters)", text
    )


def short_repr(value: Any) -> str:
    """The value in a message: a short repr, or what kind of thing it is."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    try:
        text = repr(value)
    except Exception:  # an int of more than 4300 digits has no repr
        text = ""
    if isinstance(value, str) and len(text) > 60:
        return f"{text[:60]}... ({len(value)} characters)"
    kind = type(value).__name__.partition("#")[0]  # users' structs are told apart by a number
    return text if text and len(text) <= 60 and "\n" not in text else f"a value of type {kind}"


def _plain(value: Any) -> Any:
    """numpy's scalars, and arrays without axes, as Python's own."""
    if isinstance(value, NUMPY_VALUES) and value.ndim == 0 and not np.ma.isMaskedArray(value):
        return value.item() if value.dtype.kind in "biuf" and value.dtype.itemsize <= 8 else value
    return value


def file_name(what: str, value: Any) -> Path:
    """The name of a file as a Path.

    Raises
    ------
    TypeError, ValueError
        If it is something else, or no name that a file can have.
    """
    if not isinstance(value, str | os.PathLike) or not isinstance(os.fspath(value), str):
        raise TypeError(f"{what} must be the name of a file, not {short_repr(value)}")
    if not os.fspath(value) or "\0" in os.fspath(value):
        raise ValueError(f"{what} must be the name of a file, and {short_repr(os.fspath(value))} cannot be one")
    return Path(value)


def callable_or_none(what: str, value: Any, called_with: str) -> None:
    """Refuse what cannot be called, before a run has begun.

    Parameters
    ----------
    what, value
        The name in the sentence, and the value.
    called_with : str
        What it is given: "a Record".

    Raises
    ------
    TypeError
    """
    if not (value is None or callable(value)):
        raise TypeError(f"{what} must be a function of {called_with}, or None, not {short_repr(value)}")


def pair_or_none(what: str, value: Any, wanted: str) -> None:
    """Refuse what is not a tuple or list of two things, or of three: X, y and an offset.

    Raises
    ------
    TypeError
    """
    if not (value is None or (isinstance(value, tuple | list) and len(value) in (2, 3))):
        raise TypeError(f"{what} must be {wanted}, or None, not {short_repr(value)}")


# ------------------------------------------------------------ fields of frozen dataclasses
def set_number_field(
    owner: Any, field: str, wanted: str, words: Collection[str | None] = (None,), **limits: Any
) -> None:
    """Check that ``owner.field`` is a number in its range, see `number`, or one of `words`, and store it as a float.

    Kernels are compiled for floats: a Fraction, a numpy scalar or an array without axes means the same number.

    Raises
    ------
    ValueError
    """
    if not is_one_of(value := getattr(owner, field), words):
        object.__setattr__(owner, field, number(f"{owner.name}'s {field}", value, wanted, **limits))


def set_integer_field(
    owner: Any, field: str, wanted: str, words: Collection[str | None] = (None,), low: int = 1
) -> None:
    """Check that ``owner.field`` is a whole number >= low, or one of `words`, and store it as an int.

    Raises
    ------
    ValueError
    """
    if not is_one_of(value := getattr(owner, field), words):
        object.__setattr__(owner, field, integer(f"{owner.name}'s {field}", value, wanted, low=low))


# ---------------------------------------------------------------- calls in a text
def call_in_text(text: str, functions: Mapping[str, Callable[..., Any]]) -> Callable[[], Any] | None:
    """The call that "name:key=value,..." stands for; None if that is not the name of one of the functions.

    Raises
    ------
    ValueError
        If an argument is not one of the function's, is of another kind than its default, or is missing.
    """
    name, colon, rest = text.partition(":")
    if name not in functions:
        return None
    known = inspect.signature(functions[name]).parameters
    arguments = {}
    for part in rest.split(",") if colon else ():
        key, _, value = part.partition("=")
        if not (key and value):
            raise ValueError(f"{short_repr(text)}: after the colon write key=value, separated by commas")
        if key not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise ValueError(f"{name} has no parameter {short_repr(key)}; {has}")
        arguments[key] = _value_in_text(f"{name}: {key}", value, known[key].default)
    missing = [key for key, each in known.items() if each.default is each.empty and key not in arguments]
    if missing:
        written = ",".join(f"{key}=NUMBER" for key in missing)
        raise ValueError(f"{name} needs {' and '.join(missing)}: write {name}:{written}")
    return partial(functions[name], **arguments)


def _value_in_text(what: str, text: str, default: Any) -> Any:
    """true, false, none, a whole number, a number or a word; where the default says which, nothing else."""
    if text.lower() in LITERALS:
        value: Any = LITERALS[text.lower()]
    else:
        try:
            value = int(text) if re.fullmatch(r"[+-]?[0-9]{1,18}", text) else float(text)
        except ValueError:
            value = text
    if isinstance(default, bool) and not isinstance(value, bool):
        raise ValueError(f"{what} is true or false, not {short_repr(text)}")
    if (type(default) in (int, float) or default is inspect.Parameter.empty) and type(value) not in (int, float):
        raise ValueError(f"{what} is a number, not {short_repr(text)}")
    return float(value) if isinstance(default, float) else value  # an int would compile its own kernels
