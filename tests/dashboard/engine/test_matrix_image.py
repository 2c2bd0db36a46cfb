"""The picture of a matrix: its cells hold the largest entries of X."""

from base64 import b64decode

import numpy as np
import pytest
import scipy.sparse as sp

import cdlab
from cdlab.dashboard.engine import problems
from cdlab.dashboard.engine.problems import PreparedProblem, bin_of, largest_entries

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


def some(n: int, d: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.3)


@pytest.mark.parametrize("shape", [(5, 4), (100, 7), (97, 300), (1, 250)])
@pytest.mark.parametrize("chunk", [50, 10**6])
def test_each_cell_is_the_largest_of_its_entries_dense_and_sparse(shape, chunk, monkeypatch):
    monkeypatch.setattr(problems, "CHUNK", chunk)
    X = some(*shape)
    down, across = (np.arange(m) * min(m, 9) // m for m in shape)
    expected = np.array(
        [[np.abs(X[np.ix_(down == i, across == j)]).max() for j in np.unique(across)] for i in np.unique(down)]
    )
    np.testing.assert_array_equal(largest_entries(X, 9, 9), expected)
    np.testing.assert_array_equal(largest_entries(sp.csr_matrix(X), 9, 9), expected)


def test_every_cell_has_a_line_and_lines_go_to_cells_in_order():
    cells = bin_of(1000, 96)
    assert (np.diff(cells) >= 0).all()
    assert np.array_equal(np.unique(cells), np.arange(96))


def levels(X) -> np.ndarray:
    about = PreparedProblem(cdlab.Problem(X, np.resize([1.0, -1.0], X.shape[0]), l2=0.1))
    return np.frombuffer(b64decode(about.levels), np.uint8).reshape(about.down[-1] + 1, about.across[-1] + 1)


def test_one_heavy_row_is_seen_among_thousands():
    X = some(5000, 40)
    X[1234] *= 100
    found, row = levels(X), bin_of(5000, problems.DOWN)[1234]
    assert found[row].max() == 255
    assert np.delete(found, row, axis=0).max() < 128


def test_an_entry_that_is_there_is_never_as_light_as_none():
    assert levels(sp.csr_matrix(np.array([[1e6, 0.0], [0.0, 1e-6]]))).tolist() == [[255, 0], [0, 1]]


def test_a_matrix_of_zeros_is_empty():
    assert not levels(sp.csr_matrix((4, 3))).any()
