"""Cases of hostile inputs, each class a function of a random generator: it tries one and says what came of it.

A case returns words of what happened ("tolerance reached", "refused", ...), or raises `Bare` or `False_`.
"""

from __future__ import annotations

import contextlib
import io
import json
import linecache
import math
import re
import tempfile
import traceback
import zipfile
from dataclasses import fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from hostile_truth import falsity
from stores import texts, write_text

import cdlab
from cdlab.losses import LOSSES
from cdlab.methods import METHODS
from cdlab.samplings import BLOCKS, SAMPLINGS, Uniform

OURS = (ValueError, TypeError, OSError, ImportError, RuntimeError, MemoryError)
INTERNAL = re.compile(
    r"numba|Traceback|has no attribute|not supported between|unhashable|division by zero|setting an array|ambiguous|"
    r"could not be broadcast|out of bounds|invalid literal|could not convert|unsupported operand|NoneType|math domain|"
    r"must not contain infs|Exceeds the limit|positional argument|not iterable|not subscriptable|not callable|"
    r"result too large|Numerical result|cannot convert|int too large|setitem|maximum recursion|embedded null|\[Errno|"
    r"object is not|must be real number|expected str|iteration over a 0-d|cannot unpack|values to unpack",
    re.IGNORECASE,
)
WORDS = 4  # of a sentence, at least
LONGEST = 700  # characters of one


class Bare(Exception):
    """An error that is no sentence of cdlab's."""


class Untrue(Exception):
    """A certificate that is false."""


def refused(call) -> tuple[bool, Any]:
    """Whether a call is refused, in one sentence; else what it returns."""
    try:
        return False, call()
    except Exception as error:
        said, frames = str(error), traceback.extract_tb(error.__traceback__)
        last = frames[-1]
        place = f"{Path(last.filename).name}:{last.lineno}"
        inside = re.search(r"/(numpy|scipy|numba|llvmlite|pandas)/", last.filename)
        sentence = len(said.split()) >= WORDS and "\n" not in said and len(said) <= LONGEST
        of_sklearn = "/sklearn/" in last.filename and len(said.split()) >= WORDS
        if of_sklearn:
            return True, None
        if not isinstance(error, OURS) or inside or not sentence or INTERNAL.search(said):
            ours = [f for f in frames if "/cdlab/" in f.filename]
            via = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else place
            words = f"{type(error).__name__} at {place} via {via}: {' '.join(said.split())[:160]}"
            raise Bare(words) from None
        raised = "raise" in linecache.getline(last.filename, last.lineno)
        if "/cdlab/" in last.filename and not raised and not isinstance(error, OSError | MemoryError):
            raise Bare(f"{type(error).__name__} at {place}, which raises nothing itself: {said[:160]}") from None
        return True, None


# ------------------------------------------------------------ problems
def scale(rng) -> float:
    return float(10.0 ** rng.uniform(-170, 170)) if rng.random() < 0.5 else float(10.0 ** rng.integers(-8, 9))


SMOOTH = ["squared", "logistic", "squared_hinge", "huber", "smooth_hinge"]
KINKED = ["hinge", "absolute"]
WEIGHTED = [(0.1, 0.0), (0.1, 0.1), (0.0, 0.0)]  # l2 and l1


def taken(name: str, loss: str) -> bool:
    """Whether a method takes a loss with some weights."""
    X, y = np.eye(2), np.array([1.0, -1.0])
    made = METHODS[name]()
    problems = (cdlab.Problem(X, y, loss=loss, l2=l2, l1=l1) for l2, l1 in WEIGHTED)
    return any(made.refusal(P, Uniform()) is None for P in problems)


COMBINED = [  # each needs kernels of its own: few of the product
    (name, loss)
    for k, name in enumerate(METHODS)
    for loss in dict.fromkeys(("squared", SMOOTH[k % len(SMOOTH)], "logistic", KINKED[k % 2]))
    if taken(name, loss)
]
FROM_FAR = [(name, loss) for name, loss in COMBINED if loss in ("squared", "logistic", "hinge")]
WEIGHTS = [0.1, 1.0, 1e-3, 1e-12, 1e-100, 1e-300, 1e6, 1e100, 1e300]


