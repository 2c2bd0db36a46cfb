"""No private name of a library is used, and no upper end of its versions stands for one: what is new can be installed.

numba's are the exception: cdlab looks for each, and does without what is not there (numerics/jit/private_names.py).
"""

import ast
import importlib
import pkgutil
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import cdlab

PACKAGE = Path(cdlab.__file__).parent
PYPROJECT = PACKAGE.parent / "pyproject.toml"
OF_NUMBA = {"_Cache", "_cache", "_reduce", "_rebuild", "_compile_for_args"}  # in numerics/jit
PUBLIC = {"_replace", "_asdict", "_fields", "_make", "_exit"}  # of named tuples, and of os


def private(names) -> set[str]:
    return {name for name in names if name.startswith("_") and not name.startswith("__")}


def imported(tree: ast.AST) -> set[str]:
    """Names that are imported of other packages, and the parts of their paths."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {part for each in node.names for part in each.name.split(".")}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names |= {*(node.module or "").split("."), *(each.name for each in node.names)}
    return names


def defined(tree: ast.AST) -> set[str]:
    """Names that are given to something of one's own: functions, classes, fields, and attributes of self."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
            names.add(node.attr)
    return names


def test_no_private_name_of_a_library_is_read_or_set():
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in PACKAGE.rglob("*.py")}
    own, used = PUBLIC.union(*map(defined, trees.values())), {}
    for path, tree in trees.items():
        attributes = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
        within = OF_NUMBA if path.parent == PACKAGE / "numerics" / "jit" else set()
        used[path.relative_to(PACKAGE).as_posix()] = private(imported(tree) | (attributes - own)) - within
    assert {path: names for path, names in used.items() if names} == {}


def test_no_private_name_of_a_library_is_defined_anew():
    """A class that a library's class is a parent of replaces none of its private methods."""
    replaced, seen = {}, 0
    for module in pkgutil.walk_packages([str(PACKAGE)], "cdlab."):
        if module.name.endswith("__main__"):
            continue
        for cls in vars(importlib.import_module(module.name)).values():
            if not isinstance(cls, type) or cls.__module__ != module.name:
                continue
            seen += 1
            foreign = [base for base in cls.__mro__[1:] if not base.__module__.startswith(("cdlab", "builtins"))]
            own = {name for name, part in vars(cls).items() if getattr(part, "__module__", "") == module.name}
            if anew := private(own) & set().union(*map(vars, foreign)):
                replaced[f"{module.name}.{cls.__name__}"] = anew
    assert seen > 300
    assert replaced == {}


@pytest.mark.parametrize("name", ["numpy", "scipy", "numba", "pandas", "scikit-learn", "panel"])
def test_the_next_version_of_a_library_can_be_installed(name):
    needed = map(Requirement, tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["dependencies"])
    (found,) = (each.specifier for each in needed if each.name == name)
    assert "999.0" in found
