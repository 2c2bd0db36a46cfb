"""A phone: the stage is swiped over its clock, Run and the guess stay, and fingers meet what they need."""

import pytest
from browsing import PHONE, Visitor

pytestmark = pytest.mark.ui

STRIP = ("Convergence", "Matrix", "Two variables", "Face-off", "Bound")


def box(visitor, name: str) -> dict:
    role = "figure" if name == "Two variables" else "region"
    return visitor.page.get_by_role(role, name=name, exact=True).bounding_box()


def bottom(box: dict) -> float:
    return box["y"] + box["height"]


def swipe(page, x: float, y: float) -> None:
    """A finger that goes 220 pixels to the left."""
    finger = page.context.new_cdp_session(page)
    finger.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    for k in range(1, 12):
        finger.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x - 20 * k, "y": y}]})
        page.wait_for_timeout(16)
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


@pytest.mark.full
def test_the_stage_is_a_strip_with_its_clock_under_it_and_the_outcome_next(visit):
    visitor = visit(size=PHONE)
    page = visitor.page
    places = [box(visitor, name) for name in STRIP]
    assert len({place["y"] for place in places}) == 1
    assert [place["x"] for place in places] == sorted(place["x"] for place in places)
    assert places[0]["x"] + places[0]["width"] < places[1]["x"] < PHONE["width"] - 10  # a part of the next one shows
    clock = page.get_by_role("button", name="Play", exact=True).bounding_box()
    playhead = page.get_by_role("slider", name="Playhead").bounding_box()
    assert max(map(bottom, places)) <= playhead["y"]
    assert playhead["x"] >= 0
    assert playhead["x"] + playhead["width"] <= PHONE["width"]
    assert bottom(clock) <= box(visitor, "Outcome")["y"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert page.evaluate("document.documentElement.scrollHeight") <= 2.5 * PHONE["height"]
    for name in STRIP[::-1]:  # by keyboard
        page.get_by_role("button", name=f"Show {name.lower()}").press("Enter")
        visitor.wait_until(
            lambda name=name: -1 <= box(visitor, name)["x"] < PHONE["width"] - box(visitor, name)["width"]
        )
        visitor.wait_until(lambda: playhead["x"] == page.get_by_role("slider", name="Playhead").bounding_box()["x"])
    visitor.press("Run")
    run = page.get_by_role("group", name="Run", exact=True).bounding_box()
    assert bottom(run) <= PHONE["height"]
    visitor.wait_until(lambda: 0 <= box(visitor, "Convergence")["y"] < 20)  # the race that runs is in view
    assert bottom(page.get_by_role("slider", name="Playhead").bounding_box()) <= run["y"]


@pytest.mark.full
def test_a_finger_swipes_over_the_curves_and_a_tap_moves_the_playhead_or_explains_a_word(chromium, address):
    context = chromium.browser.new_context(has_touch=True)
    visitor = Visitor(context, address, PHONE)
    page = visitor.page
    canvas = visitor.region("Convergence").get_by_role("img").first
    canvas.scroll_into_view_if_needed()
    page.evaluate("scrollBy(0, 200)")
    playhead = page.get_by_role("slider", name="Playhead")
    at, where = canvas.bounding_box(), playhead.input_value()
    middle = {"x": at["x"] + at["width"] / 2, "y": at["y"] + at["height"] / 2}
    swipe(page, at["x"] + 250, middle["y"])
    visitor.wait_until(lambda: box(visitor, "Matrix")["x"] < 60)
    assert playhead.input_value() == where
    page.wait_for_timeout(1000)  # the swipe comes to rest: what is tapped before, it takes back
    page.get_by_role("button", name="Show convergence").tap()
    visitor.wait_until(lambda: box(visitor, "Convergence")["x"] >= 0)
    page.wait_for_timeout(500)
    page.touchscreen.tap(middle["x"], middle["y"])
    visitor.wait_until(lambda: 0 < int(playhead.input_value()) < int(where))
    for word in visitor.region("Outcome").get_by_role("button", name="gap").all():
        word.tap()
        tip = page.get_by_role("tooltip")
        tip.wait_for()
        place = tip.bounding_box()
        assert 0 <= place["x"] <= place["x"] + place["width"] <= PHONE["width"]
        assert 0 <= place["y"] <= bottom(place) <= PHONE["height"]
    assert visitor.complaints == []
    context.close()