def matrix(rng, regression: bool):
    n, d = int(rng.integers(1, 9)), int(rng.integers(1, 7))
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.8)
    for _ in range(int(rng.integers(0, 3))):
        j = int(rng.integers(d))
        X[:, j] = rng.choice([0.0, 1.0, -1.0]) if rng.random() < 0.6 else X[:, int(rng.integers(d))]
    kind = rng.integers(4)
    if kind == 0:
        X = X * scale(rng)
    elif kind == 1:
        X = X * 10.0 ** rng.uniform(-170, 170, d) if rng.random() < 0.5 else X * 10.0 ** rng.uniform(-9, 9, d)
    y = rng.standard_normal(n) if regression else np.where(rng.random(n) < 0.5, -1.0, 1.0)
    if not regression and n > 1:
        y[:2] = 1.0, -1.0
    if regression and rng.random() < 0.4:
        y = y * scale(rng)
    return X, y


def problem(rng, loss: str):
    with np.errstate(all="ignore"):
        X, y = matrix(rng, loss in ("squared", "huber", "absolute"))
    l2 = float(rng.choice(WEIGHTS)) if rng.random() < 0.9 else 0.0
    l1 = float(rng.choice(WEIGHTS)) if rng.random() < 0.3 else 0.0
    return refused(lambda: cdlab.Problem(X, y, loss=loss, l2=l2, l1=l1))


def judged(P, w, gap: float, relative: float | None = None, others=()) -> None:
    """Raise `Untrue` where a certificate is."""
    if P.outputs or not np.isfinite(np.asarray(w)).all():
        return
    wrong = falsity(P, w, gap, relative, others)
    if wrong:
        raise Untrue(wrong)


def solved(rng):
    """One solve on data of any scale."""
    name, loss = COMBINED[int(rng.integers(len(COMBINED)))]
    was_refused, P = problem(rng, loss)
    if was_refused:
        return "refused by Problem"
    tol = float(rng.choice([1e-2, 1e-6, 1e-12, 1e-300, 0.0]))
    call = lambda: cdlab.solve(P, name, tol=tol, max_passes=float(rng.choice([3, 50])), seed=1)  # noqa: E731
    was_refused, s = refused(call)
    if was_refused:
        return "refused by solve"
    judged(P, s.w, s.gap, s.relative_gap)
    if P.l2 > 0:
        judged(P, P.w(s.alpha) if np.isfinite(s.alpha).all() else s.w, math.inf)
    return s.status


def started(rng):
    """Records of a run from a huge start, each with the point that it is about."""
    name, loss = FROM_FAR[int(rng.integers(len(FROM_FAR)))]
    X, y = rng.standard_normal((8, 5)), np.where(rng.random(8) < 0.5, -1.0, 1.0)
    y[:2] = 1.0, -1.0
    P = cdlab.Problem(X, y, loss=loss, l2=float(rng.choice([0.1, 1e-3, 10.0])))
    size = float(10.0 ** rng.uniform(10, 150))
    w, alpha = size * rng.standard_normal(5), size * rng.standard_normal(8) if rng.random() < 0.7 else None
    was_refused, run = refused(lambda: cdlab.iterate(P, name, start=(w, alpha), seed=0))
    if was_refused:
        return "refused by iterate"
    epochs = int(rng.choice([2, 6, 40]))
    for _ in range(epochs):
        was_refused, record = refused(lambda: next(run))
        if was_refused:
            return "refused in the run"
    if not np.isfinite(record.primal):
        return "infinite"
    judged(P, run.w, record.gap)
    true = P.primal(run.w)
    if abs(true - record.primal) > 1e-6 * max(abs(true), abs(record.primal)):
        raise Untrue(f"a record says P(w) = {record.primal:.6g} after {epochs} epochs, and it is {true:.6g}")
    return "true"


# ------------------------------------------------------------ files with claims
EDITED = [0.0, 1e-300, 1e-12, -1.0, math.nan, 1e300]


