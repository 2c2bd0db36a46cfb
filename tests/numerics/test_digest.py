"""The digest that names the folder of compiled kernels: it changes with all that can end up in machine code."""

import ast
import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

import cdlab
from cdlab.numerics import jit
from cdlab.numerics.jit import sources

PACKAGE = Path(cdlab.__file__).parent


@pytest.mark.full
def test_an_edit_of_any_file_that_kernels_can_contain_changes_the_digest(tmp_path):
    copy = shutil.copytree(PACKAGE, tmp_path / "cdlab", ignore=shutil.ignore_patterns("__pycache__"))
    before = sources.source_digest(copy)
    assert before == sources.source_digest()
    for file in sources.source_files(copy):
        own = file.read_bytes()
        file.write_bytes(own + b"# edited\n")
        assert sources.source_digest(copy) != before, file
        file.write_bytes(own)
    (copy / "losses" / "__init__.py").rename(copy / "losses" / "other.py")
    assert sources.source_digest(copy) != before


@pytest.mark.parametrize("name", sources.FOLDERS_ABOVE_KERNELS)
def test_an_edit_above_the_kernels_recompiles_nothing(tmp_path, name):
    copy = shutil.copytree(PACKAGE, tmp_path / "cdlab", ignore=shutil.ignore_patterns("__pycache__"))
    before = sources.source_digest(copy)
    (copy / name / "__init__.py").write_text("# edited\n")
    assert sources.source_digest(copy) == before


DECORATORS = {"kernel", "reduction", "scalar", "struct"}


def compiled_parts(tree):
    """The functions and classes of a module that end up in machine code."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = {getattr(each, "attr", getattr(each, "id", None)) for each in node.decorator_list}
            if names & DECORATORS:
                yield node


def origins(tree, file):
    """Of each name that a module imports from the package, the file that it comes from."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for alias in node.names:
                places = [base / f"{alias.name}.py", base / alias.name / "__init__.py"]
                places += [base.with_suffix(".py"), base / "__init__.py"]
                yield alias.asname or alias.name, next(place for place in places if place.exists())


def test_every_file_whose_code_or_constants_kernels_contain_is_digested():
    """What is decorated, and what the decorated parts name; else a stale version of it could run."""
    digested, found = set(sources.source_files()), 0
    for file in PACKAGE.rglob("*.py"):
        tree = ast.parse(file.read_text())
        parts = list(compiled_parts(tree))
        assert not parts or file in digested, file
        imported = dict(origins(tree, file))
        for part in parts:
            used = {node.id for node in ast.walk(part) if isinstance(node, ast.Name)}
            for name in used & set(imported):
                assert imported[name] in digested, f"{part.name} in {file} uses {name}"
                found += 1
    assert found > 50


def test_a_class_that_is_defined_again_is_not_what_the_digest_describes():
    """As when a module of the package is edited and loaded again in the same process."""
    assert jit.is_digested(cdlab.losses.Squared)

    class Again(NamedTuple):
        c: float

    Again.__module__, Again.__qualname__ = cdlab.losses.Squared.__module__, cdlab.losses.Squared.__qualname__
    assert not jit.is_digested(jit.struct(Again))
    assert jit.struct(cdlab.losses.Squared) is cdlab.losses.Squared  # decorated twice, it is still the same
    assert jit.is_digested(cdlab.losses.Squared)
