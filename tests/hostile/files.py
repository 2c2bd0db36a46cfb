"""Hostile files: good ones with changes, as bytes, for the reader that their suffix chooses."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import tempfile
import zipfile
from pathlib import Path

import numpy as np
from classes import problem
from hostile import refused
from hypothesis import strategies as st

import cdlab
from cdlab.dashboard.engine.uploads import read_upload
from cdlab.runs.trace import Trace

LIBSVM = b"1 1:0.5 3:2 # first\n-1 2:1e-3 3:-1\n\n+1 qid:3 1:1\n-1 4:7\n"
CSV = b"a,b,label\n1,2,1\n3,4.5,-1\n5,-6e3,1\n"
WORDS = b'1,2,"spam"\n3,4,ham\n5,6,spam\n'
PACK = {"": bytes, ".gz": lambda b: gzip.compress(b, mtime=0), ".bz2": bz2.compress, ".xz": lzma.compress}
SIGNS = (
    rb"\0 \n \r , : # \" { } - x nan inf 1e999 qid: 0:1 -1:1 1:1 y,label 2147483647:1 2147483648:1 null true".split()
)
LONG = [b"9" * 30, b"9" * 5000, b"\n" * 5000, b"a" * 300, b"[" * 3000]
PIECES = st.sampled_from(
    [*SIGNS, *LONG, b"\0", b"\n", b"\r", b" ", b"\xff", b"\xef\xbb\xbf", b"\x1f\x8b", b"PK\x03\x04"]
)


def mutated(draw, content: bytes) -> bytes:
    """Some bytes changed, put in, cut out or doubled."""
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, max(0, len(content))))
        to = min(len(content), at + draw(st.sampled_from([0, 0, 1, 2, 7, 40])))
        piece = draw(st.one_of(PIECES, st.binary(max_size=6)))
        content = content[:at] + piece + content[to:]
    if draw(st.integers(0, 9)) == 0:
        content = content[: draw(st.integers(0, len(content)))]
    return content


def packed(draw, content: bytes, suffix: str) -> tuple[str, bytes]:
    """Inside a compressed file, which may itself be damaged."""
    pack = draw(st.sampled_from(["", "", "", *PACK]))
    content = PACK[pack](mutated(draw, content))
    damaged = pack and draw(st.integers(0, 3)) == 0
    return "rows" + suffix + pack, mutated(draw, content) if damaged else content


@st.composite
def libsvm_files(draw):
    return packed(draw, LIBSVM, draw(st.sampled_from(["", ".svm", ".txt"])))


@st.composite
def csv_files(draw):
    return packed(draw, draw(st.sampled_from([CSV, WORDS])), ".csv")


DENSE = {"X": np.eye(3), "y": np.array([1, -1, 1])}
CSR = {
    "data": np.ones(2),
    "indices": np.array([0, 2]),
    "indptr": np.array([0, 1, 1, 2]),
    "shape": np.array([3, 3]),
    "y": np.array([1.0, -1, 1]),
}
SIDES = {
    "x_train": np.ones((2, 2, 2), np.uint8),
    "y_train": np.array([3, 4]),
    "x_test": np.ones((1, 4)),
    "y_test": np.ones(1),
}
ODD = [
    *(np.array(x) for x in ([1e30], [-1], [], ["a"], [2**62, 2**62], 3, [1j], [np.nan, 1, 2], [0, 9, 9, 2], [5, -7])),
    np.array([[1, 2]]),
    np.array([np.longdouble("1e400")] * 3),
]


@st.composite
def npz_files(draw):
    arrays = draw(st.sampled_from([DENSE, CSR, SIDES]))
    for name in draw(st.lists(st.sampled_from([*arrays, "is_test", "lewis_split", "format"]), max_size=2)):
        arrays = arrays | {name: draw(st.integers(0, len(ODD) - 1).map(ODD.__getitem__))}
    for name in draw(st.lists(st.sampled_from(sorted(arrays)), max_size=1)):
        if draw(st.integers(0, 3)) == 0:
            arrays = {key: value for key, value in arrays.items() if key != name}
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", draw(st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]))) as archive:
        for name, value in arrays.items():
            member = io.BytesIO()
            np.save(member, value)
            content = member.getvalue()
            archive.writestr(f"{name}.npy", mutated(draw, content) if draw(st.integers(0, 3)) == 0 else content)
    content = stream.getvalue()
    return "rows.npz", mutated(draw, content) if draw(st.integers(0, 2)) == 0 else content


def check_file(example):
    """Loaded in every way, and scanned; what is read makes a problem, or is refused as data."""
    name, content = example
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        answers = []
        for split in ("train", "all"):
            answers.append(refused(lambda split=split: cdlab.datasets.load(path, split=split), name, "part"))
        if not name.endswith(".npz"):
            was_refused, scan = refused(lambda: cdlab.datasets.scan(path), name)
            if not was_refused and not answers[0][0]:
                assert (scan.n, scan.d) == answers[0][1][0].shape
    was_refused, found = answers[0]
    if was_refused:
        return "refused"
    X, y = found
    assert len(y) == X.shape[0]
    return f"read, {problem(X, y, 'squared' if y.dtype.kind == 'f' else 'softmax')}"


def check_upload(example):
    name, content = example
    was_refused, upload = refused(lambda: read_upload(name, content))
    return "refused" if was_refused else f"read {len(upload.sentence()) > 0}"


@st.composite
def uploads(draw):
    name, content = draw(st.one_of(libsvm_files(), csv_files(), npz_files()))
    names = [
        "../../x",
        "/etc/passwd",
        ".",
        "..",
        "con.csv",
        ".gz",
        "~root",
        "-",
        "x\0y",
        "",
        "\n",
        "a" * 400,
        "é" * 200,
    ]
    odd = st.sampled_from(names)
    return draw(st.one_of(st.just(name), odd, odd.map(lambda n: n + ".csv"))), content


META = {"label": "sdca, uniform", "method": "sdca", "sampling": "uniform", "seed": 0, "versions": {"cdlab": "1"}}
COLUMNS = {name: [0, 1.5, 2] for name in ("iteration", "passes", "seconds", "primal", "dual", "gap")}
PLAIN = st.one_of(
    st.sampled_from([None, True, 10**400, 1e308, "nan", "inf"]), st.integers(), st.floats(), st.text(max_size=5)
)
JSON = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@st.composite
def traces(draw):
    content = json.loads(json.dumps({"meta": META, "columns": COLUMNS}))
    for _ in range(draw(st.integers(0, 3))):
        part = content[draw(st.sampled_from(["meta", "columns"]))]
        if not isinstance(part, dict):
            continue
        key = draw(st.sampled_from([*part, "test_error", "status", "x"]))
        what = draw(st.integers(0, 3))
        if what == 0:
            part.pop(key, None)
        elif what == 1 and isinstance(part.get(key), list) and part[key]:
            part[key][draw(st.integers(0, len(part[key]) - 1))] = draw(JSON)
        elif what == 2:
            part[key] = draw(JSON)
        else:
            content[draw(st.sampled_from(["meta", "columns"]))] = draw(JSON)
    return mutated(draw, json.dumps(content).encode())


def check_trace(content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "trace.json")
        path.write_bytes(content)
        was_refused, trace = refused(lambda: Trace.load(path), "trace.json")
        if was_refused:
            return "refused"
        assert isinstance(trace.label, str)
        trace.to_frame()
        assert all(not np.isnan(trace.column(name)).all() or not trace.records for name in trace.names)
        trace.save(path)
        again = Trace.load(path)
    np.testing.assert_array_equal(np.array(again.records), np.array(trace.records))
    return "read"
