"""The certificate of a run over parts: one manifest, and beside it a file of alpha for each shard of the data.

Each part makes its alpha exactly feasible, writes its files, and adds up the exact sums of what it has written; these,
added over parts, are the claim. `cdlab.checker` reads the shards one after another and finds the same.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import reduce
from itertools import chain
from typing import Any, NamedTuple, cast

import numpy as np

from .. import checker
from .._version import __version__
from ..datasets.scaling import row_norms
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
    write_claim,
    write_sealed,
)
from .dask_collections import Collection
from .part import Facts, Part
from .shards import shards_of
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
    """A shard as a certificate has it: rows as its checker reads them, and a dual point in units of raw weights."""

    name: str
    rows: Any
    y: np.ndarray
    weights: np.ndarray | None
    scale: Any
    alpha: np.ndarray


def _pieces(part: Part) -> Iterator[_Piece]:
    """The shards of a part, one after another."""
    facts, done = part.facts, 0
    for shard in part.shards:
        examples, scale = shard.read(facts.reading), cast(Any, None)
        y, *_ = facts.labelled(examples)
        if facts.reading.scale == "unit":
            norms = row_norms(shard.read(facts.reading._replace(scale="none")).X)
            scale = np.where(norms > 0, norms, 1.0)
        elif facts.reading.scale == "mean":
            scale = facts.reading.mean
        weights = np.ones(y.size) if examples.weights is None and facts.mean_weight is not None else examples.weights
        alpha = part.alpha[done : done + y.size] * (facts.mean_weight or 1.0)
        done += y.size
        assert shard.path is not None, "the shard is a file"
        yield _Piece(shard.path.name, rows_of(examples.X), y, weights, scale, alpha)


def _weights(piece: _Piece) -> np.ndarray:
    return np.ones(piece.y.size) if piece.weights is None else piece.weights


def _kind(facts: Facts) -> tuple[str, bool]:
    """What the loss is a function of, and whether alpha is bounded."""
    kind, shape, _ = checker.LOSSES[facts.loss.name]
    return kind, shape != "square"


def _feasible(piece: _Piece, facts: Facts) -> np.ndarray:
    kind, bounded = _kind(facts)
    return feasible(piece.alpha, piece.y, _weights(piece), kind, bounded, False, None)


def _largest(part: Part) -> float:
    """As of `largest_of`, over a part."""
    facts = part.facts
    return max(largest_of(_feasible(piece, facts), _weights(piece), _kind(facts)[1]) for piece in _pieces(part))


def _grid(piece: _Piece, facts: Facts, largest: float) -> Grid:
    return Grid(_feasible(piece, facts), piece.y, _weights(piece), *_kind(facts), largest)


def _totals(part: Part, largest: float) -> list[int]:
    """The sum of each shard on the grid."""
    return [_grid(piece, part.facts, largest).total() for piece in _pieces(part)]


def _rooms(part: Part, largest: float, left: int) -> list[tuple[str, int]]:
    """How much of what is left each shard can take."""
    return [(piece.name, left - _grid(piece, part.facts, largest).take_away(left)) for piece in _pieces(part)]


def _shares(team: Team, largest: float) -> dict[str, int]:
    """What each shard takes, so that the sum of all is 0."""
    left, shares = sum(chain.from_iterable(team.each("apply", _totals, largest))), {}
    nearer = min if left > 0 else max
    for name, room in chain.from_iterable(team.each("apply", _rooms, largest, left)):
        shares[name] = nearer(left, room)
        left -= shares[name]
    if left:
        raise RuntimeError("no point near alpha has the sum 0 that a free intercept needs: solve to a smaller tol")
    return shares


def _written(part: Part, path: str, known: dict[str, Any], largest: float, shares: dict[str, int]) -> Any:
    """The names and seals of a part's files, and the sums over its examples, from what was written."""
    problem, seals, sums = checker.read_problem(known), [], []
    for piece in _pieces(part):
        alpha = _feasible(piece, part.facts)
        if largest > 0:
            grid = _grid(piece, part.facts, largest)
            grid.take_away(shares[piece.name])
            alpha = grid.point()
        fields = {
            "file": "cdlab certificate of a shard",
            "examples": piece.y.size,
            "weights": None if piece.weights is None else packed(piece.weights),
            "scale": packed(piece.scale) if np.ndim(piece.scale) else piece.scale,
            "sha256": digest_of(piece.rows, piece.y, known["data"]["features"]),
            "alpha": packed(alpha),
        }

        def check(name: str, piece: _Piece = piece) -> None:
            read = checker.read_sealed(name, "cdlab certificate of a shard")
            its = {**known, "problem": {**known["problem"], "weights": read["weights"]}, "alpha": read["alpha"]}
            sums.append(checker.sums_of(problem, its, piece.rows, piece.y.tolist()))

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
    known: dict[str, Any] = {
        "file": "cdlab certificate",
        "version": 3,
        "problem": {
            "loss": fields_of(facts.loss), "l2": facts.l2, "l1": facts.l1,
            "intercept": "free" if is_free else None, "weights": None,
        },
        "data": {
            "examples": size[0], "features": size[1], "classes": facts.outputs[0] if facts.outputs else None,
            "labels": plain_labels(labels_of(facts.label_map)), "label_column": None, "rows": "train", "scale": None,
            "sha256": None, "shards": [],
        },
        "claim": {},
        "about": f"cdlab {__version__}",
        "w": packed(np.append(w, b) if is_free else w),
        "alpha": None,
    }  # fmt: skip
    largest, shares = 0.0, dict[str, int]()
    if is_free and (largest := max(team.each("apply", _largest))) > 0:
        shares = _shares(team, largest)
    found = list(team.each("apply", _written, str(path), known, largest, shares))
    known["data"]["shards"] = [each for seals, _ in found for each in seals]
    sums = reduce(checker.added, (each for _, each in found))
    return team.agreed(write_claim(path, known, lambda _: sums) if team.leads else None)
