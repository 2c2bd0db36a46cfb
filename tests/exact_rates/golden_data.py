"""Data whose exact rates are known to ten digits."""

import numpy as np

import cdlab

DIGITS = 6e-10  # relative: ten digits, the last one rounded


def five_by_four(loss="squared", l2=0.2, y=(1.0, -1.0, 1.0, 1.0, -1.0), **options):
    """X[i, j] = (((3j + 5i) mod 7) - 3)/2."""
    i, j = np.indices((5, 4))
    return cdlab.Problem(((3 * j + 5 * i) % 7 - 3) / 2, np.array(y), loss=loss, l2=l2, **options)


def gram_problem(K, l2n=1.0, **options):
    """A problem of the squared loss, c = 1/2, with X X'/(l2 n) = K/l2n: the dual's G is that of I + K/l2n."""
    values, vectors = np.linalg.eigh(np.asarray(K, float))
    X = vectors * np.sqrt(np.maximum(values, 0.0))
    y = options.pop("y", np.ones(len(K)))
    return cdlab.Problem(X, y, loss="squared", l2=l2n / len(K), **options)
