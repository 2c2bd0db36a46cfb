"""A case that executes no assertion shows nothing: it fails.

What counts is an ``assert`` of a test or of a helper beside it, one of numpy.testing's, and ``pytest.raises`` or
``pytest.warns``. Doctests compare what they print and are left alone. Where that nothing is raised is the statement,
``@pytest.mark.raises_nothing("why that is all there is to see")`` says so.
"""

import sys
from pathlib import Path

import numpy as np
import pytest
from _pytest.assertion import util

TESTS = str(Path(__file__).parent)
# Only test modules and conftests are rewritten by themselves; helpers have assertions, too.
HELPERS = sorted(path.stem for path in Path(TESTS).rglob("*.py") if not path.stem.startswith("test_"))
pytest.register_assert_rewrite(*(name for name in HELPERS if name not in ("conftest", "one_thread", __name__)))

SILENT = (
    "this case executed no assertion, so it would pass whatever the code does: assert something, skip the case with a "
    "reason, or leave it out of the parameters (if it does assert, it was compiled before assertions were counted: "
    "remove the __pycache__ folders in tests)"
)


TEXTS = (bytes, bytearray, str)


class Count:
    executed = 0
    inside = False  # a case: plugins assert, too, before and after it


def _note() -> None:
    Count.executed += Count.inside
    if Count.inside:
        util._assertion_pass = None  # one is enough: without a listener pytest does not write out what was compared


def _noting(function):
    """The function, which also counts as an assertion when it is called."""

    def noted(*args, **kwargs):
        _note()
        return function(*args, **kwargs)

    return noted


for _name in dir(np.testing):
    if _name.startswith("assert_"):
        setattr(np.testing, _name, _noting(getattr(np.testing, _name)))
pytest.raises, pytest.warns = _noting(pytest.raises), _noting(pytest.warns)


def pytest_configure(config):
    config.addinivalue_line("markers", "raises_nothing(why): the case asserts nothing but that it comes to its end")


def pytest_assertion_pass():
    if Count.inside and _asserting_file().startswith(TESTS):
        _note()


def _asserting_file() -> str:
    """The file of the assertion that has just passed: plugins, hypothesis's for one, assert inside a case, too."""
    frame = sys._getframe()
    while frame.f_code.co_name != "_call_assertion_pass":
        frame = frame.f_back
    return frame.f_back.f_code.co_filename


def _without_equal_values(explain):
    """`explain`, but for equal values: pytest seeks a difference in those of an assertion that passes."""

    def explain_difference(op, left, right):
        equal = op == "==" and type(left) in TEXTS and type(right) in TEXTS and left == right
        return None if equal else explain(op, left, right)

    return explain_difference


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    why = pyfuncitem.get_closest_marker("raises_nothing")
    if why and not (why.args and isinstance(why.args[0], str)):
        pytest.fail("raises_nothing needs its reason", pytrace=False)
    Count.executed, Count.inside = 0, True
    util._reprcompare = _without_equal_values(util._reprcompare)
    try:
        result = yield
    finally:
        Count.inside = False
    if not (Count.executed or why):
        pytest.fail(SILENT, pytrace=False)
    return result
