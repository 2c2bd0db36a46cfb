"""What the items of the face-off share: data, the two contenders, predictions beside what was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from cdlab import Problem, comparisons, datasets, faceoff
from cdlab.datasets import Derived, steps
from cdlab.plots import Curve, Panel

from .. import claims
from ..claims import RuleOutcome
from ..items import Case, Contender, GeneratedData, Table
from ..judging import CaseJudge, ClaimJudge, comparison_level, in_each_reading, passes_ratio, reads, require_decision
from ..number_text import reach_text, short_number
from ..results import P_ABOVE_OPTIMUM, CaseResult, NotRun, Results, Undecided, case_panels

RCD = Contender("rcd", "rcd", "importance")
QUARTZ = Contender("quartz", "quartz", "importance", {"step": "fixed"})
RCD_UNIFORM = Contender("rcd, uniform", "rcd", "uniform")
QUARTZ_UNIFORM = Contender("quartz, uniform", "quartz", "uniform", QUARTZ.settings)
BOTH_SAMPLINGS = [RCD, QUARTZ, RCD_UNIFORM, QUARTZ_UNIFORM]
SETS = ("mushrooms", "w8a", "reuters21578.earnacq", "rcv1_vw1000", "news20.unigram", "news20.bigram")
MEASURED_LEVELS = (1e-4, 1e-6, 1e-8)


class SamplingPair(NamedTuple):
    """rcd and quartz with one sampling: their labels, and the facts that predict them."""

    rcd: str
    quartz: str
    predicted: str
    table: str


IMPORTANCE = SamplingPair("rcd", "quartz", "T_P/T_D", "table")
UNIFORM = SamplingPair("rcd, uniform", "quartz, uniform", "T_P/T_D, uniform", "table, uniform")


def with_both_samplings(judges: Callable[[SamplingPair], ClaimJudge]) -> ClaimJudge:
    """A rule with each of the two samplings: the paper's section of experiments names none."""
    return in_each_reading({"importance": judges(IMPORTANCE), "uniform": judges(UNIFORM)})


def known_set(name: str, split: str = "all") -> Derived:
    """A known data set in random order, divided by its mean row norm."""
    return Derived(f"{name}.mean", name, [steps.Permute(seed=0), steps.MeanRowNormOne()], split)


def known_sets(*names: str) -> list[Case]:
    """Leukemia, and these."""
    return [Case("leu", known_set("leu", "train")), *(Case(name, known_set(name)) for name in names)]


def arrow(d: int, n: int, b: float, seed: int) -> GeneratedData:
    """An arrow matrix with one example that has every feature: the dual's worst case."""
    recipe = f"datasets.arrow(d={d}, n={n}, a=1, b={b:g}, c=1, seed={seed})"
    return GeneratedData("arrow", lambda: datasets.arrow(d, n, 1.0, b, 1.0, seed), recipe, scale="mean")


def worst_dual(d: int, n: int, nnz: int, seed: int) -> GeneratedData:
    """The binary matrix that is worst for the dual."""
    recipe = f"datasets.worst_dual(d={d}, n={n}, alpha={nnz}, seed={seed})"
    return GeneratedData("worst_dual", lambda: datasets.worst_dual(d, n, nnz, seed), recipe, scale="mean")


def gaussian(d: int, n: int, density: float) -> GeneratedData:
    """Independent normal entries."""
    recipe = f"datasets.make(n={n}, d={d}, density={density:g}, seed=0)"
    return GeneratedData("gaussian", lambda: datasets.make(n=n, d=d, density=density, seed=0), recipe, scale="mean")


def predicted_ratios(problem: Problem) -> dict[str, Any]:
    """T_P/T_D with the loss's own beta, and as in the paper's Table 1, for both samplings; and C_P/C_D.

    With uniform sampling T_P = nnz max_j (1 + beta/(l2 n) ||X_:j||^2), and T_D likewise.
    """
    f = faceoff(problem)
    totals = f.table()["T"]
    ends = [1 + float(profile.norms2.max()) for profile in (problem.column_profile, problem.row_profile)]
    return {
        "T_P/T_D": f.ratio,
        "table": f.ratio_table,
        "C_P/C_D": f.C_P / f.C_D,
        "T_P/T_D, uniform": totals["primal", "uniform"] / totals["dual", "uniform"],
        "table, uniform": ends[0] / ends[1],
    }


