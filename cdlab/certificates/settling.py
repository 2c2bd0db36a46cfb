"""Coordinates of the optimum that the duality gap proves, at one point and along a run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..numerics import checks
from ..problems.problem import Problem
from ..problems.settled import ProvedCoordinates, settled_at
from ..runs.entries import Entry
from ..runs.limits import DefaultLimit
from ..runs.running import start_point
from ..runs.solving import iterate
from ..samplings import Sampling

if TYPE_CHECKING:
    import pandas

CURVE_PASSES = DefaultLimit(50)


def balls(problem: Problem, points: Any) -> ProvedCoordinates:
    """The coordinates of the optimum that the duality gap of a point proves.

    Balls around the point contain w* and alpha*. Where all of a ball lies on a straight part of phi_i (hinges, the
    absolute loss, Huber's), alpha_i* is that part's slope; where |X_:j'alpha|/n < l1 all over it, w_j* = 0.

    Parameters
    ----------
    problem : Problem
        With a loss of one prediction, and l2 > 0 or l1 > 0.
    points : (w, alpha) or Solution
        w (d,) and alpha (n,), one of which may be None and is then computed from the other. An intercept is w's last
        entry; a Solution carries it separately.

    Returns
    -------
    ProvedCoordinates
        Its `alpha`, `zeros` and `signs` say what is known; its `str` is a sentence.

    Raises
    ------
    ValueError, TypeError
        For softmax, without a regulariser, and for points of other shapes.

    Notes
    -----
    As gap-safe rules (Fercoq, Gramfort & Salmon, Mind the duality gap, 2015), whose balls are around one of the points:
    the gap bounds the distances of both, and the middle of the two is nearer.

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.make(n=60, d=5, seed=0)
    >>> P = cdlab.Problem(X, y, loss="smooth_hinge", l2=0.1)
    >>> known = cdlab.certificates.balls(P, cdlab.solve(P, tol=1e-8))
    >>> known.values > 0, bool(known.features.all())
    (True, True)
    """
    _check(problem)
    point = start_point(problem, points)
    if point is None:
        raise TypeError("points must be (w, alpha), one of which may be None, or a Solution; not None")
    return settled_at(problem.centred, point)


def _check(problem: Any) -> None:
    if not isinstance(problem, Problem):
        raise TypeError(f"the first argument must be a cdlab.Problem, not {checks.short_repr(problem)}")
    if problem.outputs:
        raise ValueError(f"balls are for losses of one prediction, and {problem.loss.name} has one for each class")
    if not problem.is_certified:
        raise ValueError("balls need l2 > 0 or l1 > 0: without a regulariser the gap bounds no distance; set one")


@dataclass(frozen=True)
class SettledCurve:
    """The settled share along a run, one entry a record: it never falls, since what is proved once stays proved.

    Attributes
    ----------
    passes, relative_gap : (records,) array
    examples, features : (records,) array
        Shares, from 0 to 1, of the examples whose alpha_i* is known, and of the features whose w_j* is known to be 0,
        or whose sign is known.
    known : ProvedCoordinates
        All that the run's records prove together.
    label : str
        Of the run.
    """

    passes: np.ndarray
    relative_gap: np.ndarray
    examples: np.ndarray
    features: np.ndarray
    known: ProvedCoordinates
    label: str

    def to_frame(self) -> pandas.DataFrame:
        """A pandas DataFrame with the columns passes, relative_gap, examples and features."""
        import pandas as pd

        names = ("passes", "relative_gap", "examples", "features")
        return pd.DataFrame({name: getattr(self, name) for name in names})


def settled_curve(
    problem: Problem,
    method: Entry = "sdca",
    *,
    sampling: str | Sampling | np.ndarray | None = None,
    tol: float = 1e-10,
    max_passes: float = CURVE_PASSES,
    seed: int = 0,
    every: int = 1,
    **parameters: Any,
) -> SettledCurve:
    """The share of examples and features that is proved, against the passes of a run.

    A record adds what its gap proves to what was proved before it, which a larger gap later does not take back.

    Parameters
    ----------
    problem : Problem
        As for `balls`.
    method, sampling, seed, every, **parameters
        As for `iterate`. Each record costs up to four products with X more.
    tol : float, default 1e-10
        The relative gap at which it ends.
    max_passes : float, default 50
        Where it ends if the gap is larger.

    Returns
    -------
    SettledCurve

    Raises
    ------
    ValueError, TypeError
        As `balls` and `iterate`.
    """
    _check(problem)
    tol = checks.number("tol", tol, "a number >= 0", ends="[)")
    max_passes = checks.number("max_passes", max_passes, "a number > 0")
    run = iterate(problem, method, sampling=sampling, seed=seed, every=every, **parameters)
    rows = []
    for at, gap, known in _records(problem, run, tol, max_passes):
        rows.append((at, gap, known.examples.mean(), known.features.mean()))
    passes, gaps, examples, features = np.array(rows).T
    return SettledCurve(passes, gaps, examples, features, known, run.trace.label)


def _records(
    problem: Problem, run: Any, tol: float, max_passes: float
) -> Iterator[tuple[float, float, ProvedCoordinates]]:
    """Passes, relative gap, and what is known until then."""
    known = None
    for record in run:
        gap = float(run.trace.column("relative_gap")[-1])
        now = settled_at(problem.centred, run.points)
        known = now if known is None else now.joined(known)
        yield record.passes, gap, known
        if gap <= tol or record.passes >= max_passes or not np.isfinite(record.primal):
            return
