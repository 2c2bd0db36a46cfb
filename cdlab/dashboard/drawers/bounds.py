"""The drawer Bounds: what theory says of the entries, beside what was measured, why they differ, and what moves it."""

from __future__ import annotations

import math
from html import escape
from itertools import combinations
from typing import Any

import numpy as np
import panel as pn

from ...explanations import explain
from ...plots.elements import Axes
from ...plots.style import Look, looks_for
from ...runs import Race
from ...runs.race_result import RaceSetup
from ..bounds.theorems import theorem_for
from ..engine.catalog import SLIDERS
from ..engine.choices import Choices, Entrant
from ..engine.facts import theorems_of_entry
from ..engine.numbers import spoken
from ..engine.predicting import data_refusal, entry_refusals
from ..engine.problems import Prepared, prepared
from ..engine.racing import Race as PageRace
from ..engine.theorems import evaluated, theorem
from ..stage.typeset import mathml, typeset
from ..words import NOTHING, listed, number, sentence
from .part import WIDE, Block, Part, Question, heading, paragraph, table

INTRODUCTION = (
    "A bound is what theory guarantees on average, for the worst data with the same constants; a measured curve is the "
    "median of a few runs on these data. Between them lies what the theory does not know."
)
MOVED = ("l2", "n", "d", "density", "skew", "condition", "row_spread", "l1", "gamma", "tol", "batch")
MOVED_POINTS = 13
MOVED_FACTOR = {"n": 8.0, "d": 8.0}  # up and down, since data of each size are made
MOVED_FACTOR_ELSE = 1000.0
ASSUMED = {"nodes": 8, "unit": 100, "omega": 3, "m": 8}  # what a paper's table asks for and no problem says
ASSUMED_WORDS = {"nodes": "{} nodes", "unit": "{} visited nonzeros for sending a number",
                 "omega": "multiplying matrices costs n to the power {}", "m": "{} examples in a batch"}  # fmt: skip


def view(session: Any) -> pn.viewable.Viewable:
    from ...theory import table as tables

    papers = {f"{each.source.partition(';')[0]}: {each.title}": name for name, each in tables().items()}
    parts = [
        Part(session, "Bounds", theorems),
        Part(session, "Bounds", causes, button="Explain the last race in full"),
        Part(session, "Bounds", what_if, {"name": _select("What if another", {s.label: s.name for s in SLIDERS if s.name in MOVED}, "l2")}, follows=["choices"]),
        Part(session, "Bounds", crossings, follows=["choices"], button="Where do two bounds cross?"),
        Part(session, "Bounds", paper_table, {"name": _select("A paper's table", papers)}, follows=["choices"]),
    ]  # fmt: skip
    return pn.Column(*(part.view for part in parts), **WIDE)


def _select(label: str, options: dict[str, str], value: str | None = None) -> pn.widgets.Select:
    return pn.widgets.Select(name=label, options=options, value=value or next(iter(options.values())), width=300)


# ------------------------------------------------------------ theorems beside measurements
def racing(choices: Choices) -> list[Entrant]:
    """The entries that can run.

    Raises
    ------
    ValueError
        Why none can, or why the data cannot be taken.
    """
    if refusal := data_refusal(choices):
        raise ValueError(refusal.why)
    refused = {each.what: each.why for each in entry_refusals(choices)}
    entries = [entry for entry in choices.entrants() if entry.asked not in refused]
    if not entries:
        raise ValueError(" ".join(dict.fromkeys(refused.values())))
    return entries


