"""Figures 1 and 2 of SPDC: races on three data sets, for weights of the regulariser down to 1e-8."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any

import numpy as np

from cdlab import Problem, comparisons, iterate, solve, theory
from cdlab.datasets import Derived, steps

from .. import claims
from ..claims import RuleOutcome, decide
from ..items import Case, Claim, Contender, Item, Picture
from ..judging import (
    across_cases,
    compare_passes,
    converges_linearly,
    in_each_reading,
    per_case,
    per_case_and_judge,
    reads,
    with_panels_outside_verdict,
)
from ..number_text import short_number
from ..results import CaseResult, NotRun, Undecided
from . import parts
from .parts import AFG, COVTYPE_ROWS, LBFGS, QUICK_ROWS, SDCA, SPDC

# ------------------------------------------------------------ Theorem 1 over the problems of the figures
THEOREM_L2, THEOREM_EPOCHS, THEOREM_SEEDS = 1e-4, 20, range(5)
OPTIMUM_TOL = 1e-12  # x* is found to this relative gap.


def distance_shares(problem: Problem) -> dict[str, Any]:
    """The largest of E||x_t - x*||^2 divided by the theorem's bound, and how many epochs were compared; at l2 = 1e-4.

    The mean is over five seeds. Epochs count where the bound exceeds 100 times what x* may be wrong by.
    """
    if problem.l2 != THEOREM_L2:
        return {}
    best = solve(problem, "sdca", sampling="permutation", tol=OPTIMUM_TOL, max_passes=1000)
    rows, passes = [], np.zeros(THEOREM_EPOCHS)
    for seed in THEOREM_SEEDS:
        run = iterate(problem, "spdc", primal_point="iterate", seed=seed)
        distances = []
        for k, record in enumerate(islice(run, THEOREM_EPOCHS)):
            passes[k] = record.passes
            distances.append(float(np.sum((run.w - best.w) ** 2)))
        rows.append(distances)
    assert best.alpha is not None, "the problem is in memory"
    w2, a2 = (float(x @ x) for x in (best.w, best.alpha))
    bound = theory.bound("spdc").curve(problem, passes, w2=w2, a2=a2).values
    known = bound > 100 * 2 * best.gap / problem.l2
    shares = (np.mean(rows, axis=0) / bound)[known]
    return {"largest share": float(shares[1:].max()) if shares.size > 1 else float("nan"), "epochs": int(shares.size)}


def below_bound(result: CaseResult) -> tuple[RuleOutcome, str]:
    """The mean squared distance divided by its bound, where that is largest."""
    share = result.facts.get("largest share", float("nan"))
    if np.isnan(share):
        raise Undecided("x* is not known well enough for it")
    outcome = decide(share <= 1, "mean/bound <= 1", share, threshold=1.0)
    return outcome, f"largest after the first of {result.facts['epochs']} epochs, mean over {len(THEOREM_SEEDS)} seeds"


# ------------------------------------------------------------ the figures
WEIGHTS, QUICK_WEIGHTS = (1e-4, 1e-5, 1e-6, 1e-7, 1e-8), (1e-4, 1e-6, 1e-8)
SAGS = ("SAG, 1/(16L)", "SAG, 1/L")
ASDCAS = ("ASDCA, certified", "ASDCA, 2 epochs")  # These are judged.
RIVALS = ("SDCA", *SAGS)
COLUMNS = {"quick": 3, "full": len(WEIGHTS)}  # Pictures have so many columns: in full a row for each set.


def _pass_limit(l2: float) -> dict[str, float]:
    return {"quick": 40 if l2 == 1e-4 else 70, "full": 200}


LONG_AFG = replace(AFG, settings={"max_passes": 410}, modes=("full",))  # This is 100 iterations, of 4.1 passes.
BATCH_METHODS = [replace(AFG, modes=("quick",)), LONG_AFG, LBFGS]


def _covtype_cases() -> list[Case]:
    """All rows in full; in quick a twentieth, with l2 n of all rows, and beside it with l2 itself."""
    whole = [
        Case(
            f"covtype01, l2 = {short_number(l2)}",
            parts.covtype01(),
            parts.LOSS,
            l2,
            max_passes=_pass_limit(l2),
            modes=("full",),
            tags={"l2": l2, "data": "covtype01"},
        )
        for l2 in WEIGHTS
    ]
    quick = [
        Case(
            f"covtype01/20, {'l2 =' if bare else 'l2 n as at'} {short_number(l2)}",
            parts.covtype01(QUICK_ROWS),
            parts.LOSS,
            l2 if bare else f"{l2 * COVTYPE_ROWS:.12g}/n",
            stands_for="all rows of covtype01",
            judged=not bare,
            max_passes=_pass_limit(l2),
            modes=("quick",),
            tags={"l2": l2, "data": "covtype01"},
        )
        for l2 in QUICK_WEIGHTS
        for bare in (False, True)
    ]
    return whole + quick


def _text_cases() -> list[Case]:
    bigram = {"quick": parts.text_set("news20.bigram", columns=100_000), "full": parts.text_set("news20.bigram")}
    cases = []
    for l2 in WEIGHTS:
        modes = ("quick", "full") if l2 in QUICK_WEIGHTS else ("full",)
        cases.append(
            Case(
                f"news20.unigram, l2 = {short_number(l2)}",
                parts.text_set("news20.unigram"),
                parts.LOSS,
                l2,
                stands_for=parts.RCV1,
                max_passes=_pass_limit(l2),
                modes=modes,
                tags={"l2": l2, "data": "news20.unigram"},
            )
        )
        cases += [
            Case(
                f"news20.bigram, l2 = {short_number(l2)}",
                data,
                parts.LOSS,
                l2,
                stands_for=parts.NEWS,
                max_passes=_pass_limit(l2),
                modes=(mode,),
                tags={"l2": l2, "data": "news20.bigram"},
            )
            for mode, data in bigram.items()
            if mode == "full" or l2 in (1e-4, 1e-6)  # at 1e-8 the reference needs its 3,000 passes
        ]
    return cases


def _at_l2(*weights: float) -> Callable[[Case], bool]:
    return lambda case: case.tags["l2"] in weights


FIG1 = Item(
    "spdc-fig1",
    "Figure 1",
    shows="SPDC against the accelerated full gradient method and L-BFGS on three data sets, for weights of the "
    "regulariser down to 1e-8.",
    setup="Smoothed hinge with gamma = 1, one example at a time, P(x_t) as in the paper; AFG with Nesterov's line "
    "search, L-BFGS with memory 30. Covtype with columns in [0, 1]; two sets of text stand in for RCV1 and News20. "
    "Quick: a twentieth of Covtype's rows with l2 n kept (and, shown only, with l2 itself), the 100,000 most "
    "frequent features of the larger text, and that not at 1e-8.",
    cases=[*_covtype_cases(), *sorted(_text_cases(), key=lambda case: case.tags["data"], reverse=True)],
    contenders=[SPDC, *BATCH_METHODS],
    facts=distance_shares,
    claims=[
        Claim(
            "C1",
            "substantially faster than AFG and L-BFGS for relatively large lambda",
            "at l2 = 1e-4 both need at least twice the passes of SPDC",
            per_case_and_judge(
                {name: parts.on_both_axes("SPDC", name, claims.much_faster) for name in ("AFG", "L-BFGS")},
                _at_l2(1e-4),
            ),
            why="The level turns it: on text L-BFGS takes 3.9 and more times the passes of SPDC to e = 1e-2, 1.8 "
            "and more to 1e-4, 1.1 and 1.5 to 1e-8. Against AFG, and on covtype01, it holds at 1e-8.",
        ),
        Claim(
            "C2",
            "as lambda drops to 1e-8 the batch methods, especially L-BFGS, become comparable",
            "at l2 = 1e-8 AFG and L-BFGS need 1/2 to 2 times what SPDC does, in iterations and in passes, to "
            "the level that is reached within 100 passes",
            per_case_and_judge(
                {
                    f"{name}, by {note}": parts.within_first_limit("SPDC", name, claims.comparable, by)
                    for name in ("AFG", "L-BFGS")
                    for by, note in (("passes", "passes"), ("examples", "iterations"))
                },
                _at_l2(1e-8),
            ),
            why="The unit turns it for AFG on two of the three sets: its iterations visit the data about 4 "
            "times, and by iterations it is comparable on covtype01 and news20.unigram (1.15 and 0.90). By "
            "passes it takes 3.4 times those of SPDC and more, and on news20.bigram it is slower in either "
            "unit. L-BFGS is comparable on text (0.67 to 1.87), and three times as fast as SPDC on covtype01.",
        ),
        Claim(
            "C3",
            "(ours), of runs: Theorem 1: E||x_t - x*||^2 shrinks by theta an iteration, from a constant times its "
            "start",
            "the mean over five seeds is at most the bound, at l2 = 1e-4",
            per_case(below_bound, _at_l2(1e-4)),
        ),
    ],
    pictures=[
        Picture(parts.error_panels(), columns=COLUMNS),
        Picture(
            parts.error_panels("examples"),
            "examples",
            "The paper's axis may count an iteration of AFG as one pass; its line search visits the data more often.",
            COLUMNS,
        ),
    ],
    seconds=(110, 2500),
)


@reads("SPDC", ASDCAS)
def _asdca_against_spdc(result: CaseResult) -> tuple[RuleOutcome, str]:
    if result.tags["data"] == "covtype01":
        return compare_passes(ASDCAS, "SPDC", claims.faster)(result)
    return compare_passes("SPDC", ASDCAS, claims.faster)(result)


def _overshoots(result: CaseResult, label: str) -> list[float]:
    return [comparisons.overshoot(e) for _, e in result.curves(label)]


def _rises_in_first_epochs(cases: list[CaseResult]) -> tuple[RuleOutcome, str]:
    """The largest rise of P in the first epoch of an outer iteration of two or five epochs, as a part of P."""
    rises = {}
    for result in cases:
        for label, epochs in (("ASDCA, 2 epochs", 2), ("ASDCA, 5 epochs", 5)):
            if result.by_label.get(label):
                for trace in result.traces(label):
                    P = trace.column("primal")
                    before, after = P[:-1:epochs], P[1::epochs]
                    rises[f"{result.name}, {label}"] = float(np.max(after[1:] / before[1 : after.size] - 1))
    if not rises:
        raise NotRun("ASDCA was not run")
    where = max(rises, key=lambda name: rises[name])
    return decide(rises[where] > 0.01, "rise of P > 1%", rises[where], threshold=0.01), f"largest at {where}"


@reads("SPDC", ASDCAS)
def _straighter_than_asdca(result: CaseResult) -> tuple[RuleOutcome, str]:
    """R^2 of SPDC divided by that of ASDCA's straighter rule, where ASDCA spans two decades."""
    spans = {label: min(float(np.log10(e[0] / np.min(e))) for _, e in result.curves(label)) for label in ASDCAS}
    long_enough = [label for label, decades in spans.items() if decades >= 2]
    if not long_enough:
        raise Undecided("ASDCA does not span two decades of e")
    rivals = {label: _median_linearity(result, label) for label in long_enough}
    label = max(rivals, key=lambda one: rivals[one])
    mine = _median_linearity(result, "SPDC")
    note = f"R^2 = {short_number(mine)} of SPDC, {short_number(rivals[label])} of {label}"
    return decide(mine > rivals[label], "R^2(SPDC)/R^2(ASDCA) > 1", mine / rivals[label], threshold=1.0), note


