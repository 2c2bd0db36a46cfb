"""How the command line writes values: ``huber:gamma=0.5``, ``quartz:averaged=true@importance``, ``1/n``, ``0-4``."""

from __future__ import annotations

import argparse
import inspect
import re
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from .. import losses, methods, samplings

Weight = Callable[[int], float]  # of n
LARGEST = 2**31 - 1  # what column numbers are stored in
LITERALS = {"true": True, "false": False, "none": None}


def spoken(convert: Callable[[str], Any]) -> Callable[[str], Any]:
    """Let argparse print the sentence of `convert`'s ValueError; it would say "invalid value" otherwise."""

    @wraps(convert)
    def converted(text: str) -> Any:
        try:
            return convert(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return converted


@spoken
def loss(text: str) -> losses.Loss:
    return losses.make(_instance(text, losses.LOSSES, losses.make))


@spoken
def method(text: str) -> methods.Method:
    return _instance(text, methods.METHODS, methods.make)


@spoken
def sampling(text: str) -> samplings.Sampling:
    return _instance(text, samplings.SAMPLINGS, samplings.make)


@spoken
def entry(text: str) -> tuple[methods.Method, samplings.Sampling]:
    """METHOD[:key=value,...][@SAMPLING[:key=value,...]]; the sampling is uniform unless named."""
    first, at, second = text.partition("@")
    if not first or (at and not second):
        raise ValueError(
            f"{text!r} is not an entry: write METHOD or METHOD@SAMPLING, as in quartz:averaged=true@importance"
        )
    return method(first), sampling(second or "uniform")


@spoken
def nonempty(text: str) -> str:
    if not text:
        raise ValueError("a data set or a file must be named; this name is empty")
    return text


@spoken
def weight(text: str) -> Weight:
    """A number, or c/n for the number of examples n that the data will have."""
    number, slash, n = text.partition("/")
    try:
        c = float(number)
        if slash and n.strip() != "n":
            raise ValueError
    except ValueError:
        raise ValueError(f"a weight is a number or c/n, such as 1e-3, 1/n or 0.1/n, not {text!r}") from None
    return (lambda n: c / n) if slash else (lambda n: c)


@spoken
def limit(text: str) -> float | None:
    """A number, or none for no limit."""
    return None if text.lower() == "none" else number(text)


@spoken
def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a number") from None


@spoken
def whole(text: str) -> int:
    if not re.fullmatch(r"[0-9]+", text) or int(text) > LARGEST:
        raise ValueError(f"{text!r} is not a whole number from 0 to {LARGEST}")
    return int(text)


@spoken
def seeds(text: str) -> list[int]:
    """Whole numbers and ranges: 0,1,7 or 0-4 (both ends included)."""
    found: list[int] = []
    for part in text.split(","):
        ends = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", part.strip())
        if ends is None:
            raise ValueError(f"seeds are whole numbers >= 0 and ranges, such as 0,1,7 or 0-4, not {text!r}")
        found += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    if not found or len(set(found)) < len(found):
        raise ValueError(
            f"{text!r} names {'a seed twice' if found else 'no seed'}; write ranges from small to large, as 0-4"
        )
    return found


def _instance(text: str, table: Mapping[str, Callable[..., Any]], make: Callable[[str], Any]) -> Any:
    name, colon, rest = text.partition(":")
    if name not in table:
        return make(name)  # raises: unknown name, with the close ones
    known = inspect.signature(table[name]).parameters
    parameters = {}
    for part in rest.split(",") if colon else ():
        key, equals, value = part.partition("=")
        if not (key and equals and value):
            raise ValueError(f"{text!r}: after the colon write key=value, separated by commas")
        if key not in known:
            has = f"it has {', '.join(known)}" if known else "it has none"
            raise ValueError(f"{name} has no parameter {key!r}; {has}")
        parameters[key] = _value(name, key, value, known[key].default)
    return table[name](**parameters)


def _value(name: str, key: str, text: str, default: Any) -> Any:
    """true, false, none, a whole number, a number or a word; where the default says which, nothing else."""
    if text.lower() in LITERALS:
        value: Any = LITERALS[text.lower()]
    else:
        try:
            value = int(text) if re.fullmatch(r"[+-]?[0-9]+", text) else float(text)
        except ValueError:
            value = text
    if isinstance(default, bool) and not isinstance(value, bool):
        raise ValueError(f"{name}: {key} is true or false, not {text!r}")
    if type(default) in (int, float) and type(value) not in (int, float):
        raise ValueError(f"{name}: {key} is a number, not {text!r}")
    return float(value) if isinstance(default, float) else value  # an int would compile its own kernels
