"""The questions that kernels ask of a matrix, dense or sparse: it is a stack of lines, rows or columns of X."""

from __future__ import annotations

from typing import Any, Protocol, TypeAlias

import numpy as np

Place: TypeAlias = int | np.unsignedinteger  # of a line, or on one; orders hold unsigned numbers, which index faster


class Lines(Protocol):
    """A matrix as kernels see it, line by line: rows for dual methods, columns for primal ones.

    Accelerated methods keep two vectors side by side, as pairs (m, 2), one trip to memory for both: ``dot2``,
    ``slope2`` and ``add2`` are the same for these. With ``line``, ``index`` and ``value`` a method does more at each
    nonzero than these do:

        for p in X.line(i): j, x = X.index(i, p), X.value(i, p)
    """

    @property
    def ahead(self) -> int:
        """Number of lines that `pick` loads early; 0: never."""

    def line(self, i: Place) -> range:
        """The places of line i, one for each entry that is stored."""

    def index(self, i: Place, p: Place) -> Place:
        """Position on the line of the entry at place p."""

    def value(self, i: Place, p: Place) -> float:
        """The entry at place p."""

    def dot(self, i: Place, v: np.ndarray, reg: Any) -> float:
        """sum_j X_ij reg.shrink_at(j, v_j)."""

    def dot_on_lanes(self, i: Place, v: np.ndarray) -> float:
        """sum_j X_ij v_j on several lanes: fast where lines are long."""

    def dot_in_blocks(self, i: Place, v: np.ndarray) -> float:
        """The same with an error that `problems.rounding` bounds."""

    def add_lines(self, order: np.ndarray, c: np.ndarray, out: np.ndarray, room: np.ndarray) -> None:
        """`out` + room[0] + room[1] += sum of c_i X_i: over these lines, in place: a sum, what it lost, a last part."""

    def add_range(self, begin: int, end: int, c: np.ndarray, out: np.ndarray, room: np.ndarray, folds: Any) -> None:
        """The same of the lines from begin to end, faster: given where the sums of sparse ones fold."""

    def slope(self, i: Place, z: np.ndarray, y: np.ndarray, loss: Any) -> float:
        """sum_j X_ij phi'(z_j; y_j)."""

    def add(self, i: Place, c: float, v: np.ndarray) -> None:
        """v_j += c X_ij, in place."""

    def add_shrunk(self, i: Place, c: float, v: np.ndarray, reg: Any, e: np.ndarray) -> None:
        """e_j += c reg.shrink_at(j, v_j) for the j that line i touches, in place."""

    def dot2(self, i: Place, pairs: np.ndarray, c: float, reg: Any) -> float:
        """sum_j X_ij reg.shrink_at(j, pairs_j0 + c pairs_j1)."""

    def slope2(self, i: Place, pairs: np.ndarray, c: float, y: np.ndarray, loss: Any) -> float:
        """sum_j X_ij phi'(pairs_j0 + c pairs_j1; y_j)."""

    def add2(self, i: Place, a: float, b: float, pairs: np.ndarray) -> None:
        """pairs_j0 += a X_ij and pairs_j1 += b X_ij, in place."""

    def pick(self, order: np.ndarray, k: int, arrays: tuple[np.ndarray, ...]) -> Any:
        """order[k]; and ask early for the line of a little later coordinate, and for its entries of these arrays."""
