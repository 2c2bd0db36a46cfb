"""On CI a case that is skipped for a reason that is not listed here fails: what is advertised runs on every push."""

import os
import re

import pytest

LISTED = (
    "reads /proc",  # of Linux
    "this system has no ",  # /dev/full, /dev/stdin, named pipes
    "other systems cannot limit",
    "processes are not forked",  # Windows
    "there is no kill",
    "each system has another folder",
    "CDLAB_DATA",  # a clone without the folder of real data
    r"\.ci/peers installs",  # other packages: before a release, since some must be built
    "scikit-learn before 1.9 has no callbacks",
    r"pip install -e \.\[mutants\]",  # a tool that no product needs
    "SCIPY_ARRAY_API is not set",  # of scikit-learn's check_estimator: arrays that are not numpy's
    "numba is switched off|nothing is compiled|plain Python needs no decorator|kernels are not compiled",
)


def is_listed(reason: str) -> bool:
    return re.search("|".join(LISTED), reason) is not None


def _refused(report):
    """The report; a failure where it is a skip that CI does not allow."""
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        if not is_listed(reason):
            report.outcome = "failed"
            report.longrepr = f"skipped on CI for a reason that tests/skips.py does not list: {reason}"
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    return _refused((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    return _refused((yield))
