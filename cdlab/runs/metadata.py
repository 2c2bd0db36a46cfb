"""The facts about a run that a trace keeps, so that it can be repeated."""

from __future__ import annotations

import platform
from typing import Any

import numpy as np

from .._version import __version__
from ..methods import Method
from ..numerics.digests import array_digest
from ..problems.points import Points
from ..problems.problem import Problem
from ..samplings import Sampling
from .entries import label_of


def repeated_by(
    problem: Problem, method: Method, sampling: Sampling, seed: Any, every: int | None, start: Points | None
) -> dict[str, Any]:
    """The `meta` of the trace of a run with these arguments: texts and numbers that JSON can hold."""
    drawn = method.draws(sampling)
    meta: dict[str, Any] = {
        "label": label_of(method, sampling),
        "method": method.label,
        "side": method.side,
        "sampling": "none" if drawn is None else drawn.label,
        "seed": seed if isinstance(seed, int) else str(seed),
        "every": every,
        "problem": repr(problem),
        "data": problem.digest,
        "versions": {"cdlab": __version__, "numpy": np.__version__, "python": platform.python_version()},
        "machine": platform.machine(),
    }
    if start is not None:
        meta["start"] = array_digest(start.w, start.alpha)
        meta["P0"] = problem.at_zero
    return meta
