"""The drawer Face-off: what decides between primal and dual on these data, and where other data would lie."""

from __future__ import annotations

from typing import Any

import numpy as np
import panel as pn

from ...faceoffs import faceoff
from ...numerics.written_numbers import number
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
from ..engine.facts import face_off_tables, face_off_words
from ..engine.typeset import typeset
from .part import WIDE, Block, Cell, Part, Subject, heading, paragraph, table

FORMULAS = r"""
<p>Both sides pay for each nonzero that they visit. Per factor e of accuracy a method needs \( K \) iterations, each
visiting \( W \) nonzeros on average: \( T = K W \) in all. With importance sampling and \( \beta = 1/\gamma \):
\( T_P = \mathrm{nnz} + \frac{\beta C_P}{\lambda n} \) and \( T_D = \mathrm{nnz} + \frac{\beta C_D}{\lambda n} \).
Features that are frequent and large make \( C_P \) large and favour the dual; long examples make \( C_D \) large and
favour the primal.</p>"""
DERIVATIVES = (
    "A primal method needs a derivative of the loss for each nonzero that it visits, a dual one for each iteration. "
    "The upright line is the cost now."
)
DENSITIES = {"as dense as these data": "own"} | {
    f"{number(100 * x)} % nonzeros": x for x in (1e-4, 1e-3, 0.01, 0.1, 1.0)
}
COSTS = {"assumed for this loss": "assumed", "measured on this machine": "measured"} | {
    f"{number(cost)} visited nonzeros": cost for cost in (0.1, 1.0, 10.0, 100.0, 1000.0)
}


def view(session: Any) -> pn.viewable.Viewable:
    density = pn.widgets.Select(label="Density of the map", options=DENSITIES, width=220)
    cost = pn.widgets.Select(label="Cost of a loss derivative", options=COSTS, width=220)
    parts = [
        Part(session, "Face-off", sums_and_work),
        Part(session, "Face-off", shapes, {"density": density}, follows=["choices"]),
        Part(session, "Face-off", derivatives, {"cost": cost}, follows=["choices"]),
        Part(session, "Face-off", lines, follows=["choices"]),
    ]
    return pn.Column(*(part.view for part in parts), **WIDE)


def sums_and_work(asked: Subject) -> list[Block]:
    """C_P and C_D, K, W and T of both draws, the verdict with exact steps, the outcome, and Theorem 3."""
    about, place = asked.about, asked.about.faceoff.theorem3
    blocks: list[Block] = [
        *map(paragraph, face_off_words(asked.choices, about).split("\n")),
        typeset(FORMULAS),
        *(table(**each) for each in face_off_tables(about.faceoff)),
    ]
    measured = asked.race.outcome.primal_over_dual if asked.race else None
    if measured is None:
        blocks.append(paragraph("Race a primal entry against a dual one to see what comes of it."))
    else:
        ratios = {"uniform": about.faceoff.uniform.ratio, "importance": about.faceoff.ratio}
        rows: list[list[Cell]] = [
            [f"predicted, {draws}", ratio, measured / ratio if ratio else None] for draws, ratio in ratios.items()
        ]
        rows.append(["measured: passes of the primal over those of the dual", measured, ""])
        head = ["primal work over dual work", "ratio", "measured/predicted"]
        blocks.append(table("Prediction and outcome", head, rows))
    if place.ratio is not None and place.ratio_bounds is not None:
        low, high = map(number, place.ratio_bounds)
        words = (
            f"C_P/C_D always lies between 1/d = {low}, where the primal does best, and n = {high}, where the dual does "
            f"best (Csiba & Richtarik 2016, Theorem 3); here it is {number(place.ratio)}."
        )
        blocks += [heading("Where these data lie"), theorem3(about.faceoff), paragraph(words)]
    return blocks


def shapes(asked: Subject, density: float | str) -> list[Block]:
    """The map over n and d, and what uneven norms cost uniform draws."""
    face = asked.about.faceoff
    density = own_density(face) if isinstance(density, str) else density
    words = (
        f"The map is of data with independent entries, {number(100 * density)} % of them nonzeros; the diamond marks "
        f"these data. {ratio_map_sentence(face)}"
    )
    blocks: list[Block] = [heading("Other shapes"), ratio_map(face, density), paragraph(words)]
    if face.T_P is not None or face.T_D is not None:
        blocks += [heading("Uniform and importance draws"), max_norms(face), paragraph(max_norms_sentence(face))]
    return blocks


def derivatives(asked: Subject, cost: float | str) -> list[Block]:
    """Work against the cost of a loss derivative."""
    face = asked.about.faceoff
    if cost != "assumed":
        face = faceoff(asked.about.problem, derivative_cost=cost)
    of_loss, even = face.derivative_cost, face.break_even
    if face.T_P is None or face.T_D is None or of_loss is None:
        raise ValueError(f"there is no work to compare: {face.reason}")
    if even is None:
        words = "Expensive derivatives do not hurt the primal more than the dual."
    elif even > 0:
        words = f"The primal wins while a derivative costs less than {number(even)} visited nonzeros."
    else:
        words = "The dual wins whatever a derivative costs."
    rows = [
        ["cost of a derivative, in visited nonzeros", of_loss, of_loss],
        ["work per factor e, derivatives counted", face.cost_P(), face.cost_D()],
        ["seconds per factor e on this machine", face.seconds_P, face.seconds_D],
    ]
    caption = f"With derivatives ({face.derivative_cost_source or 'set'})"
    picture = cost_model(face, of_loss)
    return [
        heading("Derivatives"),
        picture,
        paragraph(f"{DERIVATIVES} {words}"),
        table(caption, ["", "primal", "dual"], rows),
    ]


def lines(asked: Subject) -> list[Block]:
    """The lengths and weights of rows and columns."""
    problem, rows = asked.about.problem, []
    for profile, line in ((problem.row_profile, "rows (examples)"), (problem.column_profile, "columns (features)")):
        for values, what in ((profile.counts, "nonzeros"), (profile.norms2, "squared norm")):
            numbers = values.min(), np.median(values), values.mean(), values.max()
            rows.append([f"{what} of {line}", *map(float, numbers)])
    below = "How many lines have so many nonzeros, and such a norm."
    numbers_table = table("Rows and columns", ["", "least", "median", "mean", "most"], rows)
    return [heading("Rows and columns", below), *structure(problem), numbers_table]
