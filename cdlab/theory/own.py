"""Theorems that users register, kept beside cdlab's own: `lookup` checks and finds them."""

from __future__ import annotations

from collections.abc import Iterable

from .bound import Bound

_OWN: dict[tuple[str, str, str], Bound] = {}


def add(theorems: Iterable[Bound]) -> None:
    """Keep these, each in place of an earlier one with its method, name and sampling."""
    for b in theorems:
        _OWN[_key(b)] = b


def forget(method: str) -> None:
    """Remove all theorems about a method that were registered."""
    for key in [key for key in _OWN if key[0] == method]:
        del _OWN[key]


def registered() -> tuple[Bound, ...]:
    """All that was registered, in its order."""
    return tuple(_OWN.values())


def is_own(b: Bound) -> bool:
    """Whether a theorem is one that was registered, also with the numbers of an instance in it."""
    return _key(b) in _OWN


def _key(b: Bound) -> tuple[str, str, str]:
    return b.method, b.theorem, b.sampling
