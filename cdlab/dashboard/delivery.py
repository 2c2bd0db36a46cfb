"""Three repairs of what Panel and Bokeh send. An error of ours reaches the browser in one sentence.

Bokeh would send the traceback, with the paths of the server; its log has it.

A repair of Bokeh (seen in 3.9): while a glyph is made it turns the validation of properties off, in all threads, and
two threads that do so at once can leave it off. Then a colour that is being sent is taken for a colour's value, and the
browser cannot draw it. Here it is off only in the thread that asked for it.

And a repair of Panel (seen in 1.9.4 and 1.10.0): without it the last message of a race is lost now and then.

What cannot be written at once waits in a queue, and ``_WRITE_BLOCK`` says that a task will send it. Such a task clears
``_WRITE_BLOCK`` when what it took from the queue is written; what came while it waited for the socket then stays there
until something else is sent: after a race, nothing is.
"""

from __future__ import annotations

import threading
from typing import Any

from bokeh.core import properties
from bokeh.core.property import bases, validation
from bokeh.server.connection import ServerConnection
from panel.io import document

ERROR = "An error in cdlab: the server could not do what this page asked for. Its log has the details."


_validation = threading.local()


class _ValidationOfThread:
    """Bokeh's `validate`, for this thread."""

    def __init__(self, value: bool) -> None:
        self.old = _is_validation_on()
        _validation.on = value

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        _validation.on = self.old


def _is_validation_on() -> bool:
    return getattr(_validation, "on", True)


def separate_validation() -> None:
    """Turn validation off in single threads only; where Bokeh works otherwise, do nothing."""
    if hasattr(bases, "validation_on") and hasattr(validation, "validate"):
        bases.validation_on = _is_validation_on
        validation.validate = properties.validate = _ValidationOfThread


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
