"""The drawer Face-off: what decides between primal and dual on these data, and where other data would lie."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import panel as pn

from ...faceoffs import FaceOff, faceoff
from ...plots.data import structure
from ...plots.faceoff import (
    cost_model,
    max_norms,
    max_norms_sentence,
    own_density,
    ratio_map,
    ratio_map_sentence,
    theorem3,
)
from ..engine.predicting import data_refusal, title
from ..engine.problems import prepared
from ..stage.typeset import typeset
from ..words import number, sentence
from .part import WIDE, Block, Part, Question, heading, paragraph, table

FORMULAS = r"""
<p>Both sides pay for each nonzero that they visit. Per factor e of accuracy a method needs \( K \) iterations, each
visiting \( W \) nonzeros on average: \( T = K W \) in all. With importance sampling and \( \beta = 1/\gamma \):
\( T_P = \mathrm{nnz} + \frac{\beta C_P}{\lambda n} \) and \( T_D = \mathrm{nnz} + \frac{\beta C_D}{\lambda n} \).
Features that are frequent and large make \( C_P \) large and favour the dual; long examples make \( C_D \) large and
favour the primal.</p>"""
DERIVATIVES = (
    "A primal method needs a derivative of the loss for each nonzero that it visits, a dual one for each iteration. The "
    "upright line is the cost now."
)
SOURCES = {"assumed for this loss": "assumed", "measured on this machine": "measured", "as set": "set"}


def view(session: Any) -> pn.viewable.Viewable:
    density = {"own": pn.widgets.Checkbox(name="as dense as these data", value=True, width=200),
               "log_density": pn.widgets.FloatSlider(name="log₁₀ of the map's density", start=-5, end=0, step=0.05,
                                                     value=-1, width=260)}  # fmt: skip
    cost = {"source": pn.widgets.Select(name="Cost of a loss derivative", options=SOURCES, width=220),
            "log_cost": pn.widgets.FloatSlider(name="log₁₀ of visited nonzeros, as set", start=-2, end=3, step=0.05,
                                               value=1, width=260)}  # fmt: skip
    parts = [
        Part(session, "Face-off", sums_and_work),
        Part(session, "Face-off", shapes, density, follows=["choices"]),
        Part(session, "Face-off", derivatives, cost, follows=["choices"]),
        Part(session, "Face-off", lines, follows=["choices"]),
    ]
    return pn.Column(*(part.view for part in parts), **WIDE)


def face_of(asked: Question) -> FaceOff:
    """The face-off of the present problem.

    Raises
    ------
    ValueError, OSError
        If it cannot be taken.
    """
    if refusal := data_refusal(asked.choices):
        raise ValueError(refusal.why)
    return prepared(asked.choices).faceoff


def sums_and_work(asked: Question) -> list[Block]:
    """C_P and C_D, K, W and T of both draws, the verdict with exact steps, the outcome, and Theorem 3."""
    face = face_of(asked)
    place = face.theorem3
    sums = [
        ["C_P", number(face.C_P), "nonzeros × squared norm, summed over features"],
        ["C_D", number(face.C_D), "nonzeros × squared norm, summed over examples"],
        ["C_P/C_D", number(place.ratio), "above 1 it favours the dual, below 1 the primal"],
        ["T_P/T_D at β = λn", number(face.ratio_table), "the convention of the paper's Table 1"],
        ["T_P/T_D, accelerated", number(face.ratio_acc), "both sides with momentum, p ~ √L"],
    ]
    work = [[f"{side}, {draws}", *map(number, row)] for (side, draws), *row in face.table().itertuples()]
    work += [[f"primal over dual, {name}", "", "", number(each.ratio), ""]
             for name, each in (("uniform", face.uniform), ("importance", face.importance))]  # fmt: skip
    blocks: list[Block] = [
        paragraph(f"{title(asked.choices, prepared(asked.choices))}. {face.verdict}"), typeset(FORMULAS),
        table("What decides", ["of the data", "value", "meaning"], sums),
        table("By the bounds, per factor e of accuracy", ["side, draws", "K: iterations", "W: nonzeros each",
              "T: nonzeros in all", "T/nnz: passes"], work),
        outcome_words(asked, face),
    ]  # fmt: skip
    if face.reason:
        blocks.insert(1, f'<p class="reason">{sentence(face.reason)}</p>')
    if place.ratio is not None and place.ratio_bounds is not None:
        low, high = place.ratio_bounds
        words = (
            f"C_P/C_D always lies between 1/d = {number(low)}, where the primal does best, and n = {number(high)}, where "
            f"the dual does best (Csiba & Richtarik 2016, Theorem 3); here it is {number(place.ratio)}"
        )
        far = f", {number(100 * place.position, 2)} % of the way on a logarithmic scale." if place.position is not None else "."
        blocks += [heading("Where these data lie"), theorem3(face), paragraph(words + far)]
    return blocks


def outcome_words(asked: Question, face: FaceOff) -> str:
    """What the race of these choices measured beside the prediction, as HTML."""
    measured = asked.race.outcome.primal_over_dual if asked.race else None
    if measured is None:
        return paragraph("Race a primal entry against a dual one to see what comes of it.")
    rows = [[f"predicted, {name}", number(each.ratio), number(measured / each.ratio if each.ratio else None)]
            for name, each in (("importance", face.importance), ("uniform", face.uniform))]  # fmt: skip
    rows.append(["measured: passes of the primal over those of the dual", number(measured), ""])
    return table("Prediction and outcome", ["primal work over dual work", "", "measured/predicted"], rows)


def shapes(asked: Question, own: bool, log_density: float) -> list[Block]:
    """The map over n and d, and what uneven norms cost uniform draws."""
    face = face_of(asked)
    density = own_density(face) if own else 10**log_density
    map_words = f"The map is of data with independent entries, {number(100 * density)} % of them nonzeros; the diamond marks these data. "
    blocks: list[Block] = [heading("Other shapes"), ratio_map(face, density), paragraph(map_words + ratio_map_sentence(face))]
    if face.T_P is not None or face.T_D is not None:
        blocks += [heading("Uniform and importance draws"), max_norms(face), paragraph(max_norms_sentence(face))]
    return blocks


def derivatives(asked: Question, source: str, log_cost: float) -> list[Block]:
    """Work against the cost of a loss derivative."""
    face = face_of(asked)
    if source != "assumed":
        cost = "measured" if source == "measured" else 10**log_cost
        face = faceoff(prepared(asked.choices).problem, derivative_cost=cost)
    if face.T_P is None or face.T_D is None or face.derivative_cost is None:
        return []
    even = face.break_even
    words = "Expensive derivatives do not hurt the primal more than the dual."
    if even is not None:
        words = f"The primal wins while a derivative costs less than {number(even)} visited nonzeros." if even > 0 else "The dual wins whatever a derivative costs."
    k = face.derivative_cost
    rows = [["cost of a derivative, in visited nonzeros", number(k), number(k)],
            ["work per factor e, derivatives counted", number(face.cost_P()), number(face.cost_D())],
            ["seconds per factor e on this machine", number(face.seconds_P), number(face.seconds_D)]]  # fmt: skip
    return [
        heading("The cost of a derivative"), cost_model(face, k), paragraph(f"{DERIVATIVES} {words}"),
        table(f"With derivatives ({face.derivative_cost_source or 'set'})", ["", "primal", "dual"], rows),
    ]  # fmt: skip


def lines(asked: Question) -> list[Block]:
    """How long and heavy rows and columns are."""
    problem = prepared(asked.choices).problem
    rows = []
    for profile, line in ((problem.row_profile, "rows (examples)"), (problem.column_profile, "columns (features)")):
        for values, what in ((profile.counts, "nonzeros"), (profile.norms2, "squared norm")):
            of = (values.min(), np.median(values), values.mean(), values.max()) if values.size else [math.nan] * 4
            rows.append([f"{what} of {line}", *(number(float(x)) for x in of)])
    pictures = [each for each in structure(problem)]
    return [
        heading("Rows and columns", "How many lines have so many nonzeros, and such a norm."),
        *pictures, table("Rows and columns", ["", "least", "median", "mean", "most"], rows),
    ]  # fmt: skip
