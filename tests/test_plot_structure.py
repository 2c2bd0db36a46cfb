"""The histograms of the face-off: every nonempty line is in a bar, and the title counts the empty ones."""

import numpy as np
import pytest

import cdlab
from cdlab.plots import structure
from cdlab.plots.structure import histograms

X = np.array([[1.0, 0, 2, 0], [0, 0, 3, 0], [4, 0, 5, 0], [0, 0, 0, 0]])


def edges_and_counts(plot):
    data = plot.renderers[0].data_source.data
    return [*data["left"], data["right"][-1]], data["top"]


@pytest.mark.parametrize(("k", "lines", "empty"), [(0, 4, 1), (1, 4, 1), (2, 4, 2), (3, 4, 2)])
def test_every_line_is_counted_once(k, lines, empty):
    plot = histograms(cdlab.Problem(X, [1, -1, 1, -1]))[k]
    assert edges_and_counts(plot)[1].sum() == lines - empty
    assert f"{empty} of them empty" in plot.title.text


def test_bars_hold_what_they_cover():
    P = cdlab.Problem(X, [1, -1, 1, -1])
    for plot, values in zip(
        histograms(P),
        (P.row_profile.counts, P.row_profile.norms2, P.column_profile.counts, P.column_profile.norms2),
        strict=True,
    ):
        edges, counts = edges_and_counts(plot)
        np.testing.assert_array_equal(np.histogram(values[values > 0], edges)[0], counts)


def test_equal_lines_make_one_bar_and_a_zero_matrix_none():
    ones = histograms(cdlab.Problem(np.ones((3, 2)), [1, -1, 1]))
    assert [len(edges_and_counts(plot)[1]) for plot in ones] == [1, 1, 1, 1]
    nothing = histograms(cdlab.Problem(np.zeros((3, 2)), [1, -1, 1]))
    assert [edges_and_counts(plot)[1].sum() for plot in nothing] == [0, 0, 0, 0]


def test_rows_stand_above_columns():
    """In a grid: nonzeros to the left, squared norms to the right."""
    grid = structure(cdlab.Problem(X, [1, -1, 1, -1]))
    places = [(plot.xaxis[0].axis_label, row, column) for plot, row, column in grid.children]
    assert places == [
        ("nonzeros of a row", 0, 0),
        ("squared norm of a row", 0, 1),
        ("nonzeros of a column", 1, 0),
        ("squared norm of a column", 1, 1),
    ]
