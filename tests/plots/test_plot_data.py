"""The data in pictures: where nonzeros are, histograms with every nonempty line in a bar, and probabilities."""

import gc

import numpy as np
import pytest
from bokeh.io import curdoc
from plotted import curves, elements, options

import cdlab
from cdlab.dashboard.drawers.part import bokeh_figure
from cdlab.plots import structure
from cdlab.plots.data import MAX_PROBABILITIES, MIN_PROBABILITY, probabilities

X = np.array([[1.0, 0, 2, 0], [0, 0, 3, 0], [4, 0, 5, 0], [0, 0, 0, 0]])


@pytest.mark.parametrize(("k", "lines", "empty"), [(0, 4, 1), (1, 4, 1), (2, 4, 2), (3, 4, 2)])
def test_every_line_is_counted_once(k, lines, empty):
    picture = list(structure(cdlab.Problem(X, [1, -1, 1, -1])))[k]
    assert picture.dimension_values(1).sum() == lines - empty
    assert f"{empty} of them empty" in options(picture, "plot")["title"]


def test_bars_hold_what_they_cover():
    P = cdlab.Problem(X, [1, -1, 1, -1])
    for picture, values in zip(
        structure(P),
        (P.row_profile.counts, P.row_profile.norms2, P.column_profile.counts, P.column_profile.norms2),
        strict=True,
    ):
        edges = picture.edges
        np.testing.assert_array_equal(np.histogram(values[values > 0], edges)[0], picture.dimension_values(1))


def test_equal_lines_make_one_bar_and_a_zero_matrix_none():
    ones = list(structure(cdlab.Problem(np.ones((3, 2)), [1, -1, 1])))
    assert [len(picture) for picture in ones] == [1, 1, 1, 1]
    nothing = list(structure(cdlab.Problem(np.zeros((3, 2)), [1, -1, 1])))
    assert [picture.dimension_values(1).sum() for picture in nothing] == [0, 0, 0, 0]


def test_a_bar_of_equal_lines_names_their_value_and_nothing_else():
    rows = list(structure(cdlab.Problem(np.ones((3, 2)), [1, -1, 1])))[0]
    assert options(rows, "plot")["xticks"] == [(2.0, "all are 2")]


@pytest.mark.full
def test_a_picture_that_is_forgotten_leaves_nothing_behind():
    P = cdlab.Problem(X, [1, -1, 1, -1])

    def objects(times):
        for _ in range(times):
            assert len([bokeh_figure(each) for each in structure(P)]) == 4
        gc.collect()
        return len(gc.get_objects())

    before = len(curdoc().roots)
    first = objects(2)
    assert objects(5) - first < 5 * 100  # one picture of the four is about a thousand objects
    assert len(curdoc().roots) == before


# ---------------------------------------------------------------- probabilities
@pytest.mark.parametrize("across", ["rank", "norm"])
def test_probabilities_are_drawn_times_their_number(across):
    norms2, p = np.arange(1.0, 401), np.arange(1, 401) / 80_200
    picture = probabilities({"uniform": np.full(400, 1 / 400), "linear": p}, norms2, "features", across)
    drawn = curves(picture)
    assert (drawn["uniform"][1] == 1).all()
    xs, ys = drawn["linear"]
    assert xs.size <= MAX_PROBABILITIES
    assert ys.min() >= MIN_PROBABILITY
    expected = 400 * p if across == "norm" else 400 * p[::-1]
    assert ys.max() == expected.max()
    assert set(ys) <= set(expected)
    assert elements(picture, "HLine")[0].data == 1


def test_probabilities_across_something_else_are_refused():
    with pytest.raises(ValueError, match="across must be 'rank' or 'norm', not 'size'"):
        probabilities({}, np.ones(2), "features", "size")
