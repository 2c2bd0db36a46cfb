import pytest
import serving_chooser
import serving_stage
from browsing import CHROMIUM, DESKTOP, Visitor, browser, dashboard, served

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


@pytest.fixture(scope="session")
def chromium():
    if CHROMIUM is None:
        pytest.skip("no chromium, chromium-browser or google-chrome on this machine")
    with browser() as started:
        yield started.new_context()  # one, whose cache later pages use, as those of a person do


@pytest.fixture
def visit(chromium, address, tmp_path):
    """Opens pages; at the end of the test none of them may have shown an error or asked another host for anything."""
    opened = []

    def open_page(query: str = "", size=DESKTOP) -> Visitor:
        opened.append(Visitor(chromium, address, size, query))
        return opened[-1]

    yield open_page
    for k, visitor in enumerate(opened):
        if not visitor.page.is_closed():
            visitor.page.screenshot(path=tmp_path / f"page{k}.png")
            assert "Traceback" not in visitor.text
            visitor.page.close()
        assert visitor.complaints == []


@pytest.fixture(scope="module")
def stage_address():
    with served(serving_stage.__file__) as (url, _):
        yield url


@pytest.fixture(scope="module")
def chooser_address():
    with served(serving_chooser.__file__) as (url, _):
        yield url


def opening(chromium, address, there):
    """Opens pages of one component alone, for people with these media settings; none may have complained in the end."""
    opened = []

    def open_page(size=DESKTOP, **media) -> Visitor:
        opened.append(Visitor(chromium, address, size, there=there))
        opened[-1].page.emulate_media(**media)
        return opened[-1]

    yield open_page
    for visitor in opened:
        visitor.page.close()
        assert visitor.complaints == []


@pytest.fixture
def on_stage(chromium, stage_address):
    """Opens the stage alone."""
    yield from opening(chromium, stage_address, "Convergence")


@pytest.fixture
def at_chooser(chromium, chooser_address):
    """Opens the chooser alone."""
    yield from opening(chromium, chooser_address, "Data")
