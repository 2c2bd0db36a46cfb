"""The files of theorems/, discovered by listing the folder.

Deriving theorems takes sympy a while, so a file is imported only when one of its methods is asked about; which these
are, METHODS and ALSO_ABOUT, is parsed from its text, without importing it. What it states are `Bound`s, and a refusal
by one of them asks here what else covers a problem: they are typed Any, since bound.py imports this module.
"""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

FOLDER = Path(__file__).with_name("theorems")
DECLARATION = re.compile(r"^(METHODS|ALSO_ABOUT) = (\(.*?\))", re.MULTILINE | re.DOTALL)

ALTERNATIVE_METHOD = "sdca"  # its theorems cover most problems: named where a method's own do not


class TheoremFile(NamedTuple):
    """A file in theorems/, by what it says of itself.

    Attributes
    ----------
    name : str
        The name of the module.
    methods : tuple of str
        The methods whose theorems it has, METHODS: of each the first one is the main theorem.
    also_about : tuple of str
        The methods of other files about which it has a lemma or an asymptotic statement, ALSO_ABOUT.
    """

    name: str
    methods: tuple[str, ...]
    also_about: tuple[str, ...]


@cache
def theorem_files() -> tuple[TheoremFile, ...]:
    """The files in theorems/, none of which is imported."""
    found = []
    for path in sorted(FOLDER.glob("[!_]*.py")):
        declared = {name: ast.literal_eval(value) for name, value in DECLARATION.findall(path.read_text("utf-8"))}
        found.append(TheoremFile(path.stem, declared.get("METHODS", ()), declared.get("ALSO_ABOUT", ())))
    return tuple(found)


@cache
def theorems_in(file: TheoremFile) -> tuple[Any, ...]:
    """The BOUNDS of a file.

    Raises
    ------
    ImportError
        If they are about other methods than the file declares.
    """
    found: tuple[Any, ...] = importlib.import_module(f".theorems.{file.name}", __package__).BOUNDS
    wrong = {*file.methods, *file.also_about} ^ {b.method for b in found}
    if wrong:
        raise ImportError(
            f"METHODS and ALSO_ABOUT in theorems/{file.name}.py must name the methods that its BOUNDS are about, and "
            f"disagree with them on {', '.join(sorted(wrong))}"
        )
    return found


@cache
def main_theorems(method: str) -> tuple[Any, ...]:
    """The theorems of a method in its own file, the main one first."""
    return tuple(
        b for file in theorem_files() if method in file.methods for b in theorems_in(file) if b.method == method
    )


def proved_counts(method: str) -> tuple[Any, ...]:
    """The theorems that a refusal of a method's theorem may name instead: counts with known constants."""
    found = dict.fromkeys((*main_theorems(method), *main_theorems(ALTERNATIVE_METHOD)))
    return tuple(b for b in found if b.counts and b.kind == "theorem")
