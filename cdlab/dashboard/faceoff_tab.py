"""The Face-off tab: what decides between primal and dual, the prediction, and the outcome beside it."""

from __future__ import annotations

from html import escape
from typing import Any

import holoviews as hv
import panel as pn

from ..facing import FaceOff, faceoff
from ..plots import structure, theorem3
from ..problem import Problem
from .lazy_tab import WIDE, LazyTab
from .story import Outcome, Prediction, outcome, predict
from .words import NOTHING, marked, number, table

FORMULAS = r"""
<p>Both sides pay for each nonzero that they visit. Per factor e of accuracy a method needs \( K \) iterations, each
visiting \( W \) nonzeros on average: \( T = K W \) in all. With importance sampling and \( \beta = 1/\gamma \):</p>
<div class="formula" tabindex="0">
\[ T_P = \mathrm{nnz} + \frac{\beta C_P}{\lambda n}, \quad C_P = \sum_{\text{features}} \mathrm{nnz}_j \|X_{:j}\|^2 \]
</div>
<div class="formula" tabindex="0">
\[ T_D = \mathrm{nnz} + \frac{\beta C_D}{\lambda n}, \quad C_D = \sum_{\text{examples}} \mathrm{nnz}_i \|x_i\|^2 \]
</div>
<p>Features that are frequent and large make \( C_P \) large and favour the dual; long examples make \( C_D \) large and
favour the primal.</p>
"""


class FaceOffTab(LazyTab):
    """Primal against dual on the chosen data."""

    def work(self, choices, problem) -> tuple[FaceOff, Prediction, Outcome | None, Problem]:
        lanes = self.lanes(choices)
        happened = outcome([lane.trace for lane in lanes], choices.tol) if lanes else None
        return faceoff(problem), predict(problem, choices.dual_sampling, choices.primal_sampling), happened, problem

    def draw(self, facts: tuple[FaceOff, Prediction, Outcome | None, Problem]) -> list[Any]:
        face, prediction, happened, problem = facts
        came = happened.sentence(prediction) if happened is not None else "Press Run to see what comes of it."
        content: list[Any] = [
            self.html(f'<p class="summary">{marked(prediction.sentence())} {marked(came)}</p>'),
            self.beside(self.html(compared(prediction, happened)), self.html(sums_table(face))),
        ]
        if face.theorem3.ratio is not None:
            content += [self.html(position(face)), pn.pane.Bokeh(theorem3(face), **WIDE)]
        histograms = self.beside(*(pn.pane.Bokeh(hv.render(each), **WIDE) for each in structure(problem)))
        content += [self.typeset(FORMULAS), histograms]
        return [*content, self.html(work_table(face) + derivatives(face))]


def compared(prediction: Prediction, happened: Outcome | None) -> str:
    """Prediction beside outcome."""
    measured = happened.ratio if happened is not None else None
    both = prediction.ratio is not None and measured is not None
    rows = [
        ["predicted, T_P/T_D", number(prediction.ratio)],
        ["measured, passes of the primal over passes of the dual", number(measured)],
        ["measured/predicted", number(measured / prediction.ratio) if both else NOTHING],
    ]
    return table(["primal work over dual work", ""], rows, "Prediction and outcome")


def work_table(face: FaceOff) -> str:
    """K, W, T for both sides and samplings."""
    rows = [[f"{side}, {sampling}", *map(number, row)] for (side, sampling), *row in face.table().itertuples()]
    rows += [
        ["primal over dual, uniform", NOTHING, NOTHING, number(face.uniform.ratio), NOTHING],
        ["primal over dual, importance", NOTHING, NOTHING, number(face.ratio), NOTHING],
    ]
    head = ["side, sampling", "K (iterations)", "W (visits each)", "T (visits in all)", "T/nnz (passes)"]
    because = f'<p class="reason">{escape(face.reason)}.</p>' if face.reason else ""
    return table(head, rows, "What the bounds say, per factor e of accuracy") + because


def sums_table(face: FaceOff) -> str:
    """The constants of the matrix."""
    rows = [
        ["C_P", number(face.C_P), "nonzeros times squared norm, summed over features"],
        ["C_D", number(face.C_D), "nonzeros times squared norm, summed over examples"],
        ["C_P/C_D", number(face.theorem3.ratio), "above 1 it favours the dual, below 1 the primal"],
        ["T_P/T_D at beta = l2 n", number(face.ratio_table), "the convention of the paper's Table 1"],
    ]
    return table(["of the data", "value", "meaning"], rows, "What decides")


def position(face: FaceOff) -> str:
    """Theorem 3 in a sentence."""
    place = face.theorem3
    low, high = place.ratio_bounds
    words = (
        f"C_P/C_D = {number(place.ratio)}. It always lies between 1/d = {number(low)}, where the primal does best, "
        f"and n = {number(high)}, where the dual does best (Csiba & Richtarik 2016, Theorem 3)"
    )
    if place.position is not None:
        words += f"; on a logarithmic scale these data are {number(100 * place.position, 2)}% of the way"
    return f"<h2>Where these data lie</h2><p>{marked(words)}.</p>"


def derivatives(face: FaceOff) -> str:
    """What changes if a loss derivative costs more than a visit."""
    words = []
    if face.derivative_cost and face.winner is not None:
        words.append(f"By the bounds with importance sampling: {face.winner}.")
    if face.break_even is not None:
        if face.break_even > 0:
            words.append(f"The primal wins while a loss derivative costs less than {number(face.break_even)} visits.")
        else:
            words.append("The dual wins whatever a loss derivative costs.")
    if not words:
        return ""
    why = (
        "A primal method needs a derivative of the loss for each nonzero that it visits, a dual one for each iteration."
    )
    return f"<h2>The cost of loss derivatives</h2><p>{marked(' '.join([why, *words]))}</p>"