def edited_solution(rng):
    X, y = rng.standard_normal((8, 5)), np.where(np.arange(8) % 2, 1.0, -1.0)
    P = cdlab.Problem(X, y, l2=0.1)
    s = cdlab.solve(P, max_passes=1, tol=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "s.npz")
        s.save(path)
        with zipfile.ZipFile(path) as archive:
            arrays = {name: np.load(io.BytesIO(archive.read(f"{name}.npy"))) for name in ("w", "alpha", "about")}
        about = json.loads(arrays["about"].tobytes())
        change(rng, about)
        if rng.random() < 0.3:
            arrays["w"] = arrays["w"] * float(rng.choice([0, 2, 1e10]))
        arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
        np.savez(path, **arrays)
        was_refused, loaded = refused(lambda: cdlab.load_solution(path))
    if was_refused:
        return "refused"
    if np.array_equal(loaded.w, s.w):
        judged(P, loaded.w, loaded.gap, loaded.relative_gap)
    consistent(loaded.trace)
    return "read"


def change(rng, plain) -> None:
    """Change a claim or two of a solution or a trace, anywhere in its plain form."""
    places = []

    def walk(x):
        for key, value in x.items() if isinstance(x, dict) else enumerate(x):
            if isinstance(value, dict | list):
                walk(value)
            if key in ("gap", "relative_gap", "primal", "dual"):
                places.append((x, key))

    walk(plain)
    for _ in range(int(rng.integers(1, 3))):
        x, key = places[int(rng.integers(len(places)))]
        if isinstance(x[key], list) and x[key]:
            k = int(rng.integers(len(x[key]))) if rng.random() < 0.5 else -1
            x[key][k] = float(rng.choice(EDITED))
        else:
            x[key] = str(rng.choice(EDITED)) if isinstance(x[key], str) else float(rng.choice(EDITED))


def consistent(trace) -> None:
    """Raise `Untrue` where a record claims a gap below P - D by more than rounding."""
    for r in trace.records:
        if np.isfinite(r.gap) and np.isfinite(r.primal - r.dual):
            room = 1e-9 * (abs(r.primal) + abs(r.dual))
            if r.gap < r.primal - r.dual - room:
                raise Untrue(f"a record says gap = {r.gap:.3g} with P = {r.primal:.6g}, D = {r.dual:.6g}")


def edited_trace(rng):
    P = cdlab.Problem(rng.standard_normal((8, 5)), np.where(np.arange(8) % 2, 1.0, -1.0), l2=0.1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "t.json")
        cdlab.solve(P, max_passes=2, tol=0).trace.save(path)
        plain = json.loads(path.read_text())
        change(rng, plain)
        path.write_text(json.dumps(plain))
        was_refused, loaded = refused(lambda: cdlab.Trace.load(path))
    if was_refused:
        return "refused"
    consistent(loaded)
    return "read"


def edited_store(rng):
    P = cdlab.Problem(rng.standard_normal((8, 5)), np.where(np.arange(8) % 2, 1.0, -1.0), l2=0.1)
    with tempfile.TemporaryDirectory() as folder:
        cdlab.race(P, ["sdca"], max_passes=2, store=folder)
        for key, text in texts(Path(folder)).items():
            plain = json.loads(text)
            change(rng, plain)
            write_text(Path(folder), key, json.dumps(plain) if rng.random() < 0.9 else None)
        was_refused, found = refused(lambda: [cdlab.Store(folder).to_frame(), cdlab.Store(folder).traces()])
        again, result = refused(lambda: cdlab.race(P, ["sdca"], max_passes=2, store=folder))
    for trace in [] if was_refused else found[1]:
        consistent(trace)
    for trace in [] if again else result.traces:
        consistent(trace)
    return "refused" if was_refused else "read"


