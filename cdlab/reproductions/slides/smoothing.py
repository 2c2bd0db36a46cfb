"""The table of losses, and what smoothing the hinge does to it, to test errors and to the passes that it takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import losses
from ...comparisons import Reach, claims, paired_ratio
from ...comparisons.claims import Outcome
from ...losses import SmoothHinge
from ...plots.panels import Curve, Panel
from ..found import Found, Results
from ..items import Claim, Item, Picture, Table
from ..judging import computed, fact, together
from . import parts
from .parts import NEWS, REUTERS, SDCA, ccat

GAP = 1e-5
TESTED = {"reuters": 3022, "news20.train": 7527}  # test examples
GAMMAS = (0.0, 0.01, 0.1, 0.5, 1.0, 2.0, 5.0)
TICKS = {  # Lipschitz, smooth: as the slides say
    "hinge": (True, False), "logistic": (True, True), "absolute": (True, False), "squared": (False, True),
}  # fmt: skip


def _hinge(gamma: float) -> Any:
    return losses.resolve("hinge") if gamma == 0 else SmoothHinge(gamma)


GRIDS = {"on a grid": (10.0, 0.1), "wider": (100.0, 0.1), "finer": (10.0, 0.01)}  # half its width, its spacing


def _slopes(mode: str) -> dict[str, dict[str, float]]:
    """The largest slope, and the largest slope of the slope, on several grids, beside L and 1/gamma."""
    found = {}
    for name in TICKS:
        loss: Any = losses.resolve(name)
        told = {"L": loss.lipschitz, "1/gamma": 1 / loss.gamma if loss.gamma else np.inf}
        for grid, (half, spacing) in GRIDS.items():
            slopes = np.array([loss.grad_phi(u, 1.0) for u in np.arange(-half, half, spacing) + spacing / 2])
            told[f"slope, {grid}"] = float(np.abs(slopes).max())
            told[f"its slope, {grid}"] = float(np.abs(np.diff(slopes)).max() / spacing)
        found[name] = told
    return found


def _ticks(found: dict[str, dict[str, float]]) -> dict[str, Outcome]:
    """Slopes that do not grow with the width are bounded; those of slopes that do not grow as the grid is refined."""
    outcomes = {}
    for name, (lipschitz, smooth) in TICKS.items():
        told = found[name]
        for word, expected, growth in (
            ("Lipschitz", lipschitz, told["slope, wider"] / told["slope, on a grid"]),
            ("smooth", smooth, told["its slope, finer"] / told["its slope, on a grid"]),
        ):
            outcomes[f"{name}, {word}"] = fact(
                (growth < 2) == expected, f"growth {'<' if expected else '>='} 2", growth
            )
    return outcomes


def _slopes_table(results: Results) -> list[Table]:
    names = list(results.computed["hinge"])
    rows = [[loss, *told.values()] for loss, told in results.computed.items()]
    return [Table("Largest slopes of the loss, and of its slope", ["loss", *names], rows)]


LOSSES = Item(
    "slides-losses", parts.PAPER, "table of losses",
    shows="Which of the losses of SVM, logistic regression, absolute deviation and least squares are Lipschitz, which "
    "smooth.",
    here="Largest differences of the loss on grids, one wider and one finer.",
    compute=_slopes,
    claims=[
        Claim("C1", "Lipschitz: SVM, logistic, absolute; smooth: logistic, square",
              "the largest slope grows less than twofold on a grid ten times as wide, that of the slope on one ten "
              "times as fine; eight entries", computed(_ticks)),
    ],
    tables=_slopes_table,
    notes=["The slides' square loss has no 1/2, so there gamma = 1/2; here it has, and gamma = 1."],
)  # fmt: skip


def _smoothed(mode: str) -> dict[float, tuple[np.ndarray, np.ndarray]]:
    u = np.linspace(-1.5, 2.5, 401)
    return {gamma: (u, np.array([_hinge(gamma).phi(each, 1.0) for each in u])) for gamma in (0.0, 0.1, 0.5, 1.0, 2.0)}


def _sandwich(found: dict[float, tuple[np.ndarray, np.ndarray]]) -> dict[str, Outcome]:
    hinge = found[0.0][1]
    outcomes = {}
    for gamma, (_, values) in found.items():
        below = hinge - values
        if gamma:
            holds = below.min() >= -1e-12 and below.max() <= gamma / 2 + 1e-12
            outcomes[f"gamma = {gamma:g}"] = fact(
                holds, "0 <= phi - phi_gamma <= gamma/2", below.max(), below.min(), below.max()
            )
    return outcomes


def _drawn(results: Results) -> Sequence[Panel]:
    curves = [
        Curve("hinge" if gamma == 0 else f"gamma = {gamma:g}", "", [one]) for gamma, one in results.computed.items()
    ]
    return [Panel(curves, x_label="y u", y_label="loss", y_log=False)]


SMOOTHING_LOSS = Item(
    "slides-smoothing-loss", parts.PAPER, "figure, the smoothed hinge",
    shows="The hinge, and its smoothed version below it.",
    here="Both formulas on a grid.",
    compute=_smoothed,
    claims=[Claim("C1", "the smoothed hinge is close to the hinge", "0 <= phi - phi_gamma <= gamma/2 on a grid",
                  computed(_sandwich))],
    pictures=[Picture(_drawn, columns=1)],
)  # fmt: skip

CASES = [
    ccat(data, paper_l2, _hinge(gamma), f"{data.name}, lambda = {paper_l2}, gamma = {gamma:g}", test=True,
         tags={"gamma": gamma, "problem": f"{data.name}, lambda = {paper_l2}"})
    for data in (REUTERS, NEWS) for paper_l2 in ("1e-5", "1e-6") for gamma in GAMMAS
]  # fmt: skip
RUN: dict[str, Any] = {"cases": CASES, "contenders": [SDCA], "tol": GAP, "max_passes": 200, "reference": False}


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
    here=f"Test errors at a relative gap of {GAP:g}, for gamma from 0 (the hinge) to 5. The paper's values are lost.",
    claims=[Claim("C1", "mild effect on 0-1 error", "for gamma <= 1 the median error differs from the hinge's by at "
                  "most 0.005, or two standard errors of the test set", together(_mild, by="problem"))],
    tables=_error_table,
    seconds=(8, 8),
    **RUN,
)  # fmt: skip


def _reached(founds: list[Found]) -> list[Reach]:
    return [found.reach("SDCA", GAP, of="relative_gap") for found in sorted(founds, key=lambda f: f.tags["gamma"])]


def _falls(founds: list[Found]) -> tuple[Outcome, str]:
    reached = _reached(founds)
    medians = ", ".join(f"{one.median[0]:.3g}" for one in reached)
    return claims.falls(
        reached, claims.MONOTONE
    ), f"passes for gamma = {', '.join(map('{:g}'.format, GAMMAS))}: {medians}"


def _than_hinge(founds: list[Found]) -> tuple[Outcome, str]:
    reached = dict(zip(GAMMAS, _reached(founds), strict=True))
    return claims.faster(paired_ratio(reached[1.0], reached[0.0])), "passes of the hinge divided by those of gamma = 1"


def _against_gamma(results: Results) -> Sequence[Panel]:
    groups: dict[str, list[Found]] = {}
    for found in results.founds.values():
        groups.setdefault(found.tags["problem"], []).append(found)
    panels = []
    for name, founds in groups.items():
        by_seed = np.array([one.high for one in _reached(founds)]).T
        runs = [(np.maximum(GAMMAS, 1e-3), each) for each in by_seed]
        labels: dict[str, Any] = {"x_label": "gamma (the hinge at 1e-3)", "y_label": f"passes to a gap of {GAP:g}"}
        panels.append(Panel([Curve("SDCA", "dual", runs)], name, **labels, x_log=True, y_log=False))
    return panels


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
    pictures=[Picture(_against_gamma, columns=2)],
    seconds=(8, 8),
    **RUN,
)  # fmt: skip

ITEMS = (LOSSES, SMOOTHING_LOSS, SMOOTHING_ERROR, SMOOTHING_TIME)
