"""A cause: a sentence, its share of the difference, and the numbers behind both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

MAIN_SHARE = 0.25  # A summary names causes of at least this share of the difference.


class Interval(NamedTuple):
    """Between which numbers > 0 something lies; equal ends where it is known."""

    low: float
    high: float

    @property
    def middle(self) -> float:
        """The geometric mean, and that of [0, x] as x."""
        return math.sqrt(self.low * self.high) if self.low > 0 else self.high

    def times(self, factor: float) -> Interval:
        """Both ends multiplied."""
        return Interval(self.low * factor, self.high * factor)


class Causes(list["Cause"]):
    """A list of causes, the largest share first; printed it is a summary, and their sentences, one a line."""

    @property
    def summary(self) -> str:
        """Measured and predicted ratio, and the causes that account for most of the difference, in a sentence."""
        known = self[-1].numbers
        main = [each for each in self[:-1] if each.share >= MAIN_SHARE] or self[:1]
        names = [f"{each.words.partition(':')[0].lower()} ({each.share:.0%} of the difference)" for each in main]
        first, second = known["entries"]
        ratios = f"{first} took {known['measured']:.3g} times the passes of {second}, and the bounds predicted"
        return f"{ratios} {known['predicted']:.3g} times. Mainly: {'; '.join(names)}."

    def __str__(self) -> str:
        return "\n".join([*([self.summary] if len(self) > 1 else []), *map(str, self)])


@dataclass(frozen=True)
class Cause:
    """One reason why a measured ratio is not the predicted one; `str` is its sentence.

    Attributes
    ----------
    words : str
        The sentence.
    share : float
        The part of log(measured/predicted) that it accounts for: of all causes, and of what is not explained, the
        shares add up to 1. Negative: it made the prediction better.
    numbers : mapping
        "name"; "low" and "high", between which the share lies where a rate is known to within a band only, else both
        the share; "factor" by which it moved the ratio; "place", its number in the order in which causes are taken;
        "before" and "after", the passes of both entries, without and with it. The last of all, of what is not
        explained, has "entries", their labels, "measured" and "predicted", the two ratios, and "simulated", the
        measured one with other seeds; "level", the gap or P - P* at which they are taken; and of both entries "passes"
        to it, and "fall", by how much ln of their own error falls on the way, with the steps and draws of the bounds.
    """

    words: str
    share: float
    numbers: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.words

    def __repr__(self) -> str:
        return f"Cause({self.numbers.get('name', '')}: {self.share:.0%})"

    @property
    def interval(self) -> tuple[float, float]:
        """Between which numbers the share lies."""
        return self.numbers.get("low", self.share), self.numbers.get("high", self.share)
