"""Input and output of a method: the problem as a kernel sees it, and a primal and a dual point."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..numerics import checks
from ..numerics.matrix_lines import Lines
from ..regularizers import Regularizer


class View(NamedTuple):
    """X by rows for dual methods, by columns for primal ones, and the other parts of P."""

    X: Lines
    y: np.ndarray  # (n,) what formulas of `loss` take for labels, see `Problem.loss_y`
    loss: Any  # a `Loss`: which formulas it has is known once a kernel is compiled for it
    reg: Regularizer


class Points:
    """A primal and a dual point, with the products that the method happens to maintain (None: not at hand).

    As a start, dual methods take alpha and primal ones w. With softmax all have a second axis, one column a class.

    Parameters
    ----------
    w : (d,) array
    alpha : (n,) array
    z : (n,) array, optional
        X w.
    v : (d,) array, optional
        X'alpha/n.
    fresh : tuple of "z", "v", default ()
        The products that were computed for these points, and not step by step, so that no round-off adds up.
    products : int, default 0
        Products with X that it took to find the points: so a run knows what a measurement costs.
    """

    __slots__ = ("alpha", "fresh", "products", "v", "w", "z")
    w: np.ndarray
    alpha: np.ndarray
    z: np.ndarray | None
    v: np.ndarray | None
    fresh: tuple[str, ...]
    products: int

    def __init__(
        self,
        w: np.ndarray,
        alpha: np.ndarray,
        *,
        z: np.ndarray | None = None,
        v: np.ndarray | None = None,
        fresh: tuple[str, ...] = (),
        products: int = 0,
    ) -> None:
        self.w, self.alpha, self.z, self.v, self.fresh, self.products = w, alpha, z, v, fresh, products

    @property
    def only_fresh(self) -> Points:
        """The points with only those products in which no round-off has added up."""
        z, v = (getattr(self, name) if name in self.fresh else None for name in ("z", "v"))
        return Points(self.w, self.alpha, z=z, v=v, fresh=self.fresh)


def as_point(name: str, x: Any, shape: tuple[int, ...]) -> np.ndarray:
    """A point or product as kernels take it: C-ordered float64 of this shape, without a copy where it is that already.

    Raises
    ------
    ValueError
        If it has another shape, or holds no real numbers.
    """
    if not (type(x) is np.ndarray and x.dtype == np.float64 and x.flags.c_contiguous):  # as solvers pass it
        x = np.ascontiguousarray(checks.real_array(name, x))
    if x.shape != shape:
        raise ValueError(f"{name} must have shape {shape}; it has {x.shape}")
    return x
