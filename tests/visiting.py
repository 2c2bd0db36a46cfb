"""Fixtures of tests in a browser: each folder that has some says what its `address` is."""

import pytest


@pytest.fixture(scope="module")  # two at once are one too many for a process
def chromium():
    from browsing import CHROMIUM, browser  # playwright: only where a test needs it

    if CHROMIUM is None:
        pytest.skip("no chromium, chromium-browser or google-chrome on this machine")
    with browser() as started:
        yield started


@pytest.fixture
def visit(chromium, address):
    """Opens pages, each as another person; in the end none may have complained, or asked another host for anything."""
    from browsing import DESKTOP, Visitor

    opened = []

    def open_page(query="", size=DESKTOP, there="Matrix", **media):
        context = chromium.new_context(**media)
        opened.append((context, Visitor(context, address, size, query, there=there)))
        return opened[-1][1]

    yield open_page
    for context, visitor in opened:
        assert visitor.complaints == []
        context.close()
