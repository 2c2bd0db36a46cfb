"""The chooser and the stories alone in a browser: how much room they take, on a phone, in the dark."""

import re

import pytest
from browsing import ALL, INSIDE, PHONE

pytestmark = [pytest.mark.ui, pytest.mark.full]  # a push sees the same on the page

LAPTOP, SMALL = {"width": 1440, "height": 900}, {"width": 1280, "height": 720}
# of each visible element with text of its own: its contrast with what is behind it (WCAG 2), and its text
CONTRASTS = (
    f"() => {{ {ALL}"
    + """
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", {willReadFrequently: true})
  const over = (colours) => { // painted one over another, as the browser does
    canvas.clearRect(0, 0, 1, 1)
    for (const colour of colours) { canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1) }
    return [...canvas.getImageData(0, 0, 1, 1).data.slice(0, 3)]
  }
  const light = (rgb) => rgb.map((c) => c / 255).map((c) => c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, k) => sum + c * [0.2126, 0.7152, 0.0722][k], 0)
  const own = (e) => [...e.childNodes].some((n) => n.nodeType === Node.TEXT_NODE && n.data.trim())
  const seen = (e) => own(e) && e.checkVisibility() && !e.disabled && e.tagName !== "STYLE"
  return all(document.querySelector("main")).filter(seen)
    .map((element) => {
      const behind = []
      for (let e = element; e; e = e.parentElement ?? e.getRootNode().host) {
        behind.unshift(getComputedStyle(e).backgroundColor)
      }
      const paper = light(over(behind)), ink = light(over([...behind, getComputedStyle(element).color]))
      return [(Math.max(paper, ink) + 0.05) / (Math.min(paper, ink) + 0.05), element.textContent]
    })
}"""
)


@pytest.fixture
def visit(at_chooser):
    return lambda size=LAPTOP: at_chooser(size).page


def wait(page, words: str) -> None:
    part = page.get_by_text(words).first
    part.wait_for(timeout=15_000)
    assert part.is_visible()


@pytest.mark.parametrize(("size", "most"), [(LAPTOP, 170), (SMALL, 180)])
def test_on_a_laptop_it_is_low_and_nothing_is_cut_off(visit, size, most):
    page = visit(size)
    box = page.evaluate(INSIDE, "chooser")
    assert box["height"] <= most
    assert box["right"] <= size["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    page.get_by_role("button", name="Story 4: One heavy row").click()
    wait(page, "quartz takes fixed steps")
    assert page.evaluate(INSIDE, "chooser")["height"] <= most


def test_on_a_phone_run_and_guess_are_always_in_view_and_nothing_is_wider(visit):
    page = visit(PHONE)
    page.get_by_role("button", name="Story 4: One heavy row").click()
    wait(page, "quartz takes fixed steps")
    for top in (0, 10_000):
        page.evaluate(f"scrollTo(0, {top})")
        for name in ("Run", "Step"):
            box = page.get_by_role("button", name=name, exact=True).bounding_box()
            assert 0 <= box["y"] < box["y"] + box["height"] <= PHONE["height"]
        box = page.get_by_role("radiogroup", name=re.compile("Your guess")).bounding_box()
        assert 0 <= box["x"] < box["x"] + box["width"] <= PHONE["width"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_long_words_widen_nothing(visit):
    page = visit(PHONE)
    page.get_by_role("button", name="+ add").click()
    for name in ("accprox_sdca", "acc_kaczmarz", "adasdca_plus", "dual_appa"):
        page.get_by_role("listbox", name="Methods").get_by_role("option", name=name).click()
    page.get_by_role("button", name="Remove dual_appa").wait_for()
    page.keyboard.press("Escape")
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


@pytest.mark.parametrize("look", ["light", "dark"])
@pytest.mark.parametrize("size", [LAPTOP, PHONE], ids=["laptop", "phone"])
def test_both_looks_are_readable(visit, look, size):
    page = visit(size)
    page.evaluate(f"document.documentElement.dataset.bsTheme = {look!r}")
    page.get_by_role("button", name="Story 2: Long rows").click()
    page.get_by_text("dual", exact=True).first.wait_for()
    page.get_by_role("combobox", name="dual method").select_option("apcg")
    wait(page, "Your variation.")
    page.get_by_role("button", name="+ add").click()
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 60
    assert min(contrasts)[0] >= 4.5, min(contrasts)


def test_words_of_theory_explain_themselves_on_focus(visit):
    page = visit()
    for name, words in (("primal", "one feature"), ("dual", "one example"), ("sampling", "next coordinate")):
        word = page.get_by_role("button", name=name, exact=True)
        word.focus()
        assert page.get_by_role("tooltip").filter(has_text=words).is_visible()
        page.keyboard.press("Escape")
