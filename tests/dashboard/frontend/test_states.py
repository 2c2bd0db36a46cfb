"""Every state of the page, in every size, light and dark: nothing is cut, too small, too pale or out of reach.

``CDLAB_PICTURES=FOLDER pytest -m full`` with this file keeps a picture of each, to be looked at.
"""

import os
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe

pytestmark = pytest.mark.ui

SIZES = {"1440": (1440, 900), "1280": (1280, 720), "phone": (390, 844), "narrow": (320, 640)}
PICTURES = os.environ.get("CDLAB_PICTURES")
TAB_STOPS, TARGET = 35, 24
TEXT, SLIDE_TEXT = 12, 20
FOCUSABLE = """() => [...document.querySelectorAll(".cdlab *")].filter((each) => each.tabIndex >= 0 && !each.disabled
  && each.checkVisibility({visibilityProperty: true}) && !each.closest("[inert], dialog:not([open])")).length"""
TOO_SMALL = """(least) => [...document.querySelectorAll(".cdlab :is(button, input, select, a)")].filter((each) => {
  const {width, height} = each.getBoundingClientRect()
  return each.checkVisibility() && width > 0 && (width < least || height < least)
}).map((each) => each.outerHTML.slice(0, 80))"""
SMALLEST_TEXT = """() => Math.min(...[...document.querySelectorAll(".screen *")]
  .filter((each) => [...each.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim())
    && each.checkVisibility() && !each.closest(".hidden"))
  .map((each) => parseFloat(getComputedStyle(each).fontSize)))
  * parseFloat(getComputedStyle(document.querySelector(".present") ?? document.body).zoom)"""
CUT = """() => [...document.querySelectorAll(".out, .why, .whynot, .tale, .advice, .thm, .eq, .matrix > .s")]
  .filter((each) => each.checkVisibility() && (each.scrollWidth > each.clientWidth + 1
    || (each.scrollHeight > each.clientHeight + 2 && getComputedStyle(each).overflowY === "hidden")))
  .map((each) => `${each.className}: ${each.textContent}`)"""
BEYOND = (
    "() => [document.documentElement.scrollWidth - innerWidth, document.documentElement.scrollHeight - innerHeight]"
)
MOUNT = """async ([change, pause]) => {
  const {mount, recordedEngine} = await import("/page.js")
  const recordings = await (await fetch("/recorded.json")).json()
  const changed = new Function("kind", "value", change)
  for (const {question, answers} of recordings) for (const {value} of answers) changed(question.kind, value)
  const engine = recordedEngine(recordings)
  const wait = ({kind}) => (kind === "catalog" ? 0 : pause)
  const ask = (question, heard) => setTimeout(() => engine.ask(question, heard), wait(question))
  await mount(document.getElementById("page"), {ask})
}"""
REFUSED = """if (kind === "predict") Object.assign(value, {
  matrix: null, theorems: [], primal: null, dual: null, ratio: null, ratio_words: "", condition: null,
  refusals: [{what: "data", why: "covtype.binary has 31 million entries; this page takes 20 million.",
    repairs: [{words: "take a sample of 200,000 examples", choices: {sample: 200000}}]}],
})"""
MISSED = """if (kind === "race" && value.outcome) {
  Object.assign(value.outcome, {at_least: true, primal_over_dual: null})
  Object.assign(value.outcome.results[0], {reached: null, last_passes: 60, last_gap: 1e-3})
}"""
LONG = """if (kind === "predict") value.estimate = 4"""


def said(visitor, words):
    visitor.page.locator(".voice", has_text=words).wait_for(timeout=10_000)


def press(*keys):
    def act(visitor):
        said(visitor, "Why:")
        for key in keys:
            visitor.page.keyboard.press(key)

    return act


def wait(words):
    return lambda visitor: said(visitor, words)


def mounted(change, words, pause=0):
    """The page again, with answers that are changed or late."""

    def act(visitor):
        visitor.page.evaluate(MOUNT, [change, pause])
        said(visitor, words)

    return act


def taken(visitor):
    visitor.page.locator(".guess button:visible").first.click()
    said(visitor, "You guessed rcd")


