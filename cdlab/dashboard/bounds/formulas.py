"""The papers' tables on a problem, and where two methods' bounds cross, as typeset formulas with their values."""

from __future__ import annotations

import math
from functools import cache
from html import escape
from itertools import combinations
from typing import TYPE_CHECKING

from ...problems.problem import Problem
from ..templates import html
from ..words import number, sentence, table
from .moving import Movable

if TYPE_CHECKING:
    from ...theory import Bound, Crossover

# what a problem does not say, where a table asks for it
CELL = r"\( {{ formula }} \){% if value is not none %}<br>= {{ value }}{% endif %}"
PAPER = '<p>{{ words }}</p>{% if reason %}<p class="reason">{{ reason }}</p>{% endif %}'
EQUAL = r"""<p>{{ words }}</p>
{%- for line in lines %}<div class="formula" tabindex="0">\[ {{ line }} \]</div>{% endfor %}"""
ASSUMED = {
    "nodes": (8, "s = 8 nodes"),
    "unit": (100, "c = 100 visited nonzeros for sending a number"),
    "omega": (3, "omega = 3 for multiplying matrices"),
    "m": (8, "m = 8 examples in a batch"),
}


def paper_tables() -> dict[str, str]:
    """The title of each table -> its name."""
    from ...theory import table as papers

    return {f"{each.source.partition(';')[0]}: {each.title}": name for name, each in papers().items()}


def paper_table(name: str, about: tuple[Problem, float]) -> str:
    r"""A table as HTML, each formula with its value on a problem at a relative accuracy; LaTeX between \( \)."""
    from ...theory import table as papers
    from ...theory.symbols import to_latex

    problem, eps = about
    paper = papers(name)
    used = {symbol.name for expression in paper.expressions for symbol in expression.free_symbols}
    assumed = {
        key: (min(value, problem.n) if key == "m" else value) for key, (value, _) in ASSUMED.items() if key in used
    }
    try:
        frame, reason = paper.for_problem(problem, eps, **assumed), ""
    except ValueError as error:
        frame, reason = None, f"On these data it has no values. {sentence(str(error))}"
    rows = []
    for k, (label, cells) in enumerate(paper.rows):
        row = [escape(label)]
        for j, cell in enumerate(cells):
            if cell is None or isinstance(cell, str):
                row.append(escape(cell or ""))
                continue
            value = None if frame is None else number(float(frame.iloc[k, j]))
            row.append(html(CELL, formula=to_latex(cell), value=value))
        rows.append(row)
    head = ["", *paper.columns]
    told = ", ".join(words for key, (_, words) in ASSUMED.items() if key in assumed)
    told = f"; assumed: {told}" if told else ""
    words = f"{paper.title} ({paper.source}). On these data to a relative accuracy of {number(eps)}{told}."
    return html(PAPER, words=words, reason=reason) + table(head, rows, paper.title, raw=range(len(head)))


def pairs(bounds: Movable) -> dict[str, tuple[int, int]]:
    """Words for each pair of bounds -> their places."""
    labels = [each.label for each in bounds.bounds]
    return {f"{labels[a]} against {labels[b]}": (a, b) for a, b in combinations(range(len(labels)), 2)}


def crossing_formula(pair: tuple[int, int], about: tuple[Problem, Movable]) -> str:
    r"""Where the two bounds of a pair are equal, in a formula of the condition number; LaTeX between \[ \].

    Raises
    ------
    ValueError
        If the formulas have no such point in closed form.
    """
    from ...theory.crossovers import passes_without_logarithm

    problem, bounds = about
    first, second = (bounds.bounds[k] for k in pair)
    a, b = first.formula, second.formula
    if a.method == b.method:
        raise ValueError("Both bounds are those of one method: the picture above shows where they cross")
    if {"K", "W"} & {symbol.name for symbol in a.symbols | b.symbols}:
        raise ValueError("K and W hold all probabilities of a sampling: the picture above shows where the bounds cross")
    if passes_without_logarithm(a) == passes_without_logarithm(b):
        return "<p>The two are the same but for the logarithm of the accuracy.</p>"
    try:
        found = _solved(a, b)
    except ValueError:
        raise ValueError(
            "Which of the two is smaller has no formula in kappa alone: the picture above shows where they cross"
        ) from None
    labels = {a.method: first.label, b.method: second.label}
    if not found.points:
        words = f"The bound of {labels[found.regions[0].winner]} is the smaller one for every kappa."
        return html("<p>{{ words }}</p>", words=words)
    values = {**first.values, **second.values, "m": 1.0}
    points = [number(float(p.subs({s: values[s.name] for s in p.free_symbols}))) for p in found.points]
    scale = problem.l2 * float(values["gamma"])
    here = number(float(values["R"]) ** 2 / scale if scale > 0 else math.inf)
    words = (
        f"Without the logarithm of the accuracy, K W/nnz, they are equal at kappa = R²/(gamma l2) = "
        f"{' and '.join(points)} (where m = 1, and only R moves); on these data kappa = {here}."
    )
    return html(EQUAL, words=words, lines=_lines(found, labels))


@cache
def _solved(first: Bound, second: Bound) -> Crossover:
    from ...theory import crossover

    return crossover(first, second)


def _lines(found: Crossover, labels: dict[str, str]) -> list[str]:
    from ...theory.symbols import to_latex

    return [
        rf"{to_latex(region.where)}:\quad \text{{{labels.get(region.winner, 'equal')}}}" for region in found.regions
    ]
