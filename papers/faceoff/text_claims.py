"""The claim of the face-off about dense data: it is exactly n against d."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from cdlab import Problem, faceoff

from .. import claims
from ..claims import RuleOutcome, decide
from ..items import Case, Claim, Item, Picture
from ..judging import compare_passes, comparison_level, passes_ratio, per_case, per_case_and_judge, reads
from ..number_text import short_number
from ..results import CaseResult, Undecided, case_panels
from . import matrices, parts

SHAPES = ((50, 500), (200, 200), (500, 50), (100, 1000), (1000, 100))


def _case(d: int, n: int, density: float, l2: str, judged: bool) -> Case:
    return Case(
        f"{d} x {n}, density {density:g}, l2 = {l2}",
        parts.gaussian(d, n, density),
        l2=l2,
        judged=judged,
        modes=("quick", "full") if judged else ("full",),
        tags={"d": d, "n": n, "density": density},
    )


def _ratio_as_shaped(result: CaseResult) -> tuple[RuleOutcome, str]:
    d, n, density = (result.tags[name] for name in ("d", "n", "density"))
    expected = (1 + (n - 1) * density) / (1 + (d - 1) * density)
    share = result.facts["C_P/C_D"] / expected
    return decide(abs(share - 1) <= 0.1, "within 10%", share), f"C_P/C_D divided by {expected:.3g}"


def _ratio_as_shaped_and_signed(result: CaseResult) -> tuple[RuleOutcome, str]:
    outcome, note = _ratio_as_shaped(result)
    d, n, ratio = result.tags["d"], result.tags["n"], result.facts["C_P/C_D"]
    if d == n:
        return outcome, f"{note}; d = n: no side is favoured"
    signed = bool((ratio > 1) == (n > d))
    sides = ("C_P > C_D", "n > d") if n > d else ("C_D > C_P", "d > n")
    return replace(
        outcome, holds=outcome.holds and signed
    ), f"{note}; {sides[0]} {'as' if signed else 'fails though'} {sides[1]}"


@reads("rcd", "quartz")
def _favoured_side_ahead(result: CaseResult) -> tuple[RuleOutcome, str]:
    """The side that T_P/T_D favours, by both conventions of beta, is ahead."""
    own, table = (short_number(result.facts[name]) for name in ("T_P/T_D", "table"))
    ratios = [result.facts["T_P/T_D"], result.facts["table"]]
    if not (min(ratios) >= claims.FASTER_RATIO or max(ratios) <= 1 / claims.FASTER_RATIO):
        raise Undecided(f"T_P/T_D = {own} and {table}: no side is favoured by both")
    ahead, other = ("quartz", "rcd") if ratios[0] > 1 else ("rcd", "quartz")
    at = comparison_level(result, [ahead, other], 1e-6)
    outcome = claims.faster(passes_ratio(result, ahead, other, at))
    return outcome, f"{other}/{ahead} to e = {short_number(at)}, T_P/T_D = {own}"


DENSE = Item(
    "faceoff-dense",
    "dense data",
    shows="For dense data the comparison is exactly n against d; for independent entries likewise.",
    setup="Normal entries, five shapes d x n, densities 1 and 0.1; in full also l2 = 0.01/n, which enters C3 only.",
    cases=[
        *(_case(d, n, density, "1/n", True) for d, n in SHAPES for density in (1.0, 0.1)),
        *(_case(d, n, density, "0.01/n", False) for d, n in SHAPES for density in (1.0, 0.1)),
    ],
    contenders=[parts.RCD, parts.QUARTZ],
    max_passes=1000,
    facts=parts.predicted_ratios,
    claims=[
        Claim(
            "C1",
            "for dense data it is exactly n against d, primal if d >= n and dual if n >= d; for i.i.d. data likewise",
            "C_P/C_D within 10% of (1 + (n - 1) pi)/(1 + (d - 1) pi), pi the density; and C_P > C_D where n "
            "> d, C_D > C_P where d > n",
            per_case(_ratio_as_shaped_and_signed),
        ),
        Claim(
            "C3",
            "(ours), of runs: the side that the bounds favour is faster",
            "the other side needs at least 1.1 times the passes to e = 1e-6, where T_P/T_D is off 1 by a factor "
            "1.1 with both conventions of beta",
            per_case(_favoured_side_ahead, judged=False),
            why="At l2 = 1/n the two sides are within a factor 1.3 of each other, at T_P/T_D from 0.8 to 3. At "
            "0.01/n, where T_P/T_D is below 0.15 or above 8, the favoured side is ahead in all 8, by 1.6 to 3.3.",
        ),
    ],
    pictures=[Picture(parts.plot_errors)],
    tables=parts.prediction_table,
    seconds=(5, 10),
)

# ------------------------------------------------------------ importance sampling
SIDES = {"rcd": "primal", "quartz": "dual"}
SAMPLINGS = {"rcd": ("rcd", "rcd, uniform"), "quartz": ("quartz", "quartz, uniform")}


def _bound_ratios(problem: Problem) -> dict[str, Any]:
    totals = faceoff(problem).table()["T"]
    return {name: totals[side, "uniform"] / totals[side, "importance"] for name, side in SIDES.items()}


def _by_bound(side: str) -> Any:
    def judge(result: CaseResult) -> tuple[RuleOutcome, str]:
        ratio = result.facts[side]
        return decide(
            ratio >= 1 - matrices.ROUNDING, "ratio >= 1", ratio, threshold=1.0
        ), "T with uniform sampling divided by T"

    return judge


SAMPLING = Item(
    "faceoff-sampling",
    "importance sampling",
    shows="Importance sampling is always better than uniform sampling, also in total complexity.",
    setup="Bounds of both, and both measured, for rcd and quartz on five sets.",
    cases=parts.known_sets(*parts.SETS[:4]),
    contenders=[
        parts.RCD,
        parts.RCD_UNIFORM,
        parts.QUARTZ,
        parts.QUARTZ_UNIFORM,
    ],
    max_passes={"quick": 200, "full": 1000},
    facts=_bound_ratios,
    claims=[
        Claim(
            "C1",
            "importance sampling is always better (bounds)",
            "T is at most T with uniform sampling",
            per_case_and_judge({side: _by_bound(side) for side in SAMPLINGS}),
        ),
        Claim(
            "C2",
            "(ours), of runs: importance sampling is always better (measured)",
            "uniform sampling needs at least 1/1.1 times the passes to e = 1e-6",
            per_case_and_judge(
                {side: compare_passes(*pair, claims.not_slower, 1e-6) for side, pair in SAMPLINGS.items()}
            ),
            why="On w8a rcd took 725 passes with importance sampling and 225 without, where the bounds promise a "
            "third. A draw by importance visits 2.9 times the nonzeros of a uniform one there, and the rarer "
            "half of the features gets 5% of the draws; whether that is the cause was not tested. On leu both "
            "are level for rcd by the bound, and importance took 1.13 times the passes.",
        ),
    ],
    pictures=[Picture(case_panels(levels=True))],
    notes=["In quick runs rcd does not arrive at 1e-6 on mushrooms and w8a, and they are not judged."],
    seconds=(40, 120),
)
