"""Links run, or say what they wait for; they never show the outcome of other choices."""

import pytest

pytestmark = pytest.mark.ui

HEAVY = "?n=20000&d=2000&passes=100000"  # too long to run by itself
SMALL = "?n=200&d=50&passes=30"


@pytest.mark.full
def test_a_link_runs_and_shows_no_other_outcome(visit):
    visitor = visit(SMALL)
    visitor.wait_until(lambda: visitor.status == "All runs have ended.")
    visitor.wait_until(lambda: visitor.passes > 0)
    assert "200 × 50" in visitor.region("Matrix").inner_text()
    assert max(lane["passes"][-1] for lane in visitor.race["lanes"]) <= 40
    visitor.choose("Real data", "mushrooms")
    visitor.wait_until(lambda: "data=mushrooms" in visitor.page.url)


@pytest.mark.full
def test_a_long_link_and_one_without_its_file_wait_over_an_empty_frame(visit):
    for query, words in (
        (HEAVY, "press Run to start it."),
        ("?data=upload&upload=mine.txt:ab12", "it does not carry: choose the file under Data, then press Run."),
    ):
        visitor = visit(query)
        assert visitor.outcome.endswith(words)
        assert visitor.race is None
        assert visitor.status == ""


@pytest.mark.full
def test_what_an_address_asks_for_in_vain_is_said_until_it_is_closed(visit):
    visitor = visit("?density=7&x=miles")
    alert = visitor.region("Outcome").get_by_role("alert")
    assert "The address asks for density=7, which was left out" in alert.inner_text()
    assert "The address asks for x=miles, which was left out" in alert.inner_text()
    visitor.region("Outcome").get_by_role("button", name="Close").click()
    visitor.wait_until(lambda: not alert.is_visible())
