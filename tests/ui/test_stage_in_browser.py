"""The stage by itself in a browser, on a recorded race: seen, stepped, dragged, by mouse and by keyboard."""

import json

import pytest
from recording import recorded

pytestmark = [pytest.mark.ui, pytest.mark.full]  # a push sees the same on the page

REGIONS = ["Matrix", "Convergence", "Bound", "Face-off"]
SET = """([name, text]) => {
  const models = Bokeh.documents[0].roots().flatMap((root) => [...root.references()])
  models.find((model) => model.data && "race" in model.data.attributes).data.setv({[name]: text})
}"""
# how many pixels of a canvas have each of these colours
SHARES = """(canvas, colours) => {
  const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
  const channels = (colour) => [1, 3, 5].map((k) => parseInt(colour.slice(k, k + 2), 16))
  const alike = (k, wanted) => wanted.every((each, j) => Math.abs(data[k + j] - each) < 12) && data[k + 3] > 250
  return colours.map(channels).map((wanted) => {
    let count = 0
    for (let k = 0; k < data.length; k += 4) if (alike(k, wanted)) count++
    return count
  })
}"""
PICTURE = "node => node.toDataURL()"


def head(visitor):
    return visitor.page.get_by_role("slider", name="Playhead")


def where(visitor) -> str:
    return head(visitor).get_attribute("aria-valuetext")


def words(visitor) -> str:
    return visitor.page.locator(".matrix .words").inner_text()


def step_in_words(lane, moment: float) -> str:
    """The update that a run made at this moment."""
    k = lane["steps"]["passes"].index(moment)
    ((line,),) = (lane["steps"]["coordinates"][k],)
    what = "example" if lane["side"] == "dual" else "feature"
    name = f" of {lane['label'].split(',')[0]}" if lane["side"] == "dual" else ""  # of two
    return f"{lane['side'].title()} step {k + 1}{name}: {what} {line + 1}"


def value(visitor, label: str) -> str:
    return (
        visitor.page.get_by_role("group", name="Runs").get_by_role("button", name=label).locator(".value").inner_text()
    )


def test_every_part_has_a_role_and_a_name_and_nothing_is_fetched_from_elsewhere(on_stage):
    page = on_stage().page
    for name in REGIONS:
        assert page.get_by_role("region", name=name, exact=True).count() == 1
    assert page.get_by_role("figure", name="Two variables").count() == 1
    for name in ("Play", "Step", "table", "slow", "normal", "fast"):
        assert page.get_by_role("button", name=name, exact=True).count() == 1
    assert page.locator("canvas").count() == page.locator("canvas[role=img][aria-label]").count() == 3
    assert "P(w) − P*" in page.get_by_role("region", name="Convergence").get_by_role("img").first.get_attribute(
        "aria-label"
    )


def test_it_begins_at_the_end_and_steps_lead_through_the_first_updates(on_stage):
    visitor, lanes = on_stage(), recorded()["race"]["lanes"]
    assert words(visitor).startswith("From here on pass by pass")
    visitor.press("Step")
    first, second, *_ = sorted({passes for lane in lanes for passes in lane["steps"]["passes"]})
    for moment in (first, second):
        expected = [step_in_words(lane, moment) for lane in lanes if moment in lane["steps"]["passes"]]
        for each in expected:
            assert each in words(visitor)
        assert "one by one" in where(visitor)
        visitor.press("Step")


def test_the_playhead_moves_by_keyboard_and_says_where_it_is(on_stage):
    visitor = on_stage()
    handle = head(visitor)
    handle.focus()
    handle.press("Home")
    assert where(visitor) == "0 passes"
    for _ in range(3):
        handle.press("ArrowRight")
    assert handle.input_value() == "3"
    handle.press("End")
    assert where(visitor).endswith("passes")
    assert handle.input_value() == handle.get_attribute("max")