# ------------------------------------------------------------ estimators
def estimated(rng):
    """A sparse matrix whose members contradict each other, or an array of an odd kind, for an estimator."""
    from cdlab import CDClassifier, CDRegressor

    made = [CDClassifier, CDRegressor][int(rng.integers(2))]
    X = rng.standard_normal((12, 5)) * (rng.random((12, 5)) < 0.6)
    y = np.where(np.arange(12) % 2, 1, -1)
    formats = ["csr", "csc", "coo", "bsr", "lil", "dia"]
    bad = getattr(sp, f"{rng.choice(formats)}_{rng.choice(['matrix', 'array'])}")(X)
    for name in rng.choice(["indices", "indptr", "data", "row", "col", "offsets", "rows"], 2):
        member = getattr(bad, name, None)
        if not isinstance(member, np.ndarray) or member.size == 0:
            continue
        with contextlib.suppress(Exception):
            k = int(rng.integers(member.size))
            if name == "data":
                member.reshape(-1)[k] = rng.choice([np.nan, np.inf, 1e308, 0.0])
            elif rng.random() < 0.7:
                member[k] = int(rng.choice([-1, 7, 99, 10**6, 2**31 - 1, -(2**31)]))
            else:
                setattr(bad, name, member[: member.size // 2])
    kind = rng.integers(8)
    if kind == 0:
        bad = np.ma.array(X, mask=rng.random(X.shape) < 0.2)
    elif kind == 1:
        bad = X.astype(rng.choice(["M8[ns]", "c16", "U5", "O", "f2", "m8[s]"]))
    options = [
        {},
        {"loss": "hinge"},
        {"class_weight": [1]},
        {"class_weight": "x"},
        {"tol": "x"},
        {"C": -1},
        {"max_passes": None},
    ]
    chosen = dict(options[int(rng.integers(len(options)))])
    known = set(made().get_params())
    chosen = {name: value for name, value in chosen.items() if name in known}
    was_refused, e = refused(lambda: made(**chosen).fit(bad, y))
    if rng.random() < 0.5:
        fitted = made().fit(X, y)
        verb = rng.choice(["predict", "score", "decision_function"])
        call = getattr(fitted, verb, None)
        if call is not None:
            refused(lambda: call(bad, y) if verb == "score" else call(bad))
    if not was_refused and (kind == 0 or (kind == 1 and getattr(bad, "dtype", np.dtype("f8")).kind in "mMc")):
        raise Untrue(f"{made.__name__} takes {'a masked array' if kind == 0 else bad.dtype} for numbers")
    return "refused" if was_refused else "fitted"


# ------------------------------------------------------------ arguments
X0, y0 = np.random.default_rng(0).standard_normal((6, 4)), np.array([1.0, -1, 1, -1, -1, 1])
P0 = cdlab.Problem(X0, y0, l2=0.1)


def raising(*_, **__):
    raise KeyError("mine")


STRANGE: list[Any] = [
    None, True, False, "", "x", "1e-3", "auto", "nan", "a" * 3000, b"x", 1j, (), [], [1.0], [[1.0]], (1, 2), (1, 2, 3),
    {}, {"x": 1}, object(), len, math.nan, math.inf, -math.inf, -1, 0, 3, 5, 2**31, 2**63, 10**30, 10**400, 1e-320,
    5e-324,
    1e308, -1e-300, 0.5, lambda: 1, lambda *a: "x", raising, np.nan, np.array([]), np.zeros((2, 2)), np.array("x"),
    (X0,), (X0, y0), (X0, y0[:2]), np.datetime64("2020-01-01"), np.ma.masked, slice(1), float, range(3), P0, iter([1]),
    np.ones(4), np.ones(6), np.full(4, 1e200),
]  # fmt: skip
SOLVE = {"max_passes": 2}


def of_loss(kind, **parameters):
    return cdlab.Problem(X0, y0, loss=kind(**parameters), l2=0.1)


CALLS = {
    "solve": (cdlab.solve, (P0,), SOLVE, (
        "problem", "method", "sampling", "tol", "max_passes", "max_seconds", "divergence_tol", "seed", "every", "test",
        "stop", "strong_convexity", "start",
    )),
    "iterate": (lambda **k: [next(r) for r in [cdlab.iterate(**k)] * 3], (), {"problem": P0}, (
        "problem", "method", "sampling", "seed", "every", "test", "strong_convexity", "start",
    )),
    "path": (cdlab.path, (P0,), {"l2": [0.1, 0.01], "max_passes": 2}, (
        "l2", "l1", "method", "sampling", "tol", "max_passes", "max_seconds", "test", "seed", "start",
        "on_solution", "stop",
    )),
    "race": (cdlab.race, (P0,), {"entries": ["sdca"], "max_passes": 2}, (
        "entries", "seeds", "tol", "max_passes", "max_seconds", "divergence_tol", "every", "test", "strong_convexity",
        "start", "jobs", "on_record", "stop", "progress",
    )),
    "reference": (cdlab.reference, (P0,), {}, ("tol", "max_passes", "max_seconds", "start")),
    "Problem": (cdlab.Problem, (), {"X": X0, "y": y0}, ("X", "y", "loss", "l2", "l1", "sample_weight", "intercept")),
    "faceoff": (cdlab.faceoff, (), {"X": X0}, ("X", "l2", "loss", "gamma")),
    "eso": (cdlab.eso, (), {"X": X0, "sampling": "uniform"}, ("X", "sampling", "side")),
    "advise": (cdlab.advise, (P0,), {"probe": False}, ("eps", "by", "probe", "methods", "seed", "tol", "top")),
    "bound": (cdlab.theory.bound, (), {"method": "rcd"}, ("method", "quantity", "theorem", "sampling")),
    "at": (cdlab.theory.bound("rcd").at, (), {"n": 5, "d": 4, "nnz": 20, "l2": 0.1, "gamma": 4.0, "R_col": 1.0,
        "eps": 1e-3, "P0": 1.0, "l1": 0.0}, ("n", "d", "nnz", "l2", "gamma", "R_col", "eps", "P0")),
    "for_problem": (cdlab.theory.bound("rcd").for_problem, (), {"problem": P0}, ("problem", "eps", "P0")),
    "curve": (cdlab.theory.bound("rcd").curve, (), {"problem": P0, "passes": [0, 1]}, ("problem", "passes", "P0")),
    "reached": (cdlab.solve(P0).trace.reached, (), {"level": 0.1}, ("level", "column")),
    "load": (cdlab.datasets.load, (), {"name": "mushrooms"}, ("name", "split", "n_features", "scale", "label")),
    "make": (cdlab.datasets.make, (), {"name": "dense", "n": 10, "d": 4}, ("name", "n", "d", "seed", "density")),
    "load_solution": (cdlab.load_solution, (), {}, ("path",)),
    "Store": (cdlab.Store, (), {}, ("path",)),
    "primal": (P0.primal, (), {"w": np.ones(4)}, ("w", "z")),
    "dual": (P0.dual, (), {"alpha": np.zeros(6)}, ("alpha", "v")),
    "gap": (P0.gap, (), {"w": np.ones(4), "alpha": np.zeros(6)}, ("w", "alpha")),
    "sweep": (lambda **k: cdlab.sweep(k.pop("grid"), store=tempfile.mkdtemp(), **k), (),
        {"grid": [{"data": "mushrooms", "l2": "1/n", "method": "sdca", "max_passes": 0.1}]},
        ("grid", "executor", "jobs", "time_limit", "memory_limit", "retry", "progress")),
}  # fmt: skip
for known in METHODS:
    CALLS[known] = (METHODS[known], (), {}, tuple(f.name for f in fields(METHODS[known])) or ("nothing",))
for known, kind in {**SAMPLINGS, **BLOCKS}.items():
    CALLS[f"sampling {known}"] = (kind, (), {}, tuple(f.name for f in fields(kind) if f.init) or ("nothing",))
for known, kind in LOSSES.items():
    names = getattr(type(kind()), "_fields", ())
    CALLS[f"loss {known}"] = (
        partial(of_loss, type(kind())), (), {}, tuple(names) or ("c",)
    )  # fmt: skip
OFFERED = [(name, argument) for name in CALLS for argument in CALLS[name][3]]


def argued(rng, k: int):
    """A call with one argument of a strange type; all pairs in turn."""
    name, argument = OFFERED[k % len(OFFERED)]
    call, first, right, _ = CALLS[name]
    value = STRANGE[(k // len(OFFERED) * 7 + int(rng.integers(len(STRANGE)))) % len(STRANGE)]
    given = {**right, argument: value}
    if first and argument == "problem":
        first = ()
        given["problem"] = value
    if value is raising or (callable(value) and argument in ("stop", "on_record", "progress", "on_solution")):
        return "a callable of the user's own"
    if argument == "jobs" and isinstance(value, int) and value not in (True, False) and value > 8:
        return "not tried: many processes"
    if name == "iterate" and argument == "every" and isinstance(value, int) and value > 1e6:
        return "not tried: as many epochs as asked for, before the first measurement"
    try:
        was_refused, _ = refused(lambda: call(*first, **given))
    except Bare as bare:
        if "unexpected keyword argument" in str(bare) or "missing" in str(bare):
            return "no such argument"
        raise Bare(f"{name}({argument}={_shown(value)}): {bare}") from None
    return "refused" if was_refused else "answered"


def _shown(value) -> str:
    try:
        return repr(value)[:40]
    except ValueError:
        return "10**400"


# ------------------------------------------------------------ files of data, and choices of a page
LIBSVM = b"1 1:0.5 3:2\n-1 2:1e-3 3:-1\n+1 1:1\n-1 4:7\n"
CSV = b"a,b,label\n1,2,1\n3,4.5,-1\n5,-6e3,1\n"
TOML = b"data = 'mushrooms'\nl2 = '1/n'\nmethod = ['sdca', 'rcd']\nmax_passes = 0.1\n"
PIECES = [b"\0", b"\n", b":", b",", b";", b"\t", b"nan", b"inf", b"1e999", b"1_0", b"1:1_0", b"-1:1", b"0:1",
    b"\xff", b"9" * 400, b"\"", b"'", b"[", b"{", b"=", b"#", b"\xef\xbb\xbf", b"1:1 1:2", b"3:1 2:1",
    b"2147483648:1", b" ",
    b"true", b"1979-01-01"]  # fmt: skip


def mutated(rng, content: bytes) -> bytes:
    for _ in range(int(rng.integers(1, 4))):
        at = int(rng.integers(len(content) + 1))
        content = (
            content[:at] + PIECES[int(rng.integers(len(PIECES)))] + content[at + int(rng.choice([0, 0, 1, 3, 20])) :]
        )
    return content


def filed(rng):
    """A damaged file of data."""
    kind = rng.choice(["svm", "csv", "npz", "toml"])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"rows.{kind}")
        if kind == "npz":
            stream = io.BytesIO()
            np.savez(stream, X=np.eye(3), y=np.array([1, -1, 1]))
            path.write_bytes(mutated(rng, stream.getvalue()))
        else:
            path.write_bytes(mutated(rng, {"svm": LIBSVM, "csv": CSV, "toml": TOML}[kind]))
        if kind == "toml":
            from cdlab.cli import main

            with contextlib.redirect_stderr(io.StringIO()) as said, contextlib.redirect_stdout(io.StringIO()):
                _, code = refused(lambda: main(["sweep", str(path), "--dry-run"]))
            words = said.getvalue().strip()
            if code and ("Traceback" in words or INTERNAL.search(words)):
                raise Bare(f"cdlab sweep: {words[-160:]}")
            return "refused" if code else "read"
        was_refused, found = refused(lambda: cdlab.datasets.load(path))
        if was_refused:
            return "refused"
        text = path.read_bytes()
        if kind == "svm" and b"1_0" in text.partition(b"#")[0] and "10.0" in str(sp.csr_matrix(found[0]).toarray()):
            raise Untrue("1_0 is read as 10")
        return "read"


TEXTS = [
    "",
    "x",
    "nan",
    "inf",
    "-1",
    "0",
    "1e999",
    "9" * 400,
    "1/n",
    "sdca",
    "rcd,sdca",
    "true",
    "[]",
    "{}",
    "<b>",
    "\0",
    "é",
    "1e-3",
]


def chosen(rng):
    """Choices that a page sends, with odd values: read, or refused in one sentence."""
    from cdlab.dashboard.engine.choices import NAMES
    from cdlab.dashboard.engine.choices import read as read_choices

    choices = {
        str(rng.choice(NAMES)) if rng.random() < 0.8 else f"p{k}": str(rng.choice(TEXTS))
        for k in range(int(rng.integers(1, 6)))
    }
    return "refused" if refused(lambda: read_choices(choices))[0] else "read"


CLASSES = {  # how many cases, and what tries one
    "data of all scales": (2400, lambda rng, k: solved(rng)),
    "huge starts": (1000, lambda rng, k: started(rng)),
    "edited solutions": (500, lambda rng, k: edited_solution(rng)),
    "edited traces": (400, lambda rng, k: edited_trace(rng)),
    "edited stores": (200, lambda rng, k: edited_store(rng)),
    "estimators": (800, lambda rng, k: estimated(rng)),
    "arguments": (1700, argued),
    "files of data": (900, lambda rng, k: filed(rng)),
    "choices of a page": (400, lambda rng, k: chosen(rng)),
}
assert sum(count for count, _ in CLASSES.values()) >= 8000
