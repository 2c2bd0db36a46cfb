"""SECURITY.md: what holds when the page is served, each sentence with its test."""

import asyncio
import bz2
import gzip
import http.client
import inspect
import io
import lzma
import os
import re
import subprocess
import sys
import tempfile
import tracemalloc
import zipfile
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from bokeh.protocol import Protocol
from bokeh.server.connection import ServerConnection
from bokeh.util.token import generate_jwt_token, generate_session_id
from cases import each_of, pushed
from small_choices import small
from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect
from wire import Wire

from cdlab.dashboard import app, serve
from cdlab.dashboard.engine import Choices
from cdlab.dashboard.engine.answering import Visitor, take_file
from cdlab.dashboard.engine.schema import Question
from cdlab.dashboard.engine.uploads import read_upload
from cdlab.dashboard.security import KEY, secure
from cdlab.dashboard.serving import make_server
from cdlab.dashboard.visitor_limits import limits, set_limits

ROOT = Path(__file__).parents[2]
HERE = "dashboard/test_security.py"
APP, UPLOADS, SESSIONS = "dashboard/test_app.py", "dashboard/test_uploads.py", "dashboard/test_sessions.py"
KEPT = {  # how a sentence begins: the file and the test that keep it
    "Visitors choose from lists": (HERE, "test_no_address_has_the_server_import_a_module"),
    "The data that they can name": (HERE, "test_no_choice_names_a_file"),
    "No address reaches another file": (HERE, "test_what_is_no_page_is_refused_and_no_error"),
    "With `--site` the files": (HERE, "test_the_site_and_no_other_file_is_read"),
    "An upload comes in parts": (APP, "test_a_file_comes_in_parts_and_one_above_the_limit_is_not_kept"),
    "The same limit holds": (HERE, "test_a_file_that_is_too_large_unpacked_is_refused_while_it_is_unpacked"),
    "An upload is read once": (HERE, "test_no_file_is_left_of_an_upload"),
    "Other visitors cannot ask": (HERE, "test_an_upload_is_its_visitor_s"),
    "The page's end takes it": (SESSIONS, "test_nothing_is_kept_of_a_closed_session"),
    "A session that a visitor takes up": (
        "dashboard/drawers/test_runs.py",
        "test_a_damaged_session_is_refused_in_a_sentence",
    ),
    "A message that no page sends": (HERE, "test_a_message_that_no_page_sends_is_answered_in_a_sentence"),
    "The server chooses each page's": (HERE, "test_two_visitors_never_share_a_session"),
    "The key is `BOKEH_SECRET_KEY`": (HERE, "test_the_key_is_that_of_the_environment_or_another_at_each_start"),
    "Requests under another name": (HERE, "test_a_foreign_name_of_the_host_is_refused"),
    "Every answer tells the browser": (HERE, "test_every_answer_has_the_policy"),
    "Stores of sweeps are seen": ("dashboard/drawers/test_store_views.py", "test_"),
    "What a store says": (HERE, "test_an_error_reaches_the_browser_without_a_path_of_the_server"),
    "Limits on pages at once": (SESSIONS, "test_a_full_server_says_so_until_a_page_is_closed"),
    "What a visitor types": (HERE, "test_markup_in_a_name_of_a_column_is_text"),
    "The page loads nothing": ("ui/test_served_page.py", "test_a_first_visit_asks_for_a_guess_races_and_tells_why"),
}


@pytest.fixture(autouse=True)
def quiet(monkeypatch):
    monkeypatch.setattr(app, "warm_up", lambda: None)
    yield
    set_limits()


def test_each_sentence_has_its_test():
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    part = " ".join(text.partition("(tests/dashboard/test_security.py)")[2].partition("What does not:")[0].split())
    sentences = [each for each in re.split(r"(?<=\.) (?:- )?(?=[A-Z])|: - ", part) if len(each) > 5]
    begins = [next((key for key in KEPT if each.startswith(key)), each) for each in sentences]
    assert begins == list(KEPT)
    for file, test in KEPT.values():
        assert f"def {test}" in (ROOT / "tests" / file).read_text(encoding="utf-8"), test


# ---------------------------------------------------------------- requests
def get(port: int, path: str = "/", **headers: str) -> tuple[int, str, http.client.HTTPMessage]:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
        connection.putrequest("GET", path, skip_host="Host" in headers)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read().decode(errors="replace"), answer.headers


