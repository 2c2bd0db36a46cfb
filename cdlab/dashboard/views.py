"""The page: header, choices, stage, outcome, drawers. One call of `page` is one visitor's session."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import panel as pn
from bokeh.document import Document

from .choices import address, links
from .choices.choosing import Choosing
from .chooser.component import Chooser
from .chooser.story_bar import StoryBar
from .delivery import conceal, repair, separate_validation
from .drawers.drawers import PAPERS, Drawers
from .look import present, theme
from .races.advised import Advised
from .races.first_picture import first_picture
from .races.runner import Runner
from .races.state import State
from .screen.foretelling import Foretelling
from .screen.outcome import OutcomeBar
from .screen.pressing import Pressing
from .screen.replaying import Replaying
from .screen.storytelling import Storytelling
from .screen.veiling import veil
from .screen.walking import Walking
from .stage.component import StageView
from .stage.first_stage import first_stage
from .telling import Teller
from .visits import enter
from .warming import warm_up

HERE = Path(__file__).parent
TITLE = "cdlab: primal or dual?"
LOOKS = ("light", "dark")
WIDE = {"sizing_mode": "stretch_width"}


class Page(pn.Template):
    """Panel's plain template, which loads nothing from other hosts, with a page of our own."""

    def __init__(self, **parts: pn.viewable.Viewable | str):
        super().__init__((HERE / "page.html").read_text(encoding="utf-8"), location=True)
        self.add_variable("theme", theme())
        self.add_variable("present", present())
        self.add_variable("full", parts.pop("full", ""))
        for name, part in parts.items():
            self.add_panel(name, part)

    def server_doc(self, doc: Document | None = None, title: str | None = None, location: Any = True) -> Document:
        """Count the models of the page once, when all are there, and not again for each part of it."""
        doc = doc or pn.state.curdoc
        with doc.models.freeze():
            return super().server_doc(doc, title or TITLE, location)


def page() -> Page:
    """A new session: its state, its runner, and the page that shows them; where there is no room, one that says so."""
    pn.extension()
    repair()
    separate_validation()
    conceal()
    full = enter(pn.state.curdoc)
    if full:
        return Page(full=full)
    query = _query()
    complaints = _looks(query)
    axes = {name: query.pop(name) for name in ("x", "y") if name in query}
    link = links.read(query)
    asked = bool(query) and link.values != Choosing().choices.values()
    state = State(result=None if asked else first_picture())
    choosing = Choosing(state.choices)
    choosing.load(link.values, link.place)
    shown, wrong = address.read(state.picture, axes)
    state.picture.param.update(**shown)
    state.error = " ".join([*link.complaints, *wrong, *complaints])

    runner = Runner(state, Teller(state, unheard=lambda: runner.stop()))
    pn.state.on_session_destroyed(lambda _: runner.stop())
    first = first_stage()
    stage = StageView(None if asked else first["stage"], sizing_mode="stretch_both")
    replaying = Replaying(state, stage)
    pressing = Pressing(state, choosing, runner, replaying)
    chooser = Chooser(choosing, pressing.press, pressing.take, **WIDE)
    pressing.show_on(chooser)
    chooser.histograms(first["bars"])
    stories = StoryBar(choosing, **WIDE)
    Storytelling(state, choosing, stories)
    stories.walk = Walking(state, choosing, lambda: pressing.press("run"), stage.end)
    veil(choosing, stage)
    foretelling = Foretelling(state, stage, chooser, begin=asked)
    advice = None if asked or first["advice"] is None else Advised(*first["advice"])
    outcome = OutcomeBar(state, choosing, link.words or ("Running." if link.run else ""), advice, **WIDE)
    pn.state.on_session_destroyed(lambda _: outcome.close())
    drawers = Drawers(state)
    state.paper = link.paper
    _follow(state, choosing)

    def begin() -> None:  # answers that come between the page's first drawing and its being loaded would be lost
        warm_up()
        if link.paper:
            drawers.open(PAPERS)
        foretelling.ask()
        outcome.advise()
        if link.run:
            runner.start()

    pn.state.onload(begin)
    return Page(
        stories=stories, chooser=chooser, stage=stage, outcome=outcome, drawers=drawers.bar, drawer=drawers.view
    )


def _query() -> dict[str, str]:
    return {name: values[0].decode(errors="replace") for name, values in pn.state.session_args.items()}


def _looks(query: dict[str, str]) -> list[str]:
    """Take the look out of the address: it is the browser's, see page.html. What is wrong with it."""
    look = query.pop("look", LOOKS[0])
    return [] if look in LOOKS else [address.left_out("look", look, f"it must be {' or '.join(LOOKS)}")]


def _follow(state: State, choosing: Choosing) -> None:
    """Keep the address in step with choices and axes: the link shows another person the same."""

    def write(*_: Any) -> None:
        if pn.state.location is not None:
            pn.state.location.search = _address(state, choosing)

    for chosen in (state.choices, state.picture):
        chosen.param.watch(write, list(chosen.values()))
    choosing.param.watch(write, "place")
    state.param.watch(write, "paper")


def _address(state: State, choosing: Choosing) -> str:
    from urllib.parse import urlencode

    query = urlencode(
        links.write(state.choices, choosing.place, state.paper) | address.written(state.picture), safe=","
    )
    return f"?{query}" if query else ""
