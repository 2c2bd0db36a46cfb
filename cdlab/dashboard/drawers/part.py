"""A part of a drawer: worked out in a thread while the drawer is open, shown as texts, tables and pictures."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import panel as pn
from bokeh.document import Document
from bokeh.models import CustomJS, Plot

from ...numerics.written_numbers import number
from ...plots.elements import (
    HOLOVIEWS_LOCK,
    LEGEND_GLYPH,
    LEGEND_MARGIN,
    LEGEND_ROW,
    LETTER,
    legend_columns,
    load_holoviews,
)
from ..engine.choices import Choices
from ..engine.predicting import data_refusal
from ..engine.problems import PreparedProblem, prepared
from ..engine.racing import Race
from ..engine.thread_pools import SLOW_ANSWERS
from ..words import sentence

WIDE = {"sizing_mode": "stretch_width", "margin": 0}
STALE, FRESH = {"opacity": "0.35"}, {"opacity": "1"}
# the browser lays a legend out in a given number of columns: how many there is room for, only it knows
FITTED_LEGEND = """
  const columns = Math.max(1, Math.min(count, Math.floor(figure.inner_width / column)))
  if (figure.inner_width > 0 && legend.ncols !== columns) {
    legend.ncols = columns
    figure.height = height + row * Math.ceil(count / columns)
  }
