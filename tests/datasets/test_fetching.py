"""fetch against a local HTTP server: a whole, right file, or nothing and a sentence."""

import hashlib
import io
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from cdlab.datasets import fetch, fetching, load
from cdlab.datasets.catalogue import cache_folder, find, shipped

BODY = b"1 1:2 3:4\n-1 2:5\n" * 40_000
SUM = hashlib.sha256(BODY).hexdigest()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.server.asked.append(self.path)
        self.close_connection = True
        if self.path == "/absent":
            self.send_error(404)
        elif self.path == "/moved":
            self.answer(b"", 302, Location="/good")
        elif self.path == "/moved-to-ftp":
            self.answer(b"", 302, Location="ftp://127.0.0.1/good")
        elif self.path == "/moved-to-file":
            self.answer(b"", 302, Location="file:///etc/passwd")
        elif self.path == "/short":
            self.answer(BODY[:100_000], length=len(BODY))
        elif self.path == "/short-chunks":
            self.send_response(200)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"10\r\nonly a part")
        elif self.path == "/wrong":
            self.answer(BODY.replace(b"5", b"6", 1))
        elif self.path == "/long-word":
            self.answer(BODY, length="many")
        elif self.path == "/empty":
            self.answer(b"")
        elif self.path == "/hang":
            self.send_response(200)
            self.send_header("Content-Length", "10")
            self.end_headers()
            self.server.released.wait(10)
        elif self.path == "/nonsense":
            self.wfile.write(b"this is not HTTP\r\n\r\n")
        else:
            self.answer(BODY)

    def answer(self, body, status=200, length=None, **headers):
        self.send_response(status)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.send_header("Connection", "close")  # said, or a redirect may be followed on the connection being closed
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def server():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.asked, server.released = [], threading.Event()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.released.set()
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def publish(server, monkeypatch, tmp_path):
    """Make a set called tiny known, whose file is at this path of the server."""

    def set_up(path, sha256=SUM, filename="tiny"):
        url = path if ":" in path else f"http://127.0.0.1:{server.server_port}{path}"
        known = f'sha256 = "{sha256}", ' if sha256 else ""
        download = f'{{ {known}filename = "{filename}", url = "{url}" }}'
        entry = f'[tiny]\nn = 80_000\nd = 3\ntask = "binary"\ndownload = {download}\n'
        (tmp_path / "catalogue.toml").write_text(entry)
        monkeypatch.setenv("CDLAB_DATA", str(tmp_path))

    return set_up


def left_behind():
    return [path.name for path in cache_folder().glob("*")]


def test_a_whole_file_is_kept_and_fetched_once(publish, server, capsys):
    publish("/good")
    path = fetch("tiny")
    assert path == cache_folder() / "tiny"
    assert path.read_bytes() == BODY
    assert left_behind() == ["tiny"]
    told = capsys.readouterr()
    assert told.out == ""
    assert f"fetching tiny from http://127.0.0.1:{server.server_port}/good" in told.err
    assert f"(sha256 {SUM}, as known)" in told.err
    assert fetch("tiny") == path
    assert server.asked == ["/good"]
    assert capsys.readouterr().err == ""
    fetch("tiny", force=True)
    assert server.asked == ["/good", "/good"]
    assert left_behind() == ["tiny"]


def test_load_fetches_what_is_nowhere_else(publish, server, capsys):
    publish("/good")
    X, y = load("tiny")
    assert X.shape == (80_000, 3)
    assert y[:2].tolist() == [1, -1]
    assert "fetching tiny" in capsys.readouterr().err
    load("tiny")
    assert len(server.asked) == 1


def test_without_a_known_sum_the_one_seen_is_printed(publish, capsys):
    publish("/good", sha256="")
    fetch("tiny")
    assert f"(sha256 {SUM}, not verified against a known checksum)" in capsys.readouterr().err


def test_a_redirect_is_followed_over_http_only(publish):
    publish("/moved")
    assert fetch("tiny").read_bytes() == BODY
    for path in ("/moved-to-ftp", "/moved-to-file"):
        publish(path)
        with pytest.raises(OSError, match=r"(could not be fetched|was answered with 302)"):
            fetch("tiny", force=True)
    assert left_behind() == ["tiny"]


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("/absent", "/absent was answered with 404 Not Found"),
        ("/short", r"(broke off after 100000 of \d+ bytes; try again|could not be fetched \(IncompleteRead)"),
        ("/short-chunks", r"could not be fetched \(IncompleteRead"),
        ("/wrong", f"gave a file with sha256 [0-9a-f]+, not the known {SUM}: it was thrown away"),
        ("/empty", "gave an empty file"),
        ("/long-word", "could not be fetched"),
        ("/nonsense", "could not be fetched"),
        ("http://127.0.0.1:1/refused", r"could not be fetched \(.*refused"),
    ],
)
def test_a_failed_transfer_leaves_nothing_behind(publish, path, sentence):
    publish(path)
    with pytest.raises(OSError, match=sentence):
        fetch("tiny")
    assert left_behind() == []


def test_a_silent_server_is_given_up(publish, monkeypatch):
    monkeypatch.setattr(fetching, "TIMEOUT_SECONDS", 0.2)
    publish("/hang")
    with pytest.raises(OSError, match="could not be fetched .*timed out"):
        fetch("tiny")
    assert left_behind() == []


def test_a_failed_transfer_does_not_harm_the_file_that_is_there(publish):
    publish("/good")
    path = fetch("tiny")
    publish("/wrong")
    with pytest.raises(OSError, match="thrown away"):
        fetch("tiny", force=True)
    assert path.read_bytes() == BODY
    assert left_behind() == ["tiny"]


def test_an_interrupt_leaves_nothing_behind(publish, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    publish("/good")
    monkeypatch.setattr(fetching._Progress, "update", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fetch("tiny")
    assert left_behind() == []


def test_progress_on_a_terminal(publish, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self):
            return True

    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    publish("/good")
    fetch("tiny")
    assert f"tiny: {len(BODY) / 1e6:.1f} of {len(BODY) / 1e6:.1f} MB" in terminal.getvalue()


def test_what_cannot_be_fetched():
    with pytest.raises(ValueError, match="leu is not published unchanged at a public address"):
        fetch("leu")
    with pytest.raises(ValueError, match="unknown data set 'a9b': did you mean a9a"):
        fetch("a9b")


def test_the_addresses_are_https_and_their_files_are_found_again():
    cache_folder().mkdir(parents=True)
    for entry in shipped().values():
        if entry.download:
            assert entry.download.url.startswith("https://")
            assert len(entry.download.sha256) in (0, 64)
            (cache_folder() / entry.download.filename).touch()
            assert find(cache_folder(), entry.stem).name == entry.download.filename
