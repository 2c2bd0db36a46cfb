"""An event loop of one's own: a worker that drives a browser has one running in its thread until the end."""

import asyncio
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any


def run(coroutine: Coroutine) -> Any:
    """As asyncio.run, in a thread of its own."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, asyncio.run, coroutine).result()
