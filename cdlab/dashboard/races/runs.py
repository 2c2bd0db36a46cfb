"""The races that a page keeps: named, pinned, muted, compared in one picture, removed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import count

import param

from ..choices.choices import MOST_RECORDS
from .naming import LONGEST_NAME, called
from .results import Result

MOST_RACES = 30  # kept; pinned ones are never dropped


@dataclass(eq=False)
class Kept:
    """A race that is kept.

    Attributes
    ----------
    key : int
        Never given to another race of the page.
    name : str
    race : Result
    pinned : bool
        It stays in the picture when another race is run, and is not dropped to make room.
    muted : bool
        It is not drawn.
    own : bool
        The person has named it.
    """

    key: int
    name: str
    race: Result
    pinned: bool = False
    muted: bool = False
    own: bool = False

    @property
    def size(self) -> int:
        """How many records it holds."""
        return sum(len(trace.records) for trace in self.race.traces)


class Runs(param.Parameterized):
    """The kept races in the order of their runs, the latest last. Whoever watches `kept` hears of every change."""

    kept = param.List(default=[], item_type=Kept)
    comparing = param.Boolean(False, doc="Each race is pinned when the next one is run.")
    note = param.String("", doc="What was dropped to make room, in a sentence; else empty.")

    def __init__(self, first: Result | None = None):
        super().__init__()
        self._keys = count()
        if first is not None:
            self.kept = [Kept(next(self._keys), "example", first)]

    def __getitem__(self, key: int) -> Kept:
        found = next((each for each in self.kept if each.key == key), None)
        if found is None:
            raise ValueError("this run has been removed")
        return found

    @property
    def latest(self) -> Kept | None:
        return self.kept[-1] if self.kept else None

    @property
    def shown(self) -> list[Kept]:
        """What the picture compares: the pinned races and the latest, without the muted ones."""
        return [each for each in self.kept if (each.pinned or each is self.latest) and not each.muted]

    def add(self, race: Result) -> None:
        """Keep a race, as the latest, unless it is kept; the oldest that are not pinned are dropped to make room."""
        if not any(each.race is race for each in self.kept):
            if self.comparing and self.latest is not None:
                self.latest.pinned = True
            before = self.latest.race.choices if self.latest is not None else None
            name = _free(called(race.choices, before), {each.name for each in self.kept})
            self._keep([*self.kept, Kept(next(self._keys), name, race)])

    def restore(self, races: Sequence[Kept]) -> None:
        """Keep races that come from elsewhere as the latest, but for one that is running."""
        kept = list(self.kept)
        running = [kept.pop()] if kept and kept[-1].race.running else []
        for each in races:
            taken = {other.name for other in (*kept, *running)}
            kept.append(replace(each, key=next(self._keys), name=_free(each.name, taken)))
        self._keep(kept + running)

    def bring(self, key: int) -> None:
        """Make a race that is kept the latest."""
        brought = self[key]
        self.kept = [*(each for each in self.kept if each is not brought), brought]

    def rename(self, key: int, name: str) -> None:
        """Raises ValueError if the name is empty, too long, or that of another run."""
        name, renamed = " ".join(name.split()), self[key]
        if not 0 < len(name) <= LONGEST_NAME:
            raise ValueError(f"a name has 1 to {LONGEST_NAME} characters")
        if any(each.name == name for each in self.kept if each is not renamed):
            raise ValueError(f"another run is called {name}")
        renamed.name, renamed.own = name, True
        self.param.trigger("kept")

    def pin(self, key: int, pinned: bool) -> None:
        self[key].pinned = bool(pinned)
        self.param.trigger("kept")

    def compare(self, on: bool) -> None:
        """Keep earlier races in the picture, those to come too; or none of them any more."""
        self.comparing = bool(on)
        if not on:
            for each in self.kept:
                each.pinned = False
            self.param.trigger("kept")

    def mute(self, key: int, muted: bool) -> None:
        self[key].muted = bool(muted)
        self.param.trigger("kept")

    def remove(self, key: int) -> None:
        """Raises ValueError if the race is still running, or the only one."""
        removed = self[key]
        if removed.race.running:
            raise ValueError(f"{removed.name} is still running: stop it first")
        if len(self.kept) == 1:
            raise ValueError(f"{removed.name} is the only run: mute it, or run another")
        self.kept = [each for each in self.kept if each is not removed]

    def _keep(self, races: list[Kept]) -> None:
        """Drop the oldest until there is room; neither pinned ones nor the latest."""
        dropped = []
        while len(races) > MOST_RACES or sum(each.size for each in races) > MOST_RECORDS:
            oldest = next((each for each in races[:-1] if not each.pinned), None)
            if oldest is None:
                break
            races = [each for each in races if each is not oldest]
            dropped.append(oldest.name)
        words = f"{', '.join(dropped)} had to make room: pin what is to stay, or save the session." if dropped else ""
        self.param.update(kept=races, note=words)


def _free(name: str, taken: Collection[str]) -> str:
    """The name, with a number behind it if it is taken."""
    return next(each for each in (name, *(f"{name} ({k})" for k in range(2, len(taken) + 3))) if each not in taken)
