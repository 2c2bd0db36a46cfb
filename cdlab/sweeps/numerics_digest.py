"""The digest of the numerics: of the code that can move a run's numbers, as a part of its key.

It is taken from the parsed code without comments, docstrings and the words that lists show of a class, so that
rewording an explanation recomputes nothing.
Declared are whole packages and modules; of the methods, the one that runs and what it imports from their folder. What
reads data is left out: the data have a digest of their own.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..numerics.jit.structs import base_name

ROOT = Path(__file__).parents[1]
PACKAGE = __name__.partition(".")[0]
# Relative to the package. A folder stands for all modules in it.
SHARED = (
    "numerics",
    "losses",
    "regularizers.py",
    "samplings",
    "problems",
    "eso_parameters",
    "methods/base.py",
    "methods/shared",
    "runs/feed.py",
    "runs/limits.py",
    "runs/measuring.py",
    "runs/pauses.py",
    "runs/running.py",
    "runs/trace.py",
)
# In these folders, but of no number: words, files, and how kernels are cached
EXCEPT = (
    "numerics/checks.py",
    "numerics/files.py",
    "numerics/json_numbers.py",
    "numerics/jit/explaining.py",
    "numerics/jit/kernel_cache.py",
    "numerics/jit/private_names.py",
    "numerics/jit/sources.py",
)


SHOWN = ("group", "summary", "guarantee")  # Lists show these facts of a class, and no run reads them.


def numerics_digest(*classes: type, root: Path = ROOT, beside: Sequence[str] = ()) -> str:
    """Sixteen hexadecimal digits that change with the code of these classes, and with all that any run is made of.

    Parameters
    ----------
    *classes : type
        Those of the method, the sampling and the loss. One that is not of the package counts with its whole module.
    root : Path
        The folder of the package.
    beside : sequence of str
        Folders and files of the package that count, too, as in ``"paths"``.

    Raises
    ------
    ValueError
        If a class has no source that could be read: its runs could not be told from those of another of its name.
    """
    shared = (root / name for name in (*SHARED, *beside))
    files = {file for path in shared for file in (path.rglob("*.py") if path.is_dir() else [path])}
    files -= {root / name for name in EXCEPT}
    total = hashlib.sha256()
    for cls in classes:
        module = cls.__module__
        if module.partition(".")[0] != PACKAGE:
            total.update(module_digest(cls))
        else:
            file = root.joinpath(*module.split(".")[1:]).with_suffix(".py")
            files |= _with_imports(file, root / "methods") or {file}
    for file in sorted(files):
        total.update(file.relative_to(root).as_posix().encode())
        total.update(_file_digest(file, file.stat().st_mtime_ns))
    return total.hexdigest()[:16]


def module_digest(thing: Any) -> bytes:
    """The SHA-256 of the module of a class or a function, as `plain_code` writes it."""
    return hashlib.sha256(plain_code(_source(thing)).encode()).digest()


@cache
def _file_digest(file: Path, changed: int) -> bytes:
    return hashlib.sha256(plain_code(file.read_text(encoding="utf-8")).encode()).digest()


def plain_code(source: str) -> str:
    """The code as text that comments, words for people and layout do not change, and that every Python writes alike.

    `ast.dump` names fields that are empty, and each Python has others.

    Examples
    --------
    >>> plain_code("x = 1  # one") == plain_code("x = (1)"), plain_code("x = 1") == plain_code("x = 2")
    (True, False)
    """
    return "".join(_nodes(ast.parse(source)))


def _nodes(node: Any) -> Iterator[str]:
    if isinstance(node, ast.AST):
        yield f"{type(node).__name__}("
        for name, value in ast.iter_fields(node):
            if name == "body" and isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                value = value[1:] if ast.get_docstring(node, clean=False) is not None else value
                value = [each for each in value if not _is_shown(each)]
            if value is not None and value != []:
                yield f"{name}="
                yield from _nodes(value)
        yield ")"
    elif isinstance(node, list):
        for each in node:
            yield from _nodes(each)
            yield ","
    else:
        yield repr(node)


def _is_shown(node: ast.stmt) -> bool:
    """Tell whether this is such a fact, as in ``summary: ClassVar[str] = "exact steps"``."""
    if not (isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id in SHOWN):
        return False
    return ast.unparse(node.annotation).startswith("ClassVar")


def _with_imports(file: Path, folder: Path) -> set[Path]:
    """The file of a method, and those of its folder that it imports, directly or not."""
    found, left = set(), [file]
    while left:
        each = left.pop()
        if each not in found and each != folder / "__init__.py" and folder in each.parents:
            found.add(each)
            left += _imported(each, each.stat().st_mtime_ns)
    return found


@cache
def _imported(file: Path, changed: int) -> list[Path]:
    """The files that a file imports by their place, as in ``from .sdca import SDCA`` or ``from . import tabled``."""
    found = []
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for each in (base, *(base / name.name for name in node.names)):
                found += [path for path in (each.with_suffix(".py"), each / "__init__.py") if path.is_file()]
    return found


def _source(thing: Any) -> str:
    try:
        return inspect.getsource(sys.modules[thing.__module__])
    except (KeyError, OSError, TypeError):
        pass
    try:  # a cell of a notebook, which is no module
        return inspect.getsource(thing)
    except (OSError, TypeError):
        raise ValueError(
            f"{base_name(thing)} has no source that can be read, so its runs cannot be told from those of an edited "
            "one: put it into a file"
        ) from None