def theorems(asked: Question) -> list[Block]:
    """All theorems about the entries, with values, formulas and sources; curves of bounds over measured medians."""
    choices = asked.choices
    entries, about = racing(choices), prepared(choices)
    results = {each.label: each for each in asked.race.outcome.results} if asked.race else {}
    found = {entry.label: theorem(about, entry, choices.target) for entry in entries}
    rows = []
    for entry in entries:
        best, measured = found[entry.label], results.get(entry.label)
        reached = measured.reached if measured else None
        rows.append([escape(entry.label), best.mathml or escape(best.words), escape(best.numbers), number(best.value),
                     number(reached), number(best.value / reached if best.value and reached else None),
                     escape(best.line_words)])  # fmt: skip
    goal = number(choices.target)
    head = ["entry", "passes, at most on average", "in numbers", "bound", "measured", "bound/measured", "set by"]
    own = table(f"Passes to {goal} of the gap of the start", head, rows, raw=range(7))
    return [
        paragraph(INTRODUCTION),
        *([_over_measured(entries, found, results)] if any(each.curve for each in found.values()) or results else []),
        paragraph(_picture_words(results, goal)),
        own,
        *(_meanings(label, each.meanings) for label, each in found.items() if each.meanings),
        all_theorems(about, entries, choices.target),
    ]


def _picture_words(results: dict[str, Any], goal: str) -> str:
    words = "Thin dashes: what theory promises on average, in the colour of the entry."
    if not results:
        return f"{words} Race these choices to see the measured curves below them."
    reached = {label: each.reached for label, each in results.items()}
    told = [f"{label} came to {goal} after {spoken(x)} passes" if x else f"{label} did not come to {goal}"
            for label, x in reached.items()]  # fmt: skip
    return f"{words} Solid: medians, in a band from the fewest to the most passes of the draws; {listed(told)}."


def _over_measured(entries: list[Entrant], found: dict[str, Any], results: dict[str, Any]) -> Any:
    axes = Axes("passes", "best certified gap, as a share of that of the start", x_log=True, y_log=True)
    looks = looks_for({entry.label: entry.side for entry in entries})
    for label, look in looks.items():
        curve, result = found[label].curve, results.get(label)
        if curve is not None:
            passes = np.array(curve.passes)
            axes.bound(passes[passes > 0], np.array(curve.gap)[passes > 0], look, [("", f"{label}, bound")])
        if result is not None:
            _measured(axes, result, look)
    return axes.overlay()


def _measured(axes: Axes, result: Any, look: Look) -> None:
    levels = np.array(result.levels)
    median, least, most = (np.array(each, dtype=float) for each in (result.median, result.least, result.most))
    there = median > 0
    axes.curve(median[there], levels[there], look, result.label, [("", result.label), ("passes", "$snap_x{0,0.[00]}")])
    axes.markers(median[there][::10], levels[there][::10], look, result.label)
    for ends in (least, most):  # a band runs along x, and these lie beside the curve
        drawn = ends > 0
        axes.curve(ends[drawn], levels[drawn], look._replace(width=0.8, dash=()))


def _meanings(label: str, meanings: list[tuple[str, str]]) -> str:
    rows = [[symbol, escape(meaning)] for symbol, meaning in meanings]
    symbols = table(f"Symbols of {label}", ["symbol", "meaning and value here"], rows, raw=range(2))
    return f"<details><summary>The symbols of {escape(label)}</summary>{symbols}</details>"


def all_theorems(about: Prepared, entries: list[Entrant], target: float) -> str:
    """Every theorem about the entries, also those on other quantities than the gap, as HTML."""
    rows = []
    for entry in entries:
        for name, bound, passes, why in theorems_of_entry(about, entry, target):
            formula = f'<div class="formula" tabindex="0">{mathml(bound.latex())}</div>' if bound is not None else ""
            about_what = bound.target if bound is not None else NOTHING
            rows.append([*map(escape, (entry.label, name, number(passes), about_what)), formula, escape(why)])
    head = ["entry", "theorem", "passes here", "on average at most, for", "formula", "source, or why it says nothing here"]
    caption = f"All theorems, each on its own quantity and to {number(target)} of what that is at the start"
    return table(caption, head, rows, raw=range(6)) if rows else paragraph("No theorem is about these methods.")


# ------------------------------------------------------------ why they differ
def causes(asked: Question) -> list[Block]:
    """`cdlab.explain` of the last race, with the best gap that the page judges by."""
    if not asked.races:
        raise ValueError("there is no race yet to be explained")
    last = asked.races[-1]
    found = explain(as_core_race(last), by="best_gap")
    rows = [
        [str(cause), f"{100 * cause.share:.0f} %", f"{100 * cause.interval[0]:.0f} to {100 * cause.interval[1]:.0f} %"]
        for cause in found
    ]
    about = ", ".join(lane.entry.label for lane in last.lanes[:2])
    words = (
        f"The race of {about}. Shares are parts of the logarithm of measured over predicted, and add up to 100 %; the "
        "prediction is that of the face-off, with importance sampling."
    )
    head = ["cause", "share", "at least and at most"]
    return [heading("Why it came out so, and not as predicted", words), table("Causes", head, rows)]


