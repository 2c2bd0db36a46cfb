"""Words: those of theory explain themselves, none is cut off, and the keyboard meets everything in order."""

import pytest
from browsing import ALL, PHONE

pytestmark = pytest.mark.ui

SIZES = [(1280, 720), (1440, 900), (1920, 1080)]
# boxes of the screen that hold more than they show; what only screen readers get is one pixel high
CUT = f"""() => {{ {ALL}
  const clips = (e) => getComputedStyle(e).overflow !== "visible" && e.clientHeight > 2 && e.checkVisibility()
  const more = (e) => e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1
  return all(document.querySelector("#screen")).filter((e) => clips(e) && more(e) && e.textContent)
    .map((e) => [e.className, e.textContent])
}}"""
# what has the focus: whether it can be seen, what it is
FOCUSED = f"""() => {{ {ALL}
  let e = document.activeElement
  while (e.shadowRoot?.activeElement) e = e.shadowRoot.activeElement
  if (e === document.body) return null
  const shown = e.closest(".chip, .upload") ?? e, style = getComputedStyle(shown), box = shown.getBoundingClientRect()
  let top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
  while (top?.shadowRoot) {{
    const inner = top.shadowRoot.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2)
    if (!inner || inner === top) break
    top = inner
  }}
  const lined = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2
  const free = Boolean(top) && (shown.contains(top) || top.contains(shown))
  return [lined && free, e.getAttribute("aria-label") || e.labels?.[0]?.textContent || e.textContent.trim()]
}}"""
FIRST = (
    "Story 1: The short side",
    "Present",
    "dense",
    "density",
    "importance",
    "primal method",
    "dual method",
    "+ add",
)
MET = (*FIRST, "Run", "table", "Playhead", "Play", "passes", "nonzeros", "Theorems", "gap", "Race", "Advanced")


@pytest.mark.full
def test_words_of_theory_explain_themselves_on_focus_and_stay_in_view(visit):
    visitor = visit()
    page = visitor.page
    page.set_viewport_size({"width": 1280, "height": 720})
    page.wait_for_timeout(200)
    words = {
        "primal": "one feature", "dual": "one example", "importance": "drawn more often", "nonzeros": "not 0",
        "passes": "every nonzero", "gap": "P − D",
        "CP": "Each stripe is a feature", "CD": "Each stripe is an example", "P and D": "how far P(w) can still be",
        "own passes": "not over the data of the race", "l2": "The λ of the formulas",
    }  # fmt: skip
    for word, meaning in words.items():
        role = "radio" if word == "importance" else "button"
        page.get_by_role(role, name=word, exact=True).last.focus()
        tip = page.get_by_role("tooltip")
        assert meaning in tip.inner_text()
        box = tip.bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= 1280
        assert 0 <= box["y"] <= box["y"] + box["height"] <= 720
        page.keyboard.press("Escape")
        assert tip.count() == 0


@pytest.mark.full
@pytest.mark.parametrize("look", ["light", "dark"])
def test_no_words_are_cut_off(visit, look):
    visitor = visit(f"?look={look}")
    for story in (None, "Story 2: Long rows", "Story 4: One heavy row"):
        if story:
            visitor.page.get_by_role("button", name=story).click()
            visitor.region("Story").get_by_text(story.partition(": ")[2]).wait_for()
            visitor.press("Run")
            visitor.wait_until(lambda: visitor.status == "All runs have ended.")
        for width, height in SIZES:
            visitor.page.set_viewport_size({"width": width, "height": height})
            visitor.page.wait_for_timeout(300)
            assert visitor.page.evaluate(CUT) == [], (story, width)
            assert visitor.page.evaluate("document.documentElement.scrollHeight") <= height


@pytest.mark.full
@pytest.mark.parametrize("size", [{"width": 1280, "height": 720}, PHONE], ids=["laptop", "phone"])
def test_the_keyboard_meets_everything_in_order_sees_where_it_is_and_gets_out(visit, size):
    visitor = visit(size=size)
    visitor.page.emulate_media(reduced_motion="reduce")
    met = []
    for _ in range(120):
        visitor.page.keyboard.press("Tab")
        visitor.page.wait_for_timeout(30)
        focused = visitor.page.evaluate(FOCUSED)
        if focused is None:
            break
        assert focused[0], focused[1]
        met.append(focused[1])
    else:
        pytest.fail("Tab does not lead out of the page")
    expected = [name for name in MET if size is not PHONE or name != "Present"]
    assert [name for name in expected if name not in met] == []
    places = [met.index(name) for name in expected]
    assert places == sorted(places)
