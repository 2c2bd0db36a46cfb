"""Legends, in as many columns as there is room for."""

import numpy as np

from cdlab.plots import RacePlot
from cdlab.plots.legends import FITTED, ROW
from cdlab.plots.looks import fade, look
from cdlab.plots.moved import MovedPlot
from cdlab.plots.probabilities import probabilities


def race(count: int) -> RacePlot:
    return RacePlot([f"method {k}, importance" for k in range(count)], ["dual"] * count)


def test_a_figure_is_as_much_higher_as_its_legend_needs():
    few, many = race(2).figure, race(23).figure
    columns = many.legend[0].ncols
    assert 1 < columns < 23
    assert many.height - few.height == ROW * (-(-23 // columns) - 1)


def test_the_browser_fits_every_legend_to_its_figure():
    p = {name: np.full(4, 0.25) for name in ("uniform", "importance")}
    for figure in (
        race(3).figure,
        MovedPlot(["a", "b"], [look("dual"), look("dual", 1)]).figure,
        probabilities(p, np.ones(4), "examples"),
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
