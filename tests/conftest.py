"""Shared settings of all tests."""

import gc
import signal
import sys
from pathlib import Path

import one_thread  # noqa: F401  before numpy is loaded
import pytest
from asserting import pytest_assertion_pass, pytest_configure, pytest_pyfunc_call  # noqa: F401  hooks
from cases import pytest_collection_modifyitems  # noqa: F401  a hook
from hypothesis import settings
from left_out import (  # noqa: F401  hooks
    pytest_deselected,
    pytest_sessionfinish,
    pytest_terminal_summary,
    pytest_testnodedown,
)
from skips import pytest_make_collect_report, pytest_runtest_makereport  # noqa: F401  hooks
from visiting import chromium, visit  # noqa: F401  fixtures

# test folders are no packages: the helpers in them (problems, claims, browsing, ...) are imported by their own names
HELPERS = {path.parent for path in Path(__file__).parent.rglob("*.py") if not path.name.startswith("test_")}
sys.path += sorted(map(str, HELPERS))

collect_ignore = ["asserting.py"]  # looking for doctests would load it, and count, twice

# Started in the background by a shell, Python ignores Ctrl-C, and so do the processes that tests start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# the first example may compile a kernel, so there is no deadline; a push tries fewer of them than a release
# a push draws the same examples each time, so that what it finds is of the push; before a release others are drawn
settings.register_profile("push", deadline=None, max_examples=25, derandomize=True)
settings.register_profile("full", deadline=None)


@pytest.hookimpl(optionalhook=True)  # of xdist
def pytest_xdist_make_scheduler(config, log):
    """Each worker begins with one half of the tests: kernels, theorems and servers are mostly made once, not twice."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_collection(session):
    """Load the profile of the tier that `-m` chooses before a test file makes its own settings from it; collect tests
    without looking for garbage, since what is made stays: looking took a third of the time."""
    settings.load_profile("push" if session.config.option.markexpr == "not full" else "full")
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()
