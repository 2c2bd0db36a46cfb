"""P* of a problem, known to a small part of P(0) - P*: what the finish line of benchmarks/advice.py is drawn by."""

import numpy as np
import scipy.sparse as sp

import cdlab

CERTIFIED = 1e-8  # of P(0) - P*: how well P* must be known
INF = float("inf")


def optimum(P) -> float:
    """P*, certified: a dual value within CERTIFIED (P(0) - P*) of it is known."""
    if P.l2 == P.l1 == 0:
        return P.primal(unregularised(P))
    start = P.primal(P.zeros(P.d))
    low, high = -INF, start
    if P.l2 == 0:
        attempts = (("saga", 20), ("fista", 60), ("lbfgs", 60))
    elif P.loss.gamma > 0:
        attempts = (("lbfgs", 20), ("sdca", 60), ("apcg", 60), ("lbfgs", 60))
    else:
        attempts = (("sdca", 120),)
    for method, seconds in attempts:
        sampling = "permutation" if method in ("sdca", "saga") else "uniform"
        s = cdlab.solve(P, method, sampling=sampling, tol=CERTIFIED / 20, max_passes=None, max_seconds=seconds)
        low = max(low, np.nanmax(s.trace.column("dual")))
        high = min(high, np.nanmin(s.trace.column("primal")))
        if high - low <= CERTIFIED * (start - high):
            return high
    raise RuntimeError(f"{P}: P* is only known to {(high - low) / (start - high):.1e}")


def unregularised(P) -> np.ndarray:
    """The minimiser where no dual value certifies it: of least squares directly, of logistic loss by Newton's.

    Newton's steps end when what they promise to gain, half the squared decrement, is rounding beside P.
    """
    if P.loss.name == "squared":
        return np.linalg.lstsq(P.X.toarray() if sp.issparse(P.X) else P.X, P.y, rcond=None)[0]
    if P.loss.name != "logistic":
        raise RuntimeError(f"{P}: no way to its optimum is written here")
    w = np.zeros(P.d)
    for _ in range(50):
        sigma = 1 / (1 + np.exp(P.y * (P.X @ w)))
        gradient = -(P.X.T @ (P.y * sigma)) / P.n
        step = np.linalg.solve((P.X.T * (sigma * (1 - sigma))) @ P.X / P.n, gradient)
        w -= step
        if gradient @ step / 2 <= CERTIFIED / 1000 * (P.primal(np.zeros(P.d)) - P.primal(w)):
            return w
    raise RuntimeError(f"{P}: Newton's method does not get to the optimum")
