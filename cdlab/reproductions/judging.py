"""Judges: from the runs of a case, or of several, to the outcome of a claim's rule there.

A judge of one case takes a `Found` and returns an outcome with a note, such as the level it was judged at; it raises
`Undecided` where the runs do not decide. `panelwise` and `together` make of it what a `Claim` holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from .. import comparisons
from ..comparisons import Ratio, Reach
from ..comparisons.claims import Outcome
from .cases import Case
from .found import Found, NotRun, Results, Undecided
from .wording import short

Judge = Callable[[Found], tuple[Outcome, str]]
Rule = Callable[[Ratio], Outcome]
Labels = str | Sequence[str]  # several: the one that arrives first


@dataclass(frozen=True)
class Judged:
    """One panel of a claim.

    Attributes
    ----------
    panel : str
    cases : tuple of str
        Names of the cases whose runs entered.
    outcome : Outcome or None
        None where it was not judged.
    note : str
        The level it was judged at; why it was not judged.
    missing : bool
        Whether a run is missing, which may yet decide.
    counts : bool
        False: shown beside the others, and in no verdict.
    """

    panel: str
    cases: tuple[str, ...]
    outcome: Outcome | None
    note: str = ""
    missing: bool = False
    counts: bool = True

    @property
    def holds(self) -> bool | None:
        """Whether the claim holds here; None where it is not decided."""
        return None if self.outcome is None else self.outcome.holds


def panelwise(judge: Judge, where: Callable[[Case], bool] | None = None) -> Callable[[Results], list[Judged]]:
    """Each case of its own, all or those chosen."""
    return lambda results: [_judged(found.name, [found], partial(judge, found)) for found in results.where(where)]


def panelwise_of(named: Mapping[str, Judge], where: Callable[[Case], bool] | None = None) -> Any:
    """Several judges on each case: the panel is named by both."""
    return lambda results: [
        _judged(f"{found.name}, {name}", [found], partial(judge, found))
        for found in results.where(where)
        for name, judge in named.items()
    ]


def together(
    judge: Callable[[list[Found]], tuple[Outcome, str]],
    where: Callable[[Case], bool] | None = None,
    by: str | None = None,
    name: str = "all",
) -> Callable[[Results], list[Judged]]:
    """Several cases judged as one panel: all of them, or those that share a tag, which then names the panel."""

    def judged(results: Results) -> list[Judged]:
        founds = results.where(where)
        if by is None:
            return [_judged(name, founds, partial(judge, founds))] if founds else []
        groups: dict[Any, list[Found]] = {}
        for found in founds:
            groups.setdefault(found.tags[by], []).append(found)
        return [_judged(f"{by} = {value}", group, partial(judge, group)) for value, group in groups.items()]

    return judged


def with_shown(
    judges: Callable[[Results], list[Judged]], shown: Callable[[Results], list[Judged]]
) -> Callable[[Results], list[Judged]]:
    """Panels that decide, and others that are only shown."""
    return lambda results: [*judges(results), *(replace(panel, counts=False) for panel in shown(results))]


def computed(rules: Callable[[Any], Mapping[str, Outcome]]) -> Callable[[Results], list[Judged]]:
    """Outcomes by panel of what the item computes without runs."""
    return lambda results: [Judged(panel, (), outcome) for panel, outcome in rules(results.computed).items()]


def compared(a: Labels, b: Labels, rule: Rule, level: float | None = None, by: str = "passes", of: str = "") -> Judge:
    """Passes of b divided by passes of a.

    Parameters
    ----------
    a, b : str, or sequence of str
        Labels of contenders; of several the one that arrives first.
    rule : callable of a Ratio
        Such as `claims.much_faster`: "a is ... than b".
    level : float, optional
        Of the error; by default the smallest supported one that a or b reaches in the median.
    by : str
        The column of traces that is counted.
    of : str
        The column that falls to the level, such as "relative_gap", in place of the error, and needs no P*.
    """

    def judge(found: Found) -> tuple[Outcome, str]:
        at = level if of and level is not None else judged_at(found, [*_listed(a), *_listed(b)], level, by)
        ratio = ratio_at(found, a, b, at, by, of)
        outcome, goal = rule(ratio), f"{of.replace('_', ' ') or 'e'} = {short(at)}"
        if outcome.holds is None:
            raise Undecided(f"the runs ended before {goal} decided it: {_interval(ratio.median)}")
        return outcome, f"{_named(b)} / {_named(a)}, to {goal}"

    return judge


def ratio_at(found: Found, a: Labels, b: Labels, level: float, by: str = "passes", of: str = "") -> Ratio:
    """Passes of b divided by passes of a to a level, seed by seed."""
    return comparisons.paired_ratio(first(found, a, level, by, of), first(found, b, level, by, of))


def judged_at(found: Found, labels: Iterable[str], level: float | None = None, by: str = "passes") -> float:
    """The level of a comparison.

    Raises
    ------
    Undecided
        If P* is not known well enough for it, or nobody reaches any.
    """
    supported = found.supported
    if not supported or (level is not None and level < supported[-1]):
        wanted = "any level" if level is None else f"e = {short(level)}"
        raise Undecided(f"P* is known to within {short(found.optimum.certificate)} only, too little for {wanted}")
    if level is not None:
        return level
    names = list(labels)
    at = comparisons.judged_level({one: [found.reach(name, one, by) for name in names] for one in supported})
    if at is None:
        raise Undecided(f"neither {' nor '.join(names)} reaches e = {short(supported[0])}")
    return at


def scaled(ratio: Ratio, factor: float) -> Ratio:
    """The ratio divided by a prediction of it."""
    return Ratio(ratio.lows / factor, ratio.highs / factor)


def fact(
    holds: bool,
    rule: str,
    value: float,
    low: float | None = None,
    high: float | None = None,
    threshold: float | None = None,
) -> Outcome:
    """The outcome of something that is computed and not drawn."""
    return Outcome(bool(holds), rule, float(value), float(value if low is None else low),
                   float(value if high is None else high), False, threshold=threshold)  # fmt: skip


def first(found: Found, labels: Labels, level: float, by: str = "passes", of: str = "") -> Reach:
    """The passes to a level of a contender, or of the one of several that arrives first."""
    reached = {label: found.reach(label, level, by, of) for label in _listed(labels)}
    best = comparisons.fastest(reached)
    return reached[best] if best is not None else max(reached.values(), key=lambda one: one.median[0])


def judge_one(found: Found, judge: Judge) -> Judged:
    """One case, also where it enters no other verdict."""
    return _judged(found.name, [found], partial(judge, found))


def _listed(labels: Labels) -> Sequence[str]:
    return [labels] if isinstance(labels, str) else labels


def _named(labels: Labels) -> str:
    return labels if isinstance(labels, str) else f"the first of {', '.join(labels)}"


def _judged(panel: str, founds: list[Found], judge: Callable[[], tuple[Outcome, str]]) -> Judged:
    cases = tuple(found.name for found in founds)
    try:
        outcome, note = judge()
    except Undecided as reason:
        absent = next((found.plan.missing for found in founds if found.plan.missing), "")
        return Judged(panel, cases, None, absent or str(reason), bool(absent) or isinstance(reason, NotRun))
    return Judged(panel, cases, outcome, note)


def _interval(ends: tuple[float, float]) -> str:
    low, high = ends
    if low == 0 and math.isinf(high):
        return "neither arrived"
    return f"the ratio is {f'at least {short(low)}' if math.isinf(high) else f'{short(low)} to {short(high)}'}"
