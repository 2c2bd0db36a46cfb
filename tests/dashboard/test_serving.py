"""The page is made and served; what a browser does with it is in tests/ui."""

import asyncio
import re
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from bokeh.document import Document
from panel.io.state import set_curdoc

from cdlab.dashboard import serve, views, warming
from cdlab.dashboard.parts.latest import Latest
from cdlab.dashboard.serving import make_server

APP = Path(__file__).parents[2] / "apps" / "faceoff.py"


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture
def runners(monkeypatch):
    """The runners of the sessions that are opened, in which start and stop are only written down."""
    made = []

    class Runner:
        def __init__(self, state, tell):
            self.state, self.done = state, []
            made.append(self)

        def start(self):
            self.done.append("start")

        def stop(self):
            self.done.append("stop")

    monkeypatch.setattr(views, "Runner", Runner)
    monkeypatch.setattr(Latest, "ask", lambda _: None)  # without a server no loop would answer
    for module in (views, warming):
        monkeypatch.setattr(module, "warm_up", lambda: None)
    return made


def session() -> Document:
    doc = Document()
    with set_curdoc(doc):
        views.page().server_doc(doc)
    return doc


def test_sessions_share_nothing_that_changes(runners):
    session(), session()
    first, second = (runner.state for runner in runners)
    first.choices.n = 77
    first.result.lanes.clear()
    assert second.choices.n == 1000
    assert len(second.result.lanes) == 3


def test_a_race_ends_with_its_session(runners):
    doc = Document()
    with set_curdoc(doc):
        views.page()
    for callback in doc.session_destroyed_callbacks:
        callback(None)
    assert runners[0].done == ["stop"]


def test_opening_a_page_computes_nothing(runners, monkeypatch):
    asked = []
    monkeypatch.setattr("cdlab.dashboard.choices.choices.Choices.problem", lambda *_: asked.append("data"))
    session()
    assert asked == [], "the first picture needs no data"


def test_the_app_file_is_thin():
    assert len(APP.read_text().splitlines()) < 40


@pytest.mark.full
def test_panel_serve_answers_without_further_flags():
    port = free_port()
    command = [sys.executable, "-m", "panel", "serve", str(APP), "--port", str(port)]
    with subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL) as server:
        try:
            page = _get(f"http://localhost:{port}/faceoff")
        finally:
            server.terminate()
    assert views.TITLE in page
    hosts = set(re.findall(r"(?:src|href)=[\"']?https?://([^/\"']+)", page))
    assert not {host for host in hosts if not host.startswith("localhost")}


def _get(url: str, seconds: float = 60) -> str:
    end = time.monotonic() + seconds
    while True:
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                return answer.read().decode()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.2)


def test_cdlab_serve_answers_at_the_address_of_panel_serve(runners):
    """Also with choices after the question mark, which come along."""
    server = make_server(0, "127.0.0.1")
    server.start()
    asked = f"http://127.0.0.1:{server.port}/faceoff?n=77"

    async def go():
        page = await asyncio.to_thread(_get, asked)
        assert views.TITLE in page

    try:
        server.io_loop.run_sync(go)
    finally:
        server.stop()
    assert runners[-1].state.choices.n == 77


def test_a_port_that_is_taken_is_said_in_a_sentence():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        with pytest.raises(OSError, match=r"port \d+ is taken.*choose another, or 0 for any"):
            serve(port=s.getsockname()[1], show=False)
