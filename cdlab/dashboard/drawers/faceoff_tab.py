"""The Face-off tab: what decides between primal and dual, the prediction, and the outcome beside it."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import panel as pn
import param

from ...faceoffs import FaceOff, caveats, faceoff, ratio_in_words, winner
from ...plots.data import sparsity, sparsity_sentence, structure
from ...plots.faceoff import cost_model, own_density, ratio_map, ratio_map_sentence, theorem3
from ...problems.problem import Problem
from ..parts.figures import bokeh_figure
from ..parts.form import Field
from ..parts.lazy_tab import WIDE, LazyTab
from ..parts.slid import Slid
from ..races.story import Outcome, Prediction, labels, predict, spoken_of
from ..stage.typeset import typeset
from ..templates import html
from ..words import NOTHING, number, reason, table

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


WORDS = "<p>{{ words|marked }}</p>"
SOURCES = {"assumed for this loss": "assumed", "measured on this machine": "measured", "set by the slider": "set"}
DENSITY_FIELDS = [
    Field("own"),
    Field("density", slider=(-5, 0, 0.05), log=True, live=True, needed=lambda form: not form.own),
]
COST_FIELDS = [
    Field("source", options=SOURCES),
    Field("cost", slider=(-2, 3, 0.05), log=True, live=True, needed=lambda form: form.source == "set"),
]


class Density(param.Parameterized):
    """Of the map."""

    own = param.Boolean(
        True, label="as dense as the data", doc="The map of independent entries as dense as these data."
    )
    density = param.Number(0.1, bounds=(0, 1), label="Density of the map", doc="Share of nonzeros; 1 is dense.")


class Cost(param.Parameterized):
    """Of a loss derivative."""

    source = param.Selector(
        default="assumed",
        objects=list(SOURCES.values()),
        label="Cost of a loss derivative",
        doc="In visited nonzeros: assumed for the loss, measured once on this machine, or set by the slider.",
    )
    cost = param.Number(10.0, bounds=(0, None), label="as set", doc="Visited nonzeros that a derivative costs.")


class Facts(NamedTuple):
    """What the tab shows."""

    face: FaceOff
    prediction: Prediction
    happened: Outcome | None
    problem: Problem
    position: Any  # a figure, or None
    sparsity: Any  # a figure
    sparsity_words: str
    histograms: list[Any]  # figures


class FaceOffTab(LazyTab):
    """Primal against dual on the chosen data."""

    def __init__(self, *args: Any):
        super().__init__(*args)
        self._parts: tuple[Slid, Slid] | None = None

    def work(self, choices, problem) -> Facts:
        race = self.state.result
        same = bool(self.lanes(choices)) and all(about(race.choices) == about(choices) for about in (labels, spoken_of))
        happened = race.outcome() if same else None
        predicted = predict(problem, choices)
        face = faceoff(problem)
        place = None if face.theorem3.ratio is None else bokeh_figure(theorem3(face))
        nonzeros, words = bokeh_figure(sparsity(problem.X)), sparsity_sentence(problem.X)
        histograms = [bokeh_figure(each) for each in structure(problem)]
        return Facts(face, predicted, happened, problem, place, nonzeros, words, histograms)

    def draw(self, facts: Facts) -> list[Any]:
        face, prediction, happened, problem = facts[:4]
        if self._parts is None:
            self._parts = (
                Slid(self.state, self.css, Density(), DENSITY_FIELDS, drawn_map),
                Slid(self.state, self.css, Cost(), COST_FIELDS, drawn_cost),
            )
        the_map, cost = self._parts
        came = happened.sentence(prediction) if happened is not None else "Press Run to see what comes of it."
        content: list[Any] = [
            self.html(html('<p class="summary">{{ words|marked }}</p>', words=f"{prediction.sentence()} {came}")),
            self.html(doubted(face, prediction)),
            self.beside(self.html(compared(prediction, happened)), self.html(sums_table(face))),
        ]
        if facts.position is not None:
            content += [self.html(position(face)), pn.pane.Bokeh(facts.position, **WIDE)]
            content += [self.html("<h2>Beside independent entries</h2>"), the_map.view]
            the_map.show(face)
        content += [
            self.html(html("<h2>The data</h2><p>{{ words|marked }}</p>", words=facts.sparsity_words)),
            pn.pane.Bokeh(facts.sparsity, **WIDE),
            self.html(typeset(FORMULAS)),
            self.beside(*(pn.pane.Bokeh(each, **WIDE) for each in facts.histograms)),
            self.html(counts_table(problem)),
            self.html(work_table(face) + "<h2>The cost of loss derivatives</h2>"),
        ]
        cost.show((face, problem))
        return [*content, cost.view]


def drawn_map(values: dict[str, Any], face: FaceOff) -> tuple[Any, str]:
    """The map at the density of the form."""
    density = own_density(face) if values["own"] else values["density"]
    at = f"The map is that of density {number(density)}; the diamond marks these data."
    return bokeh_figure(ratio_map(face, density)), html(WORDS, words=f"{at} {ratio_map_sentence(face)}")


def drawn_cost(values: dict[str, Any], about: tuple[FaceOff, Problem]) -> tuple[Any, str]:
    """Work against the cost of a derivative, at the cost of the form."""
    face, problem = about
    if values["source"] == "measured":
        face = faceoff(problem, derivative_cost="measured")
    elif values["source"] == "set":
        face = faceoff(problem, derivative_cost=values["cost"])
    if face.T_P is None or face.T_D is None:
        return None, derivatives(face)
    return bokeh_figure(cost_model(face, face.derivative_cost)), derivatives(face)


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


def doubted(face: FaceOff, prediction: Prediction) -> str:
    """What the bounds do not know of such a race; nothing where they say nothing."""
    if prediction.ratio is None:
        return ""
    side = winner(prediction.ratio)
    words = caveats(face.n_nonempty, face.d_nonempty, side)
    if face.exact is not None:
        words.append(face.exact.sentence(side))
    return html(WORDS, words=" ".join(words)) if words else ""


def work_table(face: FaceOff) -> str:
    """K, W, T for both sides and samplings."""
    rows = [[f"{side}, {sampling}", *map(number, row)] for (side, sampling), *row in face.table().itertuples()]
    rows += [
        ["primal over dual, uniform", NOTHING, NOTHING, number(face.uniform.ratio), NOTHING],
        ["primal over dual, importance", NOTHING, NOTHING, number(face.ratio), NOTHING],
    ]
    head = ["side, sampling", "K (iterations)", "W (visits each)", "T (visits in all)", "T/nnz (passes)"]
    because = reason(face.reason) if face.reason else ""
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
    if (face.n, face.d) != (face.n_nonempty, face.d_nonempty):
        words += (
            f". Only rows and columns that are not empty count: {number(face.n_nonempty)} of {number(face.n)} examples "
            f"and {number(face.d_nonempty)} of {number(face.d)} features"
        )
    return html("<h2>Where these data lie</h2><p>{{ words|marked }}.</p>", words=words)


def counts_table(problem: Problem) -> str:
    """What the histograms show, in numbers."""
    rows = []
    for profile, line in ((problem.row_profile, "rows (examples)"), (problem.column_profile, "columns (features)")):
        for values, what in ((profile.counts, "nonzeros"), (profile.norms2, "squared norm")):
            least, middle, most = (number(float(x)) for x in (values.min(), np.median(values), values.max()))
            rows.append([f"{what} of {line}", least, middle, number(float(values.mean())), most])
    return table(["", "least", "median", "mean", "most"], rows, "Rows and columns")


def derivatives(face: FaceOff) -> str:
    """What changes if a loss derivative costs more than a visit, in words and as a table."""
    why = (
        "A primal method needs a derivative of the loss for each nonzero that it visits, a dual one for each iteration."
    )
    if face.T_P is None or face.T_D is None:
        return html("<p>{{ why }}</p>", why=why) + (reason(face.reason) if face.reason else "")
    words = [why]
    if face.ratio is not None:
        words.append(f"With importance sampling and without that cost {ratio_in_words(face.ratio)}.")
        if face.derivative_cost:
            words.append(
                f"At a cost of {number(face.derivative_cost)} visits {ratio_in_words(face.cost_P() / face.cost_D())}."
            )
    if face.break_even is None:
        words.append("Expensive derivatives do not hurt the primal more than the dual.")
    elif face.break_even > 0:
        words.append(f"The primal wins while a loss derivative costs less than {number(face.break_even)} visits.")
    else:
        words.append("The dual wins whatever a loss derivative costs.")
    rows = [
        ["cost of a derivative, in visited nonzeros", number(face.derivative_cost), number(face.derivative_cost)],
        ["work per factor e, derivatives counted", number(face.cost_P()), number(face.cost_D())],
        ["seconds per factor e on this machine", number(face.seconds_P), number(face.seconds_D)],
    ]
    source = f" ({face.derivative_cost_source})" if face.derivative_cost_source else ""
    return html(WORDS, words=" ".join(words)) + table(["", "primal", "dual"], rows, f"With derivatives{source}")
