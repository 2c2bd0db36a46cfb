"""A repair of Panel (seen in 1.9.4): without it the last message of a race is lost now and then.

Messages that cannot be written at once wait in ``_WRITE_MSGS``, and ``_WRITE_BLOCK`` says that a task will send them.
Such a task clears ``_WRITE_BLOCK`` when its own messages are written; those that came while it waited for the socket
then stay where they are until something else is sent: after a race, nothing is.
"""

from __future__ import annotations

from panel.io import document


def repair() -> None:
    """Send what is left behind; called again, it does nothing. Where Panel works otherwise, neither."""
    names = ("_dispatch_msgs", "_dispatch_write_task", "_WRITE_BLOCK", "_WRITE_MSGS")
    if not all(hasattr(document, name) for name in names) or document._dispatch_msgs.__module__ == __name__:
        return
    dispatch = document._dispatch_msgs

    async def _dispatch_msgs(doc):
        await dispatch(doc)
        if doc in document._WRITE_MSGS and doc not in document._WRITE_BLOCK:
            document._WRITE_BLOCK[doc] = True
            document._dispatch_write_task(doc, _dispatch_msgs, doc)

    document._dispatch_msgs = _dispatch_msgs