def running(work, site=None, **options):
    """The result of a coroutine function of the address of a server, which runs meanwhile."""
    server = make_server(0, "127.0.0.1", site, **options)
    server.start()
    try:
        return server.io_loop.run_sync(lambda: work(server.port))
    finally:
        server.stop()


def answers(*requests: tuple[str, dict[str, str]], site=None, **options):
    """What a server answers to each path, with these headers."""

    async def ask(port):
        return [await asyncio.to_thread(get, port, path, **headers) for path, headers in requests]

    return running(ask, site, **options)


def test_the_servers_listen_on_this_machine_alone():
    assert inspect.signature(serve).parameters["address"].default == "127.0.0.1"
    first = next(line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("python3 -m venv"))
    assert "panel serve apps/faceoff.py --address 127.0.0.1 " in first


IMPORTABLE = "/components/this/a/_css/b"  # a module of Python's that prints a poem and that nobody has loaded


def test_no_address_has_the_server_import_a_module():
    for status, words, _ in answers((IMPORTABLE, {}), ("/components//a/_css/b", {}), ("/autoload.js", {})):
        assert (status, "There is no such page." in words) == (404, True)
    assert "this" not in sys.modules


@each_of("data", ["../../etc/passwd", "/etc/passwd", "synthetic:n=5", "file:///etc/passwd", ""])
def test_no_choice_names_a_file(data):
    with pytest.raises(ValueError, match="there are no data"):
        Choices(data=data)


STRANGE = [
    *("/%00", "/site/%00", "/static/%00", "/static/js/bokeh.min.js%00", "/%0d%0aX:y", "/faceoff%00", "/site/%0a"),
    *("/static/..%2f..%2fserver.py", "/static/extensions/%2e%2e/x", "/../../etc/passwd", "/" + "a" * 5000),
    *("/components/%00/a/_css/b", "/components/cdlab.dashboard.app/FrontEnd/_bundle_path/../app.py", "/%ff/%fe"),
    "/components/cdlab.dashboard.app/FrontEnd/_bundle_path/%2e%2e/app.py",
]


def test_what_is_no_page_is_refused_and_no_error():
    statuses = [status for status, _, _ in answers(*((path, {}) for path in STRANGE))]
    assert {path: status for path, status in zip(STRANGE, statuses, strict=True) if status not in (400, 403, 404)} == {}


def test_the_site_and_no_other_file_is_read(tmp_path):
    (tmp_path / "site" / "notebooks").mkdir(parents=True)
    (tmp_path / "site" / "index.html").write_text("the site")
    (tmp_path / "secret").write_text("a secret")
    paths = [
        "/site/index.html",
        "/site/../secret",
        "/site/..%2fsecret",
        "/site/%2e%2e/secret",
        "/site/%00",
        "/site//etc/passwd",
    ]
    first, *others = answers(*((path, {}) for path in paths), site=tmp_path / "site")
    assert first[:2] == (200, "the site")
    assert {status for status, _, _ in others} <= {400, 403, 404}


