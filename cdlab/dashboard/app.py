"""The page in a browser: one Panel component around the front end, whose questions the engine answers.

`page` makes a visitor's page. What it costs the server is the component, its messages and the drawers that are open.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from weakref import WeakSet

import panel as pn
import param
from bokeh.document import Document
from bokeh.util.token import check_session_id_signature
from panel.custom import Child, JSComponent
from panel.io.resources import get_dist_path
from panel.models.esm import ESMEvent, ReactiveESM
from threadpoolctl import threadpool_limits

from . import drawers
from .drawers.session_files import is_session, take_up
from .engine.answering import answer, take_file, to_json, warm
from .engine.choices import read
from .engine.schema import Answer, Question
from .security import KEY, secure
from .session import PageSession
from .visitor_limits import limits
from .words import sentence

TITLE = "cdlab: primal or dual?"
NO_ROOM = (
    "This dashboard is full: so that races stay quick, the number of pages open at a time is limited to {most}. "
    "Please try again in a moment. (Whoever started it can allow more: cdlab serve --sessions.)"
)
BUNDLE = Path(__file__).parent / "frontend" / "bundle" / "page.js"
log = logging.getLogger(__name__)
_open: WeakSet[Document] = WeakSet()


class FrontEnd(JSComponent):
    """The front end, and what it says to the engine: see ``frontend/README.md`` for the messages."""

    _bundle = BUNDLE

    query = param.String(doc="Of the address, without '?'.")
    hosted = param.List(doc="Names of the drawers that `drawer` shows.")
    notebooks = param.String(doc="Where the course's notebooks are pages; without it stories name their files.")
    drawer = Child()

    def __init__(self, session: PageSession, **options: Any):
        self._shelf = pn.Column(sizing_mode="stretch_width")
        super().__init__(hosted=list(drawers.NAMES), drawer=self._shelf, sizing_mode="stretch_width", **options)
        self._session = session
        self._views: dict[str, pn.viewable.Viewable] = {}
        self._shelved = ""  # the drawer whose view is there
        self._tasks: set[asyncio.Task[None]] = set()
        self._parts: list[bytes] = []  # of a file that is coming
        self._size = 0
        self._document = pn.state.curdoc
        self.on_msg(self._hear)
        session.send = lambda message: self._document.add_next_tick_callback(lambda: self._send(to_json(message)))

    @pn.io.with_lock
    async def _hear(self, event: Any) -> None:  # Bokeh may call what is not async in a thread
        self.take(event.data)

    def take(self, data: Any) -> None:
        """Take a message of the page. Answers follow when they are there, so that none keeps the next one waiting."""
        kind = data.get("kind") if isinstance(data, Mapping) else None
        if kind == "state":
            self._take_state(data)
            return
        if kind == "file" and not self._is_whole(data):
            return
        answers = self._file_answer(data) if kind == "file" else self._answers(data)
        task = asyncio.ensure_future(self._send_all(answers))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def leave(self) -> None:
        """End what is still worked out for a page that was closed."""
        self._session.visitor.latest.clear()
        for task in self._tasks:
            task.get_loop().call_soon_threadsafe(task.cancel)

    # ------------------------------------------------------------ questions
    async def _answers(self, message: Any) -> AsyncIterator[Any]:
        visitor = self._session.visitor
        try:
            question = Question(**message)
        except (ValueError, TypeError):
            yield Answer(0, "", done=True, error="No question of a page is like this.")
            return
        async for each in answer(question, visitor):
            yield each
            if question.kind == "race" and each.done and each.value and each.value.digest in visitor.races:
                await self._locked(lambda race=visitor.races[each.value.digest]: self._session.add(race))

    def _is_whole(self, data: Mapping[str, Any]) -> bool:
        """Take the next part of a file; of one that is too large only the size is kept."""
        part = data.get("bytes") if isinstance(data.get("bytes"), bytes) else b""
        self._size += len(part)
        self._parts.append(part if self._size <= 1e6 * limits().upload else b"")
        return bool(data.get("last"))

    async def _file_answer(self, data: Mapping[str, Any]) -> AsyncIterator[dict[str, Any]]:
        content, size = b"".join(self._parts), self._size
        self._parts, self._size = [], 0
        if is_session(content):
            try:
                yield {"kind": "file", "value": {}, "words": await take_up(self._session, content)}
            except (ValueError, OSError) as why:
                yield {"kind": "file", "error": sentence(str(why))}
            return
        label = data.get("label") if isinstance(data.get("label"), int) else None
        yield await take_file(str(data.get("name")), content, size, self._session.visitor, label)

    async def _send_all(self, answers: AsyncIterator[Any]) -> None:
        """Send answers one by one: the next is asked for when this one is written, so that none pile up."""
        async for each in answers:
            if not self._is_watched():
                self._session.visitor.latest.clear()  # ends what it has asked for
                return
            text = to_json(each)
            await self._locked(lambda text=text: self._send(text))

    def _is_watched(self) -> bool:
        """Tell whether a browser is connected to the page."""
        context = self._document.session_context  # None once the session has ended
        session = context and context.session
        return session is not None and not session.destroyed and session.connection_count > 0

    async def _locked(self, work: Callable[[], None]) -> None:
        """Do something with the document locked, if the page is still there, and wait until it is sent."""

        async def locked(_: Document) -> None:  # in the event loop, as what is not async may not be
            work()

        if self._is_watched():
            await self._document.session_context.with_locked_document(locked)

    def _send(self, text: str) -> None:
        self._document.callbacks.send_event(ESMEvent(model=model_in(self._document), data=text))

    # ------------------------------------------------------------ the page's state, and what drawers ask of it
    def _take_state(self, data: Mapping[str, Any]) -> None:
        name = str(data.get("drawer") or "")
        news: dict[str, Any] = {"drawer": name}
        try:
            news["choices"] = read(data.get("choices"), self._session.visitor.file)
        except (ValueError, TypeError, AttributeError) as why:  # the answer to the page's questions says it, too
            log.debug("choices that cannot be: %s", why)
        self._session.param.update(**news)
        if name in drawers.NAMES:
            if name not in self._views:
                self._views[name] = drawers.view(name, self._session)
            self._shelf[:] = [self._views[name]]
            if name != self._shelved:  # until then the page hides what it has, which is of the drawer before
                self._shelved = name
                self._session.send({"kind": "drawer", "value": name})


def model_in(document: Document) -> ReactiveESM | None:
    """The front end as Bokeh's model; None where the page has none."""
    return next((root for root in document.roots if isinstance(root, ReactiveESM)), None)


