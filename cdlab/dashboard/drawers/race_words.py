"""The races of a picture in words: prediction and outcome, a table of the runs, how to read it, how to repeat it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlencode

from ...plots import FLOOR, Y_AXES, applies
from ..choices import misfits
from ..races.in_short import in_short
from ..races.measured import SHORT, at_the_end, bests, common_target, first_and_last, quantity, reached, uncertified
from ..races.picture import Curve, curves
from ..races.results import Lane, Result
from ..races.runs import Kept
from ..templates import html
from ..words import listed, number, table

ALONE = "One run, with nothing to compare it with."
RUNNING = '<span class="going">running</span>'  # see page.html
TOLD = """\
{% for name, short, long, reasons in told -%}
<div class="told"><span><strong>{{ name }}</strong>: {{ short|marked }}
{%- if stale and loop.last %} <em>The choices have changed since this race: press Run.</em>{% endif %}</span>
<details><summary>explain{% if reasons %}, and why some did not run{% endif %}</summary><p>{{ long|marked }}
{%- for words in reasons %}<br><span class="reason">{{ words }}</span>{% endfor %}</p></details></div>
{%- endfor %}"""
NAMED = """\
<svg class="swatch" viewBox="0 0 28 6" width="28" height="6" aria-hidden="true"><path d="M0 3H28" \
stroke="{{ look.light }}" stroke-width="{{ look.width }}" stroke-dasharray="{{ dash }}"/></svg>{{ name }}"""
REPEAT = """\
<p class="quiet">To repeat {{ name or "it" }}: <a href="{{ link }}">these choices</a>; {{ words }}.</p>"""


def sentences(shown: Sequence[Kept], stale: bool) -> str:
    """A line for each race, and what explains it; `stale`: the choices are others than the latest race's."""
    if not shown:
        return '<p class="summary">All runs are muted: the tab Runs has them.</p>'
    told = [(each.name, in_short(each.race) or ALONE, _headline(each.race), _not_run(each.race)) for each in shown]
    return html(TOLD, told=told, stale=stale)


def _headline(race: Result) -> str:
    """Prediction and outcome; of a race in which no two sides meet, who was first."""
    happened = race.outcome()
    if happened.primal is not None and happened.dual is not None:
        return race.sentence()
    return f"{first_and_last(race)} {happened.sentence(race.prediction)}".strip()


def _not_run(race: Result) -> list[str]:
    """The chosen methods that took no part, and why."""
    by_reason: dict[str, list[str]] = {}
    for run, why in misfits.left_out(race.choices).items():
        by_reason.setdefault(why, []).append(run)
    return [f"Not run: {listed(runs)}, because {why.rstrip('.')}." for why, runs in by_reason.items()]


def race_table(shown: Sequence[Kept]) -> str:
    """One row a curve: how far it came, how fast. With several seeds, the medians."""
    races = [each.race for each in shown]
    level, by_primal = common_target(races), quantity(races) == "primal"
    best = bests(races) if by_primal else {}
    goal, rows = number(level), []
    for curve in curves(shown):
        own = best.get(curve.race.choices.problem_key())
        work = [reached(curve.lanes, level, by, own) for by in ("passes", "seconds")]
        rows.append([_named(curve), *work, at_the_end(curve.lanes, own), status(curve.lanes)])
    short = SHORT[quantity(races)]
    goal = f"a {short} of {goal}" if by_primal else goal
    head = ["run", f"passes to {goal}", f"seconds to {goal}", f"{short} at the end", "status"]
    return table(head, rows, "The runs", raw=(0, 4))


def status(lanes: Sequence[Lane]) -> str:
    """How the runs ended, as HTML."""
    counted = Counter(lane.status or ("running" if lane.trace.records else "waiting") for lane in lanes)
    words = {each: RUNNING if each == "running" else html("{{ word }}", word=each) for each in counted}
    if len(counted) == 1:
        return words[next(iter(counted))]
    return ", ".join(f"{count} {words[each]}" for each, count in counted.items())


def notes(shown: Sequence[Kept], y: str, dropped: str = "") -> str:
    """How to read the picture, and what repeats the races."""
    lines = [
        "Blue: methods that draw examples (dual and stochastic gradient methods); orange: methods of features "
        "(primal); grey-green: methods of full gradients; thin dashes: the bound of the same colour, which theory "
        f"promises the average over seeds will not exceed. Values below {number(FLOOR)} are drawn there."
    ]
    drawn = curves(shown)
    if any(len(curve.lanes) > 1 for curve in drawn):
        lines.append(
            "Of several seeds, a line is the median and the band around it goes from the lowest to the highest; a run "
            "that has reached its tolerance counts on with its last value."
        )
    if len(shown) > 1:
        lines.append("A method has the same colour in all races; those of earlier races are paler and thinner.")
    if len({each.race.choices.problem_key() for each in shown}) > 1:
        lines.append("These races are on different problems: a pass over one is other work than a pass over another.")
    if missing := [curve.name for curve in drawn if curve.lanes[0].note]:
        lines.append(f"No bound for {'; '.join(missing)}: the tab Bounds says why.")
    elsewhere: dict[str, list[str]] = {}
    for curve in drawn:
        promise = curve.lanes[0].guarantee
        if promise is not None and not applies(promise, y):
            there = " or ".join(words for other, words in Y_AXES.items() if applies(promise, other))
            elsewhere.setdefault(there, []).append(curve.name)
    for curve in drawn:
        promise = curve.lanes[0].guarantee
        if promise is not None and len(promise.parts) > 1 and applies(promise, y):
            lines.append(f"The bound of {curve.name} is the smallest that is known at each point: {promise.names}.")
    for there, names in elsewhere.items():
        bound, it = ("bound of {} is", "it") if len(names) == 1 else ("bounds of {} are", "them")
        lines.append(f"The {bound.format('; '.join(names))} on another quantity: choose {there} to see {it}.")
    if y == "primal" and any(uncertified(each.race) for each in shown):
        lines.append(
            "Without a regulariser no lower bound on P* is known: the curves are measured from the best P(w) of these "
            "runs, so that the best of them seems to get there in any case."
        )
    if y == "test":
        lines.append("The vertical axis leaves out the start, w = 0, which predicts nothing.")
    for each in shown:
        if (every := next((lane.trace.meta.get("every", 1) for lane in each.race.lanes if lane.trace.meta), 1)) > 1:
            lines.append(f"So long a race is measured after every {every} epochs only: all else would fill the memory.")
    if dropped:
        lines.append(dropped)
    told = html('{% for line in lines %}<p class="quiet">{{ line }}</p>{% endfor %}', lines=lines)
    return told + "".join(provenance(each.race, each.name if len(shown) > 1 else "") for each in shown)


def provenance(race: Result, name: str) -> str:
    """What it takes to repeat a race."""
    meta = next((lane.trace.meta for lane in race.lanes if lane.trace.meta), None)
    if meta is None:
        return ""
    words = f"{meta['problem']}, data {meta['data']}, {seeds(race)}, cdlab {meta['versions']['cdlab']}"
    link = "?" + urlencode(race.choices.to_query(), safe=",")
    return html(REPEAT, name=name, link=link, words=words)


def seeds(race: Result) -> str:
    """Of the runs, in words."""
    known = sorted({lane.seed for lane in race.lanes})
    return f"seed {known[0]}" if len(known) == 1 else f"seeds {known[0]} to {known[-1]}"


def _named(curve: Curve) -> str:
    """The name of a curve, after a piece of its line."""
    return html(NAMED, look=curve.look, dash=" ".join(map(str, curve.look.dash)), name=curve.name)
