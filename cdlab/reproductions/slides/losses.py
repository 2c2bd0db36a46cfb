"""The table of losses: which are Lipschitz, which smooth; and how close the smoothed hinge is to the hinge."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ... import losses
from ...comparisons.claims import Outcome, decide
from ...losses import SmoothHinge
from ...plots.panels import Curve, Panel
from ..items import Claim, Item, Picture, Rule, Table
from ..judging import judge_computed
from ..results import Results

SLIDE_TABLE = {  # Lipschitz, smooth: as the slides say
    "hinge": (True, False),
    "logistic": (True, True),
    "absolute": (True, False),
    "squared": (False, True),
}


def hinge_loss(gamma: float) -> Any:
    """The hinge, smoothed by gamma if that is not 0."""
    return losses.resolve("hinge") if gamma == 0 else SmoothHinge(gamma)


GRIDS = {"on a grid": (10.0, 0.1), "wider": (100.0, 0.1), "finer": (10.0, 0.01)}  # half its width, its spacing


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


def _as_in_table(result: dict[str, dict[str, float]]) -> dict[str, Outcome]:
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
            Rule(
                "Lipschitz: the largest slope less than doubles on a grid ten times as wide; smooth: so does the "
                "largest slope of the slope on one ten times as fine; eight entries",
                judge_computed(_as_in_table),
            ),
        ),
    ],
    tables=_slopes_table,
    notes=[
        "The slides' square loss has no 1/2, so there gamma = 1/2; here it has, and gamma = 1 "
        "(tests/reproductions/test_misprints.py)."
    ],
)


def _smoothed_values(mode: str) -> dict[float, tuple[np.ndarray, np.ndarray]]:
    u = np.linspace(-1.5, 2.5, 401)
    return {
        gamma: (u, np.array([hinge_loss(gamma).phi(each, 1.0) for each in u])) for gamma in (0.0, 0.1, 0.5, 1.0, 2.0)
    }


def _within_half_gamma(result: dict[float, tuple[np.ndarray, np.ndarray]]) -> dict[str, Outcome]:
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
            Rule("0 <= phi - phi_gamma <= gamma/2 on a grid", judge_computed(_within_half_gamma)),
        )
    ],
    pictures=[Picture(_plot_losses, columns=1)],
)
