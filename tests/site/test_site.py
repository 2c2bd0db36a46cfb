"""The built site: links lead somewhere, pages ask no other host, keep nobody out, and fit laptop and phone.

`sphinx-build -W -c docs . build/site` makes it; without it these tests skip. `.ci/release` has just built it.
"""

from collections import defaultdict
from functools import cache, partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

import pytest
from browsing import violations
from playwright.sync_api import expect

pytestmark = [pytest.mark.full, pytest.mark.timeout(900)]
SITE = Path(__file__).parents[2] / "build" / "site"
PAGES = {
    "front": "docs/index.html",
    "course": "docs/course.html",
    "notebook": "notebooks/04_sampling.html",
    "method": "docs/generated/methods/sdca.html",
    "theorem": "docs/generated/theorems/quartz-plain.html",
    "gallery": "docs/generated/gallery/index.html",
    "example": "docs/generated/gallery/plot_01_race.html",
    "name": "docs/generated/api/cdlab.solve.html",
    "benchmark": "docs/benchmark.html",
    "search": "search.html?q=duality+gap",
}
LAPTOP, PHONE = {"width": 1440, "height": 900}, {"width": 390, "height": 844}
STILL = "Promise.all(document.getAnimations().map((each) => each.finished))"  # colours fade into each other
BEYOND = "document.documentElement.scrollWidth - innerWidth"


@pytest.fixture(scope="module")
def site():
    if not (SITE / "search.html").exists():
        pytest.skip(".venv/bin/sphinx-build -W -c docs . build/site makes the site")
    return SITE


# ------------------------------------------------------------ links
class Addresses(HTMLParser):
    """What a page leads to, and the names of places on it."""

    def __init__(self, text: str):
        super().__init__()
        self.leads: set[str] = set()
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src", "poster") and value and tag != "base":
                self.leads.add(value)
            elif name in ("id", "name") and value:
                self.places.add(value)


@cache
def addresses(path: Path) -> Addresses:
    return Addresses(path.read_text(encoding="utf-8"))


def test_links_lead_to_what_is_there(site):
    wrong = defaultdict(list)
    for page in sorted(set(site.rglob("*.html")) - set(site.glob("_static/**/*"))):
        for lead in addresses(page).leads:
            url = urlsplit(lead)
            if url.scheme or url.netloc:
                continue
            target = (page.parent / unquote(url.path)).resolve() if url.path else page
            is_document = target.suffix == ".html" and "lab" not in target.parts  # the lab's places are its script's
            if not target.is_file() or (
                is_document and url.fragment and unquote(url.fragment) not in addresses(target).places
            ):
                wrong[lead].append(page.name)
    assert not wrong, "\n".join(f"{lead}: {pages[:3]}" for lead, pages in sorted(wrong.items()))


# ------------------------------------------------------------ in a browser
class Files(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def address(site):
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Files, directory=site)) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture
def visit(visit):
    """Opens pages of the site, on a laptop unless told otherwise."""
    return lambda page, size=LAPTOP, **media: visit(page, size, there="", **media)


@pytest.mark.parametrize("name", PAGES)
def test_page_keeps_nobody_out(visit, name):
    visitor = visit(PAGES[name], color_scheme="light")
    page = visitor.page
    if name == "front":
        page.locator("iframe.lab").content_frame.locator(".voice", has_text="Who needs fewer passes").wait_for()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        page.locator(f"html[data-theme={scheme}]").wait_for()
        page.evaluate(STILL)
        assert violations(visitor) == [], scheme
    for size in (LAPTOP, PHONE):
        page.set_viewport_size(size)
        assert page.evaluate(BEYOND) <= 0


@pytest.mark.parametrize("size", [LAPTOP, PHONE])
def test_front_page_begins_with_its_title_and_a_lab_that_races(visit, size):
    visitor = visit(PAGES["front"], size)
    frame = visitor.page.locator("iframe.lab")
    lab = frame.content_frame
    guess = (
        lab.locator(".guess")
        .get_by_role("button", name="dual (quartz)", exact=True)
        .or_(lab.locator(".voice").get_by_role("button", name="dual (quartz)", exact=True))
    )
    guess.wait_for()
    assert visitor.page.evaluate("scrollY") == 0
    assert frame.bounding_box()["width"] == visitor.page.evaluate("document.documentElement.clientWidth")
    frame.evaluate("element => element.scrollIntoView({block: 'end'})")
    guess.click()
    lab.locator(".voice", has_text="Why:").wait_for()


def test_story_leads_to_its_notebook_and_back(visit):
    visitor = visit("lab/index.html?story=4")
    with visitor.page.expect_popup() as opened:
        visitor.page.get_by_role("link", name="Notebook 4").click()
    notebook = opened.value
    notebook.locator("article h1").wait_for()
    assert "/notebooks/04_sampling.html" in notebook.url
    notebook.locator("article a[href*='story=4']").first.click()
    notebook.get_by_text("4 · ").first.wait_for()
    assert notebook.url.endswith("/lab/index.html?story=4")


def test_search_finds_methods_and_theorems(visit):
    found = visit("search.html?q=quartz").page
    for folder in ("methods", "theorems"):  # they come one after another
        expect(found.locator(f'#search-results li a[href*="generated/{folder}/"]').first).to_be_visible()
    assert found.locator("#search-results li").count() >= 2


def test_front_page_opens_from_a_disk_with_a_lab_that_races(site, chromium):
    page = chromium.new_page(viewport=LAPTOP)
    page.goto((site / "index.html").as_uri())
    lab = page.locator("iframe.lab").content_frame
    lab.get_by_role("button", name="dual (quartz)", exact=True).first.click()
    why = lab.locator(".voice", has_text="Why:")
    why.wait_for()
    assert "You guessed quartz" in why.inner_text()
    page.close()
