"""A race as the dashboard shows it: its choices, its curves with their bounds, and the theory's prediction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from ..plots import Guarantee
from ..trace import Record, Trace
from .choices import Choices
from .story import Outcome, Prediction, outcome


@dataclass
class Lane:
    """One curve of a race.

    Attributes
    ----------
    label, side : str
    seed : int
    guarantee : Guarantee or None
        The bound along the run.
    note : str
        Why there is no guarantee; else empty.
    trace : Trace
        Grows while the run goes on.
    status : str
        How the run ended; empty while it goes on.
    """

    label: str
    side: str
    seed: int
    guarantee: Guarantee | None = None
    note: str = ""
    trace: Trace = field(default_factory=Trace)
    status: str = ""


@dataclass
class Result:
    """A race, running or finished."""

    choices: Choices
    lanes: list[Lane]
    prediction: Prediction

    @property
    def traces(self) -> list[Trace]:
        return [lane.trace for lane in self.lanes]

    def outcome(self) -> Outcome:
        return outcome(self.traces, self.choices.tol)

    def sentence(self) -> str:
        """The prediction beside the outcome."""
        return f"{self.prediction.sentence()} {self.outcome().sentence(self.prediction)}"

    # ------------------------------------------------------------ as JSON
    def to_json(self) -> str:
        return json.dumps(
            {
                "choices": self.choices.to_query(),
                "prediction": asdict(self.prediction),
                "lanes": [_lane_out(lane) for lane in self.lanes],
            },
            allow_nan=False,
        )

    @classmethod
    def from_json(cls, text: str) -> Result:
        """Read what `to_json` wrote."""
        content = json.loads(text)
        choices = Choices()
        complaints = choices.from_query(content["choices"])
        if complaints:
            raise ValueError(" ".join(complaints))
        return cls(choices, [_lane_in(lane) for lane in content["lanes"]], Prediction(**content["prediction"]))


def _lane_out(lane: Lane) -> dict[str, Any]:
    promise = lane.guarantee
    if promise is not None:
        promise = {"passes": _short(promise.passes), "values": _short(promise.values), "bounded": promise.bounded}
    return {
        "label": lane.label,
        "side": lane.side,
        "seed": lane.seed,
        "guarantee": promise,
        "note": lane.note,
        "status": lane.status,
        "meta": lane.trace.meta,
        "records": {name: _short(lane.trace.column(name)) for name in lane.trace.names if name != "test_error"},
    }


def _lane_in(content: dict[str, Any]) -> Lane:
    promise = content["guarantee"]
    if promise is not None:
        promise = Guarantee(np.array(promise["passes"]), np.array(promise["values"]), promise["bounded"])
    rows = zip(*content["records"].values(), strict=True)
    records = [Record(**dict(zip(content["records"], row, strict=True)), test_error=np.nan) for row in rows]
    plain = {name: content[name] for name in ("label", "side", "seed", "note", "status")}
    return Lane(**plain, guarantee=promise, trace=Trace(records, content["meta"]))


def _short(values: Sequence[float]) -> list[float]:
    return [float(f"{value:.10g}") for value in values]
