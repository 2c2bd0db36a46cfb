"""The drawer Runs: all races of the session in one table and one picture, as files, and beside the stores of sweeps."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Sequence
from io import StringIO
from typing import Any

import numpy as np
import pandas as pd
import panel as pn
import param
from bokeh.models import NumberFormatter, ScientificFormatter

from ... import plots
from ...runs.trace import Trace
from ..choices.data_sources import UPLOAD
from ..engine.answering import REASONS
from ..engine.choices import Entrant
from ..engine.numbers import spoken
from ..engine.racing import Race
from ..engine.theorems import evaluated
from ..visitor_limits import limits
from ..words import number, sentence
from .part import WIDE, Block, Part, Question, css, paragraph
from .session_files import NAME_LIMIT, from_session, race_names, to_csv, to_session
from .stores import store_part

X_OPTIONS = {"passes": "passes", "solver seconds": "seconds", "coordinate updates": "iteration",
             "examples processed": "examples"}  # fmt: skip
BOUND_POINTS = 400
NO_RACE = "There is no race yet: run one, and it stands here."
COLUMNS = ["race", "entry", "draws of", "data", "loss", "λ", "l1", "seeds", "passes", "least", "most", "seconds",
           "last gap", "status"]  # fmt: skip


class Shown(param.Parameterized):
    """Which rows of the table are drawn: the widget, for a `Part`, whose value they are."""

    value = param.List([], item_type=int)
    stylesheets = param.List([])


class Runs:
    """The table of the races and what follows from its selection.

    Attributes
    ----------
    view : panel Column
    """

    def __init__(self, session: Any):
        self.session, self.shown = session, Shown()
        plain = {"theme": "simple", "layout": "fit_data_table", "show_index": False, "stylesheets": [css()]}
        editors = dict.fromkeys(COLUMNS) | {"race": {"type": "input"}}
        shapes = {"passes": "0,0.[00]", "least": "0,0.[00]", "most": "0,0.[00]", "seconds": "0.[0000]"}
        formatters = {name: NumberFormatter(format=each, nan_format="–") for name, each in shapes.items()}
        formatters["last gap"] = ScientificFormatter(precision=1, nan_format="–")
        self.table = pn.widgets.Tabulator(
            pd.DataFrame(columns=COLUMNS), selectable="checkbox", editors=editors, formatters=formatters, height=220,
            **plain, **WIDE,
        )  # fmt: skip
        self.table.param.watch(self._take_selection, "selection")
        self.table.on_edit(self._rename)
        self._forget = pn.widgets.Button(name="Forget the races that are not drawn", stylesheets=[css()])
        self._forget.on_click(self._forget_others)
        self._open = pn.widgets.FileInput(
            accept=".json", name="Take up a session (JSON)", stylesheets=[css()], width=220
        )
        self._open.param.watch(lambda _: pn.state.execute(self.take_up), "value")
        files = [
            ("Save the curves (CSV)", "runs.csv", lambda: StringIO(to_csv(self.session.races))),
            ("Save the session (JSON)", "session.json", lambda: StringIO(to_session(session.races, session.choices))),
        ]
        saving = [
            pn.widgets.FileDownload(callback=make, label=label, filename=name, icon=None, stylesheets=[css()])
            for label, name, make in files
        ]
        self._words = pn.pane.HTML("", stylesheets=[css()], **WIDE)
        axes = {
            "x": pn.widgets.Select(name="Across", options=X_OPTIONS, value="passes", width=200),
            "y": pn.widgets.Select(name="Upwards", options={words: y for y, words in plots.Y_AXES.items()}, value="best_gap", width=300),
            "bounds": pn.widgets.Checkbox(name="with bounds", value=False, width=110),
        }  # fmt: skip
        self.picture = Part(session, "Runs", self.draw, axes | {"rows": self.shown}, follows=["races"])
        row = pn.FlexBox(*saving, self._open, self._forget, gap="8px 16px", align_items="end", **WIDE)
        self.view = pn.Column(self._words, self.table, self.picture.view, row, store_part(session), **WIDE)
        session.param.watch(self._refresh, ["drawer", "races"])
        self._refresh()

    # ------------------------------------------------------------ the table
    def _refresh(self, *events: Any) -> None:
        races = self.session.races
        if self.session.drawer != "Runs":
            return
        before = [(id(race), label) for race, label in self._rows_before]
        rows = rows_of(races)
        drawn = {before[k] for k in self.shown.value if k < len(before)}
        known = {race for race, _ in before}
        self._rows_before = rows
        latest = id(races[-1]) if races else None
        selection = [
            k for k, (race, label) in enumerate(rows)
            if (id(race), label) in drawn or (id(race) not in known and id(race) == latest)
        ]  # fmt: skip
        self._words.object = "" if races else paragraph(NO_RACE)
        self.table.selection = []  # of other rows
        self.table.value = frame_of(races)
        self.table.selection = selection
        self.shown.value = selection

    _rows_before: Sequence[tuple[Race, str]] = ()

    def _take_selection(self, event: Any) -> None:
        self.shown.value = list(event.new)

    def _rename(self, event: Any) -> None:
        race, _ = self._rows_before[event.row]
        race.name = " ".join(str(event.value).split())[:NAME_LIMIT]
        self.session.param.trigger("races")

    def _forget_others(self, _: Any) -> None:
        drawn = {id(self._rows_before[k][0]) for k in self.shown.value}
        keep_races(self.session, [race for race in self.session.races if id(race) in drawn])

    # ------------------------------------------------------------ a session as a file
    async def take_up(self) -> None:
        """Take up the races and the choices of the file that was given."""
        if not self._open.value:
            return
        text, session = bytes(self._open.value), self.session
        try:
            limits().check_upload(len(text))
            races, choices = await REASONS.run(session.visitor, from_session, text, session.visitor.file)
        except (ValueError, OSError) as why:
            words = sentence(str(why))
        else:
            words = f"{spoken(len(races))} race{'' if len(races) == 1 else 's'} and the choices have been taken up."
            keep_races(session, [*session.races, *races])
            session.choose(choices.values())
        self._words.object = paragraph(words)

    # ------------------------------------------------------------ the picture
    def draw(self, asked: Question, x: str, y: str, bounds: bool, rows: list[int]) -> list[Block]:
        """The curves of the rows, in medians and bands over their seeds."""
        shown = [self._rows_before[k] for k in rows if k < len(self._rows_before)]
        if not shown:
            return [paragraph("No row is chosen: tick the curves that are to be drawn.")] if asked.races else []
        names = dict(zip(map(id, asked.races), race_names(asked.races), strict=True))
        traces, promises = [], []
        several = len({id(race) for race, _ in shown}) > 1
        for race, label in shown:
            name = f"{names.get(id(race), '')}: {label}" if several else label
            lanes = [lane for lane in race.lanes if lane.entry.label == label and lane.records]
            promise = bound_of(race, lanes[0].entry) if bounds and lanes else None
            for lane in lanes:
                traces.append(Trace(lane.trace.records, lane.trace.meta | {"label": name}))
                promises.append(promise)
        if y == "test" and all(math.isnan(trace.records[-1].test_error) for trace in traces):
            raise ValueError("these data have no test part, so that no test error is known: choose another axis")
        uncertified = not all(race.about.certified for race, _ in shown)
        if uncertified and y != "test":
            y = "primal"
        target = shown[-1][0].choices.target
        picture = plots.race(traces, promises, x=x, y=y, tolerance=target if y == "gap" else 0.0)
        return [picture, paragraph(picture_words(shown, x, y, uncertified, promises if bounds else []))]


def view(session: Any) -> pn.viewable.Viewable:
    return Runs(session).view


def keep_races(session: Any, races: Sequence[Race]) -> None:
    """Make these the races of a session, for the answers to its page, too."""
    session.visitor.races = OrderedDict((race.choices.digest, race) for race in races)
    session.races = list(session.visitor.races.values())


def rows_of(races: Sequence[Race]) -> list[tuple[Race, str]]:
    """A race and the label of an entry for each row of the table."""
    return [(race, each.label) for race in races for each in race.outcome.results]


def frame_of(races: Sequence[Race]) -> pd.DataFrame:
    """The table: what an entry was run on, the passes to its target over the draws, and how its runs ended."""
    rows = []
    for name, race in zip(race_names(races), races, strict=True):
        choices = race.choices
        for each in race.outcome.results:
            lanes = [lane for lane in race.lanes if lane.entry.label == each.label]
            drawn, ends = lanes[0].entry.drawn, [lane.records[-1] for lane in lanes if lane.records]
            rows.append([
                name, each.label, drawn.name if drawn else "nothing", data_words(race), choices.loss,
                f"{number(choices.l2)}/n" if choices.l2_over_n and choices.l2 else number(choices.l2), number(choices.l1),
                f"{lanes[0].seed} to {lanes[-1].seed}" if len(lanes) > 1 else str(lanes[0].seed),
                *(math.nan if number is None else number for number in (each.reached, each.low, each.high)),
                float(pd.Series([end.seconds for end in ends]).median()), each.last_gap,
                lanes[0].status if len(lanes) == 1 else _statuses(lanes),
            ])  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS)


def _statuses(lanes: Sequence[Any]) -> str:
    counted = pd.Series([str(lane.ended) for lane in lanes]).value_counts()
    return ", ".join(f"{count} × {words}" if len(counted) > 1 else words for words, count in counted.items())


def data_words(race: Race) -> str:
    """The data of a race in a few words."""
    choices, problem = race.choices, race.about.problem
    name = choices.upload.partition(":")[0] if choices.data == UPLOAD else choices.data
    return f"{name}, {problem.n:,} × {problem.d:,}"


def bound_of(race: Race, entry: Entrant) -> plots.Guarantee | None:
    """The bound that the page draws, along a run; None where there is none."""
    try:
        found = evaluated(race.about.problem, entry, race.choices.target)
    except ValueError:  # the drawer Bounds says why
        return None
    levels = np.geomspace(1.0, plots.FLOOR, BOUND_POINTS)
    return plots.Guarantee(found.passes_to(levels), levels * race.about.start, "P-D") if found.last_point else None


def picture_words(shown: Sequence[tuple[Race, str]], x: str, y: str, uncertified: bool, promises: Sequence[Any]) -> str:
    """How to read the picture."""
    words = [
        f"{plots.Y_AXES[y]} against {plots.X_AXES[x]}. Orange steps on features, blue on examples, grey-green on all."
    ]
    if any(race.choices.seeds > 1 for race, _ in shown):
        words.append("A line is the median of the draws, the band goes from the lowest to the highest.")
    if len({race.choices.problem_key() for race, _ in shown}) > 1:
        words.append("These races are on different problems: a pass over one is other work than a pass over another.")
    if uncertified and y == "primal":
        words.append(
            "Without a regulariser no lower bound on P* is known: P(w) is measured from the best of these runs."
        )
    if promises and not any(each is not None and plots.applies(each, y) for each in promises):
        words.append("No theorem here bounds this axis: choose another, or see Bounds.")
    elif promises:
        words.append("Thin dashes: what theory promises the average over draws will not exceed.")
    return " ".join(words)
