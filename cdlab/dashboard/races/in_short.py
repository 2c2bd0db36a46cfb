"""What came of a race, in one short sentence: the one under the stage. `story` and `measured` say more."""

from __future__ import annotations

import math

from ...faceoffs import winner
from ..choices import misfits
from ..choices.groups import of_its_side
from ..words import listed, number, sentence
from .measured import first_and_last, uncertified
from .results import Result
from .story import Outcome, reached_by, spoken


def in_short(race: Result) -> str:
    """Who won, by how much, and what the bounds said.

    >>> from .first_picture import first_picture
    >>> print(in_short(first_picture()))  # doctest: +NORMALIZE_WHITESPACE
    The dual won: 20.8 passes of sdca (importance) against 167 of rcd (importance) to a relative gap of 10⁻⁶,
    8 times as many; the face-off predicted 16 times.
    """
    happened = race.outcome()
    if at_once := _at_once(race):
        return at_once
    if uncertified(race) or None in (happened.primal, happened.dual):
        return first_and_last(race) or _alone(race, happened)
    if happened.at_least is None:
        return happened.sentence(race.prediction)
    side = winner(happened.at_least)
    led = "dual" if happened.dual_passes <= happened.primal_passes else "primal"
    few, first, many, second, spent = _order(happened, led)
    rest = f"{number(many)} of" if many < math.inf else f"more than {number(spent)} of"
    fair = of_its_side(first) and of_its_side(second)
    who = f"{f'The {side}' if fair else spoken(first)} won" if side else "A tie" if many < math.inf else "Undecided"
    told = f"{who}: {number(few)} passes of {spoken(first)} against {rest} "
    told += f"{spoken(second)} to a relative gap of {number(happened.target)}"
    if side is not None:
        told += f", {'' if many < math.inf else 'at least '}{_times(happened.at_least)} as many"
    return f"{told}{_bounds(race, side)}."


def in_a_word(race: Result) -> str:
    """What came of a race in which no primal coordinate method meets a dual one; empty of any other."""
    if uncertified(race):
        return "not certified"
    if race.running:
        return ""
    if _at_once(race):
        return "w = 0 is optimal"
    happened = race.outcome()
    if None not in (happened.primal, happened.dual):
        if of_its_side(happened.primal) and of_its_side(happened.dual):
            return ""
        who = happened.winner
        if who is not None:
            return f"{getattr(happened, who).partition(', ')[0]} won"
        return "a tie" if happened.ratio is not None else ""
    target = race.choices.target
    work = {label: reached_by([lane.trace for lane in lanes], target) for label, lanes in race.methods.items()}
    first = min(work, key=work.get)
    if not math.isfinite(work[first]):
        return "none arrived"
    return f"{first.partition(', ')[0]} {'won' if len(work) > 1 else 'alone'}"


def _at_once(race: Result) -> str:
    """Of a race in which some run was at the target before its first step: w = 0 is optimal; else empty."""
    target = race.choices.target
    work = {label: reached_by([lane.trace for lane in lanes], target) for label, lanes in race.methods.items()}
    if race.running or 0 not in work.values():
        return ""
    late = {label: passes for label, passes in work.items() if passes > 0}
    if not late:
        return "w = 0 is optimal: no run has anything to do."
    there = listed([spoken(label) for label in work if label not in late])
    who, most = spoken(next(iter(late))) if len(late) == 1 else "the others", max(late.values())
    took = (
        f"needed {'up to ' if len(late) > 1 else ''}{number(most)} passes" if most < math.inf else "did not come there"
    )
    return f"w = 0 is optimal, where {there} had nothing to do; {who} {took}."


def _alone(race: Result, happened: Outcome) -> str:
    """Of a race in which one side did not run, or just one method."""
    if race.running:
        return "It is too early to tell."
    side = "primal" if happened.dual is None else "dual"
    label, passes = getattr(happened, side), getattr(happened, f"{side}_passes")
    if label is None or uncertified(race):
        return ""
    out = misfits.left_out(race.choices)
    alone = f"The {side} alone could step: " if out else ""
    goal = f"a relative gap of {number(happened.target)}"
    came = f"needed {number(passes)} passes to {goal}" if passes < math.inf else f"has not come to {goal}"
    because = next((f" {sentence(why.partition(':')[0])}" for why in out.values()), "")
    return f"{alone}{spoken(label)} {came}.{because}"


def _order(happened: Outcome, led: str) -> tuple[float, str, float, str, float]:
    """Passes and label of the side that led, of the other, and what the other has spent."""
    other = "primal" if led == "dual" else "dual"
    mine = getattr(happened, f"{led}_passes"), getattr(happened, led)
    return *mine, getattr(happened, f"{other}_passes"), getattr(happened, other), getattr(happened, f"{other}_spent")


def _bounds(race: Result, side: str | None) -> str:
    """What the bounds said, where they are about these runs."""
    prediction = race.prediction
    if prediction.ratio is None or prediction.note:  # a sampling without a theorem
        return ""
    said = winner(prediction.ratio)
    if said is None:
        return "; the face-off predicted a tie"
    return f"; the face-off predicted {_times(prediction.ratio)}" + ("" if said == side else f" for the {said}")


def _times(ratio: float) -> str:
    return f"{number(max(ratio, 1 / ratio), 2)} times"
