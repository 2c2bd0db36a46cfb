"""The JavaScript of components: a module with those that it imports, as one text.

Panel gives a browser one module for each component, as a text or under an address of its own; relative imports lead
nowhere from there. So the modules are joined when Python imports the component: nobody needs a build tool, nothing is
asked of another host, and a static page can import the same files as they are.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.{1,2}/[^"]+)"\n', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


def script(path: Path) -> str:
    """The text of a module, with all that it imports before it, each in a scope of its own.

    Raises
    ------
    ValueError
        For an import or export in another form than ``import {a, b as c} from "./other.js"`` and ``export const``,
        ``function`` or ``class`` with one name each, a name that is not exported, or modules that import each other.
    OSError
        If an imported file is not there.
    """
    scopes: dict[Path, Scope] = {}
    entry = _with_imports(path.resolve(), scopes, ())
    return "\n".join([*(scope.text for scope in scopes.values()), entry])


class Scope(NamedTuple):
    """An imported module, as a constant."""

    text: str
    exported: list[str]


def _with_imports(path: Path, scopes: dict[Path, Scope], waiting: tuple[Path, ...]) -> str:
    """The text of a module whose imports have become constants; what it imports is added to `scopes`."""
    if path in waiting:
        raise ValueError(f"{path.name} imports itself, by way of {', '.join(other.name for other in waiting)}")

    def constant(found: re.Match) -> str:
        names, other = found[1], (path.parent / found[2]).resolve()
        if other not in scopes:
            text = _with_imports(other, scopes, (*waiting, path))
            exported = EXPORT.findall(text)
            body = f"{EXPORT.sub('', text)}\nreturn {{{', '.join(exported)}}}"
            scopes[other] = Scope(f"const {_name(other)} = (() => {{\n{body}\n}})()", exported)
        for name in (each.partition(" as ")[0].strip() for each in names.split(",")):
            if name not in scopes[other].exported:
                raise ValueError(f"{path.name} imports {name}, and {other.name} has no line that exports it")
        return f"const {{{names.replace(' as ', ': ')}}} = {_name(other)}\n"

    text = IMPORT.sub(constant, path.read_text(encoding="utf-8"))
    for line in OTHER.findall(EXPORT.sub("", text)):
        raise ValueError(f"{path.name} has an import or export that cannot be joined: {line}")
    return text


def _name(path: Path) -> str:
    """A name for a module that no other has."""
    return f"$_{path.parent.name}_{path.stem}"
