"""What the items of SPDC share: data, methods under their names in the paper, judges and pictures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from cdlab import Problem, comparisons, datasets
from cdlab.comparisons import FirstCrossing
from cdlab.datasets import Derived, steps
from cdlab.plots import Curve, Panel

from .. import claims
from ..claims import PanelOutcome, RuleOutcome
from ..items import Case, Contender, GeneratedData
from ..judging import (
    CaseJudge,
    CasesJudge,
    ClaimJudge,
    Labels,
    RatioRule,
    across_cases,
    comparison_level,
    passes_ratio,
    reads,
    reads_as,
    require_decision,
)
from ..number_text import short_number
from ..results import CaseResult, Results, Undecided, by_tag, panel_of_each_case

LOSS = "smooth_hinge"  # gamma = 1
COVTYPE_ROWS, QUICK_ROWS, COVTYPE_R2 = 581_012, 29_050, 7.616
FIRST_LIMIT_PASSES = 100  # The first runs of Figures 1 and 2 have so many passes.
GAP_TOL = 5e-7  # Runs go on to this relative gap, where e = 1e-6 is judged.
COVTYPE, RCV1, NEWS = "covtype.binary", "rcv1.binary", "news20.binary"


def covtype01(rows: int = COVTYPE_ROWS) -> Derived:
    """Forest cover types, columns in [0, 1], rows as they are."""
    name = "covtype01" if rows == COVTYPE_ROWS else f"covtype01.{rows}"
    first = [] if rows == COVTYPE_ROWS else [steps.FirstRows(rows)]
    return Derived(name, COVTYPE, [steps.ColumnsToUnitInterval(), steps.Permute(seed=0), *first])


def text_set(name: str, split: str = "all", columns: int | None = None) -> Derived:
    """Text with rows of length 1; with `columns` only the most frequent words."""
    fewer = [] if columns is None else [steps.MostFrequentColumns(columns)]
    ending = "unit" if columns is None else f"{columns // 1000}k"
    return Derived(f"{name}.{ending}", name, [steps.Permute(seed=0), *fewer, steps.UnitRows()], split)


def reuters() -> Derived:
    """Reuters-21578, train rows."""
    return text_set("reuters21578.earnacq", "train")


def gaussian(n: int, d: int, spread: float = 0.0, noise: float = 0.1, scale: str = "mean") -> GeneratedData:
    """Dense normal rows with lognormal lengths."""
    recipe = f"datasets.make(n={n}, d={d}, row_spread={spread:g}, noise={noise:g}, seed=0)"
    make = partial(datasets.make, n=n, d=d, row_spread=spread, noise=noise, seed=0)
    return GeneratedData(f"gaussian, spread {spread:g}" if spread else "gaussian", make, recipe, scale)


# ------------------------------------------------------------ methods
# The figures of the paper show P(x_t) itself, not the better of two primal points.
SPDC = Contender("SPDC", "spdc", settings={"primal_point": "iterate"})
SDCA = Contender("SDCA", "sdca", "uniform")
AFG = Contender("AFG", "agd")
LBFGS = Contender("L-BFGS", "lbfgs", settings={"memory": 30})


def longest_sag_step(problem: Problem) -> dict[str, float]:
    """SAG's step 1/L, L the smoothness of one example's loss with the regulariser."""
    return {"step": 1 / (problem.beta * float(problem.row_profile.norms2.max()) + problem.l2)}


def batch_settings(m: int | None, factor: float = 3.0, level: float = 1e-6) -> Callable[[Problem], dict[str, Any]]:
    """SPDC's settings for batches of m (None: of all examples), its limit a multiple of the bound's passes."""

    def settings(problem: Problem) -> dict[str, Any]:
        size = problem.n if m is None else m
        bound = (1 + np.sqrt(problem.kappa * size / problem.n)) * np.log(1 / level)
        return {"batch_size": size, "max_passes": float(np.ceil(factor * bound))}

    return settings


# ------------------------------------------------------------ judges
def on_both_axes(a: Labels, b: Labels, rule: RatioRule, level: float | None = None) -> CaseJudge:
    """As `compare_passes`; the note says so where counting processed examples in place of passes would turn it."""

    @reads(a, b)
    def judge(result: CaseResult) -> tuple[RuleOutcome, str]:
        listed = [label for each in (a, b) for label in ([each] if isinstance(each, str) else each)]
        at = comparison_level(result, listed, level)
        outcome, other = (rule(passes_ratio(result, a, b, at, by)) for by in ("passes", "examples"))
        require_decision(outcome, at)
        turned = f"; by examples processed {short_number(other.value)}, which would turn it"
        return outcome, f"to e = {short_number(at)}{turned if other.holds not in (None, outcome.holds) else ''}"

    return judge


def within_first_limit(a: Labels, b: Labels, rule: RatioRule, by: str = "passes") -> CaseJudge:
    """As `compare_passes`, at the smallest supported level that a or b reaches within 100 passes.

    That was the limit of the first runs. Later records then say how many times the passes the slower one needs.
    """

    @reads(a, b)
    def judge(result: CaseResult) -> tuple[RuleOutcome, str]:
        labels = [label for each in (a, b) for label in ([each] if isinstance(each, str) else each)]
        comparison_level(result, labels)  # or it says why there is no level
        early = [
            level
            for level in result.supported_levels
            if any(result.reach(label, level).median[1] <= FIRST_LIMIT_PASSES for label in labels)
        ]
        if not early:
            raise Undecided(
                f"nobody reaches e = {short_number(result.supported_levels[0])} within {FIRST_LIMIT_PASSES} passes"
            )
        outcome = require_decision(rule(passes_ratio(result, a, b, early[-1], by)), early[-1])
        return outcome, f"to e = {short_number(early[-1])}, by {by}"

    return judge


def passes_slope(points: Mapping[float, FirstCrossing]) -> comparisons.Slope:
    """The growth of passes with x, of all seeds; every run must have arrived."""
    if late := [x for x, reached in points.items() if not np.all(np.isfinite(reached.high))]:
        raise Undecided(f"no slope: at {', '.join(map(short_number, late))} a run did not arrive")
    if len(points) < 2:
        raise Undecided("no slope: fewer than two points")
    x = np.concatenate([np.full(reached.high.size, value) for value, reached in points.items()])
    return comparisons.loglog_slope(x, np.concatenate([reached.high for reached in points.values()]))


def arrived_points(points: Mapping[float, FirstCrossing]) -> dict[float, FirstCrossing]:
    """The points at which every run arrived."""
    return {x: reached for x, reached in points.items() if np.all(np.isfinite(reached.high))}


def growth_in_kappa(label: str, exponent: float, level: float) -> Callable[[list[CaseResult]], tuple[RuleOutcome, str]]:
    """The passes of a method over cases that differ in kappa grow at most like kappa^exponent."""

    @reads(label)
    def judge(cases: list[CaseResult]) -> tuple[RuleOutcome, str]:
        for result in cases:
            comparison_level(result, [label], level)
        points = {result.tags["q"]: result.reach(label, level) for result in cases}
        there = arrived_points(points)
        late = [q for q in points if q not in there]
        note = f"to e = {short_number(level)}, kappa/n = {', '.join(map(short_number, there))}"
        if late:
            note += f"; it did not arrive at {', '.join(map(short_number, late))}"
        return claims.grows_at_most_like(passes_slope(there), exponent), note

    return judge


def across_cases_and_judges(named: Mapping[str, CasesJudge], by: str) -> ClaimJudge:
    """Several judges of the cases that share a tag: a panel is named by the judge and the tag."""
    judges = {name: across_cases(judge, by=by) for name, judge in named.items()}

    @reads_as(*judges.values())
    def judge_claim(results: Results) -> list[PanelOutcome]:
        return [
            replace(panel, panel=f"{name}, {panel.panel}") for name, judge in judges.items() for panel in judge(results)
        ]

    return judge_claim


# ------------------------------------------------------------ pictures
def error_panels(by: str = "passes", without: Sequence[str] = ()) -> Callable[[Results], list[Panel]]:
    """Make a drawing of P - P* against passes, or examples processed divided by n, of each case but some methods."""

    @panel_of_each_case
    def draw(result: CaseResult) -> Panel:
        n = result.conditions["n"] if by == "examples" else 1
        curves = [
            replace(curve, runs=[(np.asarray(x) / n, e) for x, e in curve.runs])
            for curve in result.labelled_curves(by, "P - P*")
            if curve.label not in without
        ]
        return Panel(curves, "", "passes" if by == "passes" else "examples processed / n", "P(w) - P*")

    return draw


def plot_against_kappa(
    results: Results, level: float, bounds: Mapping[str, Callable[[np.ndarray], np.ndarray]] | None = None
) -> Sequence[Panel]:
    """Passes to a level against kappa/n, a panel for each set of data, beside bounds times ln(1/level)."""
    measured = [result for result in results.where() if result.by_label and level in result.supported_levels]
    panels = []
    for name, cases in by_tag(measured, "data").items():
        labels = dict.fromkeys(label for result in cases for label in result.labels if result.by_label.get(label))
        curves = []
        for label in labels:
            there = [result for result in cases if result.by_label.get(label)]
            reached = {result.tags["q"]: result.reach(label, level) for result in there}
            curves.append(curve_over(label, there[0].side(label), reached))
        q = np.array([result.tags["q"] for result in cases], dtype=float)
        curves += [Curve(each, "", [(q, bound(q) * np.log(1 / level))]) for each, bound in (bounds or {}).items()]
        panels.append(
            Panel(curves, title=name, x_label="kappa/n", y_label=f"passes to e = {short_number(level)}", x_log=True)
        )
    return panels


def curve_over(label: str, side: str, reached: Mapping[float, FirstCrossing]) -> Curve:
    """Make a curve of passes over what they were measured for, a run for each seed; what draws nothing has one."""
    highs = [each.high for each in reached.values()]
    seeds = max((each.size for each in highs), default=0)
    return Curve(label, side, [(np.array(list(reached)), _of_seed(highs, k)) for k in range(seeds)])


def _of_seed(values: Sequence[np.ndarray], k: int) -> np.ndarray:
    return np.array([each[min(k, each.size - 1)] for each in values])


def case_at_kappa(data: Derived, name: str, q: float, R2: float, **more: Any) -> Case:
    """A case with kappa/n = q, R2 the largest squared row norm."""
    tags = {"q": q, "data": name}
    return Case(f"{name}, kappa/n = {q:g}", data, LOSS, l2=f"{R2 / q:.12g}/n", tags=tags, **more)
