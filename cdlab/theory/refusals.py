"""The reason why a theorem does not cover a problem, as data, and the sentence that says so and what covers it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sympy as sp

from .evaluate import first_failed, given, in_words
from .statement import Statement

OUTPUTS = "outputs"  # among the values: predictions of the loss for one example
ONE_PREDICTION = sp.Eq(sp.Symbol(OUTPUTS), 1)  # what is assumed of the loss unless `Bound.vectors`

INTERCEPT = "intercept"  # among the values: 1 where a coordinate is not penalised
NO_INTERCEPT = sp.Eq(sp.Symbol(INTERCEPT), 0)  # what every theorem assumes


def failed(bound: Statement, values: Mapping[str, Any]) -> sp.Basic | None:
    """The first assumption of a theorem that a problem with these values contradicts; None: it covers the problem."""
    if values.get(INTERCEPT, 0):
        return NO_INTERCEPT
    if values.get(OUTPUTS, 1) > 1 and not bound.vectors:
        return ONE_PREDICTION
    return first_failed(bound.assumptions, values)


class Uncovered(ValueError):
    """The problem contradicts an assumption of the theorem.

    Attributes
    ----------
    bound : Statement
        The theorem; where the method falls back to others, the last of them.
    failed : sympy relation
        The assumption that the problem contradicts.
    values : mapping
        What is known of the problem, by the names of the symbols.
    """

    def __init__(self, bound: Statement, failed: sp.Basic, values: Mapping[str, Any]) -> None:
        super().__init__(bound, failed, values)
        self.bound, self.failed, self.values = bound, failed, values

    def __str__(self) -> str:
        if self.failed == ONE_PREDICTION:
            classes = f"{self.values[OUTPUTS]:g} classes"
            sentence = f"the {self.bound} is for losses of one prediction, and this problem has {classes}"
        elif self.failed == NO_INTERCEPT:
            sentence = f"the {self.bound} is for a regulariser of every coordinate, and this problem has an intercept"
        else:
            here = given(self.failed, self.values)
            sentence = f"the {self.bound} needs {in_words(self.failed)}, but this problem has {here}"
        other = self.alternative
        if other is None:
            return sentence
        where = f"{other.method!r}, sampling={other.sampling!r}, theorem={other.theorem!r}"
        return f"{sentence}; bound({where}) covers it"

    @property
    def alternative(self) -> Statement | None:
        """The theorem with a count that fits the problem and is nearest to the one asked for; None if there is none."""
        about = self.bound
        if not about.counts:
            return None
        fitting = (b for b in about.alternatives() if failed(b, self.values) is None)
        # min takes the first of equals: main theorems come first
        return min(fitting, key=lambda b: (b.method != about.method, b.sampling != about.sampling), default=None)
