"""The passes of one entry, from its bound to what it measured: one assumption after the other gives way.

    bound        T ln(1/eps), of the draws that the bound supposes (the face-off's: importance), eps for both sides
    tail         the same bound with the curvature that the loss has at the optimum, once signs and active sets are
                 settled; so far it was 1/gamma, the largest that there is
    correlation  the rate of these draws and of the bound's steps on these rows and columns; the bound knows their
                 norms alone
    logarithm    the method's own error, and how far it really had to fall for the level
    start        the whole run, in place of its last rate
    steps        with the steps that the method takes: exact where the bound's are damped
    weights      with the draws of the race
    cost         with what a draw of the race costs

and last the passes that were measured. From "start" on these are whole runs. That of the race was measured until all
coordinates had been drawn, and goes on as typical runs do near the optimum; with other draws and steps it is longer by
as much as typical runs from the start are, or where the data are too large for these by as much as their rates differ.
Where nothing is known of a stage the passes stay what they were, and the next stage accounts for both.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..exact_rates.quadratics import Optimum
from ..faceoffs.comparing import rate_and_cost
from ..losses import Squared, per_example, unweighted
from ..methods import Method, Points
from ..methods.quartz import Quartz
from ..methods.rcd import RCD
from ..methods.sdca import SDCA
from ..problems.problem import Problem
from ..runs import iterate
from ..samplings import Importance, Sampling, Uniform
from . import rates
from .cause import Interval
from .measuring import Entry, Measured

FARTHEST_PREDICTION, BISECTIONS = 1e4, 60
LEAST_CURVATURE = 1e-12
LEAST_APART = 1e-6  # of predictions, below which the curvature is taken for that at the optimum
MAX_SMALLER_SIDE = 2000  # of X: of larger data no eigenvalue is computed


class Stage(NamedTuple):
    """The passes to the level after one more assumption has given way."""

    name: str
    passes: Interval


@dataclass(frozen=True)
class Setting:
    """The problem of a race, its optimum, and where it began.

    Attributes
    ----------
    problem : Problem
    optimum : Optimum
    best : float
        P*.
    start : Points or None
        Where the runs began.
    """

    problem: Problem
    optimum: Optimum
    best: float
    start: Points | None

    @property
    def is_quadratic(self) -> bool:
        """Whether the curvature at the optimum is that of everywhere."""
        return isinstance(unweighted(self.problem.loss), Squared)


def bound_cost(problem: Problem, side: str, sampling: Sampling) -> tuple[float, float]:
    """K, in draws per factor e, and W, in passes a draw, of a bound with these draws."""
    lines = problem.row_profile if side == "dual" else problem.column_profile
    K, W, _ = rate_and_cost(problem.X, lines, side, sampling, problem.beta, problem.l2 * problem.n)
    return K, W / problem.nnz


def stages(setting: Setting, entry: Entry, draws: Sampling, measured: Measured, fall: float) -> list[Stage]:
    """The stages of an entry, the first its bound, the last what it measured.

    Parameters
    ----------
    setting : Setting
        The problem.
    entry : Entry
        The entry.
    draws : Sampling
        Those that its bound supposes.
    measured : Measured
        What it did.
    fall : float
        The common ln(1/eps).
    """
    problem, method = setting.problem, entry.method
    K, W = bound_cost(problem, method.side, draws)
    cost, bound_method = entry.passes_per_draw, _bound_method(method, draws, setting)
    rate, known = Interval(K, K), [Stage("bound", Interval(K, K).times(W * fall))]
    found: list[tuple[str, Interval | None]] = [("tail", rates.local_bound(problem, method, draws, setting.optimum))]
    found.append(("correlation", _rate(setting, bound_method, draws)))
    for name, draws_per_e in found:
        rate = rate if draws_per_e is None else draws_per_e
        known.append(Stage(name, rate.times(W * fall)))
    known.append(Stage("logarithm", rate.times(W * measured.fall)))
    run = _whole_run(setting, entry, measured).times(1 / cost)  # in draws
    supposed = run.times(_longer(setting, (method, draws), (method, entry.sampling), measured.fall))
    damped = supposed.times(_longer(setting, (bound_method, draws), (method, draws), measured.fall))
    known += [Stage("start", damped.times(W)), Stage("steps", supposed.times(W)), Stage("weights", run.times(W))]
    return [*known, Stage("cost", run.times(cost)), Stage("measured", Interval(measured.passes, measured.passes))]


def _rate(setting: Setting, method: Method, sampling: Sampling) -> Interval | None:
    """Draws per factor e; None where it is not known."""
    if min(setting.problem.n, setting.problem.d) > MAX_SMALLER_SIDE:
        return None
    return rates.draws_per_e(setting.problem, method, sampling, setting.optimum)


def _bound_method(method: Method, draws: Sampling, setting: Setting) -> Method:
    """The method whose steps the bound is proved for; of a quadratic with importance sampling they are exact ones."""
    if method.side == "primal":
        return RCD()
    return SDCA() if isinstance(draws, Importance) and setting.is_quadratic else Quartz()


Way = tuple[Method, Sampling]


def _longer(setting: Setting, one: Way, other: Way, fall: float) -> float:
    """How many times the draws of the other way to move one way takes, for an error to fall by e^fall; 1 if unknown."""
    if one[0].label == other[0].label and one[1].label == other[1].label:
        return 1.0
    ways = [(*way, rates.descent_at(setting.problem, *way, setting.optimum, setting.start)) for way in (one, other)]
    first, second = (
        runs.draws_to_fall(setting.problem.coordinates(method.side), sampling, fall)
        if runs.is_small
        else _rate(setting, method, sampling)
        for method, sampling, runs in ways
    )
    if first is None or second is None or not (first.middle > 0 and second.middle > 0):
        return 1.0
    return first.middle / second.middle


def _whole_run(setting: Setting, entry: Entry, measured: Measured) -> Interval:
    """Passes of a whole run: until all was drawn as it was measured, then as typical runs go on near the optimum.

    Those are runs on the quadratic at the optimum where it is small enough; else the last rate stands for them.
    """
    problem, method, cost = setting.problem, entry.method, entry.passes_per_draw
    coordinates = problem.coordinates(method.side)
    as_measured = Interval(measured.passes, measured.passes)
    if measured.fall <= measured.drawn_fall:
        return as_measured
    point, passes, error = _point_after(setting, entry, measured.drawn_passes)
    left = math.log(error / measured.last_error)
    if left <= 0:
        return as_measured
    runs = rates.descent_at(problem, method, entry.sampling, setting.optimum, point)
    if not runs.is_small:
        K, _ = bound_cost(problem, method.side, entry.sampling if entry.sampling.has_theorem else Uniform())
        later = (_rate(setting, method, entry.sampling) or Interval(K / 2, K)).times(left)
    elif setting.is_quadratic:
        later = runs.draws_to_fall(coordinates, entry.sampling, left)
    else:  # half of what is left with the curvature between the point and the optimum, half with that at the optimum
        between = rates.descent_at(problem, method, entry.sampling, _secant(setting, method.side, point), point)
        first = between.draws_to_fall(coordinates, entry.sampling, left / 2)
        last = runs.draws_to_fall(coordinates, entry.sampling, left).middle
        last -= runs.draws_to_fall(coordinates, entry.sampling, left / 2).middle
        later = Interval(first.low + last, first.high + last)
    return Interval(passes + later.low * cost, passes + later.high * cost)


def _secant(setting: Setting, side: str, point: Points) -> Optimum:
    """The optimum with the mean curvature of the losses between it and a point: of the chord of phi', or of phi*'."""
    problem, optimum = setting.problem, setting.optimum
    there, alpha = problem.predict(optimum.w), point.alpha
    z = _predictions_of(problem, alpha) if side == "dual" else problem.predict(point.w)
    if side == "primal":
        alpha = problem.alpha(point.w, z=z)
    chord, apart = optimum.alpha - alpha, z - there
    h = np.divide(chord, apart, out=optimum.h.copy(), where=np.abs(apart) > LEAST_APART)
    return Optimum(optimum.w, optimum.alpha, np.where(optimum.h > 0, np.maximum(h, LEAST_CURVATURE), optimum.h))


def _predictions_of(problem: Problem, alpha: np.ndarray) -> np.ndarray:
    """z (n,) with alpha_i = -phi'(z_i), by bisection: -phi' never rises; ends of the domain are far away."""
    low, high = np.full(problem.n, -FARTHEST_PREDICTION), np.full(problem.n, FARTHEST_PREDICTION)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        is_below = -per_example.gradients(problem.loss, middle, problem.loss_y) > alpha
        low, high = np.where(is_below, middle, low), np.where(is_below, high, middle)
    return (low + high) / 2


def _point_after(setting: Setting, entry: Entry, passes: float) -> tuple[Points, float, float]:
    """Where the first run of an entry was after so many passes, and its own error: P - P*, or D* - D."""
    begun = None if setting.start is None else (setting.start.w, setting.start.alpha)
    seed = entry.traces[0].meta["seed"]
    run = iterate(setting.problem, entry.method, sampling=entry.sampling, seed=seed, start=begun)
    record = next(record for record in run if record.passes >= passes)
    own = record.primal - setting.best if entry.method.side == "primal" else setting.best - record.dual
    return Points(run.w, run.alpha), record.passes, own
