"""The names of kept races: what differs from the race before."""

from __future__ import annotations

from typing import Any

from ..choices.cards import CARDS
from ..choices.choices import SYNTHETIC, UPLOAD, WITH_GAMMA, Choices
from ..choices.data_sources import FAMILIES
from ..words import listed, number

LONGEST_NAME = 60
FIRST, SAME = "first race", "the same again"
SHORT = {
    "n": "n",
    "d": "d",
    "skew": "skew",
    "row_spread": "row spread",
    "condition": "condition",
    "noise": "noise",
    "data_seed": "data seed",
    "gamma": "gamma",
    "l2": "l2",
    "l1": "l1",
    "against": "also with",
    "passes": "passes",
    "tol": "target",
}
TITLES = {card.sets["data"]: card.title for card in CARDS.values() if card.sets["data"] != SYNTHETIC}
SAMPLINGS = ("dual_sampling", "primal_sampling")
OWN_WORDS = ("methods", *SAMPLINGS, "upload", "l2", "l2_over_n")


def called(after: Choices, before: Choices | None = None) -> str:
    """A name for a race, at most LONGEST_NAME characters long.

    Parameters
    ----------
    after : Choices
        Of the race.
    before : Choices, optional
        Of the race before it.

    Examples
    --------
    >>> called(Choices(density=0.3), Choices())
    'density 0.3 instead of 0.05'
    >>> called(Choices(), Choices())
    'the same again'
    """
    if before is None:
        return FIRST
    parts = differences(after, before)
    if not parts:
        return SAME
    for kept in range(len(parts), 0, -1):  # as many as there is room for
        rest = len(parts) - kept
        name = listed([*parts[:kept], f"{rest} more"]) if rest else listed(parts)
        if len(name) <= LONGEST_NAME:
            return name
    return "1 choice differs" if len(parts) == 1 else f"{len(parts)} choices differ"


def regularised(choices: Choices) -> str:
    """Loss and regulariser, as the picture of a race names them.

    >>> regularised(Choices(gamma=0.1, l1=0.5))
    'smooth_hinge, γ = 0.1, λ = 1/n, l1 = 0.5'
    """
    gamma = f", γ = {number(choices.gamma)}" if choices.loss in WITH_GAMMA else ""
    l1 = f", l1 = {number(choices.l1)}" if choices.l1 else ""
    return f"{choices.loss}{gamma}, λ = {_l2(choices)}{l1}"


def differences(after: Choices, before: Choices) -> list[str]:
    """What differs, in words, the data first; nothing of what does not matter for the chosen data."""
    old, new = before.values(), after.values()
    matters = [name for name in _matter(after) if name in _matter(before)]  # of other data skew may mean nothing
    told = [_instead(name, new[name], old[name]) for name in matters if new[name] != old[name]]
    if (after.l2, after.l2_over_n) != (before.l2, before.l2_over_n):
        told.append(f"l2 {_l2(after)} instead of {_l2(before)}")
    if set(after.methods) != set(before.methods):
        told.append(_methods(after.methods, before.methods))
    drawn = {name: (new[name], old[name]) for name in SAMPLINGS if new[name] != old[name]}
    if len(drawn) == 2 and len(set(drawn.values())) == 1:
        told.append("{} instead of {}".format(*drawn["dual_sampling"]))
    else:
        told += [f"{name.partition('_')[0]} {now} instead of {then}" for name, (now, then) in drawn.items()]
    if after.data == before.data == UPLOAD and after.upload != before.upload:
        told.insert(0, f"{_file(after)} instead of {_file(before)}")
    return told


def _matter(choices: Choices) -> list[str]:
    """The choices that matter, those of the data first, without those with words of their own."""
    asked = FAMILIES[choices.data].asks if choices.data in FAMILIES else ()
    shapes = {name for family in FAMILIES.values() for name in family.asks}
    rest = [name for name in choices.values() if name not in shapes and name not in (*OWN_WORDS, "data")]
    return ["data", *asked, *rest]


def _instead(name: str, new: Any, old: Any) -> str:
    words = "" if name in ("data", "loss") else SHORT.get(name, name.replace("_", " ")) + " "
    return f"{words}{_shown(new)} instead of {_shown(old)}"


def _methods(new: list[str], old: list[str]) -> str:
    added, gone = ([name for name in these if name not in others] for these, others in ((new, old), (old, new)))
    if added and gone:
        return f"{listed(added)} instead of {listed(gone)}"
    return f"with {listed(added)}" if added else f"without {listed(gone)}"


def _l2(choices: Choices) -> str:
    return number(choices.l2) + ("/n" if choices.l2_over_n and choices.l2 else "")


def _file(choices: Choices) -> str:
    return choices.upload.partition(":")[0]


def _shown(value: Any) -> str:
    return TITLES.get(value, value) if isinstance(value, str) else number(value)
