"""Room on the page: drawers take none while they are closed, fit a phone, and nothing covers what matters."""

import pytest
from browsing import PHONE, dashboard
from browsing import Visitor as Page

pytestmark = pytest.mark.ui

DRAWERS = ("Race", "Bounds", "Face-off", "Sampling", "Runs", "Code", "Advanced")


def height(visitor) -> float:
    """Of the page, in windows."""
    return visitor.page.evaluate("document.documentElement.scrollHeight / innerHeight")


@pytest.mark.full
def test_every_drawer_opens_alone_and_takes_no_room_when_it_is_closed(visit):
    visitor = visit("?methods=sdca,rcd")
    for name in DRAWERS:
        visitor.open(name)
        visitor.page.locator("#drawers button[aria-expanded=true]", has_text=name).wait_for()
        visitor.wait_until(lambda: height(visitor) > 1.2 and "Working it out." not in visitor.text)
        assert visitor.page.locator("#drawers button[aria-expanded=true]").all_inner_texts() == [name]
    visitor.press(name)
    visitor.wait_until(lambda: height(visitor) == 1)


@pytest.mark.full
def test_every_drawer_fits_a_phone(visit):
    visitor = visit(size=PHONE)
    for name in DRAWERS:
        visitor.open(name)
        visitor.wait_until(lambda: "Working it out." not in visitor.text)
        visitor.page.wait_for_timeout(300)
        assert visitor.page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], name


@pytest.mark.full
def test_the_note_of_a_lost_connection_leaves_the_head_free(chromium):
    with dashboard() as (address, _):
        visitor = Page(chromium, address)
    note, head = visitor.page.locator("#connection"), visitor.page.locator("#stories")
    visitor.wait_until(lambda: "The connection to the server is lost." in note.inner_text())
    assert note.bounding_box()["y"] >= head.bounding_box()["y"] + head.bounding_box()["height"]
    visitor.page.close()
