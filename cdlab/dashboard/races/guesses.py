"""A guess given before a race, judged by its outcome."""

from __future__ import annotations

from ..words import number
from .story import Outcome


def judged(guess: str, happened: Outcome) -> str:
    """What came of a guess, in a sentence; empty without one, and while nobody can know.

    Parameters
    ----------
    guess : str
        "primal", "tie", "dual" or empty.
    happened : Outcome

    Examples
    --------
    >>> judged("dual", Outcome(1e-6, "rcd", "sdca", 160.0, 20.0))
    'You guessed the dual, and so it was: the dual won, 8 times faster.'
    >>> judged("tie", Outcome(1e-6, "rcd", "sdca", 160.0, 20.0))
    'You guessed a tie; the dual won, 8 times faster.'
    """
    who = result(happened)
    if not guess or who is None:
        return ""
    said, came = ("a tie" if side == "tie" else f"the {side}" for side in (guess, who))
    lead = happened.at_least
    words = "it was a tie" if who == "tie" else f"{came} won"
    if who != "tie" and None not in (happened.primal, happened.dual, lead):
        least = "at least " if happened.ratio is None else ""
        words += f", {least}{number(max(lead, 1 / lead), 2)} times faster"
    elif who != "tie":
        words += ": the other side did not run"
    return f"You guessed {said}, and so it was: {words}." if guess == who else f"You guessed {said}; {words}."


def result(happened: Outcome) -> str | None:
    """The side that won, or "tie"; None while nobody can know."""
    if happened.primal is None or happened.dual is None:
        ran = [side for side in ("primal", "dual") if getattr(happened, side) is not None]
        return ran[0] if len(ran) == 1 and not happened.running else None
    if happened.winner is not None:
        return happened.winner
    return "tie" if happened.ratio is not None else None
