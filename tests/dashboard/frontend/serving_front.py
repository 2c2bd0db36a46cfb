"""The page with recorded answers, on a web server of its own: no engine, nothing but files. It listens, too."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).parent
BUNDLE = HERE.parents[2] / "cdlab/dashboard/frontend/bundle/page.js"
PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Primal or dual?</title>
<meta name="viewport" content="width=device-width,initial-scale=1"><link rel="icon" href="data:,">
<style>body {margin: 0}</style></head><body><div id="page"></div><script type="module">
import {mount, recordedEngine} from "/page.js"
window.engine = recordedEngine(await (await fetch("/recorded.json")).json())
await mount(document.getElementById("page"), window.engine)
</script></body></html>"""
MEASURED = PAGE.partition("<script")[0] + '<script type="module" src="/measuring.js"></script></body></html>'
FILES = {
    "/": ("text/html", lambda: PAGE.encode()),
    "/page.js": ("text/javascript", BUNDLE.read_bytes),
    "/measured": ("text/html", lambda: MEASURED.encode()),
    "/measuring.js": ("text/javascript", (HERE / "measuring.js").read_bytes),
    "/recorded.json": ("application/json", (HERE / "recorded.json").read_bytes),
}


class Files(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        kind, read = FILES[self.path.partition("?")[0]]
        self.send_response(200)
        self.send_header("content-type", f"{kind}; charset=utf-8")
        self.end_headers()
        self.wfile.write(read())

    def do_POST(self) -> None:
        self.server.heard.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()
        self.server.said.set()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


class Site(http.server.ThreadingHTTPServer):
    """The page, and what a page has said to it."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Files)
        self.address = f"http://127.0.0.1:{self.server_port}/"
        self.heard: list[object] = []
        self.said = threading.Event()


@contextmanager
def front_end() -> Iterator[Site]:
    """The page, served."""
    with Site() as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()
