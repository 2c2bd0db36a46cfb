"""The page's messages as TypeScript, for the type checker of JavaScript: needs nothing but Python.

python .ci/schema_types.py    writes cdlab/dashboard/frontend/src/schema.d.ts, which git ignores, from engine/schema.py
"""

import importlib.util
import inspect
import re
import sys
import types
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

DASHBOARD = Path(__file__).parents[1] / "cdlab/dashboard"
PLAIN = {str: "string", int: "number", float: "number", bool: "boolean", type(None): "null", Any: "any"}
REMARK = re.compile(r"^    (?P<name>\w+): [^#\n]*#\s*(?P<words>.*)$", re.MULTILINE)


def read_schema():
    """The module, without the package around it, whose imports need not be installed."""
    spec = importlib.util.spec_from_file_location("schema", DASHBOARD / "engine/schema.py")
    sys.modules["schema"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def interface(cls: type) -> str:
    """A dataclass as an interface, with its docstring and the remarks on its fields."""
    hints, remarks = get_type_hints(cls), dict(REMARK.findall(inspect.getsource(cls)))
    lines = []
    for field in fields(cls):
        if field.name in remarks:
            lines.append(f"  /** {remarks[field.name]} */")
        lines.append(f"  {field.name}: {as_typescript(hints[field.name])}")
    return f"/** {inspect.getdoc(cls)} */\nexport interface {cls.__name__} {{\n" + "\n".join(lines) + "\n}\n"


def as_typescript(hint: Any) -> str:
    if hint in PLAIN:
        return PLAIN[hint]
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Literal:
        return " | ".join(f'"{value}"' for value in arguments)
    if origin in (Union, types.UnionType):
        return " | ".join(map(as_typescript, arguments))
    if origin is list:
        return f"Array<{as_typescript(arguments[0])}>"
    if origin is tuple:
        return f"[{', '.join(map(as_typescript, arguments))}]"
    if origin is dict:
        return f"Record<{', '.join(map(as_typescript, arguments))}>"
    return hint.__name__


if __name__ == "__main__":
    declared = [interface(each) for each in vars(read_schema()).values() if is_dataclass(each)]
    (DASHBOARD / "frontend/src/schema.d.ts").write_text("\n".join(declared), encoding="utf-8")
