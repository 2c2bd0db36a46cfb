"""SDCA against SGD, against SDCA in fixed orders, and against batch gradient descent."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from cdlab import datasets
from cdlab.datasets import Derived, steps
from cdlab.losses import SmoothHinge

from .. import claims
from ..claims import RuleOutcome, decide
from ..items import Case, Claim, Contender, GeneratedData, Item, Picture
from ..judging import (
    across_cases,
    compare_passes,
    converges_linearly,
    in_each_reading,
    judge_computed,
    passes_ratio,
    per_case,
    per_case_and_judge,
    reads,
)
from ..number_text import short_number
from ..results import CaseResult, case_panels
from . import parts
from .parts import CCAT, NEWS, PERMUTED, REUTERS, SDCA, SGD, SGD_LABELS, ccat_case

GAP_TOL = 1e-6
STEP_FACTORS = (0.01, 0.1, 1.0, 10.0, 100.0)


def _is_smooth(case: Case) -> bool:
    return bool(case.tags["lambda"] == "1e-6")


SDCA_SGD = Item(
    "slides-sdca-sgd",
    "two figures, SDCA against SGD",
    shows="On CCAT, with the smoothed hinge (lambda = 1e-6) and the hinge (lambda = 1e-5), SDCA against SGD (the "
    "pictures are missing from our copy).",
    setup="Two sets of news texts with the paper's l2 n (in full also with its l2, shown only), 25 passes; SGD with "
    "steps 1/(l2 t) and three averages.",
    cases=[
        *(
            ccat_case(data, "1e-6", "smooth_hinge", f"{data.name}, smoothed hinge, lambda = 1e-6")
            for data in (REUTERS, NEWS)
        ),
        *(ccat_case(data, "1e-5", "hinge", f"{data.name}, hinge, lambda = 1e-5") for data in (REUTERS, NEWS)),
        *(
            Case(
                f"{data.name}, {loss}, l2 = {paper_l2}",
                data,
                loss,
                float(paper_l2),
                stands_for=CCAT,
                judged=False,
                modes=("full",),
                tags={"lambda": paper_l2},
            )
            for data in (REUTERS, NEWS)
            for loss, paper_l2 in (("smooth_hinge", "1e-6"), ("hinge", "1e-5"))
        ),
    ],
    contenders=[SDCA, PERMUTED, *SGD],
    max_passes=25,
    tol=0.0,
    claims=[
        Claim(
            "C1",
            "smoothed hinge: SDCA is shockingly fast",
            "e of SDCA after 25 passes is at most 1/1000 of the best SGD's",
            per_case(parts.ends_below("SDCA", SGD_LABELS, 1e-3), _is_smooth),
        ),
        Claim(
            "C2",
            "smoothed hinge: linear convergence",
            "R^2 of ln e against passes is at least 0.98",
            per_case(converges_linearly("SDCA"), _is_smooth),
        ),
        Claim(
            "C3",
            "(ours) hinge: SDCA is ahead of SGD",
            "e of SDCA after 25 passes is at most 1/10 of the best SGD's",
            per_case(parts.ends_below("SDCA", SGD_LABELS, 0.1), lambda case: not _is_smooth(case)),
        ),
    ],
    pictures=[
        Picture(
            case_panels(levels=True),
            caption="lambda is the paper's, with l2 n = 0.781 for 1e-6 and 7.81 for 1e-5; where a title says l2, that "
            "is l2 itself.",
            columns=2,
        ),
        Picture(
            case_panels(column="relative_gap"),
            "gap",
            "Duality gaps. SGD has no dual iterate: its gap takes the dual point at its w.",
            2,
        ),
    ],
    notes=["l2 n carries a claim to another n: CCAT's lambda = 1e-6 is l2 n = 0.781, on 7,780 examples l2 = 1e-4."],
    seconds=(10, 15),
)


def _cost_of_tenfold(result: CaseResult) -> tuple[RuleOutcome, str]:
    """What a factor ten off the best c costs at most."""
    ends = {c: float(np.median(result.final_values(_sgd_label(c)))) for c in STEP_FACTORS}
    best = min(ends, key=lambda c: ends[c])
    beside = {c: ends[c] / ends[best] for c in STEP_FACTORS if 9 < max(c / best, best / c) < 11}
    worst = max(beside, key=lambda c: beside[c])
    value = beside[worst]
    outcome = decide(value >= 2, "ratio >= 2", value, min(beside.values()), value, threshold=2.0)
    return outcome, f"e at c = {worst:g} divided by e at the best, c = {best:g}; [both sides of the best]"


def _sgd_label(c: float) -> str:
    return f"SGD, c = {c:g}"


TUNING = Item(
    "slides-tuning",
    "no tuning, and a stopping rule",
    shows="SDCA needs no learning rate, and its gap tells when to stop.",
    setup="SGD with steps c/(l2 t), c from 0.01 to 100, the average of the last half, beside SDCA; 20 passes.",
    cases=[
        ccat_case(REUTERS, "1e-6", "smooth_hinge"),
        Case(
            f"{REUTERS.name}, l2 = 1e-6", REUTERS, "smooth_hinge", 1e-6, stands_for=CCAT, judged=False, modes=("full",)
        ),
    ],
    contenders=[
        SDCA,
        *(Contender(_sgd_label(c), "sgd", "uniform", {"average": "half", "factor": c}) for c in STEP_FACTORS),
    ],
    max_passes=20,
    tol=0.0,
    claims=[
        Claim(
            "C1",
            "no need to tune a learning rate",
            "some c a factor 10 off the best costs at least twice the e",
            per_case(_cost_of_tenfold),
        ),
        Claim(
            "C2",
            "the gap is a stopping rule",
            "P - D >= P - P* at every record",
            per_case(parts.gap_is_bound("SDCA")),
        ),
    ],
    pictures=[Picture(case_panels(levels=True))],
    seconds=(4, 4),
)


def _cut_set(name: str, source: str, columns: int) -> Derived:
    shape = (steps.MostFrequentColumns(columns), steps.DropEmptyRows())
    return Derived(name, source, (*shape, *parts.SHUFFLED_UNIT))


CUT_SETS = {
    "reuters.688": _cut_set("reuters.688", "reuters21578.earnacq", 688),
    "news20.1140": _cut_set("news20.1140", "news20.unigram", 1140),
}
W8A = Derived("w8a.unit", "w8a", parts.SHUFFLED_UNIT)
COVTYPE = {
    mode: Derived(
        f"covtype01{suffix}",
        "covtype",
        (steps.PositiveClasses((2,)), steps.ColumnsToUnitInterval(), steps.Permute(0), *thinned),
    )
    for mode, suffix, thinned in (("quick", ".29050", (steps.FirstRows(29050),)), ("full", "", ()))
}
FILE_ORDER = Derived("reuters.file-order", "reuters21578.earnacq", (steps.UnitRows(),), "parts")
NEWS_FILE_ORDER = Derived("news20.train.file-order", "news20.unigram", (steps.UnitRows(),), "parts")
BY_LABEL = (*parts.SHUFFLED_UNIT, steps.SortByLabel())
SORTED = Derived("reuters.sorted", "reuters21578.earnacq", BY_LABEL, "parts")
NEWS_SORTED = Derived("news20.train.sorted", "news20.unigram", BY_LABEL, "parts")


def _sun_ye(n: int) -> GeneratedData:
    return GeneratedData("sun_ye", lambda: datasets.sun_ye(n, 0.95), f"datasets.sun_ye(n={n}, c=0.95)")


def _order_case(kind: str, data: Any, paper_l2: str, **options: Any) -> Case:
    return ccat_case(data, paper_l2, SmoothHinge(), tags={"kind": kind}, **options)


ORDERS = ("uniform", "permutation", "cyclic", "fixed_permutation")


def _of_kind(*kinds: str) -> Any:
    return lambda case: case.tags["kind"] in kinds


def _slower(order: str, rule: Any = claims.faster) -> Any:
    return compare_passes("uniform", order, rule, GAP_TOL, of="relative_gap")


def _slower_on_stand_ins(id: str, words: str, order: str) -> Claim:
    """Whole sets, which have CCAT's density, and sets cut to its n/d; "superior", and "crucial"."""
    kinds = {
        "whole sets": lambda case: case.tags["kind"] == "ccat" and case.tags["data"] not in CUT_SETS,
        "cut to CCAT's n/d": lambda case: case.tags["kind"] == "ccat" and case.tags["data"] in CUT_SETS,
    }
    rules = {"superior (1.1)": claims.faster, "crucial (2)": claims.much_faster}
    return Claim(
        id,
        words,
        f"{order} needs at least 1.1 times the passes of uniform (superior), and twice (crucial), on whole sets, "
        "which have CCAT's density, and on sets cut to its n/d",
        in_each_reading(
            {
                f"{kind}, {word}": per_case(_slower(order, rule), where)
                for kind, where in kinds.items()
                for word, rule in rules.items()
            }
        ),
        why="The stand-in turns it at 1.1, where only the sets cut to CCAT's n/d hold; at 2 all fail. With the "
        "lambda = 1e-6 of another figure (shown) all would hold: 3.7 to 10 times on the whole sets, 12 or more "
        "on the cut ones.",
    )


