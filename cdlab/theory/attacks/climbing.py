"""Hill climbing with restarts: random steps, longer after a success and shorter after a failure (Rechenberg's rule).

The random numbers of evaluation k are those of (seed, k) alone, so that a search that goes on from a file does what it
would have done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ...numerics.json_numbers import to_json_number
from .instances import Instance, KappaRange, random_instance

FIRST_STEP, LAST_STEP = 0.3, 1e-4  # A climb ends when its steps are as small as the last.
LONGER = 1.5  # Factor by which a success lengthens steps; four failures take it back.


@dataclass(frozen=True, eq=False)
class Point:
    """An instance and its ratio."""

    instance: Instance
    ratio: float

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, in full."""
        return {"ratio": to_json_number(self.ratio), "kappa": self.instance.kappa, "X": self.instance.X.tolist()}

    @classmethod
    def from_json(cls, data: Any) -> Point:
        """The point that `to_json` wrote."""
        return cls(Instance(np.array(data["X"], dtype=float), float(data["kappa"])), float(data["ratio"]))


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
    here: Point | None = None
    record: Point | None = None

    def after_one(self, ratio: Callable[[Instance], float]) -> Search:
        """The search after one more evaluation."""
        rng = np.random.default_rng((self.seed, self.evaluations))
        here = self.here
        instance = (
            random_instance(self.n, self.d, self.limits, rng)
            if here is None
            else here.instance.moved(self.step, self.limits, rng)
        )
        tried = Point(instance, ratio(instance))
        record = tried if self.record is None or tried.ratio > self.record.ratio else self.record
        after = replace(self, evaluations=self.evaluations + 1, record=record)
        if here is None:
            return replace(after, here=tried, step=FIRST_STEP) if tried.ratio > 0 else after
        if tried.ratio > here.ratio:
            return replace(after, here=tried, step=min(self.step * LONGER, 1.0))
        step = self.step * LONGER**-0.25
        if step < LAST_STEP:
            return replace(after, here=None, restarts=self.restarts + 1)
        return replace(after, step=step)

    def to_json(self) -> dict[str, Any]:
        """Plain numbers, in full."""
        numbers = {name: getattr(self, name) for name in ("n", "d", "seed", "evaluations", "restarts", "step")}
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
            here=None if data["here"] is None else Point.from_json(data["here"]),
            record=None if data["record"] is None else Point.from_json(data["record"]),
        )
        points = [point for point in (found.here, found.record) if point is not None]
        if any(point.instance.X.shape != (found.n, found.d) for point in points):
            raise ValueError("instances of another shape")
        return found
