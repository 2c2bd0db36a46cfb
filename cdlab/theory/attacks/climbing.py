"""Hill climbing with restarts: random steps, longer after a success and shorter after a failure (Rechenberg's rule).

A climb begins at the best of several random instances.

The random numbers of evaluation k are those of (seed, k) alone, so that a search that goes on from a file does what it
would have done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...numerics.json_numbers import to_json_number
from .instances import Instance, KappaRange, Shapes, random_instance

FIRST_STEP, LAST_STEP = 0.3, 1e-4  # A climb ends when its steps are as small as the last.
STARTS = 20  # Random instances of which a climb begins at the best.
LONGER = 1.5  # Factor by which a success lengthens steps; four failures take it back.


@dataclass(frozen=True, eq=False)
class Point:
    """An instance and its ratio."""

    instance: Instance
    ratio: float

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, in full."""
        state = {name: x.tolist() for name, x in self.instance.state.items()}
        plain = {"ratio": to_json_number(self.ratio), "kappa": self.instance.kappa, "X": self.instance.X.tolist()}
        return plain | ({"state": state} if state else {})

    @classmethod
    def from_json(cls, data: Any) -> Point:
        """The point that `to_json` wrote."""
        state = {name: np.array(x, dtype=float) for name, x in data.get("state", {}).items()}
        return cls(Instance(np.array(data["X"], dtype=float), float(data["kappa"]), state), float(data["ratio"]))


@dataclass(frozen=True, eq=False)
class Search:
    """Progress of a search.

    Attributes
    ----------
    n, d : int
        The shape of the data.
    limits : KappaRange
        The range of kappa.
    seed : int
    evaluations, restarts : int
        Instances tried, and climbs that ended.
    step : float
        The length of the next step.
    drawn : int
        Random instances of the present climb so far.
    here, record : Point or None
        The present climb's best point, and the best of all.
    """

    n: int
    d: int
    limits: KappaRange
    seed: int
    evaluations: int = 0
    restarts: int = 0
    step: float = FIRST_STEP
    drawn: int = 0
    here: Point | None = None
    record: Point | None = None

    def after_one(self, ratio: Callable[[Instance], float], shapes: Shapes) -> Search:
        """The search after one more evaluation, of an instance with arrays of these shapes."""
        rng = np.random.default_rng((self.seed, self.evaluations))
        here = self.here
        if here is None or self.drawn < STARTS:
            instance = random_instance(self.n, self.d, self.limits, rng, shapes)
        else:
            instance = here.instance.moved(self.step, self.limits, rng)
        tried = Point(instance, ratio(instance))
        record = tried if self.record is None or tried.ratio > self.record.ratio else self.record
        after = replace(self, evaluations=self.evaluations + 1, record=record)
        better = tried.ratio > (0.0 if here is None else here.ratio)
        if here is None or self.drawn < STARTS:
            return replace(after, here=tried if better else here, drawn=self.drawn + 1, step=FIRST_STEP)
        if better:
            return replace(after, here=tried, step=min(self.step * LONGER, 1.0))
        step = self.step * LONGER**-0.25
        if step < LAST_STEP:
            return replace(after, here=None, drawn=0, restarts=self.restarts + 1)
        return replace(after, step=step)

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, in full."""
        numbers = {name: getattr(self, name) for name in ("n", "d", "seed", "evaluations", "restarts", "step", "drawn")}
        points = {"here": self.here, "record": self.record}
        return {
            **numbers,
            "limits": list(self.limits),
            **{name: None if point is None else point.to_json() for name, point in points.items()},
        }

    @classmethod
    def from_json(cls, data: Any) -> Search:
        """The search that `to_json` wrote.

        Raises
        ------
        ValueError, KeyError, TypeError
            If `to_json` did not write `data`.
        """
        found = cls(
            n=int(data["n"]),
            d=int(data["d"]),
            limits=KappaRange(*map(float, data["limits"])),
            seed=int(data["seed"]),
            evaluations=int(data["evaluations"]),
            restarts=int(data["restarts"]),
            step=float(data["step"]),
            drawn=int(data.get("drawn", STARTS)),  # files of earlier versions began at the first
            here=None if data["here"] is None else Point.from_json(data["here"]),
            record=None if data["record"] is None else Point.from_json(data["record"]),
        )
        points = [point for point in (found.here, found.record) if point is not None]
        if any(point.instance.X.shape != (found.n, found.d) for point in points):
            raise ValueError("instances of another shape")
        return found
