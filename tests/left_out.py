"""A run that leaves out the cases marked full says how many they are, and how to run them."""

import pytest

_left_out: set[int] = set()  # each xdist worker collects by itself and reports its count, the same one


def pytest_deselected(items):
    """Runs where tests are collected: in the one process, or in each worker."""
    if count := sum(item.get_closest_marker("full") is not None for item in items):
        _left_out.add(count)


def pytest_sessionfinish(session):
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["left_out"] = max(_left_out, default=0)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node):
    """Of xdist, in the process that prints."""
    if count := getattr(node, "workeroutput", {}).get("left_out"):
        _left_out.add(count)


def pytest_terminal_summary(terminalreporter, config):
    if _left_out and config.option.markexpr == "not full":
        terminalreporter.write_line(
            f"left out: {max(_left_out)} cases marked full (the whole products and all seeds; before a release: "
            "pytest -m full -n auto)"
        )
