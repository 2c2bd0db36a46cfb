"""Numbers as pages write them."""

from __future__ import annotations

import math

from ..comparisons import Reach
from ..comparisons.claims import Outcome


def short(x: float) -> str:
    """A number with three digits.

    Examples
    --------
    >>> short(0.123456), short(1234.5), short(30), short(1e-6), short(float("nan"))
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


def with_range(outcome: Outcome) -> str:
    """The number that decides, with its range where it has one."""
    if outcome.low == outcome.high == outcome.value:
        return short(outcome.value)
    high = "more" if math.isinf(outcome.high) else short(outcome.high)
    return f"{short(outcome.value)} [{short(outcome.low)}, {high}]"


def passes(reach: Reach) -> str:
    """The median with smallest and largest; of a run that did not arrive more than its limit."""
    low, high = reach.median
    middle = short(high) if reach.reached else f"> {short(low)}"
    if reach.low.size == 1:
        return middle
    ends = [short(x) if x < float("inf") else "more" for x in (reach.low.min(), reach.high.max())]
    return f"{middle} [{ends[0]}, {ends[1]}]"
