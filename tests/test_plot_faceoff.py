"""Figure 1, uniform beside importance sampling, and Theorem 3: drawn is what the formulas say, and it reads in grey."""

import numpy as np
import pytest
from bokeh.models import Span
from plotted import sources
from problems import problem

import cdlab
from cdlab import plots
from cdlab.faceoffs import binary_matrices


def drawn(figure, glyph):
    """(glyph, data) of the renderers with a glyph of this kind, in the order of drawing."""
    return [(r.glyph, r.data_source.data) for r in figure.renderers if type(r.glyph).__name__ == glyph]


def luminance(colour):
    r, g, b = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


# ---------------------------------------------------------------- Figure 1
def test_the_curves_are_R():
    lines = drawn(plots.worst_ratio(6, [3, 6, 12]), "Line")
    assert len(lines) == 3
    for (_, data), d in zip(lines, [3, 6, 12], strict=True):
        alpha = np.asarray(data["x"])
        np.testing.assert_array_equal(alpha, np.arange(max(6, d), 6 * d + 1))
        np.testing.assert_array_equal(data["y"], [binary_matrices.R(int(a), d, 6) for a in alpha])


def test_curves_differ_in_more_than_colour():
    figure = plots.worst_ratio()
    lines, marks = drawn(figure, "Line"), drawn(figure, "Scatter")
    assert len({str(glyph.line_dash) for glyph, _ in lines}) == 4
    assert len({glyph.marker for glyph, _ in marks}) == 4
    assert [item.label.value for item in figure.legend[0].items] == [f"d = {d}" for d in (10, 20, 30, 40)]
    assert figure.select_one(Span).location == 1
    assert figure.xaxis.axis_label
    assert figure.yaxis.axis_label
    for (_, line), (_, mark) in zip(lines, marks, strict=True):  # markers stand on their curve
        assert all(line["y"][list(line["x"]).index(x)] == y for x, y in zip(mark["x"], mark["y"], strict=True))


def test_a_single_point_is_drawn():
    ((_, data),) = drawn(plots.worst_ratio(1, [1]), "Line")
    assert (list(data["x"]), list(data["y"])) == ([1], [1.0])


def test_the_table_of_figure_1():
    """Of ten examples, worked out from L and U by hand."""
    table = plots.worst_ratio_table(10, [10, 20, 30, 31, 40]).set_index("d")
    np.testing.assert_allclose(table["R"], [2.9459, 1.4932, 1.0000, 0.9704, 0.7517], atol=5e-5)
    assert table.loc[[10, 20, 30], "alpha"].tolist() == [19, 38, 57]
    assert table["above_1_to"].tolist()[:2] == [98, 84]
    assert table["above_1_to"].isna().tolist() == [False, False, True, True, True]


@pytest.mark.parametrize("n", [1, 2, 3, 10])
def test_the_sentence_names_the_thresholds(n):
    words = plots.worst_ratio_sentence(n)
    assert f"d = {binary_matrices.d_threshold(n)}" in words
    assert ("none do" in words) == (n <= 2)
    assert n <= 2 or f"{binary_matrices.alpha_threshold(n)} nonzeros" in words


@pytest.mark.parametrize("arguments", [(0, [3]), (3, [2.5])])
def test_impossible_sizes_are_refused(arguments):
    with pytest.raises(ValueError, match="must be a whole number >= 1"):
        plots.worst_ratio(*arguments)


# ---------------------------------------------------------------- uniform beside importance
def face(**settings):
    return cdlab.faceoff(problem(**settings))


def test_markers_stand_at_a_mean_and_at_the_largest_squared_norm():
    P = problem("squared", l2=0.1)
    f, b = cdlab.faceoff(P), 1 / (0.1 * P.n)
    (filled, importance), (hollow, uniform) = drawn(plots.max_norms(f), "Scatter")
    assert (filled.marker, hollow.marker) == ("circle", "square")
    assert list(importance["y"]) == list(uniform["y"]) == ["dual", "primal"]
    lines = (P.row_profile, P.column_profile)
    np.testing.assert_allclose(uniform["x"], [1 + b * x.norms2.max() for x in lines])
    means = [np.average(x.norms2, weights=x.counts) for x in lines]
    np.testing.assert_allclose(importance["x"], [1 + b * mean for mean in means])


def test_it_reads_in_grey():
    lines = drawn(plots.max_norms(face()), "Line")
    assert [data["y"][0] for _, data in lines] == ["dual", "primal"], "each line has its name on the axis"
    (filled, _), (hollow, _) = drawn(plots.max_norms(face()), "Scatter")
    assert (filled.fill_alpha, hollow.fill_alpha) == (1, 0)
    assert all(luminance(colour) < 0.6 for _, data in lines for colour in data.get("color", ["#000000"]))
    assert filled.marker != hollow.marker


def test_the_table_and_the_sentence_say_the_same():
    f = face()
    table = plots.max_norms_table(f)
    assert list(table.index) == ["primal", "dual"]
    assert table.loc["dual", "uniform"] == f.uniform.T_D / f.nnz
    assert table.loc["primal", "importance"] == f.T_P / f.nnz
    np.testing.assert_allclose(table["saving"], table["uniform"] / table["importance"])
    assert (table["saving"] >= 1 - 1e-12).all()
    words = plots.max_norms_sentence(f)
    assert f"{table.loc['primal', 'saving']:.3g} on the primal side" in words
    assert f"{f.ratio:.3g} with importance" in words


def test_the_sentence_says_when_the_winner_changes():
    """One long heavy row: uniform sampling of rows pays for it at every step."""
    X = np.eye(30, 20) + 0.01 * np.ones((30, 20))
    X[0] = 3.0
    f = cdlab.faceoff(X, loss="squared", l2=0.01)
    assert (f.uniform.ratio > 1) != (f.ratio > 1) or "in both" in plots.max_norms_sentence(f)
    even = cdlab.faceoff(np.eye(3, 6) + 0.1, loss="squared", l2=1.0)
    assert "in both" in plots.max_norms_sentence(even)


def test_one_side_alone_is_drawn_alone():
    f = face(l1=0.1)
    (_, importance), _ = drawn(plots.max_norms(f), "Scatter")
    assert list(importance["y"]) == ["dual"]
    assert "primal" not in plots.max_norms_sentence(f)


@pytest.mark.parametrize("nothing", [{"loss": "hinge"}, {"l2": 0.0}])
def test_without_bounds_there_is_nothing_to_draw(nothing):
    for plot in (plots.max_norms, plots.max_norms_table, plots.max_norms_sentence):
        with pytest.raises(ValueError, match="nothing to draw: Theorem 1 needs"):
            plot(face(**nothing))
    with pytest.raises(ValueError, match="nothing to draw: X alone"):
        plots.max_norms(cdlab.faceoff(np.eye(2)))


# ---------------------------------------------------------------- Theorem 3
def test_the_marker_stands_at_the_ratio_between_its_ends():
    face = cdlab.faceoff(problem())
    figure = plots.theorem3(face)
    assert [face.C_P / face.C_D] in [list(data["x"]) for data in sources(figure) if "x" in data]
    assert figure.x_range.start < 1 / 8 < 30 < figure.x_range.end  # d = 8, n = 30


def test_zero_data_have_no_place():
    with pytest.raises(ValueError, match="X = 0"):
        plots.theorem3(cdlab.faceoff(np.zeros((3, 2))))
