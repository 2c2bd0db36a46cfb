"""The drawer Sampling: how often each scheme draws each line, what that costs, and what it does to the bounds."""

from __future__ import annotations

from typing import Any

import panel as pn

from ...exact_rates.best_probabilities import MAX_COORDINATES, best_sampling
from ...plots.data import probabilities
from ..bounds.sampling_facts import SideFacts, sampling_facts, sentence as side_sentence
from ..bounds.theorems import theorem_for
from ..engine.predicting import data_refusal
from ..engine.problems import prepared
from ..words import NOTHING, number, sentence
from .bounds import racing
from .part import WIDE, Block, Part, Question, heading, paragraph, table

INTRODUCTION = (
    "A sampling says how often each line is updated: rows by dual methods, columns by primal ones. Drawing the heavy "
    "ones more often needs fewer iterations, but where they are long, each costs more: W is what an iteration costs on "
    "average, K how many it takes, T = K W the work."
)
ACROSS = {"by how often they are drawn": "rank", "by squared norm": "norm"}
METHODS = {"dual": "sdca", "primal": "rcd"}


def view(session: Any) -> pn.viewable.Viewable:
    across = {"across": pn.widgets.Select(name="Lines sorted", options=ACROSS, width=240)}
    parts = [
        Part(session, "Sampling", schemes, across, follows=["choices"]),
        Part(session, "Sampling", best, follows=["choices"], button="Best probabilities for exact steps"),
    ]
    return pn.Column(*(part.view for part in parts), **WIDE)


def schemes(asked: Question, across: str) -> list[Block]:
    """The probabilities of all samplings of both sides, their K, W and T, and the bounds of the entries with them."""
    if refusal := data_refusal(asked.choices):
        raise ValueError(refusal.why)
    problem = prepared(asked.choices).problem
    blocks: list[Block] = [paragraph(INTRODUCTION)]
    for side in ("primal", "dual"):
        found = sampling_facts(problem, side)
        # the orders, which come last, draw as evenly as uniform sampling
        p = {each.label: each.p for each in found.schemes[:-1] if each.p is not None}
        blocks += [
            heading(f"The {side} side draws {found.coordinates}", side_sentence(found)),
            probabilities(p, found.norms2, found.coordinates, across),
            schemes_table(found),
        ]
    return [*blocks, bounds_table(asked)]


def schemes_table(found: SideFacts) -> str:
    """What each sampling of a side costs, as HTML."""
    even = next((each.T for each in found.schemes if each.label == "uniform"), None)
    rows = []
    for each in found.schemes:
        ends = [NOTHING] * 2 if each.p is None else [number(each.p.size * float(x)) for x in (each.p.min(), each.p.max())]
        rows.append([each.label, *ends, *map(number, (each.W, each.K, each.T)),
                     number(each.T / found.nnz if each.T is not None and found.nnz else None),
                     number(each.T / even if each.T is not None and even else None),
                     sentence(each.reason) if each.reason else ""])  # fmt: skip
    head = ["sampling", "least p · m", "largest p · m", "W: nonzeros each", "K: iterations", "T = K W", "T/nnz: passes",
            "T over uniform's", "remark"]  # fmt: skip
    return table(f"Draws of the {found.coordinates}, per factor e of accuracy", head, rows)


def bounds_table(asked: Question) -> str:
    """Passes by the bounds of the entries with each sampling that has theorems, as HTML."""
    from ...samplings import SAMPLINGS

    problem, names = prepared(asked.choices).problem, [name for name, kind in SAMPLINGS.items() if kind.has_theorem]
    rows: dict[str, list[str]] = {}
    for entry in racing(asked.choices):
        if entry.drawn is None or entry.method.label in rows:
            continue
        row = rows.setdefault(entry.method.label, [])
        for name in names:
            try:
                found = theorem_for(problem, entry.method, name)
                row.append(number(found.for_problem(problem, asked.choices.target)) if found.kind == "theorem" else NOTHING)
            except ValueError:
                row.append(NOTHING)
    caption = f"Passes to {number(asked.choices.target)}, by the bounds on what each theorem is about"
    return table(caption, ["method", *names], [[label, *row] for label, row in rows.items()]) if rows else ""


def best(asked: Question) -> list[Block]:
    """The best probabilities of independent draws for exact steps, where there are few lines."""
    problem, blocks = prepared(asked.choices).problem, []
    for side, method in METHODS.items():
        size = problem.n if side == "dual" else problem.d
        try:
            found = best_sampling(problem, method)
        except ValueError as why:
            blocks.append(f'<p class="reason">{method}: {sentence(str(why))}</p>')
            continue
        words = f"Of {size} {'examples' if side == 'dual' else 'features'}: no draws make {method} faster in the end."
        rows = [[str(k + 1), number(float(p)), number(float(p) * size)] for k, p in enumerate(found.p)]
        blocks += [heading(f"Best draws of {method}", words), table("Probabilities", ["line", "p", "p · m"], rows)]
    return [paragraph(f"For the squared loss and at most {MAX_COORDINATES} lines of a side."), *blocks]
