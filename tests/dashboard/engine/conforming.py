"""Whether an answer, as JSON has it, is what the schema says."""

import types
from dataclasses import fields
from json import loads
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from cdlab.dashboard.engine.answering import to_json


def sent(answer):
    """An answer as it arrives: JSON, which has neither inf nor nan."""
    return loads(to_json(answer))


def faults(value, hint, place="answer"):
    """What of a value is not as its type says: a sentence each."""
    if hint is Any:
        return []
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return [] if value in arguments else [f"{place} is {value!r}, none of {arguments}"]
    if origin in (Union, types.UnionType):
        tried = [faults(value, each, place) for each in arguments]
        return [] if not all(tried) else min(tried, key=len)
    if origin in (list, tuple):
        if not isinstance(value, list):
            return [f"{place} is no list"]
        inside = arguments * (len(value) if origin is list else 1)
        return [
            fault for k, (v, h) in enumerate(zip(value, inside, strict=True)) for fault in faults(v, h, f"{place}[{k}]")
        ]
    if origin is dict:
        return [fault for key, v in value.items() for fault in faults(v, arguments[1], f"{place}.{key}")]
    if hint is type(None):
        return [] if value is None else [f"{place} is not null"]
    if hint is float:
        return (
            []
            if isinstance(value, int | float) and not isinstance(value, bool)
            else [f"{place} is {value!r}, no number"]
        )
    if hint in (str, int, bool):
        return [] if type(value) is hint else [f"{place} is {value!r}, not {hint.__name__}"]
    if not isinstance(value, dict) or value.keys() != {field.name for field in fields(hint)}:
        return [f"{place} is no {hint.__name__}"]
    hints = get_type_hints(hint)
    return [fault for name, v in value.items() for fault in faults(v, hints[name], f"{place}.{name}")]
