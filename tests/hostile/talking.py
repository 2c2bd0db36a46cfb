"""Hostile messages of a page, files that are far larger unpacked, saved sessions and solutions, and command lines."""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import shlex
import tempfile
import time
import tracemalloc
import zipfile
from pathlib import Path
from types import SimpleNamespace

import numpy as np
from bokeh.document import Document
from files import CSV, DENSE, JSON, LIBSVM, PACK, mutated
from hostile import check_sentence, refused
from hypothesis import strategies as st

import cdlab
from cdlab.cli import main
from cdlab.dashboard import app
from cdlab.dashboard.drawers.session_files import from_session, to_session
from cdlab.dashboard.engine import Choices
from cdlab.dashboard.engine.racing import run_race
from cdlab.dashboard.engine.uploads import read_upload
from cdlab.dashboard.session import PageSession

SMALL = {"n": 40, "d": 12, "density": 0.3, "passes": 20, "seeds": 2}
QUESTION = {"number": 1, "kind": "predict", "choices": SMALL, "draws": 1, "drawer": ""}
FILE = {"kind": "file", "name": "rows.csv", "bytes": CSV, "last": True, "label": None}
STATE = {"kind": "state", "choices": SMALL, "drawer": ""}
KINDS = ["catalog", "predict", "race", "explain", "advise", "facts", "stop"]
SECONDS = 20.0  # that an answer may take
NUMBERS = [0, -1, 1.5, 21, 2**31, 2**63, 10**300, float("nan"), float("inf"), -float("inf"), 5e-324, 1e308, True]
WORDS = ["", "x", "\0", "a" * 10_000, "<b>", "../..", "sdca", "upload", "mushrooms", "none", "Bounds", "é", b"x", b""]
LISTS = [None, [], [1], ["sdca"] * 7, ["sdca", 1], [["sdca"]], ["quartz(0)"], ["quartz(99999)"], {}, {"a": 1}]
VALUES = st.one_of(st.sampled_from([*NUMBERS, *LISTS]), st.sampled_from(WORDS), JSON)
HEAVY = ("n", "d", "passes", "seeds", "methods", "batch")  # what is in their range may take long, rightly


@st.composite
def messages(draw):
    """What a page may send, with a value or two that it would not; and something else now and then."""
    told = []
    for k in range(draw(st.integers(1, 3))):
        message = dict(draw(st.sampled_from([QUESTION, QUESTION, QUESTION, FILE, STATE])))
        if message["kind"] == "predict":
            message |= {"number": k + 1, "kind": draw(st.sampled_from(KINDS))}
            message["drawer"] = draw(st.sampled_from(["", "Bounds", "Face-off", "Sampling", "Code"]))
        for _ in range(draw(st.integers(0, 2))):
            if isinstance(message.get("choices"), dict) and draw(st.booleans()):
                name = draw(st.sampled_from([*Choices.param.objects(), "x"]))
                is_heavy = name in HEAVY or name == "data"
                odd = st.sampled_from([0, -1, 10**30, float("nan"), "x", None, [], {}]) if is_heavy else VALUES
                message["choices"] = message["choices"] | {name: draw(odd)}
            else:
                message[draw(st.sampled_from([*message, "x"]))] = draw(VALUES)
        if draw(st.integers(0, 9)) == 0:
            message.pop(draw(st.sampled_from(sorted(message))))
        told.append(message if draw(st.integers(0, 19)) else draw(VALUES))
    return told


class _Context:
    session = SimpleNamespace(destroyed=False, connection_count=1)

    async def with_locked_document(self, work):
        await work(None)