@pytest.mark.parametrize(
    ("host", "status"),
    [
        *[(name, 200) for name in ("localhost", "127.0.0.1:5006", "[::1]:80", "LOCALHOST:1", "course.example:80")],
        *[(name, 403) for name in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80", "10.0.0.1")],
    ],
)  # fmt: skip
def test_a_foreign_name_of_the_host_is_refused(host, status):
    ((found, words, _),) = answers(("/faceoff", {"Host": host}), websocket_origin="course.example:80")
    assert found == (302 if status == 200 else 403)
    assert status == 200 or "cdlab serve --origin" in words


@each_of(
    "origin, lets_in", [("http://127.0.0.1:{}", True), ("http://localhost:{}", True), ("http://evil.example", False)]
)
def test_a_socket_opens_for_pages_of_this_server_alone(origin, lets_in):
    async def connect(port):
        host = origin.format(port).removeprefix("http://") if lets_in else f"127.0.0.1:{port}"
        _, html, _ = await asyncio.to_thread(get, port, "/", Host=host)
        token = re.search(r'"token":"([^"]+)"', html).group(1)
        asked = HTTPRequest(f"ws://127.0.0.1:{port}/ws", headers={"Origin": origin.format(port), "Host": host})
        try:
            socket = await websocket_connect(asked, subprotocols=["bokeh", token])
        except Exception as why:  # what tornado's client raises
            return str(why)
        socket.close()
        return ""

    assert running(connect) == ("" if lets_in else "HTTP 403: Forbidden")


# ---------------------------------------------------------------- headers
EVERYWHERE = ("/", "/faceoff", "/nothing", "/static/js/bokeh.min.js", "/site/index.html", "/site/%00", "/favicon.ico")


def test_every_answer_has_the_policy(tmp_path):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "index.html").write_text("the site")
    requests = [*((path, {}) for path in EVERYWHERE), ("/", {"Host": "evil.example"})]
    nonces = []
    for _, words, headers in answers(*requests, site=tmp_path):
        rules = dict(rule.strip().partition(" ")[::2] for rule in headers["Content-Security-Policy"].split(";"))
        assert rules["default-src"] == "'self'"
        assert {rules[name] for name in ("object-src", "base-uri", "form-action")} == {"'none'"}
        assert rules["frame-ancestors"].strip() == "'self'"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "SAMEORIGIN"
        sources = set(" ".join(rules.values()).split())
        assert not {each for each in sources if "*" in each or each.startswith("http") or each in ("ws:", "wss:")}
        if "<script" in words:
            (nonce,) = re.findall("'nonce-([^']+)'", rules["script-src"])
            assert "'unsafe-inline'" not in rules["script-src"]
            assert set(re.findall(r"<script([^>]*?)(?: type| src|>)", words)) == {f' nonce="{nonce}"'}
            nonces.append(nonce)
    assert nonces


@pytest.mark.full
def test_a_page_of_another_host_shows_it_in_a_frame_only_if_that_was_asked_for():
    code = "from cdlab.dashboard.security import Headers, secure; secure(); print(Headers.embedder)"

    def ask(host):
        environment = {**os.environ, "CDLAB_EMBED": host}
        return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)

    assert ask("https://course.example.org").stdout == "https://course.example.org\n"
    for wrong in ("https://course.example.org/page", "*", "'none'; script-src *", "course.example.org"):
        assert "CDLAB_EMBED must be like https://course.example.org" in ask(wrong).stderr


# ---------------------------------------------------------------- sessions
def test_two_visitors_never_share_a_session():
    async def visit(port):
        _, html, _ = await asyncio.to_thread(get, port)
        token = re.search(r'"token":"([^"]+)"', html).group(1)
        own = generate_session_id(KEY, signed=True)
        asked = [f"/?bokeh-session-id={own}", f"/?bokeh-token={token}", "/?bokeh-session-id=chosen"]
        found = [(await asyncio.to_thread(get, port, path))[:2] for path in asked]
        found.append((await asyncio.to_thread(get, port, "/", Bokeh_Session_Id=own))[:2])
        unsigned = generate_jwt_token(generate_session_id())
        stranger = await websocket_connect(f"ws://127.0.0.1:{port}/ws", subprotocols=["bokeh", unsigned])
        assert await stranger.read_message() is None  # it was closed
        stranger.close()
        first, second = [await Wire.open(f"http://127.0.0.1:{port}/") for _ in range(2)]
        await first.answer("catalog")
        heard = second.heard
        ids = {first.model["id"], second.model["id"]}
        await first.close()
        await second.close()
        return found, heard, ids

    found, heard, ids = running(visit)
    assert all(status == 403 and "The server chooses the session" in words for status, words in found)
    assert len(found) == 4
    assert heard == []
    assert len(ids) == 2


def test_the_first_page_of_panel_serve_is_opened_anew():
    """Its session was begun before there was a key: on a server of Panel's own that knows nothing of it."""
    script = (
        "import sys; from panel.io.server import get_server\n"
        "def page():\n"
        "    from cdlab.dashboard import app; app.warm_up = lambda: None; return app.page()\n"
        "server = get_server(page, port=0, address='127.0.0.1', show=False, start=False)\n"
        "print(server.port, flush=True); server.start(); server.io_loop.start()"
    )
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        try:
            port = int(process.stdout.readline())
            pages = [get(port), get(port), get(port, "/?bokeh-session-id=x")]
        finally:
            process.terminate()
    assert ['http-equiv="refresh"' in page for _, page, _ in pages] == [True, False, False]
    assert [status for status, _, _ in pages] == [200, 200, 403]
    assert "'nonce-" in pages[1][2]["Content-Security-Policy"]


