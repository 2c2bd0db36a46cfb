"""The page with the engine in Python behind it, in a browser: what a visitor does, and what the server adds."""

import re
import socket

import pytest
from browsing import DESKTOP, PHONE, dashboard, violations
from browsing import Visitor as Opened

pytestmark = pytest.mark.ui

PLAY = "?v=2"  # any query: not a first visit
FIRST = re.compile(r"(sdca|rcd) was first: [\d.,]+ passes against (sdca|rcd)’s [\d.,]+")


def upload(visitor, name: str, content: bytes) -> None:
    file = {"name": name, "mimeType": "text/plain", "buffer": content}
    visitor.page.locator("input[type=file]").set_input_files(file)


def open_drawer(visitor, name: str):
    drawers = visitor.page.get_by_role("toolbar", name="Drawers")
    drawers.get_by_role("button", name=name, exact=True).click()
    return visitor.region(f"Drawer: {name}")


def test_a_first_visit_asks_for_a_guess_races_and_tells_why(visit):
    visitor = visit(reduced_motion="reduce")
    visitor.wait_for("Who needs fewer passes")
    visitor.page.locator(".voice").get_by_role("button", name="quartz").click()
    visitor.wait_for("You guessed quartz ✓")
    visitor.wait_for("Why:")
    open_drawer(visitor, "Code").get_by_text("import cdlab").wait_for()
    assert violations(visitor) == []


def test_a_file_of_ones_own_is_raced_on_and_a_broken_one_is_refused_in_a_sentence(visit):
    visitor = visit(PLAY)
    visitor.wait_until(lambda: FIRST.search(visitor.voice))
    upload(visitor, "broken.csv", b"a,b\n1,2\n3,four\n")
    visitor.wait_for("broken.csv, line 3, column b: 'four' is not a number")
    rows = [f"{k % 7},{k * k % 11},{1 if k % 3 else -1}" for k in range(60)]
    upload(visitor, "mine.csv", "\n".join(["a,b,label", *rows]).encode())
    visitor.page.get_by_role("button", name="mine.csv").wait_for()
    visitor.wait_until(lambda: "data=upload" in visitor.page.url)
    visitor.wait_until(lambda: FIRST.search(visitor.voice))


@pytest.mark.full
def test_a_slider_on_a_phone_in_the_dark_races_anew_and_the_address_says_it(visit):
    visitor = visit(PLAY, PHONE, color_scheme="dark", reduced_motion="reduce")
    visitor.wait_until(lambda: FIRST.search(visitor.voice))
    visitor.slide("λ", 20)
    visitor.wait_until(lambda: "l2=" in visitor.page.url)
    visitor.wait_until(lambda: FIRST.search(visitor.voice))
    assert violations(visitor) == []
    told, url = FIRST.search(visitor.voice).group(), visitor.page.url
    again = visit(url[url.index("?") :], reduced_motion="reduce")
    again.wait_until(lambda: FIRST.search(again.voice))
    assert FIRST.search(again.voice).group() == told


@pytest.mark.full
def test_a_link_shows_what_it_names_and_v_says_nothing(visit):
    for version in ("", "&v=1"):
        visitor = visit(f"?n=300&d=40&methods=quartz,rcd&loss=squared{version}")
        visitor.wait_until(lambda visitor=visitor: "quartz" in visitor.voice)
        assert "squared" in visitor.region("Data").inner_text()


@pytest.mark.full
def test_every_drawer_opens_and_keeps_nobody_out(visit):
    visitor = visit(PLAY, reduced_motion="reduce")
    visitor.wait_for("Why:")
    for link in visitor.page.get_by_label("Drawers").get_by_role("button").all():
        if link.get_attribute("aria-disabled") != "true":
            name = link.inner_text()
            link.click()
            visitor.region(f"Drawer: {name}").locator(":is(p, table, pre, label) >> visible=true").first.wait_for()
            visitor.page.wait_for_timeout(1000)  # pictures come after their texts
            assert violations(visitor) == [], name


@pytest.mark.full
def test_a_bad_link_gives_a_sentence(visit):
    visitor = visit("?v=2&n=1000000000")
    visitor.wait_until(lambda: "n=1000000000, which was left out: it must be at most 100,000" in visitor.voice)


@pytest.mark.full
def test_a_page_says_that_its_server_is_gone_and_comes_back_with_its_choices(chromium):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with dashboard(port=port) as (address, _):
        visitor = Opened(chromium, address, DESKTOP, PLAY + "&n=77")
        visitor.wait_until(lambda: FIRST.search(visitor.voice))
    visitor.page.get_by_text("The connection to the server is lost.").wait_for()
    with dashboard(port=port):
        visitor.wait_until(lambda: FIRST.search(visitor.voice))
        assert "77 examples" in visitor.region("Data").inner_text()
        visitor.page.close()


def test_a_script_that_slips_into_the_page_does_not_run(chromium, address):
    page = Opened(chromium, address, DESKTOP, PLAY).page
    page.evaluate(
        """() => {
          const add = (tag, values) => document.body.append(Object.assign(document.createElement(tag), values))
          add("div", {innerHTML: "<img src=nothing.png onerror='window.hit = 1'>"})
          add("script", {textContent: "window.hit = 2"})
          add("script", {src: "data:text/javascript,window.hit = 3"})
          add("a", {href: "javascript:window.hit = 4"})
          document.body.lastChild.click()
        }"""
    )
    page.wait_for_timeout(500)
    assert page.evaluate("window.hit") is None
    page.close()
