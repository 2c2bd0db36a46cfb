"""The words of papers as rules, fixed before the runs: each holds, fails, or is not decided.

A comparison of methods takes the `Ratio` of passes B/A, "A is ... than B".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from cdlab.comparisons import FirstCrossing, Ratio, Slope

FASTER_RATIO, MUCH_FASTER_RATIO = 1.1, 2.0
EXPONENT_SLACK = 0.15  # An exponent may be off by this.
MIN_R_SQUARED = 0.98  # Convergence counts as linear from this R^2 on.
DIVERGED_RATIO = 10.0  # A run that ends above so many times P(0) diverged.
MILD_ERROR_CHANGE = 0.005  # A 0-1 error that changes by less than this changes mildly.
MONOTONE_SLACK = 0.1


@dataclass(frozen=True)
class RuleOutcome:
    """Whether a claim holds, with the number that decides.

    Attributes
    ----------
    holds : bool or None
        None where the runs do not decide.
    rule : str
        The rule, such as "ratio >= 2".
    value : float
        The median; of ratios of which one method did not arrive, the end that is known, NaN where neither is.
    low, high : float
        Smallest and largest over seeds; of a slope, its interval.
    close : bool
        Whether the threshold lies inside, so that more seeds should decide.
    bound : {"", "at least", "at most"}
        What the value is where the median itself is not known.
    threshold : float or None
        The line between holding and failing; of two the one nearer to the value; None where nothing is measured.
    """

    holds: bool | None
    rule: str
    value: float
    low: float
    high: float
    close: bool
    bound: str = ""
    threshold: float | None = None


@dataclass(frozen=True)
class PanelOutcome:
    """One panel of a claim.

    Attributes
    ----------
    panel : str
    cases : tuple of str
        Names of the cases whose runs entered.
    outcome : RuleOutcome or None
        None where it was not judged.
    note : str
        The level it was judged at; why it was not judged.
    missing : bool
        Whether a run is missing, which may yet decide.
    in_verdict : bool
        False: only shown beside the others.
    """

    panel: str
    cases: tuple[str, ...]
    outcome: RuleOutcome | None
    note: str = ""
    missing: bool = False
    in_verdict: bool = True

    @property
    def holds(self) -> bool | None:
        """Whether the claim holds here; None where it is not decided."""
        return None if self.outcome is None else self.outcome.holds


def decide(
    holds: bool,
    rule: str,
    value: float,
    low: float | None = None,
    high: float | None = None,
    threshold: float | None = None,
) -> RuleOutcome:
    """The outcome of a rule on something that is computed, and not drawn: nothing is close.

    Parameters
    ----------
    holds, rule, value, threshold
        As of `RuleOutcome`.
    low, high : float, optional
        The extremes of what the value is one of; by default the value.
    """
    low, high = (float(value if end is None else end) for end in (low, high))
    return RuleOutcome(bool(holds), rule, float(value), low, high, False, threshold=threshold)


def distance(value: float, threshold: float) -> float:
    """How far a value is from a threshold: of two positive numbers the logarithm of their ratio."""
    return abs(math.log(value / threshold)) if value > 0 < threshold else abs(value - threshold)


def _nearest(value: float, thresholds: Sequence[float]) -> float:
    return min(thresholds, key=lambda one: distance(value, one))


def _of_ratio(ratio: Ratio, holds: bool | None, rule: str, *thresholds: float) -> RuleOutcome:
    least, most = ratio.median
    known = [end for end in (least, most) if 0 < end < np.inf]
    bound = "" if least == most else "at least" if least > 0 else "at most"
    close = any(map(ratio.close_to, thresholds))
    value = known[0] if known else float("nan")
    return RuleOutcome(holds, rule, value, *ratio.range, close, bound, _nearest(value, thresholds))


def faster(ratio: Ratio) -> RuleOutcome:
    """A is faster, better, superior: the ratio is at least 1.1."""
    return _of_ratio(ratio, ratio.at_least(FASTER_RATIO), f"ratio >= {FASTER_RATIO:g}", FASTER_RATIO)


def not_slower(ratio: Ratio) -> RuleOutcome:
    """A is not slower: the ratio is at least 1/1.1."""
    return _of_ratio(ratio, ratio.at_least(1 / FASTER_RATIO), f"ratio >= {1 / FASTER_RATIO:.3g}", 1 / FASTER_RATIO)


def much_faster(ratio: Ratio) -> RuleOutcome:
    """A is substantially, much, significantly faster: the ratio is at least 2."""
    return _of_ratio(ratio, ratio.at_least(MUCH_FASTER_RATIO), f"ratio >= {MUCH_FASTER_RATIO:g}", MUCH_FASTER_RATIO)


def at_most(ratio: Ratio, factor: float) -> RuleOutcome:
    """A is at most so many times faster than B: the ratio is at most this factor."""
    return _of_ratio(ratio, ratio.at_most(factor), f"ratio <= {factor:.3g}", factor)


def comparable(ratio: Ratio) -> RuleOutcome:
    """A and B are comparable, similar, about the same: the ratio lies between 1/2 and 2."""
    return within(ratio, MUCH_FASTER_RATIO)


def within(ratio: Ratio, factor: float) -> RuleOutcome:
    """A and B are within this factor: of a ratio divided by its prediction, that it came true up to it."""
    return between(ratio, 1 / factor, factor)


def between(ratio: Ratio, low: float, high: float) -> RuleOutcome:
    """The ratio lies between two numbers."""
    ends = ratio.at_least(low), ratio.at_most(high)
    holds = False if False in ends else None if None in ends else True
    return _of_ratio(ratio, holds, f"{low:.3g} <= ratio <= {high:.3g}", low, high)


def of_values(values: Any, holds: bool | None, rule: str, threshold: float) -> RuleOutcome:
    """The outcome of a rule on values of several seeds, of which the median counts; it is close between them."""
    x = np.asarray(values, dtype=float)
    low, high = float(x.min()), float(x.max())
    return RuleOutcome(holds, rule, float(np.median(x)), low, high, low < threshold < high, threshold=threshold)


def grows_like(slope: Slope, exponent: float) -> RuleOutcome:
    """Something grows like x^a: the slope on log scales is within 0.15 of a."""
    holds = bool(abs(slope.value - exponent) <= EXPONENT_SLACK)
    ends = (exponent - EXPONENT_SLACK, exponent + EXPONENT_SLACK)
    rule = f"{ends[0]:g} <= slope <= {ends[1]:g}"
    close = any(slope.low < end < slope.high for end in ends)
    return RuleOutcome(holds, rule, *slope, close, threshold=_nearest(slope.value, ends))


def grows_at_most_like(slope: Slope, exponent: float) -> RuleOutcome:
    """Something grows at most like x^a: the slope on log scales is at most a + 0.15."""
    end = exponent + EXPONENT_SLACK
    close = slope.low < end < slope.high
    return RuleOutcome(bool(slope.value <= end), f"slope <= {end:g}", *slope, close, threshold=end)


def converges_linearly(linearities: Sequence[float]) -> RuleOutcome:
    """A converges linearly: the median R^2 of `linearity` is at least 0.98; not decided where one is NaN."""
    value = float(np.median(linearities))
    holds = None if np.isnan(value) else value >= MIN_R_SQUARED
    return of_values(linearities, holds, f"R^2 >= {MIN_R_SQUARED:g}", MIN_R_SQUARED)


def more_stable(a: Sequence[float], b: Sequence[float]) -> RuleOutcome:
    """A is more stable than B: of the overshoots of each seed, A's median is at most half of B's.

    The value is A's median less half of B's, at most 0; low and high are of the differences seed by seed.
    """
    difference = np.asarray(a, dtype=float) - np.asarray(b, dtype=float) / 2
    value, low, high = float(np.median(a) - np.median(b) / 2), float(difference.min()), float(difference.max())
    return RuleOutcome(value <= 0, "o(A) - o(B)/2 <= 0", value, low, high, low < 0 < high, threshold=0.0)


def diverges(final: Sequence[float], at_zero: float) -> RuleOutcome:
    """A run diverges: the median of the last P over seeds is not finite, or above 10 P(0). The value is P/P(0)."""
    shares = np.nan_to_num(np.asarray(final, dtype=float) / at_zero, nan=np.inf, posinf=np.inf)
    return of_values(
        shares, bool(np.median(shares) > DIVERGED_RATIO), f"P/P(0) > {DIVERGED_RATIO:g} at the end", DIVERGED_RATIO
    )


def mild_effect(errors: Sequence[float], reference: float, examples: int) -> RuleOutcome:
    """The effect on a 0-1 error is mild: at most 0.005, or two standard errors of the test set if that is more.

    Parameters
    ----------
    errors : sequence of float
        Test errors in [0, 1], one for each seed.
    reference : float
        The test error without what is judged.
    examples : int
        Of the test set.
    """
    allowed = max(MILD_ERROR_CHANGE, 2 * float(np.sqrt(reference * (1 - reference) / examples)))
    effects = np.abs(np.asarray(errors, dtype=float) - reference)
    return of_values(effects, bool(np.median(effects) <= allowed), f"effect <= {allowed:.2g}", allowed)


def rises(sizes: Sequence[FirstCrossing], within: float = 0.0) -> RuleOutcome:
    """Passes rise with a parameter: no step down is by more than the share `within`.

    The value is the smallest factor from one to the next; low and high are the smallest and the largest. A run that
    did not arrive counts with its limit there.
    """
    steps = [b.median[0] / a.median[0] for a, b in pairwise(sizes)]
    holds = _rises([one.median for one in sizes], 1 + within)
    line = 1 / (1 + within)
    rule = f"smallest factor of a step >= {line:.3g}"
    return RuleOutcome(holds, rule, min(steps), min(steps), max(steps), False, threshold=line)


def falls(sizes: Sequence[FirstCrossing], within: float = 0.0) -> RuleOutcome:
    """Passes fall with a parameter: no step up is by more than the share `within`; else as `rises`."""
    return rises(sizes[::-1], within)


def verdict(panels: Iterable[RuleOutcome]) -> str:
    """The verdict on a claim that was judged in several panels.

    Returns
    -------
    str
        "differs" if it fails in one of them; else "reproduced" if it holds in one; "not testable" if none decides.
    """
    decided = [panel.holds for panel in panels if panel.holds is not None]
    return "not testable" if not decided else "reproduced" if all(decided) else "differs"


def _rises(medians: Sequence[tuple[float, float]], allowed: float) -> bool | None:
    """Whether intervals rise, up to this factor; None where that depends on where in them the medians are."""
    holds: bool | None = True
    for (low, high), (next_low, next_high) in pairwise(medians):
        if next_high * allowed < low:
            return False
        if not next_low * allowed >= high:
            holds = None
    return holds
