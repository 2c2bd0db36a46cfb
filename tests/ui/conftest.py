import pytest
from browsing import CHROMIUM, DESKTOP, Visitor, browser, dashboard


@pytest.fixture(scope="session")
def address():
    with dashboard() as (url, _):
        yield url


@pytest.fixture(scope="session")
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
