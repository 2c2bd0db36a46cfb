"""Judges: from the runs of a case, or of several, to the outcome of a claim's rule there.

A judge of one case takes a `CaseResult` and returns an outcome with a note, such as the level it was judged at; it
raises `Undecided` where the runs do not decide. `per_case` and `across_cases` turn it into a `ClaimJudge`, which a
`Claim` holds.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from cdlab import comparisons
from cdlab.comparisons import FirstCrossing, Ratio

from . import claims
from .claims import PanelOutcome, RuleOutcome
from .items import Case
from .number_text import short_number
from .results import CaseResult, NotRun, Results, Undecided, by_tag, check_column

CaseJudge = Callable[[CaseResult], tuple[RuleOutcome, str]]
CasesJudge = Callable[[list[CaseResult]], tuple[RuleOutcome, str]]
ClaimJudge = Callable[[Results], list[PanelOutcome]]
RatioRule = Callable[[Ratio], RuleOutcome]
Labels = str | Sequence[str]  # several: the one that arrives first
AnyJudge = TypeVar("AnyJudge", bound=Callable[..., Any])


# ------------------------------------------------------------ which contenders a judge asks for
def reads(*labels: Labels) -> Callable[[AnyJudge], AnyJudge]:
    """Say which contenders a judge asks for: an item without one of them is refused when it is declared."""

    def with_labels(judge: AnyJudge) -> AnyJudge:
        vars(judge)["labels"] = frozenset(label for each in labels for label in _label_list(each))
        return judge

    return with_labels


def reads_as(*judges: Callable[..., Any]) -> Callable[[AnyJudge], AnyJudge]:
    """Copy the labels of these judges."""
    return reads([label for judge in judges for label in sorted(getattr(judge, "labels", ()))])


# ------------------------------------------------------------ from judges of cases to judges of claims
def per_case(judge: CaseJudge, where: Callable[[Case], bool] | None = None, judged: bool = True) -> ClaimJudge:
    """One panel for each case: of all, or of those chosen; with judged=False also of those that are drawn beside."""

    @reads_as(judge)
    def judge_claim(results: Results) -> list[PanelOutcome]:
        return [_panel_outcome(each.name, [each], partial(judge, each)) for each in results.where(where, judged)]

    return judge_claim


def per_case_and_judge(
    named: Mapping[str, CaseJudge], where: Callable[[Case], bool] | None = None, judged: bool = True
) -> ClaimJudge:
    """Several judges on each case: the panel is named by both."""

    @reads_as(*named.values())
    def judge_claim(results: Results) -> list[PanelOutcome]:
        return [
            _panel_outcome(f"{result.name}, {name}", [result], partial(judge, result))
            for result in results.where(where, judged)
            for name, judge in named.items()
        ]

    return judge_claim


def across_cases(
    judge: CasesJudge, where: Callable[[Case], bool] | None = None, by: str | None = None, name: str = "all"
) -> ClaimJudge:
    """Several cases judged as one panel: all of them, or those that share a tag, which then names the panel."""

    @reads_as(judge)
    def judge_claim(results: Results) -> list[PanelOutcome]:
        cases = results.where(where)
        if by is None:
            return [_panel_outcome(name, cases, partial(judge, cases))] if cases else []
        groups = by_tag(cases, by).items()
        return [_panel_outcome(f"{by} = {value}", group, partial(judge, group)) for value, group in groups]

    return judge_claim


def with_panels_outside_verdict(judge: ClaimJudge, shown: ClaimJudge) -> ClaimJudge:
    """Panels of the verdict, followed by panels that are judged but do not count."""

    @reads_as(judge, shown)
    def judge_claim(results: Results) -> list[PanelOutcome]:
        return [*judge(results), *(replace(panel, in_verdict=False) for panel in shown(results))]

    return judge_claim


def in_each_reading(readings: Mapping[str, ClaimJudge]) -> ClaimJudge:
    """A rule where the text leaves a choice open: it must hold in each reading, which its panels are named by."""

    @reads_as(*readings.values())
    def judge_claim(results: Results) -> list[PanelOutcome]:
        return [
            replace(panel, panel=f"{name}: {panel.panel}")
            for name, judge in readings.items()
            for panel in judge_panels(judge, results)
        ]

    return judge_claim


def judge_panels(judge: ClaimJudge, results: Results) -> list[PanelOutcome]:
    """The panels of a judge; one that says why, where nothing is decided."""
    try:
        return judge(results)
    except Undecided as missing:
        return [PanelOutcome("all", (), None, str(missing), isinstance(missing, NotRun))]


def judge_computed(rules: Callable[[Any], Mapping[str, RuleOutcome]]) -> ClaimJudge:
    """Outcomes by panel of what the item computes without runs."""
    return lambda results: [PanelOutcome(panel, (), outcome) for panel, outcome in rules(results.computed).items()]


def _panel_outcome(panel: str, results: list[CaseResult], judge: Callable[[], tuple[RuleOutcome, str]]) -> PanelOutcome:
    cases = tuple(result.name for result in results)
    try:
        outcome, note = judge()
    except Undecided as reason:
        absent = next((result.plan.missing for result in results if result.plan.missing), "")
        missing = bool(absent) or isinstance(reason, NotRun)
        return PanelOutcome(panel, cases, None, absent or str(reason), missing=missing)
    return PanelOutcome(panel, cases, outcome, note)


# ------------------------------------------------------------ passes compared
def compare_passes(
    a: Labels, b: Labels, rule: RatioRule, level: float | None = None, by: str = "passes", of: str = ""
) -> CaseJudge:
    """A judge by the ratio of the passes of b to those of a.

    Parameters
    ----------
    a, b : str, or sequence of str
        Labels of contenders; of several the one that arrives first.
    rule : callable of a Ratio
        Such as `claims.much_faster`: "a is ... than b".
    level : float, optional
        The level of the error; by default the smallest supported one that a or b reaches in the median.
    by : str
        The column of traces that is counted.
    of : str
        The column that falls to the level, such as "relative_gap", instead of the error; needs `level`, but not P*.

    Raises
    ------
    ValueError
        If traces have no such column, or `of` comes without a level.
    """
    for column in filter(None, (by, of)):
        check_column(column)
    if of and level is None:
        raise ValueError(f"of={of!r} needs a level: one is chosen for the error only")

    @reads(a, b)
    def judge(result: CaseResult) -> tuple[RuleOutcome, str]:
        if of and level is not None:
            at = level
        else:
            at = comparison_level(result, [*_label_list(a), *_label_list(b)], level, by)
        ratio = passes_ratio(result, a, b, at, by, of)
        outcome, goal = rule(ratio), f"{of.replace('_', ' ') or 'e'} = {short_number(at)}"
        if outcome.holds is None:
            raise Undecided(f"the runs ended before {goal} decided it: {_interval_text(ratio.median)}")
        return outcome, f"{_label_text(b)} / {_label_text(a)}, to {goal}"

    return judge


def passes_ratio(result: CaseResult, a: Labels, b: Labels, level: float, by: str = "passes", of: str = "") -> Ratio:
    """Passes of b divided by passes of a to a level, seed by seed."""
    return comparisons.paired_ratio(first_to_reach(result, a, level, by, of), first_to_reach(result, b, level, by, of))


def comparison_level(
    result: CaseResult, labels: Iterable[str], level: float | None = None, by: str = "passes"
) -> float:
    """The level of a comparison.

    Raises
    ------
    Undecided
        If P* is not known well enough for a level, or no contender reaches one.
    """
    supported = result.supported_levels
    if not supported or (level is not None and level < supported[-1]):
        certificate = short_number(result.optimum.certificate)
        wanted = "any level" if level is None else f"e = {short_number(level)}"
        raise Undecided(f"P* is known to within {certificate} only, too little for {wanted}")
    if level is not None:
        return level
    names = list(labels)
    at = comparisons.comparison_level({one: [result.reach(name, one, by) for name in names] for one in supported})
    if at is None:
        raise Undecided(f"neither {' nor '.join(names)} reaches e = {short_number(supported[0])}")
    return at


def require_decision(outcome: RuleOutcome, level: float) -> RuleOutcome:
    """The outcome of a comparison of passes to a level of e.

    Raises
    ------
    Undecided
        If the runs ended too early to decide it.
    """
    if outcome.holds is None:
        raise Undecided(f"the runs ended before e = {short_number(level)} decided it")
    return outcome


def first_to_reach(result: CaseResult, labels: Labels, level: float, by: str = "passes", of: str = "") -> FirstCrossing:
    """The passes to a level of a contender, or of the one of several that arrives first.

    Where none arrives it is the largest lower bound.
    """
    reached = {label: result.reach(label, level, by, of) for label in _label_list(labels)}
    best = comparisons.fastest(reached)
    return reached[best] if best is not None else max(reached.values(), key=lambda one: one.median[0])


def converges_linearly(label: str) -> CaseJudge:
    """The R^2 of ln e against passes, in the median over seeds."""

    @reads(label)
    def judge(result: CaseResult) -> tuple[RuleOutcome, str]:
        values = [comparisons.linearity(x, e) for x, e in result.curves(label)]
        return claims.converges_linearly(values), f"R^2 of {label}, 1e-1 >= e >= 1e-8"

    return judge


def _label_list(labels: Labels) -> Sequence[str]:
    return [labels] if isinstance(labels, str) else labels


def _label_text(labels: Labels) -> str:
    return labels if isinstance(labels, str) else f"the first of {', '.join(labels)}"


def _interval_text(ends: tuple[float, float]) -> str:
    low, high = ends
    if low == 0 and math.isinf(high):
        return "neither arrived"
    least = short_number(low)
    return f"the ratio is at least {least}" if math.isinf(high) else f"the ratio is {least} to {short_number(high)}"
