"""What the items of the slides share: data in place of CCAT, contenders, judges of what a run ends with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from ...comparisons import claims, linearity
from ...comparisons.claims import Outcome
from ...datasets import Derived, steps
from ...plots.panels import Panel
from ..cases import Case, Contender
from ..found import Found, Results
from ..judging import Judge, fact

PAPER = "slides"
CCAT = "CCAT"
IN_ORDER = (steps.Permute(seed=0), steps.UnitRows())
REUTERS = Derived("reuters", "reuters21578.earnacq", IN_ORDER, "parts")
NEWS = Derived("news20.train", "news20.unigram", IN_ORDER, "parts")
L2N = {"1e-6": 0.781, "1e-5": 7.81, "1e-4": 78.1}  # the paper's lambda times CCAT's n

SDCA = Contender("SDCA", "sdca", "uniform")
PERMUTED = Contender("SDCA, permutation", "sdca", "permutation")
SGD = tuple(Contender(f"SGD, {name}", "sgd", "uniform", {"average": name if name != "last" else None})
            for name in ("all", "half", "last"))  # fmt: skip
SGD_LABELS = [each.label for each in SGD]


def ccat(data: Derived, paper_l2: str, loss: Any, name: str = "", **options: Any) -> Case:
    """A case that stands for CCAT, with the paper's lambda as l2 n."""
    text = name or f"{data.name}, lambda = {paper_l2}"
    tags = {"data": data.name, "lambda": paper_l2, **options.pop("tags", {})}
    return Case(text, data, loss, f"{L2N[paper_l2]}/n", stands_for=CCAT, tags=tags, **options)


def ends_below(a: str, b: Sequence[str], share: float) -> Judge:
    """The error of a at its end is at most a share of the smallest of some others', in the median over seeds."""

    def judge(found: Found) -> tuple[Outcome, str]:
        size = found.optimum.at_zero - found.optimum.primal
        best = min(b, key=lambda label: float(np.median(found.last(label))))
        shares = (found.last(a) + found.optimum.certificate / size) / found.last(best)
        middle = float(np.median(shares))
        outcome = Outcome(middle <= share, f"share <= {share:g}", middle, shares.min(), shares.max(),
                          bool(shares.min() < share < shares.max()), threshold=share)  # fmt: skip
        return outcome, f"e of {a} divided by e of {best} at the end, with what P* may be wrong by"

    return judge


def straight(label: str) -> Judge:
    """Linear convergence."""

    def judge(found: Found) -> tuple[Outcome, str]:
        values = [linearity(x, e) for x, e in found.curves(label)]
        return claims.converges_linearly(values), f"R^2 of {label}, 1e-1 >= e >= 1e-8"

    return judge


def gap_bounds(label: str) -> Judge:
    """P - D is at least P - P* at every record: D is never above the smallest known P."""

    def judge(found: Found) -> tuple[Outcome, str]:
        excess = max(float(trace.column("dual").max()) for trace in found.traces(label)) - found.optimum.primal
        return fact(excess <= 1e-12 * found.optimum.at_zero, "largest D - P* <= 0", excess), f"of {label}"

    return judge


def errors(by: str = "passes", column: str = "", y_label: str = "e") -> Callable[[Results], Sequence[Panel]]:
    """A panel for each case."""

    def draw(results: Results) -> Sequence[Panel]:
        return [
            Panel(drawn, title=found.name, x_label=by, y_label=y_label, levels=() if column else results.item.levels)
            for found in results.founds.values()
            if (drawn := found.drawn(by, column))
        ]

    return draw
