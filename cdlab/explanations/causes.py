"""The causes of a lead, in the order in which they are tried: each is taken away, and the race run without it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..numerics.profiles import Profile
from ..problems.problem import Problem
from .entrants import Entrant
from .figures import Figure, Sentence, figure, sentence
from .reruns import Goal, Runs, rerun, without_lines
from .rules import COUNTERPARTS, EXACT_STEPS, TEMPLATES, THRESHOLDS
from .slowest_direction import slowest_direction

TINY = 1e-300  # This stands for 0 passes where they divide.
GONE, HEAVY, HEAVY_SHARE, STEPS = (THRESHOLDS[name] for name in ("GONE", "HEAVY", "HEAVY_SHARE", "STEPS"))


class Reason(NamedTuple):
    """Why a race came out so.

    Attributes
    ----------
    name : str
        Of a cause: "draws", "order", "heavy lines", "momentum", "easier problems", "noise", "damped steps", "exact
        steps", "second order", "batch", "together", "steps", "slowest direction"; or "start", "even", "overlap",
        "unknown". Of bounds that are loose: "damped steps", "slowest direction", "worst case".
    side : "primal", "dual", "full" or None
        Of the entry that the cause is about; None: of none.
    sentence : Sentence
    lead : float or None
        What the lead would be without the cause; below 1: the other entry would be ahead.
    """

    name: str
    side: str | None
    sentence: Sentence
    lead: float | None = None


@dataclass(frozen=True, eq=False)
class Pair:
    """The winner of a race, and the entry that its lead is over.

    Attributes
    ----------
    problem : Problem
    winner, loser : Runs
        Of the race.
    goal : Goal
    solution : function
        That returns w (d,), the optimum or near it; called where it is needed.
    """

    problem: Problem
    winner: Runs
    loser: Runs
    goal: Goal
    solution: Callable[[], np.ndarray]

    @cached_property
    def w(self) -> np.ndarray:
        """The optimum, or near it."""
        return self.solution()

    @property
    def lead(self) -> float:
        """The passes of the loser over the winner's."""
        return self.loser.cost / self.winner.cost

    @property
    def figures(self) -> dict[str, Figure | str]:
        """The passes of both, as the places of templates are called."""
        return {"winner": self.winner.figure(), "loser": self.loser.figure()}

    def vanished(self, loser: float, winner: float) -> bool:
        """Tell whether about half of the logarithm of the lead is gone where both take so many passes."""
        return loser <= winner * self.lead ** (1 - GONE)

    def accounts_for(self, factor: float) -> bool:
        """Tell whether a factor is about the lead: at least half of its logarithm, and at most twice."""
        return self.lead**GONE <= factor <= self.lead ** (1 / GONE)

    def without(self, runs: Runs, cause: str) -> tuple[Runs, float] | None:
        """The runs of an entrant without a cause, and the lead then; None unless half of the lead goes with it.

        Its median must also lie outside of the runs that it replaces, where draws alone might move it. If the other
        entrant has the same cause, it is taken from both.
        """
        other = self.winner if runs is self.loser else self.loser
        if cause in other.entrant.causes and cause in ("draws", "order"):
            return self._without_both(runs, other, cause)
        return self.in_place_of(runs, runs.entrant.without(cause))

    def _without_both(self, runs: Runs, other: Runs, cause: str) -> tuple[Runs, float] | None:
        try:
            found, beside = (rerun(self.problem, each.entrant.without(cause), self.goal) for each in (runs, other))
        except ValueError:
            return None
        least, most = runs.range
        winner, loser = (beside, found) if runs is self.loser else (found, beside)
        moved = not least <= found.cost <= most
        return (found, loser.cost / winner.cost) if moved and self.vanished(loser.cost, winner.cost) else None

    def in_place_of(self, runs: Runs, other: Entrant) -> tuple[Runs, float] | None:
        """The runs of another entrant in the place of one, and the lead then; see `without`."""
        is_loser = runs is self.loser
        limit = self.winner.cost * self.lead ** (1 - GONE) if is_loser else math.inf
        try:
            found = rerun(self.problem, other, self.goal, limit)
        except ValueError:  # it does not fit the problem
            return None
        least, most = runs.range
        if is_loser:
            moved, costs = found.cost < least, (found.cost, self.winner.cost)
        else:
            moved, costs = found.cost > most, (self.loser.cost, found.cost)
        return (found, costs[0] / max(costs[1], TINY)) if moved and self.vanished(*costs) else None

    def profile(self, entrant: Entrant) -> Profile:
        """Norms and entries of the lines that an entrant steps along."""
        return self.problem.column_profile if entrant.side == "primal" else self.problem.row_profile


