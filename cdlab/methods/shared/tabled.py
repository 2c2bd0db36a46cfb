"""The part that SAG and SAGA share: a table of derivatives, one for each example, at rest like w."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...numerics.checks import set_number_field
from ...problems.problem import Problem
from ..base import Method, Points
from .resting import U, point, settle

ORDERS = ("uniform", "permutation", "fixed_permutation", "cyclic")  # p_i = 1/n: what a table of derivatives assumes


def certified(problem: Problem, S: Any) -> Points:
    """w, with the better of two dual points: -phi'(x_i'w), and minus the table of derivatives."""
    w = point(problem, S)
    z = problem.predict(w)
    now, before, v = problem.alpha(w, z=z), -S.tab, -S.rows[:, U]
    if problem.dual(before, v=v) > problem.dual(now):
        return Points(w, before, z=z, v=v)
    return Points(w, now, z=z)


@dataclass(frozen=True)
class Tabled(Method):
    """Methods with a table of phi'(x_i'w). Their State has rows, tab, t, and begun: what filling the table visited."""

    step: float | None = None

    side: ClassVar[str] = "dual"
    needs_smooth: ClassVar[bool] = True
    samplings: ClassVar[tuple[str, ...]] = ORDERS

    def __post_init__(self) -> None:
        set_number_field(self, "step", "a number > 0 or None")

    def points(self, problem: Problem, S: Any) -> Points:
        return certified(problem, S)

    def refresh(self, problem: Problem, S: Any) -> None:
        settle(problem, S)
        S.rows[:, U] = -problem.v(-S.tab)

    def count(self, problem: Problem, S: Any, order: Any) -> tuple[int, float]:
        iterations, visited = super().count(problem, S, order)
        return iterations, visited + (S.begun if S.t == iterations else 0)
