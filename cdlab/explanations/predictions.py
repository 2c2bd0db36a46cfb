"""Why a race is not what the bounds predict: which bound is looser, and by what."""

from __future__ import annotations

from .causes import Pair, Reason
from .figures import Figure, figure, sentence
from .reruns import Runs, rerun
from .rules import COUNTERPARTS, THRESHOLDS
from .slowest_direction import slowest_direction

NOTABLE, STEEP = THRESHOLDS["NOTABLE"], THRESHOLDS["STEEP"]
DAMPED = {exact: damped for damped, exact in COUNTERPARTS["damped steps"].items()}


def looseness_of(pair: Pair) -> Reason | None:
    """Why the passes of two entries are not in the ratio of their bounds, in a sentence about the looser one.

    None where they are, within a factor 1.5; or where one of them has no bound to the level.
    """
    if not (pair.winner.passes.reached and pair.loser.passes.reached and pair.winner.cost > 0):
        return None
    promised = [(runs, found) for runs in (pair.winner, pair.loser) if (found := promise(pair, runs)) is not None]
    slack = [found.value / runs.cost for runs, found in promised]
    if len(slack) < 2 or min(slack) == 0 or max(slack) <= NOTABLE * min(slack):
        return None
    runs, found = promised[int(slack[1] > slack[0])]
    return _damped_steps(pair, runs, found) or _slowest_direction(pair, runs) or _worst_case(runs, found)


def promise(pair: Pair, runs: Runs) -> Figure | None:
    """The passes to the level that a theorem about the last point promises; None if there is none."""
    from ..theory.promises import best_promise  # loads sympy

    entrant, problem = runs.entrant, pair.problem
    if problem.l2 == 0 and problem.l1 > 0:
        return None
    try:
        found = best_promise(problem, entrant.method, entrant.draws, pair.goal.level)
    except ValueError:
        return None
    if found is None or not found.last_point:
        return None
    x = found.passes
    return figure("passes", "bound", entrant, x, x, x, level=pair.goal.level)


def _damped_steps(pair: Pair, runs: Runs, promised: Figure) -> Reason | None:
    """Exact steps, where damped ones, for which the bound holds as well, are slower."""
    damped = DAMPED.get(runs.entrant.method.name)
    if damped is None:
        return None
    try:
        found = rerun(pair.problem, runs.entrant.with_method(damped), pair.goal)
    except ValueError:
        return None
    if found.cost < NOTABLE * runs.cost:
        return None
    told = sentence("bound.damped steps", bound=promised, without=found.figure(), **{"with": runs.figure()})
    return Reason("damped steps", runs.entrant.side, told)


def _slowest_direction(pair: Pair, runs: Runs) -> Reason | None:
    """A slowest direction that is faster than the one that the bound allows for."""
    found = slowest_direction(pair.problem, runs.entrant, pair.w)
    if found is None or not found[1].value > STEEP * found[0].high:
        return None
    exact, bound = found
    return Reason("slowest direction", runs.entrant.side, sentence("bound.slowest direction", exact=exact, bound=bound))


def _worst_case(runs: Runs, promised: Figure) -> Reason:
    return Reason("worst case", runs.entrant.side, sentence("bound.worst case", bound=promised))
