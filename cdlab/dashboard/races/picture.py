"""What the picture of the race shows: the axes, the curves of the races that it compares, and which are left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import param

from ...plots import X_AXES, Y_AXES
from ...plots.style import Look, fade
from .held_out import why_none
from .looks import looks_in
from .measured import uncertified
from .results import Lane, Result
from .runs import Kept

DEFAULT = "primal"  # up the picture: all bounds exist there, and every race has something to show


class Picture(param.Parameterized):
    """The axes, and what is left out of the picture. Changing them touches no race, running or not."""

    x = param.Selector(default="passes", objects=list(X_AXES), label="Across")
    y = param.Selector(default=DEFAULT, objects=list(Y_AXES), label="Up")
    muted = param.List(default=[], item_type=str, doc="Methods, by their labels, that are not drawn.")
    unbounded = param.List(default=[], item_type=str, doc="Methods, by their labels, whose bounds are not drawn.")

    def values(self) -> dict[str, str]:
        """The axes, which belong into an address; the names of curves do not."""
        return {"x": self.x, "y": self.y}

    def switch(self, name: str, label: str, on: bool) -> None:
        """Put a label onto `muted` or `unbounded`, or take it off."""
        others = [other for other in getattr(self, name) if other != label]
        setattr(self, name, [*others, label] if on else others)

    def shown_y(self, refused: dict[str, str]) -> str:
        """The chosen vertical axis, or the default one where the races have nothing to show on it."""
        return DEFAULT if self.y in refused else self.y


@dataclass(frozen=True)
class Curve:
    """One method of one race.

    Attributes
    ----------
    name : str
        Method and sampling; where several races are compared, with the name of the race before it.
    label : str
        Method and sampling.
    lanes : list of Lane
        Its runs, one a seed.
    race : Result
        Whose runs they are.
    look : Look
        The same for each label; earlier races are thinner and paler.
    """

    name: str
    label: str
    lanes: list[Lane]
    race: Result
    look: Look


def curves(shown: Sequence[Kept]) -> list[Curve]:
    """The curves of these races, in their order."""
    alone, drawn = len(shown) == 1, []
    looks = looks_in([kept.race for kept in reversed(shown)])
    for behind, kept in zip(reversed(range(len(shown))), shown, strict=True):
        for label, lanes in kept.race.methods.items():
            name = label if alone else f"{kept.name}: {label}"
            drawn.append(Curve(name, label, lanes, kept.race, fade(looks[label], behind)))
    return drawn


def refused(races: Sequence[Result]) -> dict[str, str]:
    """The vertical axes on which none of the races has anything to show, with the reason."""
    reasons = {}
    if races and all(map(uncertified, races)):
        reasons = dict.fromkeys(("gap", "dual"), "without a regulariser (l1 = l2 = 0) the dual is not known")
    if not any(_tested(race) for race in races):
        reasons["test"] = why_none(races[-1].choices) if races else "no race is shown"
    return reasons


def _tested(race: Result) -> bool:
    begun = [trace for trace in race.traces if trace.records]
    return any("test_error" in trace.names for trace in begun) if begun else not why_none(race.choices)
