"""The passes of one entry, from its bound to what it measured: one assumption after the other gives way.

    bound        T ln(1/eps), of the draws that the bound supposes (the face-off's: importance), eps for both sides
    tail         the same bound with the curvature that the loss has at the optimum, once signs and active sets are
                 settled; so far it was 1/gamma, the largest that there is
    correlation  the rate of these draws and of the bound's steps on these rows and columns; the bound knows their
                 norms alone
    steps        with the steps that the method takes: exact where the bound's are damped
    weights      with the draws of the race
    cost         with what a draw of the race costs
    logarithm    the method's own error, and how far it really had to fall for the level
    start        the whole run, in place of its last rate

and last the passes that were measured. Where the rate of a stage is not known the passes stay what they were, and the
next stage accounts for both.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ..exact_rates.quadratics import Optimum
from ..faceoffs.comparing import rate_and_cost
from ..losses import Squared, unweighted
from ..methods import Method, Points
from ..methods.quartz import Quartz
from ..methods.rcd import RCD
from ..methods.sdca import SDCA
from ..problems.problem import Problem
from ..runs import iterate
from ..samplings import Importance, Sampling
from . import rates, simulation
from .cause import Interval
from .measuring import Entry, Measured

STAGES = ("bound", "tail", "correlation", "steps", "weights", "cost", "logarithm", "start", "measured")
MAX_SMALLER_SIDE = 2000  # of X: of larger data no eigenvalue is computed


class Stage(NamedTuple):
    """The passes to the level after one more assumption has given way, and draws per factor e there."""

    name: str
    passes: Interval
    draws: Interval | None = None


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
    K, W = bound_cost(setting.problem, entry.method.side, draws)
    known = [Stage("bound", Interval(K, K).times(W * fall), Interval(K, K))]
    for name, rate in _rates(setting, entry, draws):
        last = known[-1]
        known.append(last._replace(name=name) if rate is None else Stage(name, rate.times(W * fall), rate))
    rate = known[-1].draws or Interval(K, K)
    cost = entry.passes_per_draw
    known.append(Stage("cost", rate.times(cost * fall), rate))
    known.append(Stage("logarithm", rate.times(cost * measured.fall), rate))
    known.append(Stage("start", _whole_run(setting, entry, measured, rate), rate))
    return [*known, Stage("measured", Interval(measured.passes, measured.passes), None)]


def _rates(setting: Setting, entry: Entry, draws: Sampling) -> Iterator[tuple[str, Interval | None]]:
    """Draws per factor e at the stages that have a rate of their own; None where it is not known."""
    problem, optimum, method = setting.problem, setting.optimum, entry.method
    yield "tail", rates.local_bound(problem, method, draws, optimum)
    if min(problem.n, problem.d) > MAX_SMALLER_SIDE:
        return
    yield "correlation", rates.draws_per_e(problem, _bound_method(method, draws, setting), draws, optimum)
    with_its_steps = rates.draws_per_e(problem, method, draws, optimum)
    yield "steps", with_its_steps
    same = draws.label == entry.sampling.label
    yield "weights", with_its_steps if same else rates.draws_per_e(problem, method, entry.sampling, optimum)


def _bound_method(method: Method, draws: Sampling, setting: Setting) -> Method:
    """The method whose steps the bound is proved for; of a quadratic with importance sampling they are exact ones."""
    if method.side == "primal":
        return RCD()
    return SDCA() if isinstance(draws, Importance) and setting.is_quadratic else Quartz()


def _whole_run(setting: Setting, entry: Entry, measured: Measured, rate: Interval) -> Interval:
    """Passes of a whole run: until all was drawn as it was measured, then as typical runs go on near the optimum.

    Those are runs on the quadratic at the optimum where it is small enough; else the last rate stands for them.
    """
    problem, method, cost = setting.problem, entry.method, entry.passes_per_draw
    coordinates = problem.coordinates(method.side)
    if measured.fall <= measured.drawn_fall:
        return Interval(measured.passes, measured.passes)
    point, passes, error = _point_after(setting, entry, measured.drawn_passes)
    left = math.log(error / measured.last_error)
    if left <= 0:
        return Interval(measured.passes, measured.passes)
    if coordinates.m > simulation.MAX_COORDINATES:
        later = rate.times(cost * left)
    else:
        quadratic, omega = rates.quadratic_at(problem, method, entry.sampling, setting.optimum, point)
        pairs = simulation.epochs_to_levels(quadratic, omega, coordinates, entry.sampling, (1.0, math.exp(-left)))
        later = simulation.typical([epochs for _, epochs in pairs]).times(coordinates.m * cost)
    return Interval(passes + later.low, passes + later.high)


def _point_after(setting: Setting, entry: Entry, passes: float) -> tuple[Points, float, float]:
    """Where the first run of an entry was after so many passes, and its own error: P - P*, or D* - D."""
    begun = None if setting.start is None else (setting.start.w, setting.start.alpha)
    seed = entry.traces[0].meta["seed"]
    run = iterate(setting.problem, entry.method, sampling=entry.sampling, seed=seed, start=begun)
    record = next(record for record in run if record.passes >= passes)
    own = record.primal - setting.best if entry.method.side == "primal" else setting.best - record.dual
    return Points(run.w, run.alpha), record.passes, own
