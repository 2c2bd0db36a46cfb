"""The drawers Store and Papers, in a real browser."""

import pytest
from browsing import PHONE

import cdlab

pytestmark = pytest.mark.ui


def fits(visitor):
    width = visitor.page.locator("#main").evaluate("main => [main.scrollWidth, main.clientWidth]")
    return width[0] <= width[1]


@pytest.mark.full
def test_a_store_is_read_looked_at_and_saved(visit, store):
    visitor = visit()
    visitor.open("Store")
    visitor.wait_until(lambda: "8 finished runs." in visitor.text and "Runs by problem and method" in visitor.text)
    assert "was on" in visitor.text
    visitor.choose("View", "table of ranks")
    visitor.wait_until(lambda: "mean rank" in visitor.text)
    visitor.page.set_viewport_size(PHONE)
    assert fits(visitor)
    with visitor.page.expect_download() as saved:
        visitor.press("Save as CSV")
    assert saved.value.suggested_filename == "small.csv"
    assert len(saved.value.path().read_text().splitlines()) == 1 + len(cdlab.Store(store))


@pytest.mark.full
def test_an_address_opens_an_item_of_a_paper_and_follows_it(visit):
    visitor = visit("?paper=faceoff-sampling", size=PHONE)
    visitor.page.get_by_role("link", name="Open in the dashboard: mushrooms").wait_for()
    assert fits(visitor)
    visitor.choose("Item", "faceoff-bounds: Theorems 2 to 5, Corollary 6")
    visitor.wait_until(lambda: visitor.page.url.endswith("?paper=faceoff-bounds"))


@pytest.mark.full
def test_a_closed_item_is_not_in_the_address_and_its_problem_can_be_raced(visit):
    visitor = visit("?paper=faceoff-sampling")
    link = visitor.page.get_by_role("link", name="Open in the dashboard: mushrooms")
    link.wait_for()
    visitor.press("Papers")
    visitor.wait_until(lambda: "paper=" not in visitor.page.url)
    visitor.press("Papers")
    link.click()
    visitor.wait_until(lambda: "data=mushrooms" in visitor.page.url and visitor.status != "")