class Page(pn.Template):
    """Panel's plain template, which loads nothing from other hosts, with a page of our own."""

    def __init__(self, front_end: FrontEnd | None, full: str = ""):
        super().__init__((Path(__file__).parent / "page.html").read_text(encoding="utf-8"))
        self.add_variable("full", full)
        self.add_variable("has_front_end", front_end is not None)
        if front_end is not None:
            self.add_panel("page", front_end)

    def server_doc(self, doc: Document | None = None, title: str | None = None, location: Any = False) -> Document:
        """Name the page, also where no server does, and say where its styles are before they are asked for.

        Panel says it only when it sends a page. But a page that comes to its websocket late, over a slow line or from
        a busy server, finds its session forgotten and gets another one: its styles would be those of another host.
        """
        doc = doc or pn.state.curdoc or Document()
        doc.template_variables["dist_url"] = get_dist_path()
        super().server_doc(doc, title or TITLE, location)
        model = model_in(doc)
        if model is not None and model.bundle == "url":
            doc.template_variables["bundle"] = model.esm  # loaded beside Bokeh, not after it
        return doc


def page(notebooks: str = "") -> Page:
    """A visitor's page, whose stories link to pages in `notebooks`; where there is no room for it, one that says so."""
    pn.extension("tabulator")
    secure()
    doc = pn.state.curdoc
    context = doc.session_context
    if context and context.server_context and not check_session_id_signature(context.id, KEY, True):
        return Page(None)  # the first visitor's to `panel serve`: the session was begun before `secure`
    if open_pages() >= limits().sessions:
        return Page(None, NO_ROOM.format(most=limits().sessions))
    _open.add(doc)
    query = {name: values[0].decode(errors="replace") for name, values in pn.state.session_args.items()}
    front_end = FrontEnd(PageSession(), query=urlencode(query, safe=","), notebooks=notebooks)

    def leave(_: Any) -> None:
        _open.discard(doc)
        front_end.leave()

    pn.state.on_session_destroyed(leave)
    pn.state.onload(warm_up)
    return Page(front_end)


def open_pages() -> int:
    """The number of open pages."""
    return len(_open)


@cache
def warm_up() -> threading.Thread:
    """Have kernels and formulas ready soon, without keeping anybody waiting. Once in a process."""

    def work() -> None:
        warm()
        threadpool_limits(1, "blas")  # on matrices of a page more threads take five times the work, from other visitors
        # libraries, kernels and formulas stay for good: the collector need not look at them again and again
        gc.collect()
        gc.freeze()

    thread = threading.Thread(target=work, name="warm up", daemon=True)
    thread.start()
    return thread
