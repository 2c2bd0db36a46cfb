"""The races of a picture in words: prediction and outcome, a table of the runs, how to read it, how to repeat it."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode

import numpy as np

from ..plots import FLOOR, Y_AXES, applies
from ..plots.looks import colour
from ..trace import Trace
from .picture import Curve, curves
from .results import Lane, Result
from .runs import Kept
from .story import reached_by
from .words import NOTHING, marked, number, table

RUNNING = '<span class="going">running</span>'  # see page.html
STALE = " <em>The choices have changed since this race: press Run.</em>"


def sentences(shown: Sequence[Kept], stale: bool) -> str:
    """What was predicted and what came of it, for each race; `stale`: the choices are others than the latest race's."""
    if not shown:
        return '<p class="summary">All runs are muted: the tab Runs has them.</p>'
    name = (lambda each: "") if len(shown) == 1 else (lambda each: f"<strong>{escape(each.name)}</strong>: ")
    told = [f"{name(each)}{marked(each.race.sentence())}" for each in shown]
    return "".join(f'<p class="summary">{words}</p>' for words in (*told[:-1], told[-1] + (STALE if stale else "")))


def race_table(shown: Sequence[Kept]) -> str:
    """One row a curve: how far it came, how fast. With several seeds, the medians."""
    level = common_level(shown)
    goal = number(level) if level is not None else "the tolerance"
    rows = [
        [
            _swatch(curve, k) + escape(curve.name),
            reached(curve.lanes, level, "passes"),
            reached(curve.lanes, level, "seconds"),
            final_gap(curve.lanes),
            status(curve.lanes),
        ]
        for k, curve in enumerate(curves(shown))
    ]
    head = ["run", f"passes to {goal}", f"seconds to {goal}", "relative gap at the end", "status"]
    return table(head, rows, "The runs", raw=(0, 4))


def common_level(shown: Sequence[Kept]) -> float | None:
    """The relative gap at which the races are compared: the largest of their own."""
    levels = [each.race.outcome().level or each.race.choices.tol for each in shown]
    return max(levels, default=0.0) or None


def reached(lanes: Sequence[Lane], level: float | None, by: str) -> str:
    """Passes or seconds to this relative gap, in words."""
    traces = [lane.trace for lane in lanes if lane.trace.records]
    if level is None or not traces or _unknown(traces):
        return NOTHING
    work = reached_by(traces, level, by)
    return number(work) if math.isfinite(work) else "not reached"


def final_gap(lanes: Sequence[Lane]) -> str:
    """The relative gap at the end, or so far."""
    traces = [lane.trace for lane in lanes if lane.trace.records]
    if not traces or _unknown(traces):
        return NOTHING
    return number(float(np.median([trace.column("relative_gap")[-1] for trace in traces])))


def status(lanes: Sequence[Lane]) -> str:
    """How the runs ended, as HTML."""
    counted = Counter(lane.status or ("running" if lane.trace.records else "waiting") for lane in lanes)
    words = {each: RUNNING if each == "running" else escape(each) for each in counted}
    if len(counted) == 1:
        return words[next(iter(counted))]
    return ", ".join(f"{count} {words[each]}" for each, count in counted.items())


def notes(shown: Sequence[Kept], y: str, dropped: str = "") -> str:
    """How to read the picture, and what repeats the races."""
    lines = [
        "Solid: dual methods; dashed: primal methods; thin dashes: the bound of the same colour, which theory promises "
        f"the average over seeds will not exceed. Values below {number(FLOOR)} are drawn there."
    ]
    drawn = curves(shown)
    if any(len(curve.lanes) > 1 for curve in drawn):
        lines.append(
            "Of several seeds, a line is the median and the band around it goes from the lowest to the highest; a run "
            "that has reached its tolerance counts on with its last value."
        )
    if len({each.race.choices.problem_key() for each in shown}) > 1:
        lines.append("These races are on different problems: a pass over one is other work than a pass over another.")
    if missing := [curve.name for curve in drawn if curve.lanes[0].note]:
        lines.append(f"No bound for {', '.join(missing)}: the tab Bounds says why.")
    for curve in drawn:
        promise = curve.lanes[0].guarantee
        if promise is not None and not applies(promise, y):
            there = " or ".join(words for other, words in Y_AXES.items() if applies(promise, other))
            lines.append(f"The bound of {curve.name} is on another quantity: choose {there} to see it.")
    if y == "primal" and any(each.race.choices.l1 == each.race.choices.l2 == 0 for each in shown):
        lines.append("Without a regulariser P* is not bounded from below: the curves are measured from the best P(w).")
    if y == "test":
        lines.append("The vertical axis leaves out the start, w = 0, which predicts nothing.")
    for each in shown:
        if (every := next((lane.trace.meta.get("every", 1) for lane in each.race.lanes if lane.trace.meta), 1)) > 1:
            lines.append(f"So long a race is measured after every {every} epochs only: all else would fill the memory.")
    if dropped:
        lines.append(dropped)
    told = "".join(f'<p class="quiet">{escape(line)}</p>' for line in lines)
    return told + "".join(provenance(each.race, each.name if len(shown) > 1 else "") for each in shown)


def provenance(race: Result, name: str) -> str:
    """What it takes to repeat a race."""
    meta = next((lane.trace.meta for lane in race.lanes if lane.trace.meta), None)
    if meta is None:
        return ""
    words = f"{meta['problem']}, data {meta['data']}, {seeds(race)}, cdlab {meta['versions']['cdlab']}"
    link = escape("?" + urlencode(race.choices.to_query(), safe=","))
    what = f"To repeat {escape(name) or 'it'}"
    return f'<p class="quiet">{what}: <a href="{link}">these choices</a>; {escape(words)}.</p>'


def seeds(race: Result) -> str:
    """Of the runs, in words."""
    known = sorted({lane.seed for lane in race.lanes})
    return f"seed {known[0]}" if len(known) == 1 else f"seeds {known[0]} to {known[-1]}"


def _unknown(traces: Sequence[Trace]) -> bool:
    """Whether nothing bounds P* from below, so that there is no gap."""
    return all(np.isinf(trace.column("relative_gap")).all() for trace in traces)


def _swatch(curve: Curve, k: int) -> str:
    style = f"border-color: {colour(k)}; filter: var(--cd-figure)"  # as the figure, which is turned over in the dark
    return f'<span class="swatch {curve.lanes[0].side}" style="{style}"></span>'
