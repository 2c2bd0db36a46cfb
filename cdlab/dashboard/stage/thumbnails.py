"""A matrix in a few thousand cells, each as dark as its largest entry, so that one heavy row is seen."""

from __future__ import annotations

from base64 import b64encode

import numpy as np
import scipy.sparse as sp

from .contract import Thumbnail

CELLS = 96  # along each side, at most
CHUNK = 1_000_000  # entries of a dense matrix at a time


def cell_of(lines: int, most: int = CELLS) -> np.ndarray:
    """The cell (lines,) of each of so many rows or columns: line k of m lies in cell floor(k cells/m).

    >>> cell_of(6, 3)
    array([0, 0, 1, 1, 2, 2])
    """
    return np.arange(lines) * min(lines, most) // lines


def largest(X: np.ndarray | sp.csr_matrix, most: int = CELLS, most_across: int = 0) -> np.ndarray:
    """The largest |x| in each cell, (cells down, cells across).

    >>> largest(np.array([[1.0, 0.0, 0.0, -3.0], [0.0, 2.0, 0.0, 0.0]]), 2)
    array([[1., 3.],
           [2., 0.]])
    """
    n, d = X.shape
    down, across = cell_of(n, most), cell_of(d, most_across or most)
    shape = down[-1] + 1, across[-1] + 1
    if not sp.issparse(X):
        starts_down, starts_across = (np.flatnonzero(np.diff(cells, prepend=-1)) for cells in (down, across))
        found = np.empty(shape)
        ends = np.append(starts_down[1:], n)
        step = max(1, CHUNK * shape[0] // (n * d))  # cells at a time
        for k in range(0, shape[0], step):
            first, last = starts_down[k], ends[min(k + step, shape[0]) - 1]
            part = np.maximum.reduceat(np.abs(X[first:last]), starts_across, axis=1)
            found[k : k + step] = np.maximum.reduceat(part, starts_down[k : k + step] - first, axis=0)
        return found
    found = np.zeros(shape[0] * shape[1])
    rows = np.repeat(down, np.diff(X.indptr))
    np.maximum.at(found, rows * shape[1] + across[X.indices], np.abs(X.data))
    return found.reshape(shape)


def thumbnail(X: np.ndarray | sp.csr_matrix, most: int = CELLS) -> Thumbnail:
    """The thumbnail of a matrix.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
    most : int, default 96
        Cells along each side, at most.
    """
    n, d = X.shape
    cells = largest(X, most)
    top = float(cells.max())
    # by the root, entries a hundred times smaller than the largest are still seen; what is there at all is not 0
    levels = np.ceil(255 * np.sqrt(cells / top)) if top > 0 else cells
    return {
        "rows": n,
        "columns": d,
        "nonzeros": int(X.nnz if sp.issparse(X) else np.count_nonzero(X)),
        "down": cells.shape[0],
        "across": cells.shape[1],
        "levels": b64encode(levels.astype(np.uint8).tobytes()).decode("ascii"),
    }
