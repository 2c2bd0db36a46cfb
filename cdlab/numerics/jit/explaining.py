"""One sentence in place of numba's pages: why a kernel does not compile, and where to look."""

from __future__ import annotations

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from numba.core.errors import NumbaError

from .structs import base_name, public_methods

_NUMBA_ERRORS = (NumbaError, NotImplementedError)  # the second: numba has no code for what it has typed
_ALLOCATION_SIGNS = ("NRT required", "Only accept returning of array passed", "_ol_array_allocate")
_LINE_PATTERN = re.compile(r'File "([^"]+)", line (\d+)|at (\S+) \((\d+)\)')
_CAUSE_PATTERN = re.compile(
    r"(?:Unknown attribute|NameError:|Cannot unify|Undecided type|Invalid use of|Unsupported|Untyped global|Use of "
    r"unsupported|Unknown|missing a required argument|too many positional arguments)[^\n]*"
)
_UNKNOWN_FIELD_PATTERN = re.compile(r"Unknown attribute '(\w+)' of type ([^\s(]+)\(")
_NUMBA_LINE_PATTERN = re.compile(r"^(Failed in |During:|File |- |There |\s|$)")  # where numba was, not what was wrong


class KernelError(TypeError):
    """A kernel, or a struct that it calls, cannot be compiled; the message says why, where, and what can be."""


def explain_compile_errors(compiled: Any, function: Callable) -> Callable:
    """Let this kernel raise `KernelError` where numba cannot compile it; a kernel that is compiled pays nothing."""
    by_numba = compiled._compile_for_args

    def compile_for_args(*args: Any, **options: Any) -> Any:
        refuse_field_clashes(function.__name__, args)
        try:
            return by_numba(*args, **options)
        except _NUMBA_ERRORS as error:
            raise KernelError(_error_sentence(function, str(error), args)) from None

    compiled._compile_for_args = compile_for_args
    return compiled


def refuse_field_clashes(kernel: str, values: Iterable[Any]) -> None:
    """Refuse NamedTuples with a field that is called like a method of structs: numba finds the method first.

    Raises
    ------
    KernelError
    """
    for value in values:
        if not hasattr(type(value), "_fields"):
            continue
        clash = sorted(public_methods().intersection(value._fields))
        if clash:
            names = " and ".join(map(repr, clash))
            raise KernelError(
                f"{base_name(type(value))} has a field {names}, and in kernel {kernel} numba takes that for the method "
                "of structs (losses, matrices, regularisers) with this name: rename the field"
            )
        refuse_field_clashes(kernel, value)


def _error_sentence(function: Callable, said: str, values: Iterable[Any]) -> str:
    who = f"kernel {function.__name__}"
    held = list(_named_tuples(values))
    for owner in held:
        for field, value in zip(owner._fields, owner, strict=True):
            if isinstance(value, list | dict | set):
                place, kind = f"{base_name(type(owner))}.{field}", type(value).__name__
                return f"{who} cannot take {place}, which is a {kind}: make it an array in `init`"
    assigned = _assigned_attribute(function)
    if assigned is not None:
        target, line = assigned
        return (
            f"{who} assigns to {target} in line {line}, and a state is a tuple, whose fields stay what they are: write "
            "into an array of it (S.x[0] = ...), or return the new number and let `epoch` return S._replace(...)"
        )
    where = _line_text(said) or _line_of_name(function, said)
    if any(sign in said for sign in _ALLOCATION_SIGNS):
        return (
            f"{who} makes a new array{where} (np.zeros, a sum of two arrays, a copy), and kernels cannot: make it in "
            "`init`, keep it in the state, and fill it in a loop"
        )
    return f"{who} does not compile{where}: {_unknown_field(said, held) or _numba_reason(said)}"


def _named_tuples(values: Iterable[Any]) -> Iterator[Any]:
    """The NamedTuples among these values, and those that are fields of them."""
    for value in values:
        if hasattr(type(value), "_fields"):
            yield value
            yield from _named_tuples(value)


def _unknown_field(said: str, held: Iterable[Any]) -> str | None:
    missing = _UNKNOWN_FIELD_PATTERN.findall(said)
    for value in held:
        if missing and type(value).__name__ == missing[-1][1]:
            return f"{base_name(type(value))} has no {missing[-1][0]!r}; its fields are {', '.join(value._fields)}"
    return None


def _syntax_tree(function: Callable) -> tuple[ast.Module, int] | None:
    """The function's syntax tree, and the line of its file where it begins."""
    try:
        lines, first = inspect.getsourcelines(function)
        return ast.parse(textwrap.dedent("".join(lines))), first
    except (OSError, TypeError, SyntaxError):  # typed into a shell: there is no source
        return None


def _assigned_attribute(function: Callable) -> tuple[str, int] | None:
    """The first attribute that the kernel assigns to, and the line of its file."""
    parsed = _syntax_tree(function)
    if parsed is None:
        return None
    tree, first = parsed
    for node in ast.walk(tree):
        targets = getattr(node, "targets", None) or [getattr(node, "target", None)]
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign) and isinstance(targets[0], ast.Attribute):
            return ast.unparse(targets[0]), first + node.lineno - 1
    return None


def _line_of_name(function: Callable, said: str) -> str:
    """Find where the kernel has the name that numba does not know, which it says without a line."""
    unknown, parsed = re.search(r"NameError: name '(\w+)'", said), _syntax_tree(function)
    if unknown is None or parsed is None:
        return ""
    tree, first = parsed
    lines = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == unknown[1]]
    return f" at {Path(inspect.getfile(function)).name}, line {first + min(lines) - 1}" if lines else ""


def _line_text(said: str) -> str:
    """The innermost line of code outside numba that the message names."""
    places = [(a or b, int(m or n)) for a, m, b, n in _LINE_PATTERN.findall(said)]
    own = [(file, line) for file, line in places if "numba" not in Path(file).parts]
    return f" at {Path(own[0][0]).name}, line {own[0][1]}" if own else ""


def _numba_reason(said: str) -> str:
    causes = _CAUSE_PATTERN.findall(said)
    if causes:  # what called what stands around the innermost
        return causes[-1][:200]
    lines = [" ".join(line.split()) for line in said.splitlines() if not _NUMBA_LINE_PATTERN.match(line)]
    return (lines[0] if lines else " ".join(said.split()))[:200]