def test_values_at_the_playhead_are_those_of_the_race(on_stage):
    visitor, race = on_stage(), recorded()["race"]
    head(visitor).press("Home")
    for lane in race["lanes"]:
        assert value(visitor, lane["label"]) == "1"
    head(visitor).press("End")
    for lane in race["lanes"]:
        shown = value(visitor, lane["label"])
        mantissa = shown.translate(str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")).replace("·10", "e").replace(",", "")
        assert float(mantissa) == pytest.approx(lane["gap"][-1], rel=0.06)


def test_the_playhead_is_dragged_in_the_picture(on_stage):
    visitor = on_stage()
    box = visitor.page.locator(".curves canvas").bounding_box()
    mouse, y = visitor.page.mouse, box["y"] + box["height"] / 2
    mouse.move(box["x"] + 0.9 * box["width"], y)
    mouse.down()
    places = []
    for share in (0.7, 0.4, 0.2):
        mouse.move(box["x"] + share * box["width"], y)
        places.append(float(where(visitor).split()[0]))
    mouse.up()
    assert places == sorted(places, reverse=True)
    assert places[0] > 2 * places[2] > 0
    mouse.move(box["x"] + 0.9 * box["width"], y)
    assert float(where(visitor).split()[0]) == places[-1]  # let go


def test_play_leads_to_the_end_and_can_be_paused(on_stage):
    visitor = on_stage()
    visitor.press("Play")
    visitor.page.wait_for_timeout(300)
    visitor.press("Pause")
    stopped = where(visitor)
    visitor.page.wait_for_timeout(200)
    assert where(visitor) == stopped
    visitor.press("fast")
    visitor.press("Play")
    visitor.page.get_by_role("button", name="Play").wait_for()
    assert head(visitor).input_value() == head(visitor).get_attribute("max")


def test_who_asked_for_less_motion_sees_the_end_and_steps(on_stage):
    visitor = on_stage(reduced_motion="reduce")
    end = where(visitor)
    visitor.press("Play")
    visitor.page.wait_for_timeout(200)
    assert where(visitor) == end
    assert visitor.page.get_by_role("button", name="Pause").count() == 0
    visitor.press("Step")
    assert " step 1" in words(visitor)
    visitor.press("Play")
    assert where(visitor) == end  # at once


def test_every_run_is_drawn_in_its_colour(on_stage):
    visitor = on_stage()
    drawn = visitor.page.locator(".curves canvas").evaluate(
        SHARES, [each["look"]["light"] for each in recorded()["race"]["lanes"]]
    )
    assert min(drawn) > 100  # pixels


def test_the_curves_can_be_read_as_a_table(on_stage):
    visitor = on_stage()
    visitor.press("table")
    table = visitor.page.get_by_role("region", name="The curves as a table")
    heads = table.get_by_role("columnheader").all_inner_texts()
    assert heads == ["passes", *(lane["label"] for lane in recorded()["race"]["lanes"])]
    assert table.get_by_role("row").count() > 10
    visitor.press("picture")
    assert not table.is_visible()


def test_a_run_can_be_left_out(on_stage):
    visitor = on_stage()
    canvas = visitor.page.locator(".curves canvas")
    before, item = canvas.evaluate(PICTURE), visitor.page.get_by_role("button", name="rcd, importance")
    item.click()
    assert item.get_attribute("aria-pressed") == "false"
    visitor.page.wait_for_timeout(100)
    assert canvas.evaluate(PICTURE) != before
    item.click()
    visitor.page.wait_for_timeout(100)
    assert canvas.evaluate(PICTURE) == before


def test_a_race_of_other_choices_says_so(on_stage):
    visitor = on_stage()
    visitor.page.evaluate(SET, ["stale", json.dumps("This race belongs to other choices.")])
    visitor.page.get_by_text("This race belongs to other choices.").wait_for()
    assert "old" in visitor.page.get_by_role("region", name="Convergence").get_attribute("class")
