"""The table of losses, and the smoothed hinge: how close it is to the hinge, and what that does to SDCA."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from cdlab import losses
from cdlab.comparisons import FirstCrossing, paired_ratio
from cdlab.losses import SmoothHinge
from cdlab.plots import Curve, Panel

from .. import claims
from ..claims import RuleOutcome, decide
from ..items import Case, Claim, Item, Picture, Table
from ..judging import across_cases, judge_computed, reads
from ..results import CaseResult, Results, by_tag
from . import parts
from .parts import NEWS, REUTERS, SDCA, ccat_case

SLIDE_TABLE = {  # Lipschitz, smooth: as the slides say
    "hinge": (True, False),
    "logistic": (True, True),
    "absolute": (True, False),
    "squared": (False, True),
}


def hinge_loss(gamma: float) -> Any:
    """The hinge, smoothed by gamma if that is not 0."""
    return losses.resolve("hinge") if gamma == 0 else SmoothHinge(gamma)


# Of each grid these are half its width and its spacing.
GRIDS = {"on a grid": (10.0, 0.1), "wider": (100.0, 0.1), "finer": (10.0, 0.01)}


def _largest_slopes(mode: str) -> dict[str, dict[str, float]]:
    """The largest slope, and the largest slope of the slope, on several grids, beside L and 1/gamma."""
    result = {}
    for name in SLIDE_TABLE:
        loss: Any = losses.resolve(name)
        slopes_by_grid = {"L": loss.lipschitz, "1/gamma": 1 / loss.gamma if loss.gamma else np.inf}
        for grid, (half, spacing) in GRIDS.items():
            slopes = np.array([loss.grad_phi(u, 1.0) for u in np.arange(-half, half, spacing) + spacing / 2])
            slopes_by_grid[f"slope, {grid}"] = float(np.abs(slopes).max())
            slopes_by_grid[f"slope of the slope, {grid}"] = float(np.abs(np.diff(slopes)).max() / spacing)
        result[name] = slopes_by_grid
    return result


def _as_in_table(result: dict[str, dict[str, float]]) -> dict[str, RuleOutcome]:
    """Slopes that do not grow with the width are bounded; those of slopes that do not grow as the grid is refined."""
    outcomes = {}
    for name, (lipschitz, smooth) in SLIDE_TABLE.items():
        slopes = result[name]
        for word, expected, growth in (
            ("Lipschitz", lipschitz, slopes["slope, wider"] / slopes["slope, on a grid"]),
            ("smooth", smooth, slopes["slope of the slope, finer"] / slopes["slope of the slope, on a grid"]),
        ):
            outcomes[f"{name}, {word if expected else f'not {word}'}"] = decide(
                (growth < 2) == expected, f"growth {'<' if expected else '>='} 2", growth
            )
    return outcomes


def _slopes_table(results: Results) -> list[Table]:
    names = list(results.computed["hinge"])
    rows = [[loss, *slopes.values()] for loss, slopes in results.computed.items()]
    return [Table("Largest slopes of the loss, and of its slope", ["loss", *names], rows)]


LOSSES = Item(
    "slides-losses",
    "table of losses",
    shows="Which of the losses of SVM, logistic regression, absolute deviation and least squares are Lipschitz, "
    "which smooth.",
    setup="Largest differences of the loss on grids, one wider and one finer.",
    compute=_largest_slopes,
    claims=[
        Claim(
            "C1",
            "Lipschitz: SVM, logistic, absolute; smooth: logistic, square",
            "Lipschitz: the largest slope less than doubles on a grid ten times as wide; smooth: so does the "
            "largest slope of the slope on one ten times as fine; eight entries",
            judge_computed(_as_in_table),
        ),
    ],
    tables=_slopes_table,
    notes=[
        "The slides' square loss has no 1/2, so there gamma = 1/2; here it has, and gamma = 1 "
        "(tests/papers/test_misprints.py)."
    ],
)


def _smoothed_values(mode: str) -> dict[float, tuple[np.ndarray, np.ndarray]]:
    u = np.linspace(-1.5, 2.5, 401)
    return {
        gamma: (u, np.array([hinge_loss(gamma).phi(each, 1.0) for each in u])) for gamma in (0.0, 0.1, 0.5, 1.0, 2.0)
    }


def _within_half_gamma(result: dict[float, tuple[np.ndarray, np.ndarray]]) -> dict[str, RuleOutcome]:
    hinge = result[0.0][1]
    outcomes = {}
    for gamma, (_, values) in result.items():
        below = hinge - values
        if gamma:
            holds = below.min() >= -1e-12 and below.max() <= gamma / 2 + 1e-12
            outcomes[f"gamma = {gamma:g}"] = decide(
                holds, "0 <= phi - phi_gamma <= gamma/2", below.max(), below.min(), below.max()
            )
    return outcomes


def _plot_losses(results: Results) -> Sequence[Panel]:
    curves = [
        Curve("hinge" if gamma == 0 else f"gamma = {gamma:g}", "", [one]) for gamma, one in results.computed.items()
    ]
    return [Panel(curves, x_label="margin y u", y_label="loss", y_log=False)]


SMOOTHING_LOSS = Item(
    "slides-smoothing-loss",
    "figure, the smoothed hinge",
    shows="The hinge, and its smoothed version below it.",
    setup="Both formulas on a grid.",
    compute=_smoothed_values,
    claims=[
        Claim(
            "C1",
            "the smoothed hinge is close to the hinge",
            "0 <= phi - phi_gamma <= gamma/2 on a grid",
            judge_computed(_within_half_gamma),
        )
    ],
    pictures=[Picture(_plot_losses, columns=1)],
)


# ------------------------------------------------------------ what smoothing the hinge does to test errors and passes
GAP_TOL = 1e-5
TEST_EXAMPLES = {"reuters": 3022, "news20.train": 7527}  # The sets have so many test examples.
GAMMAS = (0.0, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0)
ZERO_GAMMA_AT, GAMMA_AXIS = 1e-3, "gamma (the hinge at 1e-3)"  # An axis has gamma = 0 here.

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


def _plot_gaps(results: Results, by: str) -> Sequence[Panel]:
    """Relative gaps, a panel for each problem with a curve for each gamma."""
    panels = []
    for name, cases in by_tag(results.cases.values(), "problem").items():
        curves = [Curve(_gamma_label(result), "", result.curves("SDCA", by, "relative_gap")) for result in cases]
        panels.append(Panel(curves, name, by, "relative gap"))
    return panels


def _gamma_label(result: CaseResult) -> str:
    gamma = result.tags["gamma"]
    return f"gamma = {gamma:g}" if gamma else "hinge"


def _plot_against_gamma(results: Results, of: Callable[[CaseResult], np.ndarray], y_label: str) -> Sequence[Panel]:
    """A value of each run, a panel for each problem."""
    panels = []
    for name, cases in by_tag(results.cases.values(), "problem").items():
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
def _mild_effect(cases: list[CaseResult]) -> tuple[RuleOutcome, str]:
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
            "for gamma <= 1 the median error differs from the hinge's by at most 0.005, or two standard errors "
            "of the test set",
            across_cases(_mild_effect, by="problem"),
        )
    ],
    pictures=[Picture(_plot_test_errors, columns=2)],
    tables=_error_table,
    seconds=(8, 8),
    **RUN_OPTIONS,
)


def _passes_to_gap(result: CaseResult) -> FirstCrossing:
    return result.reach("SDCA", GAP_TOL, of="relative_gap")


def _passes_by_gamma(cases: list[CaseResult]) -> list[FirstCrossing]:
    return [_passes_to_gap(result) for result in sorted(cases, key=lambda f: f.tags["gamma"])]


@reads("SDCA")
def _passes_fall(cases: list[CaseResult]) -> tuple[RuleOutcome, str]:
    reached = _passes_by_gamma(cases)
    medians = ", ".join(f"{one.median[0]:.3g}" for one in reached)
    return claims.falls(
        reached, claims.MONOTONE_SLACK
    ), f"passes for gamma = {', '.join(map('{:g}'.format, GAMMAS))}: {medians}"


@reads("SDCA")
def _faster_than_hinge(cases: list[CaseResult]) -> tuple[RuleOutcome, str]:
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
            "passes to a relative gap of 1e-5 fall with gamma, each step within 10%",
            across_cases(_passes_fall, by="problem"),
        ),
        Claim(
            "C2",
            "gamma = 1 is faster than the hinge",
            "the hinge needs at least 1.1 times the passes",
            across_cases(_faster_than_hinge, by="problem"),
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
