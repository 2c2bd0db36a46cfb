"""Checks that a method counts the nonzeros that its kernels read and write, and that kernels do all of it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

from ..methods import Method
from ..numerics import jit
from ..problems.problem import Problem, View
from ..samplings import Sampling
from .checked_method import fail_method
from .watched import Visits, WatchedLines, read_visits, watch_lines

NUM_WATCHED_EPOCHS = 5
COUNT_RTOL = 1e-9
MAX_STILL_RATIO = 1.05  # a step is 0 now and then, as of a line that was best already
COUNTING_RULE = (
    "a line that is read and written is visited once, one that is only read is half a visit, and zeros are none"
)
LINE_METHODS = {
    part.__code__ for name, part in vars(WatchedLines).items() if not name.startswith("_") and callable(part)
}


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
    log = watch_lines(P)
    view, S = method.view(P), method.init(P, sampling)
    read_visits(log)
    for epoch, order in enumerate(islice(method.orders(P, sampling, np.random.default_rng(0)), NUM_WATCHED_EPOCHS)):
        try:
            S = method.epoch(view, S, order)
        except jit.KernelError:
            if isinstance(view, View):
                raise
            return  # of the problem itself it takes arrays, whose use is not seen
        iterations, counted, *_ = method.counted(P, S, order)
        seen = read_visits(log)
        if not (iterations > 0 and 0 < counted < np.inf):
            what = f"count gives {iterations} iterations and {counted:g} nonzeros an epoch: both must be > 0"
            fail_method(method, P, what)
        _check_nonzeros(method, P, seen, counted, epoch == 0)
        _check_iterations(method, P, seen, iterations, order)
    plain = caller_of_lines(lambda: method.epoch(view, S, order))
    if plain is not None:
        fail_method(
            method, P, f"its epoch runs in plain Python, about a hundred times slower: {plain} asks X for a line; "
            "write @cdlab.jit.kernel above the function that loops over the coordinates"
        )  # fmt: skip


def _check_nonzeros(method: Method, P: Problem, seen: Visits, counted: float, first: bool) -> None:
    """Refuse a count of nonzeros out of what can have been visited."""
    still = not _always_moves(P) or seen.if_unmoved <= MAX_STILL_RATIO * seen.most
    most = max(seen.most, seen.if_unmoved) if still else seen.most
    if counted < seen.least * (1 - COUNT_RTOL):
        fail_method(
            method, P, f"its kernels visit {seen.least:g} nonzeros in an epoch and `count` says {counted:g}, which is "
            f"too few: {COUNTING_RULE}"
        )  # fmt: skip
    if counted > most * (1 + COUNT_RTOL) and not first:
        known = f"{most:g}" if most == seen.least else f"at most {most:g}"
        fail_method(
            method, P, f"its kernels visit {known} nonzeros in an epoch and `count` says {counted:g}, which is too "
            f"many: {COUNTING_RULE}"
        )  # fmt: skip


def _check_iterations(method: Method, P: Problem, seen: Visits, iterations: int, order: Any) -> None:
    """Refuse more iterations than there were updates, or where these are not seen, than turns of lines, or blocks."""
    most = max(getattr(order, "size", 1), seen.turns)
    if _always_moves(P) and not seen.loops:
        most = seen.updates
    if iterations > MAX_STILL_RATIO * most:
        fail_method(
            method, P, f"`count` says {iterations} iterations in an epoch that makes at most {most}: one is an update, "
            "or a block of updates from the same point"
        )  # fmt: skip


def _always_moves(P: Problem) -> bool:
    """Tell whether a step that is exactly 0 comes by chance only."""
    return P.loss.gamma > 0 and P.l1 == 0


def caller_of_lines(epoch: Callable[[], Any]) -> str | None:
    """Run an epoch on `WatchedLines` lines that has compiled before; where it asks for one of them from plain Python.

    Parameters
    ----------
    epoch : callable
        One epoch, without arguments.

    Returns
    -------
    str or None
        Such as ``"my_epoch (my_method.py, line 12)"``; None where kernels did all of it, or nothing is compiled.
    """
    if jit.config.DISABLE_JIT:
        epoch()
        return None
    found: list[str] = []

    def watch(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call" and not found and frame.f_code in LINE_METHODS and frame.f_back is not None:
            code = frame.f_back.f_code
            found.append(f"{code.co_name} ({Path(code.co_filename).name}, line {frame.f_back.f_lineno})")

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        epoch()
    finally:
        sys.setprofile(before)
    return found[0] if found else None
