"""What smoothing the hinge does to test errors, and to the passes that SDCA takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...comparisons import Reach, claims, paired_ratio
from ...comparisons.claims import Outcome
from ...plots.panels import Curve, Panel
from ..items import Case, Claim, Item, Picture, Rule, Table
from ..judging import across_cases, reads
from ..results import CaseResult, Results
from . import parts
from .losses import hinge_loss
from .parts import NEWS, REUTERS, SDCA, ccat_case

GAP_TOL = 1e-5
TEST_EXAMPLES = {"reuters": 3022, "news20.train": 7527}  # test examples
GAMMAS = (0.0, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0)
ZERO_GAMMA_AT, GAMMA_AXIS = 1e-3, "gamma (the hinge at 1e-3)"  # where an axis has gamma = 0

CASES = [
    ccat_case(
        data,
        paper_l2,
        hinge_loss(gamma),
        f"{data.name}, lambda = {paper_l2}, gamma = {gamma:g}",
        test=True,
        tags={"gamma": gamma, "problem": f"{data.name}, lambda = {paper_l2}"},
    )
    for data in (REUTERS, NEWS)
    for paper_l2 in ("1e-5", "1e-6")
    for gamma in GAMMAS
]
CASES += [
    Case(
        f"{REUTERS.name}, l2 = {paper_l2}, gamma = {gamma:g}",
        REUTERS,
        hinge_loss(gamma),
        float(paper_l2),
        test=True,
        stands_for=parts.CCAT,
        judged=False,
        modes=("full",),
        tags={"gamma": gamma, "problem": f"{REUTERS.name}, l2 = {paper_l2}", "data": REUTERS.name},
    )
    for paper_l2 in ("1e-5", "1e-6")
    for gamma in GAMMAS
]
RUN_OPTIONS: dict[str, Any] = {
    "cases": CASES,
    "contenders": [SDCA],
    "tol": GAP_TOL,
    "max_passes": 200,
    "reference": False,
}


def _by_problem(results: Results) -> dict[str, list[CaseResult]]:
    groups: dict[str, list[CaseResult]] = {}
    for result in results.cases.values():
        groups.setdefault(result.tags["problem"], []).append(result)
    return groups


def _plot_gaps(results: Results, by: str) -> Sequence[Panel]:
    """Relative gaps, a panel for each problem with a curve for each gamma."""
    panels = []
    for name, cases in _by_problem(results).items():
        curves = [Curve(_gamma_label(result), "", result.curves("SDCA", by, "relative_gap")) for result in cases]
        panels.append(Panel(curves, name, by, "relative gap"))
    return panels


def _gamma_label(result: CaseResult) -> str:
    gamma = result.tags["gamma"]
    return f"gamma = {gamma:g}" if gamma else "hinge"


def _plot_against_gamma(results: Results, of: Callable[[CaseResult], np.ndarray], y_label: str) -> Sequence[Panel]:
    """A value of each run, a panel for each problem."""
    panels = []
    for name, cases in _by_problem(results).items():
        by_seed = np.array([of(result) for result in cases]).T
        runs = [(np.maximum(GAMMAS, ZERO_GAMMA_AT), each) for each in by_seed]
        panels.append(Panel([Curve("SDCA", "dual", runs)], name, GAMMA_AXIS, y_label, x_log=True, y_log=False))
    return panels


def _plot_test_errors(results: Results) -> Sequence[Panel]:
    return _plot_against_gamma(
        results, lambda result: 100 * result.final_values("SDCA", "test_error"), "test 0-1 error, %"
    )


def _test_errors(cases: list[CaseResult]) -> dict[float, np.ndarray]:
    return {result.tags["gamma"]: result.final_values("SDCA", "test_error") for result in cases}


@reads("SDCA")
def _mild_effect(cases: list[CaseResult]) -> tuple[Outcome, str]:
    """The gamma <= 1 whose effect is the largest."""
    errors = _test_errors(cases)
    without, examples = float(np.median(errors[0.0])), TEST_EXAMPLES[cases[0].tags["data"]]
    smoothed = {gamma: list(each) for gamma, each in errors.items() if 0 < gamma <= 1}
    outcomes = {gamma: claims.mild_effect(each, without, examples) for gamma, each in smoothed.items()}
    worst = max(outcomes, key=lambda gamma: outcomes[gamma].value)
    return outcomes[worst], f"largest at gamma = {worst:g}; test error of the hinge {without:.2%}"


def _error_table(results: Results) -> list[Table]:
    rows = []
    for result in results.cases.values():
        if result.by_label:
            each = result.final_values("SDCA", "test_error")
            rows.append(
                [
                    result.tags["problem"],
                    result.tags["gamma"],
                    f"{np.median(each):.2%}",
                    f"{each.min():.2%}",
                    f"{each.max():.2%}",
                ]
            )
    return [
        Table(
            f"Test errors at a relative gap of {GAP_TOL:g}", ["problem", "gamma", "median", "smallest", "largest"], rows
        )
    ]


SMOOTHING_ERROR = Item(
    "slides-smoothing-error",
    "figure, test error of the smoothed hinge",
    shows="Smoothing the hinge has a mild effect on the 0-1 error.",
    setup=f"Test errors at a relative gap of {GAP_TOL:g}, for gamma from 0 (the hinge) to 5. The slides' values are "
    "missing from our copy.",
    claims=[
        Claim(
            "C1",
            "mild effect on 0-1 error",
            Rule(
                "for gamma <= 1 the median error differs from the hinge's by at most 0.005, or two standard errors "
                "of the test set",
                across_cases(_mild_effect, by="problem"),
            ),
        )
    ],
    pictures=[Picture(_plot_test_errors, columns=2)],
    tables=_error_table,
    seconds=(8, 8),
    **RUN_OPTIONS,
)


def _passes_to_gap(result: CaseResult) -> Reach:
    return result.reach("SDCA", GAP_TOL, of="relative_gap")


def _passes_by_gamma(cases: list[CaseResult]) -> list[Reach]:
    return [_passes_to_gap(result) for result in sorted(cases, key=lambda f: f.tags["gamma"])]


@reads("SDCA")
def _passes_fall(cases: list[CaseResult]) -> tuple[Outcome, str]:
    reached = _passes_by_gamma(cases)
    medians = ", ".join(f"{one.median[0]:.3g}" for one in reached)
    return claims.falls(
        reached, claims.MONOTONE_SLACK
    ), f"passes for gamma = {', '.join(map('{:g}'.format, GAMMAS))}: {medians}"


@reads("SDCA")
def _faster_than_hinge(cases: list[CaseResult]) -> tuple[Outcome, str]:
    reached = dict(zip(GAMMAS, _passes_by_gamma(cases), strict=True))
    return claims.faster(paired_ratio(reached[1.0], reached[0.0])), "passes of the hinge divided by those of gamma = 1"


def _plot_passes(results: Results) -> Sequence[Panel]:
    return _plot_against_gamma(
        results, lambda result: _passes_to_gap(result).high, f"passes to a relative gap of {GAP_TOL:g}"
    )


SMOOTHING_TIME = Item(
    "slides-smoothing-time",
    "figure, runtime of the smoothed hinge",
    shows="The smoother the hinge, the sooner the duality gap is small.",
    setup="The runs of slides-smoothing-error, by passes.",
    claims=[
        Claim(
            "C1",
            "smoother is faster",
            Rule(
                "passes to a relative gap of 1e-5 fall with gamma, each step within 10%",
                across_cases(_passes_fall, by="problem"),
            ),
        ),
        Claim(
            "C2",
            "gamma = 1 is faster than the hinge",
            Rule("the hinge needs at least 1.1 times the passes", across_cases(_faster_than_hinge, by="problem")),
        ),
    ],
    pictures=[
        Picture(partial(_plot_gaps, by="passes"), columns=2),
        Picture(
            partial(_plot_gaps, by="seconds"), "seconds", "Against seconds, as on the slide: those of this machine.", 2
        ),
        Picture(_plot_passes, "passes", columns=2),
    ],
    seconds=(8, 8),
    **RUN_OPTIONS,
)
