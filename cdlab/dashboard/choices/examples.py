"""Races that each teach one thing that the stories do not: opened by a link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Example:
    """One race.

    Attributes
    ----------
    lesson : str
        What to look for.
    choices : mapping
        Those that differ from the defaults.
    winner, loser : str
        Labels of the run that needs the fewest passes, and of one that needs many more.
    """

    lesson: str
    choices: Mapping[str, Any]
    winner: str
    loser: str


DENSE = {"density": 1.0, "skew": 0.0}

EXAMPLES: dict[str, Example] = {
    "ill-conditioned: acceleration pays": Example(
        "With little regularisation the condition number R^2/(l2 gamma) is far above n, here about 100 times: a plain "
        "method needs passes in proportion to it, an accelerated one in proportion to its root. With an L2 weight of "
        "1/n the two are even.",
        DENSE | {"l2": 0.01, "methods": ["sdca", "apcg"], "dual_sampling": "uniform", "passes": 500},
        "apcg, uniform",
        "sdca, uniform",
    ),
    "un-regularised: proximal point": Example(
        "Without a regulariser dual methods have nothing to stand on. APPA gives them one: it adds a term that keeps w "
        "near where it is, solves that problem roughly by dual coordinate ascent, and goes on from there. No gap is "
        "certified here: look at the primal suboptimality.",
        DENSE
        | {
            "d": 50,
            "condition": 100.0,
            "noise": 1.0,
            "loss": "logistic",
            "l2": 0.0,
            "methods": ["appa", "saga", "svrg", "fista"],
            "dual_sampling": "uniform",
            "passes": 300,
        },
        "appa, uniform",
        "saga, uniform",
    ),
}
