"""The facts that the class of a method states, and the refusals that follow from them."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ..losses import smoothness_hint
from ..numerics import checks
from ..numerics.user_classes import check_class_facts
from ..problems.problem import Problem
from ..problems.smoothed import is_piecewise_linear
from ..samplings import Sampling

WORDS = {  # what these facts may say
    "side": ("primal", "dual"),
    "needs": ("l2", "smooth", "lipschitz"),
    "takes": ("l1", "vectors", "intercept", "blocks", "bounds"),
    "sees": ("lines", "problem"),
    "zero_rows": ("drawn", "set", "skipped"),
}
HOW_TO_WRITE = {
    "name": 'name: ClassVar[str] = "my_method"',
    "side": 'side: ClassVar[str] = "primal"  (or "dual")',
}
# Losses that are the same near the optimum, and straight far out.
LIPSCHITZ = {
    "squared": "huber", "squared_hinge": "smooth_hinge",
    "squared_epsilon_insensitive": "epsilon_insensitive with gamma > 0",
}  # fmt: skip


class Facts:
    """Facts that the class of a method states; `Method` says what each fact means."""

    name: ClassVar[str]
    side: ClassVar[str]
    group: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    guarantee: ClassVar[str] = ""
    reference: ClassVar[str] = ""
    needs: ClassVar[tuple[str, ...]] = ()
    takes: ClassVar[tuple[str, ...]] = ("l1",)
    samplings: ClassVar[tuple[str, ...] | None] = None
    sees: ClassVar[str] = "lines"
    zero_rows: ClassVar[str] = "drawn"
    counts_ideal: ClassVar[bool] = False


def check_facts(cls: type[Facts]) -> None:
    """Refuse a class of a method whose facts are missing or none of the words that they may say.

    Raises
    ------
    TypeError
    """
    check_class_facts("method", cls, HOW_TO_WRITE)
    for fact, words in WORDS.items():
        said = getattr(cls, fact, words[0])
        if isinstance(said, property):  # which depends on the parameters
            continue
        many = fact in ("needs", "takes")
        strange = [each for each in (said if many and isinstance(said, tuple) else [said]) if each not in words]
        if strange:
            how = f"a tuple of {', '.join(map(repr, words))}" if many else checks.join_with_or(map(repr, words))
            raise TypeError(f"method {cls.__name__}'s {fact} must be {how}, not {strange[0]!r}")


def unmet_fact(method: Facts, problem: Problem, sampling: Sampling, drawn: Sampling) -> str | None:
    """The first of these facts that does not hold of the problem or of what is drawn, and what to use; None: all do."""
    name = method.name
    if not (drawn.serial or "blocks" in method.takes):
        return (
            f"{name} updates one coordinate at a time and {drawn.name} draws blocks: "
            "use uniform, importance, norms or permutation"
        )
    if method.samplings is not None and drawn.name not in method.samplings:
        return f"{name} does not run with {drawn.name} sampling: use {checks.join_with_or(method.samplings)}"
    if problem.outputs and "vectors" not in method.takes:
        takes = "lbfgs" if problem.intercept else "sdca" if problem.l2 > 0 else "sdca with l2 > 0"
        return f"{name} does not take {problem.loss.name}, which has one prediction for each class: use {takes}"
    if problem.intercept and "intercept" not in method.takes:
        others = "gd, agd, fista" if problem.outputs else "rcd, greedy, gd, agd, fista"
        able = "ssnal" if is_piecewise_linear(problem.loss) else f"{others}, lbfgs or newton_cd for smooth losses"
        return (
            f"{name} takes no intercept, a coordinate without a regulariser: use {able}, "
            "or append a column of ones to X instead"
        )
    if problem.bounded and "bounds" not in method.takes:
        able = "rcd, fista or lbfgs" if problem.loss.gamma > 0 else "sdca" if problem.mu > 0 else "spdc"
        return f"{name} does not handle bounds or penalty factors of features: use {able}, or leave them out"
    if "l2" in method.needs and problem.mu == 0:
        can_add = problem.l1 > 0 and method.side == "dual" and getattr(method, "state_is_point", False)
        can_add = can_add and ("smooth" not in method.needs or problem.loss.gamma > 0)  # as AddedL2 wants it
        how = " < l1: use added_l2='auto', which adds and then lowers it" if can_add else ""
        has = "penalty factors that are 0" if problem.l2 > 0 else f"l2 = 0{how}"
        return f"{name} needs l2 > 0 and this problem has {has}"
    if "smooth" in method.needs and problem.loss.gamma == 0:
        known = is_piecewise_linear(problem.loss) and (problem.intercept or problem.l2 == 0 < problem.l1)
        known = known and not problem.bounded
        able = "ssnal" if known else "sdca" if problem.mu > 0 else "spdc"  # which take every loss of one prediction
        other = "" if problem.intercept and not known else f", or use the method {able}"
        return f"{name} needs a smooth loss and {smoothness_hint(problem.loss)}{other}"
    if sampling.needs_smooth and problem.loss.gamma == 0:
        return (
            f"{sampling.label} sampling needs a smooth loss and {smoothness_hint(problem.loss)}, "
            "or sample with norms or uniform"
        )
    if "l1" not in method.takes and problem.l1 > 0:
        others = "rcd or fista" if problem.intercept else "sdca or quartz" if problem.l2 > 0 else "spdc"
        return f"{name} does not handle l1 > 0: use {others}, or set l1 = 0"
    if "lipschitz" in method.needs and not np.isfinite(problem.loss.lipschitz):
        return (
            f"{name} needs a Lipschitz loss and {problem.loss.name} is not: its first, long steps would overflow; "
            f"take {LIPSCHITZ.get(problem.loss.name, 'huber or smooth_hinge')} instead, or use saga"
        )
    return None
