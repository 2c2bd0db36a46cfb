"""Starting points other than w = 0 and alpha = 0."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..losses.per_example import mean_conjugate
from ..problems.intercept import join_intercept
from ..problems.points import Points
from ..problems.problem import Problem


def start_point(problem: Problem, start: Any) -> Points | None:
    """A checked copy of a start (w, alpha), what is missing in it completed from the other; None for None.

    At the optimum alpha_i = -phi'(x_i'w) and w = grad g*(X'alpha/n): so a missing alpha is taken from w, and a missing
    w from alpha where l2 > 0.

    Parameters
    ----------
    problem : Problem
        The problem that is solved from there.
    start : None, (w, alpha) or an object with both, as a Solution
        w (d,), alpha (n,); with softmax (d, K) and (n, K). One of them may be None. With an intercept w has it as its
        last; a Solution has both.

    Raises
    ------
    TypeError, ValueError
        If it is not such a pair, has other shapes, is not finite, or alpha lies outside the domain of the dual.
    """
    if start is None:
        return None
    if hasattr(start, "w") and hasattr(start, "alpha"):
        w = start.w
        if problem.intercept and w is not None:
            w = join_intercept(w, getattr(start, "intercept", 0.0))
        start = (w, start.alpha)
    if not (isinstance(start, tuple | list) and len(start) == 2):
        raise TypeError(
            f"start must be (w, alpha), one of which may be None, or a Solution; not {type(start).__name__}"
        )
    w, alpha = (_part(name, x, shape) for name, x, shape in _expected(problem, start))
    if alpha is None:
        if w is None:
            raise ValueError("start=(None, None) says nothing: give w, alpha or both, or leave start out")
        return Points(w, problem.alpha(w))
    if not np.isfinite(mean_conjugate(problem.loss, alpha, problem.loss_y)):
        raise ValueError(
            f"the start's alpha lies outside the domain of the {problem.loss.name} loss's dual, where D(alpha) = -inf; "
            "start=(w, None) takes one inside from w"
        )
    if w is None:
        if problem.l2 == 0 or problem.intercept:
            what = (
                "no intercept: alpha does not determine it"
                if problem.intercept
                else ("l2 > 0: without it alpha does not determine w")
            )
            raise ValueError(f"start=(None, alpha) needs {what}; give w, too")
        w = problem.w(alpha)
    return Points(w, alpha)


def _expected(problem: Problem, start: Any) -> Iterable[tuple[str, Any, tuple[int, ...]]]:
    return zip(("w", "alpha"), start, ((problem.d, *problem.outputs), (problem.n, *problem.outputs)), strict=True)


def _part(name: str, x: Any, shape: tuple[int, ...]) -> np.ndarray | None:
    if x is None:
        return None
    x = np.asarray(x)
    if x.dtype.kind not in "biuf":
        raise TypeError(f"the start's {name} must hold real numbers; its dtype is {x.dtype}")
    x = np.array(x, dtype=np.float64, order="C")
    if x.shape != shape:
        raise ValueError(f"the start's {name} must have shape {shape}; it has {x.shape}")
    if not np.isfinite(x).all():
        raise ValueError(f"the start's {name} contains NaN or infinity: a run that diverged cannot be started from")
    return x