def _median_linearity(result: CaseResult, label: str) -> float:
    return float(np.median([comparisons.linearity(x, e) for x, e in result.curves(label)]))


@reads("SPDC", ASDCAS)
def _more_stable_than_asdca(result: CaseResult) -> tuple[RuleOutcome, str]:
    """SPDC's overshoot against the smaller one of ASDCA's two stopping rules."""
    mine = _overshoots(result, "SPDC")
    rivals = {label: _overshoots(result, label) for label in ASDCAS}
    label = min(rivals, key=lambda one: float(sorted(rivals[one])[len(rivals[one]) // 2]))
    return claims.more_stable(mine, rivals[label]), f"against {label}"


def _asdca_contender(label: str, epochs: int | None, modes: tuple[str, ...] = ("quick", "full")) -> Contender:
    """Where the paper has it, which is where its rule l2 <= R^2/(10 n) allows it."""
    settings = {} if epochs is None else {"epochs": epochs}
    return Contender(
        label, "accprox_sdca", settings=settings, where=lambda case: case.tags["l2"] in (1e-6, 1e-8), modes=modes
    )


def _unit_row_cases() -> list[Case]:
    """Covtype with its rows of length 1, where the elevation dwarfs all else."""
    data = Derived("covtype.unit", parts.COVTYPE, [steps.UnitRows(), steps.Permute(seed=0)])
    return [
        Case(
            f"covtype.unit, l2 = {short_number(l2)}",
            data,
            parts.LOSS,
            l2,
            judged=False,
            max_passes=_pass_limit(l2),
            modes=("full",),
            tags={"l2": l2, "data": "covtype.unit"},
        )
        for l2 in (1e-6, 1e-8)
    ]


ACCELERATED = {
    "SPDC": parts.within_first_limit("SPDC", RIVALS, claims.much_faster),
    "ASDCA": parts.within_first_limit(ASDCAS, RIVALS, claims.much_faster),
}
STATE_OF_THE_ART: dict[str, str | tuple[str, ...]] = {
    "AFG": "AFG",
    "L-BFGS": "L-BFGS",
    "SAG": SAGS,
    "SDCA": "SDCA",
    "ASDCA": ASDCAS,
}


def _has_unit_rows(case: Case) -> bool:
    """Text as it is, and Covtype with rows of length 1."""
    return bool(case.tags["l2"] == 1e-8 and case.tags["data"] != "covtype01")


FIG2 = Item(
    "spdc-fig2",
    "Figure 2",
    shows="SPDC against SAG, SDCA and accelerated Prox-SDCA, which the paper calls ASDCA, on the same problems.",
    setup="As spdc-fig1. SAG with the steps 1/(16L) and 1/L, ASDCA with its certified stop and with two epochs a "
    "stage (in full also one and five, which only C4 judges): of each the better one is judged, which may be another "
    "in another panel. ASDCA is meant for l2 <= R^2/(10 n): it runs at 1e-6 and 1e-8.",
    cases=[*FIG1.cases, *_unit_row_cases()],
    contenders=[
        SPDC,
        *BATCH_METHODS,
        SDCA,
        Contender(SAGS[0], "sag"),
        Contender(SAGS[1], "sag", settings=parts.longest_sag_step),
        _asdca_contender(ASDCAS[0], None),
        _asdca_contender(ASDCAS[1], 2),
        _asdca_contender("ASDCA, 1 epoch", 1, ("full",)),
        _asdca_contender("ASDCA, 5 epochs", 5, ("full",)),
    ],
    claims=[
        Claim(
            "C1",
            "all stochastic algorithms comparable at large lambda",
            "at l2 = 1e-4 SPDC, SDCA and the better SAG need at most twice the passes of the best",
            per_case_and_judge(
                {
                    name: compare_passes(["SPDC", *RIVALS], label, partial(claims.at_most, factor=2.0))
                    for name, label in {"SPDC": "SPDC", "SDCA": "SDCA", "SAG": SAGS}.items()
                },
                _at_l2(1e-4),
            ),
        ),
        Claim(
            "C2",
            "the two accelerated algorithms are substantially faster as lambda gets close to zero",
            "at l2 = 1e-8 (1e-6 is shown) the better one of SDCA and SAG needs at least twice the passes, of "
            "SPDC and of ASDCA, to the level that is reached within 100 passes",
            in_each_reading(
                {
                    "Covtype's columns in [0, 1]": with_panels_outside_verdict(
                        per_case_and_judge(ACCELERATED, _at_l2(1e-8)), per_case_and_judge(ACCELERATED, _at_l2(1e-6))
                    ),
                    "Covtype's rows of length 1": per_case_and_judge(ACCELERATED, _has_unit_rows, judged=False),
                }
            ),
            why="Rows of length 1 turn Covtype: there SPDC is at least 3.2 times as fast, and ASDCA at least "
            "4.63 times. On text SPDC is (2.78 times and more), and ASDCA is not (0.963, and at most 0.408): "
            "why is not known.",
        ),
        Claim(
            "C3",
            "ASDCA is faster than SPDC on Covtype, slower on the other two",
            "at l2 = 1e-6 and 1e-8 the slower one needs at least 1.1 times the passes",
            per_case(_asdca_against_spdc, _at_l2(1e-6, 1e-8)),
        ),
        Claim(
            "C4",
            "ASDCA's objective may increase at the beginning of outer iterations",
            "P rises by more than 1% in the first epoch of an outer iteration, after the first, in some panel",
            across_cases(_rises_in_first_epochs, _at_l2(1e-6, 1e-8), name="all panels"),
        ),
        Claim(
            "C5",
            "SPDC converges almost linearly",
            "at l2 = 1e-6 R^2 >= 0.98 of ln e against passes; and R^2 above that of ASDCA wherever ASDCA "
            "spans two decades",
            in_each_reading(
                {
                    "R^2 >= 0.98": per_case(converges_linearly("SPDC"), _at_l2(1e-6)),
                    "straighter than ASDCA": per_case(_straighter_than_asdca, _at_l2(1e-6, 1e-8)),
                }
            ),
            why="On covtype01 at 1e-6 R^2 is 0.962, and that of ASDCA 0.984: why is not known. On text both "
            "readings hold.",
        ),
        Claim(
            "C6",
            "SPDC is more stable than ASDCA",
            "SPDC's overshoot, the largest log10(e_t/min before t) while e > 1e-7, is at most half of ASDCA's",
            per_case(_more_stable_than_asdca, _at_l2(1e-6, 1e-8)),
            why="On covtype01, and at 1e-8 on news20.unigram, P of SPDC rises, too, by more than half as much as "
            "ASDCA's: why is not known.",
        ),
        Claim(
            "C7",
            "comparable or better performance than several state-of-the-art optimization methods",
            "SPDC needs at most twice the passes of each of AFG, L-BFGS, SAG, SDCA and ASDCA, at every l2",
            per_case_and_judge(
                {
                    name: parts.within_first_limit(labels, "SPDC", partial(claims.at_most, factor=2.0))
                    for name, labels in STATE_OF_THE_ART.items()
                }
            ),
            why="All five that fail are on covtype01: ASDCA at 1e-6, SAG at 1e-7, and L-BFGS, SAG and ASDCA "
            "at 1e-8. On text all 44 hold. The rows' lengths turn it: with rows of length 1, at 1e-8 and to "
            "1e-2, SPDC needs 1.45 times the passes of ASDCA, and fewer than all others.",
        ),
    ],
    pictures=[Picture(parts.error_panels(without=("AFG", "L-BFGS")), columns=COLUMNS)],
    notes=[
        "The paper calls accelerated Prox-SDCA (Shalev-Shwartz & Zhang, arXiv:1309.2375) ASDCA. The accelerated "
        "mini-batch method of 2013, which others call ASDCA, is another one.",
        "Accelerated Prox-SDCA is meant for l2 <= R^2/(10 n), for gamma = 1 (tests/methods/test_accprox_sdca.py). "
        "With rows of length 1 that is 1.7e-7 on Covtype, below the paper's own panel at 1e-6; with columns in [0, "
        "1] it is 1.31e-6, and the panel fits.",
        "P of SDCA may rise as well: it climbs D.",
    ],
    seconds=(120, 2500),
)
