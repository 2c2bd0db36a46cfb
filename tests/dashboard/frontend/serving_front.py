"""The page with recorded answers, on a web server of its own: no engine, nothing but files."""

from __future__ import annotations

import http.server
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
FILES = {
    "/": ("text/html", lambda: PAGE.encode()),
    "/page.js": ("text/javascript", BUNDLE.read_bytes),
    "/recorded.json": ("application/json", (HERE / "recorded.json").read_bytes),
}


class Files(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        kind, read = FILES[self.path.partition("?")[0]]
        self.send_response(200)
        self.send_header("content-type", f"{kind}; charset=utf-8")
        self.end_headers()
        self.wfile.write(read())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def front_end() -> Iterator[str]:
    """The address of the page."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Files) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()
