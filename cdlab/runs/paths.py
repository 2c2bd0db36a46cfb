"""Regularisation paths: solutions along weights l2 and l1, each started from its neighbour."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ..losses import Loss, resolve, unweighted
from ..methods import RCD, Auto, Method, Screened
from ..numerics import checks
from ..paths import fits
from ..problems.intercept import join_intercept
from ..problems.problem import Problem
from ..regularizers import checked_weight
from ..samplings import Sampling
from .driven_paths import DrivenPath
from .entries import Entry, HasEntry, check_entry, resolve_entry, with_aim
from .limits import MAX_PASSES, Limits, drive
from .running import Run
from .solution import Solution, solution_of
from .solving import warn_of_missed_tolerance
from .trace import Record

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas

Place = tuple[float, float, Loss | None]  # l2, l1 and another loss

COLUMNS = (
    "l2", "l1", "quantile", "method", "primal", "gap", "relative_gap", "nonzeros", "active", "passes", "seconds",
    "test_error", "status",
)  # fmt: skip
OPTIONAL_COLUMNS = ["quantile", "active", "test_error"]  # columns that are left out where they hold nothing


class Path(Sequence[Solution]):
    """Solutions along a path, as they were found: from strong to weak regularisation, or up in quantiles.

    Attributes
    ----------
    l2, l1 : (m,) arrays
        The weights of each solution.
    quantiles : (m,) array
        The quantile of each; NaN where the path is not one of quantiles.
    solutions : list of Solution
    """

    def __init__(
        self, l2: Sequence[float], l1: Sequence[float], solutions: list[Solution], quantiles: Any = np.nan
    ) -> None:
        self.l2, self.l1, self.solutions = np.array(l2, float), np.array(l1, float), solutions
        self.quantiles = np.broadcast_to(np.array(quantiles, float), self.l2.shape)

    def __len__(self) -> int:
        return len(self.solutions)

    @overload
    def __getitem__(self, k: int) -> Solution: ...

    @overload
    def __getitem__(self, k: slice) -> list[Solution]: ...

    def __getitem__(self, k: int | slice) -> Solution | list[Solution]:
        return self.solutions[k]

    def __iter__(self) -> Iterator[Solution]:
        return iter(self.solutions)

    def __repr__(self) -> str:
        passes = sum(s.trace.records[-1].passes for s in self)
        worst = max((s.relative_gap for s in self), default=0.0)
        solutions = f"{len(self)} solution{'' if len(self) == 1 else 's'}"
        return f"Path({solutions}, {passes:.4g} passes in all; relative gaps at most {worst:.2g})"

    def to_frame(self) -> pandas.DataFrame:
        """One row a solution: l2, l1, method, primal, gap, relative_gap, nonzeros of w, passes, seconds, status.

        Of quantiles also quantile; with screening active, the coordinates still visited in the end; with test data
        test_error.
        """
        import pandas as pd

        rows = []
        for l2, l1, quantile, s in zip(self.l2, self.l1, self.quantiles, self, strict=True):
            last, best = s.trace.records[-1], s.record or s.trace.records[-1]
            values = (
                l2, l1, quantile, s.trace.meta["method"], best.primal, s.gap, s.relative_gap,
                int(np.count_nonzero(s.w)), last.active, last.passes, last.seconds, best.test_error, str(s.status),
            )  # fmt: skip
            rows.append(values)
        frame = pd.DataFrame(rows, columns=COLUMNS)
        return frame.drop(columns=[name for name in OPTIONAL_COLUMNS if frame[name].isna().all()])


def path(
    problem: Problem,
    method: Entry = "auto",
    *,
    l2: float | Iterable[float] | None = None,
    l1: float | Iterable[float] | None = None,
    weights: Iterable[float] | None = None,
    l1_ratio: float | None = None,
    quantiles: Iterable[float] | None = None,
    sampling: str | Sampling | np.ndarray | None = None,
    tol: float = 1e-6,
    max_passes: float | None = MAX_PASSES,
    max_seconds: float | None = None,
    test: tuple[Any, Any] | None = None,
    seed: int = 0,
    start: Any = None,
    on_solution: Callable[[float, float, Solution], Any] | None = None,
    stop: Callable[[Record], bool] | None = None,
    **parameters: Any,
) -> Path:
    """Solve a problem for several weights, each from the solution before: every one is certified.

    With screening (of sdca, rcd and newton_cd) what the solution before settles at the new weight is left out from the
    first epoch on. ``method="rcd"`` with l1 > 0 is run with ``screening="gap_safe"`` unless another is given.

    Parameters
    ----------
    problem : Problem
        Data and loss; its own l2 and l1 where they are not given.
    method : str, Method or Choice, default "auto"
        As for `solve`. With ``"sdca"`` l2 > 0 is needed.
    l2, l1 : float >= 0 or several, optional
        With several of both, all pairs. They are sorted: the path goes from the largest l1 down, and for each from the
        largest l2 down.
    weights, l1_ratio : several numbers >= 0 and a number from 0 to 1, optional
        In place of l2 and l1, as scikit-learn's elastic net has them: for each weight a, from the largest down,
        l1 = a l1_ratio and l2 = a (1 - l1_ratio). By default l1_ratio is 1.
    quantiles : several numbers between 0 and 1, optional
        In place of other weights: of the pinball loss, from the least up. Each is a problem of its own, so that
        predictions of two quantiles may cross where data are few.
    sampling, tol, max_passes, max_seconds, test, seed, **parameters
        As for `solve`, for each solution.
    start : (w, alpha) or Solution, optional
        Where the first solution starts.
    on_solution : callable, optional
        Called with (l2, l1, solution) after each: progress.
    stop : callable, optional
        Called with each Record; the path ends when it returns True, without the solution that was under way.

    Returns
    -------
    Path
        A sequence of `Solution` with `to_frame`.

    Raises
    ------
    ValueError, TypeError
        If a weight is not a number >= 0 or given twice, or method and problem do not fit: before anything is solved.

    Warns
    -----
    sklearn.exceptions.ConvergenceWarning
        As `solve`; once, with the number of solutions that missed the tolerance.

    Examples
    --------
    >>> import cdlab
    >>> P = cdlab.Problem(*cdlab.datasets.make(n=100, d=10, seed=0))
    >>> along = cdlab.path(P, l2=[1e-3, 1e-1, 1e-2], tol=1e-8)
    >>> along.l2
    array([0.1  , 0.01 , 0.001])
    >>> along[0].relative_gap <= 1e-8
    True
    >>> cdlab.path(P, weights=[0.1, 0.01], l1_ratio=0.5).l1
    array([0.05 , 0.005])
    >>> cdlab.path(P.with_(loss="pinball"), quantiles=[0.9, 0.1], tol=1e-2).quantiles
    array([0.1, 0.9])
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"the first argument must be a cdlab.Problem, not {checks.short_repr(problem)}")
    checks.callable_or_none("on_solution", on_solution, "(l2, l1, Solution)")
    checks.callable_or_none("stop", stop, "a Record")
    checks.pair_or_none("test", test, "a pair (X, y)")
    limits = Limits(tol, max_passes, max_seconds)
    checks.seed(seed)
    if not isinstance(method, str | Method | tuple | HasEntry):
        raise TypeError(
            f"the second argument of path is a method, not {checks.short_repr(method)}; weights are l2= and l1="
        )
    places: list[Place]
    if quantiles is not None:
        if not (weights is l1_ratio is l2 is l1 is None):
            raise ValueError("give quantiles, or several weights: the weights of quantiles are the problem's own")
        places = [(problem.l2, problem.l1, loss) for loss in _with_quantiles(problem.loss, quantiles)]
    elif weights is None and l1_ratio is None:
        ones, twos = _sorted_weights("l1", l1, problem.l1), _sorted_weights("l2", l2, problem.l2)
        places = [(two, one, None) for one in ones for two in twos]
    elif weights is None or l2 is not None or l1 is not None:
        raise ValueError("give weights, with l1_ratio or without, or l2 and l1")
    else:
        ratio = 1.0 if l1_ratio is None else l1_ratio
        ratio = checks.number("l1_ratio", ratio, "a number from 0 to 1", high=1.0, ends="[]")
        places = [(a * (1 - ratio), a * ratio, None) for a in _sorted_weights("weights", weights, 0.0)]
    run_method, run_sampling = resolve_entry(method, sampling, **parameters)
    screens = isinstance(method, str) and "screening" not in parameters
    entry = (run_method, run_sampling, seed)
    found = solve_places(problem, places, entry, limits, stop, test, start, on_solution, screens=screens)
    if stop is None:
        warn_of_missed_tolerance(found.solutions, limits, stacklevel=2)
    return found


