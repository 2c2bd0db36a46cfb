"""The page's engine in a Worker of every browser that this machine has: whole races against Python."""

import http.server
import json
import threading
from functools import partial
from pathlib import Path

import pytest
import races
from engines import SMALL, built, check_runs
from every_browser import BROWSERS, opened

ROOT = Path(__file__).parents[3]
PAGE = """<!doctype html><script type="module">
const worker = new Worker("/worker.mjs", {type: "module"})
worker.onmessage = ({data}) => fetch("/answer", {method: "POST", body: JSON.stringify(data)})
worker.onerror = ({message}) => fetch("/answer", {method: "POST", body: JSON.stringify(message)})
</script>"""
WORKER = """
import {load} from "/cdlab/dashboard/frontend/wasm/index.js"
import {compared} from "/tests/dashboard/wasm/comparing.mjs"
const wasm = await fetch("/kernels.wasm"), kernels = await fetch("/kernels.json"), found = []
const lab = await load(await wasm.arrayBuffer(), await kernels.json())
for (const each of await (await fetch("/cases")).json()) found.push(await compared(lab, each))
postMessage(found)
"""
KINDS = {"/": "text/html", "/worker.mjs": "text/javascript"}


class Site(http.server.SimpleHTTPRequestHandler):
    """The sources, the built module, the cases, and who listens to the answer."""

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {".mjs": "text/javascript"}

    def __init__(self, *request, files, said, **options):
        self.files, self.said = files, said
        super().__init__(*request, **options)

    def do_GET(self):
        if self.path not in self.files:
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", KINDS.get(self.path, "application/octet-stream"))
        self.end_headers()
        self.wfile.write(self.files[self.path])

    def do_POST(self):
        self.said.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()
        self.server.heard.set()

    def log_message(self, *words):
        pass


@pytest.mark.full
@pytest.mark.parametrize("browser", BROWSERS)
def test_races_are_those_of_python(browser, tmp_path):
    folder = built(SMALL)
    cases = races.cell_runs(SMALL) + races.sampling_runs(("sdca", "rcd"), ("smooth_hinge",), ())
    files = {f"/{name}": (folder / name).read_bytes() for name in ("kernels.wasm", "kernels.json")}
    files |= {"/": PAGE.encode(), "/worker.mjs": WORKER.encode(), "/cases": json.dumps(cases).encode()}
    said = []
    site = http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Site, directory=ROOT, files=files, said=said))
    site.heard = threading.Event()
    serving = threading.Thread(target=site.serve_forever)
    serving.start()
    try:
        with opened(browser, f"http://127.0.0.1:{site.server_port}/", tmp_path):
            assert site.heard.wait(120), "the browser said nothing"
    finally:
        site.shutdown()
        site.server_close()
        serving.join()
    check_runs(said[0], cases)