def as_core_race(race: PageRace) -> Race:
    """The race as `cdlab.race` would have returned it."""
    by_entry: dict[str, list[Any]] = {}
    for lane in race.lanes:
        by_entry.setdefault(lane.entry.label, []).append(lane)
    entries = [lanes[0].entry for lanes in by_entry.values()]
    setup = RaceSetup(race.lanes[0].about.problem, [(entry.method, entry.sampling) for entry in entries])
    traces = [lane.trace for lanes in by_entry.values() for lane in lanes]
    return Race(traces, len(entries), list(dict.fromkeys(lane.seed for lane in race.lanes)), setup=setup)


# ------------------------------------------------------------ what moves them
def what_if(asked: Question, name: str) -> list[Block]:
    """The bounds against one choice, all others as they are; the data are made anew for each point."""
    slider = next(each for each in SLIDERS if each.name == name)
    xs, passes = moved(asked.choices, name)
    here = asked.choices.target if name == "tol" else getattr(asked.choices, name)
    looks = looks_for({entry.label: entry.side for entry in racing(asked.choices)})
    axes = Axes(f"{slider.label}{f' ({slider.unit})' if slider.unit else ''}", "passes, by the bound",
                x_log=slider.scale == "log", y_log=True)  # fmt: skip
    drawn = {label: ys for label, ys in passes.items() if np.isfinite(ys).any()}
    if not drawn:
        raise ValueError("no theorem about these entries has a value, whatever this choice is")
    for label, ys in drawn.items():
        axes.curve(xs, ys, looks[label], label, [("", label), (slider.label, "$snap_x"), ("passes", "$snap_y{0,0.[0]}")])
        axes.markers(xs, ys, looks[label], label)
    axes.level(here, upright=True)
    head = [slider.label, *drawn]
    rows = [[number(float(x)), *(number(float(ys[k])) for ys in drawn.values())] for k, x in enumerate(xs)]
    words = [f"{slider.words} The upright line is the present choice, {number(here)}.", *crossing_words(slider, xs, drawn)]
    return [axes.overlay(height=300), paragraph(" ".join(words)), table("Bounds, in passes", head, rows)]


