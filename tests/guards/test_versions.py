"""Packages of which private names are used have an upper end: a new version may change these without a word."""

import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.dispatcher import Dispatcher
from packaging.requirements import Requirement

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"


@pytest.mark.parametrize("name", ["numba", "panel"])
def test_a_package_of_private_names_has_an_upper_end_that_takes_the_installed_version(name):
    needed = map(Requirement, tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["project"]["dependencies"])
    (found,) = (each.specifier for each in needed if each.name == name)
    assert version(name) in found
    major = int(version(name).partition(".")[0])
    assert f"{major}.999" not in found


def test_the_private_names_are_there():
    assert all(hasattr(CompileResult, name) for name in ("_reduce", "_rebuild"))
    assert hasattr(Dispatcher, "_compile_for_args")
    assert {"load_overload", "save_overload"} <= set(dir(_Cache))
