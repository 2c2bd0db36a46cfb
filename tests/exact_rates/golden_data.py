"""Data whose exact rates are known to ten digits, and formulas of others."""

import numpy as np
import scipy.optimize

import cdlab
from cdlab.exact_rates.closed_forms import BRACKET, permutation_map, slowest_decrease

DIGITS = 6e-10  # relative: ten digits, the last one rounded


def five_by_four(loss="squared", l2=0.2, y=(1.0, -1.0, 1.0, 1.0, -1.0), **options):
    """X[i, j] = (((3j + 5i) mod 7) - 3)/2."""
    i, j = np.indices((5, 4))
    return cdlab.Problem(((3 * j + 5 * i) % 7 - 3) / 2, np.array(y), loss=loss, l2=l2, **options)


def gram_problem(K, **options):
    """A problem of the squared loss, c = 1/2, with X X'/(l2 n) = K: the dual's matrix A is I + K."""
    K = np.asarray(K, float)
    values, vectors = np.linalg.eigh(K)
    X = vectors * np.sqrt(np.maximum(values, 0.0))
    return cdlab.Problem(X, np.ones(len(K)), loss="squared", l2=1 / len(K), **options)


def equicorrelated_problem(n, sigma):
    """Rows whose dual has G = sigma I + (1 - sigma) 11': X X'/(l2 n) = (1/sigma - 1) 11' for identical rows."""
    return gram_problem((1 / sigma - 1) * np.ones((n, n)))


def arrow(n, d, a, b, c, l2):
    """Row 0 is (a, c, ..., c), the others (b, 0, ..., 0)."""
    X = np.zeros((n, d))
    X[0], X[1:, 0], X[0, 0] = c, b, a
    return cdlab.Problem(X, np.linspace(-1, 1, n), loss="squared", l2=l2)


def homogeneous_decrease(eigenvalues):
    """x: one step of uniform draws has the radius 1 - x/n, for G with a transitive symmetry (circulant, two clusters).

    The eigenmatrix shares G's eigenvectors and has a constant diagonal m, so that its eigenvalue at lambda is
    m lambda^2/(2 lambda - x), and their mean is m: (1/n) sum lambda^2/(2 lambda - x) = 1, with 0 < x < 2 lambda_min.
    """
    smallest = float(eigenvalues.min())

    def excess(x):
        return float(np.mean(eigenvalues**2 / (2 * eigenvalues - x))) - 1

    return float(scipy.optimize.brentq(excess, 0.0, 2 * smallest * (1 - BRACKET), xtol=BRACKET * smallest, rtol=1e-15))


def identical_decrease(n, q):
    """x of n identical lines with ||a||^2/(l2 n) = q: `slowest_decrease` of the equicorrelated G, sigma = 1/(1 + q)."""
    if n == 1:
        return 1.0
    sigma = 1 / (1 + q)
    return slowest_decrease(sigma, n - (n - 1) * sigma)


def two_clusters(m, q, cosine):
    """The eigenvalues (2m,) of G for two groups of m identical lines of equal norm, at this cosine."""
    sigma = 1 / (1 + q)
    far = [sigma + m * (1 - sigma) * (1 + sign * cosine) for sign in (1, -1)]
    return np.array([sigma] * (2 * m - 2) + far)


def separate_groups(sizes, q):
    """x_g (k,) of orthogonal groups of n_g identical lines each: a draw with p_g a line has the radius 1 - p_g x_g.

    The best p_g, in proportion to 1/x_g, needs sum n_g/x_g steps per factor e.
    """
    return np.array([identical_decrease(int(n), float(each)) for n, each in zip(sizes, q, strict=True)])


def equicorrelated_worst_epoch(n, sigma, sampling):
    """The largest factor of the energy in one epoch of uniform draws or of a permutation, over all starts."""
    draws = np.linalg.matrix_power(equicorrelated_draw(n, sigma), n)
    c = 1 - sigma
    a, b = (permutation_map(n, sigma) if sampling == "permutation" else draws) @ [sigma, c]
    return float(max(a / sigma, (a + n * b) / (sigma + n * c)))


def equicorrelated_draw(n, s):
    """(a, b) -> (a', b') of a I + b 11' under one uniform draw."""
    c = 1 - s
    at_a = [1 - 2 * s / n + s**2 / n, -2 * c / n + (2 * s * c + c**2 * n) / n]
    at_b = [s**2 / n, 1 - 2 / n * (s + c * n) + (2 * s * c + c**2 * n) / n]
    return np.array([at_a, at_b]).T


def orthogonal_curve(initial, p, draws):
    """E[D* - D] after so many draws on orthogonal rows: sum_i delta_i (1 - p_i)^t, one exact step settles a coordinate.

    initial has delta_i, each coordinate's part of D* - D at the start: y_i^2/(2n (1 + q_i)) from zero.
    """
    return (1 - p[None, :]) ** np.asarray(draws)[:, None] @ initial
