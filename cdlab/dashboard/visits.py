"""The pages that are open: how many, and whether somebody still looks at one."""

from __future__ import annotations

from weakref import WeakSet, ref

import panel as pn
from bokeh.document import Document

from .visitor_limits import limits

FULL = (
    "This dashboard is full: so that races stay quick, the number of pages open at a time is limited to {most}. "
    "Please try again in a moment. (Whoever started it can allow more: cdlab serve --sessions.)"
)

_open: WeakSet[Document] = WeakSet()


def enter(doc: Document) -> str:
    """Count the page of this document until its session ends; what to tell the visitor if there is no room for it."""
    most = limits().sessions
    if len(_open) >= most:
        return FULL.format(most=most)
    _open.add(doc)
    gone = ref(doc)  # a callback that held the document would keep it
    pn.state.on_session_destroyed(lambda _: _open.discard(gone()))
    return ""


def open_pages() -> int:
    return len(_open)


def watched(doc: Document) -> bool:
    """Whether a browser is connected to the page."""
    context = doc.session_context  # None once the session has ended
    session = context and context.session
    return session is not None and not session.destroyed and session.connection_count > 0
