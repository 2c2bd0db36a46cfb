"""Choices that repair themselves: what does not fit a change is changed, too, and told, and can be undone."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from param import discard_events

from ...methods import METHODS
from ..visitor_limits import limits
from ..words import listed, number
from . import misfits
from .choices import Choices, draws, takes_batches
from .data_sources import FAMILIES, check_ones

# Tried in this order instead of a method that does not fit: coordinate methods first, which the face-off is about
INSTEAD = {
    "dual": ("sdca", "quartz", "apcg", "spdc", "saga", "appa"),
    "primal": ("rcd", "acc_rcd", "greedy", "fista", "gd", "lbfgs"),
}
ROUNDED = {"hinge": "smooth_hinge", "absolute": "huber", "squared_hinge": "smooth_hinge", "softmax": "logistic"}
MOST_TOGETHER = 2  # repairs for one misfit


@dataclass(frozen=True)
class Change:
    """A change with its repairs.

    Attributes
    ----------
    before : dict
        The choices before it: updating them with these is the undo.
    repairs : tuple of str
        What was changed besides, each in a sentence that begins with the reason.
    why_not : str
        Why no method can run all the same; empty if one can.
    """

    before: dict[str, Any]
    repairs: tuple[str, ...]
    why_not: str

    def undo(self, choices: Choices) -> None:
        """Set the choices to what they were."""
        choices.param.update(**self.before)


def change(choices: Choices, **values: Any) -> Change:
    """Set some choices, and repair others that do not fit them. What the person has just set is repaired last.

    Raises
    ------
    ValueError
        If a value is out of its range; then nothing is changed.
    """
    before, fits = choices.values(), misfits.asked(choices)
    if len(values) == 1 and not set(values) & set(misfits.MATTER):  # a slider on the move: the same methods fit
        choices.param.update(**values)
        told = tuple(_matrix(choices, values))
        if misfits.asked(choices) == fits and choices.uploaded_labels() is None and not why_not(choices):
            return Change(before, told, "")
        rest = changed(choices, before)
        return Change(before, told + rest.repairs, rest.why_not)
    tried = choices.copy()
    tried.param.update(**values)
    return _repaired(tried, choices, before, values)


def changed(choices: Choices, before: dict[str, Any]) -> Change:
    """Repair choices that have been changed already, say in a form; `before` has the values of before."""
    values = {name: value for name, value in choices.values().items() if value != before[name]}
    return _repaired(choices.copy(), choices, before, values)


def _repaired(tried: Choices, choices: Choices, before: dict[str, Any], values: Collection[str]) -> Change:
    """Repair `tried`, in which `values` have been set, and set `choices` to what comes of it."""
    earlier = tried.copy()
    earlier.param.update(**before)
    idle = set(_refusals(earlier))
    told = [*_labels(tried), *_matrix(tried, values), *_methods(tried, values, idle), *_idle(tried, idle)]
    now = choices.values()
    choices.param.update(**{name: value for name, value in tried.values().items() if value != now[name]})
    return Change(before, tuple(told), why_not(choices))


def why_not(choices: Choices) -> str:
    """Why no method can run, in a sentence; empty if one can."""
    try:
        _check_size(choices)
        choices.entries()
    except ValueError as error:
        return str(error)
    return ""


# ---------------------------------------------------------------- the data
def _labels(choices: Choices) -> Iterator[str]:
    """A loss that takes the labels of an uploaded file."""
    if choices.uploaded_labels() is None:
        return
    refused = misfits.label_refusals(choices)
    if choices.loss in refused:
        fits = [name for name in choices.param.loss.objects if name not in refused]
        if fits:
            why, old, choices.loss = refused[choices.loss], choices.loss, fits[0]
            yield _sentence(why, f"loss {old} became {fits[0]}")


def _matrix(choices: Choices, changed: Collection[str]) -> Iterator[str]:
    """A density at which the matrix can be made and kept."""
    family = FAMILIES.get(choices.data)
    if family is None or "density" not in family.asks:
        return
    old = choices.density
    if choices.data.startswith("worst"):
        try:
            check_ones(choices)
        except ValueError as error:
            n, d = choices.n, choices.d
            choices.density = _rounded_up(max(n, d) / (n * d))
            yield _sentence(str(error), f"density {number(old)} became {number(choices.density)}")
    try:
        _check_size(choices)
    except ValueError:
        least = choices.param.density.bounds[0]
        fits = 0.99 * choices.density * limits().entries / family.entries(choices)
        if "density" not in changed and fits >= least:
            choices.density = float(f"{fits:.1e}")
            why = f"{choices.n:,} x {choices.d:,} at density {number(old)} is more than this dashboard takes"
            yield _sentence(why, f"density {number(old)} became {number(choices.density)}")


def _rounded_up(x: float) -> float:
    """To three digits, so that it is not smaller."""
    unit = 10.0 ** (math.floor(math.log10(x)) - 2)
    return min(1.0, float(f"{math.ceil(x / unit) * unit:.2e}"))


def _check_size(choices: Choices) -> None:
    if choices.data in FAMILIES:
        n, d = choices.shape()
        limits().check_entries(FAMILIES[choices.data].entries(choices), f"{n} x {d}", "lower n, d or the density")


# ---------------------------------------------------------------- methods, sampling and loss
def _methods(choices: Choices, changed: Collection[str], idle: Collection[str]) -> Iterator[str]:
    """For each chosen method that cannot run, the first repair with which it can, and which stops no other one.

    Those that were `idle` before the change stay so, as long as others run: it may be what the person wants to see.
    """
    for method in list(choices.methods):
        refused = _refusals(choices)
        if method not in refused or (method in idle and len(refused) < len(choices.methods)):
            continue
        tried, before = choices.copy(), choices.values()
        at_work = set(choices.methods) - set(refused)
        for found in _candidates(choices, method, changed, refused):
            with discard_events(tried):  # nobody watches it
                tried.param.update(**before | found)
            needed = at_work | (set(tried.methods) - set(choices.methods) or {method})
            if not needed & set(_refusals(tried)):
                yield _sentence(refused[method], *_became(choices, found))
                choices.param.update(**found)
                break


def _idle(choices: Choices, before: Collection[str]) -> Iterator[str]:
    """For each chosen method that cannot run now, and could before, that others race without it."""
    refused = _refusals(choices)
    if len(refused) == len(choices.methods):
        return  # then the page says why nothing can run
    for method, why in refused.items():
        if method not in before:
            reason = f"it {why.removeprefix(f'{method} ')}" if why.startswith(f"{method} ") else why
            yield f"{method} does not run: {reason.rstrip('.')}."


def _refusals(choices: Choices) -> dict[str, str]:
    """The chosen methods that cannot run with the sampling of their side, each with why."""
    problem = misfits.stand_in(choices)
    told = {name: misfits.refusal(problem, choices.entry(name, choices.sampling(name))) for name in choices.methods}
    return {name: why for name, why in told.items() if why}


def _candidates(
    choices: Choices, method: str, changed: Collection[str], refused: Collection[str]
) -> Iterator[dict[str, Any]]:
    """What could be changed so that a method fits, the mildest first.

    Another method takes its place only where none of its side is left: else it just does not run, which the race says.
    """
    side = METHODS[method].side
    single: list[dict[str, Any]] = []
    if draws(method):
        single.append({f"{side}_sampling": "uniform"})
    if takes_batches(method):
        single.append({"batch": 1})
    beside = [name for name in choices.methods if name not in refused and METHODS[name].side == side]
    others = [name for name in INSTEAD[side] if name not in choices.methods and not beside]
    single += [{"methods": [name if each == method else each for each in choices.methods]} for name in others]
    if choices.loss in ROUNDED:
        single.append({"loss": ROUNDED[choices.loss]})
    if choices.uploaded_labels() is None:
        single.append({"loss": "squared"})
    single += [{"l1": 0.0}, {"l2": choices.param.l2.default if choices.l2 == 0 else 0.0}]
    free = [each for each in single if not set(each) & set(changed) and not each.items() <= choices.values().items()]
    for count in range(1, MOST_TOGETHER + 1):
        for group in combinations(free, count):
            together = {name: value for each in group for name, value in each.items()}
            if len(together) == count:  # not two values for one choice
                yield together


def _became(choices: Choices, values: dict[str, Any]) -> list[str]:
    """What becomes what."""
    told = []
    for name, value in values.items():
        old = getattr(choices, name)
        if name == "methods":
            ((old, value),) = [pair for pair in zip(old, value, strict=True) if pair[0] != pair[1]]
            told.append(f"{old} became {value}")
        else:
            subject = choices.param[name].label if name in ("l1", "l2") else name.replace("_", " ")
            told.append(f"{subject} {_shown(old)} became {_shown(value)}")
    return told


def _shown(value: Any) -> str:
    return value if isinstance(value, str) else number(value)


def _sentence(why: str, *became: str) -> str:
    """The reason, without what it goes on to advise, and what became what."""
    return f"{why.partition(':')[0].partition(';')[0]}: {listed(became)}."
