"""Why a race came out as it did, and why not as its bounds predict."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..exact_rates import exact_rate
from ..numerics import checks
from ..numerics.written_numbers import spoken
from ..problems.problem import Problem
from ..runs import Race, solve
from ..runs.progress_line import ProgressLine
from ..runs.race_result import check_eps
from .causes import Pair, Reason, cause_of
from .entrants import Entrant
from .figures import Figure, Sentence, figure, sentence
from .predictions import looseness_of
from .reruns import Goal, Runs, errors_of
from .rules import TEMPLATES, THRESHOLDS

EVEN, ALIKE = THRESHOLDS["EVEN"], THRESHOLDS["ALIKE"]
TENTH = 0.1
LEAST_LEVEL = 1e-9  # Gaps below this share of that of the start are near rounding.
ROUNDING = 1e-9
PATIENCE = 10.0  # times the passes of the longest run of a race: the limit of runs without a cause
MOST_IN_ORDERS = 16  # Rates of orders are computed of so many coordinates, or where few kinds of them differ.
REFERENCE_TOL, REFERENCE_PASSES = 1e-9, 2000


@dataclass(frozen=True)
class Explanation:
    """Up to three sentences about a race; `print` shows them.

    Attributes
    ----------
    why : Reason
        Why the winner was ahead, or why nobody was.
    why_not : Reason or None
        Why the lead is not the ratio of the bounds; None where it is, within a factor 1.5, or where there are none.
    in_expectation : Sentence or None
        Exact rates, where an entry takes an order and they are known.
    winner, loser : Figure
        The passes of the two entries that are compared, and the level to which they are counted.
    """

    why: Reason
    why_not: Reason | None
    in_expectation: Sentence | None
    winner: Figure
    loser: Figure

    @property
    def sentences(self) -> list[Sentence]:
        """At most three; the first alone says why."""
        told = [self.why.sentence, None if self.why_not is None else self.why_not.sentence, self.in_expectation]
        return [each for each in told if each is not None]

    @property
    def figures(self) -> list[Figure]:
        """All figures of the sentences."""
        return [each for one in self.sentences for each in one.figures]

    def to_dict(self) -> dict[str, Any]:
        """Sentences, rules and figures as plain numbers, words, lists, dicts and None: ready for JSON."""
        figures = [{**each.to_dict(), "words": str(each)} for each in self.figures]
        rules = {"why": self.why.name, "why_not": None if self.why_not is None else self.why_not.name}
        return {**rules, "sentences": list(map(str, self.sentences)), "figures": figures}

    def __str__(self) -> str:
        parts: dict[str, Any] = {"level": spoken(self.winner.level), "winner": self.winner, "loser": self.loser}
        return "\n".join([str(sentence("header", **parts)), *map(str, self.sentences)])

    def __iter__(self) -> Any:
        return iter(self.sentences)


def explain(race: Race, level: float | None = None, *, progress: bool = False) -> Explanation:
    """Say why a race came out as it did, and why not as its bounds predict.

    The winner is compared with the fastest entry of the other side, or with the second where all have one side. A cause
    is named where a race without it, of five runs with other seeds, shows that about half of the logarithm of the lead
    goes with it.

    Parameters
    ----------
    race : Race
        Of `cdlab.race`, with at least two entries.
    level : float in (0, 1), optional
        The relative gap, of the best points so far, to which passes are counted. By default the smallest of 1, 2 and 5
        times a power of ten to which all runs came; those of the first entry, if another did not come down to a tenth.
    progress : bool, default False
        Show on stderr what is simulated: it can take a minute. Ctrl-C ends it.

    Returns
    -------
    Explanation

    Raises
    ------
    ValueError, TypeError
        For a race without its problem, or with one entry; for a level that is not in (0, 1), or that no entry reached.

    Examples
    --------
    >>> import cdlab
    >>> X, y = cdlab.datasets.make(n=60, d=20, skew=1.0, density=0.3, seed=0)
    >>> race = cdlab.race(cdlab.Problem(X, y, l2=0.01), ["sdca", "sdca@cyclic"], max_passes=60, tol=1e-6)
    >>> 1 <= len(cdlab.explain(race).sentences) <= 3
    True
    """
    if not isinstance(race, Race):
        raise TypeError(f"explain takes a race, as cdlab.race returns it, not {checks.short_repr(race)}")
    if race.setup is None:
        raise ValueError(
            "this race does not know its problem: explain takes one that cdlab.race has run, not one put together of "
            "traces"
        )
    if race.entries < 2 or len(race.setup.contestants) < 2:
        raise _refusal("alone")
    problem = race.setup.problem
    if not problem.at_zero - _lowest(race, problem) > 0:
        raise _refusal("optimal")
    found = _level_of(race) if level is None else level
    check_eps(found)
    with ProgressLine(quiet=not checks.flag("progress", progress)) as line:
        limit = PATIENCE * max(float(trace.column("passes")[-1]) for trace in race.traces)
        goal = Goal(found, limit, race.optimum, race.setup.start, line.now_and_then)
        pair = pair_of(problem, _runs_of(race, found), goal, lambda: _solution(problem))
        both = pair.winner.figure(), pair.loser.figure()
        return Explanation(why(pair), looseness_of(pair), _in_expectation(pair), *both)


def pair_of(problem: Problem, runs: list[Runs], goal: Goal, solution: Callable[[], np.ndarray]) -> Pair:
    """The winner, and the fastest of the other side, or the second where all have one side.

    Raises
    ------
    ValueError
        If no entry reached the level.
    """
    there = [each for each in runs if each.passes.reached]
    if not there:
        raise _refusal("unreached")
    winner = _fewest(there)
    others = [each for each in runs if each is not winner]
    across = [each for each in others if each.entrant.side != winner.entrant.side]
    return Pair(problem, winner, _fewest(across or others), goal, solution)


def _fewest(runs: list[Runs]) -> Runs:
    """The first of those with the fewest passes: of equal ones, rounding does not choose."""
    least = min(each.cost for each in runs)
    return next(each for each in runs if ALIKE * each.cost <= least)


def why(pair: Pair) -> Reason:
    """Why the winner was ahead, or that it was not, but for the draws."""
    known = pair.loser.passes.reached  # else its median is more than what it took
    is_even = known and (pair.loser.cost < EVEN * pair.winner.cost or pair.loser.cost == 0)
    if is_even or (known and pair.winner.cost > 0 and pair.winner.range[1] >= pair.loser.range[0]):
        name = "even" if is_even else "overlap"
        return Reason(name, None, sentence(name, **pair.figures))
    return cause_of(pair)


def _refusal(key: str) -> ValueError:
    return ValueError(TEMPLATES[key].removesuffix("."))


def _lowest(race: Race, problem: Problem) -> float:
    return problem.dual_at_zero if race.certified else race.optimum


def _level_of(race: Race) -> float:
    """The smallest level that all runs came to; those of one entry, if others did not come down to a tenth."""
    of_race = race.optimum, race.certified
    last = [max(float(errors_of(trace, *of_race)[-1]) for trace in group) for group in race.groups]
    common = max(last) if max(last) <= TENTH else min(last)
    nice = (x for k in range(round(math.log10(LEAST_LEVEL)), 0) for x in (10.0**k, 2 * 10.0**k, 5 * 10.0**k))
    level = next((x for x in nice if x >= common * (1 - ROUNDING)), None)
    if level is None:
        raise _refusal("unreached")
    return level


def _runs_of(race: Race, level: float) -> list[Runs]:
    """The runs of each entry of a race to a level."""
    assert race.setup is not None, "checked"
    passes, steps = (race.crossings(level, by) for by in ("passes", "iteration"))
    entrants = [Entrant(*each) for each in race.setup.contestants[: race.entries]]
    return [Runs(*each, level, "measured") for each in zip(entrants, passes, steps, strict=True)]


def _solution(problem: Problem) -> np.ndarray:
    return solve(problem, "auto", tol=REFERENCE_TOL, max_passes=REFERENCE_PASSES).w


def _in_expectation(pair: Pair) -> Sentence | None:
    """Exact rates of an order and of uniform draws, where they are known."""
    for runs in (pair.loser, pair.winner):
        drawn = runs.entrant.draws
        if drawn is None or drawn.has_theorem or pair.problem.coordinates(runs.entrant.method.side).m > MOST_IN_ORDERS:
            continue
        uniform = runs.entrant.without("order")
        with suppress(ValueError, TypeError):
            return sentence("order.exact", order=_exact(pair, runs.entrant), uniform=_exact(pair, uniform))
    return None


def _exact(pair: Pair, entrant: Entrant) -> Figure:
    rate = exact_rate(pair.problem, entrant.method, entrant.sampling)
    low, high = rate.passes_interval
    return figure("passes per e", "exact", entrant, math.sqrt(low * high), low, high)