def cause_of(pair: Pair) -> Reason:
    """The first cause that holds; where none does, a reason that says so.

    The one difference between two entries is tried first. A cause without which the other entry would be as far ahead
    is taken where there is no other.
    """
    if pair.winner.cost == 0:
        return Reason("start", None, sentence("start", **pair.figures))
    reversing = None
    for rule in _rules_of(pair):
        reason = rule(pair)
        if reason is None:
            continue
        if reason.lead is None or reason.lead * pair.lead >= 1:
            return reason
        reversing = reversing or reason
    return reversing or Reason("unknown", None, sentence("unknown", **pair.figures))


def _rules_of(pair: Pair) -> list[Callable[[Pair], Reason | None]]:
    """The rules, with that of the one difference between the entries in front."""
    one, two = pair.winner.entrant, pair.loser.entrant
    linked = [
        name
        for name, pairs in COUNTERPARTS.items()
        if pairs.get(one.method.name) == two.method.name or pairs.get(two.method.name) == one.method.name
    ]
    first = [_batch] if one.method.name == two.method.name and one.batch != two.batch else []
    return [*first, *(_counterpart(name) for name in linked), *RULES]


def _taken_away(name: str, runs: Runs, found: tuple[Runs, float], key: str = "", **parts: Figure | str) -> Reason:
    """The reason by the runs of an entrant, and those without a cause with the lead then."""
    without, lead = found
    figures = {"with": runs.figure(), "without": without.figure()}
    return Reason(name, runs.entrant.side, sentence(key or name, **figures, **parts), lead)


def _draws(pair: Pair) -> Reason | None:
    """Draws that are not uniform, of one of both: uniform ones replace them."""
    for runs in (pair.loser, pair.winner):
        drawn = runs.entrant.draws
        if drawn is None or drawn.name == "uniform" or not drawn.serial:
            continue
        cause = "draws" if drawn.has_theorem else "order"
        found = pair.without(runs, cause)
        if found is None:
            continue
        if runs is pair.loser and drawn.has_theorem and (work := _work(pair, runs.entrant)) is not None:
            return _taken_away("draws", runs, found, "draws.heavy", work=work)
        return _taken_away(cause, runs, found)
    return None


def _work(pair: Pair, entrant: Entrant) -> Figure | None:
    """The share of the entries read that are of heavy lines; None where no line is heavy."""
    profile, heavy = pair.profile(entrant), _heavy(pair, entrant)
    if heavy is None:
        return None
    cost = entrant.method.probabilities(pair.problem, entrant.sampling) * profile.counts
    share = 100 * float(cost[heavy].sum() / cost.sum())
    return figure("work", "counted", entrant, share, share, share, lines=_lines(entrant.side, heavy.size))


def _heavy(pair: Pair, entrant: Entrant) -> np.ndarray | None:
    """The lines with at least half of the largest entries x norm^2, as in C_P and C_D; None where none is heavy."""
    profile = pair.profile(entrant)
    parts = profile.counts * profile.norms2
    heavy = (parts >= HEAVY_SHARE * parts.max()) & (profile.norms2 > HEAVY * profile.norms2.mean())
    return np.flatnonzero(heavy) if heavy.any() else None