def moved(visitor):
    said(visitor, "Why:")
    visitor.page.get_by_role("slider", name="rows").first.press("ArrowRight")  # not recorded
    said(visitor, "could not answer")
    visitor.page.wait_for_timeout(700)


def proved(visitor):
    said(visitor, "Why:")
    visitor.page.get_by_role("button", name="an example", exact=True).click()
    visitor.page.locator(".drawer", has_text="Accepted").wait_for(timeout=10_000)


def chosen(visitor):
    said(visitor, "Why:")
    visitor.page.get_by_role("button", name="Method 1: rcd").first.click()


STATES = {  # name -> address, what is done there
    "free": ("?v=2", wait("Why:")),
    "ask": ("?story=3", wait("Who needs")),
    "told": ("?story=3", taken),
    "replay": ("?v=2", press(*["ArrowLeft"] * 20)),
    "step": ("?v=2", press(".")),
    "kept": ("?v=2", press("k")),
    "five": ("?methods=spdc,asdca,appa,saga,svrg", wait("Why:")),
    "even": ("?v=2&clock=even", wait("Why:")),
    "error": ("?v=2", moved),
    "refused": ("?v=2", mounted(REFUSED, "31 million")),
    "missed": ("?v=2", mounted(MISSED, "the limit")),
    "long": ("?v=2", mounted(LONG, "Run, about 4 s")),
    "loading": ("?v=2", mounted("", "Making the data", 1e6)),
    "methods": ("?v=2", chosen),
    "advanced": ("?v=2&drawer=Advanced", wait("Why:")),
    "steps": ("?v=2&drawer=Steps", wait("Why:")),
    "proof": ("?v=2&drawer=Proof", proved),
    "bounds": ("?v=2&drawer=Bounds", wait("Why:")),
    "keys": ("?v=2", press("?")),
    "present problem": ("?story=3&present=problem", wait("Who needs")),
    "present picture": ("?v=2&present=picture", wait("Why:")),
    "present values": ("?v=2&present=values", wait("Why:")),
    "present matrix": ("?v=2&present=matrix", wait("Why:")),
    "present theorem": ("?v=2&present=theorem", wait("Why:")),
    "present story": ("?story=3&present=picture", wait("Who needs")),
}
TALL = ("advanced", "steps", "bounds", "proof", "error", "five")  # drawers are below the page; an error may be long
PUSHED = [("free", "phone", "dark"), ("told", "1280", "light"), ("five", "narrow", "light")]
EACH = [
    (state, size, scheme)
    for state in STATES
    for size in SIZES
    for scheme in ("light", "dark")
    if size in ("1440", "1280") or not state.startswith("present")  # a phone is not presented from
]


@pytest.mark.parametrize(
    ("state", "size", "scheme"),
    [pytest.param(*case, marks=() if case in PUSHED else pytest.mark.full) for case in EACH],
)
def test_state(visit, state, size, scheme):
    query, act = STATES[state]
    there = "Present" if state.startswith("present") else "Matrix"
    width, height = SIZES[size]
    visitor = visit(query, {"width": width, "height": height}, there, color_scheme=scheme, reduced_motion="reduce")
    act(visitor)
    page = visitor.page
    page.wait_for_timeout(200)  # until what fades has faded
    if PICTURES:
        page.screenshot(path=Path(PICTURES) / f"{state} {size} {scheme}.png")
    beyond, below = page.evaluate(BEYOND)
    assert beyond <= 0
    assert below <= 0 or state in TALL or width < 800
    assert page.evaluate(CUT) == []
    assert page.evaluate(SMALLEST_TEXT) >= (SLIDE_TEXT if there == "Present" else TEXT)
    assert page.evaluate(TOO_SMALL, TARGET) == []
    assert page.evaluate(FOCUSABLE) <= TAB_STOPS + (state == "advanced") * 30  # the fields of the drawer
    if width < 800:
        page.set_viewport_size({"width": width, "height": 5000})  # its bar covers no text then
    found = Axe().run(page).response["violations"]
    assert [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]] == []
