import pytest
from browsing import CHROMIUM, DESKTOP, Visitor, browser, dashboard


@pytest.fixture(scope="session")
def address():
    with dashboard(session_history=-1) as (url, _):  # it counts its sessions
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
