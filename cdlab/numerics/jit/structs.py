"""Classes whose methods kernels can call."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from types import FunctionType
from typing import Any, TypeVar
from weakref import WeakSet

from numba import types
from numba.extending import overload_method

from .flags import INLINED_FLAGS
from .sources import PACKAGE, is_first_definition

_method_signatures: dict[str, inspect.Signature] = {}
_structs: WeakSet[type] = WeakSet()
_redefined: WeakSet[type] = WeakSet()
_class_numbers = itertools.count(1)
Struct = TypeVar("Struct", bound=type)


def struct(cls: Struct) -> Struct:
    """Let kernels call the public methods of a NamedTuple class.

    Every struct needs at least one field (numba drops empty tuples from argument lists), and a method name has one
    signature across all structs, because numba looks methods up by name first. A class may be defined again, as when a
    cell of a notebook runs twice: every definition has kernels of its own.

    Raises
    ------
    TypeError
        If the class is not a NamedTuple, has no field, or a method's parameters differ from another struct's method of
        the same name.
    """
    if cls in _structs:
        return cls
    if not (isinstance(cls, type) and issubclass(cls, tuple)):
        name = getattr(cls, "__name__", cls)
        raise TypeError(f"struct {name} is not a NamedTuple; write class {name}(typing.NamedTuple): and its fields")
    if not getattr(cls, "_fields", ()):
        raise TypeError(f"struct {cls.__name__} has no field; give it at least one, numba cannot pass an empty tuple")
    for name, method in vars(cls).items():
        if name.startswith("_") or not inspect.isfunction(method):
            continue
        signature = _bare_signature(method)
        if name not in _method_signatures:
            _method_signatures[name] = signature
            _register_method(name, signature)
        known = _method_signatures[name]
        if known != signature:
            raise TypeError(
                f"{cls.__name__}.{name}{signature} differs from another struct's {name}{known}: a method name has one "
                "signature across all structs; use the same parameters or another name"
            )
    _structs.add(cls)
    if not is_first_definition(cls):
        _redefined.add(cls)
        _make_name_unique(cls)
    return cls


def is_digested(cls: type) -> bool:
    """Tell whether the source digest covers this class, so that compiled code using it may be cached."""
    return cls.__module__.partition(".")[0] == PACKAGE and cls not in _redefined


def is_struct(cls: type) -> bool:
    """Tell whether kernels can call this very class's methods."""
    return cls in _structs


def public_methods() -> frozenset[str]:
    """The names of all methods that kernels can call on some struct."""
    return frozenset(_method_signatures)


def base_name(cls: type) -> str:
    """The name that a class was written with."""
    return cls.__name__.partition("#")[0]


def _bare_signature(method: Callable) -> inspect.Signature:
    parameters = inspect.signature(method).parameters.values()
    return inspect.Signature([p.replace(annotation=inspect.Parameter.empty) for p in parameters])


def _register_method(name: str, signature: inspect.Signature) -> None:
    """Teach numba once that `x.name(...)` on any struct means the method of that struct's Python class."""

    def find(self: Any, *args: Any) -> Callable | None:
        cls = self.instance_class
        method = getattr(cls, name, None)
        if not inspect.isfunction(method):
            return None
        if cls not in _structs:
            raise TypeError(
                f"kernels call {cls.__qualname__}.{name}, but {cls.__qualname__} is not decorated with "
                "cdlab.jit.struct; decorate it, also if its parent class is"
            )
        return _without_annotations(method)

    find.__signature__ = signature  # type: ignore[attr-defined]
    overload_method(types.BaseNamedTuple, name, jit_options=INLINED_FLAGS)(find)


def _without_annotations(method: FunctionType) -> Callable:
    """The same function: numba compares `find` with the function it returns, and rejects annotations `find` lacks."""
    bare = FunctionType(method.__code__, method.__globals__, method.__name__, method.__defaults__, method.__closure__)
    bare.__qualname__, bare.__module__, bare.__kwdefaults__ = (
        method.__qualname__,
        method.__module__,
        method.__kwdefaults__,
    )
    return bare


def _make_name_unique(cls: type) -> None:
    """Give a class a name that no other has; its instances are printed as before.

    numba's dispatchers know a NamedTuple by the names of its class and fields and by the fields' types alone: of two
    classes that agree in these, the second would silently run the first one's formulas.
    """
    cls.__name__ = f"{cls.__name__}#{next(_class_numbers)}"
    if cls.__repr__.__module__ == "collections":  # still namedtuple's own repr
        cls.__repr__ = _struct_repr  # type: ignore[method-assign, assignment]


def _struct_repr(self: Any) -> str:
    fields = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
    return f"{base_name(type(self))}({fields})"
