"""The drawer Bounds: what theory says of the entries, beside what was measured, why they differ, and what moves it."""

from __future__ import annotations

from contextlib import suppress
from html import escape
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
import panel as pn

from ...explanations import explain
from ...numerics.written_numbers import number, spoken
from ...plots.elements import Axes
from ...plots.style import looks_for
from ..engine.catalog import SLIDERS
from ..engine.choices import WITH_GAMMA, Choices, Contestant, takes_batches
from ..engine.data_sources import FAMILIES
from ..engine.facts import theorem_tables
from ..engine.predicting import data_refusal, racing
from ..engine.problems import PreparedProblem, prepared
from ..engine.rates import rate_table
from ..engine.schema import Slider
from ..engine.theorems import best_theorem, main_theorem, theorem
from ..engine.typeset import mathml, typeset
from ..words import listed, sentence
from .part import WIDE, Block, Part, Subject, heading, paragraph, reason, table

if TYPE_CHECKING:
    from ...theory.tables import Table

INTRODUCTION = (
    "A bound is what theory guarantees on average, for the worst data with the same constants; a measured curve is the "
    "median of a few runs on these data. Between them lies what the theory does not know."
)
MOVABLE = ("l2", "n", "d", "density", "skew", "condition", "row_spread", "l1", "gamma", "tol", "batch")
POINTS = 13  # Bounds are computed at so many points of a slider.
# A size is moved by this factor up and down, as data of each size are made; other choices by 1,000.
RANGE = {"n": 8.0, "d": 8.0}
ASSUMED = {  # A paper's table asks for these values, which no problem has.
    "nodes": (8, "{} nodes"),
    "unit": (100, "{} visited nonzeros for sending a number"),
    "omega": (3, "multiplying matrices costs n to the power {}"),
    "m": (8, "{} examples in a batch"),
}


def view(session: Any) -> pn.viewable.Viewable:
    options = {slider.label: slider.name for slider in SLIDERS if slider.name in MOVABLE}
    choice = pn.widgets.Select(label="What if another", options=options, value="l2", width=200)
    parts = [
        Part(session, "Bounds", theorems),
        Part(session, "Bounds", causes, button="Explain the last race in full"),
        Part(session, "Bounds", what_if, {"name": choice}, follows=["choices"]),
        Part(session, "Bounds", crossings, follows=["choices"], button="Where do two bounds cross?"),
        Part(session, "Bounds", paper_tables, follows=["choices"], button="The papers' tables on these data"),
    ]
    return pn.Column(*(part.view for part in parts), **WIDE)


# ------------------------------------------------------------ theorems beside measurements
def theorems(asked: Subject) -> list[Block]:
    """Theorems about the entries, with values, formulas and sources; curves of bounds over measured medians."""
    choices = asked.choices
    entries, about = racing(choices), asked.about
    results = {each.label: each for each in asked.race.outcome.results} if asked.race else {}
    found = {entry.label: theorem(about, entry, choices.target) for entry in entries}
    goal, rows, symbols = number(choices.target), [], ""
    for label, best in found.items():
        reached = results[label].reached if label in results else None
        ratio = best.value / reached if best.value and reached else None
        statement = best.mathml or escape(best.words)
        rows.append([label, statement, best.numbers, best.value, reached, ratio, best.line_words])
        if best.meanings:
            of_one = table(f"Symbols of {label}", ["symbol", "meaning and value here"], best.meanings, raw=[0])
            symbols += f"<details><summary>The symbols of {escape(label)}</summary>{of_one}</details>"
    head = ["entry", "passes, at most on average", "in numbers", "bound", "measured", "bound/measured", "set by"]
    rates = rate_table(choices, about, entries)
    has_bounds = any(each.curve for each in found.values())
    return [
        paragraph(INTRODUCTION),
        *([_curves(about, entries, found, results)] if results or has_bounds else []),
        *([paragraph(_curves_in_words(results, goal, has_bounds))] if results or has_bounds else []),
        table(f"Passes to a relative gap of {goal}", head, rows, raw=[1]) + symbols,
        *([table(**rates)] if rates["rows"] else []),
        all_theorems(about, entries, choices.target),
    ]


