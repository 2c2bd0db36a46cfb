"""Figures: numbers that say whose they are and where they come from; sentences of text and figures."""

from __future__ import annotations

import math
import re
from typing import Any, NamedTuple

from ..numerics.written_numbers import spoken
from .entrants import Entrant
from .rules import TEMPLATES

PLACE = re.compile(r"\{(\w+)\}")


class Figure(NamedTuple):
    """A number in a sentence; `str` prints it with its subject.

    Attributes
    ----------
    quantity : str
        "passes" to the level; "passes per e", in which the expected error falls by a factor e near the optimum;
        "steps", in one pass; "work", the percentage of the entries read that are of `lines`.
    method : str
        Whose number it is, as in "sdca" or "rcd in batches of 8".
    draws : str
        How it draws its coordinates, as in "uniform"; empty where it draws nothing.
    data : str
        What was changed of the data of the race, as in "without 2 columns"; empty: nothing.
    source : "measured", "simulated", "bound", "exact" or "counted"
        In the race; in runs of `explain`, with the seeds 101, 102 and so on; promised by a theorem; an eigenvalue; or
        from the matrix.
    value : float
        The median over runs; of an interval its geometric mean.
    low, high : float
        The smallest and the largest of the runs, or the interval that is proved. `high` is inf where a run ended above
        the level.
    level : float or None
        The relative gap to which passes are counted.
    runs : int
        How many; 0 where none ran.
    lines : str
        As in "2 columns"; empty for all of them.
    reached : bool
        Whether the median run came to the level; else `value` is the least that it can be.
    """

    quantity: str
    method: str
    draws: str
    data: str
    source: str
    value: float
    low: float
    high: float
    level: float | None = None
    runs: int = 0
    lines: str = ""
    reached: bool = True

    @property
    def who(self) -> str:
        """The method, and what was changed of the data."""
        return f"{self.method} {self.data}".rstrip()

    @property
    def subject(self) -> str:
        """The method, what was changed of the data, and its draws."""
        return TEMPLATES["subject"].format(who=self.who, draws=self._draws_in_words) if self.draws else self.who

    @property
    def _draws_in_words(self) -> str:
        return self.draws.replace("_", " ")

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain numbers, words and None, which stands for an infinite `high`: ready for JSON."""
        return {**self._asdict(), "high": self.high if math.isfinite(self.high) else None}

    def __str__(self) -> str:
        low, high, value = spoken(self.low), spoken(self.high), spoken(self.value)
        interval = low if low == high else TEMPLATES["interval"].format(low=low, high=high)
        key = f"figure.{self.quantity}.{self.source}"
        if self.quantity == "passes" and self.runs:
            several = "some" if math.isinf(self.high) else "same" if low == high else "many"
            key += f".{'unreached' if not self.reached else 'one' if self.runs == 1 else several}"
        numbers = {"value": value, "interval": interval, "low": low, "runs": str(self.runs), "lines": self.lines}
        names = {"who": self.who, "subject": self.subject, "draws": f"{self._draws_in_words}; " if self.draws else ""}
        return TEMPLATES[key].format(**numbers, **names)


class Sentence(tuple[str | Figure, ...]):
    """A sentence: a tuple of text and Figures; `str` is what it says."""

    __slots__ = ()

    def __str__(self) -> str:
        text = "".join(map(str, self))
        return text[:1].upper() + text[1:]

    @property
    def figures(self) -> list[Figure]:
        """Its figures, in their order."""
        return [each for each in self if isinstance(each, Figure)]


def sentence(key: str, **parts: Figure | str) -> Sentence:
    """The sentence with this key of the templates, with figures and words in its places."""
    pieces = PLACE.split(TEMPLATES[key])  # text and names of places, by turns
    return Sentence(parts[piece] if k % 2 else piece for k, piece in enumerate(pieces) if piece)


def figure(
    quantity: str, source: str, entrant: Entrant, value: float, low: float, high: float, **more: object
) -> Figure:
    """A figure about an entrant.

    Parameters
    ----------
    quantity, source, value, low, high
        As of `Figure`.
    entrant : Entrant
        Whose number it is.
    **more
        Other fields of `Figure`.
    """
    named = {"method": entrant.words, "draws": entrant.draws_name, "data": ""}
    return Figure(quantity=quantity, source=source, value=value, low=low, high=high, **{**named, **more})  # type: ignore[arg-type]
