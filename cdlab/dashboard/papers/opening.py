"""A case of a paper's item as choices of the dashboard, with what differs; or why it cannot be shown there."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from ... import datasets, losses
from ...datasets import Derived
from ...datasets.steps import MeanRowNormOne, Permute, UnitRows
from ...regularizers import parse_weight
from ...reproductions import Case, GeneratedData, Item
from ..choices import address, links
from ..choices.choices import WITH_GAMMA, Choices
from ..choices.data_sources import at_hand
from ..choices.repairs import why_not
from .contenders import Refused, race

SCALES = {UnitRows: "unit", MeanRowNormOne: "mean"}
IN_ORDER = ("cyclic",)  # samplings for which the order of the rows matters


@dataclass(frozen=True)
class Opening:
    """How a case is opened.

    Attributes
    ----------
    link : str
        The address of its choices, or "" where it cannot be opened.
    words : str
        What differs from the item's own runs; or why it cannot be opened.
    """

    link: str
    words: str


def opening(item: Item, case: Case) -> Opening:
    """How the dashboard opens a case."""
    try:
        choices, notes = _choices(item, case)
    except Refused as reason:
        return Opening("", str(reason))
    if why_not(choices):
        return Opening("", f"it cannot run there: {why_not(choices).rstrip('.')}")
    if links.wait(choices):
        notes.append("it is long: press Run to start it")
    return Opening("?" + urlencode(choices.to_query(), safe=","), "; ".join(notes))


def _choices(item: Item, case: Case) -> tuple[Choices, list[str]]:
    """The choices, and what differs."""
    values = _data(case)
    n = datasets.describe(values["data"]).n
    values |= _loss(case) | _l2(case) | {"l1": parse_weight(str(case.l1))(n)}
    mode = "full" if "full" in case.modes else case.modes[0]
    contenders = item.contenders_in(mode, case)
    notes = ["it has no runs; see the drawer Face-off"]
    if contenders:
        raced, notes = race(contenders)
        passes = max(1, math.ceil(item.limit(mode, case)))
        values |= raced | {"passes": passes, "tol": item.tol, "seed": item.seeds[0]}
        if any(values[name] in IN_ORDER for name in ("dual_sampling", "primal_sampling", "against")):
            notes.append("the order of the rows is that of the file")
    try:
        return Choices(**values), notes
    except ValueError as error:
        raise Refused(address.told(error)) from None


def _data(case: Case) -> dict[str, str]:
    """A known set and its scaling."""
    if isinstance(case.data, GeneratedData):
        raise Refused("data made for it")
    steps = [] if isinstance(case.data, str) else [step for step in case.data.steps if not isinstance(step, Permute)]
    if len(steps) > 1 or any(type(step) not in SCALES for step in steps):
        raise Refused("data derived from another set")
    name = str(case.data.source) if isinstance(case.data, Derived) else case.data
    if name not in at_hand():
        raise Refused(f"{name} is not on this machine")
    split = case.data.split if isinstance(case.data, Derived) else "train" if case.test else "all"
    if split == "all" and datasets.describe(name).test:
        raise Refused("train and test rows together")
    return {"data": name, "scale": SCALES[type(steps[0])] if steps else "none"}


def _loss(case: Case) -> dict[str, Any]:
    wanted = losses.resolve(case.loss)
    low, high = Choices.param.gamma.bounds
    for name, make in losses.LOSSES.items():
        gamma = {"gamma": wanted.gamma} if name in WITH_GAMMA and low <= wanted.gamma <= high else {}
        made = make(**gamma)
        if type(made) is type(wanted) and made == wanted:
            return {"loss": name, **gamma}
    raise Refused("a loss that is not in the dashboard")


def _l2(case: Case) -> dict[str, Any]:
    over_n = isinstance(case.l2, str) and "/" in case.l2
    return {"l2": parse_weight(str(case.l2))(1), "l2_over_n": over_n}
