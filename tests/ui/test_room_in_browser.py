"""Room on the page: nothing is cut off on a phone, nothing covers what matters, and nobody scrolls over emptiness."""

import pytest
from browsing import DESKTOP, PHONE, dashboard
from browsing import Visitor as Page

pytestmark = pytest.mark.ui

COLUMNS = """() => {
  const models = Bokeh.documents[0].roots().flatMap((root) => [...root.references()])
  return models.find((model) => model.type === "Figure" && model.name === "race").below.at(-1).ncols
}"""


def heights(visitor) -> tuple[int, int]:
    """Of what can be scrolled, and of what is seen."""
    return tuple(visitor.page.locator("#main").evaluate("main => [main.scrollHeight, main.clientHeight]"))


@pytest.mark.full
def test_a_closed_tab_takes_no_room(visit):
    visitor = visit("?methods=sdca,rcd")
    visitor.open("Bounds")
    visitor.wait_until(lambda: "The papers' tables" in visitor.text and heights(visitor)[0] > 2000)
    visitor.open("Code")
    visitor.wait_until(lambda: "pip install -e ." in visitor.text)
    visitor.wait_until(lambda: heights(visitor)[0] == heights(visitor)[1])
    visitor.open("Bounds")
    visitor.wait_until(lambda: heights(visitor)[0] > 2000)


@pytest.mark.full
def test_a_phone_shows_the_name_of_every_tab(visit):
    visitor = visit(size=PHONE)
    boxes = [tab.bounding_box() for tab in visitor.page.locator(".bk-tab").all()]
    assert all(box["x"] + box["width"] <= PHONE["width"] for box in boxes)


@pytest.mark.full
@pytest.mark.parametrize(("size", "open_after"), [(PHONE, False), (DESKTOP, True)], ids=["phone", "desktop"])
def test_on_a_phone_the_sidebar_makes_room_for_the_race(visit, size, open_after):
    visitor = visit("?passes=5", size=size)
    run = visitor.page.get_by_role("button", name="Run", exact=True)
    if size is PHONE:
        visitor.page.locator("#sidebar-toggle").click()
        visitor.page.locator("#sidebar.show").wait_for()
    run.click()
    visitor.wait_until(lambda: run.is_visible() == open_after)


@pytest.mark.full
def test_a_legend_has_as_many_columns_as_there_is_room_for(visit):
    query = "?methods=sdca,rcd,fista&passes=5"
    for size, fits in ((DESKTOP, lambda columns: columns == 3), (PHONE, lambda columns: columns < 3)):
        visitor = visit(query, size=size)
        visitor.wait_until(lambda: fits(visitor.page.evaluate(COLUMNS)))  # noqa: B023


@pytest.mark.full
def test_the_note_of_a_lost_connection_leaves_the_title_free(chromium):
    with dashboard() as (address, _):
        visitor = Page(chromium, address)
    note, title = visitor.page.locator("#connection"), visitor.page.locator("#header")
    visitor.wait_until(lambda: "The connection to the server is lost." in note.inner_text())
    assert note.bounding_box()["y"] >= title.bounding_box()["y"] + title.bounding_box()["height"]
    visitor.page.close()


@pytest.mark.full
def test_all_lists_look_alike(visit):
    visitor = visit("?methods=sdca,spdc&dual_sampling=uniform")
    visitor.open("Bounds")
    table = visitor.page.get_by_label("Table", exact=True)
    table.wait_for()
    look = "list => ['fontSize', 'borderRadius', 'padding'].map((name) => getComputedStyle(list)[name])"
    assert table.evaluate(look) == visitor.page.get_by_label("Loss", exact=True).evaluate(look)
