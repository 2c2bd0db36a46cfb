"""Every public method and property is explained where it is defined, or where the class got it from.

Modules, classes and functions are ruff's to check (rules D). It does not know that an overriding method is explained by
the one that it overrides, nor that kernels look a struct's method up by its name, so that one text serves all structs.
"""

import functools
import importlib
import inspect
import pkgutil

import pytest
from cases import each_of

import benchmarks.peers
import cdlab
from cdlab.numerics.jit.structs import is_struct

PRIVATE = "cdlab.dashboard"  # its inside is

MEMBERS = (property, functools.cached_property, classmethod, staticmethod)


def modules():
    for package in (cdlab, benchmarks.peers):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if not module.name.endswith("__main__") and not module.name.startswith(PRIVATE):
                yield importlib.import_module(module.name)


def classes():
    for module in modules():
        for name, cls in vars(module).items():
            if inspect.isclass(cls) and cls.__module__ == module.__name__ and not name.startswith("_"):
                yield cls


def members(cls):
    """The public methods and properties that this class defines, by name."""
    for name, member in vars(cls).items():
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, MEMBERS)):
            yield name


def explained(cls, name):
    """Whether the member has a docstring, or one that it overrides has."""
    return any(inspect.getdoc(vars(base)[name]) for base in cls.__mro__ if name in vars(base))


def lacking(all_classes):
    shared = {name for cls in all_classes if of_structs(cls) for name in members(cls) if explained(cls, name)}
    for cls in all_classes:
        for name in members(cls):
            if not explained(cls, name) and not (of_structs(cls) and name in shared):
                yield f"{cls.__module__}.{cls.__name__}.{name}"


def of_structs(cls):
    """Whether this is a struct, or a protocol that says what one must have."""
    return is_struct(cls) or getattr(cls, "_is_protocol", False)


def test_every_public_method_is_explained():
    assert list(lacking(list(classes()))) == []


def sections_missing(function):
    """The numpydoc sections that the docstring of a function for users has not."""
    doc, signature = inspect.getdoc(function) or "", inspect.signature(function)
    needed = ["Parameters", "Raises"] if signature.parameters else []
    needed += ["Returns"] if signature.return_annotation != "None" else []
    return [name for name in needed if f"{name}\n{'-' * len(name)}\n" not in doc]


@each_of("module", ["cdlab", "cdlab.datasets", "cdlab.testing", "cdlab.eso_parameters"])
def test_what_users_call_says_what_it_takes_returns_and_raises(module):
    home = importlib.import_module(module)
    called = {name: getattr(home, name) for name in home.__all__}
    lacking = {name: sections_missing(each) for name, each in called.items() if inspect.isfunction(each)}
    assert lacking
    assert {name: sections for name, sections in lacking.items() if sections} == {}


class Base:
    def told(self):
        """What it is."""

    @property
    def size(self): ...


def undescribed(x: int) -> int:
    """What it is, and no more."""


def test_a_function_without_sections_is_found():
    assert sections_missing(undescribed) == ["Parameters", "Raises", "Returns"]


class Derived(Base):
    def told(self): ...

    def new(self): ...


@pytest.mark.parametrize(("cls", "name"), [(Base, "size"), (Derived, "new")])
def test_a_method_without_a_text_is_found(cls, name):
    assert [text.rpartition(".")[2] for text in lacking([cls])] == [name]
