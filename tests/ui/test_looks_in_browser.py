"""The Race drawer as a visitor sees it: the stage's colours, the axis that has all bounds, a line for each race."""

import pytest

pytestmark = [pytest.mark.ui, pytest.mark.full]

FIGURE = """() => {
  const models = Bokeh.documents[0].roots().flatMap((root) => [...root.references()])
  const figure = models.find((model) => model.type === "Figure" && model.name === "race")
  const data = figure.renderers.map((renderer) => renderer.data_source.data)
  const plain = (column) => Array.from(column)
  const curves = data.find((each) => "dash" in each), bounds = data.find((each) => "offset" in each)
  return {
    up: figure.left.map((axis) => axis.axis_label)[0],
    colours: Object.fromEntries(plain(curves.label).map((label, k) => [label, curves.colour[k]])),
    dashes: Object.fromEntries(plain(curves.label).map((label, k) => [label, curves.dash[k]])),
    bounded: plain(bounds.xs).map((xs) => xs.length > 0),
  }
}"""
STAGE = """buttons => Object.fromEntries(buttons.map((each) => [
  each.querySelector("span").textContent,
  [each.style.getPropertyValue("--light"), each.querySelector("path").getAttribute("stroke-dasharray") || "solid"],
]))"""


def test_the_race_drawer_draws_what_the_stage_draws(visit):
    page = visit().page
    page.get_by_role("group", name="Details").get_by_role("button", name="Race").click()
    page.get_by_label("Up", exact=True).wait_for()
    page.wait_for_function(
        "() => Bokeh.documents[0].roots().some((root) => [...root.references()].some((each) => each.name === 'race'))"
    )

    figure, stage = page.evaluate(FIGURE), page.get_by_role("group", name="Runs").locator("button").evaluate_all(STAGE)
    assert {label: [figure["colours"][label], figure["dashes"][label]] for label in figure["colours"]} == stage
    assert figure["up"] == "relative primal suboptimality"
    assert figure["bounded"] == [True, True, True]

    told = page.locator(".told")
    assert told.count() == 1
    assert told.inner_text().startswith("example: The dual won: 20.8 passes of sdca (importance) against 167")
    long = told.locator("details p", has_text="Measured to a relative gap of")
    assert not long.is_visible()
    told.get_by_text("explain").click()
    assert long.is_visible()