def moved(choices: Choices, name: str) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Values of a choice, and for each entry the passes by its bound there; NaN where there is none.

    Raises
    ------
    ValueError
        If the data have no such choice.
    """
    slider = next(each for each in SLIDERS if each.name == name)
    here = choices.target if name == "tol" else getattr(choices, name)
    if name not in _moving(choices):
        raise ValueError(f"these choices have no {slider.label} that could be another")
    factor = MOVED_FACTOR.get(name, MOVED_FACTOR_ELSE)
    if slider.scale == "log":
        at = here or slider.least
        xs = np.geomspace(max(slider.least, at / factor), min(slider.most, at * factor), MOVED_POINTS)
    else:
        xs = np.linspace(slider.least, slider.most, MOVED_POINTS)
    xs = np.unique(np.append(np.round(xs), here) if slider.whole else np.append(xs, here))
    labels = [entry.label for entry in racing(choices)]
    passes = {label: np.full(xs.size, np.nan) for label in labels}
    for k, x in enumerate(xs):
        there = choices.but(**{name: int(x) if slider.whole else float(x)})
        if data_refusal(there):
            continue
        about = prepared(there)
        for label, entry in zip(labels, racing(there), strict=False):
            try:
                passes[label][k] = evaluated(about.problem, entry, there.target).passes
            except ValueError:  # no theorem there
                continue
    return xs, passes


def _moving(choices: Choices) -> list[str]:
    """What the bounds can depend on."""
    from ..choices.data_sources import FAMILIES
    from ..engine.choices import WITH_GAMMA

    own = FAMILIES[choices.data].asks if choices.data in FAMILIES else ()
    always = ["l2", "l1", "tol", *(["batch"] if any("batch" in choices.entry(each)[1] or choices.batch > 1 for each in choices.methods) else [])]
    return [*own, *always, *(["gamma"] if choices.loss in WITH_GAMMA else [])]


def crossing_words(slider: Any, xs: np.ndarray, drawn: dict[str, np.ndarray]) -> list[str]:
    """Where two of the curves cross, between the points interpolated on logarithmic scales, in sentences."""
    words = []
    at = np.log(xs) if slider.scale == "log" and xs[0] > 0 else xs
    for (first, ys), (second, zs) in combinations(drawn.items(), 2):
        with np.errstate(invalid="ignore", divide="ignore"):
            difference = np.log(ys) - np.log(zs)
        for k in np.flatnonzero(difference[:-1] * difference[1:] < 0):
            share = difference[k] / (difference[k] - difference[k + 1])
            x = at[k] + share * (at[k + 1] - at[k])
            below, above = (first, second) if difference[k] < 0 else (second, first)
            x = float(np.exp(x)) if at is not xs else float(x)
            words.append(f"Below {slider.label} = {number(x)} the bound of {below} is smaller, above it that of {above}.")
    return words or (["No two of the bounds cross here."] if len(drawn) > 1 else [])


def crossings(asked: Question) -> list[Block]:
    """Where each two bounds are equal, as formulas of the condition number."""
    from ...theory import crossover
    from ...theory.symbols import to_latex

    about, blocks = prepared(asked.choices), [heading("Where two bounds cross, in closed form")]
    values = about.problem.constants()
    for first, second in combinations(racing(asked.choices), 2):
        names = f"{first.label} and {second.label}"
        try:
            pair = [theorem_for(about.problem, each.method, each.sampling) for each in (first, second)]
            if pair[0].method == pair[1].method:
                raise ValueError("both bounds are those of one method")
            found = crossover(*pair)
        except ValueError as why:
            blocks.append(f'<p class="reason">{escape(names)}: {escape(sentence(str(why)))}</p>')
            continue
        lines = [rf"\[ {to_latex(region.where)}:\quad \text{{{region.winner or 'equal'}}} \]" for region in found.regions]
        kappa = number(about.problem.kappa) if math.isfinite(about.problem.kappa) else "infinite"
        words = f"{names}: the smaller one, without the logarithm of the accuracy, by kappa = R²/(γλ), which is {kappa} here."
        blocks += [paragraph(words), typeset("".join(lines))]
    return blocks if len(blocks) > 1 else [*blocks, paragraph("It takes two entries.")]


def paper_table(asked: Question, name: str) -> list[Block]:
    """A table of a paper, each formula with its value on the present problem."""
    from ...theory import table as tables
    from ...theory.symbols import to_latex

    paper, problem = tables(name), prepared(asked.choices).problem
    used = {symbol.name for expression in paper.expressions for symbol in expression.free_symbols}
    assumed = {key: min(value, problem.n) if key == "m" else value for key, value in ASSUMED.items() if key in used}
    words = f"{paper.title} ({paper.source}). On these data, to a relative accuracy of {number(asked.choices.target)}"
    words += f"; assumed: {', '.join(ASSUMED_WORDS[key].format(value) for key, value in assumed.items())}." if assumed else "."
    try:
        values = paper.for_problem(problem, asked.choices.target, **assumed)
    except ValueError as why:
        values, words = None, f"{words} On these data it has no values. {sentence(str(why))}"
    rows = []
    for k, (label, cells) in enumerate(paper.rows):
        row = [escape(label)]
        for j, cell in enumerate(cells):
            formula = escape(cell or "") if cell is None or isinstance(cell, str) else mathml(to_latex(cell))
            is_valued = values is not None and not (cell is None or isinstance(cell, str))
            row.append(formula + (f"<br>= {number(float(values.iloc[k, j]))}" if is_valued else ""))
        rows.append(row)
    return [paragraph(words), table(paper.title, ["", *paper.columns], rows, raw=range(len(paper.columns) + 1))]
