"""The look of each method, the same in all pictures of the page."""

from __future__ import annotations

from collections.abc import Sequence

from ...plots.style import Look, looks_by_side, side_by_label, side_of
from ...runs.entries import Entry, entrant, label_of
from .results import Result


def group(entry: Entry) -> str:
    """Which colour a method has: "primal", "dual", or "full" if it takes the whole gradient."""
    return side_of(entrant(entry)[0])


def groups(race: Result) -> dict[str, str]:
    """The same of all runs of a race, by label."""
    return {label: side_by_label(label, lanes[0].side) for label, lanes in race.methods.items()}


def looks_of(entries: Sequence[Entry]) -> dict[str, Look]:
    """By label, for a race of these entries."""
    return looks_by_side({label_of(*entrant(entry)): group(entry) for entry in entries})


def looks_in(races: Sequence[Result]) -> dict[str, Look]:
    """By label, for races in one picture, the latest of them first: its methods look as they do alone."""
    sides: dict[str, str] = {}
    for race in races:
        sides |= {label: side for label, side in groups(race).items() if label not in sides}
    return looks_by_side(sides)
