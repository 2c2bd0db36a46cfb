"""The drawer Sampling: how often each scheme draws each line, what that costs, and what it does to the bounds."""

from __future__ import annotations

from typing import Any

import panel as pn

from ...exact_rates.best_probabilities import MAX_COORDINATES, best_sampling
from ...plots.data import probabilities
from ...samplings import SAMPLINGS
from ..engine.predicting import racing
from ..engine.sampling_facts import SideFacts, sampling_facts
from ..engine.sampling_facts import sentence as side_sentence
from ..engine.theorem_for import theorem_for
from ..words import NOTHING, number, sentence
from .part import WIDE, Block, Part, Question, heading, paragraph, reason, table

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


def schemes(asked: Question, across: str) -> list[Block]:
    """The probabilities of all samplings of both sides, their K, W and T, and the bounds of the entries with them."""
    blocks: list[Block] = [paragraph(INTRODUCTION)]
    for side in ("primal", "dual"):
        found = sampling_facts(asked.about.problem, side)
        # the orders, which come last, draw as evenly as uniform sampling
        p = {each.label: each.p for each in found.schemes[:-1] if each.p is not None}
        picture = probabilities(p, found.norms2, found.coordinates, across)
        title = f"The {side} side draws {found.coordinates}"
        blocks += [heading(title, side_sentence(found)), picture, schemes_table(found)]
    try:
        return [*blocks, bounds_table(asked)]
    except ValueError as why:  # no entry can run
        return [*blocks, reason(str(why))]


def schemes_table(found: SideFacts) -> str:
    """What each sampling of a side costs, as HTML."""
    even, rows = next((each.T for each in found.schemes if each.label == "uniform"), None), []
    for each in found.schemes:
        ends = [NOTHING] * 2
        if each.p is not None:
            ends = [number(each.p.size * float(x)) for x in (each.p.min(), each.p.max())]
        passes = each.T / found.nnz if each.T is not None and found.nnz else None
        beside = each.T / even if each.T is not None and even else None
        remark = sentence(each.reason) if each.reason else ""
        rows.append([each.label, *ends, *map(number, (each.W, each.K, each.T, passes, beside)), remark])
    head = ["sampling", "least p · m", "largest p · m", "W: nonzeros each", "K: iterations", "T = K W", "T/nnz: passes"]
    caption = f"Draws of the {found.coordinates}, per factor e of accuracy"
    return table(caption, [*head, "T over uniform's", "remark"], rows)


def bounds_table(asked: Question) -> str:
    """Passes by the bounds of the entries with each sampling that has theorems, as HTML."""
    problem, target = asked.about.problem, asked.choices.target
    names = [name for name, kind in SAMPLINGS.items() if kind.has_theorem]
    rows = []
    for method in {entry.method.label: entry.method for entry in racing(asked.choices) if entry.drawn}.values():
        passes: list[float | None] = []
        for name in names:
            try:
                found = theorem_for(problem, method, name)
                passes.append(found.for_problem(problem, target) if found.kind == "theorem" else None)
            except ValueError:
                passes.append(None)
        rows.append([method.label, *map(number, passes)])
    caption = f"Passes to {number(target)}, by the bounds on what each theorem is about"
    return table(caption, ["method", *names], rows) if rows else ""


def best(asked: Question) -> list[Block]:
    """The best probabilities of independent draws for exact steps, where there are few lines."""
    blocks: list[Block] = [paragraph(f"For the squared loss, and at most {MAX_COORDINATES} lines of a side.")]
    for method, lines in (("rcd", "features"), ("sdca", "examples")):
        try:
            p = best_sampling(asked.about.problem, method).p
        except ValueError as why:
            blocks.append(reason(f"{method}: {why}"))
            continue
        words = f"No independent draws of the {p.size} {lines} make exact steps faster in the end."
        rows = [[str(k), number(float(each)), number(float(each) * p.size)] for k, each in enumerate(p, start=1)]
        blocks += [heading(f"Best draws of {method}", words), table("Probabilities", ["line", "p", "p · m"], rows)]
    return blocks