def _curves(about: PreparedProblem, entries: list[Contestant], found: dict[str, Any], results: dict[str, Any]) -> Any:
    quantity = "relative gap of the best points" if about.certified else "least P(w) - P*, over that of the start"
    axes = Axes("passes", quantity, x_log=True, y_log=True)
    for label, look in looks_for({entry.label: entry.side for entry in entries}).items():
        if (curve := found[label].curve) is not None:
            passes, gap = np.array(curve.passes), np.array(curve.gap)
            axes.bound(passes[passes > 0], gap[passes > 0], look, [("", f"{label}, bound")])
        if label not in results:
            continue
        levels, thin = np.array(results[label].levels), look._replace(width=0.8, dash=())
        for ends in (results[label].least, results[label].most):
            passes = np.array(ends, dtype=float)
            axes.curve(passes[passes > 0], levels[passes > 0], thin)
        passes = np.array(results[label].median, dtype=float)
        passes, levels = passes[passes > 0], levels[passes > 0]
        axes.curve(passes, levels, look, label, [("", label), ("passes", "$snap_x{0,0.[00]}")])
        axes.markers(passes[::10], levels[::10], look, label)
    return axes.overlay()


def _curves_in_words(results: dict[str, Any], goal: str, has_bounds: bool) -> str:
    words = "Thin dashes: what theory promises on average, in the colour of the entry." if has_bounds else ""
    if not results:
        return f"{words} Race these choices to see the measured curves below them."
    came = [
        f"{label} did not reach it"
        if each.reached is None
        else f"{label} came to {goal} after {spoken(each.reached)} passes"
        for label, each in results.items()
    ]
    return f"{words} Thick: medians, between the fewest and the most passes of the draws; {listed(came)}.".strip()


def all_theorems(about: PreparedProblem, entries: list[Contestant], target: float) -> str:
    """Every theorem about the entries, also those on other quantities than the gap, as HTML."""
    values, silent = theorem_tables(about, entries, target)
    formula = values["head"].index("formula")
    for row in values["rows"]:
        row[formula] = f'<div class="formula" tabindex="0">{mathml(row[formula])}</div>'
    text = table(**values, raw=[formula]) if values["rows"] else paragraph("No theorem has a value here.")
    if silent["rows"]:
        title = f"{len(silent['rows'])} theorems that say nothing here, and why"
        text += f"<details><summary>{title}</summary>{table(**silent)}</details>"
    return text


# ------------------------------------------------------------ why they differ
def causes(asked: Subject) -> list[Block]:
    """`cdlab.explain` of the last race: its sentences, and where each number comes from."""
    if not asked.races:
        raise ValueError("there is no race yet to be explained")
    race = asked.races[-1]
    found = explain(race.core(), race.choices.target)
    rows = [
        [
            each.subject,
            each.quantity,
            each.source,
            *(number(x) for x in (each.value, each.low, each.high)),
            str(each.runs),
        ]
        for each in found.figures
    ]
    names = ["of", "quantity", "source", "value", "at least", "at most", "runs"]
    title = "Why it came out so, and not as predicted"
    return [heading(title, str(found)), table("Figures", names, rows)]


# ------------------------------------------------------------ what moves them
def what_if(asked: Subject, name: str) -> list[Block]:
    """The bounds against one choice, all others as they are."""
    slider = next(each for each in SLIDERS if each.name == name)
    xs, passes = bounds_along(asked.choices, slider)
    drawn = {label: ys for label, ys in passes.items() if np.isfinite(ys).any()}
    if not drawn:
        raise ValueError("no theorem about these entries has a value, whatever this choice is")
    looks = looks_for({entry.label: entry.side for entry in racing(asked.choices)})
    unit = f" ({slider.unit})" if slider.unit else ""
    axes = Axes(slider.label + unit, "passes, by the bound", x_log=slider.scale == "log", y_log=True)
    for label, ys in drawn.items():
        tips = [("", label), (slider.label, "$snap_x"), ("passes", "$snap_y{0,0.[0]}")]
        axes.curve(xs, ys, looks[label], label, tips)
        axes.markers(xs, ys, looks[label], label)
    here = _now(asked.choices, name)
    if here in xs:
        axes.level(here, upright=True)
    words = (
        f"{slider.words} The upright line is the present choice, {number(here)}. {crossing_words(slider, xs, drawn)}"
    )
    rows = [[float(x), *(float(ys[k]) for ys in drawn.values())] for k, x in enumerate(xs)]
    picture = axes.overlay(height=300)
    return [picture, paragraph(words), table("Bounds, in passes", [slider.label + unit, *drawn], rows)]


