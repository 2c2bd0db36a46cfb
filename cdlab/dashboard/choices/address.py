"""Choices, and the axes of the picture, as the text of an address, and back."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import param

from ..words import number

LONGEST = 40  # characters of what an address says that are repeated
MOST = 3  # complaints told one by one


def written(choices: Any) -> dict[str, str]:
    """The choices that differ from their defaults."""
    values = choices.values()
    return in_words({name: value for name, value in values.items() if value != choices.param[name].default})


def in_words(values: Mapping[str, Any]) -> dict[str, str]:
    """Values as the text of an address."""
    return {name: _text(value) for name, value in values.items()}


def read(choices: Any, query: Mapping[str, str]) -> tuple[dict[str, Any], list[str]]:
    """The values that an address asks for, and one sentence for each that cannot be taken."""
    values, complaints = {}, []
    for name, text in query.items():
        try:
            if name not in choices.values():
                raise ValueError("there is no such choice")
            value = _parsed(choices.param[name], text)
            type(choices)(**{name: value})  # param checks the range
            values[name] = value
        except ValueError as error:
            complaints.append(left_out(name, text, told(error)))
    return values, complaints


def left_out(name: str, text: str, why: str) -> str:
    """What is said about something that the address asks for in vain."""
    for long in filter(None, (text, name)):
        why = why.replace(long, cut(long))
    why = re.sub(rf"\S{{{LONGEST + 1},}}", lambda found: cut(found.group()), why)
    return f"The address asks for {cut(name)}={cut(text)}, which was left out: {why}."


def cut(text: str) -> str:
    """A text of an address, or its beginning.

    >>> cut("9" * 400)
    '9999999999999999999999999999999999999999…'
    """
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def few(complaints: Sequence[str]) -> list[str]:
    """What is wrong with an address: three sentences, and how many more there would be.

    >>> few(["One.", "Two.", "Three.", "Four.", "Five."])
    ['One.', 'Two.', 'Three.', 'The address asks for 2 more things that were left out.']
    """
    more = len(complaints) - MOST
    things = "thing that was" if more == 1 else "things that were"
    return [*complaints[:MOST], *([f"The address asks for {more} more {things} left out."] if more > 0 else [])]


def told(error: ValueError) -> str:
    """What param says about a value that it refuses, without the names of the code."""
    first = str(error).splitlines()[0].partition("; valid options")[0].rstrip(".")  # lists of them are long
    words = re.sub(r"^\w+ parameter '\w+\.\w+'", "it", first)
    return re.sub(r"\b\d[\d.]*(e[+-]?\d+)?\b", lambda found: _plainly(found.group()), words)


def _plainly(text: str) -> str:
    """A large or small number as people write it, unless that would round it."""
    try:
        x = float(text)
    except ValueError:  # a date, a version
        return text
    return number(x) if len(text) > 7 and float(f"{x:.2e}") == x else text


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ",".join(value) if isinstance(value, list) else str(value)


def _parsed(kind: param.Parameter, text: str) -> Any:
    if isinstance(kind, param.Boolean):
        if text not in ("yes", "no"):
            raise ValueError("it must be yes or no")
        return text == "yes"
    if isinstance(kind, param.ListSelector):
        return text.split(",") if text else []
    if isinstance(kind, param.Selector | param.String):
        return text
    try:
        return int(text) if isinstance(kind, param.Integer) else float(text)
    except ValueError:
        raise ValueError(f"it must be a {'whole ' if isinstance(kind, param.Integer) else ''}number") from None
