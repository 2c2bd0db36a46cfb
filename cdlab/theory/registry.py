"""Every theorem: those of the files in theorems/, and those that users register.

A file in theorems/ is found because it is there. Deriving theorems takes sympy a while, so a file is imported only when
one of its methods is asked about; which these are is read from its text, from the lines METHODS and ALSO_ABOUT.
"""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ..numerics.jit.structs import base_name
from .bound import Bound

FOLDER = Path(__file__).with_name("theorems")
DECLARATION = re.compile(r"^(METHODS|ALSO_ABOUT) = (\(.*?\))", re.MULTILINE | re.DOTALL)

WITHOUT_THEOREM = {  # methods of cdlab that no theorem covers, and why
    "lbfgs": "on smooth, strongly convex P it converges linearly (Liu & Nocedal 1989), but at no known rate that "
    "explains its speed; agd and fista have theorems",
    "adasdca_plus": "it is a heuristic, about which only one thing is known: D(alpha) never decreases; adasdca "
    "and sdca have theorems",
}

NAMED_INSTEAD = "sdca"  # its theorems cover most problems: named where a method's own do not

_registered: dict[tuple[str, str, str], Bound] = {}  # users' theorems by method, name and sampling


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


# ------------------------------------------------------------ cdlab's theorems
@cache
def theorem_files() -> tuple[TheoremFile, ...]:
    """The files in theorems/, none of which is imported."""
    found = []
    for path in sorted(FOLDER.glob("[!_]*.py")):
        declared = {name: ast.literal_eval(value) for name, value in DECLARATION.findall(path.read_text("utf-8"))}
        found.append(TheoremFile(path.stem, declared.get("METHODS", ()), declared.get("ALSO_ABOUT", ())))
    return tuple(found)


@cache
def theorems_in(file: TheoremFile) -> tuple[Bound, ...]:
    """The BOUNDS of a file.

    Raises
    ------
    ImportError
        If they are about other methods than the file declares.
    """
    found: tuple[Bound, ...] = importlib.import_module(f".theorems.{file.name}", __package__).BOUNDS
    wrong = {*file.methods, *file.also_about} ^ {b.method for b in found}
    if wrong:
        raise ImportError(
            f"METHODS and ALSO_ABOUT in theorems/{file.name}.py must name the methods that its BOUNDS are about, and "
            f"disagree with them on {', '.join(sorted(wrong))}"
        )
    return found


def methods() -> tuple[str, ...]:
    """Every method that a theorem of cdlab's is about, by name."""
    return tuple(sorted({method for file in theorem_files() for method in (*file.methods, *file.also_about)}))


@cache
def main_theorems(method: str) -> tuple[Bound, ...]:
    """The theorems of a method in its own file, the main one first."""
    return tuple(
        b for file in theorem_files() if method in file.methods for b in theorems_in(file) if b.method == method
    )


@cache
def theorems_of(method: str) -> tuple[Bound, ...]:
    """All of cdlab's theorems about a method, the main one first; empty if there is none."""
    other = (b for file in theorem_files() if method in file.also_about for b in theorems_in(file))
    return (*main_theorems(method), *(b for b in other if b.method == method))


def proved_counts(method: str) -> tuple[Bound, ...]:
    """The theorems that a refusal of a method's theorem may name instead: counts with known constants."""
    found = dict.fromkeys((*main_theorems(method), *main_theorems(NAMED_INSTEAD)))
    return tuple(b for b in found if b.counts and b.kind == "theorem")


@cache
def all_theorems() -> tuple[Bound, ...]:
    """All theorems and lemmas of cdlab."""
    return tuple(b for file in theorem_files() for b in theorems_in(file))


# ------------------------------------------------------------ users' theorems
def register(*theorems: Bound) -> None:
    """Let `bound`, `bounds` and `lemmas` find theorems of your own, beside cdlab's about the same method.

    cdlab's own stay the default. About a method of cdlab's, yours answers for a sampling that only it names, or if it
    is asked for by its own name, ``bound("rcd", theorem="mine")``.

    Parameters
    ----------
    *theorems : Bound
        As `contraction`, `decay`, `asymptotic` and `lemma` return them. One with the method, name and sampling of an
        earlier one of yours takes its place.

    Raises
    ------
    TypeError
        For anything but a Bound.
    ValueError
        If cdlab has a theorem of this name about this method with this sampling: one would hide the other.

    Examples
    --------
    >>> from cdlab import theory
    >>> theory.register(my_theorem)  # doctest: +SKIP
    >>> theory.bound("my_method", "passes")  # doctest: +SKIP
    """
    for b in theorems:
        if not isinstance(b, Bound):
            raise TypeError(
                f"register takes bounds, as cdlab.theory.contraction returns them, not {base_name(type(b))}"
            )
        if any(_key(other) == _key(b) for other in theorems_of(b.method)):
            raise ValueError(
                f"cdlab has a theorem {b.theorem!r} about {b.subject} already: give yours another name, and ask for it "
                "by that name"
            )
    _registered.update({_key(b): b for b in theorems})


def registered(method: str | None = None) -> tuple[Bound, ...]:
    """The theorems that were registered, about one method or all."""
    return tuple(b for b in _registered.values() if method in (None, b.method))


def is_registered(b: Bound) -> bool:
    """Whether a theorem is one that was registered, also with the numbers of an instance in it."""
    return _key(b) in _registered


def forget(method: str) -> None:
    """Remove all theorems about a method that were registered."""
    for b in registered(method):
        del _registered[_key(b)]


def _key(b: Bound) -> tuple[str, str, str]:
    return b.method, b.theorem, b.sampling


# ------------------------------------------------------------ all of them
def bounds() -> tuple[Bound, ...]:
    """Every bound on how long a method takes: each theorem and sampling for each of its quantities, yours last."""
    return tuple(b.per(quantity) for b in (*all_theorems(), *registered()) if b.counts for quantity in b.quantities)


def lemmas() -> tuple[Bound, ...]:
    """Every statement about one step or one quantity, yours last."""
    return tuple(b for b in (*all_theorems(), *registered()) if not b.counts)
