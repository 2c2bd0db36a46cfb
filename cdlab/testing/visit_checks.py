"""Whether a method counts the nonzeros that its kernels read and write, and whether kernels do all of it."""

from __future__ import annotations

from itertools import islice
from typing import Any

import numpy as np

from ..methods import Method
from ..numerics.jit import KernelError
from ..problems.problem import Problem, View
from ..samplings import Sampling
from .checked_method import fail
from .plain_python import caller_of_lines
from .watched import Visits, visits, watch

EPOCHS = 5
ROUNDING = 1e-9
FEW_STILL = 1.05  # a step is 0 now and then, as of a line that was best already and meets none of those moved since
HOW = "a line that is read and written is visited once, one that is only read is half a visit, and zeros are none"


def check_visits(method: Method, sampling: Sampling, P: Problem) -> None:
    """Compare `count` with what the kernels of a method ask of a sparse X in five epochs.

    Where they ask by `dot`, `slope` and `add` alone, what they visit is known, and `count` must say it. A loop over
    ``P.X.line(i)`` may read or write the line: there it must lie between the two, as where a step may be 0, after
    which a line that would have been written is only read. The first epoch may count more, for what `init` did.

    Raises
    ------
    AssertionError
        If it counts less than it does, or more than it can have done, or asks from plain Python.
    """
    log = watch(P)
    view, S = method.view(P), method.init(P, sampling)
    visits(log)
    for epoch, order in enumerate(islice(method.orders(P, sampling, np.random.default_rng(0)), EPOCHS)):
        try:
            S = method.epoch(view, S, order)
        except KernelError:
            if isinstance(view, View):
                raise
            return  # of the problem itself it takes arrays, whose use is not seen
        iterations, counted, *_ = method.counted(P, S, order)
        seen = visits(log)
        if not (iterations > 0 and 0 < counted < np.inf):
            fail(method, P, f"count gives {iterations} iterations and {counted:g} nonzeros an epoch: both must be > 0")
        _compare(method, P, seen, counted, epoch == 0)
        _compare_iterations(method, P, seen, iterations, order)
    plain = caller_of_lines(lambda: method.epoch(view, S, order))
    if plain is not None:
        fail(
            method, P, f"its epoch runs in plain Python, about a hundred times slower: {plain} asks X for a line; "
            "write @cdlab.jit.kernel above the function that loops over the coordinates"
        )  # fmt: skip


def _compare(method: Method, P: Problem, seen: Visits, counted: float, first: bool) -> None:
    """Refuse a count of nonzeros out of what can have been visited."""
    still = not _always_moves(P) or seen.if_unmoved <= FEW_STILL * seen.most
    most = max(seen.most, seen.if_unmoved) if still else seen.most
    if counted < seen.least * (1 - ROUNDING):
        fail(
            method, P, f"its kernels visit {seen.least:g} nonzeros in an epoch and `count` says {counted:g}, which is "
            f"too few: {HOW}"
        )  # fmt: skip
    if counted > most * (1 + ROUNDING) and not first:
        known = f"{most:g}" if most == seen.least else f"at most {most:g}"
        fail(
            method, P, f"its kernels visit {known} nonzeros in an epoch and `count` says {counted:g}, which is too "
            f"many: {HOW}"
        )  # fmt: skip


def _compare_iterations(method: Method, P: Problem, seen: Visits, iterations: int, order: Any) -> None:
    """Refuse more iterations than there were updates, or where these are not seen, than turns of lines, or blocks."""
    most = max(getattr(order, "size", 1), seen.turns)
    if _always_moves(P) and not seen.loops:
        most = seen.updates
    if iterations > FEW_STILL * most:
        fail(
            method, P, f"`count` says {iterations} iterations in an epoch that makes at most {most}: one is an update, "
            "or a block of updates from the same point"
        )  # fmt: skip


def _always_moves(P: Problem) -> bool:
    """Whether a step that is exactly 0 comes by chance only."""
    return P.loss.gamma > 0 and P.l1 == 0
