"""The claim of the face-off that importance sampling is always better, by the bounds and as measured."""

from __future__ import annotations

from typing import Any

from ...comparisons import claims
from ...comparisons.claims import Outcome
from ...faceoffs import faceoff
from ...plots.panels import Panel
from ...problems.problem import Problem
from ..amendments import OF_RUNS, Marked
from ..found import Found
from ..items import Claim, Item, Picture
from ..judging import compared, fact, panelwise_of
from . import bounds, parts

SIDES = {"rcd": "primal", "quartz": "dual"}
SAMPLINGS = {"rcd": ("rcd", "rcd, uniform"), "quartz": ("quartz", "quartz, uniform")}


def _bound_ratios(problem: Problem) -> dict[str, Any]:
    totals = faceoff(problem).table()["T"]
    return {name: totals[side, "uniform"] / totals[side, "importance"] for name, side in SIDES.items()}


def _by_bound(side: str) -> Any:
    def judge(found: Found) -> tuple[Outcome, str]:
        ratio = found.facts[side]
        return fact(
            ratio >= 1 - bounds.ROUNDING, "ratio >= 1", ratio, threshold=1.0
        ), "T with uniform sampling divided by T"

    return judge


SAMPLING = Item(
    "faceoff-sampling", parts.PAPER, "importance sampling",
    shows="Importance sampling is always better than uniform sampling, also in total complexity.",
    here="Bounds of both, and both measured, for rcd and quartz on five sets.",
    cases=parts.whole_sets(*parts.SETS[:4]),
    contenders=[
        parts.RCD, parts.RCD_UNIFORM, parts.QUARTZ, parts.QUARTZ_UNIFORM,
    ],
    max_passes={"quick": 200, "full": 1000},
    facts=_bound_ratios,
    claims=[
        Claim(
            "C1", "importance sampling is always better (bounds)", "T is at most T with uniform sampling",
            panelwise_of({side: _by_bound(side) for side in SAMPLINGS}),
        ),
        Claim(
            "C2", "importance sampling is always better (measured)",
            "uniform sampling needs at least 1/1.1 times the passes to e = 1e-6",
            panelwise_of({side: compared(*pair, claims.not_slower, 1e-6) for side, pair in SAMPLINGS.items()}),
            why="On w8a rcd took 725 passes with importance sampling and 225 without, where the bounds promise a "
                "third. "
            "A draw by importance visits 2.9 times the nonzeros of a uniform one there, and the rarer half of the "
            "features gets 5% of the draws; whether that is the cause was not tested. On leu both are level for "
            "rcd by the bound, and importance took 1.13 times the passes.",
            amendment=Marked(OF_RUNS, "The paper says it of bounds, which are C1."),
        ),
    ],
    pictures=[Picture(lambda results: [
        Panel(found.drawn(), title=found.name, x_label="passes", y_label="e", levels=results.item.levels)
        for found in results.founds.values() if found.drawn()
    ])],
    notes=["In quick runs rcd does not arrive at 1e-6 on mushrooms and w8a, and they are not judged."],
    seconds=(40, 120),
)  # fmt: skip

ITEMS = (SAMPLING,)
