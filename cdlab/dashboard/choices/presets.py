"""Races that each teach one thing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

OWN = "none"


@dataclass(frozen=True)
class Preset:
    """One lesson.

    Attributes
    ----------
    lesson : str
        What to look for.
    choices : mapping
        Those that differ from the defaults.
    winner, loser : str
        Labels of the run that needs the fewest passes, and of one that needs many more.
    instead : mapping
        Changes for a second race, which the lesson compares with the first: the winner is then slower.
    """

    lesson: str
    choices: Mapping[str, Any]
    winner: str
    loser: str
    instead: Mapping[str, Any] = field(default_factory=dict)


DENSE = {"density": 1.0, "skew": 0.0}

PRESETS: dict[str, Preset] = {
    "dense: n against d": Preset(
        "In dense data every example has all d features and every feature is in all n examples, so that C_P/C_D = n/d. "
        "Here n is 20 times d and the dual wins. Exchange n and d: by the bounds the primal now wins, and in the race "
        "the two come out about even.",
        DENSE | {"n": 2000, "d": 100, "l2": 0.1},
        "sdca, importance",
        "rcd, importance",
    ),
    "sparse data turns it round": Preset(
        "There are 10 times as many examples as features, and in dense data the dual would win. But here a few "
        "examples have every feature and all others just one: C_D is as large as it can be, and the primal wins.",
        {"data": "worst_dual", "n": 1000, "d": 100, "density": 0.02},
        "rcd, importance",
        "sdca, importance",
    ),
    "skewed words favour the dual": Preset(
        "As many features as examples, but a few features are in most examples, like the words of a language: C_P "
        "grows with them and the dual wins. Set the skew of the columns to 0, and the two sides are even.",
        {"n": 1000, "d": 1000, "density": 0.02, "skew": 1.3},
        "sdca, importance",
        "rcd, importance",
    ),
    "one heavy row": Preset(
        "One example has every feature and 14 times the norm of the others. Fixed steps with uniform sampling must "
        "suit the heaviest example, all the time; importance sampling draws it more often, and its steps suit the "
        "average.",
        {
            "data": "arrow",
            "n": 1000,
            "d": 200,
            "l2": 10.0,
            "methods": ["quartz"],
            "dual_sampling": "uniform",
            "against": "importance",
        },
        "quartz, importance",
        "quartz, uniform",
    ),
    "ill-conditioned: acceleration pays": Preset(
        "With little regularisation the condition number R^2/(l2 gamma) is far above n, here about 100 times: a plain "
        "method needs passes in proportion to it, an accelerated one in proportion to its root. With an L2 weight of "
        "1/n the two are even.",
        DENSE | {"l2": 0.01, "methods": ["sdca", "apcg"], "dual_sampling": "uniform", "passes": 500},
        "apcg, uniform",
        "sdca, uniform",
    ),
    "smoothing the hinge": Preset(
        "A hinge with its kink rounded by gamma = 0.1: the gap falls linearly, a straight line. Set the loss to hinge "
        "and run again: with the kink the same method takes several times as long.",
        {
            "d": 100,
            "density": 0.1,
            "skew": 0.0,
            "noise": 0.5,
            "gamma": 0.1,
            "passes": 400,
            "methods": ["sdca", "spdc"],
            "dual_sampling": "uniform",
        },
        "sdca, uniform",
        "spdc, uniform",
        {"loss": "hinge"},
    ),
    "cyclic order can be terrible": Preset(
        "All pairs of examples are equally alike. Taken one after another, each step undoes what the last one did; "
        "taken at random, the same method needs about an eightieth of the passes. On most data no order is bad.",
        {
            "data": "sun_ye",
            "n": 50,
            "loss": "squared",
            "scale": "none",
            "l2": 0.05,
            "methods": ["sdca"],
            "dual_sampling": "cyclic",
            "against": "uniform",
            "passes": 10_000,
        },
        "sdca, uniform",
        "sdca, cyclic",
    ),
    "un-regularised: proximal point": Preset(
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
