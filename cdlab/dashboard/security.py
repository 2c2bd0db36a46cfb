"""What Bokeh's server lets in and what it sends with every answer, whether `cdlab serve` or `panel serve` started it.

Its own guards are chosen when a server is made, before Panel has read a line of ours; and it has none against foreign
names of the host, nor a policy for the browser. So all of Bokeh's servers in this process are changed, by `secure`.
"""

from __future__ import annotations

import os
import re
import sys
from functools import cache
from secrets import token_urlsafe
from typing import Any
from urllib.parse import unquote, urlsplit

from bokeh.server.tornado import BokehTornado
from bokeh.server.util import check_allowlist
from bokeh.server.views.ws import WSHandler
from bokeh.settings import settings
from bokeh.util.token import check_session_id_signature, generate_secret_key
from panel.io.resources import COMPONENT_PATH
from tornado.httputil import HTTPHeaders, HTTPServerRequest
from tornado.web import OutputTransform, RequestHandler

ENVIRONMENT = "CDLAB_EMBED"  # a page that may show the dashboard in a frame, as https://course.example.org
ORIGIN = re.compile(r"https?://[\w.\-]+(:\d{1,5})?")
LOOPBACK = ("localhost", "127.0.0.1", "[::1]")  # names that nobody else's domain can be given
SESSION_NAMES = ("bokeh-session-id", "bokeh-token")
SCRIPT = re.compile(rb"<script\b")
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


@cache
def secure() -> None:
    """Secure the servers; called again, it does nothing.

    Raises
    ------
    ValueError
        If CDLAB_EMBED is no address of a host.
    """
    embedder()
    find, is_allowed_origin = BokehTornado.find_handler, WSHandler.check_origin

    def find_handler(self: BokehTornado, request: HTTPServerRequest, **options: Any) -> Any:
        if Headers not in self.transforms:
            self.add_transform(Headers)
        status, why = refusal(self, request)
        if why:
            return self.get_handler_delegate(request, Refusal, {"status": status, "why": why})
        return find(self, request, **options)

    def check_origin(self: WSHandler, origin: str) -> bool:  # the host is one that is allowed
        return urlsplit(origin).netloc.lower() == self.request.host.lower() or is_allowed_origin(self, origin)

    BokehTornado.find_handler, WSHandler.check_origin = find_handler, check_origin
    BokehTornado.sign_sessions, BokehTornado.secret_key = property(lambda _: True), property(lambda _: secret_key())


@cache
def secret_key() -> bytes:
    """What signs the sessions of this process: BOKEH_SECRET_KEY, or chosen by lot."""
    return settings.secret_key_bytes() or generate_secret_key().encode()


def is_signed(session: str) -> bool:
    """Whether a server of this process has chosen this session."""
    return check_session_id_signature(session, secret_key(), signed=True)


def embedder() -> str:
    """The page that may show the dashboard in a frame; empty: only those of its own host."""
    asked = os.environ.get(ENVIRONMENT, "")
    if asked and not ORIGIN.fullmatch(asked):
        raise ValueError(f"{ENVIRONMENT} must be like https://course.example.org, without a path, not {asked[:80]!r}")
    return asked


def refusal(app: BokehTornado, request: HTTPServerRequest) -> tuple[int, str]:
    """The status and the sentence with which a request is refused; "" if it is let in."""
    allowed = {*app.websocket_origins, *(settings.allowed_ws_origin() or ())}
    path, sent = unquote(request.path), {name.lower() for name in (*request.arguments, *request.headers)}
    _, is_component, asked = path.partition(f"/{COMPONENT_PATH}")
    if request.host_name not in LOOPBACK and not check_allowlist(request.host.lower(), allowed):
        return 403, "This dashboard does not answer to this name: cdlab serve --origin HOST:PORT says by which it does."
    if not sent.isdisjoint(SESSION_NAMES):
        return 403, "Sessions are chosen by this server, none is taken from a request: open the page without one."
    is_strange = is_component and asked.partition("/")[0] not in sys.modules  # Panel would import any that is installed
    if is_strange or CONTROL.search(path) or path.endswith("/autoload.js"):  # by which other hosts' pages take one in
        return 404, "There is no such page."
    return 200, ""


class Refusal(RequestHandler):
    """An answer that says in a sentence why there is no other."""

    def initialize(self, status: int, why: str) -> None:
        self.status, self.why = status, why

    def prepare(self) -> None:
        self.set_status(self.status)
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(self.why)


class Headers(OutputTransform):
    """Tells the browser, with every answer, what a page may load, and who may show it."""

    def __init__(self, request: HTTPServerRequest):
        self.request = request

    def transform_first_chunk(
        self, status_code: int, headers: HTTPHeaders, chunk: bytes, finishing: bool
    ) -> tuple[int, HTTPHeaders, bytes]:
        host, others, nonce = self.request.host, embedder(), token_urlsafe(16)
        if self.request.path.startswith("/site/"):  # the maintainer's files: examples and notebooks, with scripts
            scripts = "'unsafe-inline'"
        else:
            scripts = f"'nonce-{nonce}'"  # of this answer: a script that somebody has slipped in does not know it
            if finishing and headers.get("Content-Type", "").startswith("text/html"):
                chunk = SCRIPT.sub(f'<script nonce="{nonce}"'.encode(), chunk)
                headers["Content-Length"] = str(len(chunk))
        policy = {
            "default-src": "'self'",
            "script-src": f"'self' blob: 'unsafe-eval' {scripts}",  # widgets of Panel's, in drawers, compile their own
            "worker-src": "'self' blob:",
            "style-src": "'self' 'unsafe-inline'",  # Bokeh makes style sheets
            "img-src": "'self' data: blob:",
            "font-src": "'self' data:",
            "connect-src": f"'self' blob: ws://{host} wss://{host}",
            "object-src": "'none'",
            "base-uri": "'none'",
            "form-action": "'none'",
            "frame-ancestors": f"'self' {others}".strip(),
        }
        headers["Content-Security-Policy"] = "; ".join(f"{name} {value}" for name, value in policy.items())
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "same-origin"
        if not others:  # an older word for frame-ancestors, which cannot name others
            headers["X-Frame-Options"] = "SAMEORIGIN"
        return status_code, headers, chunk