def _lines(side: str, count: int) -> str:
    word = "column" if side == "primal" else "row"
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def _heavy_lines(pair: Pair) -> Reason | None:
    """Lines of the loser that are much heavier than the mean: both run on the data without them."""
    problem, entrant = pair.problem, pair.loser.entrant
    if entrant.side == "full" or problem.outputs or problem.intercept:
        return None
    heavy = _heavy(pair, entrant)
    if heavy is None:
        return None
    goal = replace(pair.goal, start=None)
    try:
        rest = without_lines(problem, entrant.side, heavy)
        winner = rerun(rest, pair.winner.entrant, goal)
        loser = rerun(rest, entrant, goal, winner.cost * pair.lead ** (1 - GONE))
    except ValueError:  # of what is left no race can be made
        return None
    if not pair.vanished(loser.cost, winner.cost):
        return None
    lines = _lines(entrant.side, heavy.size)
    data = TEMPLATES["without lines"].format(lines=lines)
    parts = {"with": pair.loser.figure(), "without": loser.figure(data)}
    return Reason("heavy lines", entrant.side, sentence("heavy lines", lines=lines, **parts))


def _counterpart(name: str) -> Callable[[Pair], Reason | None]:
    """The rule of a cause that one entry has, and its counterpart has not."""

    def rule(pair: Pair) -> Reason | None:
        having = [runs for runs in (pair.winner, pair.loser) if runs.entrant.method.name in COUNTERPARTS[name]]
        if len(having) != 1:
            return None
        (runs,) = having
        other = (pair.winner if runs is pair.loser else pair.loser).entrant.method.name
        if name == "exact steps" and (other in EXACT_STEPS or (other == "rcd" and pair.problem.loss.name == "squared")):
            return None  # the other takes them, too
        found = pair.without(runs, name)
        if found is None:
            return None
        late = runs is pair.loser and f"{name}.late" in TEMPLATES
        return _taken_away(name, runs, found, f"{name}.late" if late else name)

    return rule


def _together(pair: Pair) -> Reason | None:
    """All that can be taken away from one of both, at once: at least two causes."""
    for runs in (pair.loser, pair.winner):
        names, other = [], runs.entrant
        for name in runs.entrant.causes:
            names.append(TEMPLATES[f"together.{name}"])
            other = other.without(name)
        if len(names) < 2 or (found := pair.in_place_of(runs, other)) is None:
            continue
        causes = TEMPLATES["and"].format(first=", ".join(names[:-1]), second=names[-1])
        return _taken_away("together", runs, found, causes=causes)
    return None


def _batch(pair: Pair) -> Reason | None:
    """Steps that are taken at once, from one point, of one of both: one at a time replaces them."""
    batched = [runs for runs in (pair.loser, pair.winner) if runs.entrant.batch > 1]
    if len(batched) != 1:
        return None
    (runs,) = batched
    found = pair.without(runs, "batch")
    return None if found is None else _taken_away("batch", runs, found)


def _steps(pair: Pair) -> Reason | None:
    """How many steps a pass pays for, of two sides, where these account for half of the lead."""
    if {pair.winner.entrant.side, pair.loser.entrant.side} != {"primal", "dual"}:
        return None
    winner, loser = _steps_in_a_pass(pair.winner), _steps_in_a_pass(pair.loser)
    if winner.value < STEPS * loser.value or not pair.accounts_for(winner.value / loser.value):
        return None
    return Reason("steps", pair.winner.entrant.side, sentence("steps", winner=winner, loser=loser))


def _steps_in_a_pass(runs: Runs) -> Figure:
    found = runs.steps.low / np.maximum(runs.passes.low, TINY)
    x = float(np.median(found))
    return figure("steps", "counted", runs.entrant, x, x, x)


def _slowest_direction(pair: Pair) -> Reason | None:
    """The eigenvalue of both, where it accounts for half of the lead."""
    found = [slowest_direction(pair.problem, runs.entrant, pair.w) for runs in (pair.loser, pair.winner)]
    if found[0] is None or found[1] is None:
        return None
    loser, winner = found[0][0], found[1][0]
    if not all(math.isfinite(each.value) and each.value > 0 for each in (loser, winner)):
        return None
    if loser.low <= winner.high or not pair.accounts_for(loser.value / winner.value):
        return None
    told = sentence("slowest direction", loser=loser, winner=winner)
    return Reason("slowest direction", pair.loser.entrant.side, told)


RULES: tuple[Callable[[Pair], Reason | None], ...] = (
    _draws,
    _heavy_lines,
    *map(_counterpart, COUNTERPARTS),
    _batch,
    _together,
    _steps,
    _slowest_direction,
)
