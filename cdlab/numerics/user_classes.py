"""A user's classes: the facts that they must state, checked as they are defined, and the names they are found by."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Mapping, MutableMapping
from dataclasses import fields
from typing import Any

from .jit.structs import base_name


def check_class_facts(kind: str, cls: type, facts: Mapping[str, str]) -> None:
    """Refuse a class without these attributes, unless it is abstract still.

    Parameters
    ----------
    kind : str
        What messages call it, such as "method".
    cls : type
        The class that is being defined.
    facts : mapping
        An example of its declaration for each attribute.

    Raises
    ------
    TypeError
        If an attribute is missing; the message says how to write it.
    """
    if any(getattr(getattr(cls, name, None), "__isabstractmethod__", False) for name in dir(cls)):
        return
    missing = [name for name in facts if not hasattr(cls, name)]
    if missing:
        lines = "; ".join(facts[name] for name in missing)
        raise TypeError(f"{kind} {cls.__name__} does not say its {' and '.join(missing)}: add to the class {lines}")


def check_instantiation(kind: str, cls: Any, values: Collection[Any], parameters: Collection[str]) -> None:
    """Refuse to make an instance of an incomplete class: Python's own message would not say what to write.

    Parameters
    ----------
    kind : str
        What messages call it, such as "method".
    cls : type
        The class, derived from a dataclass.
    values, parameters : collections
        The positional arguments, and the names of the keyword arguments.

    Raises
    ------
    TypeError
        If the class lacks a method that every class of its kind has, or has no such parameters because it is not a
        dataclass.
    """
    if inspect.isabstract(cls):
        missing = sorted(cls.__abstractmethods__)
        lines = "; ".join(
            f"def {name}({', '.join(inspect.signature(getattr(cls, name)).parameters)})" for name in missing
        )
        raise TypeError(f"{kind} {cls.__name__} has no {' and no '.join(missing)}: add to the class {lines}")
    if "__dataclass_fields__" in vars(cls):
        return
    known = [f.name for f in fields(cls) if f.init]
    if len(values) > len(known) or set(parameters) - set(known):
        raise TypeError(
            f"{kind} {cls.__name__} is not a dataclass and has no parameters of its own: write "
            f"@dataclass(frozen=True) above class {cls.__name__}"
        )


def check_defaults(kind: str, cls: type) -> None:
    """Refuse a class with a parameter that has no default: its name alone does not make an instance.

    Raises
    ------
    TypeError
    """
    parameters = inspect.signature(cls).parameters.values()
    bare = [p.name for p in parameters if p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)]
    if bare:
        raise TypeError(
            f"{kind} {base_name(cls)} needs {' and '.join(bare)}, and a name alone must make it: give "
            "the parameter a default, or pass instances without registering the class"
        )


def register_class(registry: MutableMapping[str, Any], kind: str, name: str, cls: Any) -> None:
    """Put a class into a registry by its name; a later definition of a user's own class replaces the earlier one.

    Raises
    ------
    ValueError
        If the name is one of cdlab's own.
    """
    package = __name__.partition(".")[0]
    known = registry.get(name)
    if known is not None and known is not cls and known.__module__.partition(".")[0] == package:
        raise ValueError(f"there is a {kind} named {name!r} in {package} already: give yours another name")
    registry[name] = cls