def solve_places(
    problem: Problem,
    places: list[Place],
    entry: tuple[Method, Sampling, int],
    limits: Limits,
    stop: Callable[[Record], bool] | None = None,
    test: tuple[Any, Any] | None = None,
    start: Any = None,
    on_solution: Callable[[float, float, Solution], Any] | None = None,
    screens: bool = False,
) -> Path:
    """Solve a problem with other weights or another loss, in this order.

    Parameters
    ----------
    problem : Problem
        Data and loss.
    places : list of (l2, l1, loss)
        The weights, and the loss or None for the problem's own.
    entry : (method, sampling, seed)
        As `resolve_entry` makes them.
    limits : Limits
        The limits of each solution.
    stop, test, start, on_solution
        As for `path`.
    screens : bool, default False
        Whether rcd gets safe screening.
    """
    method, sampling, seed = entry
    driven = isinstance(method, Auto) and limits.tol > 0 and fits(problem)
    driven &= all(one > 0 and loss is None for _, one, loss in places)
    for two, one, loss in places[:1] if driven else places:
        check_entry(problem.with_(l2=two, l1=one, loss=loss), method, sampling)
    if driven:
        path = DrivenPath(problem, method, sampling, seed, limits, test, start, stop)
        solutions = path.solutions([(two, one) for two, one, _ in places])
    else:
        if screens:
            method = _with_screening(method, sampling, [problem.with_(l2=two, l1=one) for two, one, _ in places])
        method = with_aim(method, limits.tol)

        def run_from(P: Problem, begun: Any) -> Run:
            run = Run(P, method, sampling, seed, None, test, start=begun)
            drive(run, limits, stop=stop)
            return run

        solutions = _one_by_one(problem, places, run_from, start)
    found: list[Solution] = []
    for (two, one, _), s in zip(places, solutions, strict=False):  # fewer, if they were stopped
        found.append(s)
        if on_solution is not None:
            on_solution(two, one, s)
    twos, ones, others = zip(*places[: len(found)], strict=True) if found else ((), (), ())
    return Path(twos, ones, found, [getattr(loss, "quantile", np.nan) for loss in others])


