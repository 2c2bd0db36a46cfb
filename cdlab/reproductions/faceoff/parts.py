"""What the items of the face-off share: data, the two contenders, predictions beside what was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from ... import comparisons, datasets
from ...comparisons import claims
from ...comparisons.claims import Outcome
from ...datasets import Derived, steps
from ...faceoffs import faceoff
from ...plots.panels import Panel
from ...problems.problem import Problem
from ..cases import Case, Contender, Made
from ..found import Found, NotRun, Results, Undecided
from ..items import Table
from ..judging import Judge, judged_at, ratio_at, scaled
from ..wording import passes, short

PAPER = "faceoff"
RCD = Contender("rcd", "rcd", "importance")
QUARTZ = Contender("quartz", "quartz", "importance", {"step": "fixed"})
SETS = ("mushrooms", "w8a", "reuters21578.earnacq", "rcv1_vw1000", "news20.unigram", "news20.bigram")
MEASURED_AT = (1e-4, 1e-6, 1e-8)


def real(name: str, split: str = "all") -> Derived:
    """A known data set in random order, divided by its mean row norm."""
    return Derived(f"{name}.mean", name, [steps.Permute(seed=0), steps.MeanRowNormOne()], split)


def whole_sets(*names: str) -> list[Case]:
    """Leukemia, and these."""
    return [Case("leu", real("leu", "train")), *(Case(name, real(name)) for name in names)]


def arrow(d: int, n: int, b: float, seed: int) -> Made:
    """An arrow matrix with one example that has every feature: the dual's worst case."""
    recipe = f"datasets.arrow(d={d}, n={n}, a=1, b={b:g}, c=1, seed={seed})"
    return Made("arrow", lambda: datasets.arrow(d, n, 1.0, b, 1.0, seed), recipe, scale="mean")


def worst_dual(d: int, n: int, nnz: int, seed: int) -> Made:
    """The binary matrix that is worst for the dual."""
    recipe = f"datasets.worst_dual(d={d}, n={n}, alpha={nnz}, seed={seed})"
    return Made("worst_dual", lambda: datasets.worst_dual(d, n, nnz, seed), recipe, scale="mean")


def gaussian(d: int, n: int, density: float) -> Made:
    """Independent normal entries."""
    recipe = f"datasets.make(n={n}, d={d}, density={density:g}, seed=0)"
    return Made("gaussian", lambda: datasets.make(n=n, d=d, density=density, seed=0), recipe, scale="mean")


def predicted(problem: Problem) -> dict[str, Any]:
    """T_P/T_D with the loss's own beta, and as in the paper's Table 1, with C_P/C_D."""
    f = faceoff(problem)
    return {"T_P/T_D": f.ratio, "table": f.ratio_table, "C_P/C_D": f.C_P / f.C_D}


def primal_faster(rule: Callable[[Any], Outcome], below: float, level: float | None = None) -> Judge:
    """rcd against quartz where T_P/T_D is below a threshold; elsewhere it is not judged."""

    def judge(found: Found) -> tuple[Outcome, str]:
        ratio = found.facts["T_P/T_D"]
        if ratio >= below:
            raise Undecided(f"T_P/T_D = {short(ratio)}, not below {below:g}")
        at = judged_at(found, ["rcd", "quartz"], level)
        outcome = rule(ratio_at(found, "rcd", "quartz", at))
        if outcome.holds is None:
            raise Undecided(f"the runs ended before e = {short(at)} decided it")
        return outcome, f"quartz/rcd to e = {short(at)}, T_P/T_D = {short(ratio)}"

    return judge


def as_predicted(factor: float, level: float, by: Callable[[Found], float]) -> Judge:
    """The measured ratio rcd/quartz divided by a prediction of it, within a factor."""

    def judge(found: Found) -> tuple[Outcome, str]:
        expected = by(found)
        at = judged_at(found, ["rcd", "quartz"], level)
        outcome = claims.within(scaled(ratio_at(found, "quartz", "rcd", at), expected), factor)
        if outcome.holds is None:
            raise Undecided(f"the runs ended before e = {short(at)} decided it")
        return outcome, f"measured rcd/quartz to e = {short(at)} divided by {short(expected)}"

    return judge


def largest(rule: Callable[[Any], Outcome]) -> Callable[[list[Found]], tuple[Outcome, str]]:
    """A rule on quartz/rcd in the panel where that is largest: for claims that hold somewhere."""

    def judge(founds: list[Found]) -> tuple[Outcome, str]:
        ratios = {}
        for found in founds:
            at = judged_at(found, ["rcd", "quartz"])
            ratios[f"{found.name}, to e = {short(at)}"] = ratio_at(found, "rcd", "quartz", at)
        best = max(ratios, key=lambda name: ratios[name].median[0])
        return rule(ratios[best]), f"quartz/rcd, largest at {best}"

    return judge


def curves(results: Results) -> Sequence[Panel]:
    """P - P* against passes, a panel for each case."""
    return [
        Panel(drawn, title=found.name, x_label="passes", y_label="P(w) - P*")
        for found in results.founds.values()
        if (drawn := found.drawn(column="P - P*"))
    ]


def on_log_passes(results: Results) -> Sequence[Panel]:
    """The same with passes on a logarithmic axis, where one side needs tens of times those of the other."""
    return [replace(panel, x_log=True) for panel in curves(results)]


def predictions(results: Results) -> list[Table]:
    """Predicted and measured rcd/quartz, to the levels that P* supports."""
    rows = [_row(found) for found in results.founds.values() if not found.plan.missing]
    columns = ["problem", "C_P/C_D", "T_P/T_D, beta/(l2 n) = 1/4", "beta/(l2 n) = 1"]
    measured = [f"measured to {short(level)}" for level in MEASURED_AT]
    return [Table("Predicted and measured passes of rcd divided by those of quartz", [*columns, *measured], rows)]


def _row(found: Found) -> list[Any]:
    facts = found.facts
    return [found.name, facts["C_P/C_D"], facts["T_P/T_D"], facts["table"], *(_measured(found, e) for e in MEASURED_AT)]


def _measured(found: Found, level: float) -> str:
    try:
        if level not in found.supported:
            return "P* too uncertain"
        ratio = ratio_at(found, "quartz", "rcd", level)
    except NotRun:
        return "not run"
    low, high = ratio.median
    return passes(comparisons.Reach(ratio.lows, ratio.highs)) if low == high else f"{short(low)} to {short(high)}"
