"""The contenders of an item as the methods and samplings of a race of the dashboard, and who does not fit in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...methods import METHODS, Method
from ...methods.base import draws_coordinates
from ...reproductions import Contender
from ...runs.entries import entrant
from ...samplings import SAMPLINGS, Sampling
from ...samplings import resolve as sampling_named
from ...sweeps.keys import to_plain
from ...sweeps.settings import FIELDS
from ..choices.choices import Choices, takes_batches
from ..choices.sliders import NOBODY
from ..words import listed

BATCH = "batch_size"
NAMED = 3  # contenders that are left out are named, and the others counted


class Refused(ValueError):
    """Why a case cannot be opened, in a few words."""


class Lane(NamedTuple):
    """A contender of the dashboard's kind: a method and a sampling by name ("" where nothing is drawn)."""

    label: str
    method: str
    sampling: str
    batch: int  # 1 for methods that take none
    other: str  # the parameters that the dashboard does not set, in words

    @property
    def side(self) -> str:
        """The choice that holds its sampling."""
        return "dual_sampling" if METHODS[self.method].side == "dual" else "primal_sampling"


def race(contenders: Sequence[Contender]) -> tuple[dict[str, Any], list[str]]:
    """The choices of a race of these contenders, and notes on what differs.

    Raises
    ------
    Refused
        If none of them can be in it.
    """
    lanes = [lane for lane in map(_lane, contenders) if lane is not None]
    if not lanes:
        raise Refused("its methods, or where they start, are not in the dashboard")
    chosen = _samplings(lanes)
    kept = {(lane.method, lane.sampling): lane for lane in reversed(lanes) if _fits(lane, chosen)}
    shown = [lane for lane in lanes if lane in kept.values()]
    notes = [f"“{lane.label}” has default parameters, there {lane.other}" for lane in shown if lane.other]
    left = [each.label for each in contenders if each.label not in {lane.label for lane in shown}]
    named = [f"“{label}”" for label in left]
    if len(left) > NAMED + 1:
        named[NAMED:] = [f"{len(left) - NAMED} others"]
    notes += [f"without {listed(named)}"] if left else []
    return {"methods": list(dict.fromkeys(lane.method for lane in shown)), **chosen}, notes


def _samplings(lanes: Sequence[Lane]) -> dict[str, Any]:
    """The sampling of each side, one more for both, and the size of batches: those that come first."""
    chosen: dict[str, Any] = {"batch": next((lane.batch for lane in lanes if takes_batches(lane.method)), 1)}
    for lane in lanes:
        if lane.sampling and lane.sampling != chosen.setdefault(lane.side, lane.sampling):
            chosen.setdefault("against", lane.sampling)
    return {"dual_sampling": "uniform", "primal_sampling": "uniform", "against": NOBODY} | chosen


def _fits(lane: Lane, chosen: dict[str, Any]) -> bool:
    same = not takes_batches(lane.method) or lane.batch == chosen["batch"]
    return same and lane.sampling in ("", chosen[lane.side], chosen["against"])


def _lane(contender: Contender) -> Lane | None:
    """None where the dashboard has no such method, sampling or start."""
    other = "others that depend on the data" if callable(contender.settings) else ""
    given = {} if callable(contender.settings) else dict(contender.settings)
    if "start" in given:
        return None
    parameters = {name: value for name, value in given.items() if name not in FIELDS}
    method, sampling = entrant(contender.method, contender.sampling, **parameters)
    if METHODS.get(method.name) is not type(method.unwrapped):
        return None
    drawn = _name(sampling) if draws_coordinates(method) else ""
    if drawn is None:
        return None
    batch = method.parameters.get(BATCH) or 1
    if batch > Choices.param.batch.bounds[1]:
        return None
    return Lane(contender.label, method.name, drawn, batch, other or _differing(method))


def _name(sampling: Sampling) -> str | None:
    """The name under which the dashboard offers this sampling."""
    fits = sampling.name in SAMPLINGS and to_plain(sampling_named(sampling.name)) == to_plain(sampling)
    return sampling.name if fits else None


def _differing(method: Method) -> str:
    return ", ".join(f"{name} = {_short(value)}" for name, value in method.changed.items() if name != BATCH)


def _short(value: Any) -> str:
    return value.name if isinstance(value, Method) else str(value)
