"""What the items of the slides share: data in place of CCAT, contenders, judges of what a run ends with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cdlab.datasets import Derived, steps

from .. import claims
from ..claims import RuleOutcome, decide
from ..items import Case, Contender
from ..judging import CaseJudge, reads
from ..results import CaseResult

CCAT = "CCAT"
SHUFFLED_UNIT = (steps.Permute(seed=0), steps.UnitRows())
REUTERS = Derived("reuters", "reuters21578.earnacq", SHUFFLED_UNIT, "parts")
NEWS = Derived("news20.train", "news20.unigram", SHUFFLED_UNIT, "parts")
L2_TIMES_N = {"1e-6": 0.781, "1e-5": 7.81, "1e-4": 78.1}  # These are the paper's lambda times CCAT's n.

SDCA = Contender("SDCA", "sdca", "uniform")
PERMUTED = Contender("SDCA, permutation", "sdca", "permutation")
SGD = tuple(
    Contender(f"SGD, {name}", "sgd", "uniform", {"average": name if name != "last" else None})
    for name in ("all", "half", "last")
)
SGD_LABELS = [each.label for each in SGD]


def ccat_case(data: Derived, paper_l2: str, loss: Any, name: str = "", **options: Any) -> Case:
    """A case that stands for CCAT, with the paper's lambda as l2 n."""
    text = name or f"{data.name}, lambda = {paper_l2}"
    tags = {"data": data.name, "lambda": paper_l2, **options.pop("tags", {})}
    return Case(text, data, loss, f"{L2_TIMES_N[paper_l2]}/n", stands_for=CCAT, tags=tags, **options)


def ends_below(a: str, b: Sequence[str], share: float) -> CaseJudge:
    """The error of a at its end is at most a share of the smallest of some others', in the median over seeds."""

    @reads(a, b)
    def judge(result: CaseResult) -> tuple[RuleOutcome, str]:
        size = result.optimum.at_zero - result.optimum.primal
        best = min(b, key=lambda label: float(np.median(result.final_values(label))))
        shares = (result.final_values(a) + result.optimum.certificate / size) / result.final_values(best)
        outcome = claims.of_values(shares, bool(np.median(shares) <= share), f"share <= {share:g}", share)
        return outcome, f"e of {a} divided by e of {best} at the end, with what P* may be wrong by"

    return judge


def gap_is_bound(label: str) -> CaseJudge:
    """P - D is at least P - P* at every record: D is never above the smallest known P."""

    @reads(label)
    def judge(result: CaseResult) -> tuple[RuleOutcome, str]:
        excess = max(float(trace.column("dual").max()) for trace in result.traces(label)) - result.optimum.primal
        return decide(excess <= 1e-12 * result.optimum.at_zero, "largest D - P* <= 0", excess), f"of {label}"

    return judge
