"""What APPA and dual APPA share: outer loops whose center is the outer iterate, with a weight that may decrease.

The paper (section 4) gives no rule by which it decreases; that of `decreased` is a heuristic.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...numerics import checks
from ...numerics.checks import set_number_field
from ...problems.problem import Problem
from ...samplings import Sampling, SamplingLike
from ..base import Points
from .inner_problem import origin, proximal
from .outer_loop import OuterState, ProximalPoint, Stage, solving_weight
from .outer_steps import Center

FIRST_WEIGHT_FLOORS = 300  # A decreasing weight starts at this many times the default floor.
MIN_GAIN_RATIO = 0.5  # A stage that gains more than this share of what the last one gained is too slow.
QUARTER = 4  # Factor of the weight, down or up.
FROZEN_STAGES = 5  # Stages without a change after the weight had to be raised.


class Decrease(NamedTuple):
    """The record of a weight that decreases."""

    value: float  # P(x)
    gain: float = np.inf  # fall of P in the last stage
    rises: int = 0  # stages in a row after which P was larger
    frozen: int = 0  # stages still to come without a change


@dataclass(frozen=True)
class CenteredProximalPoint(ProximalPoint):
    """An outer loop around its iterate."""

    decreasing: bool = False
    floor: float | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.flag(f"{self.name}'s decreasing", self.decreasing)
        set_number_field(self, "floor", "a finite number >= 0", ends="[)")
        if self.floor is not None and not self.decreasing:
            raise ValueError(f"{self.name}'s floor is for decreasing=True; leave it out, or set prox_weight")
        if self.decreasing and self.accuracy is not None:
            raise ValueError(f"{self.name}'s stages last a number of epochs with decreasing=True; leave accuracy out")

    @abstractmethod
    def entry(self, stage: Stage, x: Points) -> float:
        """The value at the beginning of a stage around x that `gained` compares with."""

    def first_point(self, problem: Problem, start: Points, weight: float) -> tuple[Points, float]:
        """Where the first stage begins, and the nonzeros visited."""
        return self.beginning(problem, start, weight)

    def weight(self, problem: Problem) -> float:
        if self.decreasing and self.prox_weight is None:
            return FIRST_WEIGHT_FLOORS * solving_weight(problem)
        return super().weight(problem)

    def stop(self, problem: Problem) -> tuple[float | None, float | None]:
        return (self.epochs or 1, None) if self.decreasing else super().stop(problem)

    def stages_are_compiled(self, S: OuterState) -> bool:
        return S.decrease is None and super().stages_are_compiled(S)

    def init(self, problem: Problem, sampling: SamplingLike, start: Points | None = None) -> OuterState:
        start, weight = origin(problem) if start is None else start, self.weight(problem)
        center = np.array(start.w)
        at, swept = self.first_point(problem, Points(center, start.alpha, v=start.v), weight)
        stage = self.opened(proximal(problem, weight, center), sampling, at, problem, swept)
        x = Points(center, at.alpha, z=problem.predict(center) if at.z is None else at.z)
        limit, c = self.stop(problem)
        value = np.nan if c is None else self.entry(stage, x)
        decrease = Decrease(problem.primal(x.w, z=x.z)) if self.decreasing else None
        return OuterState(problem, sampling, stage, limit, self.around(weight, x), weight, c, value, decrease)

    def around(self, weight: float, x: Points) -> Center:
        """The outer variables with this center."""
        return Center(x.w, np.empty(0) if x.z is None else x.z, weight / 2)

    def next_stage(self, S: OuterState) -> OuterState:
        problem, x, weight, decrease, swept = S.problem, self.end(S), S.weight, S.decrease, 0.0
        if decrease is not None:
            z, swept = problem.predict(x.w), problem.nnz / 2  # for P(x)
            x = Points(x.w, x.alpha, z=z, v=x.v)
            weight, decrease = self.decreased(problem, weight, decrease, problem.primal(x.w, z=z))
        at, more = self.beginning(S.stage.problem, x, weight)
        stage = self.moved(S, weight, x.w, at, swept + more)
        value = np.nan if S.c is None else self.entry(stage, x)
        outer = self.around(weight, x)
        return S._replace(stage=stage, outer=outer, weight=weight, value=value, decrease=decrease)

    def decreased(self, problem: Problem, weight: float, last: Decrease, value: float) -> tuple[float, Decrease]:
        """The next weight, given P(x) after the stage."""
        gain = last.value - value
        rises = last.rises + 1 if gain < 0 else 0
        now = Decrease(value, gain, rises, max(0, last.frozen - 1))
        if last.frozen:
            return weight, now
        if rises == 2:
            return QUARTER * weight, now._replace(rises=0, frozen=FROZEN_STAGES)
        if gain > MIN_GAIN_RATIO * last.gain:
            floor = solving_weight(problem) if self.floor is None else self.floor
            return max(floor, weight / QUARTER), now
        return weight, now

    def objections(self, problem: Problem, sampling: Sampling) -> Iterator[str]:
        if self.decreasing and sampling.needs_smooth:
            yield (
                f"{self.name}'s decreasing weight would change what {sampling.name} sampling draws by at every stage: "
                "use uniform, norms or permutation"
            )
        if self.decreasing and problem.loss.gamma == 0 and self.floor is None:
            yield f"{self.name} has no default floor for {problem.loss.name}, which is not smooth: give one"
        yield from super().objections(problem, sampling)
