"""Every theorem: those of the files in theorems/, and those that users register."""

from __future__ import annotations

from functools import cache

from ..numerics.jit.structs import base_name
from .bound import Bound
from .theorem_files import own_theorems, theorem_files, theorems_in

WITHOUT_THEOREM = {  # methods of cdlab that no theorem covers, and why
    "lbfgs": "on smooth, strongly convex P it converges linearly (Liu & Nocedal 1989), but at no known rate that "
    "explains its speed; agd and fista have theorems",
    "ssnal": "as a proximal-point method it converges, superlinearly where the loss is piecewise linear (Rockafellar "
    "1976), but how many of Newton's steps a stage takes nobody knows; newton_cd and sdca have theorems",
    "adasdca_plus": "it is a heuristic, about which only one thing is known: D(alpha) never decreases; adasdca "
    "and sdca have theorems",
}

_registered: dict[tuple[str, str, str], Bound] = {}  # users' theorems by method, name and sampling


# ------------------------------------------------------------ cdlab's theorems
def methods() -> tuple[str, ...]:
    """Every method that a theorem of cdlab's is about, by name."""
    return tuple(sorted({method for file in theorem_files() for method in (*file.methods, *file.also_about)}))


@cache
def theorems_of(method: str) -> tuple[Bound, ...]:
    """All of cdlab's theorems about a method, the main one first; empty if there is none."""
    other = (b for file in theorem_files() if method in file.also_about for b in theorems_in(file))
    return (*own_theorems(method), *(b for b in other if b.method == method))


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
    """Tell whether a theorem is one that was registered, also with the numbers of an instance in it."""
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
