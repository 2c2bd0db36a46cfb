"""Panels: medians and bands of several runs, on the axes that were asked for, in one grid with one legend."""

import numpy as np
import pytest
from bokeh.models import Legend, Span

from cdlab import plots
from cdlab.plots import Curve, Panel, looks, saving

X = np.arange(21.0)
SEEDS = [(X, factor * 0.5**X) for factor in (1, 2, 8)]


def axes(*parts, **options):
    whole = saving._drawn(saving._places(plots.panels(parts, **options)), 900)
    return whole.axes, whole.legends


def lines(one):
    return [line for line in one.lines if len(line.get_xdata()) > 2 and line.get_marker() == "None"]


def test_the_line_is_the_median_and_the_band_the_range():
    ((one,), _) = axes(Panel([Curve("a", "dual", SEEDS)]))
    (line,) = lines(one)
    np.testing.assert_allclose(line.get_ydata(), 2 * 0.5 ** line.get_xdata())
    (around,) = one.patches
    x, y = around.get_path().vertices.T
    ratio = y / 0.5**x
    np.testing.assert_allclose(np.unique(ratio.round(9)), [1, 8])


def test_one_run_has_no_band():
    ((one,), _) = axes(Panel([Curve("a", "dual", SEEDS[:1])]))
    assert not one.patches


@pytest.mark.parametrize(("x_log", "y_log"), [(False, True), (True, True), (True, False), (False, False)])
def test_axes_are_logarithmic_where_it_is_said(x_log, y_log):
    ((one,), _) = axes(Panel([Curve("a", "dual", SEEDS)], x_log=x_log, y_log=y_log))
    assert (one.get_xscale() == "log", one.get_yscale() == "log") == (x_log, y_log)


def test_between_records_a_logarithmic_median_is_log_linear():
    coarse = (X[::10], 0.5 ** X[::10])
    ((one,), _) = axes(Panel([Curve("a", "dual", [(X, 0.5**X), coarse, coarse])]))
    (line,) = lines(one)
    np.testing.assert_allclose(line.get_ydata(), 0.5 ** line.get_xdata())


def test_what_a_logarithmic_axis_cannot_show_is_left_out():
    y = 0.5**X
    y[[3, 5, 7]] = 0, -1, np.nan
    ((one,), _) = axes(Panel([Curve("a", "dual", [(X, y)])]))
    (line,) = lines(one)
    assert not {3, 5, 7} & set(line.get_xdata())
    nothing = Panel([Curve("a", "dual", [(X, -y)])])
    assert not lines(axes(nothing)[0][0])


def test_every_tenth_record_and_the_last_has_a_marker():
    grid = plots.panels([Panel([Curve("a", "dual", SEEDS[:1])])])
    (plot,) = (child[0] for child in grid.children)
    marked = [r.data_source.data["x"] for r in plot.renderers if type(r.glyph).__name__ == "Scatter"]
    assert [list(x) for x in marked if np.isfinite(x).all()] == [[0, 10, 20]]


def test_a_label_looks_the_same_in_every_panel_and_stands_once_in_one_legend():
    a, b = Curve("a", "dual", SEEDS), Curve("b", "dual", SEEDS)
    drawn, legends = axes(Panel([a, b]), Panel([b]), Panel([a]))
    assert drawn[0].lines
    both = [line.get_color() for line in lines(drawn[0])]
    assert [lines(drawn[2])[0].get_color(), lines(drawn[1])[0].get_color()] == both
    (legend,) = legends
    assert [text.get_text() for text in legend.texts] == ["a", "b"]
    assert both[0][:3] == pytest.approx([int(looks.look("dual").light[k : k + 2], 16) / 255 for k in (1, 3, 5)])


def test_panels_stand_row_by_row_and_an_unfinished_row_leaves_nothing():
    parts = [Panel([Curve("a", "", SEEDS)], title=str(k)) for k in range(5)]
    places = saving._places(plots.panels(parts, columns=3))
    assert [(plot.title.text, row, column) for plot, row, column in places] == [
        ("0", 0, 0), ("1", 0, 1), ("2", 0, 2), ("3", 1, 0), ("4", 1, 1),
    ]  # fmt: skip
    assert len(axes(*parts)[0]) == 5


def test_levels_are_drawn_in_one_order_so_that_the_same_picture_is_the_same_file():
    levels = [10.0**-k for k in range(8)]
    (one,) = axes(Panel([Curve("a", "", SEEDS)], levels=levels))[0]
    assert [line.get_ydata()[0] for line in one.lines if len(line.get_xdata()) == 2] == sorted(levels)


def test_levels_are_dashed_lines_across_and_marks_upright_ones():
    grid = plots.panels([Panel([Curve("a", "", SEEDS)], levels=[1e-2, 1e-4], marks=[5])])
    spans = grid.children[0][0].select(Span)
    assert sorted((s.dimension, s.location) for s in spans) == [("height", 5), ("width", 1e-4), ("width", 1e-2)]
    assert all(s.line_dash for s in spans)  # [] would be solid
    assert len(grid.children[0][0].select(Legend)) == 1


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ([], "at least one panel"),
        ([Panel([Curve("a", "left", SEEDS)])], "a side is one of"),
        ([Panel([Curve("a", "dual", SEEDS), Curve("a", "primal", SEEDS)])], "'dual' and 'primal': choose one"),
        ([Panel([Curve("a", "dual", [(X, X[1:])])])], "one y for each x"),
    ],
)
def test_what_cannot_be_drawn_is_refused(parts, said):
    with pytest.raises(ValueError, match=said):
        plots.panels(parts)
