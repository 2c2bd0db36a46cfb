"""What `certify` answers: a number, and the sentence that says it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from typing import Any

from ..runs import in_html


@dataclass(frozen=True, repr=False)  # print is a sentence
class Distance:
    """How far P(w) is above its minimum P(w*).

    Attributes
    ----------
    gap : float
        At most this far, the rounding of float64 included; inf where no number can be given, and `why` says why not.
    at_least : float
        At least this far: a better w is known.
    relative_gap : float
        gap / max(P(0) - D, 1e-6 P(0)), as of every solution.
    primal, dual : float
        P(w), the mean loss and the regulariser as `cdlab.Problem` has them, and the lower bound D of P(w*). The gap is
        their difference with its rounding.
    rounding : float
        The share of `gap` that is there because float64 rounds.
    what : str
        What was certified.
    problem : str
        The problem that it was taken to solve, or the first of several.
    problems : int
        How many there are: with one class against the rest all values are sums over them.
    why : str
        With gap = inf, why there is no number; else empty.
    """

    gap: float
    at_least: float
    relative_gap: float
    primal: float
    dual: float
    rounding: float
    what: str
    problem: str
    problems: int = 1
    why: str = ""

    def __repr__(self) -> str:
        several = f", summed over {self.problems} problems of one class against the rest" if self.problems > 1 else ""
        if not math.isfinite(self.gap):
            return f"{self.what}: P(w) = {self.primal:.6g}{several}; no number can be given: {self.why}"
        least = f" and at least {_short(self.at_least, ROUND_FLOOR)}" if self.at_least > 0 else ""
        rounding = f"{_short(self.rounding, ROUND_CEILING)} of it for the rounding of float64"
        return (
            f"{self.what}: P(w) = {self.primal:.6g}{several} is at most {_short(self.gap, ROUND_CEILING)}{least} above "
            f"its minimum (relative gap {_short(self.relative_gap, ROUND_CEILING)}; {rounding})"
        )

    def _repr_html_(self) -> str:
        facts: list[tuple[str, Any]] = [("P(w)", f"{self.primal:.6g}"), ("problem", self.problem)]
        for name, value, way in (("gap", self.gap, ROUND_CEILING), ("at least", self.at_least, ROUND_FLOOR)):
            facts.append((name, _short(value, way)))
        return in_html.shown(str(self), in_html.facts(facts), index=True)


def _short(value: float, way: str) -> str:
    """Two digits, rounded so that what is said stays true."""
    return f"{float(Context(prec=2, rounding=way).create_decimal_from_float(value)):.2g}"
