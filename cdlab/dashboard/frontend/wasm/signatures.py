"""Signatures of the compiled kernels, as they stand in kernels.json."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numba import types


def key(name: str, compiled: Any) -> str:
    """A kernel with the classes of its arguments, "sdca_epoch(View(Sparse,Logistic,L2),State)"."""
    return f"{name}({','.join(filter(None, map(_classes, compiled.signature.args)))})"


def _classes(kind: Any) -> str:
    """The classes of an argument; arrays and numbers are left out."""
    if not isinstance(kind, types.BaseNamedTuple):
        return ""
    inside = ",".join(filter(None, map(_classes, kind.types)))
    return kind.instance_class.__name__ + (f"({inside})" if inside else "")


def signature(compiled: Any) -> dict[str, list[str]]:
    """The arguments in numba's order, "P.X.data float64[1]", and the kinds of what is returned."""
    kinds = compiled.signature.args
    args = [each for name, kind in zip(compiled.fndesc.args, kinds, strict=True) for each in _flat(kind, name)]
    packed = compiled.target_context.get_arg_packer(kinds).argument_types  # numba's own count must agree
    count = sum(5 + 2 * int(a[-2]) if a.endswith("]") else 1 for a in args)
    if len(packed) != count:
        raise TypeError(f"{compiled.fndesc.qualname}: numba passes {len(packed)} values, and this counts {count}")
    return {"args": args, "returns": _returned(compiled.signature.return_type)}


def _flat(kind: Any, path: str) -> Iterator[str]:
    """The arguments as numba flattens them: "path kind", kind a dtype with the number of axes of an array."""
    if isinstance(kind, types.BaseNamedTuple):
        for field, part in zip(kind.fields, kind.types, strict=True):
            yield from _flat(part, f"{path}.{field}")
    elif isinstance(kind, types.Array):
        yield f"{path} {kind.dtype}[{kind.ndim}]"
    elif isinstance(kind, types.Number | types.Boolean):
        yield f"{path} {kind}"
    else:
        raise TypeError(f"{path}: there is no way to pass {kind}")


def _returned(kind: Any) -> list[str]:
    if isinstance(kind, types.NoneType):
        return []
    return [str(part) for part in (kind.types if isinstance(kind, types.BaseTuple) else [kind])]
