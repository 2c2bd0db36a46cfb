"""The page: sidebar, tabs, messages. One call of `page` is one visitor's session."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import Any

import panel as pn
from bokeh.document import Document

from .choices import address
from .delivery import repair
from .drawers.bounds_tab import BoundsTab
from .drawers.code_tab import CodeTab
from .drawers.faceoff_tab import FaceOffTab
from .drawers.race_tab import RaceTab
from .drawers.runs_tab import RunsTab
from .drawers.sampling_tab import SamplingTab
from .look import css, tab_names, theme
from .races.first_picture import first_picture
from .races.runner import Runner
from .races.state import State
from .sidebar import Sidebar
from .telling import Teller
from .visits import enter
from .warming import warm_up
from .words import sentence

HERE = Path(__file__).parent
TITLE = "cdlab: primal or dual?"
LOOKS = ("light", "dark")


class Page(pn.template.BootstrapTemplate):
    """Panel's Bootstrap template, the one that loads nothing from other hosts; on a phone the sidebar starts closed."""

    _template = HERE / "page.html"

    def server_doc(self, doc: Document | None = None, *args: Any, **options: Any) -> Document:
        """Count the models of the page once, when all are there, and not again for each part of it."""
        doc = doc or pn.state.curdoc
        with doc.models.freeze():
            return super().server_doc(doc, *args, **options)


def page() -> Page:
    """A new session: its state, its runner, and the page that shows them; where there is no room, one that says so."""
    pn.extension("mathjax")
    repair()
    doc = pn.state.curdoc
    full = enter(doc)
    if full:
        return _page([], [pn.pane.Alert(full, alert_type="warning", sizing_mode="stretch_width")])
    state = State(result=first_picture())
    _take(state, _query())

    runner = Runner(state, Teller(state, unheard=lambda: runner.stop()))
    pn.state.onload(warm_up)
    pn.state.on_session_destroyed(lambda _: runner.stop())
    _follow(state)
    main = pn.Column(_message(state), _tabs(state), sizing_mode="stretch_width")
    return _page([Sidebar(state, runner).view], [main])


def _page(sidebar: list[pn.viewable.Viewable], main: list[pn.viewable.Viewable]) -> Page:
    return Page(
        title=TITLE,
        sidebar=sidebar,
        main=main,
        sidebar_width=320,
        header_background="#12344d",
        meta_viewport="width=device-width, initial-scale=1",
        busy_indicator=None,
        raw_css=[theme()],
    )


def _query() -> dict[str, str]:
    return {name: values[0].decode(errors="replace") for name, values in pn.state.session_args.items()}


def _take(state: State, query: dict[str, str]) -> None:
    """Choose what the address asks for; what cannot be chosen is said."""
    look = query.pop("look", LOOKS[0])  # the browser's: see page.html
    axes, complaints = address.read(state.picture, {name: query.pop(name) for name in ("x", "y") if name in query})
    state.picture.param.update(**axes)
    if look not in LOOKS:
        complaints.append(address.left_out("look", look, f"it must be {' or '.join(LOOKS)}"))
    state.error = " ".join([*state.choices.from_query(query), *complaints])


def _follow(state: State) -> None:
    """Keep the address in step with choices and axes: the link shows another person the same."""

    def write(*_: Any) -> None:
        if pn.state.location is not None:
            pn.state.location.search = _address(state)

    for chosen in (state.choices, state.picture):
        chosen.param.watch(write, list(chosen.values()))


def _address(state: State) -> str:
    from urllib.parse import urlencode

    query = urlencode(state.choices.to_query() | address.written(state.picture), safe=",")
    return f"?{query}" if query else ""


def _message(state: State) -> pn.pane.Alert:
    """What went wrong; gone when the person has changed something."""
    alert = pn.pane.Alert(alert_type="danger", sizing_mode="stretch_width")

    def show(*_: Any) -> None:
        alert.param.update(object=escape(sentence(state.error)), visible=bool(state.error))

    show()
    state.param.watch(show, "error")
    state.choices.param.watch(lambda *_: state.param.update(error=""), list(state.choices.values()))
    return alert


def _tabs(state: State) -> pn.Tabs:
    """The tabs; all but the first are filled when they are first opened.

    Not panel's ``dynamic`` tabs: a text that changes in a closed one makes panel 1.9 ask its content network for a
    style sheet.
    """
    kinds = {"Bounds": BoundsTab, "Face-off": FaceOffTab, "Sampling": SamplingTab, "Runs": RunsTab, "Code": CodeTab}
    later = [(title, kind(state, css())) for title, kind in kinds.items()]
    tabs = pn.Tabs(
        ("Race", RaceTab(state, css()).view),
        *((title, tab.view) for title, tab in later),
        sizing_mode="stretch_width",
        stylesheets=[tab_names()],
    )

    def turn(event: Any) -> None:
        for k, (_, tab) in enumerate(later, 1):
            tab.open = k == event.new

    tabs.param.watch(turn, "active")
    return tabs
