"""The first updates of a run, one by one: `Method.epoch` fed with one index at a time, and measured after each.

The orders are those of the race, so that after an epoch the state is that of `solve` with the same seed.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from itertools import pairwise
from typing import Any

import numpy as np

from ...methods import Method, Points
from ...problems.certificates import certificate
from ...problems.problem import Problem
from ...runs.entries import Entry, check_entrant, entrant
from ...runs.schedule import REFRESH_EPOCHS
from ...samplings import Batches, Sampling

SAME = 1e-9  # relative and absolute


@dataclass
class Frames:
    """What was true after each step.

    Attributes
    ----------
    whole : bool
        Whether each step is a whole epoch: the method's epoch is more than its updates, one after another.
    coordinates : list of lists of int
        What each step updated; empty where the step used the whole matrix.
    nonzeros : list of int
        Visited in the step.
    passes, primal, dual : lists of float
    points : list of (w, alpha)
        The start first: one more than there are steps.
    """

    whole: bool = False
    coordinates: list[list[int]] = field(default_factory=list)
    nonzeros: list[int] = field(default_factory=list)
    passes: list[float] = field(default_factory=list)
    primal: list[float] = field(default_factory=list)
    dual: list[float] = field(default_factory=list)
    points: list[tuple[np.ndarray, np.ndarray]] = field(default_factory=list)

    def first(self, count: int) -> Frames:
        """The first so many steps."""
        lists = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "whole"}
        return Frames(self.whole, **{name: each[: count + (name == "points")] for name, each in lists.items()})


def frames(problem: Problem, entry: Entry, seed: int = 0, most: int = 60) -> Frames:
    """The first steps of a run of `solve(problem, entry, seed=seed)`.

    Parameters
    ----------
    problem : Problem
    entry : str, Method, Choice or (method, options)
    seed : int, default 0
    most : int, default 60
        Steps. An update of one coordinate each, or of one block; whole epochs of methods whose epoch is more than that.

    Raises
    ------
    ValueError
        If the entry does not fit the problem.
    """
    method, sampling = entrant(entry)
    check_entrant(problem, method, sampling)
    with np.errstate(all="ignore"):  # a diverging run shows it by its values
        by_update = _measured(problem, method, sampling, seed, most, _parts)
        if by_update is not None:
            return by_update
        return _measured(problem, method, sampling, seed, most, lambda order, _: [order], whole=True)


def _measured(problem: Problem, method: Method, sampling: Sampling, seed: int, most: int, parts, whole: bool = False):
    """The frames; None where an epoch does not equal its parts."""
    P, orders = method.view(problem), method.orders(problem, sampling, np.random.default_rng(seed))
    S, twin = (method.init(problem, sampling, None) for _ in range(2))
    made, visited = Frames(whole), 0
    made.points.append(_copied(method.points(problem, S)))
    epoch = 0
    while len(made.nonzeros) < most:
        order = next(orders)
        shown = parts(order, most - len(made.nonzeros))
        if shown is None:
            return None
        for piece in shown:
            S = method.epoch(P, S, piece)
            nonzeros = method.count(problem, S, piece).visits
            visited += nonzeros
            points = method.points(problem, S)
            known = certificate(problem, points, None)
            made.coordinates.append([] if whole else np.atleast_1d(_indices(piece)).tolist())
            made.nonzeros.append(int(nonzeros))
            made.passes.append(visited / problem.nnz if problem.nnz else (len(made.nonzeros)) / problem.n)
            made.primal.append(known.primal)
            made.dual.append(known.dual)
            made.points.append(_copied(points))
        if not whole:
            together = _joined(order, shown)
            twin = method.epoch(P, twin, together)
            count = method.count(problem, twin, together).visits
            if not _same(method.points(problem, twin), made.points[-1]) or count != sum(made.nonzeros[-len(shown) :]):
                return None
        epoch += 1
        if epoch % REFRESH_EPOCHS == 0:  # as every run does
            method.refresh(problem, S)
            method.refresh(problem, twin)
    return made


def _parts(order: Any, most: int) -> list[Any] | None:
    """One update each, of the first ones; None where the order does not say what is updated."""
    if isinstance(order, Batches):
        blocks = [order.indices[a:b] for a, b in pairwise(order.starts[: most + 1])]
        return [Batches(block, np.array([0, block.size], np.uint64)) for block in blocks]
    if not isinstance(order, np.ndarray) or order.dtype != np.uint64 or not order.size:
        return None
    return [order[k : k + 1] for k in range(min(order.size, most))]


def _indices(part: Any) -> np.ndarray:
    return part.indices if isinstance(part, Batches) else part


def _joined(order: Any, parts: list[Any]) -> Any:
    if isinstance(order, Batches):
        return Batches(order.indices[: int(order.starts[len(parts)])], order.starts[: len(parts) + 1])
    return order[: len(parts)]


def _copied(points: Points) -> tuple[np.ndarray, np.ndarray]:
    return np.array(points.w), np.array(points.alpha)


def _same(points: Points, other: tuple[np.ndarray, np.ndarray]) -> bool:
    """But for rounding: methods with lazy updates add up in another order."""
    return all(np.allclose(a, b, rtol=SAME, atol=SAME) for a, b in zip((points.w, points.alpha), other, strict=True))
