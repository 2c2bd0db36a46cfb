"""The Race drawer as a visitor uses it: axes, curves and bounds on and off, seeds, saving the picture."""

import pytest
from browsing import CURVES, PHONE

pytestmark = pytest.mark.ui

ENDLESS = "?n=5000&d=500&passes=10000&tol=0.0"
SMALL = "?n=200&d=50&passes=30&tol=0.0"

# one entry for each curve, bound and band that is drawn in the first figure
DRAWN = """() => {
  const models = Bokeh.documents[0].roots().flatMap((root) => [...root.references()])
  const figure = models.find((model) => model.type === "Figure" && model.name === "race")
  const [bands, bounds, curves] = figure.renderers.map((renderer) => renderer.data_source.data)
  const lengths = (data) => Array.from(data.xs, (xs) => xs.length)
  return {bands: lengths(bands), bounds: lengths(bounds), curves: lengths(curves), y: figure.left[0].axis_label,
          scale: figure.left[0].type}
}"""


def drawn(visitor) -> dict:
    return visitor.page.evaluate(DRAWN)


def switch(visitor, group: str, label: str):
    return visitor.page.get_by_role("group", name=group).get_by_label(label)


def race(visit, query="", **options):
    """A page with the drawer open; a link with choices runs."""
    visitor = visit(query, **options)
    visitor.open("Race")
    visitor.wait_until(lambda: visitor.status == ("All runs have ended." if query.strip("?") else ""), 60)
    visitor.page.locator(".bk-Figure").first.wait_for()
    return visitor


@pytest.mark.full
def test_a_curve_and_a_bound_can_be_switched_off_and_on(visit):
    visitor = race(visit)
    visitor.choose("Up", "relative duality gap")
    visitor.wait_until(lambda: drawn(visitor)["y"] == "relative duality gap")
    before = drawn(visitor)
    assert [count > 1 for count in before["bounds"]] == [True, True, False]  # that of rcd is not on the gap
    switch(visitor, "Curves", "quartz").uncheck()
    visitor.wait_until(lambda: drawn(visitor)["curves"][1] == 0)
    assert drawn(visitor)["bounds"][1] == 0
    switch(visitor, "Bounds", "sdca").uncheck()
    visitor.wait_until(lambda: drawn(visitor)["bounds"] == [0, 0, 0])
    assert switch(visitor, "Bounds", "rcd").is_disabled()
    switch(visitor, "Curves", "quartz").check()
    switch(visitor, "Bounds", "sdca").check()
    visitor.wait_until(lambda: drawn(visitor) == before)


@pytest.mark.full
def test_the_axes_can_be_switched_during_a_run_without_losing_anything(visit):
    visitor = visit(ENDLESS)
    visitor.open("Race")
    visitor.wait_until(lambda: visitor.status.startswith("Running") and len(visitor.curves) > 0 and all(visitor.curves))
    reach = visitor.reach
    explanation = visitor.page.locator("#drawer .told details")
    explanation.locator("summary").click()
    visitor.choose("Across", "coordinate updates")
    visitor.choose("Up", "relative primal suboptimality")
    visitor.wait_until(lambda: drawn(visitor)["y"] == "relative primal suboptimality")
    visitor.wait_until(lambda: visitor.reach > 5000)
    visitor.choose("Across", "passes over the data")
    visitor.wait_until(lambda: reach < visitor.reach < 5000)  # it has gone on meanwhile
    assert [xs[0] for xs in visitor.page.evaluate(CURVES, "xs")] == [0, 0, 0]  # and its beginning is there
    assert explanation.get_attribute("open") is not None  # although its words have changed
    visitor.press("Stop")
    visitor.wait_until(lambda: visitor.status == "Stopped.")


@pytest.mark.full
def test_the_test_error_is_greyed_with_a_reason_where_there_is_no_test_part(visit):
    visitor = race(visit)
    option = visitor.page.locator("option[value=test]")
    assert option.is_disabled()
    assert "No test error: random data have no test part." in visitor.text


@pytest.mark.full
def test_the_test_error_is_drawn_where_there_is_one(visit):
    visitor = race(visit, "?data=a9a&passes=2&tol=0.0&methods=sdca")
    visitor.choose("Up", "test error")
    visitor.wait_until(lambda: drawn(visitor)["scale"] == "LinearAxis")
    assert all(0 < error < 1 for error in visitor.curves[0][1:])
    assert "No test error" not in visitor.text


@pytest.mark.full
def test_several_seeds_are_bands(visit):
    visitor = race(visit, SMALL + "&seeds=4")
    visitor.wait_until(lambda: len(drawn(visitor)["bands"]) == 3)
    assert len(visitor.curves) == 3
    assert "a line is the median" in visitor.text
    assert "seeds 0 to 3" in visitor.text


@pytest.mark.full
@pytest.mark.parametrize(("kind", "starts"), [("SVG", b"<svg"), ("PNG", b"\x89PNG")])
def test_the_picture_can_be_saved(visit, kind, starts):
    visitor = race(visit)
    with visitor.page.expect_download() as download:
        visitor.press(kind)
    assert download.value.suggested_filename == f"race.{kind.lower()}"
    content = download.value.path().read_bytes()
    assert content.startswith(starts)
    assert len(content) > 5000
    if kind == "SVG":
        assert b"rcd, importance" in content
        assert content.count(b"<image") <= 3  # bokeh's legend has pixels; the curves are lines
        assert content.count(b"<path") > 50


@pytest.mark.full
def test_all_points_can_be_saved(visit):
    visitor = race(visit)
    with visitor.page.expect_download() as download:
        visitor.press("CSV")
    lines = download.value.path().read_text().splitlines()
    assert lines[0].startswith("run,data_hash,problem,label,method,sampling,seed,status,iteration,passes")
    assert len(lines) == 1 + sum(map(len, visitor.curves))


@pytest.mark.full
def test_the_keyboard_reaches_the_switches_and_stays_there(visit):
    visitor = race(visit)
    box = switch(visitor, "Curves", "quartz")
    box.focus()
    visitor.page.keyboard.press("Space")
    visitor.wait_until(lambda: drawn(visitor)["curves"][1] == 0)
    visitor.page.keyboard.press("Space")
    visitor.wait_until(lambda: drawn(visitor)["curves"][1] > 0)


@pytest.mark.full
def test_a_phone_has_room_for_the_controls(visit):
    visitor = race(visit, size=PHONE)
    width = visitor.page.locator("#main").evaluate("main => [main.scrollWidth, main.clientWidth]")
    assert width[0] <= width[1]
    switch(visitor, "Curves", "sdca").uncheck()
    visitor.wait_until(lambda: drawn(visitor)["curves"][0] == 0)


@pytest.mark.full
def test_the_axes_are_in_the_address(visit):
    visitor = race(visit, SMALL + "&x=seconds&y=dual")
    assert drawn(visitor)["y"] == "relative dual suboptimality"
    visitor.choose("Across", "passes over the data")
    visitor.wait_until(lambda: "x=" not in visitor.page.url)
    assert "y=dual" in visitor.page.url
