"""Exact steps with uniform draws, beside the bounds: an eigenvalue of each side fixes it to about half a pass.

The Hessian of a side's quadratic is, up to a factor, gamma l2 n I + X X' (dual) or gamma l2 n I + X'X (primal), and its
smallest eigenvalue with unit diagonal gives the band of `cdlab.exact_rates.band`.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..exact_rates.band import Band, band
from ..exact_rates.quadratics import Curvature


class Interval(NamedTuple):
    """A number between two ends."""

    low: float
    high: float

    def __str__(self) -> str:
        low, high = f"{self.low:.3g}", f"{self.high:.3g}"
        return low if low == high else f"{low} to {high}"


class ExactSteps:
    """Passes per factor e of accuracy of rcd and sdca with uniform draws, each step exact for its coordinate.

    As everywhere in a face-off these are K/N, of N coordinates, for an error that falls by 1 - 1/K an iteration.

    About the squared loss without l1. Of another smooth loss, about the quadratic with its largest curvature 1/gamma
    everywhere, which its bounds are about, too. Eigenvalues are computed when they are asked for.

    Parameters
    ----------
    X : (n, d) array or csr_matrix
        The data.
    shift : float
        gamma l2 n.
    quadratic : bool
        Whether the loss is a quadratic.
    """

    def __init__(self, X: Any, shift: float, quadratic: bool):
        self._X, self._shift, self.quadratic = X, shift, quadratic

    @cached_property
    def band_D(self) -> Band:
        """Interval of the radius of one step of sdca."""
        return band(*_curvature_and_draws(self._X, self._shift))

    @cached_property
    def band_P(self) -> Band:
        """Interval of the radius of one step of rcd."""
        return band(*_curvature_and_draws(_transposed(self._X), self._shift))

    @cached_property
    def passes_D(self) -> Interval:
        """Passes of sdca."""
        return _passes(self.band_D, _nonempty(self._X))

    @cached_property
    def passes_P(self) -> Interval:
        """Passes of rcd."""
        return _passes(self.band_P, _nonempty(_transposed(self._X)))

    @property
    def certified(self) -> bool:
        """Tell whether both bands are certain, but for rounding."""
        return self.band_P.certified and self.band_D.certified

    @property
    def ratio(self) -> Interval:
        """Passes of the primal over those of the dual: above 1 for the dual."""
        P, D = self.passes_P, self.passes_D
        low = 0.0 if D.high == math.inf else P.low / D.high
        return Interval(low, math.inf if P.high == math.inf or D.low == 0 else P.high / D.low)

    @property
    def winner(self) -> str | None:
        """The side that is ahead wherever the passes are in their intervals; None where that is not settled."""
        return "dual" if self.ratio.low > 1 else "primal" if self.ratio.high < 1 else None

    def to_dict(self) -> dict[str, Any]:
        """All as plain numbers, words and lists."""
        names = ("passes_P", "passes_D", "ratio")
        plain: dict[str, Any] = {name: [x if math.isfinite(x) else None for x in getattr(self, name)] for name in names}
        return plain | {name: getattr(self, name) for name in ("winner", "certified", "quadratic")}

    def sentence(self, predicted: str | None) -> str:
        """Sentence that tells what they do, beside the side that the bounds predict to win."""
        about = "" if self.quadratic else ", were the loss's curvature 1/gamma everywhere"
        chance = "" if self.certified else " (the upper ends but for a chance of 1e-4)"
        takes = (
            f"Exact steps with uniform draws take {self.passes_P} passes per factor e on the primal and "
            f"{self.passes_D} on the dual{about}, by the smallest eigenvalues of the data{chance}"
        )
        if self.winner is None:
            return f"{takes}: that does not settle who is ahead."
        low, high = self.ratio if self.winner == "dual" else map(_inverse, reversed(self.ratio))
        beside = ", the opposite of what the bounds predict" if predicted not in (None, self.winner) else ""
        return f"{takes}: the {self.winner} is ahead by a factor of {Interval(low, high)}{beside}."


def _curvature_and_draws(lines: Any, shift: float) -> tuple[Curvature, np.ndarray]:
    """A, and uniform probabilities; empty lines are no coordinates, since they are optimal from the start."""
    moving = np.flatnonzero(_nonempty(lines))
    return Curvature(np.full(moving.size, shift), lines[moving]), np.full(moving.size, 1 / moving.size)


def _nonempty(lines: Any) -> np.ndarray:
    return np.diff(lines.indptr) > 0 if sp.issparse(lines) else lines.any(axis=1)


def _passes(of_step: Band, nonempty: np.ndarray) -> Interval:
    """1/(N (1 - rho)); infinite where rho rounds to 1."""
    N = int(np.count_nonzero(nonempty))
    low, high = (1 / (N * (1 - rho)) if rho < 1 else math.inf for rho in (of_step.low, of_step.high))
    return Interval(low, high)


def _inverse(x: float) -> float:
    return 1 / x if x > 0 else math.inf


def _transposed(X: Any) -> Any:
    return sp.csr_matrix(X.T) if sp.issparse(X) else X.T
