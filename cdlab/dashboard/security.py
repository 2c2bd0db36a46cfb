"""Rules for what Bokeh's servers let in and send, headers and errors, for `cdlab serve` and `panel serve` alike.

Bokeh's own options are read when a server is made, by `panel serve` before a line of ours; so its classes are changed.
"""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from secrets import token_urlsafe
from typing import Any
from urllib.parse import unquote, urlsplit

from bokeh.server.connection import ServerConnection
from bokeh.server.tornado import BokehTornado
from bokeh.server.util import check_allowlist
from bokeh.server.views.ws import WSHandler
from bokeh.settings import settings
from bokeh.util.token import generate_secret_key
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import OutputTransform, RequestHandler

KEY = settings.secret_key_bytes() or generate_secret_key().encode()  # This key signs the sessions of this process.
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")  # These are names that nobody's domain can have.
ERROR = "An error in cdlab: the server could not do what this page asked for. Its log has the details."
POLICY = (
    "frame-ancestors 'self' {frames}; default-src 'self'; script-src 'self' blob: {}; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; worker-src 'self' blob:; "
    "connect-src 'self' blob: ws://{host} wss://{host}; object-src 'none'; base-uri 'none'; form-action 'none'"
)


@cache
def secure() -> None:
    """Secure all servers of this process; ValueError if CDLAB_EMBED, who may show them in a frame, is no address."""
    host = os.environ.get("CDLAB_EMBED", "")
    if not re.fullmatch(r"(https?://[\w.-]+(:\d{1,5})?)?", host):
        raise ValueError(f"CDLAB_EMBED must be like https://course.example.org, without a path, not {host[:80]!r}")
    Headers.embedder = host
    find, is_allowed = BokehTornado.find_handler, WSHandler.check_origin

    def find_handler(self: BokehTornado, request: HTTPServerRequest, **options: Any) -> Any:
        if Headers not in self.transforms:
            self.add_transform(Headers)
        if refused := refusal(self, request):
            return self.get_handler_delegate(request, Refusal, {"refused": refused})
        return find(self, request, **options)

    def check_origin(self: WSHandler, origin: str) -> bool:  # the host has been let in
        return urlsplit(origin).netloc.lower() == self.request.host.lower() or is_allowed(self, origin)

    def error(self: ServerConnection, message: Any, text: str) -> Any:
        answer = self.protocol.create("ERROR", message.header["msgid"], ERROR)
        answer.content = {"text": ERROR, "traceback": None}  # Bokeh's has the traceback, with paths of the server
        return answer

    BokehTornado.find_handler, WSHandler.check_origin = find_handler, check_origin
    ServerConnection.error = error  # type: ignore[method-assign]
    BokehTornado.sign_sessions, BokehTornado.secret_key = property(lambda _: True), property(lambda _: KEY)


def refusal(app: BokehTornado, request: HTTPServerRequest) -> tuple[int, str] | None:
    """The status and the sentence with which a request is refused, if it is."""
    path, given = unquote(request.path), {name.lower() for name in (*request.arguments, *request.headers)}
    allowed = {*app.websocket_origins, *(settings.allowed_ws_origin() or ())}
    if request.host_name not in LOOPBACK and not check_allowlist(request.host.lower(), allowed):
        return 403, "This dashboard does not answer to this name: cdlab serve --origin HOST:PORT allows one."
    if given & {"bokeh-session-id", "bokeh-token"}:
        return 403, "The server chooses the session of a page: open the page without one."
    module = re.search("/components/([^/]*)", path)  # Panel would import any that is installed
    if (module and module[1] not in sys.modules) or re.search(r"[\x00-\x1f\x7f]|/autoload[.]js$", path):
        return 404, "There is no such page."
    return None


class Refusal(RequestHandler):
    """An answer that says in a sentence why there is no other."""

    def initialize(self, refused: tuple[int, str]) -> None:
        self.refused = refused

    def prepare(self) -> None:
        self.send_error(self.refused[0], reason=self.refused[1])


class Headers(OutputTransform):
    """Tells the browser, with every answer, what a page may load and who may show it."""

    embedder = ""

    def __init__(self, request: HTTPServerRequest):
        self.request = request

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        scripts, nonce = "'unsafe-inline' 'unsafe-eval'", token_urlsafe(16)
        if not self.request.path.startswith("/site/"):  # whose pages have scripts of the notebooks'
            scripts = f"'unsafe-eval' 'nonce-{nonce}'"  # Bokeh's widgets compile their own
            if finishing and chunk and headers.get("Content-Type", "").startswith("text/html"):
                chunk = re.sub(rb"<script\b", f'<script nonce="{nonce}"'.encode(), chunk)
                headers["Content-Length"] = str(len(chunk))
        headers["Content-Security-Policy"] = POLICY.format(scripts, host=self.request.host, frames=self.embedder)
        headers["X-Content-Type-Options"], headers["Referrer-Policy"] = "nosniff", "same-origin"
        if not self.embedder:  # an older word for frame-ancestors, which can name no other host
            headers["X-Frame-Options"] = "SAMEORIGIN"
        return status_code, headers, chunk
