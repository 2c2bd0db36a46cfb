"""A guess given before a race, judged by its outcome."""

from __future__ import annotations

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
    'You guessed the dual, rightly.'
    >>> judged("tie", Outcome(1e-6, "rcd", "sdca", 160.0, 20.0))
    'You guessed a tie.'
    """
    who = result(happened)
    if not guess or who is None:
        return ""
    return f"You guessed {said(guess)}{', rightly' if guess == who else ''}."


def said(guess: str) -> str:
    """A guess as it is spoken."""
    return "a tie" if guess == "tie" else f"the {guess}"


def result(happened: Outcome) -> str | None:
    """The side that won, or "tie"; None while nobody can know."""
    if happened.primal is None or happened.dual is None:
        ran = [side for side in ("primal", "dual") if getattr(happened, side) is not None]
        return ran[0] if len(ran) == 1 and not happened.running else None
    if happened.winner is not None:
        return happened.winner
    return "tie" if happened.ratio is not None else None
