"""A visitor without a browser: gets the page, opens its websocket, presses buttons, and notes what arrives when."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect


class Wire:
    """One open page.

    Attributes
    ----------
    html : str
    document : dict
        As bokeh sends it.
    points : list of float
        When curves that had grown arrived, on time.monotonic's clock.
    statuses : list of str
        What the page said about the race, one after another.
    changes : list of dict
        All that has come after the document.
    """

    @classmethod
    async def open(cls, address: str, query: str = "", loading: float = 0) -> Wire:
        """Open a page, in a browser that needs so many seconds for what it has read."""
        self = cls()
        self.points, self.statuses, self.changes = [], [], []
        answer = await AsyncHTTPClient().fetch(address + query, request_timeout=60)
        self.html = answer.body.decode()
        token = re.search(r'"token":"([^"]+)"', self.html).group(1)
        socket = HTTPRequest(address.replace("http", "ws", 1) + "ws", request_timeout=60)
        self._socket = await websocket_connect(socket, subprotocols=["bokeh", token])
        await self._receive()  # ACK
        await self._send("PULL-DOC-REQ", {})
        self.document = (await self._receive())["doc"]
        self._reader = asyncio.ensure_future(self._note())
        await asyncio.sleep(loading)
        await self._event("document_ready", [])
        return self

    async def close(self) -> None:
        """As closing the tab does."""
        self._reader.cancel()
        self._socket.close()
        while await self._socket.read_message() is not None:  # what was on its way
            pass

    async def press(self, button: str) -> None:
        """Press run or stop."""
        await self._tell("Chooser", {"press": button})

    async def choose(self, name: str, value: Any) -> None:
        """Change a choice."""
        await self._tell("Chooser", {"set": {name: value}, "versions": {name: 1}})

    async def open_drawer(self, name: str) -> None:
        """Open a drawer, or with "" close all."""
        await self._tell("DrawerBar", {"open": name})

    async def until(self, holds: Callable[[], bool], seconds: float = 120) -> float:
        """Seconds until `holds()` is true."""
        start = time.monotonic()
        while not holds():
            if time.monotonic() - start > seconds:
                raise AssertionError(f"still not so after {seconds} s; the page said {self.statuses}")
            await asyncio.sleep(0.005)
        return time.monotonic() - start

    async def _note(self) -> None:
        while True:
            for event in (await self._receive()).get("events", ()):
                self.changes.append(event)
                if event.get("attr") == "race":
                    self.points.append(time.monotonic())
                if event.get("attr") == "shown" and event["new"].startswith("{"):  # a drawer has a name
                    self.statuses.append(json.loads(event["new"])["status"])

    async def _tell(self, component: str, data: dict[str, Any]) -> None:
        (model,) = (each["id"] for each in models(self.document) if each["attributes"].get("class_name") == component)
        message = {"type": "map", "entries": list(data.items())}
        await self._event("data_event", [["model", {"id": model}], ["data", message]])

    async def _event(self, name: str, values: list[list[Any]]) -> None:
        event = {"type": "event", "name": name, "values": {"type": "map", "entries": values}}
        change = {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event}
        await self._send("PATCH-DOC", {"events": [change]})

    async def _send(self, kind: str, content: dict[str, Any]) -> None:
        for part in ({"msgid": str(time.monotonic_ns()), "msgtype": kind}, {}, content):
            await self._socket.write_message(json.dumps(part))

    async def _receive(self) -> dict[str, Any]:
        header, _, content = [json.loads(await self._read()) for _ in range(3)]
        for _ in range(2 * header.get("num_buffers", 0)):
            await self._read()
        return content

    async def _read(self) -> str:
        message = await self._socket.read_message()
        if message is None:
            raise ConnectionError("the server closed the connection")
        return message


def models(part: Any) -> Iterator[dict[str, Any]]:
    """All models in a document as bokeh sends it."""
    if isinstance(part, dict):
        if part.get("type") == "object" and "id" in part:
            yield {"attributes": {}} | part
        part = list(part.values())
    if isinstance(part, list):
        for each in part:
            yield from models(each)
