"""Panels: medians and bands of several runs, on the axes that were asked for, in one grid with one legend."""

import numpy as np
import pytest
from cases import each_of
from plotted import bounds, curves, data, elements, looks, options

from cdlab import plots
from cdlab.plots import Curve, Panel

X = np.arange(21.0)
SEEDS = [(X, factor * 0.5**X) for factor in (1, 2, 8)]


def only(panel):
    (drawn,) = plots.panels([panel])
    return drawn


def test_the_line_is_the_median_and_the_band_the_range():
    drawn = only(Panel([Curve("a", "dual", SEEDS)]))
    x, y = curves(drawn)["a"]
    np.testing.assert_allclose(y, 2 * 0.5**x)
    (around,) = elements(drawn, "Area")
    x, low, high = data(around)
    np.testing.assert_allclose(low, 0.5**x)
    np.testing.assert_allclose(high, 8 * 0.5**x)


def test_one_run_has_no_band():
    assert not elements(only(Panel([Curve("a", "dual", SEEDS[:1])])), "Area")


@each_of("x_log, y_log", [(False, True), (True, True), (True, False), (False, False)])
def test_axes_are_logarithmic_where_it_is_said(x_log, y_log):
    drawn = options(only(Panel([Curve("a", "dual", SEEDS)], x_log=x_log, y_log=y_log)), "plot")
    assert (drawn["logx"], drawn["logy"]) == (x_log, y_log)


def test_between_records_a_logarithmic_median_is_log_linear():
    coarse = (X[::10], 0.5 ** X[::10])
    x, y = curves(only(Panel([Curve("a", "dual", [(X, 0.5**X), coarse, coarse])])))["a"]
    np.testing.assert_allclose(y, 0.5**x)


def test_what_a_logarithmic_axis_cannot_show_is_left_out():
    y = 0.5**X
    y[[3, 5, 7]] = 0, -1, np.nan
    x, _ = curves(only(Panel([Curve("a", "dual", [(X, y)])])))["a"]
    assert not {3, 5, 7} & set(x)
    x, _ = curves(only(Panel([Curve("a", "dual", [(X, -(0.5**X))])])))["a"]
    assert not len(x)


def test_a_bound_has_the_colour_of_its_curve_and_stands_in_the_legend():
    lines = {"a": (X, 0.5**X), "b": (X, 0.7**X)}
    (drawn,) = plots.curves(lines, bounds={"b": (X, 0.9**X)}, y_log=True)
    ((x, y),) = bounds(drawn)
    np.testing.assert_allclose(y, 0.9**X)
    (promise,) = elements(drawn, "Curve", "Bound")
    assert options(promise)["color"] == options(elements(drawn, "Curve")[1])["color"]
    assert [each.label for each in elements(drawn, "Curve", "Key")] == ["bound, in its curve's colour"]


# ---------------------------------------------------------------- the upper edge
def crosses(drawn):
    return [data(each) for each in elements(drawn, "Scatter") if options(each)["marker"] == "x"]


def test_a_curve_that_leaves_is_drawn_to_the_top_edge_and_ends_with_a_cross():
    y = np.array([1e2, 1e-1, 1e-2, 1e3, np.inf, np.nan])
    drawn = only(Panel([Curve("a", "dual", [(np.arange(6.0), y)])], top=10.0))
    x, heights = curves(drawn)["a"]
    np.testing.assert_allclose(x, [0, 1, 2, 3])
    np.testing.assert_allclose(heights, [10, 1e-1, 1e-2, 10])
    ((at, top),) = crosses(drawn)
    np.testing.assert_allclose((at, top), [[0, 3], [10, 10]])
    assert 10 < options(drawn, "plot")["ylim"][1] < 25  # the cross stands on the edge


def test_a_picture_with_a_cross_is_saved_without_a_warning(tmp_path):
    plots.save(plots.panels([Panel([Curve("a", "dual", SEEDS)], top=0.3)]), tmp_path / "cross.svg")
    assert (tmp_path / "cross.svg").stat().st_size > 0


def test_seeds_that_leave_pull_the_median_up():
    runs = [(X[:3], np.array([1.0, 1.0, end])) for end in (1.0, np.inf, np.nan)]
    drawn = only(Panel([Curve("a", "dual", runs)], top=1e6))
    assert curves(drawn)["a"][1][-1] == pytest.approx(1e6)
    assert [at for at, _ in crosses(drawn)] == [[2]]


def test_a_curve_that_stays_below_has_no_cross_and_one_that_stays_above_is_not_there():
    assert not crosses(only(Panel([Curve("a", "dual", SEEDS)], top=10.0)))
    drawn = only(Panel([Curve("a", "dual", SEEDS)], top=1e-9))
    assert not crosses(drawn)
    assert not len(curves(drawn)["a"][0])


# ---------------------------------------------------------------- several panels
def test_a_label_looks_the_same_in_every_panel_and_stands_once_in_one_legend():
    a, b = Curve("a", "dual", SEEDS), Curve("b", "primal", SEEDS)
    one, other, last = plots.panels([Panel([a, b]), Panel([b]), Panel([a])], columns=2)
    first = dict(zip(curves(one), looks(one), strict=True))
    assert looks(other) == [first["b"]]
    assert looks(last) == [first["a"], first["b"]]
    assert [options(each, "plot")["show_legend"] for each in (one, other, last)] == [False, False, True]
    assert not len(curves(last)["b"][0])  # only in the legend
    assert first["a"][0] == plots.look("dual").light


def test_where_all_curves_have_one_side_each_has_a_colour_of_its_own():
    (drawn,) = plots.panels([Panel([Curve(f"m = {k}", "dual", SEEDS) for k in range(8)])])
    assert len({colour for colour, _ in looks(drawn)}) == 8


def test_panels_stand_row_by_row():
    parts = [Panel([Curve("a", "", SEEDS)], title=str(k)) for k in range(5)]
    drawn = plots.panels(parts, columns=3)
    assert [options(each, "plot")["title"] for each in drawn] == list("01234")
    assert drawn.shape == (2, 3)


def test_levels_are_dashed_lines_across_and_marks_upright_ones_in_one_order():
    drawn = only(Panel([Curve("a", "", SEEDS)], levels=[1e-2, 1e-4], marks=[5]))
    assert [each.data for each in elements(drawn, "HLine")] == [1e-4, 1e-2]
    assert [each.data for each in elements(drawn, "VLine")] == [5]
    assert all(options(each)["line_dash"] for each in elements(drawn, "HLine"))  # [] would be solid


@each_of(
    "parts, said",
    [
        ([], "at least one panel"),
        ([Panel([Curve("a", "left", SEEDS)])], "a side must be .* or .*, not .left."),
        ([Panel([Curve("a", "dual", SEEDS), Curve("a", "primal", SEEDS)])], "'dual' and 'primal': choose one"),
        ([Panel([Curve("a", "dual", [(X, X[1:])])])], "one y for each x"),
        ([Panel([Curve("a", "dual", [([2.0, 1.0], [1.0, 2.0])])])], "x of a run of 'a' must not fall"),
    ],
)
def test_what_cannot_be_drawn_is_refused(parts, said):
    with pytest.raises(ValueError, match=said):
        plots.panels(parts)
