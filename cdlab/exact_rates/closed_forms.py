"""The slowest data for exact steps, on which their rates are formulas.

All are of exact steps on the squared loss. G has unit diagonal, and sigma is its smallest eigenvalue. A radius is that
of one epoch, of as many draws as there are coordinates.
"""

from __future__ import annotations

import math

import numpy as np

NEWTON_STEPS = 3  # that polish a root of a polynomial
BRACKET = 1e-15  # relative distance from the ends of an interval that contains a root


def slowest_decrease(smallest: float, largest: float) -> float:
    """r: one step of uniform draws on any G with eigenvalues in [smallest, largest] has a radius of at most 1 - r/n.

    With S = smallest + largest >= 2 (a smaller interval lies in one of S = 2) and Pi their product,
    r = (S + Pi - sqrt((S + Pi)^2 - 8 Pi))/2. It is attained where largest = n - (n - 1) smallest, by the
    equicorrelated G.

    M = I + theta G gives L_1(M) - M = (-2G + (1 - theta) G^2)/n, and -2x + (1 - theta) x^2 + r (1 + theta x) is a
    convex quadratic in x, zero at both ends if 1 - theta = r/Pi and r^2 - (S + Pi) r + 2 Pi = 0: in between it is at
    most 0. theta is in [0, 1] since S >= 2.
    """
    if not (0 < smallest <= 1 <= largest * (1 + BRACKET)):
        raise ValueError(
            f"eigenvalues of a matrix with unit diagonal are on both sides of 1, and these are {smallest:g} and "
            f"{largest:g}"
        )
    largest = max(largest, 2 - smallest)
    S, Pi = smallest + largest, smallest * largest
    root = math.sqrt(max((S + Pi) ** 2 - 8 * Pi, 0.0))
    return 4 * Pi / (S + Pi + root)  # the smaller root of r^2 - (S + Pi) r + 2 Pi, without cancellation


def equicorrelated_radius(n: int, sigma: float, sampling: str) -> float:
    """The radius of an epoch on G = sigma I + (1 - sigma) 11', that of n identical rows with sigma = 1/(1 + q).

    Parameters
    ----------
    n : int >= 2
        Coordinates.
    sigma : float in (0, 1)
        The smallest eigenvalue.
    sampling : "uniform", "permutation" or "cyclic"
        Cyclic order is any fixed one here.

    Notes
    -----
    By symmetry the eigenmatrix is a I + b 11', and the map of (a, b) is a matrix of two rows. A cyclic sweep is a
    linear recurrence, x_{m+n} = -(1 - sigma) sum_{0<j<n} x_{m+j}: the radius is max |z|^(2n) over the roots of
    z^(n-1) + (1 - sigma) (z^(n-2) + ... + 1).
    """
    if sampling == "uniform":
        return (1 - slowest_decrease(sigma, n - (n - 1) * sigma) / n) ** n
    if sampling == "permutation":
        return float(np.abs(np.linalg.eigvals(permutation_map(n, sigma))).max())
    roots = np.roots([1.0, *[1 - sigma] * (n - 1)])
    z = roots[np.argmax(np.abs(roots))]
    for _ in range(NEWTON_STEPS):  # on (z - 1) times that polynomial, z^n - sigma z^(n-1) - (1 - sigma)
        z -= (z**n - sigma * z ** (n - 1) - (1 - sigma)) / (n * z ** (n - 1) - (n - 1) * sigma * z ** (n - 2))
    return float(np.abs(z) ** (2 * n))


def permutation_map(n: int, s: float) -> np.ndarray:
    """(a, b) -> (a', b') under a random permutation.

    One sweep is T_kj = -c s^(k-1) + c s^(k-j) [j <= k]; averaging T'MT over relabellings needs tr T'T, ||T1||^2,
    ||T'1||^2 and 1'T1, whose geometric sums are these.
    """
    c, z = 1 - s, s**n
    t = n * c * (2 - z**2) / (1 + s) - 2 * (1 - z) + 2 * s * (1 - z**2) / (1 + s) - s**2 * (1 - z**2) / (1 + s) ** 2
    v = n * z**2 - 2 * s * z * (1 - z) / c + s**2 * (1 - z**2) / (1 - s**2)
    u = n - 2 * (n * c + s) * (1 - z) / c + (n * c + s) ** 2 * (1 - z**2) / (1 - s**2)
    w = n * z - s * (1 - z) / c
    b = np.array([u - t, w**2 - v]) / (n * (n - 1))
    return np.array([np.array([t, v]) / n - b, b])
