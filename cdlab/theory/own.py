"""Theorems that users register, found beside cdlab's own."""

from __future__ import annotations

from .bound import Bound

_OWN: dict[tuple[str, str, str], Bound] = {}


def register(*theorems: Bound) -> None:
    """Let `cdlab.theory.bound` and `bounds` find theorems of your own, before cdlab's about the same method.

    Parameters
    ----------
    *theorems : Bound
        As `contraction`, `decay`, `asymptotic` and `lemma` return them. One with the method, name and sampling of an
        earlier one of yours takes its place.

    Raises
    ------
    TypeError
        For anything but a Bound.

    Examples
    --------
    >>> from cdlab import theory
    >>> theory.register(my_theorem)  # doctest: +SKIP
    >>> theory.bound("my_method", "passes")  # doctest: +SKIP
    """
    for b in theorems:
        if not isinstance(b, Bound):
            raise TypeError(f"register takes bounds, as cdlab.theory.contraction returns them, not {type(b).__name__}")
        _OWN[b.method, b.theorem, b.sampling] = b


def forget(method: str) -> None:
    """Remove all theorems about a method that were registered."""
    for key in [key for key in _OWN if key[0] == method]:
        del _OWN[key]


def registered() -> tuple[Bound, ...]:
    """All that was registered, in its order."""
    return tuple(_OWN.values())


def of_method(method: str) -> list[Bound]:
    """The registered theorems about a method."""
    return [b for b in _OWN.values() if b.method == method]
