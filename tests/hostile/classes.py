"""The classes of hostile inputs: for each a strategy and a check, see hostile.py."""

from __future__ import annotations

import warnings
from dataclasses import fields

import numpy as np
import scipy.sparse as sp
from hostile import anything, arrays, honest, labels, numbers, refused, strange
from hypothesis import strategies as st

import cdlab
from cdlab.losses import LOSSES
from cdlab.methods import METHODS
from cdlab.samplings import BLOCKS, SAMPLINGS

RNG = np.random.default_rng(0)
X0, y0 = RNG.standard_normal((6, 4)), np.array([1.0, -1, 1, -1, -1, 1])
LOSS = st.sampled_from(["logistic", "squared", "hinge"])
ABOUT_DATA = ("X", "y", "label", "l2", "l1", "loss")


def tried(P, method="sdca", sampling="uniform", about=(), **options):
    """A short run: refused in a sentence, or honest."""
    call = lambda: cdlab.solve(P, method, sampling=sampling, max_passes=3, tol=1e-6, **options)  # noqa: E731
    was_refused, solution = refused(call, *about)
    return "refused by solve" if was_refused else honest(solution)


def problem(X, y, loss="logistic", l2=0.1, l1=0.0):
    """A problem and a run on it."""
    was_refused, P = refused(lambda: cdlab.Problem(X, y, loss=loss, l2=l2, l1=l1), *ABOUT_DATA)
    if was_refused:
        return "refused"
    assert np.isfinite(P.primal(P.zeros(P.d))) or abs(P.y).max() > 1e100
    return tried(P) if P.l2 > 0 else "made"


# ---------------------------------------------------------------- X, y and the weights
def check_data(example):
    return problem(*example)


WITH_PARAMETERS = sorted({type(made()) for made in LOSSES.values() if type(made())._fields}, key=lambda t: t.__name__)


def losses(kind):
    """A loss with parameters of any kind."""
    return st.builds(kind, *(st.one_of(numbers, anything) for _ in kind._fields))


@st.composite
def data(draw):
    """What Problem takes, one or two parts of it hostile."""
    hostile = {
        "X": arrays(),
        "y": labels,
        "loss": st.one_of(st.sampled_from([*LOSSES]), st.sampled_from(WITH_PARAMETERS).flatmap(losses), anything),
        "l2": anything,
        "l1": anything,
    }
    right = {"X": X0, "y": y0, "loss": draw(LOSS), "l2": 0.1, "l1": draw(st.sampled_from([0.0, 0.1]))}
    chosen = draw(st.lists(st.sampled_from(["X", "X", *hostile]), min_size=1, max_size=2))
    return tuple(draw(hostile[name]) if name in chosen else right[name] for name in hostile)


FORMATS = ("csr", "csc", "coo", "bsr", "dia", "lil", "dok")
MEMBERS = {
    "csr": ("indices", "indptr", "data"), "csc": ("indices", "indptr", "data"), "bsr": ("indices", "indptr", "data"),
    "coo": ("row", "col", "data"), "dia": ("offsets", "data"), "lil": ("rows", "data"), "dok": ("_dict",),
}  # fmt: skip


