"""The sentences of causes: what each says, with the numbers of both entries."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .cause import Interval
from .measuring import Entry, Measured
from .stages import Stage


class Change(NamedTuple):
    """What a cause changed, for both entries.

    Attributes
    ----------
    pair : sequence of Entry
    before, after : sequence of Stage
    found : sequence of Measured
    fall : float
        The common ln(1/eps).
    by : str
        "gap" or "primal".
    """

    pair: Sequence[Entry]
    before: Sequence[Stage]
    after: Sequence[Stage]
    found: Sequence[Measured]
    fall: float
    by: str

    @property
    def labels(self) -> list[str]:
        """Those of both entries."""
        return [entry.label for entry in self.pair]

    def per_e(self, stages: Sequence[Stage]) -> list[str]:
        """Passes per factor e of both entries at a stage."""
        return [_range(stage.passes.times(1 / self.fall)) for stage in stages]

    def passes_in_all(self, stages: Sequence[Stage]) -> list[str]:
        """Passes of the whole way of both entries."""
        return [_range(stage.passes) for stage in stages]


def agreement(labels: Sequence[str], measured: float, predicted: float) -> str:
    """That there is nothing to explain."""
    return (
        f"There is nothing to explain: by the bounds {labels[0]} takes {_number(predicted)} times the passes of "
        f"{labels[1]}, in the race it took {_number(measured)} times as many, and these are nearer than a factor 1.5."
    )


def unexplained(labels: Sequence[str], measured: float, predicted: float, rest: float) -> str:
    """What is left over."""
    return (
        f"Not explained: {rest:.0%} of the difference between the {_number(measured)} times that {labels[0]} took the "
        f"passes of {labels[1]} and the {_number(predicted)} times that the bounds predicted."
    )


def sentence(name: str, change: Change, share: float) -> str:
    """What a stage changed for both entries, as a sentence."""
    return f"{SENTENCES[name](change)} ({share:.0%} of the difference)."


def _tail(c: Change) -> str:
    (p, d), old, new = c.labels, c.per_e(c.before), c.per_e(c.after)
    return (
        "The tail: near the optimum, where signs and active sets are settled, the loss curves less than the bounds "
        f"allow for, and with its curvature there they say {new[0]} passes for {p} and {new[1]} for {d}, where they "
        f"said {old[0]} and {old[1]}"
    )


def _correlation(c: Change) -> str:
    (p, d), old, new = c.labels, c.per_e(c.before), c.per_e(c.after)
    return (
        f"Correlation against norms: by the norms of rows and columns alone a factor e takes {old[0]} passes of {p} "
        f"and {old[1]} of {d}, but by the spectrum of these data {new[0]} and {new[1]}"
    )


def _steps(c: Change) -> str:
    (p, d), old, new = c.labels, c.passes_in_all(c.before), c.passes_in_all(c.after)
    return (
        "Exact steps against the bounds' damped ones: with the steps and the draws that the bounds are proved for the "
        f"way takes {old[0]} and {old[1]} passes, with the steps of {p} and {d} {new[0]} and {new[1]}"
    )


def _weights(c: Change) -> str:
    (p, d), old, new = c.labels, c.passes_in_all(c.before), c.passes_in_all(c.after)
    return (
        "Importance weights that exact steps do not need: with the draws that the bounds suppose the way would take "
        f"{old[0]} and {old[1]} passes, with those of {p} and {d} it takes {new[0]} and {new[1]}"
    )


def _cost(c: Change) -> str:
    factors = [new.passes.middle / old.passes.middle for old, new in zip(c.before, c.after, strict=True)]
    return (
        "What a step costs: the bounds suppose that long rows and columns are drawn often, but a step of "
        f"{c.labels[0]} visits {_number(factors[0])} times as many nonzeros as they suppose, and one of {c.labels[1]} "
        f"{_number(factors[1])} times as many"
    )


def _logarithm(c: Change) -> str:
    what = "P - P*" if c.by == "primal" else "certified gap"
    return (
        f"The logarithm that T leaves out: for the same {what} the error of {c.labels[0]} had to fall by "
        f"e^{c.found[0].fall:.1f} and that of {c.labels[1]} by e^{c.found[1].fall:.1f}, where the prediction has "
        f"e^{c.fall:.1f} for both"
    )


def _start(c: Change) -> str:
    old, new = c.passes_in_all(c.before), c.passes_in_all(c.after)
    drawn = [_number(each.drawn_passes) for each in c.found]
    return (
        f"The start: until every coordinate has been drawn it takes {drawn[0]} passes of {c.labels[0]} and {drawn[1]} "
        f"of {c.labels[1]}, and with what the start leaves to slow directions the whole way takes {new[0]} and "
        f"{new[1]} with the bounds' draws, where the rates in the end say {old[0]} and {old[1]}"
    )


SENTENCES: dict[str, Callable[[Change], str]] = {
    "tail": _tail,
    "correlation": _correlation,
    "steps": _steps,
    "weights": _weights,
    "cost": _cost,
    "logarithm": _logarithm,
    "start": _start,
}


def _number(x: float) -> str:
    return f"{x:.3g}" if math.isfinite(x) else "no end of"


def _range(interval: Interval) -> str:
    low, high = _number(interval.low), _number(interval.high)
    return low if low == high else f"{low} to {high}"
