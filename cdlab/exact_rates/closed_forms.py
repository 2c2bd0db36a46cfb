"""Data on which exact rates are formulas: what the general operators are tested by, and worst cases.

All are of exact steps on the squared loss. G has unit diagonal, and sigma is its smallest eigenvalue. A radius is that
of one epoch, of as many draws as there are coordinates.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.optimize

NEWTON_STEPS = 3  # that polish a root of a polynomial
BRACKET = 1e-15  # relative distance from the ends of an interval that contains a root


# ------------------------------------------------------------ independent uniform draws
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


def homogeneous_decrease(eigenvalues: np.ndarray) -> float:
    """x: one step of uniform draws has the radius 1 - x/n, for G with a transitive symmetry (circulant, two clusters).

    The eigenmatrix shares G's eigenvectors and has a constant diagonal m, so that its eigenvalue at lambda is
    m lambda^2/(2 lambda - x), and their mean is m: (1/n) sum lambda^2/(2 lambda - x) = 1, with 0 < x < 2 lambda_min.
    """
    smallest = float(eigenvalues.min())

    def excess(x: float) -> float:
        return float(np.mean(eigenvalues**2 / (2 * eigenvalues - x))) - 1

    return float(scipy.optimize.brentq(excess, 0.0, 2 * smallest * (1 - BRACKET), xtol=BRACKET * smallest, rtol=1e-15))


def identical_decrease(n: int, q: float) -> float:
    """x of n identical lines with ||a||^2/(l2 n) = q: `slowest_decrease` of the equicorrelated G, sigma = 1/(1 + q)."""
    if n == 1:
        return 1.0
    sigma = 1 / (1 + q)
    return slowest_decrease(sigma, n - (n - 1) * sigma)


def two_clusters(m: int, q: float, cosine: float) -> np.ndarray:
    """The eigenvalues (2m,) of G for two groups of m identical lines of equal norm, at this cosine."""
    sigma = 1 / (1 + q)
    far = [sigma + m * (1 - sigma) * (1 + sign * cosine) for sign in (1, -1)]
    return np.array([sigma] * (2 * m - 2) + far)


def separate_groups(sizes: np.ndarray, q: np.ndarray) -> np.ndarray:
    """x_g (k,) of orthogonal groups of n_g identical lines each: a draw with p_g a line has the radius 1 - p_g x_g.

    The best p_g, in proportion to 1/x_g, needs sum n_g/x_g steps per factor e.
    """
    return np.array([identical_decrease(int(n), float(each)) for n, each in zip(sizes, q, strict=True)])


# ------------------------------------------------------------ the equicorrelated family
def equicorrelated(n: int, sigma: float) -> np.ndarray:
    """G = sigma I + (1 - sigma) 11' (n, n): the slowest for uniform draws. n identical rows have sigma = 1/(1 + q)."""
    return sigma * np.eye(n) + (1 - sigma) * np.ones((n, n))


def equicorrelated_radius(n: int, sigma: float, sampling: str) -> float:
    """The radius of an epoch on the equicorrelated G.

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
        return float(np.abs(np.linalg.eigvals(_permutation_map(n, sigma))).max())
    roots = np.roots([1.0, *[1 - sigma] * (n - 1)])
    z = roots[np.argmax(np.abs(roots))]
    for _ in range(NEWTON_STEPS):  # on (z - 1) times that polynomial, z^n - sigma z^(n-1) - (1 - sigma)
        z -= (z**n - sigma * z ** (n - 1) - (1 - sigma)) / (n * z ** (n - 1) - (n - 1) * sigma * z ** (n - 2))
    return float(np.abs(z) ** (2 * n))


def equicorrelated_worst_epoch(n: int, sigma: float, sampling: str) -> float:
    """The largest factor of the energy in one epoch of uniform draws or of a permutation, over all starts."""
    one = _permutation_map(n, sigma) if sampling == "permutation" else np.linalg.matrix_power(_draw_map(n, sigma), n)
    c = 1 - sigma
    a, b = one @ [sigma, c]
    return float(max(a / sigma, (a + n * b) / (sigma + n * c)))


def _draw_map(n: int, s: float) -> np.ndarray:
    """(a, b) -> (a', b') of a I + b 11' under one uniform draw."""
    c = 1 - s
    at_a = [1 - 2 * s / n + s**2 / n, -2 * c / n + (2 * s * c + c**2 * n) / n]
    at_b = [s**2 / n, 1 - 2 / n * (s + c * n) + (2 * s * c + c**2 * n) / n]
    return np.array([at_a, at_b]).T


def _permutation_map(n: int, s: float) -> np.ndarray:
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


# ------------------------------------------------------------ orthogonal lines
def orthogonal_curve(initial: np.ndarray, p: np.ndarray, draws: np.ndarray) -> np.ndarray:
    """E[D* - D] after so many draws on orthogonal rows: sum_i delta_i (1 - p_i)^t, one exact step settles a coordinate.

    Parameters
    ----------
    initial : (n,) array
        delta_i, each coordinate's part of D* - D at the start: y_i^2/(2n (1 + q_i)) from zero.
    p : (n,) array
        Probabilities.
    draws : array of int
        t.
    """
    return (1 - p[None, :]) ** np.asarray(draws)[:, None] @ initial
