"""How SPDC's passes grow with the condition number and the size of batches, and the formula for processors."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ... import theory
from ...comparisons import claims
from ...comparisons.claims import Outcome
from ...plots.panels import Curve, Panel
from ..amendments import OF_RUNS, Amended
from ..cases import Case, Contender
from ..found import Found, Results
from ..items import Claim, Item, Picture
from ..judging import compared, computed, fact, judged_at, panelwise, ratio_at, together, with_shown
from ..wording import short
from . import parts
from .parts import COVTYPE_R2, OF_BOUNDS, PAPER

LEVEL = 1e-6
SIZES = (1, 4, 16, 64, 256, 1024)
QUICK_SIZES = (1, 16, 256)
WHOLE = "m = n"
BOUNDS = {"bound of SPDC": lambda q: 1 + np.sqrt(q), "bound of SDCA": lambda q: 1 + q}  # times ln(1/e)
SLOPE_FROM = 16


def _growth() -> list[Case]:
    cases = []
    for q in (1, 10, 100, 1000):
        modes = ("quick", "full") if q <= 100 else ("full",)
        cases += [
            parts.case_at(parts.reuters(), "reuters", q, 1.0, stands_for=parts.RCV1, modes=modes),
            parts.case_at(parts.text("news20.unigram"), "news20.unigram", q, 1.0, stands_for=parts.RCV1, modes=modes),
            parts.case_at(parts.covtype01(), "covtype01", q, COVTYPE_R2, modes=("full",)),
        ]
        if q <= 100:
            few = parts.covtype01(parts.QUICK_ROWS)
            more = {"modes": ("quick",), "stands_for": "all rows of covtype01"}
            cases.append(parts.case_at(few, "covtype01", q, COVTYPE_R2, **more))
    return cases


def _best_of_sets(founds: list[Found]) -> tuple[Outcome, str]:
    """Passes of SDCA divided by those of SPDC, on the set where that is largest."""
    ratios = {found.tags["data"]: ratio_at(found, "SPDC", "SDCA", judged_at(found, ["SPDC", "SDCA"], LEVEL))
              for found in founds}  # fmt: skip
    best = max(ratios, key=lambda name: ratios[name].median[0])
    told = ", ".join(f"{name} {short(ratio.median[0])}" for name, ratio in ratios.items())
    return claims.much_faster(ratios[best]), f"SDCA/SPDC to e = {short(LEVEL)}, at least: {told}"


def _at(*ratios: float) -> Any:
    return lambda case: case.tags["q"] in ratios


KAPPA = Item(
    "spdc-kappa", PAPER, "section 1.3",
    shows="Passes of SDCA grow like 1 + kappa/n, those of SPDC like 1 + sqrt(kappa/n), much better when kappa > n.",
    here="Smoothed hinge, l2 = R^2/(n q) with q = kappa/n = 1, 10, 100 (in full 1000), to e = 1e-6.",
    cases=_growth(),
    contenders=[Contender("SPDC", "spdc"), parts.SDCA],
    max_passes={"quick": 250, "full": 800},
    levels=(1e-2, 1e-4, LEVEL),
    tol=parts.ENOUGH,
    claims=[
        Claim(
            "C1", "SDCA takes 1 + kappa/n passes and SPDC 1 + sqrt(kappa/n)",
            "slopes of passes in kappa at most 1 for SDCA and 1/2 for SPDC",
            parts.together_of(
                {label: parts.growth_in_kappa(label, x, LEVEL) for label, x in (("SDCA", 1.0), ("SPDC", 0.5))}, "data"
            ),
            amendment=OF_BOUNDS,
        ),
        Claim(
            "C2", "much better when kappa > n", "for kappa/n >= 100 SDCA needs at least twice the passes of SPDC",
            panelwise(compared("SPDC", "SDCA", claims.much_faster, LEVEL), lambda case: case.tags["q"] >= 100),
            why="On reuters SDCA stays far below its bound: its passes grow like kappa^0.17, those of SPDC like "
            "kappa^0.28. At kappa/n = 100 and 1000 it needed 0.56 and 0.37 times the passes of SPDC.",
            amendment=Amended(
                "SDCA needs at least twice the passes of SPDC on at least one set at each of kappa/n = 100 and 1,000",
                with_shown(together(_best_of_sets, _at(100, 1000), by="q"), together(_best_of_sets, _at(10), by="q")),
                "the paper says that it can be much better, and says it of bounds.",
                words="SPDC can be much better when kappa > n",
                mark=OF_RUNS,
            ),
        ),
    ],
    pictures=[Picture(partial(parts.against_kappa, level=LEVEL, bounds=BOUNDS))],
    seconds=(60, 1500),
)  # fmt: skip


def _size(m: int | None) -> Contender:
    modes = ("quick", "full") if m in QUICK_SIZES else ("full",)
    return Contender(
        WHOLE if m is None else f"m = {m}", "spdc", settings=parts.batches_of(m), modes=modes, draws=m is not None
    )


def _reached(found: Found, by: str) -> dict[float, Any]:
    """Passes or iterations to the level, by size of the batch."""
    judged_at(found, found.labels, LEVEL)
    n = found.conditions["n"]
    return {float(n if label == WHOLE else label[4:]): found.reach(label, LEVEL, by) for label in found.labels}


def _fewer_iterations(found: Found) -> tuple[Outcome, str]:
    return claims.falls(list(_reached(found, "iteration").values())), f"iterations to e = {short(LEVEL)}, as m falls"


def _more_passes(found: Found) -> tuple[Outcome, str]:
    return claims.rises(list(_reached(found, "passes").values())), f"passes to e = {short(LEVEL)}"


def _root(found: Found) -> tuple[Outcome, str]:
    points = {m: reached for m, reached in _reached(found, "passes").items() if m >= SLOPE_FROM}
    return claims.grows_like(parts.slope(points), 0.5), f"m >= {SLOPE_FROM}"


def _by_size(results: Results) -> list[Panel]:
    made = []
    for found in results.where():
        if not found.by_label or LEVEL not in found.supported:
            continue
        there = [label for label in found.labels if found.by_label.get(label)]
        sizes = np.array([found.conditions["n"] if label == WHOLE else int(label[4:]) for label in there], float)
        drawn = []
        for by, shown in (("passes", "passes"), ("iteration", "iterations")):
            reached = [found.reach(label, LEVEL, by).high for label in there]
            runs = [(sizes, np.array([one[min(k, one.size - 1)] for one in reached])) for k in range(len(found.seeds))]
            drawn.append(Curve(shown, "", runs))
        kappa = found.conditions["kappa/n"]
        bound = (1 + np.sqrt(kappa * sizes)) * np.log(1 / LEVEL)
        drawn.append(Curve("bound on passes", "", [(sizes, bound)]))
        made.append(
            Panel(
                drawn, title=found.name, x_label="m", y_label=f"passes or iterations to e = {short(LEVEL)}", x_log=True
            )
        )
    return made


BATCH = Item(
    "spdc-batch", PAPER, "after Corollary 1",
    shows="A larger batch m leads to fewer iterations, a smaller one to fewer passes.",
    here="Smoothed hinge, kappa/n = 10, to e = 1e-6; m from 1 to n, each with three times the passes of its bound.",
    cases=[
        parts.case_at(parts.reuters(), "reuters", 10, 1.0),
        parts.case_at(parts.covtype01(5810), "covtype01.5810", 10, COVTYPE_R2),
    ],
    contenders=[*map(_size, SIZES), _size(None)],
    levels=(1e-2, 1e-4, LEVEL),
    tol=parts.ENOUGH,
    claims=[
        Claim("C1", "a larger m leads to fewer iterations", "iterations fall in every step of m",
              panelwise(_fewer_iterations), amendment=OF_BOUNDS),
        Claim("C2", "a smaller m leads to fewer passes", "passes rise in every step of m", panelwise(_more_passes),
              amendment=OF_BOUNDS),
        Claim("C3", "passes grow like sqrt(m)", "slope of passes in m within 0.15 of 1/2 for m >= 16",
              panelwise(_root), amendment=OF_BOUNDS),
    ],
    pictures=[Picture(_by_size, columns=2)],
    seconds=(20, 200),
)  # fmt: skip

PROCESSORS, EXAMPLES = (1, 8, 64), 10_000


def _best_sizes(mode: str) -> dict[str, tuple[int, int]]:
    """By kappa/n and s: the best m of the formula K(m) max(1, m/s), and s."""
    K, m = theory.bound("spdc", "K"), np.arange(1.0, EXAMPLES + 1)
    found = {}
    for q in (1, 100):
        steps = K.at(n=EXAMPLES, m=m, R=1.0, gamma=1.0, l2=1 / (EXAMPLES * q))
        for s in PROCESSORS:
            found[f"kappa/n = {q}, s = {s}"] = int(m[np.argmin(steps * np.maximum(1, m / s))]), s
    return found


PROCESSORS_ITEM = Item(
    "spdc-processors", PAPER, "section 2.1",
    shows="For the least wall-clock time choose m equal to the number of processors.",
    here="The formula alone: K(m) max(1, m/s), the time with s processors without communication; n = 10,000.",
    compute=_best_sizes,
    claims=[
        Claim(
            "C1", "for the least wall-clock time choose m = number of processors",
            "K(m) max(1, m/s) is smallest at m = s, for s = 1, 8 and 64",
            computed(lambda found: {name: fact(best == s, f"m = {s}", best) for name, (best, s) in found.items()}),
        ),
        Claim(
            "C2", "an iteration takes O(d) in place of O(md) with m processors", "measured seconds",
            why="Two cores, and one compiled loop on one thread, cannot show it.",
        ),
    ],
)  # fmt: skip

FULL = ("Chambolle-Pock", "AFG")

FULLBATCH = Item(
    "spdc-fullbatch", PAPER, "section 2.1, on m = n",
    shows="With m = n SPDC has the complexity of AFG and of the method of Chambolle and Pock, whose name it has here.",
    here="reuters, smoothed hinge, kappa/n = 1 and 10, in full to 1000, to e = 1e-6; FISTA is drawn beside.",
    cases=[
        parts.case_at(parts.reuters(), "reuters", q, 1.0, modes=("quick", "full") if q <= 10 else ("full",))
        for q in (1, 10, 100, 1000)
    ],
    contenders=[
        Contender(FULL[0], "spdc", settings=parts.batches_of(None), draws=False),
        Contender(FULL[1], "agd"), Contender("FISTA", "fista"),
    ],
    max_passes={"quick": 4000, "full": 20_000},
    levels=(1e-2, 1e-4, LEVEL),
    tol=parts.ENOUGH,
    claims=[
        Claim(
            "C1", "m = n shares the complexity of AFG and of Chambolle-Pock",
            "slopes of passes in kappa at most 1/2, of SPDC with m = n and of AFG",
            parts.together_of({label: parts.growth_in_kappa(label, 0.5, LEVEL) for label in FULL}, "data"),
            amendment=OF_BOUNDS,
        ),
        Claim(
            "C2", "(ours) and so about the same passes", "AFG and SPDC with m = n within a factor 2 of each other",
            panelwise(compared(*FULL, claims.comparable, LEVEL)),
            why="AFG needed a ninth of the passes at kappa/n = 1, a sixteenth at 1000. A part is that AFG's line "
            "search finds the smoothness of the mean loss, 0.035 on reuters, where SPDC's steps are made of the "
            "largest squared row norm, 1: by the bounds a factor 5.3. The rest is not known.",
        ),
    ],
    pictures=[Picture(partial(parts.against_kappa, level=LEVEL), columns=2)],
    notes=["SPDC with m = n draws nothing, so it is run once."],
    seconds=(25, 200),
)  # fmt: skip

ITEMS = (KAPPA, BATCH, PROCESSORS_ITEM, FULLBATCH)
