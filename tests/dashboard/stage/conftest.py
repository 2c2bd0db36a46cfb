import pytest
from browsing import CHROMIUM, DESKTOP, Visitor, browser
from serving_stage import served


@pytest.fixture(scope="module")
def address():
    with served() as url:
        yield url


@pytest.fixture(scope="module")
def chromium():
    if CHROMIUM is None:
        pytest.skip("no chromium, chromium-browser or google-chrome on this machine")
    with browser() as started:
        yield started


@pytest.fixture
def visit(chromium, address):
    """Opens pages; at the end of the test none of them may have shown an error or asked another host for anything."""
    opened = []

    def open_page(size=DESKTOP, **options) -> Visitor:
        context = chromium.new_context(**options)
        opened.append((context, Visitor(context, address, size)))
        return opened[-1][1]

    yield open_page
    for context, visitor in opened:
        complaints = visitor.complaints
        context.close()
        assert complaints == []
