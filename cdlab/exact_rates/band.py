"""The spectral band: where the rate of exact steps under independent draws lies, from one eigenvalue.

With P = diag(p) and lambda = lambda_min(P^(1/2) G P^(1/2)), the radius rho of one step is in

    [ max{(1 - lambda)^2, 1 - p_min},  1 - 2 lambda/(1 + lambda/p_min) ],

which leaves half a pass of passes per factor e undecided, whatever the data. Lower end: E[ee'] >= E[e] E[e]' and
E[e+] = (I - PG) e; and a coordinate that is not drawn keeps its error. Upper end: M = p_min P^-1 + G has
L_1(M) - M = -2 p_min G + G (p_min I - P) G <= -2 p_min G <= -r M, r = 2 lambda/(1 + lambda/p_min), since conjugating by
P^(1/2) leaves P^(1/2) G P^(1/2) alone to be diagonalised.

On small data the lower end is the best one of another kind. In energy coordinates a step is a projection I - q_i q_i',
q_i = G^(1/2) e_i, and E[V+] = sum_i p_i (I - q_i q_i') V (I - q_i q_i') is a symmetric map of matrices V with the
largest eigenvalue rho, of which Rayleigh quotients are lower bounds. For V = sum_k v_k u_k u_k' that commutes with
G = sum_k g_k u_k u_k' the quotient is a quadratic form in v, of the matrix diag(1 - 2 g_k sum_i p_i u_ik^2) + W'PW,
W_ik = g_k u_ik^2.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..numerics.eigenvalues import MAX_DENSE_SIZE, EigenvalueInterval
from .quadratics import Curvature

ROUNDING = 1e-13  # of a Rayleigh quotient


class Band(NamedTuple):
    """Interval in which the radius of one step lies.

    Attributes
    ----------
    low, high : float
        Its ends.
    certified : bool
        Whether it lies there but for rounding. If not, `high` holds but for a chance of 1e-4: see `EigenvalueInterval`.
    """

    low: float
    high: float
    certified: bool


def spectral_band(eigenvalue: EigenvalueInterval, p_min: float) -> Band:
    """The band that lambda alone gives, which lies between two numbers."""
    least, most = min(eigenvalue.lower, p_min), min(eigenvalue.upper, p_min)  # lambda <= p_i G_ii = p_i
    low = max((1 - most) ** 2, 1 - p_min)
    return Band(low, max(low, 1 - 2 * least / (1 + least / p_min)), eigenvalue.certified)


def band(A: Curvature, p: np.ndarray) -> Band:
    """Return the interval of the radius of one exact step, of independent draws p (N,) > 0, of sum 1 or less.

    Up to 500 coordinates the lower end is also that of all V that commute with G.
    """
    eigenvalue = A.smallest_eigenvalue(p)
    found = spectral_band(eigenvalue, float(p.min()))
    if p.size > MAX_DENSE_SIZE or eigenvalue.products:
        return found
    low = max(found.low, _commuting_quotient(A, p))
    return found._replace(low=low, high=max(low, found.high))


def _commuting_quotient(A: Curvature, p: np.ndarray) -> float:
    """The largest Rayleigh quotient over the V that commute with G."""
    scale = 1 / np.sqrt(A.diagonal)
    g, u = np.linalg.eigh(A.matrix * np.outer(scale, scale))
    W = g * u**2
    return float(np.linalg.eigvalsh(np.diag(1 - 2 * p @ W) + W.T @ (p[:, None] * W))[-1]) * (1 - ROUNDING)
