"""What smoothing the hinge does to test errors, and to the passes that SDCA takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from ...comparisons import Reach, claims, paired_ratio
from ...comparisons.claims import Outcome
from ...plots.panels import Curve, Panel
from ..cases import Case
from ..found import Found, Results
from ..items import Claim, Item, Picture, Table
from ..judging import together
from . import parts
from .losses import hinge
from .parts import NEWS, REUTERS, SDCA, ccat

GAP = 1e-5
TESTED = {"reuters": 3022, "news20.train": 7527}  # test examples
GAMMAS = (0.0, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0)
LEAST, AXIS = 1e-3, "gamma (the hinge at 1e-3)"  # where an axis has gamma = 0

CASES = [
    ccat(data, paper_l2, hinge(gamma), f"{data.name}, lambda = {paper_l2}, gamma = {gamma:g}", test=True,
         tags={"gamma": gamma, "problem": f"{data.name}, lambda = {paper_l2}"})
    for data in (REUTERS, NEWS) for paper_l2 in ("1e-5", "1e-6") for gamma in GAMMAS
]  # fmt: skip
CASES += [
    Case(f"{REUTERS.name}, l2 = {paper_l2}, gamma = {gamma:g}", REUTERS, hinge(gamma), float(paper_l2), test=True,
         stands_for=parts.CCAT, judged=False, modes=("full",),
         tags={"gamma": gamma, "problem": f"{REUTERS.name}, l2 = {paper_l2}", "data": REUTERS.name})
    for paper_l2 in ("1e-5", "1e-6") for gamma in GAMMAS
]  # fmt: skip
RUN: dict[str, Any] = {"cases": CASES, "contenders": [SDCA], "tol": GAP, "max_passes": 200, "reference": False}


def _grouped(results: Results) -> dict[str, list[Found]]:
    groups: dict[str, list[Found]] = {}
    for found in results.founds.values():
        groups.setdefault(found.tags["problem"], []).append(found)
    return groups


def _gaps(results: Results, by: str) -> Sequence[Panel]:
    """Relative gaps, a panel for each problem with a curve for each gamma."""
    made = []
    for name, founds in _grouped(results).items():
        curves = [Curve(_label(found), "", found.curves("SDCA", by, "relative_gap")) for found in founds]
        made.append(Panel(curves, name, by, "relative gap"))
    return made


def _label(found: Found) -> str:
    gamma = found.tags["gamma"]
    return f"gamma = {gamma:g}" if gamma else "hinge"


def _against_gamma(results: Results, of: Callable[[Found], np.ndarray], y_label: str) -> Sequence[Panel]:
    """A value of each run, a panel for each problem."""
    made = []
    for name, founds in _grouped(results).items():
        by_seed = np.array([of(found) for found in founds]).T
        runs = [(np.maximum(GAMMAS, LEAST), each) for each in by_seed]
        made.append(Panel([Curve("SDCA", "dual", runs)], name, AXIS, y_label, x_log=True, y_log=False))
    return made


def _errors_drawn(results: Results) -> Sequence[Panel]:
    return _against_gamma(results, lambda found: 100 * found.last("SDCA", "test_error"), "test 0-1 error, %")


def _test_errors(founds: list[Found]) -> dict[float, np.ndarray]:
    return {found.tags["gamma"]: found.last("SDCA", "test_error") for found in founds}


def _mild(founds: list[Found]) -> tuple[Outcome, str]:
    """The gamma <= 1 whose effect is the largest."""
    errors = _test_errors(founds)
    without, examples = float(np.median(errors[0.0])), TESTED[founds[0].tags["data"]]
    smoothed = {gamma: list(each) for gamma, each in errors.items() if 0 < gamma <= 1}
    outcomes = {gamma: claims.mild_effect(each, without, examples) for gamma, each in smoothed.items()}
    worst = max(outcomes, key=lambda gamma: outcomes[gamma].value)
    return outcomes[worst], f"largest at gamma = {worst:g}; test error of the hinge {without:.2%}"


def _error_table(results: Results) -> list[Table]:
    rows = []
    for found in results.founds.values():
        if found.by_label:
            each = found.last("SDCA", "test_error")
            rows.append(
                [
                    found.tags["problem"],
                    found.tags["gamma"],
                    f"{np.median(each):.2%}",
                    f"{each.min():.2%}",
                    f"{each.max():.2%}",
                ]
            )
    return [
        Table(f"Test errors at a relative gap of {GAP:g}", ["problem", "gamma", "median", "smallest", "largest"], rows)
    ]


SMOOTHING_ERROR = Item(
    "slides-smoothing-error", parts.PAPER, "figure, test error of the smoothed hinge",
    shows="Smoothing the hinge has a mild effect on the 0-1 error.",
    here=f"Test errors at a relative gap of {GAP:g}, for gamma from 0 (the hinge) to 5. The slides' values are "
    "missing from our copy.",
    claims=[Claim("C1", "mild effect on 0-1 error", "for gamma <= 1 the median error differs from the hinge's by at "
                  "most 0.005, or two standard errors of the test set", together(_mild, by="problem"))],
    pictures=[Picture(_errors_drawn, columns=2)],
    tables=_error_table,
    seconds=(8, 8),
    **RUN,
)  # fmt: skip


def _reach(found: Found) -> Reach:
    return found.reach("SDCA", GAP, of="relative_gap")


def _reached(founds: list[Found]) -> list[Reach]:
    return [_reach(found) for found in sorted(founds, key=lambda f: f.tags["gamma"])]


def _falls(founds: list[Found]) -> tuple[Outcome, str]:
    reached = _reached(founds)
    medians = ", ".join(f"{one.median[0]:.3g}" for one in reached)
    return claims.falls(
        reached, claims.MONOTONE
    ), f"passes for gamma = {', '.join(map('{:g}'.format, GAMMAS))}: {medians}"


def _than_hinge(founds: list[Found]) -> tuple[Outcome, str]:
    reached = dict(zip(GAMMAS, _reached(founds), strict=True))
    return claims.faster(paired_ratio(reached[1.0], reached[0.0])), "passes of the hinge divided by those of gamma = 1"


def _passes_drawn(results: Results) -> Sequence[Panel]:
    return _against_gamma(results, lambda found: _reach(found).high, f"passes to a relative gap of {GAP:g}")


SMOOTHING_TIME = Item(
    "slides-smoothing-time", parts.PAPER, "figure, runtime of the smoothed hinge",
    shows="The smoother the hinge, the sooner the duality gap is small.",
    here="The runs of slides-smoothing-error, by passes.",
    claims=[
        Claim("C1", "smoother is faster", "passes to a relative gap of 1e-5 fall with gamma, each step within 10%",
              together(_falls, by="problem")),
        Claim("C2", "gamma = 1 is faster than the hinge", "the hinge needs at least 1.1 times the passes",
              together(_than_hinge, by="problem")),
    ],
    pictures=[
        Picture(partial(_gaps, by="passes"), columns=2),
        Picture(partial(_gaps, by="seconds"), "seconds", "Against seconds, as on the slide: those of this machine.", 2),
        Picture(_passes_drawn, "passes", columns=2),
    ],
    seconds=(8, 8),
    **RUN,
)  # fmt: skip

ITEMS = (SMOOTHING_ERROR, SMOOTHING_TIME)
