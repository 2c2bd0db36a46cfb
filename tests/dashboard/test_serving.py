"""The page is served; what a browser does with it is in tests/ui."""

import asyncio
import json
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from bokeh.util.token import generate_jwt_token, generate_session_id
from wire import Wire

from cdlab.dashboard import app, serve
from cdlab.dashboard.security import KEY
from cdlab.dashboard.serving import make_server

APP = Path(__file__).parents[2] / "apps" / "faceoff.py"


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


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
    assert app.TITLE in page
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


def test_cdlab_serve_answers_at_the_address_of_panel_serve(monkeypatch):
    """Also with choices after the question mark, which come along."""
    monkeypatch.setattr(app, "warm_up", lambda: None)
    server = make_server(0, "127.0.0.1")
    server.start()
    address = f"http://127.0.0.1:{server.port}/"

    async def go():
        visitor = await Wire.open(address, "?n=77")
        assert visitor.model["attributes"]["data"]["attributes"]["query"] == "n=77"
        await visitor.close()
        return await asyncio.to_thread(_get, f"{address}faceoff?n=77")

    try:
        found = server.io_loop.run_sync(go)
    finally:
        server.stop()
    assert app.TITLE in found


def test_stories_link_to_a_site_that_is_served_with_the_page(monkeypatch, tmp_path):
    monkeypatch.setattr(app, "warm_up", lambda: None)
    with pytest.raises(ValueError, match="holds no site, which sphinx-build"):
        make_server(0, "127.0.0.1", tmp_path)
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "04_sampling.html").write_text("Which coordinate next?")
    server = make_server(0, "127.0.0.1", tmp_path)
    server.start()
    address = f"http://127.0.0.1:{server.port}/"

    async def go():
        visitor = await Wire.open(address, "")
        await visitor.close()
        notebooks = visitor.model["attributes"]["data"]["attributes"]["notebooks"]
        return await asyncio.to_thread(_get, f"{address}{notebooks}04_sampling.html")

    try:
        assert server.io_loop.run_sync(go) == "Which coordinate next?"
    finally:
        server.stop()


def test_a_page_whose_session_was_forgotten_loads_nothing_from_other_hosts(monkeypatch):
    """It comes late to its websocket, where it is given another session, of which no page was sent."""
    monkeypatch.setattr(app, "warm_up", lambda: None)
    server = make_server(0, "127.0.0.1")
    server.start()

    async def connect():
        visitor = await Wire.connect(
            f"http://127.0.0.1:{server.port}/", generate_jwt_token(generate_session_id(KEY, True), KEY, True)
        )
        await visitor.close()
        return json.dumps(visitor.roots)

    try:
        roots = server.io_loop.run_sync(connect)
    finally:
        server.stop()
    assert "static/extensions/panel/css/" in roots
    assert "://" not in roots


def test_a_port_that_is_taken_is_said_in_a_sentence():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        with pytest.raises(OSError, match=r"port \d+ is taken.*choose another, or 0 for any"):
            serve(port=s.getsockname()[1], show=False)


@pytest.mark.full
def test_ctrl_c_says_that_the_server_has_stopped_and_how_many_pages_were_open():
    code = "from cdlab.dashboard import serve; serve(port=0, show=False)"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as server:
        assert "The dashboard is at" in server.stdout.readline()
        server.send_signal(signal.SIGINT)
        said, _ = server.communicate(timeout=60)
    assert "Stopped; 0 pages were open." in said
    assert server.returncode == 0