"""
LONG_TEXT = 40  # characters
log = logging.getLogger(__name__)


class Subject(NamedTuple):
    """The subject of the page when a part is worked out."""

    choices: Choices
    races: tuple[Race, ...]  # oldest first

    @property
    def about(self) -> PreparedProblem:
        """The problem; a ValueError or an OSError says why there is none."""
        if refusal := data_refusal(self.choices):
            raise ValueError(refusal.why)
        return prepared(self.choices)

    @property
    def race(self) -> Race | None:
        """The latest race of these very choices."""
        return next((race for race in reversed(self.races) if race.choices.digest == self.choices.digest), None)


Cell = str | float | None
Block = Any  # HTML as a str, a HoloViews picture, or something of Panel's


class Part:
    """A part of a drawer.

    Parameters
    ----------
    session : Session
    drawer : str
        The name of the drawer, without which open nothing is worked out.
    work : callable
        From a `Subject` and the values of the widgets, by name, the blocks that are shown; called in a thread. A
        ValueError is a sentence for the reader.
    widgets : mapping of str to widget, optional
        What the reader can set.
    follows : sequence of str, default ("choices", "races")
        Parameters of the session that it depends on.
    button : str, optional
        It is worked out when the reader presses this, and what was shown goes with what it was about.

    Attributes
    ----------
    view : panel Column
    """

    def __init__(
        self,
        session: Any,
        drawer: str,
        work: Callable[..., Sequence[Block]],
        widgets: Mapping[str, Any] | None = None,
        *,
        follows: Sequence[str] = ("choices", "races"),
        button: str = "",
    ):
        self._session, self._drawer, self._work, self._follows = session, drawer, work, follows
        self.widgets = dict(widgets or {})
        self._number = 0  # of the latest question
        self._shown: Any = None
        self._button = pn.widgets.Button(label=button) if button else None
        self._status = pn.pane.HTML("", stylesheets=[css()], **WIDE)
        self._content = pn.Column(**WIDE)
        seen = [each for each in self.widgets.values() if isinstance(each, pn.viewable.Viewable)]
        controls = [*seen, *filter(None, [self._button])]
        row = [pn.FlexBox(*controls, gap="8px 16px", align_items="end", **WIDE)] if controls else []
        self.view = pn.Column(*row, self._status, self._content, **WIDE)
        for control in controls:
            control.param.update(stylesheets=[css()], margin=(4, 0))
        for widget in self.widgets.values():
            widget.param.watch(self._refresh, "value")
        if self._button is not None:
            self._button.on_click(lambda _: pn.state.execute(self.fill))
        session.param.watch(self._refresh, ["drawer", *follows])
        self._refresh()

    def _about(self) -> Any:
        """Equal where the same is shown."""
        session, about = self._session, {name: widget.value for name, widget in self.widgets.items()}
        if "choices" in self._follows:
            about["of choices"] = session.choices.digest, session.choices.seeds
        if "races" in self._follows:
            about["of races"] = [id(race) for race in session.races]
        return about

    def _refresh(self, *_: Any) -> None:
        if self._session.drawer != self._drawer or self._shown == self._about():
            return
        if self._button is None:
            pn.state.execute(self.fill)
        else:
            self._number += 1
            self._shown = self._about()
            self._show([])

    async def fill(self) -> None:
        """Work it out and show it, unless something newer has been asked for meanwhile."""
        self._number += 1
        number, about, session = self._number, self._about(), self._session
        self._shown = about
        values = {name: widget.value for name, widget in self.widgets.items()}
        question = Subject(session.choices, tuple(session.races))

        def work() -> list[Any]:
            return [] if number != self._number else [pane_of(each) for each in self._work(question, **values)]

        self._content.styles = STALE
        self._status.object = '<p role="status">One moment.</p>'
        try:
            panes = await SLOW_ANSWERS.run(session.visitor, work)
        except (ValueError, TypeError, OSError) as why:  # written for the reader
            panes = [pane_of(reason(str(why)))]
        except Exception as error:
            log.exception("a part of the drawer %s failed: %s", self._drawer, about)
            words = f"An error in cdlab ({type(error).__name__}). The server's log has the details."
            panes = [pane_of(reason(words))]
        if number == self._number:
            pn.state.execute(lambda: self._show(panes), schedule=True)

    def _show(self, panes: list[Any]) -> None:
        # Bokeh checks no property while a glyph is made, in whatever thread, and would send wrong colours meanwhile
        with HOLOVIEWS_LOCK, pn.io.hold():
            self._status.object = ""
            self._content.styles = FRESH
            self._content.objects = panes


def pane_of(block: Block) -> pn.viewable.Viewable:
    """The pane that Panel shows for a block."""
    if isinstance(block, pn.viewable.Viewable):
        return block
    if isinstance(block, str):
        return pn.pane.HTML(block, stylesheets=[css()], **WIDE)
    return pn.pane.Bokeh(bokeh_figure(block), **WIDE)


@cache
def css() -> str:
    """The style of texts, tables and widgets, in the colours of the page."""
    return Path(__file__).with_name("drawers.css").read_text(encoding="utf-8")


def heading(words: str, below: str = "") -> str:
    """A heading as HTML, with a sentence below it."""
    return f"<h3>{escape(words)}</h3>" + (paragraph(below) if below else "")


def paragraph(words: str) -> str:
    """A sentence as HTML."""
    return f"<p>{with_subscripts(words)}</p>"


def reason(words: str) -> str:
    """The reason why something is not there, as HTML."""
    return f'<p class="reason" role="alert">{escape(sentence(words))}</p>'


def download(label: str, filename: str, make: Callable[[], str]) -> pn.widgets.FileDownload:
    """A button that saves a text, which is made when it is pressed."""
    return pn.widgets.FileDownload(
        callback=lambda: StringIO(make()), label=label, filename=filename, icon=None, margin=(4, 0), stylesheets=[css()]
    )


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[Cell]], raw: Sequence[int] = ()) -> str:
    """A table as HTML; in the columns `raw` cells are HTML. On a phone, cells of long texts stand below each other."""
    long = {j for j in range(len(head)) if j not in raw and any(len(str(row[j])) > LONG_TEXT for row in rows)}

    def cell_html(j: int, cell: Cell) -> str:
        text = cell if isinstance(cell, str) else number(cell)
        text = text if j in raw else with_subscripts(text)
        return f'<div class="long">{text}</div>' if j in long else text

    top = "".join(f'<th scope="col">{with_subscripts(words)}</th>' if words else "<td></td>" for words in head)
    body = ""
    for row in rows:
        first, *others = (cell_html(j, cell) for j, cell in enumerate(row))
        cells = "".join(f'<td data-head="{escape(words)}">{x}</td>' for words, x in zip(head[1:], others, strict=True))
        body += f'<tr><th scope="row">{first}</th>{cells}</tr>'
    caption, kind = escape(title), "stacked" if long else "plain"
    return (  # the wrapper scrolls sideways on a narrow screen, and the keyboard can reach it there
        f'<div class="table" tabindex="0" role="region" aria-label="{caption}">'
        f'<table class="{kind}"><caption>{caption}</caption>'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def with_subscripts(text: str) -> str:
    """Text as HTML, with the letters of the face-off set as they are written: C_P as C with a small P below.

    >>> with_subscripts("T_P/T_D < 1")
    'T<sub>P</sub>/T<sub>D</sub> &lt; 1'
    """
    return re.sub(r"\b([CTKW])_([PD])\b", r"\1<sub>\2</sub>", escape(text))


def bokeh_figure(picture: Any) -> Plot:
    """A HoloViews picture as bokeh's figure, with a legend in as many columns as there is room for.

    In a document of its own, which only a renderer of mode "server" takes: any other hangs the picture on bokeh's
    global document, which never ends.
    """
    with HOLOVIEWS_LOCK:  # pages draw in threads
        figure = load_holoviews().renderer("bokeh").instance(mode="server").get_plot(picture, doc=Document()).state
    figure.update(background_fill_alpha=0, border_fill_alpha=0, styles={"filter": "var(--figure, none)"})
    for legend in figure.legend:
        labels = [item.label["value"] for item in legend.items]
        legend.update(padding=2, margin=2)
        if labels:
            fit = {"figure": figure, "legend": legend, "count": len(labels), "row": LEGEND_ROW,
                   "column": LEGEND_GLYPH + LEGEND_MARGIN + LETTER * max(map(len, labels)),
                   "height": figure.height - LEGEND_ROW * -(-len(labels) // legend_columns(labels))}  # fmt: skip
            figure.js_on_change("inner_width", CustomJS(args=fit, code=FITTED_LEGEND))
    return figure
