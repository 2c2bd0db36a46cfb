"""axe-core finds nothing that keeps people out, in any state of the page, light and dark."""

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import DESKTOP, PHONE, Visitor

pytestmark = pytest.mark.ui

DRAWERS = ("Race", "Bounds", "Face-off", "Sampling", "Runs", "Store", "Papers", "Code", "Advanced")


def violations(visitor: Visitor) -> list[str]:
    found = Axe().run(visitor.page).response["violations"]
    return [f"{each['id']}: {node['html'][:200]}" for each in found for node in each["nodes"]]


def run(visitor: Visitor) -> None:
    """Until the race has ended and its outcome is told."""
    visitor.page.emulate_media(reduced_motion="reduce")  # the outcome is told without a replay
    visitor.press("Run")
    visitor.wait_until(lambda: visitor.page.get_by_role("button", name="Run", exact=True).count() == 1)
    visitor.wait_until(lambda: " won" in visitor.outcome or "tie" in visitor.outcome)


def short(visitor: Visitor) -> Iterator[str]:
    """States that say most: each is there when it is named."""
    page = visitor.page
    yield "first"
    page.get_by_role("combobox", name="dual method").select_option("quartz")
    visitor.region("Convergence").get_by_text("was run with other choices").wait_for()
    yield "stale"
    run(visitor)
    yield "after a race"
    visitor.open("Runs")
    visitor.page.locator("#drawer table").first.wait_for()
    yield "Runs"
    visitor.press("Runs")
    page.get_by_role("button", name="Story 4: One heavy row").click()
    visitor.region("Story").wait_for()
    yield "a story"
    visitor.press("Present")
    yield "Present"
    page.keyboard.press("Escape")
    page.set_viewport_size(PHONE)
    yield "a phone"
    page.set_viewport_size(DESKTOP)


def rest(visitor: Visitor) -> Iterator[str]:
    """The other states."""
    page = visitor.page
    page.get_by_role("button", name="Leave", exact=True).click()
    visitor.region("Story").wait_for(state="hidden")
    visitor.open("Advanced")
    visitor.choose("Target", "none")
    visitor.choose("Most passes", "100000")
    visitor.press("Run")
    page.get_by_role("button", name="Stop", exact=True).wait_for()
    yield "running"
    visitor.press("Stop")
    page.get_by_role("button", name="Run", exact=True).wait_for()
    for name in DRAWERS:
        visitor.open(name)
        visitor.wait_until(lambda: page.locator("#drawer :is(p, table, fieldset, pre)").count() > 0)
        visitor.wait_until(lambda: "Working it out." not in visitor.text)
        page.wait_for_timeout(500)  # figures come after their texts
        yield name
    visitor.press(name)
    page.get_by_role("button", name="+ add").click()
    yield "methods to add"
    page.keyboard.press("Escape")
    for row in ("Data", "Sampling"):
        menu = visitor.region(row).get_by_text("more", exact=True)
        menu.click()
        yield f"more of {row}"
        menu.click()
    page.get_by_role("button", name="passes").first.focus()
    page.get_by_role("tooltip").wait_for()
    yield "a word explained"
    visitor.press("table")
    yield "the curves as a table"
    page.set_viewport_size(PHONE)
    yield "a table on a phone"


@pytest.mark.full
def test_what_most_people_see_keeps_nobody_out(visit):
    visitor = visit("?methods=sdca,rcd&passes=30")
    visitor.wait_until(lambda: visitor.status == "All runs have ended.", 60)  # a link runs
    assert {state: violations(visitor) for state in short(visitor)} == dict.fromkeys(
        ("first", "stale", "after a race", "Runs", "a story", "Present", "a phone"), []
    )


@pytest.mark.full
@pytest.mark.parametrize("look", ["light", "dark"])
def test_no_state_keeps_anybody_out(visit, look):
    visitor = visit(f"?methods=sdca,rcd&passes=30&look={look}")
    visitor.wait_until(lambda: visitor.status == "All runs have ended.", 60)  # a link runs
    for states in (short, rest):
        for state in states(visitor):
            assert violations(visitor) == [], state


@pytest.mark.full
def test_errors_keep_nobody_out(visit):
    for look in ("light", "dark"):
        visitor = visit(f"?l2=-3&look={look}")  # an address with what cannot be
        assert visitor.region("Outcome").get_by_role("alert").inner_text()
        assert violations(visitor) == []
        visitor.page.locator("input[type=file]").set_input_files(
            [{"name": "bad.csv", "mimeType": "text/csv", "buffer": b"1,2\n1\n"}]
        )
        visitor.page.get_by_text("bad.csv").first.wait_for()
        assert violations(visitor) == []
