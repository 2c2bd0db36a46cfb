"""The pictures of the face-off: where nonzeros are, the map of independent entries, the cost of derivatives."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab.faceoffs import faceoff, iid
from cdlab.plots.cost_model import cost_model
from cdlab.plots.ratio_map import own_density, ratio_map, ratio_map_sentence
from cdlab.plots.sparsity import densities, sparsity, sparsity_sentence


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 12), st.integers(0, 2**32 - 1))
def test_cells_hold_the_share_of_nonzeros_of_their_entries(n, d, cells, seed):
    X = (np.random.default_rng(seed).random((n, d)) < 0.3).astype(float)
    shares = densities(X, cells)
    assert shares.shape == (min(n, cells), min(d, cells))
    assert np.array_equal(densities(sp.csr_matrix(X), cells), shares)
    rows, columns = (np.arange(m) * min(m, cells) // m for m in (n, d))
    for i, j in np.ndindex(shares.shape):
        assert shares[i, j] == pytest.approx(X[np.ix_(rows == i, columns == j)].mean())


def test_stored_zeros_are_no_nonzeros():
    X = sp.csr_matrix((np.array([0.0, 1.0]), (np.array([0, 1]), np.array([0, 1]))), shape=(2, 2))
    assert np.array_equal(densities(X), [[0, 0], [0, 1]])


def test_large_data_are_counted_in_chunks(monkeypatch):
    X = sp.random_array((500, 30), density=0.2, rng=np.random.default_rng(0), format="csr")
    whole = densities(X, 10)
    monkeypatch.setattr("cdlab.plots.sparsity.CHUNK", 50)
    assert np.array_equal(densities(X, 10), whole)
    assert np.array_equal(densities(X.toarray(), 10), whole)


@pytest.mark.parametrize(
    ("X", "words"),
    [
        (np.zeros((3, 2)), "No entry"),
        (np.ones((1, 1)), "Every entry"),
        (np.eye(4), "each entry is drawn"),
        (np.eye(400), "in 160 x 160 cells"),
    ],
)
def test_the_pattern_in_words(X, words):
    assert words in sparsity_sentence(X)
    assert sparsity(X).y_range.start == len(X)  # examples run downwards


def test_the_map_is_that_of_independent_entries():
    face = faceoff(cdlab.Problem(np.ones((4, 7)), [1, -1, 1, -1], l2=0.1))
    plot = ratio_map(face, 0.3)
    cells = plot.renderers[0].data_source.data
    for k in (0, 1000, 3599):
        d, n = (round(np.sqrt(cells[low][k] * cells[high][k])) for low, high in (("left", "right"), ("bottom", "top")))
        assert cells["ratio"][k] == pytest.approx(iid(max(d, 1), max(n, 1), 0.3).ratio, rel=0.5)
    assert (cells["left"].min(), cells["bottom"].min()) == (1, 1)
    own = plot.renderers[-1].data_source.data
    assert (own["x"], own["y"], own["ratio"]) == ([7], [4], [face.theorem3.ratio])
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
    plot = cost_model(face, 4.0)
    lines = [r.data_source.data for r in plot.renderers if type(r.glyph).__name__ == "Line"]
    *sides, even = [r.data_source.data for r in plot.renderers if type(r.glyph).__name__ == "Scatter"]
    assert all(set(marks["y"]) <= set(line["y"]) for marks, line in zip(sides, lines, strict=True))
    k = face.break_even
    assert k > 0
    assert even["x"] == [k]
    assert face.cost_P(k) == pytest.approx(face.cost_D(k))
    primal, dual = (line["y"] for line in lines)
    assert np.array_equal(primal < dual, lines[0]["x"] < k)


@pytest.mark.parametrize(
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
