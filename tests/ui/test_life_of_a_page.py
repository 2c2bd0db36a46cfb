"""What becomes of a page when the server goes away, is full, or is left."""

import json
import time
import urllib.request
from urllib.parse import urlsplit

import pytest
from browsing import Visitor, dashboard

pytestmark = pytest.mark.ui

WHILE_AWAY = ("net::ERR_", "not connected so cannot send")  # what the browser and bokeh say of a server that is gone
ENDLESS = "?n=5000&d=500&passes=10000&tol=0.0"


@pytest.mark.full
def test_a_page_outlives_its_server(chromium):
    with dashboard() as (address, _):
        visitor = Visitor(chromium, address, query=ENDLESS)
        visitor.wait_until(lambda: visitor.status.startswith("Running"))
        visitor.open("Advanced")
        visitor.choose("Seed", "7")
        visitor.wait_until(lambda: "seed=7" in visitor.page.url)
        visitor.press("Stop")
        visitor.wait_until(lambda: visitor.status == "")  # of other choices
        visitor.press("Run")
        visitor.wait_until(lambda: visitor.status.startswith("Running"))
        visitor.open("Race")
        visitor.wait_until(lambda: "running" in visitor.text)
        assert visitor.complaints == []
    note = visitor.page.locator("#connection")
    visitor.wait_until(lambda: "The connection to the server is lost. The race has been stopped." in note.inner_text())
    assert visitor.status == "Stopped: the connection is lost."
    assert "running" not in visitor.text  # in the table of the runs
    assert visitor.page.get_by_role("button", name="Run", exact=True).is_disabled()
    assert visitor.page.get_by_role("slider", name="density").is_disabled()
    with dashboard(port=urlsplit(address).port):
        visitor.wait_until(lambda: "The connection is back." in note.inner_text())
        assert "The race that was running has been stopped" in note.inner_text()
        visitor.wait_until(lambda: visitor.status.startswith("Running"))  # the address runs
        assert "seed=7" in visitor.page.url
        assert "5,000" in visitor.region("Data").inner_text()
        visitor.card("dense")
        assert not note.is_visible()
        visitor.page.close()
    assert [complaint for complaint in visitor.complaints if not any(note in complaint for note in WHILE_AWAY)] == []


@pytest.mark.full
def test_a_page_without_a_race_loses_nothing(chromium):
    with dashboard() as (address, _):
        visitor = Visitor(chromium, address)
    note = visitor.page.locator("#connection")
    visitor.wait_until(lambda: "The connection to the server is lost." in note.inner_text())
    assert "race" not in note.inner_text()
    with dashboard(port=urlsplit(address).port):
        visitor.wait_until(lambda: note.inner_text() == "" and visitor.page.locator("canvas").count() > 0)
        visitor.page.close()


@pytest.mark.full
def test_a_full_server_says_so_and_has_room_again_later(chromium):
    with dashboard(sessions=1) as (address, _):
        first = Visitor(chromium, address)
        second = chromium.new_page()
        second.goto(address)
        message = second.get_by_text("pages open at a time is limited to 1")
        message.wait_for()
        assert second.get_by_role("button", name="Run", exact=True).count() == 0
        first.page.close()
        end = time.monotonic() + 60
        while message.count():
            assert time.monotonic() < end
            time.sleep(0.5)
            second.reload()
            second.locator("#main, #full").first.wait_for()
            second.wait_for_timeout(500)
        second.get_by_role("button", name="Run", exact=True).wait_for()
        second.close()


@pytest.mark.full
def test_a_page_that_was_left_is_forgotten(visit, address):
    def live() -> int:
        with urllib.request.urlopen(f"{address}rest/session_info") as answer:
            return json.load(answer)["session_info"]["live"]

    visitor = visit(ENDLESS)
    visitor.wait_until(lambda: visitor.status.startswith("Running"))
    assert live() >= 1
    visitor.page.close()
    end = time.monotonic() + 60
    while live() > 0:
        assert time.monotonic() < end
        time.sleep(0.2)