def test_the_key_is_that_of_the_environment_or_another_at_each_start():
    code = "from cdlab.dashboard.security import KEY; print(KEY.decode())"

    def key(**more):
        environment = {**os.environ, **more}
        return subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True).stdout

    chosen = "k" * 40
    assert key(BOKEH_SECRET_KEY=chosen).strip() == chosen
    first, second = key(), key()
    assert first != second
    assert min(len(first), len(second)) > 40
    secure()  # again: it does nothing


# ---------------------------------------------------------------- messages
QUESTION = {"number": 1, "kind": "predict", "choices": None, "draws": 1, "drawer": ""}
WRONG = {
    "number": [None, "1", 1.5, float("nan"), [], True],
    "kind": [None, "x", 5, [], {}, float("nan")],
    "choices": [5, "x", [1]],
    "draws": [0, -1, 1.5, "x", None, [], float("nan"), True],
    "drawer": [None, 5, [], {}],
    "more": [1],
}
MESSAGES = [
    *({**QUESTION, name: value} for name, values in WRONG.items() for value in values),
    *({key: value for key, value in QUESTION.items() if key != name} for name in ("number", "kind")),
    *({**QUESTION, "kind": "race", "draws": draws} for draws in (21, 10**30)),
    *({**QUESTION, "choices": {"methods": methods}} for methods in ([1], [["sdca"]], ["sdca"] * 9, [], "x", None)),
    *({**QUESTION, "choices": {name: float("nan")}} for name in ("n", "l2", "tol", "loss", "intercept", "data", "x")),
    {**QUESTION, "choices": {"methods": ["quartz(" + "9" * 5000 + ")"]}},
    *(
        {"kind": "file", "name": "x", "last": True, **more}
        for more in ({}, {"bytes": 5}, {"bytes": "x"}, {"bytes": []})
    ),
    {"kind": "file", "bytes": b"1,2\n", "last": True, "label": float("nan")},
    *("x", 5, None, [], {}),
]


@pytest.fixture(scope="module")
def said():
    """What is heard after each of the messages."""
    from test_app import say

    from cdlab.dashboard.session import PageSession

    return [say(PageSession(), message) for message in MESSAGES]


@pytest.mark.parametrize("k", pushed(range(len(MESSAGES)), *range(len(MESSAGES))))
def test_a_message_that_no_page_sends_is_answered_in_a_sentence(k, said):
    (answer,) = said[k]
    assert answer["error"].endswith(".")
    assert "\n" not in answer["error"]
    assert len(answer["error"]) < 400
    assert not re.search(r"Error|Traceback|<class|NoneType|server's log", answer["error"])


@each_of("choices", [None, 5, [], [1], "x", {"n": None}, {"x": 1}, {"methods": [1]}])
def test_a_state_that_no_page_has_changes_nothing(choices):
    from test_app import say

    from cdlab.dashboard.session import PageSession

    session = PageSession(choices=small(n=33))
    assert say(session, {"kind": "state", "choices": choices, "drawer": ""}) == []
    assert session.choices.n == 33


def test_questions_of_pages_are_questions():
    assert Question(**QUESTION).draws == 1
    assert Question(number=1, kind="race", draws=20).choices is None


# ---------------------------------------------------------------- uploads
def zipped(method, **sizes: int) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, size in sizes.items():
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, np.zeros((size, 1), np.uint8))
    return stream.getvalue()


