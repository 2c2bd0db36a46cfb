"""The page's engine in a Worker of every browser that this machine has: whole races against Python."""

import http.server
import json
import threading
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
import races
from engines import SMALL, built, check_runs
from every_browser import BROWSERS, opened

from cdlab.dashboard.frontend import page

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
READER = """
setInterval(() => {
  const voice = document.querySelector(".voice")
  const guess = [...voice?.querySelectorAll("button") ?? []].find((each) => each.textContent === "primal (rcd)")
  guess?.click()
  const said = {method: "POST", mode: "no-cors", body: JSON.stringify(voice?.innerText)}
  if (said.body?.includes("Why:")) fetch("SITE", said)
}, 300)
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


@contextmanager
def listening(files=None):
    """A site with these files, and what pages have said to it."""
    said = []
    site = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Site, directory=ROOT, files=files or {}, said=said)
    )
    site.heard = threading.Event()
    serving = threading.Thread(target=site.serve_forever)
    serving.start()
    try:
        yield site, said
    finally:
        site.shutdown()
        site.server_close()
        serving.join()


def said_in(browser, address, site):
    """Open an address until its page has said something."""
    with opened(browser, address):
        assert site.heard.wait(120), "the browser said nothing"


@pytest.mark.full
@pytest.mark.parametrize("browser", BROWSERS)
def test_races_are_those_of_python(browser, tmp_path):
    folder = built(SMALL)
    cases = races.cell_runs(SMALL) + races.sampling_runs(("sdca", "rcd"), ("smooth_hinge",), ())
    files = {f"/{name}": (folder / name).read_bytes() for name in ("kernels.wasm", "kernels.json")}
    files |= {"/": PAGE.encode(), "/worker.mjs": WORKER.encode(), "/cases": json.dumps(cases).encode()}
    with listening(files) as (site, said):
        said_in(browser, f"http://127.0.0.1:{site.server_port}/", site)
    check_runs(said[0], cases)


def play_the_first_story(browser, folder):
    """A first visit to the one file, opened from a disk: the question, a guess, the race, why."""
    page.write(folder / "page")
    with listening() as (site, said):
        reader = READER.replace("SITE", f"http://127.0.0.1:{site.server_port}/answer")
        file = folder / "page/cdlab.html"
        file.write_text(file.read_text(encoding="utf-8").replace("</body>", f"<script>{reader}</script></body>"))
        said_in(browser, file.as_uri(), site)
    return said[0]


def test_one_file_plays_the_first_story_from_a_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "BUILT", built(SMALL))
    words = play_the_first_story("chromium", tmp_path)
    assert "You guessed rcd" in words
    assert "Why:" in words


@pytest.mark.full
@pytest.mark.parametrize("browser", BROWSERS)
def test_one_file_plays_the_first_story_in_every_browser(browser, tmp_path):
    words = play_the_first_story(browser, tmp_path)
    assert "You guessed rcd" in words
    assert "Why:" in words
