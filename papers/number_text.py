"""Numbers as pages write them."""

from __future__ import annotations

import math

from cdlab.comparisons import FirstCrossing

from .claims import RuleOutcome


def short_number(x: float) -> str:
    """A number with three digits.

    Examples
    --------
    >>> short_number(0.123456), short_number(1234.5), short_number(30), short_number(1e-6), short_number(float("nan"))
    ('0.123', '1,230', '30', '1e-6', '-')
    """
    if math.isnan(x):
        return "-"
    if 1000 <= abs(x) < 1e7:
        return f"{float(f'{x:.3g}'):,.0f}"
    if math.isinf(x) or x == 0 or 1e-3 <= abs(x) < 1000:
        return f"{x:.3g}"
    digits, power = f"{x:.2e}".split("e")
    return f"{float(digits):g}e{int(power)}"


def outcome_text(outcome: RuleOutcome) -> str:
    """The number that decides, with its range where it has one; of a median that is not known the end that is."""
    if outcome.bound:
        return f"{outcome.bound} {near_one(outcome.value)}"
    if outcome.low == outcome.high == outcome.value:
        return near_one(outcome.value)
    high = "more" if math.isinf(outcome.high) else near_one(outcome.high)
    return f"{near_one(outcome.value)} [{near_one(outcome.low)}, {high}]"


def near_one(x: float) -> str:
    """As `short_number`, but what would be rounded to 1 says on which side of 1 it is.

    Examples
    --------
    >>> near_one(1.0), near_one(1 - 4e-9), near_one(1.00012), near_one(0.99)
    ('1', '1 - 4e-9', '1 + 1e-4', '0.99')
    """
    off = abs(x - 1)
    if not 1e-12 < off < 5e-4:
        return short_number(x)
    digit, power = f"{off:.0e}".split("e")
    return f"1 {'-' if x < 1 else '+'} {digit}e{int(power)}"


def reach_text(reach: FirstCrossing) -> str:
    """The median with smallest and largest; of a run that did not arrive more than its limit."""
    low, high = reach.median
    middle = short_number(high) if reach.reached else f"> {short_number(low)}"
    if reach.low.size == 1:
        return middle
    ends = [short_number(x) if x < float("inf") else "more" for x in (reach.low.min(), reach.high.max())]
    return f"{middle} [{ends[0]}, {ends[1]}]"
