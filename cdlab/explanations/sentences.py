"""The sentences about causes, with the numbers of both entries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from .cause import Interval
from .measuring import MIN_RUNS, SEEDS
from .stages import Account, Stage

RUNS = f"medians of {MIN_RUNS} to {len(SEEDS)} simulated runs"
BY_RATES = ("tail", "correlation")  # The numbers of these causes are passes per factor e, not of the whole way.

SENTENCES = {
    "tail": (
        "The tail: near the optimum, where signs and active sets are settled, the loss curves less than the bounds "
        "allow for, and with its curvature there they say {new[0]} passes for {p} and {new[1]} for {d}, where they "
        "said {old[0]} and {old[1]}"
    ),
    "correlation": (
        "Correlation against norms: by the norms of rows and columns alone a factor e takes {old[0]} passes of {p} and "
        "{old[1]} of {d}, but by the spectrum of these data {new[0]} and {new[1]}"
    ),
    "logarithm": (
        "The logarithm that T leaves out: for the same {quantity} the error of {p} has to fall by e^{fall[0]} and that "
        "of {d} by e^{fall[1]}, where the prediction has e^{common} for both"
    ),
    "start": (
        "The start: as the bounds draw, it takes {drawn[0]} passes of {p} and {drawn[1]} of {d} until every coordinate "
        "has been drawn, and with what the start leaves to slow directions the whole way takes {new[0]} and {new[1]}, "
        "where the rates in the end say {old[0]} and {old[1]}"
    ),
    "distance": (
        "The distance from the optimum: on the quadratic that the loss is there the whole way would take {old[0]} and "
        "{old[1]} passes of {p} and {d}, but farther away the loss curves otherwise and it takes {new[0]} and {new[1]}"
    ),
    "steps": (
        "Exact steps against the bounds' damped ones: with the steps and the draws that the bounds are proved for the "
        "way takes {old[0]} and {old[1]} passes, with the steps of {p} and {d} {new[0]} and {new[1]}"
    ),
    "weights": (
        "Importance weights that exact steps do not need: with the draws that the bounds suppose the way takes "
        "{old[0]} and {old[1]} passes, with those of {p} and {d} {new[0]} and {new[1]}"
    ),
    "cost": (
        "What a step costs: the bounds suppose that long rows and columns are drawn often, but a step of {p} visits "
        "{factor[0]} times as many nonzeros as they suppose, and one of {d} {factor[1]} times as many"
    ),
}
SIMULATED = ("logarithm", "start", "distance", "steps", "weights")


def sentence(
    labels: Sequence[str],
    before: Sequence[Stage],
    after: Sequence[Stage],
    share: float,
    accounts: Sequence[Account],
    common_fall: float,
    by: str,
) -> str:
    """Sentence on the change by a stage for both entries, and its share of the difference.

    Parameters
    ----------
    labels : pair of str
        The labels of the entries.
    before, after : pair of Stage
        The stages of both entries, without and with the cause.
    share : float
        The cause's share of the difference.
    accounts : pair of Account
        The accounts of both entries.
    common_fall : float
        The bounds' ln(1/eps).
    by : "gap", "best_gap" or "primal"
        The quantity of the level.
    """
    name = after[0].name
    scale = 1 / common_fall if name in BY_RATES else 1.0
    numbers: dict[str, Any] = {
        "p": labels[0],
        "d": labels[1],
        "old": [_range(stage.passes.times(scale)) for stage in before],
        "new": [_range(stage.passes.times(scale)) for stage in after],
        "factor": [_number(new.passes.middle / old.passes.middle) for old, new in zip(before, after, strict=True)],
        "fall": [f"{each.fall:.1f}" for each in accounts],
        "common": f"{common_fall:.1f}",
        "drawn": [_number(each.all_drawn) for each in accounts],
        "quantity": "P - P*" if by == "primal" else "certified gap",
    }
    how = f", {RUNS}" if name in SIMULATED else ""
    return f"{SENTENCES[name].format(**numbers)} ({share:.0%} of the difference{how})."


def agreement(labels: Sequence[str], measured: float, predicted: float) -> str:
    """Sentence that there is nothing to explain."""
    return (
        f"There is nothing to explain: by the bounds {labels[0]} takes {_number(predicted)} times the passes of "
        f"{labels[1]}, in the race it took {_number(measured)} times as many, and these are nearer than a factor 1.5."
    )


def unexplained(labels: Sequence[str], measured: float, predicted: float, simulated: float, rest: float) -> str:
    """Sentence on what is left over."""
    return (
        f"Not explained: {rest:.0%} of the difference between the {_number(measured)} times that {labels[0]} took the "
        f"passes of {labels[1]} and the {_number(predicted)} times that the bounds predicted. With other seeds it took "
        f"{_number(simulated)} times ({RUNS})."
    )


def _number(x: float) -> str:
    return f"{x:.3g}" if math.isfinite(x) else "no end of"


def _range(interval: Interval) -> str:
    low, high = _number(interval.low), _number(interval.high)
    return low if low == high else f"{low} to {high}"
