"""The race of the drawer, which is redrawn in place: the lines of `plots.race` as rows of a few bokeh glyphs."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plotted import curves, race
from problems import problem

import cdlab
from cdlab import plots, theory
from cdlab.dashboard.drawers.moved_plot import MovedPlot
from cdlab.dashboard.drawers.race_plot import RacePlot, marker_indices
from cdlab.dashboard.parts.figures import FITTED, bokeh_figure
from cdlab.plots.data import probabilities
from cdlab.plots.elements import LEGEND_ROW
from cdlab.plots.errors import guarantee
from cdlab.plots.style import fade, look
from cdlab.runs.trace import Trace

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


def source_with(figure, column: str) -> dict:
    return next(each.data_source.data for each in figure.renderers if column in each.data_source.data)


def raced(count: int) -> RacePlot:
    return RacePlot([f"method {k}, importance" for k in range(count)], ["dual"] * count)


@pytest.mark.parametrize("seeds", [[0], range(5)])
def test_it_draws_the_lines_of_the_public_picture(seeds):
    traces = race(seeds=seeds).traces
    plot = RacePlot([trace.label for trace in traces], [plots.side(trace) for trace in traces])
    plot.show(traces, [None] * len(traces))
    data = source_with(plot.figure, "dash")
    for label, xs, ys, (other_xs, other_ys) in zip(
        data["label"], data["xs"], data["ys"], curves(plots.race(traces)).values(), strict=True
    ):
        assert label in {trace.label for trace in traces}
        np.testing.assert_array_equal((xs, ys), (other_xs, other_ys))
    bands = [
        each.data_source.data for each in plot.figure.renderers if set(each.data_source.data) == {"xs", "ys", "colour"}
    ]
    assert len(bands[0]["xs"]) == (3 if len(seeds) > 1 else 0)


def test_many_curves_all_look_different():
    labels = [f"method {k}, uniform" for k in range(30)]
    plot = RacePlot(labels, ["dual"] * 30)
    data, marks = source_with(plot.figure, "dash"), source_with(plot.figure, "marker")
    assert len(set(zip(data["colour"], data["dash"], marks["marker"], strict=True))) == 30


def test_a_bound_and_a_curve_can_be_left_out_and_the_others_stay_where_they_are():
    traces = race().traces
    promises = [guarantee(theory.bound(t.meta["method"]), problem(), 40) for t in traces]
    plot = RacePlot([t.label for t in traces], ["dual", "dual", "primal"], y="primal")
    plot.show(traces, promises)
    before = [list(ys) for ys in source_with(plot.figure, "dash")["ys"]]
    plot.show(traces, promises, hidden=[traces[0].label], unbounded=[traces[1].label])
    assert [list(ys) for ys in source_with(plot.figure, "dash")["ys"]] == [[], *before[1:]]
    assert [len(xs) > 0 for xs in source_with(plot.figure, "offset")["xs"]] == [False, False, True]
    assert [item.visible for item in plot.figure.legend[0].items] == [False, True, True]
    plot.show(traces, promises)
    assert [list(ys) for ys in source_with(plot.figure, "dash")["ys"]] == before


def test_an_empty_picture_has_axes():
    figure = RacePlot(["sdca, uniform"], ["dual"]).figure
    assert 0 < figure.y_range.start < figure.y_range.end


def test_a_plot_can_be_shown_more_and_more():
    plot = RacePlot(["sdca, uniform", "rcd, uniform"], ["dual", "primal"])
    run = cdlab.iterate(problem(), "sdca", seed=0)
    empty = Trace()
    plot.show([empty, empty], [None, None])
    for k in range(1, 6):
        next(run)
        plot.show([run.trace, empty], [None, None])
        assert [len(xs) for xs in source_with(plot.figure, "dash")["xs"]] == [k, 0]


def test_a_zoom_stays_while_the_race_goes_on_until_it_is_reset():
    X, y = cdlab.datasets.make(n=50, d=10, seed=0)
    trace = cdlab.solve(cdlab.Problem(X, y, l2=0.1), "sdca", max_passes=20, tol=0).trace
    plot = RacePlot(["sdca"], ["dual"])
    axis, parts = plot.figure.y_range, [Trace(trace.records[:k], trace.meta) for k in (5, 10, 15)]
    plot.show(parts[:1], [None])
    zoomed = axis.start * 10, axis.end / 10
    axis.update(start=zoomed[0], end=zoomed[1])  # by the browser
    plot.show(parts[1:2], [None])
    assert (axis.start, axis.end) == zoomed
    axis.update(start=axis.reset_start, end=axis.reset_end)  # by its reset tool
    plot.show(parts[2:], [None])
    assert axis.start < zoomed[0]
    assert axis.start < float(np.nanmin(parts[2].column("relative_gap")))


@given(st.integers(1, 10_000))
def test_markers_are_few_stay_where_they_are_and_end_the_curve(size):
    marked, later = marker_indices(size), marker_indices(2 * size)
    assert {0, size - 1} <= set(marked) <= set(range(size))
    assert marked.size <= 17
    assert len(set(later[:-1]) - set(marker_indices(4 * size))) <= later.size / 2 + 1


# ---------------------------------------------------------------- legends
def test_a_figure_is_as_much_higher_as_its_legend_needs():
    few, many = raced(2).figure, raced(23).figure
    columns = many.legend[0].ncols
    assert 1 < columns < 23
    assert many.height - few.height == LEGEND_ROW * (-(-23 // columns) - 1)


def test_the_browser_fits_every_legend_to_its_figure():
    p = {name: np.full(4, 0.25) for name in ("uniform", "importance")}
    for figure in (
        raced(3).figure,
        MovedPlot(["a", "b"], [look("dual"), look("dual", 1)]).figure,
        bokeh_figure(probabilities(p, np.ones(4), "examples")),
    ):
        (fit,) = figure.js_property_callbacks["change:inner_width"]
        assert fit.code == FITTED
        assert fit.args["legend"] is figure.legend[0]
        assert fit.args["count"] == len(figure.legend[0].items)


def test_a_curve_looks_as_it_is_told():
    plot = RacePlot(["run 1: sdca", "run 2: sdca"], ["dual"] * 2, looks=[fade(look("dual", 4), 1), look("dual", 4)])
    data = next(each.data_source.data for each in plot.figure.renderers if "dash" in each.data_source.data)
    assert data["width"][0] < data["width"][1]
    assert data["colour"] == [fade(look("dual", 4), 1).light, look("dual", 4).light]
