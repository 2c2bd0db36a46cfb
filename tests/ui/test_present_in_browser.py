"""Present: a room can read all that is shown, nothing lies on anything else, and a remote walks the stories."""

import pytest
from browsing import ALL

pytestmark = pytest.mark.ui

SIZES = [(1280, 720), (1920, 1080)]
READ = 22  # pixels
# of each visible element with text of its own: how large it is seen, and the text; letters below a line are smaller
TEXTS = f"""() => {{ {ALL}
  const own = (e) => [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim())
  const small = "math, svg, sub, option"
  const seen = (e) => own(e) && e.checkVisibility() && e.getBoundingClientRect().height > 2 && !e.closest(small)
  return all(document.querySelector("#main")).filter(seen)
    .map((e) => [parseFloat(getComputedStyle(e).fontSize) * e.currentCSSZoom, e.textContent])
}}"""
REGIONS = """node => [...node.querySelectorAll("section, figure")].filter((e) => e.checkVisibility())
  .map((e) => e.getBoundingClientRect().toJSON())"""
SHARPNESS = "canvas => canvas.width / canvas.getBoundingClientRect().width / devicePixelRatio"
# where the line of the playhead stands in the window: the one in ink at the upper end of the picture
LINE = """(canvas) => {
  const box = canvas.getBoundingClientRect(), scale = canvas.width / canvas.clientWidth
  const row = canvas.getContext("2d").getImageData(0, Math.round(28 * scale), canvas.width, 1).data
  const ink = (k) => row[k + 3] > 100 && row[k] < 80 && row[k + 1] < 80 && row[k + 2] < 80
  const found = []
  for (let k = 0; k < row.length; k += 4) if (ink(k)) found.push(k / 4)
  const middle = found.reduce((sum, each) => sum + each, 0) / found.length
  return box.left + ((middle + 0.5) / canvas.width) * box.width
}"""


def apart(a: dict, b: dict) -> bool:
    return a["right"] <= b["left"] or b["right"] <= a["left"] or a["bottom"] <= b["top"] or b["bottom"] <= a["top"]


@pytest.mark.full
def test_a_room_can_read_it(visit):
    visitor = visit("?methods=sdca,rcd&n=200&d=50&passes=30")
    page = visitor.page
    page.get_by_role("button", name="Story 4: One heavy row").click()
    visitor.region("Story").wait_for()
    visitor.press("Present")
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(300)
        assert page.evaluate("document.documentElement.scrollHeight") <= height
        texts = page.evaluate(TEXTS)
        assert len(texts) > 20
        assert min(texts)[0] >= READ, min(texts)
        boxes = page.locator(".stage").evaluate(REGIONS)
        assert all(apart(a, b) for k, a in enumerate(boxes) for b in boxes[:k])
        for name in ("Convergence", "Matrix"):
            assert visitor.region(name).get_by_role("img").first.evaluate(SHARPNESS) == pytest.approx(1, abs=0.01)
    page.keyboard.press("Escape")
    assert not page.evaluate("document.documentElement.hasAttribute('data-present')")


@pytest.mark.full
def test_a_remote_leads_through_both_races_of_a_story_and_the_picture_stays_large(visit):
    visitor = visit(size={"width": 1280, "height": 720})
    page, story = visitor.page, visitor.region("Story")
    visitor.press("Present")
    page.keyboard.press("PageDown")
    story.get_by_text("Who needs fewer passes?").wait_for()
    for said, end in (("The dual won", "And now?"), ("The primal won", "the side with the shorter steps wins")):
        page.keyboard.press("PageDown")  # runs the race
        visitor.wait_until(lambda: visitor.status == "All runs have ended." and "end of the replay" in visitor.outcome)
        page.wait_for_timeout(500)
        page.keyboard.press("PageDown")  # ends its replay
        visitor.wait_until(lambda said=said: visitor.outcome.startswith(said))
        if end == "And now?":
            page.keyboard.press("PageDown")  # makes the story's change
        story.get_by_text(end).wait_for()
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollHeight") <= 720
    for name, least in (("Convergence", 190), ("Matrix", 110)):
        assert visitor.region(name).get_by_role("img").first.bounding_box()["height"] >= least, name
    boxes = page.locator(".stage").evaluate(REGIONS)
    assert all(apart(a, b) for k, a in enumerate(boxes) for b in boxes[:k])
    page.keyboard.press("PageDown")
    story.get_by_text("Long rows.").wait_for()
    page.keyboard.press("ArrowLeft")
    story.get_by_text("The short side.").wait_for()


@pytest.mark.full
def test_the_playhead_follows_the_hand_however_large_the_page_is(visit):
    visitor = visit()
    canvas = visitor.region("Convergence").get_by_role("img").first
    for _ in range(2):
        visitor.page.wait_for_timeout(300)
        box, mouse = canvas.bounding_box(), visitor.page.mouse
        for share in (0.3, 0.6):
            x, y = box["x"] + share * box["width"], box["y"] + box["height"] / 2
            mouse.move(x, y)
            mouse.down()
            visitor.page.wait_for_timeout(100)
            assert canvas.evaluate(LINE) == pytest.approx(x, abs=6)  # the nearest tick
            mouse.up()
        visitor.press("Present")