SIZE = 60_000_000
LINES = b"1 1:1\n" * (SIZE // 6)
BOMBS = {
    "rows.csv.gz": lambda: gzip.compress(LINES, 1, mtime=0),
    "rows.svm.bz2": lambda: bz2.compress(LINES),
    "rows.xz": lambda: lzma.compress(LINES, preset=0),
    "alone.xz": lambda: lzma.compress(LINES, format=lzma.FORMAT_ALONE, preset=0),
    "streams.gz": lambda: gzip.compress(LINES[: SIZE // 60], 1, mtime=0) * 60,
    "rows.csv": lambda: gzip.compress(LINES, 1, mtime=0),  # whatever its name says
    "rows.GZ": lambda: gzip.compress(LINES, 1, mtime=0),
    "rows.npz": lambda: zipped(zipfile.ZIP_DEFLATED, X=SIZE, y=10),
    "ROWS.NPZ": lambda: zipped(zipfile.ZIP_DEFLATED, X=SIZE // 2, y=SIZE // 2),
}


@pytest.mark.parametrize("name", pushed(BOMBS, "rows.csv.gz", "rows.csv", "rows.npz"))
def test_a_file_that_is_too_large_unpacked_is_refused_while_it_is_unpacked(name):
    content = BOMBS[name]()
    assert len(content) < SIZE / 50
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="or more, unpacked; this dashboard takes at most 50 MB"):
            read_upload(name, content)
        kept, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 2e7
    assert kept < 2e6


@each_of("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_an_archive_that_python_unpacks_without_bounds_is_refused(method):
    with pytest.raises(ValueError, match=r"rows\.npz is compressed in a way that is not read here"):
        read_upload("rows.npz", zipped(method, X=1000, y=1000))


def test_an_archive_that_promises_less_than_it_holds_is_damaged():
    content = bytearray(zipped(zipfile.ZIP_DEFLATED, X=SIZE, y=10))
    at = content.index(b"PK\x01\x02") + 24
    content[at : at + 4] = (1000).to_bytes(4, "little")
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="or is damaged"):
            read_upload("rows.npz", bytes(content))
        assert tracemalloc.get_traced_memory()[1] < 2e7
    finally:
        tracemalloc.stop()


def test_a_field_that_is_too_long_for_a_table_is_refused_in_a_sentence():
    with pytest.raises(ValueError, match="line 1 of the table cannot be read: field larger than field limit"):
        read_upload("rows.csv", b"1" * 200_000 + b",1\n2,3\n")


def test_no_file_is_left_of_an_upload(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    read_upload("rows.csv", b"1,2\n3,4\n")
    with pytest.raises(ValueError, match="is not a number"):
        read_upload("rows.csv", b"a,b\n1,2\n3,x\n")
    assert list(tmp_path.iterdir()) == []


def test_an_upload_is_its_visitor_s():
    owner = Visitor()
    content = b"1,2\n3,4\n5,6\n"
    answer = asyncio.run(take_file("rows.csv", content, len(content), owner))
    stranger = Choices(**answer["value"])
    with pytest.raises(ValueError, match="which was open in another page"):
        stranger.problem()


def test_markup_in_a_name_of_a_column_is_text():
    """The front end makes elements and texts, and sets markup from the engine's MathML alone."""
    sources = sorted((ROOT / "cdlab" / "dashboard" / "frontend" / "src").rglob("*.js*"))
    text = "\n".join(path.read_text(encoding="utf-8") for path in sources)
    assert set(re.findall(r"__html: (\w+)", text)) == {"mathml", "symbol", "update"}
    assert set(re.findall(r"innerHTML = (.)", text)) == {"'"}
    assert not re.search(r"outerHTML|insertAdjacentHTML|document\.write|srcdoc", text)


# ---------------------------------------------------------------- limits
@each_of("values", [{"upload": float("inf")}, {"upload": 1e300}, {"entries": float("inf")}, {"sessions": 10**400}])
def test_a_limit_that_is_none_is_refused(values):
    with pytest.raises(ValueError, match="must be a number above 0, at most 1e12"):
        set_limits(**values)


def test_a_limit_of_the_environment_is_a_number_and_is_checked_at_the_start(monkeypatch):
    monkeypatch.setenv("CDLAB_UPLOAD", "2.5")
    assert limits().upload == 2.5
    monkeypatch.setenv("CDLAB_UPLOAD", "1e400")
    with pytest.raises(ValueError, match="the limit on upload must be"):
        serve(port=0, show=False)
    monkeypatch.delenv("CDLAB_UPLOAD")


# ---------------------------------------------------------------- errors
def test_an_error_reaches_the_browser_without_a_path_of_the_server():
    secure()
    protocol, session = Protocol(), SimpleNamespace(subscribe=lambda connection: None)
    connection = ServerConnection(protocol, None, None, session)
    try:
        raise FileNotFoundError(__file__)
    except FileNotFoundError as wrong:
        answer = connection.error(protocol.create("PULL-DOC-REQ"), repr(wrong))
    sent = "".join(map(str, (answer.header_json, answer.metadata_json, answer.content_json)))
    assert answer.content["text"].startswith("An error in cdlab")
    assert __file__ not in sent
    assert "/" not in answer.content_json
    assert answer.header["reqid"]
