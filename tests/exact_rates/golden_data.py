"""Data whose exact rates are known to ten digits."""

import numpy as np

import cdlab

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
