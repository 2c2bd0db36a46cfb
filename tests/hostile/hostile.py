"""Hostile inputs: what a call may answer to them, strategies that draw them, and the classes that are tried.

Every class is a strategy and a check. The check calls the library with an example and returns what came of it in a
word; it raises AssertionError where the answer is none that a person could use.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from hypothesis import strategies as st

# What the tools beneath say of an argument that nobody looked at. It never reaches a person.
INTERNAL = re.compile(
    r"numba|Traceback|object has no attribute|not supported between|unhashable|division by zero|setting an array|"
    r"ambiguous|could not be broadcast|out of bounds|invalid literal|could not convert|unsupported operand|NoneType|"
    r"must not contain infs|Exceeds the limit|positional argument|not iterable|not subscriptable|not callable|"
    r"unexpected keyword|result too large|Numerical result|cannot convert|int too large|arg is an empty|setitem|"
    r"maximum recursion|embedded null|<listcomp>|\[Errno",
    re.IGNORECASE,
)
LONGEST = 700  # characters of a sentence


def refused(call: Callable[[], Any], *about: str, also: tuple[type, ...] = ()) -> tuple[bool, Any]:
    """Whether the call was refused, in one sentence that names something of `about`; else its result."""
    try:
        return False, call()
    except (ValueError, TypeError, *also) as error:
        check_sentence(str(error), about)
        return True, None


def check_sentence(text: str, about: tuple[str, ...]) -> None:
    """A message for a person: one line, not too long, about what was wrong, in words of this library."""
    assert text, "an empty message"
    assert "\n" not in text, f"more than a line: {text!r}"
    assert len(text) <= LONGEST, f"{len(text)} characters: {text[:200]!r}"
    assert not INTERNAL.search(text), f"an internal message: {text!r}"
    assert not about or any(word in text for word in about), f"names none of {about}: {text!r}"


def honest(solution: Any) -> str:
    """What a run certifies must be so: no NaN, and a finite gap only between finite values."""
    for value in (solution.gap, solution.relative_gap):
        assert not math.isnan(value), "the gap is NaN"
        assert value >= 0, "the gap is negative"
    last = solution.trace.records[-1]
    finite = math.isfinite(last.primal) and math.isfinite(last.dual)
    assert finite or not math.isfinite(last.gap), f"P(w) = {last.primal}, D = {last.dual} and the gap is {last.gap}"
    if solution.status != "diverged":
        assert np.isfinite(solution.w).all(), f"w is not finite, and the status is {solution.status}"
    return solution.status


# ---------------------------------------------------------------- values
EDGES = [0.0, -0.0, 5e-324, 1e-300, 1e-16, 0.5, 1.0, 1.5, 3.0, 1e16, 1e150, 1.7e308, -1.0, -1e-300]
numbers = st.one_of(
    st.sampled_from([*EDGES, math.inf, -math.inf, math.nan]),
    st.floats(),
    st.integers(-3, 12),
    st.sampled_from([2**31, 2**31 - 1, 2**63, -(2**63), 2**64, 10**30, 10**400, 10**5000]),
    st.sampled_from([np.float32(0.5), np.int8(3), np.uint64(2**64 - 1), np.longdouble("1e400"), np.array(0.5)]),
)
STRANGE = [
    None, True, False, np.True_, "", "x", "1e-3", "auto", "nan", "\0", "a" * 10_000, b"x", 1j, np.complex128(1 + 1j),
    (), [], [1.0], [[1.0]], {}, {"x": 1}, set(), object(), object, len, math, Ellipsis, NotImplemented, Decimal("0.1"),
    Fraction(1, 3), np.array([]), np.array([0.5, 0.5]), np.zeros((2, 2)), np.array(None), np.ma.masked,
    np.ma.array([1.0], mask=[True]), np.datetime64("2020-01-01"), np.timedelta64(1), np.str_("uniform"), range(3),
    slice(1), np.array("x"), np.void(b"x"), float, iter([1]),
]  # fmt: skip
strange = st.integers(0, len(STRANGE) - 1).map(STRANGE.__getitem__)  # by place: not all can be hashed
anything = st.one_of(numbers, strange)

# ---------------------------------------------------------------- arrays
DTYPES = [
    "f8",
    "f4",
    "f2",
    "g",
    "i1",
    "i4",
    "i8",
    "u1",
    "u8",
    "?",
    "c16",
    "O",
    "U3",
    "S3",
    "M8[s]",
    "m8[s]",
    ">f8",
    "V4",
]


@st.composite
def arrays(draw, shapes=None):
    """Arrays of all kinds: dtypes, shapes, layouts, masks, values far out; most of them nearly right."""
    shape = draw(SHAPES if shapes is None else shapes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _array(draw, shape)


SHAPES = st.sampled_from([(6, 4), (6, 4), (6, 4), (6,), (4,), (1, 1), (0, 4), (6, 0), (), (2, 3, 4)])


def _array(draw, shape):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = rng.standard_normal(shape) * draw(st.sampled_from([1.0, 1.0, 1.0, 1e150, 1e-150, 1e-320, 1e308, 0.0]))
    flat = X.reshape(-1) if X.size else X
    for _ in range(draw(st.integers(0, 2))):
        if X.size:
            value = draw(st.sampled_from([math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 0.0, 2.0**53]))
            flat[draw(st.integers(0, X.size - 1))] = value
    dtype = draw(st.sampled_from(["f8"] * 12 + DTYPES))
    with np.errstate(all="ignore"):
        try:
            X = X.astype(dtype)
        except (ValueError, TypeError, OverflowError):
            X = np.zeros(shape, dtype)
    if dtype == "g" and X.size and draw(st.booleans()):
        X.reshape(-1)[0] = np.longdouble("1e4000")
    layout = draw(
        st.sampled_from(["as it is"] * 6 + ["read-only", "F", "strided", "backwards", "masked", "list", "matrix"])
    )
    if layout == "read-only":
        X.setflags(write=False)
    elif layout == "F":
        X = np.asfortranarray(X)
    elif layout == "strided" and X.ndim:
        X = np.repeat(X, 2, axis=0)[::2]
    elif layout == "backwards" and X.ndim:
        X = X[::-1]
    elif layout == "masked":
        X = np.ma.array(X, mask=rng.random(shape) < draw(st.sampled_from([0.0, 0.3])))
    elif layout == "list":
        X = X.tolist()
        if isinstance(X, list) and X and draw(st.booleans()):
            X[0] = draw(st.sampled_from([[1.0], "x", None, 3, [[]]]))
    elif layout == "matrix" and X.ndim == 2:
        X = np.asmatrix(X)
    return X


labels = st.one_of(
    st.lists(st.sampled_from([1, -1]), min_size=6, max_size=6),
    st.lists(st.sampled_from([1, -1]), min_size=6, max_size=6),
    st.lists(st.one_of(numbers, st.text(max_size=3), st.none(), st.booleans()), min_size=0, max_size=7),
    st.lists(st.text(max_size=3), min_size=6, max_size=6),
    arrays(st.sampled_from([(6,), (6,), (6, 1), (5,), ()])),
    anything,
)