def _one_by_one(
    problem: Problem, places: list[Place], run_from: Callable[[Problem, Any], Run], start: Any
) -> Iterator[Solution]:
    """A run for each place, until one is stopped."""
    problem = copy(problem)
    problem.shared = {}
    for two, one, loss in places:
        before = problem
        problem = before.with_(l2=two, l1=one, loss=loss)  # from the one before, to share what that made of X
        if loss is not None and isinstance(start, Solution):
            start = _carried(start, before, problem)
        s = solution_of(run_from(problem, start))
        if s.status == "stopped":
            return
        s.run = None  # a run would keep the state of each
        yield s
        start = s


def _carried(s: Solution, before: Problem, P: Problem) -> tuple[np.ndarray, np.ndarray]:
    """The start of the next quantile: alpha moves as its intervals do, so that what is at an end stays there."""
    w = join_intercept(s.w, s.intercept) if P.intercept else s.w
    return w, s.alpha + (P.dual_box[0] - before.dual_box[0])  # type: ignore[index]


def _with_quantiles(loss: Loss, quantiles: Iterable[float]) -> list[Any]:
    """The loss with each of these quantiles, from the least up."""
    plain: Any = unweighted(loss)
    if "quantile" not in plain._fields:
        raise ValueError(f"quantiles are of the pinball loss, and this problem's is {loss.name}: take loss='pinball'")
    each = [quantiles] if checks.is_number(quantiles) else quantiles
    found: list[Any] = [resolve(plain._replace(quantile=q)) for q in each]
    if not found or len(set(found)) < len(found):
        raise ValueError("quantiles must be numbers between 0 and 1, at least one, and none twice")
    return sorted(found, key=lambda each: each.quantile)


def _with_screening(method: Method, sampling: Sampling, problems: list[Problem]) -> Method:
    """The method, rcd with safe screening if it fits: most paths take a tenth to seven tenths (docs/screening.md)."""
    if not isinstance(method, RCD):
        return method
    safe = Screened(method)
    return safe if all(safe.refusal(P, sampling) is None for P in problems) else method


def _sorted_weights(name: str, given: float | Iterable[float] | None, own: float) -> list[float]:
    if given is None:
        return [own]
    values: list[Any] = list(given) if checks.has_several(given) else [given]  # type: ignore[arg-type]
    if not values:
        raise ValueError(f"{name} is an empty list: give at least one weight, or leave {name} out")
    weights = sorted((checked_weight(name, value) for value in values), reverse=True)
    if len(set(weights)) < len(weights):
        raise ValueError(f"a weight {name} is given twice: each is solved once")
    return weights