def check_messages(told):
    """Each is answered in time, by values or in a sentence; the next one, by values."""

    async def talk():
        front_end, heard = app.FrontEnd(PageSession()), []
        callbacks = SimpleNamespace(send_event=lambda event: heard.append(json.loads(event.data)))
        roots = [front_end.get_root(Document())]
        front_end._document = SimpleNamespace(session_context=_Context(), callbacks=callbacks, roots=roots)
        tasks = []
        for message in [*told, QUESTION | {"number": 77}]:
            front_end.take(message)
            tasks += front_end._tasks
        await asyncio.wait_for(asyncio.gather(*tasks), SECONDS)
        return heard

    begun = time.monotonic()
    heard = asyncio.run(talk())
    assert time.monotonic() - begun < SECONDS, "it took long"
    for each in heard:
        words = each.get("error") or (each.get("value") or {}).get("error", "")
        if words:
            check_sentence(words, ())
            assert "An error in cdlab" not in words, words
    assert any(each.get("number") == 77 and each["done"] and not each["error"] for each in heard)
    return "answered in a sentence" if any(each.get("error") for each in heard) else "answered"


# ---------------------------------------------------------------- files that are far larger unpacked
@st.composite
def bombs(draw):
    """A line again and again, or an array of zeros, from a kilobyte to 300 megabytes, packed."""
    size = 10 ** draw(st.integers(3, 8)) * draw(st.integers(1, 3))
    line = draw(st.sampled_from([LIBSVM, CSV, b"1 1:1\n", b"0,0\n", b"\n", b"1", b"\0", b"# x\n", b'"']))
    kind = draw(st.sampled_from([*[each for each in PACK if each], "npz", "npz"]))
    if kind != "npz":
        content = PACK[kind](line * (size // len(line) + 1))
        name = "rows" + draw(st.sampled_from([".csv", ".svm", "", ".txt"])) + draw(st.sampled_from([kind, kind, ""]))
        return name, mutated(draw, content) if draw(st.integers(0, 5)) == 0 else content
    stream, method = io.BytesIO(), draw(st.sampled_from([zipfile.ZIP_DEFLATED] * 3 + [zipfile.ZIP_BZIP2]))
    dtype, wide = draw(st.sampled_from(["u1", "f8", "?", "f2", "U1"])), draw(st.sampled_from([1, 10, 1000]))
    with zipfile.ZipFile(stream, "w", method) as archive:
        for name, shape in {"X": (size // wide, wide), "y": (size // wide,)}.items():
            array = np.zeros(shape, dtype if name == "X" else "i1")
            with archive.open(f"{name}.npy", "w") as member:
                np.lib.format.write_array(member, array)
    content = stream.getvalue()
    return "rows.npz", mutated(draw, content) if draw(st.integers(0, 5)) == 0 else content


MOST = 1.5e9  # bytes that reading 50 MB may take for a while


def check_bomb(example):
    name, content = example
    tracemalloc.start()
    try:
        was_refused, found = refused(lambda: read_upload(name, content))
        del found
        now, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < MOST, f"{most / 1e6:.0f} MB for a file of {len(content)} bytes"
    assert now < 1e8, f"{now / 1e6:.0f} MB are kept"
    return "refused" if was_refused else "read"


# ---------------------------------------------------------------- saved sessions and solutions
CHOICES = Choices(**SMALL)
SESSION = to_session([run_race(CHOICES)], CHOICES)


@st.composite
def saved(draw):
    """A session's file or a solution's, damaged: in its bytes, or in a value."""
    kind = draw(st.sampled_from(["session", "solution"]))
    if kind == "solution":
        return kind, mutated(draw, SOLUTION)
    content = json.loads(SESSION)
    for _ in range(draw(st.integers(0, 2))):
        place = content
        for _ in range(draw(st.integers(0, 5))):
            keys = sorted(place) if isinstance(place, dict) else range(len(place)) if isinstance(place, list) else ()
            if not keys:
                break
            key = draw(st.sampled_from(list(keys)))
            if not isinstance(place[key], dict | list) or not place[key]:
                place[key] = draw(JSON)
                break
            place = place[key]
    return kind, mutated(draw, json.dumps(content).encode())


def _solution() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s.npz")
        cdlab.solve(cdlab.Problem(DENSE["X"], DENSE["y"], l2=0.1), "sdca", max_passes=3).save(path)
        return path.read_bytes()


SOLUTION = _solution()


def check_saved(example):
    kind, content = example
    if kind == "session":
        was_refused, _ = refused(lambda: from_session(content))
    else:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "s.npz")
            path.write_bytes(content)
            was_refused, found = refused(lambda: cdlab.load_solution(path), also=(OSError,))
            assert was_refused or np.isfinite(found.w).all()
    return f"{kind} refused" if was_refused else f"{kind} read"


# ---------------------------------------------------------------- command lines
VERBS = ["solve", "path", "race", "faceoff", "advise", "predict", "certify", "data", "solve", "race", "x", ""]
SOURCES = ["rows.csv", "rows.svm", "rows.npz", "synthetic:n=20,d=5", "mushrooms:n=3", "nothing", ".", "", "/dev/null",
           "synthetic:n=0", "synthetic:n=nan", "s.npz", "bad.csv"]  # fmt: skip
OPTIONS = {
    "--l2": None, "--l1": None, "--loss": ["logistic", "squared", "softmax", "x", "huber:delta=nan", "hinge:x=1"],
    "--method": ["sdca", "rcd", "auto", "x", "sdca@x", "quartz:batch_size=0", "newton_cd", "sdca:steps=nan"],
    "--sampling": ["uniform", "x", "importance", "tau_nice:tau=0"], "--seed": None, "--tol": None, "--eps": None,
    "--max-seconds": ["0", "-1", "nan", "x", "1e400", "0.1"], "--max-passes": ["0", "-1", "nan", "x", "1e400", "inf"],
    "--scale": ["unit", "mean", "x"], "--split": ["test", "all", "x"], "--n-features": None, "--label": None,
    "--every": None, "--seeds": ["0-2", "2-0", "x", "0-", "-1", "0-99999999999", "1e9"], "--by": ["passes", "x"],
    "--top": None, "--test": ["rows.csv", "x", "rows.npz"], "--save": ["x.csv", "nowhere/x.json", "/x/y", ""],
    "--solution": ["s2.npz", "/x/s.npz", ""], "--json": [], "--intercept": [], "--dense": [], "--sparse": [],
    "--out": ["o.csv", "/x/o"], "--proba": [], "--x": ["1"], "--quiet": [], "--stream": [],
}  # fmt: skip
ODD = ["0", "1", "-1", "nan", "inf", "-inf", "1e400", "1/n", "1/0", "9" * 400, "x", "", "\u00e9", "\0", "1e-320", "0.1"]


@st.composite
def command_lines(draw):
    words = [draw(st.sampled_from(VERBS))]
    if words[0] in ("predict", "certify"):
        words.append(draw(st.sampled_from(["s.npz", "s.npz", "s.npz", "rows.npz", "bad.npz", "x"])))
    words.append(draw(st.sampled_from(SOURCES[:3] + SOURCES)))
    if words[0] == "race":
        words += draw(st.lists(st.sampled_from(["sdca", "rcd", "x", "sdca@x", "", "quartz"]), max_size=2))
    for name in draw(st.lists(st.sampled_from(sorted(OPTIONS)), max_size=3)):
        values = OPTIONS[name]
        words += [name] if values == [] else [name, draw(st.sampled_from(values or ODD))]
    if words[0] in ("solve", "path", "race") and "--max-passes" not in words:
        words += ["--max-passes", "20"]
    return words


def check_command(words):
    """Exit code and what is said: never a traceback."""
    said, printed, here = io.StringIO(), io.StringIO(), Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        for name, content in {"rows.csv": CSV, "rows.svm": LIBSVM, "s.npz": SOLUTION, "bad.npz": SOLUTION[:99]}.items():
            Path(folder, name).write_bytes(content)
        Path(folder, "bad.csv").write_bytes(b"a,b\n1,2\n3,x,\xff\n")
        np.savez(Path(folder, "rows.npz"), **DENSE)
        os.chdir(folder)
        try:
            with contextlib.redirect_stderr(said), contextlib.redirect_stdout(printed):
                code = main(words)
        finally:
            os.chdir(here)
    assert code in (0, 1, 2), code
    last = said.getvalue().strip().splitlines()[-1:]
    if code == 2:
        assert last, f"exit code 2 without a word: {shlex.join(words)[:200]}"
        check_sentence(last[0], ())
    assert "Traceback" not in said.getvalue()
    return f"exit code {code}"
