"""Two repairs of what Panel and Bokeh send. An error of ours reaches the browser in one sentence.

Bokeh would send the traceback, with the paths of the server; its log has it.

And a repair of Panel (seen in 1.9.4 and 1.10.0): without it the last message of a race is lost now and then.

What cannot be written at once waits in a queue, and ``_WRITE_BLOCK`` says that a task will send it. Such a task clears
``_WRITE_BLOCK`` when what it took from the queue is written; what came while it waited for the socket then stays there
until something else is sent: after a race, nothing is.
"""

from __future__ import annotations

from typing import Any

from bokeh.server.connection import ServerConnection
from panel.io import document

ERROR = "An error in cdlab: the server could not do what this page asked for. Its log has the details."


def conceal() -> None:
    """Send the browser no traceback; called again, it does nothing."""

    def error(self: ServerConnection, message: Any, text: str) -> Any:
        answer = self.protocol.create("ERROR", message.header["msgid"], ERROR)
        answer.content = {"text": ERROR, "traceback": None}
        return answer

    ServerConnection.error = error  # type: ignore[method-assign]


def repair() -> None:
    """Send what is left behind; called again, it does nothing. Where Panel works otherwise, neither."""
    names = ("_WRITE_EVENTS", "_WRITE_MSGS")  # of the queue, since 1.10 and before
    waiting = next((getattr(document, name) for name in names if hasattr(document, name)), None)
    others = ("_dispatch_msgs", "_dispatch_write_task", "_WRITE_BLOCK")
    if waiting is None or not all(hasattr(document, name) for name in others):
        return
    dispatch = document._dispatch_msgs
    if dispatch.__module__ == __name__:
        return

    async def _dispatch_msgs(doc):
        await dispatch(doc)
        if doc in waiting and doc not in document._WRITE_BLOCK:
            document._WRITE_BLOCK[doc] = True
            document._dispatch_write_task(doc, _dispatch_msgs, doc)

    document._dispatch_msgs = _dispatch_msgs
