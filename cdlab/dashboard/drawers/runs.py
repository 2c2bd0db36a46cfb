"""The drawer Runs: all races of the session in one table and one picture, as files, and beside the stores of sweeps."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import panel as pn
import param
from bokeh.models import NumberFormatter, ScientificFormatter

from ... import plots
from ...numerics.written_numbers import number
from ...runs.trace import Trace
from ..engine.choices import Contestant
from ..engine.data_sources import UPLOAD
from ..engine.racing import Race
from ..engine.theorems import best_theorem
from ..words import sentence
from .part import WIDE, Block, Part, Subject, css, download, paragraph
from .session_files import NAME_LIMIT, race_names, take_up, to_csv, to_session
from .stores import store_part

X_OPTIONS = {"passes": "passes", "solver seconds": "seconds", "coordinate updates": "iteration",
             "examples processed": "examples"}  # fmt: skip
Y_OPTIONS = {words: name for name, words in plots.Y_AXES.items()}
NUMBERS = {"passes": "0,0.[00]", "least": "0,0.[00]", "most": "0,0.[00]", "seconds": "0.[0000]"}
COLUMNS = ["race", "entry", "draws of", "data", "loss", "λ", "l1", "seeds", *NUMBERS, "last gap", "status"]
BOUND_POINTS = 400
HEADER, ROW, ROWS_SEEN = 56, 38, 8  # of the table: pixels, and rows beyond which it scrolls
Row = tuple[Race, str]  # and the label of an entry


class Selection(param.Parameterized):
    """The rows of the table that are drawn."""

    value = param.List([], item_type=int)


class Runs:
    """The table of the races and what follows from its selection.

    Attributes
    ----------
    view : panel Column
    """

    def __init__(self, session: Any):
        self.session, self.selection, self.rows = session, Selection(), list[Row]()
        self.table: pn.widgets.Tabulator | None = None
        self._place = pn.Column(**WIDE)
        forget = pn.widgets.Button(label="Forget the races that are not drawn", margin=(4, 0), stylesheets=[css()])
        forget.on_click(self._forget)
        self.file = pn.widgets.FileInput(
            accept=".json", label="Take up a session (JSON)", margin=(4, 0), stylesheets=[css()]
        )
        self.file.param.watch(lambda _: pn.state.execute(self.take_up), "value")
        saved = [
            download("Save the curves (CSV)", "runs.csv", lambda: to_csv(session.races)),
            download("Save the session (JSON)", "session.json", lambda: to_session(session.races, session.choices)),
        ]
        widgets = {
            "x": pn.widgets.Select(label="Across", options=X_OPTIONS, width=180),
            "y": pn.widgets.Select(label="Upwards", options=Y_OPTIONS, value="best_gap", width=280),
            "bounds": pn.widgets.Select(label="Bounds", options={"left out": False, "drawn": True}, width=120),
            "rows": self.selection,
        }
        picture = Part(session, "Runs", self.draw, widgets, follows=["races"])
        self.words = pn.pane.HTML("", stylesheets=[css()], **WIDE)
        row = pn.FlexBox(*saved, self.file, forget, gap="8px 16px", align_items="end", **WIDE)
        self.view = pn.Column(self.words, self._place, picture.view, row, store_part(session), **WIDE)
        session.param.watch(self._refresh, ["drawer", "races"])
        self._refresh()

    def _refresh(self, *_: Any) -> None:
        """Show the races as they are now: rows that were drawn stay so, and a new race is."""
        if self.session.drawer != "Runs":
            return
        before, races = self.rows, self.session.races
        drawn = [before[k] for k in self.selection.value if k < len(before)]
        known = [race for race, _ in before]
        self.rows = [(race, each.label) for race in races for each in race.outcome.results]
        selection = [
            k for k, row in enumerate(self.rows) if row in drawn or (row[0] is races[-1] and row[0] not in known)
        ]
        self.words.object = "" if races else paragraph("There is no race yet: run one, and it stands here.")
        self.table = self._table_of(races, selection) if races else None
        self._place[:] = [self.table] if races else []
        self.selection.value = selection

    def _table_of(self, races: Sequence[Race], selection: list[int]) -> pn.widgets.Tabulator:
        """A new table each time: in a browser, one that was empty stays so."""
        formats: dict[str, Any] = {name: NumberFormatter(format=each, nan_format="–") for name, each in NUMBERS.items()}
        made = pn.widgets.Tabulator(
            frame_of(races), selection=selection, selectable="checkbox", show_index=False, layout="fit_data_table",
            formatters=formats | {"last gap": ScientificFormatter(precision=1, nan_format="–")}, theme="simple",
            editors=dict.fromkeys(COLUMNS) | {"race": {"type": "input"}}, stylesheets=[css()],
            height=HEADER + ROW * min(len(self.rows), ROWS_SEEN), **WIDE,
        )  # fmt: skip
        made.param.watch(lambda event: self.selection.param.update(value=list(event.new)), "selection")
        made.on_edit(self._rename)
        return made

    def _rename(self, event: Any) -> None:
        self.rows[event.row][0].name = " ".join(str(event.value).split())[:NAME_LIMIT]
        self.session.param.trigger("races")

    def _forget(self, _: Any) -> None:
        drawn = [self.rows[k][0] for k in self.selection.value]
        self.session.races = [race for race in self.session.races if race in drawn]

    async def take_up(self) -> None:
        """Take up the races and the choices of the file that was given."""
        if not self.file.value:
            return
        try:
            words = await take_up(self.session, self.file.value)
        except (ValueError, OSError) as why:
            words = sentence(str(why))
        self.words.object = paragraph(words)

    def draw(self, asked: Subject, x: str, y: str, bounds: bool, rows: Sequence[int]) -> list[Block]:
        """The curves of the rows, in medians and bands over their seeds."""
        shown = [self.rows[k] for k in rows if k < len(self.rows)]
        if not shown:
            return [paragraph("Tick the rows whose curves are to be drawn.")] if asked.races else []
        names = dict(zip(map(id, asked.races), race_names(asked.races), strict=True))
        several, traces, promises = len({id(race) for race, _ in shown}) > 1, [], []
        for race, label in shown:
            runs = [run for run in race.of(label) if run.records]
            promise = bound_of(race, runs[0].entry) if bounds and runs else None
            name = f"{names[id(race)]}: {label}" if several and id(race) in names else label
            traces += [Trace(run.trace.records, run.trace.meta | {"label": name}) for run in runs]
            promises += [promise] * len(runs)
        certified = all(race.about.certified for race, _ in shown)
        if y == "test":
            if all(math.isnan(trace.records[-1].test_error) for trace in traces):
                raise ValueError("these data have no test part, so that no test error is known: choose another axis")
        elif not certified:
            y = "primal"
        tolerance = shown[-1][0].choices.target if y == "gap" else 0.0
        picture = plots.race(traces, promises, x=x, y=y, tolerance=tolerance)
        return [picture, paragraph(picture_words(shown, x, y, certified, promises if bounds else []))]


def view(session: Any) -> pn.viewable.Viewable:
    return Runs(session).view


def frame_of(races: Sequence[Race]) -> pd.DataFrame:
    """The table: what an entry was run on, the passes to its target over the draws, and how its runs ended."""
    rows = []
    for name, race in zip(race_names(races), races, strict=True):
        choices, problem = race.choices, race.about.problem
        data = choices.upload.partition(":")[0] if choices.data == UPLOAD else choices.data
        l2 = number(choices.l2) + ("/n" if choices.l2_over_n and choices.l2 else "")
        setting = [f"{data}, {problem.n:,} × {problem.d:,}", choices.loss, l2, number(choices.l1)]
        for each in race.outcome.results:
            runs, seeds = race.of(each.label), sorted(race.seeds)
            drawn = runs[0].entry.draws
            seconds = [run.records[-1].seconds for run in runs if run.records]
            ended = Counter(str(run.trace.meta["status"]) for run in runs)
            rows.append([
                name, each.label, drawn.name if drawn else "nothing", *setting,
                f"{seeds[0]} to {seeds[-1]}" if len(seeds) > 1 else str(seeds[0]),
                *(math.nan if passes is None else passes for passes in (each.reached, each.low, each.high)),
                float(np.median(seconds)) if seconds else math.nan, each.last_gap,
                ", ".join(words if len(ended) == 1 else f"{count} × {words}" for words, count in ended.items()),
            ])  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS)


def bound_of(race: Race, entry: Contestant) -> plots.Guarantee | None:
    """The bound that the page draws, along a run; None where there is none."""
    try:
        found = best_theorem(race.about.problem, entry, race.choices.target)
    except ValueError:  # the drawer Bounds says why
        return None
    if not found.last_point:
        return None
    levels = np.geomspace(1.0, plots.FLOOR, BOUND_POINTS)
    passes = np.append(0.0, found.passes_to(levels))  # the gap is at most that of the start, from the first pass on
    return plots.Guarantee(passes, np.append(race.about.start, levels * found.gain), found.bound.bounded)


def picture_words(
    shown: Sequence[Row], x: str, y: str, certified: bool, promises: Sequence[plots.Guarantee | None]
) -> str:
    """Sentences that say how to read the picture."""
    axes = f"{plots.Y_AXES[y][:1].upper()}{plots.Y_AXES[y][1:]} against {plots.X_AXES[x]}"
    words = [f"{axes}. Orange steps on features, blue on examples, grey-green on all."]
    if any(race.choices.seeds > 1 for race, _ in shown):
        words.append("A line is the median of the draws, the band goes from the lowest to the highest.")
    if len({race.choices.problem_key() for race, _ in shown}) > 1:
        words.append("These races are on different problems: a pass over one is other work than a pass over another.")
    if y == "primal" and not certified:
        words.append("Without a regulariser no bound below P* is known: P(w) is measured from the best of these runs.")
    if any(each is not None and plots.applies(each, y) for each in promises):
        words.append("Thin dashes: what theory promises the average over draws will not exceed.")
    elif promises:
        words.append("No theorem here bounds this axis: the drawer Bounds says why.")
    return " ".join(words)
