"""The certificate of a run over parts: one manifest, and beside it a file of alpha for each shard of the data.

Each part makes its alpha exactly feasible, writes its files, and adds up the exact sums of what it has written; these,
added over parts, are the claim. `cdlab.checker` reads the shards one after another and finds the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import reduce
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from .. import checker
from .._version import __version__
from ..datasets.parts import Matrix
from ..datasets.scaling import unit_divisors
from ..losses import Loss
from ..proofs import Verdict
from ..proofs.feasible import Grid, feasible, largest_of
from ..proofs.writing import (
    check_loss,
    digest_of,
    fields_of,
    labels_of,
    packed,
    plain_labels,
    rows_of,
    statement,
    write_claim,
    write_sealed,
)
from .dask_collections import Collection
from .part import Facts, Part
from .shards import Reading, Shard, shards_of
from .teams import Team


def check_certificate(data: Any, loss: Loss, intercept: bool) -> None:
    """Refuse a certificate that cannot be written.

    Raises
    ------
    ValueError
        If the loss has none, or the shards are no files that the checker reads.
    """
    check_loss(loss)
    if intercept and checker.LOSSES[loss.name][0] == "classes":
        raise ValueError("certificates of shards are not of softmax with a free intercept: leave one of them out")
    if isinstance(data, Collection) or not all(shard.path and shard.group is None for shard in shards_of(data)):
        raise ValueError("a certificate names the files of the data, and they are NPZ: write them as such shards")


class _Piece(NamedTuple):
    """A shard as a certificate has it: scaled rows, weights as given or 1, and a feasible dual point for these."""

    shard: Shard
    X: Matrix
    y: np.ndarray
    s: np.ndarray
    alpha: np.ndarray

    @property
    def name(self) -> str:
        """That of its file."""
        assert self.shard.path is not None, "`check_certificate` lets files pass only"
        return self.shard.path.name


def _pieces(part: Part) -> Iterator[_Piece]:
    """The shards of a part, one after another."""
    facts, done = part.facts, 0
    loss = checker.read_loss(fields_of(facts.loss))
    for shard in part.shards:
        examples = shard.read(facts.reading)
        y, *_ = facts.labelled(examples)
        s = np.ones(y.size) if facts.mean_weight is None else examples.weights
        alpha = part.alpha[done : done + y.size] * (facts.mean_weight or 1.0)
        done += y.size
        yield _Piece(shard, examples.X, y, s, feasible(alpha, y, s, loss, False, None))


def _scale(shard: Shard, reading: Reading) -> Any:
    """What the rows of a shard are divided by, as a certificate has it."""
    if reading.scale == "unit":
        return packed(unit_divisors(shard.read(reading._replace(scale="none")).X))
    return reading.mean if reading.scale == "mean" else None


# ------------------------------------------------------------ a free intercept: the alphas of all shards add up to 0
def _largest(part: Part) -> float:
    """As of `largest_of`, over a part."""
    loss = checker.read_loss(fields_of(part.facts.loss))
    return max(largest_of(piece.alpha, piece.s, loss) for piece in _pieces(part))


def _grid(piece: _Piece, facts: Facts, largest: float) -> Grid:
    return Grid(piece.alpha, piece.y, piece.s, checker.read_loss(fields_of(facts.loss)), largest)


def _sums_and_rooms(part: Part, largest: float) -> list[tuple[str, int, int, int]]:
    """Of each shard on the grid its sum, and how much can be taken away from it, or added."""
    grids = ((piece.name, _grid(piece, part.facts, largest)) for piece in _pieces(part))
    return [(name, grid.total(), *grid.rooms()) for name, grid in grids]


def _shares(team: Team, largest: float) -> dict[str, int]:
    """What is taken away from each shard, so that the sum of all is 0."""
    shards, shares = list(chain.from_iterable(team.each("apply", _sums_and_rooms, largest))), {}
    left = sum(total for _, total, _, _ in shards)
    for name, _, less, more in shards:
        shares[name] = min(left, less) if left > 0 else max(left, -more)
        left -= shares[name]
    if left:
        raise RuntimeError("no point near alpha has the sum 0 that a free intercept needs: solve to a smaller tol")
    return shares


# ------------------------------------------------------------ the files
def _write_shards(part: Part, path: str, known: dict[str, Any], largest: float, shares: dict[str, int]) -> Any:
    """Write the files of a part's shards; their names and seals, and the sums over examples of what was written."""
    facts, problem, seals, sums = part.facts, checker.read_problem(known), [], []
    for piece in _pieces(part):
        alpha, rows = piece.alpha, rows_of(piece.X)
        if largest > 0:
            grid = _grid(piece, facts, largest)
            grid.take_away(shares[piece.name])
            alpha = grid.point()
        fields = {
            "file": "cdlab certificate of a shard",
            "examples": piece.y.size,
            "weights": None if facts.mean_weight is None else packed(piece.s),
            "scale": _scale(piece.shard, facts.reading),
            "sha256": digest_of(rows, piece.y, known["data"]["features"]),
            "alpha": packed(alpha),
        }

        def check(name: str, piece: _Piece = piece, rows: Any = rows) -> None:
            read = checker.read_sealed(name, "cdlab certificate of a shard")
            its = {"problem": {**known["problem"], "weights": read["weights"]}, "alpha": read["alpha"]}
            sums.append(checker.sums_of(problem, its, rows, piece.y.tolist()))

        seals.append([piece.name, write_sealed(f"{path}.{piece.name}", fields, check)])
    return seals, reduce(checker.added, sums)


def write_certificate(
    path: str | os.PathLike[str], team: Team, facts: Facts, size: tuple[int, int], w: np.ndarray, b: Any
) -> Verdict:
    """Write the certificate of w, the intercept b and the alpha that the parts hold; size is that of the data, n and d.

    Raises
    ------
    OSError
        If a file cannot be written.
    RuntimeError
        If the checker rejects what was written.
    """
    is_free = facts.means is not None
    terms = {
        "loss": fields_of(facts.loss), "l2": facts.l2, "l1": facts.l1,
        "intercept": "free" if is_free else None, "weights": None,
    }  # fmt: skip
    data: dict[str, Any] = {
        "examples": size[0], "features": size[1], "classes": facts.outputs[0] if facts.outputs else None,
        "labels": plain_labels(labels_of(facts.label_map)), "label_column": None, "rows": "train", "scale": None,
        "sha256": None, "shards": [],
    }  # fmt: skip
    known = statement(terms, data, f"cdlab {__version__}", np.append(w, b) if is_free else w, None)
    largest = max(team.each("apply", _largest)) if is_free else 0.0
    shares = _shares(team, largest) if largest > 0 else {}
    found = list(team.each("apply", _write_shards, str(path), known, largest, shares))
    data["shards"] = [each for seals, _ in found for each in seals]
    sums = reduce(checker.added, (each for _, each in found))
    return team.agreed(write_claim(path, known, lambda _: sums) if team.leads else None)
