"""The causes of a lead, in the order in which they are tried: each is taken away, and the race run without it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..numerics.profiles import Profile
from ..problems.problem import Problem
from .entrants import Entrant
from .figures import Figure, Sentence, figure, sentence
from .reruns import Goal, Runs, rerun, without_lines
from .rules import COUNTERPARTS, TEMPLATES, THRESHOLDS
from .slowest_direction import slowest_direction

GONE, HEAVY, HEAVY_SHARE, STEPS = (THRESHOLDS[name] for name in ("GONE", "HEAVY", "HEAVY_SHARE", "STEPS"))


class Reason(NamedTuple):
    """Why a race came out so.

    Attributes
    ----------
    name : str
        Of a cause: "draws", "order", "heavy lines", "momentum", "easier problems", "noise", "damped steps", "second
        order", "batch", "steps", "slowest direction"; or "start", "even", "unknown". Of bounds that are loose: "damped
        steps", "slowest direction", "worst case".
    side : "primal", "dual", "full" or None
        Of the entry that the cause is about; None: of none.
    sentence : Sentence
    """

    name: str
    side: str | None
    sentence: Sentence


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

    def without(self, runs: Runs, other: Entrant) -> Runs | None:
        """The runs of another entrant in the place of one; None unless half of the lead goes with the change.

        Its median must also lie outside of the runs that it replaces, where draws alone might move it.
        """
        is_loser = runs is self.loser
        limit = self.winner.cost * self.lead ** (1 - GONE) if is_loser else math.inf
        try:
            found = rerun(self.problem, other, self.goal, limit)
        except ValueError:  # it does not fit the problem
            return None
        least, most = runs.range
        if is_loser:
            return found if found.cost < least and self.vanished(found.cost, self.winner.cost) else None
        return found if found.cost > most and self.vanished(self.loser.cost, found.cost) else None

    def profile(self, entrant: Entrant) -> Profile:
        """Norms and entries of the lines that an entrant steps along."""
        return self.problem.column_profile if entrant.side == "primal" else self.problem.row_profile


def cause_of(pair: Pair) -> Reason:
    """The first cause that holds; where none does, a reason that says so."""
    if pair.winner.cost == 0:
        return _told("start", None, pair.figures)
    for rule in RULES:
        if reason := rule(pair):
            return reason
    return _told("unknown", None, pair.figures)


def _told(name: str, side: str | None, parts: Mapping[str, Figure | str], key: str = "") -> Reason:
    return Reason(name, side, sentence(key or name, **parts))


def _draws(pair: Pair) -> Reason | None:
    """Draws that are not uniform, of one of both: uniform ones replace them."""
    for runs in (pair.loser, pair.winner):
        drawn = runs.entrant.draws
        if drawn is None or drawn.name == "uniform" or not drawn.serial:
            continue
        found = pair.without(runs, runs.entrant.without("draws"))
        if found is None:
            continue
        parts: dict[str, Figure | str] = {"with": runs.figure(), "without": found.figure()}
        if not drawn.has_theorem:
            return _told("order", runs.entrant.side, parts)
        if runs is pair.loser and (work := _work(pair, runs.entrant)) is not None:
            return _told("draws", runs.entrant.side, parts | {"work": work}, "draws.heavy")
        return _told("draws", runs.entrant.side, parts)
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
    if profile.norms2.max() <= HEAVY * profile.norms2.mean():
        return None
    parts = profile.counts * profile.norms2
    return np.flatnonzero(parts >= HEAVY_SHARE * parts.max())


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
    parts: dict[str, Figure | str] = {"with": pair.loser.figure(), "without": loser.figure(data)}
    return _told("heavy lines", entrant.side, parts | {"lines": lines})


def _counterpart(name: str) -> Callable[[Pair], Reason | None]:
    """The rule of a cause that one entry has, and its counterpart has not."""

    def rule(pair: Pair) -> Reason | None:
        having = [runs for runs in (pair.winner, pair.loser) if runs.entrant.method.name in COUNTERPARTS[name]]
        if len(having) != 1:
            return None
        (runs,) = having
        found = pair.without(runs, runs.entrant.without(name))
        if found is None:
            return None
        late = runs is pair.loser and f"{name}.late" in TEMPLATES
        parts: dict[str, Figure | str] = {"with": runs.figure(), "without": found.figure()}
        return _told(name, runs.entrant.side, parts, f"{name}.late" if late else name)

    return rule


def _together(pair: Pair) -> Reason | None:
    """All that can be taken away from one of both, at once: at least two causes."""
    for runs in (pair.loser, pair.winner):
        names, other = [], runs.entrant
        for name in runs.entrant.causes:
            names.append(TEMPLATES[f"together.{name}"])
            other = other.without(name)
        if len(names) < 2 or (found := pair.without(runs, other)) is None:
            continue
        causes = TEMPLATES["and"].format(first=", ".join(names[:-1]), second=names[-1])
        parts: dict[str, Figure | str] = {"with": runs.figure(), "without": found.figure()}
        return _told("together", runs.entrant.side, parts | {"causes": causes})
    return None


def _batch(pair: Pair) -> Reason | None:
    """Steps that are taken at once, from one point, of one of both: one at a time replaces them."""
    batched = [runs for runs in (pair.loser, pair.winner) if runs.entrant.batch > 1]
    if len(batched) != 1:
        return None
    (runs,) = batched
    found = pair.without(runs, runs.entrant.without("batch"))
    if found is None:
        return None
    parts: dict[str, Figure | str] = {"with": runs.figure(), "without": found.figure()}
    return _told("batch", runs.entrant.side, parts)


def _steps(pair: Pair) -> Reason | None:
    """How many steps a pass pays for, of two sides, where these account for half of the lead."""
    if {pair.winner.entrant.side, pair.loser.entrant.side} != {"primal", "dual"}:
        return None
    winner, loser = _steps_in_a_pass(pair.winner), _steps_in_a_pass(pair.loser)
    if winner.value < STEPS * loser.value or not pair.accounts_for(winner.value / loser.value):
        return None
    return _told("steps", pair.winner.entrant.side, {"winner": winner, "loser": loser})


def _steps_in_a_pass(runs: Runs) -> Figure:
    found = runs.steps.low / np.maximum(runs.passes.low, 1e-300)
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
    return _told("slowest direction", pair.loser.entrant.side, {"loser": loser, "winner": winner})


RULES: tuple[Callable[[Pair], Reason | None], ...] = (
    _draws,
    _heavy_lines,
    *map(_counterpart, COUNTERPARTS),
    _batch,
    _together,
    _steps,
    _slowest_direction,
)