DCA_ORDER = Item(
    "slides-dca-order",
    "figure and summary, randomisation is crucial",
    shows="On CCAT (lambda = 1e-4, smoothed hinge) SDCA is superior to dual coordinate ascent in cyclic order; one "
    "cannot just randomise the order once (the picture is missing from our copy).",
    setup="Passes to a relative gap of 1e-6: uniform draws, a new permutation each epoch, the order of the rows, one "
    "fixed permutation. Rows are shuffled first, so the last two are alike; two sets are also shown in file order "
    "and sorted by label. CCAT's stand-ins whole, and cut to CCAT's n/d = 16.5.",
    cases=[
        *(_order_case("ccat", data, "1e-4") for data in (REUTERS, NEWS, *CUT_SETS.values())),
        *(
            _order_case("ccat, small lambda", data, "1e-6", judged=False)
            for data in (REUTERS, NEWS, *CUT_SETS.values())
        ),
        *(_order_case("file order", data, "1e-4", judged=False) for data in (FILE_ORDER, NEWS_FILE_ORDER)),
        *(_order_case("sorted", data, "1e-4", judged=False) for data in (SORTED, NEWS_SORTED)),
        Case("w8a, l2 n = 78.1", W8A, SmoothHinge(), "78.1/n", tags={"kind": "other"}),
        *(
            Case("covtype01, l2 n = 78.1", data, SmoothHinge(), "78.1/n", modes=(mode,), tags={"kind": "other"})
            for mode, data in COVTYPE.items()
        ),
        *(
            Case(f"sun_ye, n = {n}, l2 n = 0.05", _sun_ye(n), "squared", "0.05/n", tags={"kind": "other"})
            for n in (24, 200)
        ),
    ],
    contenders=[Contender(order, "sdca", order) for order in ORDERS],
    max_passes={"quick": 60, "full": 300},
    tol=GAP_TOL,
    reference=False,
    claims=[
        _slower_on_stand_ins("C1", "cyclic order is slower, CCAT", "cyclic"),
        _slower_on_stand_ins(
            "C2",
            "one cannot just randomise the order once (no data named; on CCAT's stand-ins)",
            "fixed_permutation",
        ),
        Claim(
            "C3",
            "both, on other data (ours)",
            "each needs at least 1.1 times the passes of uniform",
            per_case_and_judge({order: _slower(order) for order in ORDERS[2:]}, _of_kind("other")),
        ),
    ],
    pictures=[Picture(case_panels(column="relative_gap"))],
    seconds=(60, 300),
)

