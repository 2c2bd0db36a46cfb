"""The facts of a problem that samplings, steps, bounds and traces read: norms, smoothness, constants, a digest."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from ..losses import Loss
from ..numerics import profiles
from ..numerics.digests import array_digest
from ..samplings import Coordinates
from . import weights
from .gaps import gap_between, rounding_of_sums


class Facts:
    """What follows from the data, the loss and the regulariser of a `Problem`, whose base it is."""

    X: np.ndarray | sp.csr_matrix
    y: np.ndarray
    n: int
    d: int
    nnz: int
    l2: float
    l1: float
    loss: Loss
    sample_weight: np.ndarray | None
    intercept: bool
    row_profile: profiles.Profile
    zeros: Any
    primal: Any
    dual: Any

    @cached_property
    def column_profile(self) -> profiles.Profile:
        """Squared norms (d,) and nonzeros (d,) of the columns of X."""
        return profiles.profile(self.X, "columns")

    def coordinates(self, side: str) -> Coordinates:
        """The coordinates of the "dual" (examples) or "primal" (features) side, as samplings know them."""
        shape = self.row_profile if side == "dual" else self.column_profile
        beta: float | np.ndarray = self.beta
        if self.sample_weight is not None and np.isfinite(beta):
            share = np.ones_like(shape.norms2)
            np.divide(self.weighed_norms2(side), shape.norms2, out=share, where=shape.norms2 > 0)
            beta = beta * share
        return Coordinates(shape.norms2, beta, self.l2 * self.n, shape.counts)

    def weighed_norms2(self, side: str) -> np.ndarray:
        """Squared norms of the lines of sqrt(s_i/max s) X_ij: times beta, the smoothness of the loss along them."""
        if self.sample_weight is None:
            return (self.row_profile if side == "dual" else self.column_profile).norms2
        s = weights.relative(self.sample_weight)
        return s * self.row_profile.norms2 if side == "dual" else weights.sums_of_squares(self.X, s)

    @cached_property
    def digest(self) -> str:
        """Sixteen hexadecimal digits that identify X, y and sample weights: by them results can be repeated."""
        parts = (self.X,) if isinstance(self.X, np.ndarray) else (self.X.data, self.X.indices, self.X.indptr)
        weighed = () if self.sample_weight is None else (self.sample_weight,)
        return array_digest(*parts, self.y, *weighed, shape=self.X.shape)

    @property
    def beta(self) -> float:
        """Smoothness 1/gamma of the loss; inf if it is not smooth."""
        return 1 / self.loss.gamma if self.loss.gamma > 0 else np.inf

    @property
    def R(self) -> float:
        """The largest row norm."""
        return float(np.sqrt(self.row_profile.norms2.max()))

    @property
    def kappa(self) -> float:
        """The condition number R^2 / (l2 gamma); inf if l2 or gamma is 0."""
        product = self.l2 * self.loss.gamma
        return self.R**2 / product if product > 0 else np.inf

    @cached_property
    def at_zero(self) -> float:
        """P(0), which relative gaps refer to."""
        return float(self.primal(self.zeros(self.d), z=self.zeros(self.n)))

    def constants(self) -> dict[str, Any]:
        """The plain numbers that bounds and face-off read, by name.

        n, d, nnz; outputs (predictions an example: softmax's classes, else 1); intercept (0 or 1); l2, l1; the loss's
        gamma and L (Lipschitz constant), with sample weights the heaviest example's; R, Rbar (largest and mean row
        norm), R_col (largest column norm), F (squared Frobenius norm); C_P, C_D (Csiba & Richtarik 2016, eq. 16);
        kappa; P0 = P(0), gap0 = P(0) - D(0); and the arrays row_norms2, row_counts, col_norms2, col_counts.
        """
        rows, cols = self.row_profile, self.column_profile
        at_zero, dual = self.at_zero, self.dual(self.zeros(self.n))
        return {
            "n": self.n, "d": self.d, "nnz": self.nnz, "outputs": self.zeros(1).size,
            "intercept": int(self.intercept),
            "l2": self.l2, "l1": self.l1, "gamma": float(self.loss.gamma), "L": float(self.loss.lipschitz),
            "R": self.R, "Rbar": float(np.sqrt(rows.norms2).mean()), "R_col": float(np.sqrt(cols.norms2.max())),
            "F": float(rows.norms2.sum()), "C_P": cols.C, "C_D": rows.C, "kappa": self.kappa,
            "P0": at_zero, "gap0": gap_between(at_zero, dual, rounding_of_sums(at_zero, dual)),
            "row_norms2": rows.norms2, "row_counts": rows.counts, "col_norms2": cols.norms2, "col_counts": cols.counts,
        }  # fmt: skip
