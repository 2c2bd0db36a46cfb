"""The drawer Sampling: how often each scheme draws each line, what that costs, and what it does to the bounds."""

from __future__ import annotations

from typing import Any

import panel as pn

from ...exact_rates.best_probabilities import MAX_COORDINATES, best_sampling
from ...plots.data import probabilities
from ..engine.sampling_facts import SIDES, best_sampling_sentence, cost_table, passes_table, sampling_facts
from .part import WIDE, Block, Part, Subject, heading, paragraph, reason, table

INTRODUCTION = (
    "A sampling says how often each line is updated: rows by dual methods, columns by primal ones. Drawing the heavy "
    "ones more often needs fewer iterations, but where they are long, each costs more: W is what an iteration costs on "
    "average, K how many it takes, T = K W the work."
)
ACROSS = {"by how often they are drawn": "rank", "by squared norm": "norm"}


def view(session: Any) -> pn.viewable.Viewable:
    across = pn.widgets.Select(label="Lines sorted", options=ACROSS, width=240)
    parts = [
        Part(session, "Sampling", schemes, {"across": across}, follows=["choices"]),
        Part(session, "Sampling", best, follows=["choices"], button="Best probabilities for exact steps"),
    ]
    return pn.Column(*(part.view for part in parts), **WIDE)


def schemes(asked: Subject, across: str) -> list[Block]:
    """The probabilities of all samplings of both sides, their K, W and T, and the bounds of the entries with them."""
    blocks: list[Block] = [paragraph(INTRODUCTION)]
    for side in SIDES:
        found = sampling_facts(asked.about, side)
        # the orders, which come last, draw as evenly as uniform sampling
        p = {each.label: each.p for each in found.schemes[:-1] if each.p is not None}
        picture = probabilities(p, found.lines.norms2, found.coordinates, across)
        title = f"The {side} side draws {found.coordinates}"
        blocks += [heading(title, best_sampling_sentence(found)), picture, table(**cost_table(found))]
    passes = passes_table(asked.about, asked.choices.contestants(), asked.choices.target)
    return [*blocks, *([table(**passes)] if passes["rows"] else [])]


def best(asked: Subject) -> list[Block]:
    """The best probabilities of independent draws for exact steps, where there are few lines."""
    blocks: list[Block] = [paragraph(f"For the squared loss, and at most {MAX_COORDINATES} lines of a side.")]
    for method, lines in (("rcd", "features"), ("sdca", "examples")):
        try:
            p = best_sampling(asked.about.problem, method).p
        except ValueError as why:
            blocks.append(reason(f"{method}: {why}"))
            continue
        words = f"No independent draws of the {p.size} {lines} make exact steps faster in the end."
        rows = [[k, float(each), float(each) * p.size] for k, each in enumerate(p, start=1)]
        blocks += [heading(f"Best draws of {method}", words), table("Probabilities", ["line", "p", "p · m"], rows)]
    return blocks