def bounds_along(choices: Choices, slider: Slider) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Values of a choice, and for each entry the passes by its bound there; NaN where there is none.

    The problem is made anew at each value: nothing is assumed about how its constants move.

    Raises
    ------
    ValueError
        If nothing depends on this choice.
    """
    name, entries = slider.name, racing(choices)
    moving = [*(FAMILIES[choices.data].asks if choices.data in FAMILIES else ()), "l2", "l1", "tol"]
    moving += ["gamma"] if choices.loss in WITH_GAMMA else []
    moving += ["batch"] if any(takes_batches(entry.method.name) for entry in entries) else []
    if name not in moving:
        raise ValueError(f"nothing here depends on {slider.label}")
    here, times = _now(choices, name), RANGE.get(name, 1000.0)
    if slider.scale == "log":
        middle = min(max(here, slider.least), slider.most)
        xs = np.geomspace(max(slider.least, middle / times), min(slider.most, middle * times), POINTS)
    else:
        xs = np.linspace(slider.least, slider.most, POINTS)
    xs = np.unique(np.append(np.round(xs) if slider.whole else xs, here))
    xs = xs[xs > 0] if slider.scale == "log" else xs
    passes = {entry.label: np.full(xs.size, np.nan) for entry in entries}
    for k, x in enumerate(xs):
        there = choices.but(**{name: int(x) if slider.whole else float(x)})
        if data_refusal(there) is None:
            problem = prepared(there).problem
            for label, entry in zip(passes, there.contestants(), strict=False):
                with suppress(ValueError):  # no theorem there
                    passes[label][k] = best_theorem(problem, entry, there.target).passes
    return xs, passes


def _now(choices: Choices, name: str) -> float:
    return choices.target if name == "tol" else float(getattr(choices, name))


def crossing_words(slider: Slider, xs: np.ndarray, drawn: dict[str, np.ndarray]) -> str:
    """Sentences that say where two of the curves cross, interpolated between the points."""
    words, is_log = [], slider.scale == "log"
    at = np.log(xs) if is_log else xs
    for (first, ys), (second, zs) in combinations(drawn.items(), 2):
        with np.errstate(invalid="ignore", divide="ignore"):
            difference = np.log(ys) - np.log(zs)
        for k in np.flatnonzero(difference[:-1] * difference[1:] < 0):
            x = float(at[k] + (at[k + 1] - at[k]) * difference[k] / (difference[k] - difference[k + 1]))
            low, high = (first, second) if difference[k] < 0 else (second, first)
            where = f"{slider.label} = {number(float(np.exp(x)) if is_log else x)}"
            words.append(f"Below {where} the smaller bound is that of {low}, above it that of {high}.")
    return " ".join(words) or ("No two of the bounds cross here." if len(drawn) > 1 else "")


def crossings(asked: Subject) -> list[Block]:
    """Tell where each two bounds are equal, as formulas of the condition number."""
    from ...theory import crossover

    problem, entries = asked.about.problem, racing(asked.choices)
    blocks: list[Block] = [heading("Where two bounds cross, in closed form")]
    if len(entries) < 2:
        blocks.append(paragraph("It takes two entries."))
    for pair in combinations(entries, 2):
        names = f"{pair[0].label} and {pair[1].label}"
        try:
            first, second = (main_theorem(problem, entry) for entry in pair)
            if first.method == second.method:
                raise ValueError("both bounds are those of one method")
            lines = crossover(first, second).latex()
        except ValueError as why:
            blocks.append(reason(f"{names}: {why}"))
            continue
        words = "which bound is smaller, without the logarithm of the accuracy, by kappa = R²/(γλ)"
        blocks.append(paragraph(f"{names}: {words}, which is {number(problem.kappa)} here."))
        blocks.append(typeset("".join(rf"\[ {line} \]" for line in lines)))
    return blocks


def paper_tables(asked: Subject) -> list[Block]:
    """The papers' tables, each formula with its value on the present problem."""
    from ...theory import table as tables

    return [block for paper in tables().values() for block in _paper_table(asked, paper)]


def _paper_table(asked: Subject, paper: Table) -> list[Block]:
    from ...theory.symbols import to_latex

    problem, target = asked.about.problem, asked.choices.target
    used = {symbol.name for expression in paper.expressions for symbol in expression.free_symbols}
    assumed = {key: min(value, problem.n) for key, (value, _) in ASSUMED.items() if key in used}
    words = f"{paper.source}. On these data, to a relative accuracy of {number(target)}"
    words += "".join(f"; assumed: {ASSUMED[key][1].format(value)}" for key, value in assumed.items()) + "."
    try:
        values = paper.for_problem(problem, target, **assumed)
    except ValueError as why:
        values, words = None, f"{words} It has no values here. {sentence(str(why))}"
    rows = [[escape(label)] for label, _ in paper.rows]
    for k, (_, cells) in enumerate(paper.rows):
        for j, cell in enumerate(cells):
            if cell is None or isinstance(cell, str):
                rows[k].append(escape(cell or ""))
            else:
                value = "" if values is None else f"<br>= {number(float(values.iloc[k, j]))}"
                rows[k].append(mathml(to_latex(cell)) + value)
    columns = ["", *paper.columns]
    return [heading(paper.title, words), table(paper.title, columns, rows, raw=range(len(columns)))]
