"""Drawers of the served page, as a reader uses them."""

import json

import pytest
from browsing import PHONE, violations

pytestmark = [pytest.mark.ui, pytest.mark.full]

BEYOND = "() => document.documentElement.scrollWidth - innerWidth"
SMALL = """() => {
  const found = []
  const walk = (root) => { for (const each of root.querySelectorAll("*")) {
    if (each.shadowRoot) walk(each.shadowRoot)
    const words = [...each.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.data.trim())
    const small = parseFloat(getComputedStyle(each).fontSize) < 12
    if (words && small && each.checkVisibility()) found.push(each.outerHTML.slice(0, 80))
  } }
  walk(document)
  return found
}"""

STYLED = """() => {
  const walk = (root) => [...root.querySelectorAll("*")].every((each) =>
    (each.rel !== "stylesheet" || each.sheet) && (!each.shadowRoot || walk(each.shadowRoot)))
  return walk(document)
}"""


def settled(visitor, words: str):
    """The open drawer, when it has said this and nothing in it is under way."""
    drawer = visitor.page.locator("section.drawer")
    drawer.get_by_text(words).first.wait_for()
    visitor.wait_until(lambda: drawer.get_by_text("One moment.").count() == 0)
    visitor.page.wait_for_function(STYLED)  # sheets of widgets come one by one
    visitor.page.wait_for_timeout(500)  # pictures come after their texts
    return drawer


@pytest.mark.parametrize(("name", "words"), [
    ("Bounds", "All theorems"), ("Face-off", "Rows and columns"), ("Sampling", "Passes until the relative gap is"),
    ("Runs", "tolerance reached"), ("Code", "import cdlab"),
])  # fmt: skip
@pytest.mark.parametrize("look", ["light", "dark"])
def test_a_drawer_fits_a_phone_and_keeps_nobody_out(visit, name, words, look):
    visitor = visit(f"?v=2&drawer={name}", PHONE, color_scheme=look, reduced_motion="reduce")
    settled(visitor, words)
    assert visitor.page.evaluate(BEYOND) <= 0
    assert visitor.page.evaluate(SMALL) == []
    assert violations(visitor) == []


def test_the_last_race_is_explained_on_demand(visit):
    visitor = visit("?v=2&drawer=Bounds", reduced_motion="reduce")
    visitor.wait_for("Why:")
    settled(visitor, "All theorems").get_by_role("button", name="Explain the last race in full").click()
    settled(visitor, "Why it came out so, and not as predicted").get_by_text("3 columns of by far").first.wait_for()


def test_a_session_is_saved_and_taken_up_by_another_page(visit, tmp_path):
    visitor = visit("?v=2&drawer=Runs&n=300&d=40", reduced_motion="reduce")
    drawer = settled(visitor, "tolerance reached")
    with visitor.page.expect_download() as saved:
        drawer.get_by_text("Save the session (JSON)").click()
    saved.value.save_as(tmp_path / "session.json")
    assert json.loads((tmp_path / "session.json").read_text())["choices"]["n"] == 300
    other = visit("?v=2&drawer=Runs", reduced_motion="reduce")
    settled(other, "tolerance reached").locator("input[type=file]").set_input_files(tmp_path / "session.json")
    settled(other, "1 race and the choices have been taken up")
    other.wait_until(lambda: "n=300" in other.page.url)


def test_a_store_stands_beside_the_races_of_the_page(visit):
    visitor = visit("?v=2&drawer=Runs", reduced_motion="reduce")
    settled(visitor, "tolerance reached").get_by_role("button", name="Read the store").click()
    settled(visitor, "8 finished runs").get_by_text("Share of problems solved").first.wait_for()


def test_bounds_and_a_quantile_are_chosen_in_advanced(visit):
    visitor = visit("?v=2&drawer=Advanced&loss=pinball&methods=sdca&n=300&d=40", reduced_motion="reduce")
    drawer = visitor.page.locator("section.drawer")
    quantile = drawer.get_by_label("quantile")
    quantile.fill("0.9")
    quantile.press("Tab")
    drawer.get_by_label("positive").check()
    drawer.get_by_text("the face-off gives no verdict").wait_for()
    visitor.wait_until(lambda: "quantile=0.9" in visitor.page.url and "positive=yes" in visitor.page.url)
    assert visitor.complaints == []
    assert violations(visitor) == []
