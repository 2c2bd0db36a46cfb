"""``python -m cdlab.dashboard.frontend.schema_types`` writes the engine's questions and answers as types of JavaScript."""

from __future__ import annotations

import inspect
import types
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from ..engine import schema

WRITTEN = Path(__file__).parent / "src/schema.d.ts"
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "any"}


def declarations() -> str:
    """All dataclasses of the schema as interfaces."""
    found = [each for each in vars(schema).values() if is_dataclass(each)]
    return "\n".join(["// Written by python -m cdlab.dashboard.frontend.schema_types", *map(_interface, found)]) + "\n"


def _interface(each: type) -> str:
    hints = get_type_hints(each)
    lines = [f"  {field.name}: {_words(hints[field.name])}" for field in fields(each)]
    return f"\n/** {inspect.getdoc(each)} */\nexport interface {each.__name__} {{\n" + "\n".join(lines) + "\n}"


def _words(hint: Any) -> str:
    """A type hint in TypeScript."""
    if hint in PLAIN:
        return PLAIN[hint]
    kind, inside = get_origin(hint), get_args(hint)
    if kind is Literal:
        return " | ".join(f'"{value}"' for value in inside)
    if kind in (Union, types.UnionType):
        return " | ".join(map(_words, inside))
    if kind is list:
        return f"Array<{_words(inside[0])}>"
    if kind is tuple:
        return f"[{', '.join(map(_words, inside))}]"
    if kind is dict:
        return f"Record<{_words(inside[0])}, {_words(inside[1])}>"
    return hint.__name__


if __name__ == "__main__":
    WRITTEN.write_text(declarations(), encoding="utf-8")
