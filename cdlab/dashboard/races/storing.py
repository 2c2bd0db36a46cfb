"""Races as plain values for a JSON file, and back. What comes from a file is checked: it may come from anywhere."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from ...methods import METHODS
from ...numerics.json_numbers import to_json_number
from ...plots import Guarantee
from ...runs.limits import STATUSES, Status
from ...runs.trace import parse_column, parse_records
from ..choices.choices import Choices
from ..choices.guesses import GUESSES
from .growing import Growing
from .results import Lane, Result
from .story import Prediction, without_bounds

META = ("label", "method", "sampling", "seed", "problem", "data", "versions")


def to_plain(race: Result, digits: int | None = None) -> dict[str, Any]:
    """A race as dicts, lists, numbers and strings; its numbers with so many digits, by default with all."""
    promised = {lane.label: lane.guarantee for lane in race.lanes if lane.guarantee is not None}
    return {
        "choices": race.choices.to_query(),
        "prediction": {"ratio": race.prediction.ratio, "note": race.prediction.note, "about": race.prediction.about},
        "guess": race.guess,
        "bounds": {
            label: {
                "bounded": promise.bounded,
                "passes": _numbers(promise.passes, digits),
                "values": _numbers(promise.values, digits),
                "parts": [[name, float(f"{passes:.{digits or 17}g}")] for name, passes in promise.parts],
            }
            for label, promise in promised.items()
        },
        "lanes": [_lane_out(lane, digits) for lane in race.lanes],
    }


def _lane_out(lane: Lane, digits: int | None) -> dict[str, Any]:
    plain = {name: getattr(lane, name) for name in ("label", "side", "seed", "note", "status")}
    columns = {name: _numbers(lane.trace.column(name), digits) for name in lane.trace.names}
    return plain | {"meta": lane.trace.meta, "columns": columns}


def _numbers(values: np.ndarray, digits: int | None) -> list[float | str]:
    """Numbers that JSON can hold: it has neither infinity nor NaN."""
    if digits is not None:
        values = [float(f"{value:.{digits}g}") for value in values]
    return [to_json_number(value) for value in np.asarray(values).tolist()]


def from_plain(content: Mapping[str, Any]) -> Result:
    """The race that `to_plain` took apart. A run that had not ended is one that was stopped.

    Raises
    ------
    ValueError
        What is wrong with it, in one sentence without a full stop.
    """
    try:
        choices = _choices(content["choices"])
        told = content["prediction"]
        prediction = Prediction(_ratio(told["ratio"]), str(told["note"]), about=str(told.get("about", "")))
        if "about" not in told and (unspoken := without_bounds(choices)):  # older files predict for any pair
            prediction = unspoken
        bounds = {str(label): _guarantee(bound) for label, bound in content["bounds"].items()}
        lanes = [_lane_in(lane, bounds) for lane in content["lanes"]]
    except KeyError as missing:
        raise ValueError(f"it has no {missing.args[0]}") from None
    except (TypeError, AttributeError, OverflowError):
        raise ValueError("one of its values is of the wrong kind") from None
    if not lanes:
        raise ValueError("one of its races has no runs")
    guess = content.get("guess", "")  # files of before there were guesses have none
    _check(guess in ("", *GUESSES), f"a guess is {', '.join(GUESSES)} or empty, not {guess!r}")
    return Result(choices, lanes, prediction, guess)


def choices_of(query: Mapping[str, str]) -> tuple[Choices, list[str]]:
    """The choices that a file asks for, and one sentence for each that could not be taken."""
    choices = Choices()
    complaints = choices.from_query(query)
    return choices, [each.replace("The address asks", "The file asks") for each in complaints]


def _choices(query: Mapping[str, str]) -> Choices:
    """The choices of a race; its curves can be looked at without its data, which may not be on this machine."""
    _check(all(isinstance(text, str) for text in query.values()), "one of its choices is not a text")
    choices, complaints = choices_of({name: text for name, text in query.items() if name != "data"})
    _check(not complaints, " ".join(complaints).rstrip("."))
    data = query.get("data", choices.data)
    choices.param.data.objects = list(dict.fromkeys([*choices.param.data.objects, data]))
    choices.data = data
    return choices


def _lane_in(content: Mapping[str, Any], bounds: Mapping[str, Guarantee]) -> Lane:
    label, side, status, meta = (content[name] for name in ("label", "side", "status", "meta"))
    _check(side in ("primal", "dual"), f"the side of a run is primal or dual, not {side!r}")
    _check(status in ("", *STATUSES), f"the status {status!r} of a run is unknown")
    columns = content["columns"]
    trace = Growing(parse_records(columns) if any(columns.values()) else [], meta)  # none: a run that had not begun
    if not trace.records:
        trace.meta = {}
    else:
        known = {name: meta[name] for name in META}
        _check(known["label"] == label, "a run has two names")
        _check(str(known["method"]).partition("(")[0] in METHODS, f"the method {known['method']!r} is unknown")
        _check(isinstance(known["versions"]["cdlab"], str), "the version of cdlab is not a text")
    return Lane(
        str(label), side, int(content["seed"]), bounds.get(label), str(content["note"]), trace, status or Status.STOPPED
    )


def _guarantee(content: Mapping[str, Any]) -> Guarantee:
    passes, values = (parse_column(name, content[name]) for name in ("passes", "values"))
    _check(content["bounded"] in ("P-D", "P(w)-P*", "D*-D"), f"a bound is on {content['bounded']!r}")
    _check(passes.size == values.size and (np.diff(passes) >= 0).all(), "the passes of a bound fall")
    parts = content.get("parts", ())  # older files have none
    _check(all(len(part) == 2 for part in parts), "a bound is made of parts without a name or without passes")
    return Guarantee(passes, values, content["bounded"], tuple((str(name), float(start)) for name, start in parts))


def _ratio(value: float | None) -> float | None:
    if value is None:
        return None
    _check(isinstance(value, int | float) and 0 < value < math.inf, "the prediction is not a positive number")
    return float(value)


def _check(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ValueError(otherwise)
