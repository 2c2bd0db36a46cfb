"""What the items of the face-off share: data, the two contenders, predictions beside what was measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from ... import comparisons, datasets
from ...comparisons import claims
from ...comparisons.claims import Outcome
from ...datasets import Derived, steps
from ...faceoffs import faceoff
from ...plots.panels import Panel
from ...problems.problem import Problem
from ..amendments import Judges
from ..cases import Case, Contender, Made
from ..found import Found, NotRun, Results, Undecided
from ..items import Table
from ..judging import Judge, judged_at, ratio_at
from ..wording import passes, short

PAPER = "faceoff"
RCD = Contender("rcd", "rcd", "importance")
QUARTZ = Contender("quartz", "quartz", "importance", {"step": "fixed"})
RCD_UNIFORM = Contender("rcd, uniform", "rcd", "uniform")
QUARTZ_UNIFORM = Contender("quartz, uniform", "quartz", "uniform", QUARTZ.settings)
BOTH_SAMPLINGS = [RCD, QUARTZ, RCD_UNIFORM, QUARTZ_UNIFORM]
SETS = ("mushrooms", "w8a", "reuters21578.earnacq", "rcv1_vw1000", "news20.unigram", "news20.bigram")
MEASURED_AT = (1e-4, 1e-6, 1e-8)


class Pair(NamedTuple):
    """rcd and quartz with one sampling: their labels, and the facts that predict them."""

    rcd: str
    quartz: str
    predicted: str
    table: str


IMPORTANCE = Pair("rcd", "quartz", "T_P/T_D", "table")
UNIFORM = Pair("rcd, uniform", "quartz, uniform", "T_P/T_D, uniform", "table, uniform")
NO_SAMPLING = (
    "the text names no sampling in its section of experiments, so both are judged (optimal sampling stands "
    "in the theory before it)."
)


def readings(judges: Callable[[Pair], Judges]) -> dict[str, Judges]:
    """A rule with each of the two samplings."""
    return {"importance": judges(IMPORTANCE), "uniform": judges(UNIFORM)}


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
    """T_P/T_D with the loss's own beta, and as in the paper's Table 1, for both samplings; and C_P/C_D.

    With uniform sampling T_P = nnz max_j (1 + beta/(l2 n) ||X_:j||^2), and T_D likewise.
    """
    f = faceoff(problem)
    totals = f.table()["T"]
    ends = [1 + float(profile.norms2.max()) for profile in (problem.column_profile, problem.row_profile)]
    return {
        "T_P/T_D": f.ratio, "table": f.ratio_table, "C_P/C_D": f.C_P / f.C_D,
        "T_P/T_D, uniform": totals["primal", "uniform"] / totals["dual", "uniform"],
        "table, uniform": ends[0] / ends[1],
    }  # fmt: skip


def primal_faster(
    rule: Callable[[Any], Outcome], below: float, level: float | None = None, pair: Pair = IMPORTANCE
) -> Judge:
    """rcd against quartz where T_P/T_D is below a threshold; elsewhere it is not judged."""

    def judge(found: Found) -> tuple[Outcome, str]:
        ratio = found.facts[pair.predicted]
        if ratio >= below:
            raise Undecided(f"T_P/T_D = {short(ratio)}, not below {below:g}")
        at = judged_at(found, [pair.rcd, pair.quartz], level)
        outcome = rule(ratio_at(found, pair.rcd, pair.quartz, at))
        if outcome.holds is None:
            raise Undecided(f"the runs ended before e = {short(at)} decided it")
        return outcome, f"quartz/rcd to e = {short(at)}, T_P/T_D = {short(ratio)}"

    return judge


def as_predicted(factor: float, level: float, by: Callable[[Found], float], pair: Pair = IMPORTANCE) -> Judge:
    """The measured ratio rcd/quartz is within a factor of a prediction of it."""

    def judge(found: Found) -> tuple[Outcome, str]:
        expected = by(found)
        at = judged_at(found, [pair.rcd, pair.quartz], level)
        outcome = claims.between(ratio_at(found, pair.quartz, pair.rcd, at), expected / factor, expected * factor)
        if outcome.holds is None:
            raise Undecided(f"the runs ended before e = {short(at)} decided it")
        return outcome, f"measured rcd/quartz to e = {short(at)}, predicted {short(expected)}"

    return judge


def largest(rule: Callable[[Any], Outcome], pair: Pair = IMPORTANCE) -> Callable[[list[Found]], tuple[Outcome, str]]:
    """A rule on quartz/rcd in the panel where that is largest: for claims that hold somewhere."""

    def judge(founds: list[Found]) -> tuple[Outcome, str]:
        ratios = {}
        for found in founds:
            at = judged_at(found, [pair.rcd, pair.quartz])
            ratios[f"{found.name}, to e = {short(at)}"] = ratio_at(found, pair.rcd, pair.quartz, at)
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
    """Predicted and measured rcd/quartz, to the levels that P* supports, with the samplings that ran."""
    founds = [found for found in results.founds.values() if not found.plan.missing]
    rows = [_row(found, pair) for found in founds for pair in (IMPORTANCE, UNIFORM) if pair.rcd in found.labels]
    columns = ["problem", "sampling", "C_P/C_D", "T_P/T_D, beta = 1/4", "beta/(l2 n) = 1"]
    measured = [f"measured to {short(level)}" for level in MEASURED_AT]
    return [Table("Predicted and measured passes of rcd divided by those of quartz", [*columns, *measured], rows)]


def _row(found: Found, pair: Pair) -> list[Any]:
    facts, name = found.facts, "importance" if pair is IMPORTANCE else "uniform"
    told = [found.name, name, facts["C_P/C_D"], facts[pair.predicted], facts[pair.table]]
    return [*told, *(_measured(found, pair, level) for level in MEASURED_AT)]


def _measured(found: Found, pair: Pair, level: float) -> str:
    try:
        if level not in found.supported:
            return "P* too uncertain"
        ratio = ratio_at(found, pair.quartz, pair.rcd, level)
    except NotRun:
        return "not run"
    low, high = ratio.median
    return passes(comparisons.Reach(ratio.lows, ratio.highs)) if low == high else f"{short(low)} to {short(high)}"
