"""Figure 1, uniform beside importance sampling, and Theorem 3: drawn is what the formulas say, and it reads in grey."""

import numpy as np
import pytest
from cases import each_of
from plotted import curves, data, elements, options
from problems import problem

import cdlab
from cdlab import plots
from cdlab.faceoffs import binary_matrices, faceoff, iid
from cdlab.plots.faceoff import LARGEST, MEAN, cost_model, own_density, ratio_map, ratio_map_sentence


def luminance(colour):
    r, g, b = (int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b


# ---------------------------------------------------------------- Figure 1
def test_the_curves_are_R():
    drawn = curves(plots.worst_ratio(6, [3, 6, 12]))
    assert list(drawn) == ["d = 3", "d = 6", "d = 12"]
    for (alpha, R), d in zip(drawn.values(), [3, 6, 12], strict=True):
        np.testing.assert_array_equal(alpha, np.arange(max(6, d), 6 * d + 1))
        np.testing.assert_array_equal(R, [binary_matrices.R(int(a), d, 6) for a in alpha])


def test_curves_differ_in_more_than_colour():
    picture = plots.worst_ratio()
    lines, marks = elements(picture, "Curve"), elements(picture, "Scatter")
    assert len({str(options(each)["line_dash"]) for each in lines}) == 4
    assert len({options(each)["marker"] for each in marks}) == 4
    assert [each.label for each in lines] == [each.label for each in marks] == [f"d = {d}" for d in (10, 20, 30, 40)]
    assert elements(picture, "HLine")[0].data == 1
    assert all(options(picture, "plot")[name] for name in ("xlabel", "ylabel"))
    for line, mark in zip(lines, marks, strict=True):  # markers stand on their curve
        assert set(zip(*data(mark), strict=True)) <= set(zip(*data(line), strict=True))


def test_a_single_point_is_drawn():
    ((alpha, R),) = curves(plots.worst_ratio(1, [1])).values()
    assert (list(alpha), list(R)) == ([1], [1.0])


def test_the_table_of_figure_1():
    """Of ten examples, worked out from L and U by hand."""
    table = plots.worst_ratio_table(10, [10, 20, 30, 31, 40]).set_index("d")
    np.testing.assert_allclose(table["R"], [2.9459, 1.4932, 1.0000, 0.9704, 0.7517], atol=5e-5)
    assert table.loc[[10, 20, 30], "alpha"].tolist() == [19, 38, 57]
    assert table["above_1_to"].tolist()[:2] == [98, 84]
    assert table["above_1_to"].isna().tolist() == [False, False, True, True, True]


@each_of("n", [1, 2, 3, 10])
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


def drawn_passes(f):
    """By kind of sampling the passes of each side, from below."""
    marks = elements(plots.max_norms(f), "Scatter")
    return {label: [data(each)[0][0] for each in marks if each.label == label] for label in (MEAN, LARGEST)}


def test_markers_stand_at_a_mean_and_at_the_largest_squared_norm():
    P = problem("squared", l2=0.1)
    b = 1 / (0.1 * P.n)
    lines = (P.row_profile, P.column_profile)
    drawn = drawn_passes(cdlab.faceoff(P))
    np.testing.assert_allclose(drawn[LARGEST], [1 + b * x.norms2.max() for x in lines])
    np.testing.assert_allclose(drawn[MEAN], [1 + b * np.average(x.norms2, weights=x.counts) for x in lines])


def test_it_reads_in_grey():
    picture = plots.max_norms(face())
    assert [name for _, name in options(picture, "plot")["yticks"]] == ["dual", "primal"], "each line has its name"
    colours = [options(each)["color"] for each in elements(picture, "Curve")]
    assert all(luminance(colour) < 0.6 for colour in colours)
    looks = {each.label: options(each) for each in elements(picture, "Scatter")}
    assert (looks[MEAN]["marker"], looks[LARGEST]["marker"]) == ("circle", "square")
    assert looks[LARGEST]["fill_alpha"] == 0


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
    assert [name for _, name in options(plots.max_norms(f), "plot")["yticks"]] == ["dual"]
    assert len(drawn_passes(f)[MEAN]) == 1
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
    picture = plots.theorem3(face)
    (marker,) = elements(picture, "Scatter")
    assert data(marker)[0] == [face.C_P / face.C_D]
    low, high = options(picture, "plot")["xlim"]
    assert low < 1 / 8 < 30 < high  # d = 8, n = 30
    assert [place for place, _ in options(picture, "plot")["xticks"]] == [1 / 8, 1, 30]


def test_zero_data_have_no_place():
    with pytest.raises(ValueError, match="X = 0"):
        plots.theorem3(cdlab.faceoff(np.zeros((3, 2))))


# ---------------------------------------------------------------- the map and the cost of derivatives
def test_the_map_is_that_of_independent_entries():
    face = faceoff(cdlab.Problem(np.ones((4, 7)), [1, -1, 1, -1], l2=0.1))
    picture = ratio_map(face, 0.3)
    ((left, bottom, right, top, ratio),) = [data(each) for each in elements(picture, "Rectangles")]
    for k in (0, 1000, 3599):
        d, n = (round(np.sqrt(low * high)) for low, high in ((left[k], right[k]), (bottom[k], top[k])))
        assert ratio[k] == pytest.approx(iid(max(d, 1), max(n, 1), 0.3).ratio, rel=0.5)
    assert (left.min(), bottom.min()) == (1, 1)
    (own,) = elements(picture, "Points")
    assert [list(each) for each in data(own)] == [[7], [4], [face.theorem3.ratio]]
    with pytest.raises(ValueError, match="density"):
        ratio_map(face, 0.0)


def test_dense_data_are_like_independent_entries_and_skewed_ones_are_not():
    dense = faceoff(np.ones((5, 9)))
    assert "about the same" in ratio_map_sentence(dense)
    X, _ = cdlab.datasets.make(n=300, d=100, density=0.05, skew=1.5, seed=0)
    face = faceoff(X)
    expected = face.theorem3.ratio / iid(face.d_nonempty, face.n_nonempty, own_density(face)).ratio
    assert f"larger by a factor of {expected:.3g}" in ratio_map_sentence(face)


def test_no_data_have_no_place_on_the_map():
    assert "no place" in ratio_map_sentence(faceoff(np.zeros((3, 2))))


def test_the_sides_are_equal_at_the_break_even_cost():
    X, y = cdlab.datasets.make(n=50, d=400, density=0.2, skew=0.0, seed=0)
    face = faceoff(cdlab.Problem(X, y, loss="logistic", l2=0.001))
    picture = cost_model(face, 4.0)
    drawn, marks = curves(picture), {each.label: data(each) for each in elements(picture, "Scatter")}
    assert all(set(marks[side][1]) <= set(drawn[side][1]) for side in ("primal", "dual"))
    k = face.break_even
    assert k > 0
    assert marks["break-even"][0] == [k]
    assert face.cost_P(k) == pytest.approx(face.cost_D(k))
    (ks, primal), (_, dual) = drawn["primal"], drawn["dual"]
    assert np.array_equal(primal < dual, ks < k)
    assert elements(picture, "VLine")[0].data == 4.0


@each_of(
    "P",
    [
        cdlab.Problem(np.eye(3), [1, -1, 1], loss="hinge", l2=0.1),
        cdlab.Problem(np.eye(3), [1, -1, 1], loss="logistic", l2=0.1, l1=0.1),
        cdlab.Problem(np.eye(3), [1.0, 2, 3], loss="squared", l2=0.0),
    ],
    ids=["hinge", "l1 > 0", "l2 = 0"],
)
def test_without_bounds_there_is_nothing_to_compare(P):
    with pytest.raises(ValueError, match="no work to compare"):
        cost_model(faceoff(P), 1.0)


def test_a_cost_is_a_number_of_visits():
    face = faceoff(cdlab.Problem(np.ones((2, 20)), [1, -1], loss="squared", l2=0.5))
    with pytest.raises(ValueError, match="cost of a derivative"):
        cost_model(face, -1.0)
