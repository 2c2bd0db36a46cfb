"""A theorem is found because it stands in a file of theorems/: no other place has to know of it."""

import sys

import pytest

from cdlab import theory
from cdlab.theory import registry, theorem_files

NEW = """
from cdlab.theory.forms import contraction
from cdlab.theory.symbols import P0, d, l2, nnz

METHODS = ("brand_new",)

BOUNDS = (
    contraction(
        "{method}", "mine", K=d / l2, constant=P0, bounded="P(w)-P*", W=nnz / d, assumptions=(l2 > 0,),
        source="mine", side="primal",
    ),
)
"""
CACHED = (
    theorem_files.theorem_files, theorem_files.theorems_in, theorem_files.own_theorems, registry.theorems_of,
    registry.all_theorems,
)  # fmt: skip


def forget_files():
    for find in CACHED:
        find.cache_clear()


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file into a folder that stands in for theorems/."""
    import cdlab.theory.theorems as package

    monkeypatch.setattr(theorem_files, "FOLDER", tmp_path)
    monkeypatch.setattr(package, "__path__", [str(tmp_path)])
    forget_files()
    yield lambda text: (tmp_path / "brand_new.py").write_text(text)
    sys.modules.pop("cdlab.theory.theorems.brand_new", None)
    forget_files()


def test_a_theorem_in_a_new_file_is_found(write):
    write(NEW.format(method="brand_new"))
    assert theory.bound("brand_new").theorem == "mine"
    assert {b.quantity for b in theory.bounds()} == set(theory.QUANTITIES)
    assert registry.methods() == ("brand_new",)


def test_a_file_that_declares_other_methods_than_its_theorems_are_about_is_refused(write):
    write(NEW.format(method="other"))
    with pytest.raises(ImportError, match="METHODS and ALSO_ABOUT in theorems/brand_new.py .* on brand_new, other"):
        theory.bound("brand_new")


HOME = "a theorem goes into the file whose METHODS has its method, after the one that cdlab.theory.bound should answer"


def test_a_method_of_two_files_is_refused(write, tmp_path):
    write(NEW.format(method="brand_new"))
    (tmp_path / "another.py").write_text(NEW.format(method="brand_new"))
    with pytest.raises(ImportError, match=f"another.py and of theorems/brand_new.py both have brand_new: {HOME}"):
        theory.bound("brand_new")


def test_a_theorem_about_the_method_of_another_file_is_refused(write):
    write(NEW.format(method="other").replace('METHODS = ("brand_new",)', 'ALSO_ABOUT = ("other",)'))
    with pytest.raises(ImportError, match=f"has other in ALSO_ABOUT and a theorem about it: {HOME}"):
        theory.bound("other")


def test_each_file_has_theorems_of_the_methods_that_it_declares():
    for file in theorem_files.theorem_files():
        assert theorem_files.theorems_in(file)  # which refuses a file whose two lists differ


def test_every_theorem_is_among_those_of_its_method():
    for file in theorem_files.theorem_files():
        for b in theorem_files.theorems_in(file):
            assert b in registry.theorems_of(b.method)


def test_a_name_of_a_theorem_is_of_one_file():
    """So that a method's own file answers without the others."""
    for method in registry.methods():
        own = {b.theorem for b in theorem_files.own_theorems(method)}
        assert not own & {b.theorem for b in registry.theorems_of(method)[len(theorem_files.own_theorems(method)) :]}


def test_no_theorem_is_stated_twice():
    keys = [(b.method, b.theorem, b.sampling) for b in registry.all_theorems()]
    assert len(set(keys)) == len(keys)


def test_a_method_without_a_theorem_has_none():
    assert not set(registry.WITHOUT_THEOREM) & set(registry.methods())
