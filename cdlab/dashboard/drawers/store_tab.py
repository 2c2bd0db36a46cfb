"""The Store drawer: the runs of a sweep's folder, as pictures, sentences and tables."""

from __future__ import annotations

import logging
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import panel as pn
import param
from panel.custom import JSComponent

from ..choices.choices import Choices
from ..parts import form
from ..parts.drawer import Drawer
from ..parts.figures import bokeh_figure
from ..parts.latest import Latest
from ..parts.lazy_tab import WIDE
from ..parts.scripts import script
from ..races.state import State
from ..races.turns import LONG
from ..stores import summary, views
from ..stores.held import HeldStore
from ..stores.offered import stores
from ..stores.reading import reading_of
from ..words import number, reason, sentence

HERE = Path(__file__).parent
TARGETS = {number(10.0**-k): 10.0**-k for k in range(1, 9)}
PROFILE, DISTRIBUTION, RANKS, BOUNDS = "profile", "distribution", "ranks", "bounds"
VIEWS = {
    "performance profile": PROFILE,
    "runtime distribution": DISTRIBUTION,
    "table of ranks": RANKS,
    "bounds and runs on the problem chosen above": BOUNDS,
}
MEASURES = {"passes": "passes", "seconds": "seconds"}
HOW = """\
<p>This dashboard was started without a store, the folder in which a sweep keeps its runs. Make one with
<code>cdlab sweep grid.toml --store results</code>, and open it with <code>cdlab serve --store results</code>.</p>"""
TWO_COLUMNS = ".field.select { grid-column: span 1; }"
ROOM = "tbody th { min-width: 13em; }"  # for the name of a problem: on a phone the table scrolls
log = logging.getLogger(__name__)


class Asked(param.Parameterized):
    """What is to be seen."""

    store = param.Selector(objects=[], label="Store", doc="A folder that this dashboard was started with.")
    eps = param.Number(
        1e-4, bounds=(0, 1), label="Target", doc="Of (P(w) - P*)/(P(0) - P*), P* the least P(w) of all runs."
    )
    by = param.Selector(default="passes", objects=list(MEASURES), label="Measured by", doc="What a run costs.")
    view = param.Selector(default=PROFILE, objects=list(VIEWS.values()), label="View", doc="What is drawn.")

    def __init__(self, names: list[str]):
        super().__init__()
        self.param.store.objects = names
        self.store = names[0]


class StoreBar(JSComponent):
    """Says what the person asked for, "again" or "csv"; who made it decides."""

    said = param.String(doc="How far the reading is.")

    _esm = script(HERE / "store_bar.js")

    def __init__(self, ask: Callable[[str], None], **options: Any):
        self._ask = ask
        super().__init__(stylesheets=[form.css()], **options)

    def hand(self, filename: str, text: str) -> None:
        """Give the person a file."""
        self._send_msg({"filename": filename, "text": text})

    def _handle_msg(self, data: Any) -> None:
        self._ask(data["ask"])


