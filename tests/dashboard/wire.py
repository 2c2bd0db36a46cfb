"""A visitor without a browser: gets the page, opens its websocket, asks questions, and notes what arrives when."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable
from typing import Any

from tornado.httpclient import AsyncHTTPClient, HTTPRequest
from tornado.websocket import websocket_connect


class Wire:
    """One open page.

    Attributes
    ----------
    html : str
    roots : list of dict
        The document as bokeh sends it.
    model : dict or None
        The front end's model among them; None where there is no room for the page.
    heard : list of (float, dict)
        When messages for the front end arrived, on time.monotonic's clock, and what they are.
    """

    @classmethod
    async def open(cls, address: str, query: str = "") -> Wire:
        """Open a page."""
        answer = await AsyncHTTPClient().fetch(address + query, request_timeout=60)
        html = answer.body.decode()
        self = await cls.connect(address, re.search(r'"token":"([^"]+)"', html).group(1))
        self.html = html
        return self

    @classmethod
    async def connect(cls, address: str, token: str) -> Wire:
        """Open the websocket of a page that has this token."""
        self = cls()
        self.heard, self._number = [], 0
        socket = HTTPRequest(address.replace("http", "ws", 1) + "ws", request_timeout=60)
        self._socket = await websocket_connect(socket, subprotocols=["bokeh", token])
        await self._receive()  # ACK
        await self._send("PULL-DOC-REQ", {})
        self.roots = (await self._receive())["doc"]["roots"]
        self.model = next((root for root in self.roots if root["attributes"].get("class_name") == "FrontEnd"), None)
        self._reader = asyncio.ensure_future(self._note())
        await self._event("document_ready", [])
        return self

    async def close(self) -> None:
        """As closing the tab does."""
        self._reader.cancel()
        self._socket.close()
        while await self._socket.read_message() is not None:  # what was on its way
            pass

    async def ask(self, kind: str, choices: dict[str, Any] | None = None, draws: int = 1) -> int:
        """Ask a question; its number."""
        self._number += 1
        question = {"number": self._number, "kind": kind, "choices": choices, "draws": draws, "drawer": ""}
        await self.tell(question)
        return self._number

    async def answer(
        self, kind: str, choices: dict[str, Any] | None = None, draws: int = 1, seconds: float = 120
    ) -> Any:
        """Ask a question and wait for its last answer."""
        number = await self.ask(kind, choices, draws)
        await self.until(lambda: any(each.get("number") == number and each["done"] for _, each in self.heard), seconds)
        return self.heard[-1][1]

    async def tell(self, message: dict[str, Any]) -> None:
        """Send a message of the front end."""
        await self._event("data_event", [["model", {"id": self.model["id"]}], ["data", _map(message)]])

    async def until(self, holds: Callable[[], bool], seconds: float = 120) -> float:
        """Seconds until `holds()` is true."""
        start = time.monotonic()
        while not holds():
            if time.monotonic() - start > seconds:
                raise AssertionError(f"still not so after {seconds} s; heard {len(self.heard)} messages")
            await asyncio.sleep(0.005)
        return time.monotonic() - start

    async def _note(self) -> None:
        while True:
            for event in (await self._receive()).get("events", ()):
                told = event.get("msg_data", {})
                if told.get("name") == "esm_event":
                    values = dict(told["values"]["entries"])
                    self.heard.append((time.monotonic(), json.loads(values["data"])))

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


def _map(value: Any) -> Any:
    """As bokeh writes objects."""
    if isinstance(value, dict):
        return {"type": "map", "entries": [[name, _map(each)] for name, each in value.items()]}
    return value
