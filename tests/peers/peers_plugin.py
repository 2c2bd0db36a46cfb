"""A plugin of pytest for scikit-learn's own tests: cdlab stands in its packages, and tests say whether it was used.

It runs in a process of its own, with scikit-learn's settings of warnings; `CDLAB_PEERS_REPORT` names the file of JSON
to write: for each test its outcome, the calls that reached cdlab, and why others did not.
"""

import json
import os

import adapter
import pytest

REPORT = {}


def pytest_configure(config):
    for package, replacements in adapter.REPLACED.items():
        for replacement in replacements:
            setattr(package, replacement.__name__, replacement)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    adapter.Calls.reset()
    return (yield)


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        said = report.longreprtext.splitlines() if report.failed else []
        REPORT[report.nodeid.split("::", 1)[1]] = {
            "outcome": report.outcome,
            "seconds": round(report.duration, 2),
            "served": dict(adapter.Calls.served),
            "others": dict(adapter.Calls.others),
            "said": next((line for line in reversed(said) if line.startswith("E ")), said[-1] if said else ""),
        }


def pytest_sessionfinish():
    with open(os.environ["CDLAB_PEERS_REPORT"], "w") as file:
        json.dump(REPORT, file)
