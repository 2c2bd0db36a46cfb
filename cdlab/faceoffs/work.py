"""K, W and T of one sampling: the work that the bounds predict for it, on the primal and on the dual side."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ..eso_parameters import eso
from ..numerics.profiles import Profile
from ..samplings import Coordinates, Sampling


@dataclass(frozen=True)
class Work:
    """The work that the bounds predict for one sampling, up to the factor log(c/eps). None where there is no bound.

    Attributes
    ----------
    K_P, K_D, W_P, W_D, T_P, T_D : float or None
        Iterations K, expected visited nonzeros of an iteration W, and of all T = K W, on the primal and dual side.
    """

    K_P: float | None = None
    K_D: float | None = None
    W_P: float | None = None
    W_D: float | None = None
    T_P: float | None = None
    T_D: float | None = None

    @property
    def ratio(self) -> float | None:
        """T_P/T_D: above 1 the bound favours the dual."""
        return self.T_P / self.T_D if self.T_P is not None and self.T_D else None


class Side(NamedTuple):
    """The sums over the coordinates of one side that the bounds of uniform and importance sampling need.

    Empty lines are not coordinates here (Csiba & Richtarik 2016, Theorem 3): no method has to draw them.

    Attributes
    ----------
    m, nnz : int
        Lines (rows or columns) with a nonzero, and all nonzeros.
    F : float
        Sum of the squared norms.
    C : float
        Sum of nonzeros times squared norm.
    largest : float
        Largest squared norm.
    """

    m: int
    nnz: int
    F: float
    C: float
    largest: float

    @classmethod
    def of(cls, lines: Profile) -> Side:
        """The sums over the rows or columns of a matrix."""
        counts, norms2 = lines.counts, lines.norms2
        return cls(int(np.count_nonzero(counts)), int(counts.sum()), float(norms2.sum()), lines.C, float(norms2.max()))

    def uniform(self, b: float) -> tuple[float, float, float]:
        """K, W, T for p = 1/m and b = beta/(l2 n): section 5.1 of Csiba & Richtarik (2016)."""
        worst = 1 + b * self.largest
        return self.m * worst, self.nnz / self.m if self.m else 0.0, self.nnz * worst

    def importance(self, b: float) -> tuple[float, float, float]:
        """K, W, T for p ~ 1 + b ||.||^2: eq. (14) and (15) of Csiba & Richtarik (2016)."""
        K, T = self.m + b * self.F, self.nnz + b * self.C
        return K, T / K if self.m else 0.0, T


def both(primal: tuple[float, float, float] | None, dual: tuple[float, float, float] | None) -> Work:
    """(K, W, T) of each side as one Work; None where a side has no sampling."""
    sides = (("P", primal), ("D", dual))
    return Work(**{f"{name}_{s}": x for s, found in sides if found for name, x in zip("KWT", found, strict=True)})


def of_sampling(
    X: np.ndarray | sp.csr_matrix, lines: Profile, side: str, sampling: Sampling, beta: float, l2n: float
) -> tuple[float, float, float]:
    """K, W, T of any sampling on one side, as eq. (8) to (13) of Csiba & Richtarik (2016) define them.

    A serial sampling has squared norms v; one that draws blocks has the ESO parameters in their place, and W counts the
    nonzeros of a whole block. Empty lines need no probability: of a serial sampling only the draws of other lines are
    counted as iterations, as `Side` counts them.

    Parameters
    ----------
    X : (n, d) array or CSR matrix
        Validated data.
    lines : Profile
        Of its columns for the primal, of its rows for the dual.
    side : "primal" or "dual"
        Whether features or examples are drawn.
    sampling : Sampling
        Of the features or of the examples.
    beta, l2n : float
        Smoothness 1/gamma of the loss, and l2 n.

    Returns
    -------
    K, W, T : float
        Iterations, visited nonzeros an iteration, and visited nonzeros in all; K and T per factor e of accuracy.

    Raises
    ------
    ValueError
        If no theorem covers the sampling, it does not fit this side, or it never draws some coordinate.
    """
    if not sampling.has_theorem:
        raise ValueError(f"{sampling.name} is an order, which no theorem covers, so the face-off has no bound for it")
    coordinates = f"{lines.counts.size} {'features' if side == 'primal' else 'examples'}"
    try:
        v = lines.norms2 if sampling.serial else eso(X, sampling, side)
        c = Coordinates(v, beta, l2n, lines.counts)
        p = sampling.probabilities(c)
    except ValueError as error:
        raise ValueError(f"on the {side} side, with {coordinates}: {error}") from None
    (places,) = lines.counts.nonzero()
    if not places.size:
        return 0.0, 0.0, 0.0
    s, p, counts = c.smoothness[places], p[places], lines.counts[places]
    if not (p > 0).all():
        never = places[np.argmin(p)]
        raise ValueError(f"on the {side} side, {sampling.label} never draws coordinate {never}: K = inf")
    if sampling.serial:
        p = p / p.sum()
    K, W = (s / p).max() / l2n, p @ counts
    return float(K), float(W), float(K * W)
