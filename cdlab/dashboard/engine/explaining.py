"""`explain`: why a race came out so, and why not as predicted, as `cdlab.explanations` finds it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...explanations.causes import Reason as Found
from ...explanations.entrants import Entrant
from ...explanations.explaining import pair_of, why
from ...explanations.figures import sentence as text_of
from ...explanations.predictions import looseness_of
from ...explanations.reruns import Goal, Runs
from .choices import Choices
from .outcomes import reach_of
from .racing import Race, run_race
from .schema import Explanation, Figure, Reason


def explain(race: Race | Choices) -> Explanation:
    """Explain why a race came out as it did; if given choices, it is run first.

    Raises
    ------
    ValueError
        If the race cannot be run.
    """
    race = race if isinstance(race, Race) else run_race(race)
    digest, about, first = race.choices.digest, race.about, race.runs[0]
    if len(race.entries) < 2 or not about.start > 0:
        return Explanation(digest, _silent("alone" if len(race.entries) < 2 else "optimal"), None)
    goal = Goal(first.target, first.limit, about.lowest)
    runs = {label: _runs(race, label) for label in race.entries}

    def solution() -> np.ndarray:
        """Where the winner has ended."""
        return next(race.of(label)[0].w for label, each in runs.items() if each is pair.winner)

    try:
        pair = pair_of(about.problem, list(runs.values()), goal, solution)
    except ValueError:
        return Explanation(digest, _silent("unreached"), None)
    firsts = [next((each for each in runs.values() if each.entrant.side == side), None) for side in ("primal", "dual")]
    compared = pair
    if firsts[0] is not None and firsts[1] is not None:  # whom the face-off compares
        winner, loser = sorted(firsts, key=lambda each: each.cost)
        compared = replace(pair, winner=winner, loser=loser)
    return Explanation(digest, _reason(why(pair)), _reason(looseness_of(compared)))


def _runs(race: Race, label: str) -> Runs:
    entry, own = race.entries[label], race.of(label)
    return Runs(
        Entrant(entry.method, entry.sampling), reach_of(own), reach_of(own, "iteration"), own[0].target, "measured"
    )


def _silent(key: str) -> Reason:
    return Reason("none", None, [], str(text_of(key)))


def _reason(found: Found | None) -> Reason | None:
    if found is None:
        return None
    plain = [each.to_dict() for each in found.sentence.figures]
    figures = [Figure(**{name: x for name, x in each.items() if name != "level"}) for each in plain]
    return Reason(found.name, found.side, figures, str(found.sentence))
