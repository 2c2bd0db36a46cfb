"""Small matrices to face off, and K, W and T of Theorem 1 as the paper defines them."""

import numpy as np
from hypothesis import strategies as st

import cdlab

SMOOTH = {"squared": 1.0, "logistic": 0.25, "squared_hinge": 1.0, "smooth_hinge": 1.0, "huber": 1.0}
NAMES = ("K_P", "K_D", "W_P", "W_D", "T_P", "T_D")


@st.composite
def matrices(draw):
    """Small matrices with zeros everywhere, also whole zero rows and columns."""
    n, d = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = (
        rng.standard_normal((n, d))
        * 10.0 ** rng.uniform(-2, 2, (n, 1))
        * (rng.random((n, d)) < draw(st.floats(0.1, 1)))
    )
    X[rng.integers(n), rng.integers(d)] = 1.0  # not X = 0
    return X


def problem(X, loss="squared", l2=0.1, l1=0.0, **given):
    return cdlab.Problem(X, np.resize([1.0, -1.0], X.shape[0]), loss=loss, l2=l2, l1=l1, **given)


def uneven_problem(n=12, d=6, seed=0, **weights):
    """Rows of very different norms, and half of the entries zero."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.5) * np.exp(rng.standard_normal((n, 1)))
    return problem(X, **weights)


def without_empty_lines(X):
    return X[X.any(axis=1)][:, X.any(axis=0)]


def defined(X, beta, l2n, p, q):
    """K, W and T from eq. (8) to (13), coordinate by coordinate; no row or column is empty."""
    n, d = X.shape
    K_P = max((beta * X[:, j] @ X[:, j] + l2n) / (p[j] * l2n) for j in range(d))
    K_D = max((beta * X[i] @ X[i] + l2n) / (q[i] * l2n) for i in range(n))
    W_P = sum(p[j] * np.count_nonzero(X[:, j]) for j in range(d))
    W_D = sum(q[i] * np.count_nonzero(X[i]) for i in range(n))
    return K_P, K_D, W_P, W_D, K_P * W_P, K_D * W_D
