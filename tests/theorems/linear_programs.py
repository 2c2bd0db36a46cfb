"""Problems with kinks and l1 alone, solved exactly as linear programs."""

import numpy as np
from scipy.optimize import linprog


def linear_program(P):
    """Hinge or absolute loss with l1 alone: variables w+, w-, and the losses, at least each of their slopes."""
    n, d, X, y = P.n, P.d, P.X, P.y
    cost = np.concatenate([np.full(2 * d, P.l1), np.full(n, 1 / n)])
    if P.loss.name == "hinge":  # loss >= 1 - y x'w
        Z = y[:, None] * X
        A, b = np.hstack([-Z, Z, -np.eye(n)]), -np.ones(n)
        return split(linprog(cost, A, b), d, lambda a: n * a * y)
    A = np.vstack([np.hstack([X, -X, -np.eye(n)]), np.hstack([-X, X, -np.eye(n)])])  # loss >= +-(x'w - y)
    return split(linprog(cost, A, np.concatenate([y, -y])), d, lambda a: n * (a[n:] - a[:n]))


def split(found, d, alpha):
    return found.x[:d] - found.x[d : 2 * d], alpha(-found.ineqlin.marginals)
