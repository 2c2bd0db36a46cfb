"""The two-variable view: a dozen examples with two features, level sets of P, and the paths of two methods.

The tiny problem is of the same kind as the one it stands for: loss, l1 and l2 n are the same, so that a bound such as
n + R^2/(l2 gamma) takes as many passes on both, and norms of rows and columns are spread alike. Where l2 n is so small
that no path would arrive in the passes that are shown, it is raised.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...methods import METHODS
from ...numerics.json_numbers import null_non_finite
from ...plots.errors import Best
from ...problems.problem import Problem
from ...runs.entries import Entry, entrant, label_of
from ...runs.solving import solve
from ...samplings import Uniform
from .contract import Path, Plane
from .frames import Frames, frames
from .lanes import looks_of, of_each_side, steps_of
from .levels import frame_around, levels

EXAMPLES, FEATURES = 12, 2
PASSES = 12.0  # that a path is followed, at most
MOST = 240  # steps of a path, at most
APART = 8.0  # the longest row over the median one, and column likewise: beyond that nothing else would be seen
LEAST_L2 = 0.25  # l2 n over the mean squared norm of a row, where l2 > 0
EXACT = ("sdca", "lbfgs", "fista", "spdc")  # the first that fits finds the optimum


def plane(problem: Problem, entries: Sequence[Entry], seed: int = 0) -> Plane | None:
    """One method of each side on a tiny problem of the same kind.

    None where w has no two coordinates to draw (softmax), or no entry fits the tiny problem.

    Parameters
    ----------
    problem : Problem
        Of whose kind the tiny one is.
    entries : sequence of entries
        Those that cannot solve the tiny problem, such as given probabilities, have no path.
    seed : int, default 0
        Of the runs.
    """
    if problem.outputs:
        return None
    small = tiny(problem)
    found = _followed(small, entries, seed)
    if not found:
        return None
    w, best = _optimum(small, [frames for _, frames in found.values()])
    zero = small.zeros(FEATURES)
    at_zero = small.primal(zero)
    scale = Best(best, best, at_zero, small.dual(small.zeros(EXAMPLES)))
    looks = looks_of(entries)
    paths: list[Path] = [
        {
            "label": label,
            "side": side,
            "look": looks[label],
            "start": _values(small, made),
            "steps": steps_of(small, made, side, scale),
            "w": [(float(x), float(y)) for (x, y), _ in made.points],
        }
        for label, (side, made) in found.items()
    ]
    frame = frame_around([w, zero, *(point for _, made in found.values() for point, _ in made.points)])
    return {
        "title": "P and D, own passes",
        "frame": frame,
        "levels": levels(small, frame, best, at_zero - best),
        "optimum": (float(w[0]), float(w[1])),
        "best": best,
        "paths": paths,
    }


def tiny(problem: Problem) -> Problem:
    """A dozen examples with two features: norms spread as those of the problem, its loss, its l1 and its l2 n."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((EXAMPLES, FEATURES)) * _spread(problem.column_profile.norms2, FEATURES)
    X *= (_spread(problem.row_profile.norms2, EXAMPLES) / np.linalg.norm(X, axis=1))[:, None]
    X *= np.sqrt(problem.row_profile.norms2.mean() / (X**2).sum(axis=1).mean()) or 1.0
    y = X @ [1.0, 0.5] / np.abs(X).mean() + 0.5 * rng.standard_normal(EXAMPLES)
    if problem.classes is not None:
        y = np.where(y > np.median(y), 1.0, -1.0)
        y[rng.choice(EXAMPLES, 2, replace=False)] *= -1  # no line separates them all
    l2n = max(problem.l2 * problem.n, LEAST_L2 * float((X**2).sum(axis=1).mean())) if problem.l2 > 0 else 0.0
    return Problem(X, y, problem.loss, l2n / EXAMPLES, problem.l1)


def _spread(norms2: np.ndarray, count: int) -> np.ndarray:
    """So many norms from the median to the largest, in random places; the median is 1."""
    norms = np.sqrt(norms2[norms2 > 0])
    if not norms.size:
        return np.ones(count)
    found = np.quantile(norms, np.linspace(0.5, 1, count)) / np.median(norms)
    return np.minimum(found, APART)


def _followed(small: Problem, entries: Sequence[Entry], seed: int) -> dict[str, tuple[str, Frames]]:
    """Side and frames of a method of each side that fits, primal first; at most two."""
    found: dict[str, tuple[str, Frames]] = {}
    fitting = [entry for entry in entries if _fits(small, entry)]
    for side, entry in list(of_each_side(fitting).items())[:2]:
        made = frames(small, entry, seed, MOST)
        found[label_of(*entrant(entry))] = side, made.first(sum(passes <= PASSES for passes in made.passes))
    return found


def _fits(small: Problem, entry: Entry) -> bool:
    """Whether a run of the entry could begin."""
    try:
        frames(small, entry, most=0)
    except ValueError:
        return False
    return True


def _values(small: Problem, made: Frames) -> tuple[float, float | None]:
    """P and D at the start, where a primal method has an alpha of its own."""
    w, alpha = made.points[0]
    return small.primal(w), null_non_finite(small.dual(alpha))


def _optimum(small: Problem, found: Sequence[Frames]) -> tuple[np.ndarray, float]:
    """w* and P*, or the best that is known."""
    ends = [made.points[-1][0] for made in found]
    for name in EXACT:
        if METHODS[name]().refusal(small, Uniform()) is None:
            ends.append(solve(small, name, tol=1e-12, max_passes=3000).w)
            break
    values = [small.primal(w) for w in ends]
    best = int(np.argmin(values))
    lowest = min([values[best], *(x for made in found for x in made.primal if np.isfinite(x))])
    return ends[best], lowest
