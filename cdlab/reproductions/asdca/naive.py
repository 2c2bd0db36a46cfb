"""The claim about naive mini-batches, beside methods that take batches safely."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...comparisons.claims import Outcome
from ...datasets import Derived, steps
from ...methods.asdca import ASDCA
from ...methods.quartz import Quartz
from ...methods.spdc import SPDC
from ...plots.panels import Curve, Panel
from ..cases import Case, Contender
from ..found import Found, NotRun, Results, Undecided
from ..items import Claim, Item, Picture
from ..judging import fact, together
from . import parts
from .naive_sdca import NaiveSDCA
from .parts import LOSS, REUTERS

LEVEL, STOP, LARGE = 1e-3, 1e6, 10.0
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256)
COVTYPE = Derived("covtype01/100", "covtype", [
    steps.PositiveClasses((2.0,)), steps.Permute(seed=0), steps.FirstRows(5_810), steps.ColumnsToUnitInterval()
])  # fmt: skip
SAFE = {"tau-nice": Quartz, "ASDCA": ASDCA, "SPDC": SPDC}


def _naive(m: int) -> str:
    return f"naive, m = {m}"


CONTENDERS = [
    *(Contender(_naive(m), NaiveSDCA(batch_size=m), "uniform", {"divergence_tol": STOP}) for m in SIZES),
    *(Contender(f"{name}, m = {m}", cls(batch_size=m), "uniform") for name, cls in SAFE.items() for m in SIZES[::2]),
]


def growth(found: Found, m: int) -> float:
    """Iterations to a level with batches of m divided by those with single examples; inf where it diverges."""
    ends = [trace.column("primal")[-1] / found.optimum.at_zero for trace in found.traces(_naive(m))]
    if not np.median(np.nan_to_num(ends, nan=np.inf)) <= LARGE:
        return np.inf
    one, many = (found.reach(_naive(k), LEVEL, "iteration") for k in (1, m))
    if not one.reached:
        raise Undecided(f"single examples did not reach e = {LEVEL:g}")
    return many.median[0] / one.median[1]


def _hurts(founds: list[Found]) -> tuple[Outcome, str]:
    grown = {f"{found.name}, m = {m}": growth(found, m) for found in founds for m in SIZES[1:]}
    worst = max(grown, key=lambda name: grown[name])
    return fact(grown[worst] > 1, "iterations / those of m = 1 > 1", grown[worst]), f"largest at {worst}"


def _iterations(results: Results) -> Sequence[Panel]:
    drawn = []
    for found in results.founds.values():
        curves = []
        for name in ("naive", *SAFE):
            sizes = [m for m in SIZES if f"{name}, m = {m}" in found.labels]
            try:
                reached = [found.reach(f"{name}, m = {m}", LEVEL, "iteration").median[1] for m in sizes]
            except NotRun:
                continue
            curves.append(Curve(name, "dual", [(np.array(sizes, float), np.array(reached))]))
        drawn.append(Panel(curves, found.name, "m", f"iterations to e = {LEVEL:g}", x_log=True))
    return drawn if any(panel.curves for panel in drawn) else []


NAIVE = Item(
    "asdca-naive", parts.PAPER, "naive mini-batches",
    shows="Takac et al.: naive mini-batching may increase the number of iterations.",
    here="SDCA's own steps for all examples of a batch, added, on l2 = 1/n and the smoothed hinge; tau-nice quartz, "
        "ASDCA and SPDC beside it. The naive method is in this item only.",
    cases=[
        Case("covtype01/100", COVTYPE, LOSS, stands_for="a set of the paper"),
        Case("reuters", REUTERS, LOSS, stands_for="a set of the paper"),
    ],
    contenders=CONTENDERS,
    max_passes=200, levels=(1e-1, 1e-2, LEVEL), tol=LEVEL / 2,
    claims=[
        Claim("C1", "naive mini-batching may increase the iterations", "some m > 1 needs more iterations to e = 1e-3 "
              "than m = 1, or diverges (P > 10 P(0) at the end), on some set", together(_hurts, name="all sets")),
        Claim("C2", "on a GPU a batch of 100 may take the time of one of 10", "none", why="The introduction says it "
              "in general and names no experiment; it needs a GPU."),
    ],
    pictures=[Picture(_iterations, columns=2, caption="Where a point is missing, e = 1e-3 was not reached.")],
    seconds=(40, 60),
)  # fmt: skip

ITEMS = (NAIVE,)
