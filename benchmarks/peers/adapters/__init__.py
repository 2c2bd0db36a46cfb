"""The peers: a file for each package, with its scalings of l2 and l1. A package is imported by its first call."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from . import (
    adelie,
    celer,
    cyanure,
    glmnet_rs,
    glum,
    liblinear,
    ours,
    rehline,
    scikit_learn,
    skglm,
    sklearnex,
    snapml,
    spams,
)
from .peer import Package, Peer

PACKAGES = (
    *(scikit_learn, liblinear, cyanure, skglm, celer, glum, snapml, adelie),
    *(glmnet_rs, rehline, sklearnex, spams),
)


def all_peers() -> dict[str, Peer]:
    """The peers by name, installed or not."""
    return {peer.name: peer for package in PACKAGES for peer in package.PEERS}


def installed(patterns: Sequence[str] = ("*",)) -> list[Peer]:
    """The peers that are installed here and match a pattern such as ``liblinear-*``.

    Raises
    ------
    ValueError
        If a pattern matches none that is known, or none that is installed.
    """
    found: dict[str, Peer] = {}
    for pattern in patterns:
        matching = {name: peer for name, peer in all_peers().items() if fnmatchcase(name, pattern)}
        if not matching:
            raise ValueError(f"no peer matches {pattern!r}; python -m benchmarks.peers --list names them")
        here = {name: peer for name, peer in matching.items() if not peer.missing}
        if not here:
            raise ValueError(f"{pattern}: {next(iter(matching.values())).missing}")
        found |= here
    return list(found.values())


def find_peer(name: str) -> Peer:
    """The peer with this name; ``cdlab METHOD@SAMPLING`` is one of ours.

    Raises
    ------
    ValueError
        If there is none.
    """
    if name.startswith(ours.PREFIX):
        return ours.ours(name.removeprefix(ours.PREFIX))
    if name not in all_peers():
        raise ValueError(f"there is no peer {name!r}; python -m benchmarks.peers --list names them")
    return all_peers()[name]


def packages() -> list[Package]:
    """The packages whose solvers are known here."""
    return [package.PACKAGE for package in PACKAGES]
