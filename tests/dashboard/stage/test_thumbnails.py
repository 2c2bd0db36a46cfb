"""A thumbnail's cells hold the largest entries of X."""

from base64 import b64decode

import numpy as np
import pytest
import scipy.sparse as sp

from cdlab.dashboard.stage import thumbnails
from cdlab.dashboard.stage.thumbnails import cell_of, largest, thumbnail

pytestmark = pytest.mark.full  # a push sees races, choices, links and files of the page


def some(n: int, d: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.3)


@pytest.mark.parametrize("shape", [(5, 4), (100, 7), (97, 300), (1, 250)])
@pytest.mark.parametrize("chunk", [50, 10**6])
def test_each_cell_is_the_largest_of_its_entries_dense_and_sparse(shape, chunk, monkeypatch):
    monkeypatch.setattr(thumbnails, "CHUNK", chunk)
    X = some(*shape)
    down, across = (np.arange(m) * min(m, 9) // m for m in shape)
    expected = np.array(
        [[np.abs(X[np.ix_(down == i, across == j)]).max() for j in np.unique(across)] for i in np.unique(down)]
    )
    np.testing.assert_array_equal(largest(X, 9), expected)
    np.testing.assert_array_equal(largest(sp.csr_matrix(X), 9), expected)


def test_every_cell_has_a_line_and_lines_go_to_cells_in_order():
    cells = cell_of(1000, 96)
    assert (np.diff(cells) >= 0).all()
    assert np.array_equal(np.unique(cells), np.arange(96))


def test_one_heavy_row_is_seen_among_thousands():
    X = some(5000, 40)
    X[1234] *= 100
    made = thumbnail(X)
    levels = np.frombuffer(b64decode(made["levels"]), np.uint8).reshape(made["down"], made["across"])
    row = cell_of(5000)[1234]
    assert levels[row].max() == 255
    assert np.delete(levels, row, axis=0).max() < 128
    assert (made["rows"], made["columns"], made["nonzeros"]) == (5000, 40, np.count_nonzero(X))


def test_an_entry_that_is_there_is_never_as_light_as_none():
    X = sp.csr_matrix(np.array([[1e6, 0.0], [0.0, 1e-6]]))
    assert list(b64decode(thumbnail(X)["levels"])) == [255, 0, 0, 1]


def test_a_matrix_of_zeros_is_empty():
    assert set(b64decode(thumbnail(sp.csr_matrix((4, 3)))["levels"])) == {0}
