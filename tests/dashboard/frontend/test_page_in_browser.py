"""The page with recorded answers, in a browser: what a reader does first, by mouse, keyboard and on a phone."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import CHROMIUM, DESKTOP, PHONE, Visitor, browser
from serving_front import front_end

pytestmark = pytest.mark.ui

NARROW = {"width": 320, "height": 640}
SMALL = {"width": 1280, "height": 720}
OPENING = "?v=2"  # any query: not a first visit
FOCUSABLE = """() => [...document.querySelectorAll(".cdlab *")].filter((each) => each.tabIndex >= 0 && !each.disabled
  && each.checkVisibility({visibilityProperty: true}) && !each.closest("[inert], dialog:not([open])")).length"""
TOO_SMALL = """() => [...document.querySelectorAll(".cdlab :is(button, input, select, a)")].filter((each) => {
  const {width, height} = each.getBoundingClientRect()
  return each.checkVisibility() && width > 0 && (width < 24 || height < 24)
}).map((each) => each.outerHTML.slice(0, 80))"""
SMALLEST_TEXT = """() => Math.min(...[...document.querySelectorAll(".screen *")]
  .filter((each) => [...each.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim())
    && each.checkVisibility() && !each.closest(".hidden"))
  .map((each) => parseFloat(getComputedStyle(each).fontSize)))"""
BEYOND = (
    """() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"""
)


@pytest.fixture(scope="module")
def address():
    with front_end() as url:
        yield url


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


def voice(visitor: Visitor) -> str:
    return visitor.page.locator(".voice").inner_text()


def wait_for(visitor: Visitor, words: str) -> None:
    visitor.page.locator(".voice", has_text=words).wait_for(timeout=10_000)


def violations(visitor: Visitor) -> list[str]:
    found = Axe().run(visitor.page).response["violations"]
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]


def test_free_play(visit):
    visitor = visit(OPENING)
    page = visitor.page
    wait_for(visitor, "sdca was first: 22 passes against rcd’s 106.")
    wait_for(visitor, "Why: Three words stand in nearly all examples")
    assert page.locator(".figure svg").get_by_text("4,840", exact=True).count() == 1
    assert "after 106" in page.locator(".figure .hidden").inner_text()  # the figure in words
    page.keyboard.press(".")
    wait_for(visitor, "Step 1 of")
    page.keyboard.press("ArrowRight")
    wait_for(visitor, "of its start for sdca")
    assert page.evaluate(FOCUSABLE) <= 35
    assert page.evaluate(TOO_SMALL) == []


def test_what_is_no_answer_to_the_choices_is_dimmed(visit):
    visitor = visit(OPENING)
    wait_for(visitor, "was first")
    visitor.page.get_by_role("slider", name="rows").press("ArrowRight")  # not recorded
    wait_for(visitor, "could not answer")
    visitor.page.wait_for_timeout(400)  # until it has faded
    dims = visitor.page.locator(".dim").evaluate_all("all => all.map((each) => getComputedStyle(each).opacity)")
    assert dims == ["0.35"] * 3


ANOTHER_RACE = """async () => {
  const {mount, recordedEngine} = await import("/page.js")
  const recordings = await (await fetch("/recorded.json")).json()
  const races = recordings.filter(({question}) => question.kind === "race").flatMap(({answers}) => answers)
  for (const {value} of races) value.digest = "of other choices"
  await mount(document.getElementById("page"), recordedEngine(recordings))
}"""


def test_a_race_of_another_digest_is_dimmed(visit):
    visitor = visit(OPENING)
    visitor.page.evaluate(ANOTHER_RACE)
    visitor.page.wait_for_timeout(600)
    assert "was first" not in voice(visitor)
    assert visitor.page.locator(".middle .dim").evaluate("each => getComputedStyle(each).opacity") == "0.35"


def test_a_story_asks_before_it_tells(visit):
    visitor = visit("?story=3", reduced_motion="reduce")
    page = visitor.page
    wait_for(visitor, "Who needs fewer passes to bring the gap to 10⁻⁶?")
    hidden = page.locator("main").inner_text() + page.locator("footer").inner_text()
    assert not any(number in hidden for number in ("392", "165", "2.4", "4.6", "40", "Likely best here: sdca"))
    assert visitor.page.evaluate("engine.asked.every(({kind}) => kind !== 'race')")
    page.locator(".voice").get_by_role("button", name="rcd").click()
    wait_for(visitor, "sdca was first: 22 passes against rcd’s 40. You guessed rcd")
    assert page.get_by_role("button", name="Make a few words frequent").is_enabled()


def test_the_first_visit_is_the_first_story(visit):
    assert "The short side" in visit().page.locator(".story").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [SMALL, PHONE, pytest.param(NARROW, marks=pytest.mark.full)])
def test_it_fits_and_keeps_nobody_out(visit, size, scheme):
    visitor = visit(OPENING, size=size, color_scheme=scheme, reduced_motion="reduce")
    wait_for(visitor, "Why:")
    beyond, below = visitor.page.evaluate(BEYOND)
    assert beyond <= 0
    assert size is not SMALL or below <= 0
    assert visitor.page.evaluate(SMALLEST_TEXT) >= 12
    assert violations(visitor) == []


def test_present_shows_one_slide_in_large_type(visit):
    visitor = visit(OPENING + "&present=picture", there="Present")
    wait_for(visitor, "was first")
    slide = visitor.page.locator(".present")
    assert "words, skew 1.3 · uniform · rcd against sdca · λ = 1/n" in slide.locator("footer").inner_text()
    assert (
        slide.evaluate("each => parseFloat(getComputedStyle(each).zoom)") * visitor.page.evaluate(SMALLEST_TEXT) >= 20
    )
    visitor.page.keyboard.press("p")
    visitor.region("Data").wait_for()


def test_a_phone_changes_choices_under_the_figure(visit):
    visitor = visit(OPENING, size=PHONE)
    wait_for(visitor, "was first")
    visitor.press("Change…")
    sheet = visitor.page.get_by_role("dialog", name="Change something")
    sheet.get_by_role("slider", name="λ").wait_for()
    visitor.page.wait_for_timeout(300)
    top = sheet.bounding_box()["y"]
    figure = visitor.page.locator(".figure").bounding_box()
    assert figure["y"] >= 0
    assert figure["y"] + figure["height"] <= top + 1
    visitor.press("Done")