@st.composite
def sparse(draw):
    """A sparse matrix, some of whose members were changed since it was made."""
    X = X0 * (np.random.default_rng(draw(st.integers(0, 99))).random(X0.shape) < 0.5)
    format = draw(st.sampled_from(FORMATS))
    X = getattr(sp, f"{format}_{draw(st.sampled_from(['matrix', 'array']))}")(X)
    for _ in range(draw(st.integers(0, 2))):
        name = draw(st.sampled_from(MEMBERS[format]))
        member = getattr(X, name)
        how = draw(st.sampled_from(["entry", "entry", "cut", "longer", "type", "other", "wide"]))
        if name == "_dict":
            key = draw(st.sampled_from([(9, 0), (0, -1), (1, 1), "x", (0,), (0.5, 1)]))
            member[key] = draw(st.sampled_from([1.0, np.nan, 1e308]))
            continue
        if name == "coords" or not isinstance(member, np.ndarray):
            continue
        if how == "entry" and member.size:
            place = draw(st.integers(0, member.size - 1))
            values = [-1, 1, 3, 4, 7, 10**6, 2**31 - 1, -(2**31)]
            if member.dtype == object:
                member[place] = draw(st.sampled_from([[9], [], [0, 1], "x", None, [0.5], [-1], [2**40]]))
            elif name == "data":
                member.reshape(-1)[place] = draw(st.sampled_from([np.nan, np.inf, 1e308, 0.0, 5e-324]))
            else:
                member[place] = draw(st.sampled_from(values))
            continue
        changed = {
            "cut": lambda m: m[: len(m) // 2],
            "longer": lambda m: np.concatenate([m, m]),
            "type": lambda m: m.astype(draw(st.sampled_from(["f8", "c16", "O", "U3", "i1", "u8", "?"]))),
            "other": lambda m: draw(st.sampled_from([None, [], "x", 3, m.tolist(), m.reshape(1, -1)])),
            "wide": lambda m: m.astype("i8") + draw(st.sampled_from([0, 2**31, 2**32, 2**40])),
        }
        try:
            with np.errstate(all="ignore"), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                setattr(X, name, changed.get(how, lambda m: m)(member))
        except (ValueError, TypeError, AttributeError, OverflowError, IndexError):
            pass  # scipy itself refuses
    return X


def check_sparse(X):
    for use in (lambda: cdlab.eso(X, "uniform"), lambda: cdlab.faceoff(X), lambda: cdlab.datasets.scaled(X)):
        refused(use, "X")
    return problem(X, y0)


# ---------------------------------------------------------------- points
@st.composite
def points(draw):
    """A method of Problem, and what it is asked about: mostly of the right shape."""
    name = draw(st.sampled_from(["primal", "dual", "gap", "w", "alpha", "gradient", "v", "predict"]))
    right = {"primal": (4, 6), "dual": (6, 4), "gap": (4, 6), "alpha": (4, 6), "gradient": (4, 6), "predict": (4, 4)}
    first, second = ((size,) for size in right.get(name, (6, 4)))
    odd = st.sampled_from([(4,), (6,), (4, 2), (6, 1), (1,), (0,), (), (4, 6)])

    def value(shape):
        return st.one_of(st.just(np.ones(shape)), arrays(st.just(shape)), arrays(st.just(shape)), arrays(odd), anything)

    return name, (draw(value(first)), draw(st.one_of(st.none(), value(second))))


P0 = cdlab.Problem(X0, y0, l2=0.1)


def check_points(example):
    name, (first, second) = example
    calls = {
        "primal": lambda: P0.primal(first, z=second),
        "dual": lambda: P0.dual(first, v=second),
        "gap": lambda: P0.gap(first, second),
        "w": lambda: P0.w(first),
        "alpha": lambda: P0.alpha(first, z=second),
        "gradient": lambda: P0.gradient(first, z=second),
        "v": lambda: P0.v(first),
        "predict": lambda: P0.predict(first),
    }
    with np.errstate(all="ignore"):
        was_refused, found = refused(calls[name], "w ", "alpha ", "z ", "v ")
    if was_refused:
        return "refused"
    shape = {"w": (4,), "alpha": (6,), "gradient": (4,), "v": (4,), "predict": (6,)}.get(name, ())
    assert np.shape(found) == shape
    return "answered"


# ---------------------------------------------------------------- methods and samplings
WORDS = st.sampled_from([
    None, "auto", "theory", "last", "average", "all", "half", "gs", "gsl", "exact", "fixed", "local", "uniform", "none"
])  # fmt: skip
INNER = st.sampled_from([METHODS[name]() for name in METHODS])
BUILT = list(METHODS)


def settings_of(name, draw):
    """Parameters of a method, some of them plausible."""
    chosen = {}
    for field in fields(METHODS[name]):
        if draw(st.integers(0, 2)) == 0:
            plausible = INNER if field.name == "inner" else st.one_of(numbers, WORDS, st.booleans(), st.integers(1, 8))
            chosen[field.name] = draw(st.one_of(plausible, plausible, plausible, strange))
    return chosen


@st.composite
def method_runs(draw):
    name = draw(st.sampled_from(BUILT))
    sampling = draw(st.sampled_from(["uniform", "uniform", "uniform", *SAMPLINGS]))
    scale = draw(st.sampled_from([1.0, 1.0, 1.0, 1e140, 1e-140, 1e100, 0.0]))
    l2 = draw(st.sampled_from([0.1, 0.1, 0.1, 0.0, 1e-320, 1e-300, 1e-12, 1.0, 1e300]))
    l1 = draw(st.sampled_from([0.0, 0.0, 0.0, 0.1, 1e-300, 1e300]))
    loss = draw(st.sampled_from(["logistic", "logistic", "hinge"]))
    return name, settings_of(name, draw), sampling, scale, l2, l1, loss


def check_methods(example):
    name, parameters, sampling, scale, l2, l1, loss = example
    was_refused, method = refused(lambda: METHODS[name](**parameters), name, *parameters)
    if was_refused:
        return "refused"
    assert isinstance(method.label, str)
    was_refused, P = refused(lambda: cdlab.Problem(X0 * scale, y0, loss=loss, l2=l2, l1=l1), "X")
    return "no problem" if was_refused else tried(P, method, sampling)


@st.composite
def sampling_runs(draw):
    probabilities = st.one_of(arrays(st.sampled_from([(6,), (4,), (6,), (6, 6), (), (0,)])), anything)
    name = draw(st.sampled_from([*SAMPLINGS, *BLOCKS, "given", "given", "name"]))
    made = {**SAMPLINGS, **BLOCKS}.get(name)
    if made is None:
        return name, {"p": draw(probabilities)}, draw(st.sampled_from(["sdca", "rcd", "quartz"]))
    chosen = {}
    for field in fields(made):
        if field.init:
            buckets = st.sampled_from(
                [[[0, 1, 2], [3, 4, 5]], [[0, 1], [2, 3]], [[0], [0]], [[-1, 0]], [[]], [0, 1], "ab"]
            )
            special = {"buckets": buckets, "p": st.one_of(probabilities, st.floats(0, 1))}
            chosen[field.name] = draw(st.one_of(special.get(field.name, st.integers(1, 7)), anything))
    return name, chosen, draw(st.sampled_from(["quartz", "rcd"]))


def check_samplings(example):
    name, parameters, method = example
    if name in ("given", "name"):
        return tried(P0, method, parameters["p"])
    cls = {**SAMPLINGS, **BLOCKS}[name]
    was_refused, sampling = refused(lambda: cls(**parameters), name, cls.__name__, *parameters)
    if was_refused:
        return "refused"
    assert isinstance(repr(sampling) + sampling.label, str)
    refused(lambda: cdlab.eso(P0, sampling))
    return tried(P0, method, sampling)
