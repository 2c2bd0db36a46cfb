"""What exact steps with uniform draws do, beside the bounds: an eigenvalue of each side fixes it to about half a pass.

Write A for the Hessian of a side's quadratic up to a factor, gamma l2 n I + X X' (dual) or gamma l2 n I + X'X
(primal), G for A with unit diagonal, sigma = lambda_min(G). With N coordinates and lambda = sigma/N, one uniform draw
and exact step contracts the expected error of a squared loss by a factor rho in the end,

    max{(1 - lambda)^2, 1 - 1/N} <= rho <= 1 - 2 lambda/(1 + N lambda).

In energy coordinates a step is a projection I - q_i q_i', and E[V+] = mean_i (I - q_i q_i') V (I - q_i q_i') is a
symmetric map of matrices V with the largest eigenvalue rho. Its Rayleigh quotients are lower bounds: 1 - 1/N is that of
V = I, a coordinate not drawn yet; (1 - lambda)^2 or more that of the eigenvector of sigma. The best V that commutes
with G = sum_k g_k u_k u_k' is sum_k v_k u_k u_k', whose quotient is a quadratic form in v, of the matrix
diag(1 - 2 g_k/N) + W'W/N, W_ik = g_k u_ik^2; it is computed where all eigenvectors are cheap. For the upper bound, in
scaled coordinates, M = I + G is mapped by a step to E[M+] = M - (2/N) G, and G >= sigma/(1 + sigma) M.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ..numerics.eigenvalues import MAX_DENSE_SIZE, EigenvalueInterval, smallest_normalised_eigenvalue


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
    def eigenvalue_D(self) -> EigenvalueInterval:
        """sigma of the dual."""
        return smallest_normalised_eigenvalue(self._X, self._shift)

    @cached_property
    def eigenvalue_P(self) -> EigenvalueInterval:
        """sigma of the primal."""
        return smallest_normalised_eigenvalue(_transposed(self._X), self._shift)

    @cached_property
    def passes_D(self) -> Interval:
        """Passes of sdca."""
        return uniform_passes(self._X, self._shift, self.eigenvalue_D)

    @cached_property
    def passes_P(self) -> Interval:
        """Passes of rcd."""
        return uniform_passes(_transposed(self._X), self._shift, self.eigenvalue_P)

    @property
    def certified(self) -> bool:
        """Whether both eigenvalues are certain, but for rounding."""
        return self.eigenvalue_P.certified and self.eigenvalue_D.certified

    @property
    def ratio(self) -> Interval:
        """Passes of the primal over those of the dual: above 1 for the dual."""
        P, D = self.passes_P, self.passes_D
        return Interval(P.low / D.high, P.high / D.low if D.low > 0 else math.inf)

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
        """What they do, beside the side that the bounds predict to win."""
        about = "" if self.quadratic else ", were the loss's curvature 1/gamma everywhere"
        chance = "" if self.certified else " (the upper ends but for a chance of 1e-4)"
        takes = (
            f"Exact steps with uniform draws take {self.passes_P} passes per factor e on the primal and "
            f"{self.passes_D} on the dual{about}, by the smallest eigenvalues of the data{chance}"
        )
        if self.winner is None:
            return f"{takes}: that does not settle who is ahead."
        low, high = self.ratio if self.winner == "dual" else (1 / self.ratio.high, 1 / self.ratio.low)
        beside = ", the opposite of what the bounds predict" if predicted not in (None, self.winner) else ""
        return f"{takes}: the {self.winner} is ahead by a factor of {Interval(low, high)}{beside}."


def uniform_passes(lines: Any, shift: float, sigma: EigenvalueInterval) -> Interval:
    """Passes per factor e, 1/(N (1 - rho)), from the smallest eigenvalue of G; a line of `lines` is a coordinate.

    Empty lines are no coordinates: they are optimal from the start.
    """
    nonempty = np.diff(lines.indptr) > 0 if sp.issparse(lines) else lines.any(axis=1)
    N = int(np.count_nonzero(nonempty))
    least, most = (min(1.0, end) / N for end in (sigma.lower, sigma.upper))
    fastest = max((1 - most) ** 2, 1 - 1 / N)
    if N <= MAX_DENSE_SIZE and sigma.products == 0:
        fastest = max(fastest, _rayleigh_quotient(lines[nonempty], shift))
    low = 1 / (N * (1 - fastest))
    return Interval(low, max(low, (1 / (N * least) + 1) / 2))


def _rayleigh_quotient(lines: Any, shift: float) -> float:
    """A lower bound of rho: the largest quotient over the V that commute with G."""
    gram = lines @ lines.T
    A = (gram.toarray() if sp.issparse(gram) else gram) + shift * np.eye(lines.shape[0])
    scale = 1 / np.sqrt(np.diag(A))
    g, u = np.linalg.eigh(A * np.outer(scale, scale))
    W = g * u**2
    return float(np.linalg.eigvalsh(np.diag(1 - 2 * g / g.size) + W.T @ W / g.size)[-1]) * (1 - 1e-13)


def _transposed(X: Any) -> Any:
    return sp.csr_matrix(X.T) if sp.issparse(X) else X.T
