"""The histograms of the face-off: every nonempty line is in a bar, and the title counts the empty ones."""

import gc

import numpy as np
import pytest
from bokeh.io import curdoc

import cdlab
from cdlab.plots import structure
from cdlab.plots.structure import histograms

X = np.array([[1.0, 0, 2, 0], [0, 0, 3, 0], [4, 0, 5, 0], [0, 0, 0, 0]])


@pytest.mark.parametrize(("k", "lines", "empty"), [(0, 4, 1), (1, 4, 1), (2, 4, 2), (3, 4, 2)])
def test_every_line_is_counted_once(k, lines, empty):
    picture = list(structure(cdlab.Problem(X, [1, -1, 1, -1])))[k]
    assert picture.dimension_values(1).sum() == lines - empty
    assert f"{empty} of them empty" in picture.opts.get().kwargs["title"]


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


def test_a_picture_that_is_forgotten_leaves_nothing_behind():
    P = cdlab.Problem(X, [1, -1, 1, -1])

    def objects(times):
        for _ in range(times):
            assert len(histograms(P)) == 4
        gc.collect()
        return len(gc.get_objects())

    before = len(curdoc().roots)
    first = objects(3)
    assert objects(10) - first < 10 * 100  # one picture of the four is about a thousand objects
    assert len(curdoc().roots) == before
