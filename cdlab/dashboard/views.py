"""The page: sidebar, tabs, messages. One call of `page` is one visitor's session."""

from __future__ import annotations

from functools import cache, partial
from html import escape
from pathlib import Path
from typing import Any

import panel as pn

from .bounds_tab import BoundsTab
from .faceoff_tab import FaceOffTab
from .first_picture import first_picture
from .race_tab import RaceTab
from .runner import Runner
from .sidebar import Sidebar
from .state import State
from .warming import warm_up

HERE = Path(__file__).parent
TITLE = "cdlab: primal or dual?"


class Page(pn.template.BootstrapTemplate):
    """Panel's Bootstrap template, the one that loads nothing from other hosts; on a phone the sidebar starts closed."""

    _template = HERE / "page.html"


@cache
def css() -> str:
    return (HERE / "style.css").read_text(encoding="utf-8")


def page() -> pn.template.BootstrapTemplate:
    """A new session: its state, its runner, and the page that shows them."""
    pn.extension("mathjax")
    state = State(result=first_picture())
    state.error = " ".join(state.choices.from_query(_query()))
    runner = Runner(state, tell=partial(tell, state))
    pn.state.onload(warm_up)
    _follow(state)
    pn.state.on_session_destroyed(lambda _: runner.stop())
    return Page(
        title=TITLE,
        sidebar=[Sidebar(state, runner, css()).view],
        main=[pn.Column(_message(state), _tabs(state), sizing_mode="stretch_width")],
        sidebar_width=320,
        header_background="#12344d",
        meta_viewport="width=device-width, initial-scale=1",
        busy_indicator=None,
    )


def tell(state: State, **values: Any) -> None:
    """Write into the state of a page from a task of its own, which does not hold the lock of the page's document."""
    pn.state.execute(partial(state.param.update, **values), schedule=True)


def _query() -> dict[str, str]:
    return {name: values[0].decode(errors="replace") for name, values in pn.state.session_args.items()}


def _follow(state: State) -> None:
    """Keep the address in step with the choices: the link shows another person the same."""

    def write(*_: Any) -> None:
        if pn.state.location is not None:
            pn.state.location.search = _address(state)

    state.choices.param.watch(write, list(state.choices.values()))


def _address(state: State) -> str:
    from urllib.parse import urlencode

    query = urlencode(state.choices.to_query(), safe=",")
    return f"?{query}" if query else ""


def _message(state: State) -> pn.pane.Alert:
    """What went wrong; gone when the person has changed something."""
    alert = pn.pane.Alert(alert_type="danger", sizing_mode="stretch_width")

    def show(*_: Any) -> None:
        alert.param.update(object=escape(state.error), visible=bool(state.error))

    show()
    state.param.watch(show, "error")
    state.choices.param.watch(lambda _: state.param.update(error=""), list(state.choices.values()))
    return alert


def _tabs(state: State) -> pn.Tabs:
    """The tabs; all but the first are filled when they are first opened.

    Not panel's ``dynamic`` tabs: a text that changes in a closed one makes panel 1.9 ask its content network for a
    style sheet.
    """
    later = [("Bounds", BoundsTab(state, css())), ("Face-off", FaceOffTab(state, css()))]
    tabs = pn.Tabs(
        ("Race", RaceTab(state, css()).view),
        *((title, tab.view) for title, tab in later),
        sizing_mode="stretch_width",
    )

    def turn(event: Any) -> None:
        for k, (_, tab) in enumerate(later, 1):
            tab.open = k == event.new

    tabs.param.watch(turn, "active")
    return tabs
