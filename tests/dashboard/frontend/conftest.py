"""The page with recorded answers, opened in a browser."""

import pytest
from browsing import CHROMIUM, DESKTOP, Visitor, browser
from serving_front import front_end


@pytest.fixture(scope="module")
def address():
    with front_end() as site:
        yield site.address


@pytest.fixture(scope="module")
def chromium():
    if CHROMIUM is None:
        pytest.skip("no chromium, chromium-browser or google-chrome on this machine")
    with browser() as started:
        yield started


@pytest.fixture
def visit(chromium, address):
    """Opens pages; in the end none may have complained, or asked another host."""
    opened = []

    def open_page(query="", size=DESKTOP, there="Matrix", **media):
        context = chromium.new_context(**media)
        opened.append((context, Visitor(context, address, size, query, there=there)))
        return opened[-1][1]

    yield open_page
    for context, visitor in opened:
        assert visitor.complaints == []
        context.close()
