"""The places of the nonzeros of X; for large data the share of nonzeros in each cell of a coarse grid."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from bokeh.models import ColorBar, HoverTool, LinearColorMapper, Range1d
from bokeh.palettes import Greys256
from bokeh.plotting import figure

CELLS = 160  # along each side, at most
CHUNK = 2_000_000  # nonzeros at a time


def densities(X: np.ndarray | sp.csr_matrix, cells: int = CELLS) -> np.ndarray:
    """The share of nonzeros in each cell of a grid over X, at most cells x cells; X itself, as 0 and 1, if it is small.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
        The data.
    cells : int, default 160
        Cells along each side, at most.

    Returns
    -------
    (rows, columns) array
        Shares between 0 and 1.

    Examples
    --------
    >>> densities(np.eye(4), 2)
    array([[0.5, 0. ],
           [0. , 0.5]])
    """
    n, d = X.shape
    shape = min(n, cells), min(d, cells)
    # line k of n belongs to cell floor(k cells/n): every cell has at least one line
    rows, columns = (np.arange(m) * c // m for m, c in zip((n, d), shape, strict=True))
    counts = np.zeros(shape)
    if not isinstance(X, np.ndarray):
        X = X.tocsr()
        step = max(1, CHUNK * n // max(X.nnz, 1))
        for first in range(0, n, step):
            part = X[first : first + step].tocoo()
            there = part.data != 0
            cell = rows[first + part.row[there]] * shape[1] + columns[part.col[there]]
            counts += np.bincount(cell, minlength=counts.size).reshape(shape)
    else:
        step = max(1, CHUNK // d)
        for first in range(0, n, step):
            i, j = np.nonzero(X[first : first + step])
            counts += np.bincount(rows[first + i] * shape[1] + columns[j], minlength=counts.size).reshape(shape)
    sizes = np.outer(np.bincount(rows, minlength=shape[0]), np.bincount(columns, minlength=shape[1]))
    return counts / sizes


def sparsity(X: np.ndarray | sp.csr_matrix) -> figure:
    """A picture of `densities`: examples downwards, features to the right, dark where many entries are not zero."""
    n, d = X.shape
    shares = densities(X)
    top = float(shares.max()) or 1.0
    plot = figure(
        height=320,
        sizing_mode="stretch_width",
        x_range=Range1d(0, d),
        y_range=Range1d(n, 0),
        x_axis_label="features",
        y_axis_label="examples",
        tools="",
        toolbar_location=None,
    )
    mapper = LinearColorMapper(palette=Greys256[::-1], low=0.0, high=top)
    image = plot.image([shares], x=0, y=0, dw=d, dh=n, color_mapper=mapper)
    plot.add_tools(HoverTool(tooltips=[("example", "$y{0}"), ("feature", "$x{0}"), ("nonzeros", "@image{0.0%}")]))
    plot.add_layout(ColorBar(color_mapper=mapper, title="share", width=12), "right")
    plot.grid.visible = False
    for axis in (*plot.xaxis, *plot.yaxis):
        axis.update(axis_label_text_font_style="normal", axis_label_text_font_size="13px")
    image.level = "underlay"
    return plot


def sparsity_sentence(X: np.ndarray | sp.csr_matrix) -> str:
    """The picture of `sparsity` in words."""
    n, d = X.shape
    shares = densities(X)
    overall = (np.count_nonzero(X) if isinstance(X, np.ndarray) else X.count_nonzero()) / (n * d)
    cells = f"{shares.shape[0]} x {shares.shape[1]}"
    fine = shares.shape == (n, d)
    if overall in (0.0, 1.0):
        return f"{'No' if overall == 0 else 'Every'} entry of the {n} x {d} matrix is a nonzero."
    seen = "each entry is drawn" if fine else f"the picture shows the shares in {cells} cells, from {shares.min():.2%}"
    most = "" if fine else f" to {shares.max():.2%}"
    return f"{overall:.3%} of the {n} x {d} entries are nonzeros; {seen}{most}."