class StoreTab(Drawer):
    """A store that the server offers.

    Attributes
    ----------
    view : panel Column
    """

    def __init__(self, state: State, css: str):
        self.state, self.css = state, css
        self._latest = Latest(self._fill)
        self._content = pn.Column(sizing_mode="stretch_width")
        self._read: HeldStore | None = None
        self._again = True
        self._shown: tuple[Any, ...] | None = None
        self.asked: Asked | None = None
        self.view = pn.Column(self._content, sizing_mode="stretch_width")
        try:
            self._folders = stores()
        except ValueError as error:
            self._folders = {}
            self._content.objects = [self._html(reason(str(error)))]
            return
        if not self._folders:
            self._content.objects = [self._html(HOW)]
            return
        self.asked = Asked(list(self._folders))
        fields = [
            form.Field("store", needed=lambda _: len(self._folders) > 1),
            form.Field("view", options=VIEWS),
            form.Field("eps", options=TARGETS),
            form.Field("by", needed=lambda asked: asked.view != BOUNDS),
        ]
        self.bar = StoreBar(self._do, **WIDE)
        self.view.insert(0, form.Form(self.asked, {"": fields}, max_width=720, stylesheets=[TWO_COLUMNS], **WIDE))
        self.view.insert(1, self.bar)
        self.asked.param.watch(self._refresh, ["store", "eps", "by", "view"])
        state.choices.param.watch(self._refresh, list(state.choices.values()))

    def _html(self, text: str, *more: str) -> pn.pane.HTML:
        return pn.pane.HTML(text, stylesheets=[self.css, *more], **WIDE)

    def _refresh(self, *_: Any) -> None:
        if self._open and self.asked is not None and (self._again or self._shown != self._key()):
            self._latest.ask()

    def _key(self) -> tuple[Any, ...]:
        """Equal where the same is shown."""
        about = self.state.choices.problem_key() if self.asked.view == BOUNDS else ()
        return (*self.asked.param.values().values(), *about)

    def _do(self, what: str) -> None:
        if what == "again":
            self._again = True
            self._refresh()
        elif what == "csv" and self._read is not None:
            pn.state.execute(self._save)

    async def _fill(self) -> None:
        folder, asked, choices = self._folders[self.asked.store], self.asked.param.values(), self.state.choices.copy()
        key = self._key()
        try:
            if not await self._up_to_date(folder):
                return  # closed, or asked for another store meanwhile: that comes next
            if not self._content.objects:
                self._show([self._html('<p role="status">Working it out.</p>')])
            read = self._read
            view, tables = await LONG.run(self.state, lambda: self._work(read, asked, choices))
            content = self._drawn(view, tables)
        except (ValueError, TypeError, OSError) as error:  # written for the reader
            content = [pn.pane.Alert(escape(sentence(str(error))), alert_type="danger", **WIDE)]
        except Exception as error:
            log.exception("a store could not be shown: %s", folder)
            text = f"An error in cdlab ({type(error).__name__}). The server's log has the details."
            content = [pn.pane.Alert(escape(text), alert_type="danger", **WIDE)]
        if key == self._key():  # otherwise a newer question is waiting
            self._shown = key
            self._show(content)

    async def _up_to_date(self, folder: Path) -> bool:
        """Read what is new where that is asked for, a piece at a time; whether all of it has been read."""
        if self._read is not None and self._read.path == folder and not self._again:
            return True
        self._again = False
        reading, name = reading_of(folder), self.asked.store
        total = left = await LONG.run(self.state, reading.begin)
        while left:
            self._say(f"Reading {total:,} runs: {total - left:,} are read.")
            left = await LONG.run(self.state, reading.step)
            if not self._open or self.asked.store != name:
                self._again = True
                return False
        self._read = await LONG.run(self.state, reading.store)
        self._say(summary.counted(self._read))
        return True

    def _work(self, store: HeldStore, asked: dict[str, Any], choices: Choices) -> tuple[views.View, str]:
        eps, by = asked["eps"], asked["by"]
        if asked["view"] == BOUNDS:
            view = views.bounds(store, eps, self.state.problem(choices))
        else:
            make = {PROFILE: views.profile, DISTRIBUTION: views.distribution, RANKS: views.ranks}[asked["view"]]
            view = make(store, eps, by)
        if view.figure is not None:
            view = view._replace(figure=bokeh_figure(view.figure))
        tables = [summary.runs_table(store), summary.failures(store)] if len(store) or store.failed else []
        return view, summary.troubles(store) + "".join(tables)

    def _drawn(self, view: views.View, tables: str) -> list[Any]:
        words = [self._html(view.words), self._html(tables, ROOM)]
        if view.figure is None:
            return words
        return [pn.pane.Bokeh(view.figure, **WIDE), *words]

    async def _save(self) -> None:
        read, name = self._read, f"{self._read.path.name}.csv"
        text = await LONG.run(self.state, lambda: read.to_frame().to_csv(index=False))
        pn.state.execute(lambda: self.bar.hand(name, text), schedule=True)

    def _say(self, words: str) -> None:
        pn.state.execute(lambda: self.bar.param.update(said=words), schedule=True)

    def _show(self, content: list[Any]) -> None:
        pn.state.execute(lambda: self._content.param.update(objects=content), schedule=True)
