"""The passes of one entry, from its bound to what it measured: one assumption after the other gives way.

    stage        passes to the level                                                        known from
    bound        T ln(1/eps), of the draws that the bound supposes (the face-off's: importance)
    tail         the same bound with the curvature that the loss has at the optimum, once signs and active sets are
                 settled; so far it was 1/gamma, the largest that there is                  a formula
    correlation  by the rate of these draws and of the bound's steps on these rows and columns; the bound knows their
                 norms alone                                                                exact rate, or its band
    logarithm    the method's own error, and how far it really has to fall for the level    simulated
    start        the whole run on the quadratic at the optimum, in place of its last rate   simulated
    distance     the whole run on the real loss, which curves otherwise far from there      simulated
    steps        with the steps that the method takes: exact where the bound's are damped   simulated
    weights      with the draws of the race                                                 simulated
    cost         with what a draw of the race costs                                         simulated
    measured     with the seeds of the race                                                 the race

"Simulated" are medians of a few runs of the problem itself, or of the quadratic, with seeds that no race has: each run
has everything of the race but the causes that come later. Only what lies between such runs of the race's own
methods and draws and the race itself, chance, is not explained. So shares add up by construction, and what can be wrong
is what a cause is said to be: `benchmarks/explanations.py` takes causes away to find out.
"""

from __future__ import annotations

from typing import NamedTuple

from ..faceoffs.comparing import rate_and_cost
from ..methods import Method
from ..methods.quartz import Quartz
from ..methods.rcd import RCD
from ..methods.sdca import SDCA
from ..problems.problem import Problem
from ..samplings import Importance, Sampling
from . import near_optimum
from .cause import Interval
from .measuring import Measured, RacedEntry, Setting, measure, simulate


class Stage(NamedTuple):
    """The passes to the level after one more assumption has given way."""

    name: str
    passes: Interval


class Account(NamedTuple):
    """The stages of an entry, and what its sentences tell besides.

    Attributes
    ----------
    stages : list of Stage
        The first is its bound, the last what it measured.
    fall : float
        ln of how far the method's own error falls on the way, with the steps and draws of the bound.
    all_drawn : float
        Passes until every coordinate has been drawn, as the bound draws.
    measured : Measured
        The course of its runs in the race.
    """

    stages: list[Stage]
    fall: float
    all_drawn: float
    measured: Measured


def account(setting: Setting, entry: RacedEntry, draws: Sampling) -> Account:
    """The stages of an entry.

    Parameters
    ----------
    setting : Setting
        The problem and the level.
    entry : RacedEntry
        The entry.
    draws : Sampling
        The draws that its bound supposes.
    """
    problem, method, optimum = setting.problem, entry.method, setting.optimum
    K, bound_W = bound_cost(problem, method.side, draws)
    profile = problem.row_profile if method.side == "dual" else problem.column_profile
    p = draws.probabilities(problem.coordinates(method.side))
    W = float(p @ profile.counts) / problem.nnz  # with the draws of empty lines, which bounds do not count
    ways = [(bound_method(method, draws, setting), draws), (method, draws), (method, entry.sampling)]
    simulated = {_label(way): simulate(setting, *way) for way in {_label(way): way for way in ways}.values()}
    by_bound, exact, raced = (simulated[_label(way)] for way in ways)
    measured = measure(entry.traces, method.side, setting)

    tail = near_optimum.local_bound(problem, method, draws, optimum) or K * bound_W / W
    rate = near_optimum.draws_per_e(problem, *ways[0], optimum) or Interval(tail, tail)
    run = None
    if not setting.is_quadratic:
        run = near_optimum.draws_to_fall(problem, *ways[0], optimum, setting.start, by_bound.fall)
    fall = setting.common_fall
    known = [
        Stage("bound", _exactly(K * bound_W * fall)),
        Stage("tail", _exactly(tail * W * fall)),
        Stage("correlation", rate.times(W * fall)),
        Stage("logarithm", rate.times(W * by_bound.fall)),
        Stage("start", run.times(W) if run else _exactly(by_bound.passes)),
        Stage("distance", _exactly(by_bound.passes)),
        Stage("steps", _exactly(exact.passes)),
        Stage("weights", _exactly(raced.passes * W / raced.passes_per_draw)),
        Stage("cost", _exactly(raced.passes)),
        Stage("measured", _exactly(measured.passes)),
    ]
    return Account(known, by_bound.fall, near_optimum.draws_until_all(p[profile.counts > 0]) * W, measured)


def bound_cost(problem: Problem, side: str, sampling: Sampling) -> tuple[float, float]:
    """K, in draws per factor e, and W, in passes a draw, of a bound with these draws."""
    lines = problem.row_profile if side == "dual" else problem.column_profile
    K, W, _ = rate_and_cost(problem.X, lines, side, sampling, problem.beta, problem.l2 * problem.n)
    return K, W / problem.nnz


def bound_method(method: Method, draws: Sampling, setting: Setting) -> Method:
    """The method whose steps the bound is proved for; on a quadratic with importance sampling they are exact."""
    if method.side == "primal":
        return RCD()
    return SDCA() if isinstance(draws, Importance) and setting.is_quadratic else Quartz()


def _label(way: tuple[Method, Sampling]) -> str:
    return f"{way[0].label}@{way[1].label}"


def _exactly(passes: float) -> Interval:
    return Interval(passes, passes)
