import pytest
from browsing import CHROMIUM, DESKTOP, Visitor, browser, dashboard

import cdlab


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    """The folder of a small sweep."""
    folder = tmp_path_factory.mktemp("stores") / "small"
    grid = {"data": "mushrooms", "scale": "mean", "l2": ["1/n", "10/n"], "method": ["sdca", "quartz"], "seed": [0, 1]}
    cdlab.sweep(grid | {"tol": 1e-6, "max_passes": 60}, store=folder)
    return folder


@pytest.fixture(scope="session")
def address(store):
    with dashboard(session_history=-1, stores=[str(store)]) as (url, _):  # it counts its sessions
        yield url


@pytest.fixture(scope="module")  # two at once are one too many for a process
def chromium():
    if CHROMIUM is None:
        pytest.skip("no chromium, chromium-browser or google-chrome on this machine")
    with browser() as started:
        yield started


@pytest.fixture
def visit(chromium, address):
    """Opens pages, each as another person; in the end none may have complained, or asked another host for anything."""
    opened = []

    def open_page(query: str = "", size=DESKTOP, **media) -> Visitor:
        context = chromium.new_context(**media)
        opened.append((context, Visitor(context, address, size, query)))
        return opened[-1][1]

    yield open_page
    for context, visitor in opened:
        assert visitor.complaints == []
        context.close()
