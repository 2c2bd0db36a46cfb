"""``python -m cdlab.dashboard.engine.typescript`` writes the schema as TypeScript for the front end's type checker."""

from __future__ import annotations

import inspect
import re
import types
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from . import schema

DECLARATIONS = Path(__file__).parents[1] / "frontend/src/schema.d.ts"
HEADING = "// Written by python -m cdlab.dashboard.engine.typescript"
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "any"}
REMARK = re.compile(r"^    (?P<name>\w+): [^#\n]*#\s*(?P<words>.*)$", re.MULTILINE)


def declarations() -> str:
    """Declare the dataclasses of the schema as interfaces, with their docstrings and the remarks on their fields."""
    found = [each for each in vars(schema).values() if is_dataclass(each)]
    return "\n".join([HEADING, *(_interface(each) for each in found)])


def _interface(cls: type) -> str:
    hints, remarks = get_type_hints(cls), dict(REMARK.findall(inspect.getsource(cls)))
    lines = []
    for field in fields(cls):
        if field.name in remarks:
            lines.append(f"  /** {remarks[field.name]} */")
        lines.append(f"  {field.name}: {_as_typescript(hints[field.name])}")
    return f"\n/** {inspect.getdoc(cls)} */\nexport interface {cls.__name__} {{\n" + "\n".join(lines) + "\n}\n"


def _as_typescript(hint: Any) -> str:
    if hint in PLAIN:
        return PLAIN[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in arguments)
    if origin in (Union, types.UnionType):
        return " | ".join(map(_as_typescript, arguments))
    if origin is list:
        return f"Array<{_as_typescript(arguments[0])}>"
    if origin is tuple:
        return f"[{', '.join(map(_as_typescript, arguments))}]"
    if origin is dict:
        return f"Record<{', '.join(map(_as_typescript, arguments))}>"
    return hint.__name__


if __name__ == "__main__":
    DECLARATIONS.parent.mkdir(parents=True, exist_ok=True)
    DECLARATIONS.write_text(declarations(), encoding="utf-8")