def primal_faster(rule: Callable[[Any], RuleOutcome], below: float, pair: SamplingPair) -> CaseJudge:
    """rcd against quartz where T_P/T_D is below a threshold; elsewhere it is not judged."""

    @reads(pair.rcd, pair.quartz)
    def judge(result: CaseResult) -> tuple[RuleOutcome, str]:
        ratio = result.facts[pair.predicted]
        if ratio >= below:
            raise Undecided(f"T_P/T_D = {short_number(ratio)}, not below {below:g}")
        at = comparison_level(result, [pair.rcd, pair.quartz])
        outcome = require_decision(rule(passes_ratio(result, pair.rcd, pair.quartz, at)), at)
        return outcome, f"quartz/rcd to e = {short_number(at)}, T_P/T_D = {short_number(ratio)}"

    return judge


def as_predicted(factor: float, level: float, by: Callable[[CaseResult], float], pair: SamplingPair) -> CaseJudge:
    """The measured ratio rcd/quartz is within a factor of a prediction of it."""

    @reads(pair.rcd, pair.quartz)
    def judge(result: CaseResult) -> tuple[RuleOutcome, str]:
        expected = by(result)
        at = comparison_level(result, [pair.rcd, pair.quartz], level)
        ratio = passes_ratio(result, pair.quartz, pair.rcd, at)
        outcome = require_decision(claims.between(ratio, expected / factor, expected * factor), at)
        return outcome, f"measured rcd/quartz to e = {short_number(at)}, predicted {short_number(expected)}"

    return judge


def where_largest(
    rule: Callable[[Any], RuleOutcome], pair: SamplingPair
) -> Callable[[list[CaseResult]], tuple[RuleOutcome, str]]:
    """A rule on quartz/rcd in the panel where that is largest: for claims that hold somewhere."""

    @reads(pair.rcd, pair.quartz)
    def judge(cases: list[CaseResult]) -> tuple[RuleOutcome, str]:
        ratios = {}
        for result in cases:
            at = comparison_level(result, [pair.rcd, pair.quartz])
            ratios[f"{result.name}, to e = {short_number(at)}"] = passes_ratio(result, pair.rcd, pair.quartz, at)
        best = max(ratios, key=lambda name: ratios[name].median[0])
        return rule(ratios[best]), f"quartz/rcd, largest at {best}"

    return judge


plot_errors = case_panels(column=P_ABOVE_OPTIMUM)
plot_errors_log_passes = case_panels(column=P_ABOVE_OPTIMUM, x_log=True)  # one side needs tens of times the other


def plot_errors_over_labels(results: Results) -> Sequence[Panel]:
    """P - P* with a panel for each matrix: the runs with all draws of its labels are one curve in a band."""
    by_matrix: dict[str, dict[str, Curve]] = {}
    for result in results.cases.values():
        curves = by_matrix.setdefault(result.name.partition(", labels")[0], {})
        for curve in result.labelled_curves(column=P_ABOVE_OPTIMUM):
            runs = curves[curve.label].runs if curve.label in curves else []
            curves[curve.label] = replace(curve, runs=[*runs, *curve.runs])
    return [
        Panel(list(curves.values()), title=name, x_label="passes", y_label="P(w) - P*", x_log=True)
        for name, curves in by_matrix.items()
        if curves
    ]


def prediction_table(results: Results) -> list[Table]:
    """Predicted and measured rcd/quartz, to the levels that P* supports, with the samplings that ran."""
    cases = [result for result in results.cases.values() if not result.plan.missing]
    rows = [
        _prediction_row(result, pair) for result in cases for pair in (IMPORTANCE, UNIFORM) if pair.rcd in result.labels
    ]
    columns = ["problem", "sampling", "C_P/C_D", "T_P/T_D, beta = 1/4", "beta/(l2 n) = 1"]
    measured = [f"measured to {short_number(level)}" for level in MEASURED_LEVELS]
    return [Table("Predicted and measured passes of rcd divided by those of quartz", [*columns, *measured], rows)]


def _prediction_row(result: CaseResult, pair: SamplingPair) -> list[Any]:
    facts, name = result.facts, "importance" if pair is IMPORTANCE else "uniform"
    row = [result.name, name, facts["C_P/C_D"], facts[pair.predicted], facts[pair.table]]
    return [*row, *(_measured_text(result, pair, level) for level in MEASURED_LEVELS)]


def _measured_text(result: CaseResult, pair: SamplingPair, level: float) -> str:
    try:
        if level not in result.supported_levels:
            return "P* too uncertain"
        ratio = passes_ratio(result, pair.quartz, pair.rcd, level)
    except NotRun:
        return "not run"
    low, high = ratio.median
    return (
        reach_text(comparisons.FirstCrossing(ratio.lows, ratio.highs))
        if low == high
        else f"{short_number(low)} to {short_number(high)}"
    )
