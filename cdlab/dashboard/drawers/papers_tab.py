"""The Papers drawer: figures, tables and claims of the papers, with verdicts, and races on their problems."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import panel as pn
import param

from ..choices.address import left_out
from ..parts.drawer import Drawer
from ..parts.form import Field, Form
from ..parts.latest import Latest
from ..parts.lazy_tab import WIDE
from ..races.state import State
from ..races.turns import LONG
from ..words import reason

if TYPE_CHECKING:
    from ...reproductions import Item, Paper

ROOM = "tbody th, td:nth-child(2) { min-width: 9em; } details { margin: 0.4em 0; }"
log = logging.getLogger(__name__)


class Chosen(param.Parameterized):
    """A paper and an item of it, by their titles."""

    paper = param.Selector(objects=[], label="Paper", doc="Of which every figure, table and claim is an item.")
    item = param.Selector(objects=[], label="Item", doc="A figure, a table or a claim.")


class PapersTab(Drawer):
    """An item of a paper; which one is `state.paper` while the drawer is open, so that the address says it.

    Attributes
    ----------
    view : panel Column
    """

    def __init__(self, state: State, css: str):
        self.state, self.css = state, css
        self._latest = Latest(self._fill)
        self._chosen = Chosen()
        self._asked = state.paper  # an id, perhaps of an address, which may be wrong
        self._shown: str | None = None
        self._papers: Sequence[Paper] = ()
        self._form, self._content = (pn.Column(sizing_mode="stretch_width") for _ in range(2))
        self.view = pn.Column(self._form, self._content, sizing_mode="stretch_width")
        self._chosen.param.watch(self._choose_paper, "paper")
        self._chosen.param.watch(self._choose_item, "item")

    def _refresh(self, *_: Any) -> None:
        self.state.paper = self._asked if self._open else ""
        if self._open and (self._shown is None or self._shown != self._asked):
            self._latest.ask()

    def _choose_paper(self, *_: Any) -> None:
        paper = next(each for each in self._papers if _named(each) == self._chosen.paper)
        if self._asked not in [item.id for item in paper.items]:
            self._ask(paper.items[0].id)

    def _choose_item(self, *_: Any) -> None:
        found = next((item.id for item in self._items() if _item_named(item) == self._chosen.item), None)
        if found is not None and found != self._asked:
            self._ask(found)

    def _ask(self, item: str) -> None:
        self._asked = item
        self._refresh()

    def _items(self) -> list[Item]:
        return [item for paper in self._papers for item in paper.items]

    async def _fill(self) -> None:
        asked = self._asked
        if not self._content.objects:
            self._put([self._html('<p role="status">Working it out.</p>')])
        try:
            papers, item, text = await LONG.run(self.state, _work, asked)
        except Exception as error:
            log.exception("an item of a paper could not be shown: %s", asked)
            text = f"An error in cdlab ({type(error).__name__}). The server's log has the details."
            self._put([pn.pane.Alert(escape(text), alert_type="danger", **WIDE)])
            return
        if asked == self._asked:  # otherwise a newer question is waiting
            pn.state.execute(lambda: self._offer(papers, item, text), schedule=True)

    def _offer(self, papers: Sequence[Paper], item: Item, text: str) -> None:
        """Show an item, with the items of its paper to choose from."""
        self._papers, self._asked, self._shown = papers, item.id, item.id
        paper = next(each for each in papers if item in each.items)
        with pn.io.hold():
            before = self._chosen.param.item.objects
            self._chosen.param.paper.objects = [_named(each) for each in papers]
            self._chosen.param.item.objects = [_item_named(each) for each in paper.items]
            self._chosen.param.update(paper=_named(paper), item=_item_named(item))
            if list(before) != list(self._chosen.param.item.objects):  # what a form offers cannot be changed
                fields = [Field("paper"), Field("item")]
                self._form.objects = [Form(self._chosen, {"": fields}, max_width=720, **WIDE)]
            self._content.objects = [self._html(text)]
            if self._open:
                self.state.paper = item.id

    def _put(self, content: list[Any]) -> None:
        pn.state.execute(lambda: self._content.param.update(objects=content), schedule=True)

    def _html(self, text: str) -> pn.pane.HTML:
        return pn.pane.HTML(text, stylesheets=[self.css, ROOM], **WIDE)


def _named(paper: Paper) -> str:
    return f"{paper.id}: {paper.title}"


def _item_named(item: Item) -> str:
    return f"{item.id}: {item.place}"


def _work(asked: str) -> tuple[Sequence[Paper], Item, str]:
    """The papers, the item with this id (else the first), and what is said about it, as HTML; called in a thread."""
    from ...reproductions import PAPERS
    from ...reproductions.shipped import shipped_verdicts
    from ..papers.words import cases_table, item_words, paper_notes, paper_words

    items = {item.id: item for paper in PAPERS for item in paper.items}
    item = items.get(asked, next(iter(items.values())))
    paper = next(each for each in PAPERS if item in each.items)
    wrong = reason(left_out("paper", asked, "there is no such item")) if asked and asked not in items else ""
    known = shipped_verdicts()
    parts = [wrong, paper_words(paper, known), item_words(item, known), cases_table(item), paper_notes(paper)]
    return PAPERS, item, "".join(parts)
