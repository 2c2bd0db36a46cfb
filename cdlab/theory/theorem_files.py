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
WHERE_THEOREMS_GO = (
    "a theorem goes into the file whose METHODS has its method, after the one that cdlab.theory.bound should answer"
)


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
    """The files in theorems/, none of which is imported.

    Raises
    ------
    ImportError
        If two of them have the same method.
    """
    found: list[TheoremFile] = []
    for path in sorted(FOLDER.glob("[!_]*.py")):
        declared = {name: ast.literal_eval(value) for name, value in DECLARATION.findall(path.read_text("utf-8"))}
        file = TheoremFile(path.stem, declared.get("METHODS", ()), declared.get("ALSO_ABOUT", ()))
        for other in found:
            for method in set(file.methods) & set(other.methods):
                raise ImportError(
                    f"METHODS of theorems/{other.name}.py and of theorems/{file.name}.py both have {method}: "
                    f"{WHERE_THEOREMS_GO}; lemmas and asymptotic statements may stand elsewhere, under ALSO_ABOUT"
                )
        found.append(file)
    return tuple(found)


@cache
def theorems_in(file: TheoremFile) -> tuple[Any, ...]:
    """The BOUNDS of a file.

    Raises
    ------
    ImportError
        If they are about other methods than the file declares, or a theorem is about one of another file.
    """
    found: tuple[Any, ...] = importlib.import_module(f".theorems.{file.name}", __package__).BOUNDS
    wrong = {*file.methods, *file.also_about} ^ {b.method for b in found}
    if wrong:
        raise ImportError(
            f"METHODS and ALSO_ABOUT in theorems/{file.name}.py must name, as tuples of strings, the methods that its "
            f"BOUNDS are about, and disagree with them on {', '.join(sorted(wrong))}; {WHERE_THEOREMS_GO}"
        )
    for b in found:
        if b.counts and b.kind != "asymptotic" and b.method not in file.methods:
            raise ImportError(
                f"theorems/{file.name}.py has {b.method} in ALSO_ABOUT and a theorem about it: {WHERE_THEOREMS_GO}"
            )
    return found


@cache
def own_theorems(method: str) -> tuple[Any, ...]:
    """The theorems of a method in its own file, the main one first."""
    return tuple(
        b for file in theorem_files() if method in file.methods for b in theorems_in(file) if b.method == method
    )


def proved_counts(method: str) -> tuple[Any, ...]:
    """The theorems that a refusal of a method's theorem may name instead: counts with known constants."""
    found = dict.fromkeys((*own_theorems(method), *own_theorems(ALTERNATIVE_METHOD)))
    return tuple(b for b in found if b.counts and b.kind == "theorem")