THINNED_ROWS = (500, 2000, 8000)
THINNED = {
    n: Derived(f"reuters.{n}", "reuters21578.earnacq", (*parts.SHUFFLED_UNIT, steps.FirstRows(n))) for n in THINNED_ROWS
}


@reads("SDCA", "GD")
def _gains_rise(cases: list[CaseResult]) -> tuple[RuleOutcome, str]:
    gains = [passes_ratio(result, "SDCA", "GD", 1e-4).median[0] for result in sorted(cases, key=lambda f: f.tags["n"])]
    smallest = min(b / a for a, b in zip(gains, gains[1:], strict=False))
    outcome = decide(smallest > 1, "smallest factor of a step > 1", smallest, threshold=1.0)
    return outcome, f"GD/SDCA {', '.join(f'{x:.3g}' for x in gains)}"


def _lipschitz_gains(mode: str) -> dict[float, list[float]]:
    """n k/(n + k), the passes of batch subgradient steps over those of SDCA, for rising n, by k = L^2/(l2 epsilon)."""
    return {k: [n * k / (n + k) for n in (10, 100, 1_000, 10_000, 100_000, 1_000_000)] for k in (10.0, 1e3, 1e5, 1e7)}


def _gain_by_bounds(result: dict[float, list[float]]) -> dict[str, RuleOutcome]:
    outcomes = {}
    for k, gains in result.items():
        rising = all(a < b for a, b in pairwise(gains))
        outcomes[f"k = {short_number(k)}"] = decide(
            rising and min(gains) >= 2, "n k/(n + k) >= 2 and rising with n", min(gains), min(gains), max(gains), 2.0
        )
    return outcomes


GD = Item(
    "slides-gd",
    "batch gradient descent",
    shows="Against batch gradient descent, the gain is significant when n is large.",
    setup="Smoothed hinge, l2 = 1e-3, 500, 2,000 and 8,000 rows of Reuters, to e = 1e-4.",
    cases=[Case(f"n = {n}", data, SmoothHinge(), 1e-3, stands_for=CCAT, tags={"n": n}) for n, data in THINNED.items()],
    contenders=[SDCA, Contender("GD", "gd")],
    max_passes=300,
    tol=1e-6,
    claims=[
        Claim(
            "C1",
            "(ours), of runs: the gain is significant when n is large",
            "at n = 8,000 GD needs at least twice the passes",
            per_case(
                compare_passes("SDCA", "GD", claims.much_faster, 1e-4),
                lambda case: case.tags["n"] == THINNED_ROWS[-1],
            ),
        ),
        Claim(
            "C2",
            "(ours), of runs: the gain grows with n",
            "GD/SDCA rises from 500 over 2,000 to 8,000 rows",
            across_cases(_gains_rise, name="all n"),
        ),
        Claim(
            "C3",
            "Lipschitz losses: the gain of SDCA over batch subgradient steps is significant when n is large (bounds)",
            "n k/(n + k) is at least 2 and rises with n, k = L^2/(lambda epsilon), n from 10 to 1e6, k from 10 to 1e7",
            judge_computed(_gain_by_bounds),
        ),
    ],
    compute=_lipschitz_gains,
    pictures=[Picture(case_panels(levels=True))],
    seconds=(4, 4),
)
