"""The best independent draws for exact steps: a convex problem in the probabilities.

In energy, with T_i = I - c_i c_i', the map of one step is L(M) = sum_i p_i T_i M T_i, linear in p and symmetric, so its
largest eigenvalue rho(p) is convex. With any positive W of trace 1 on symmetric matrices,

    rho(p) >= sum_i p_i g_i >= min_i g_i,   g_i = <W, T_i (x) T_i>,

whatever p is: min_i g_i is a lower bound of the best rate. At the optimum some W of eigenmatrices meets it, and all g_i
with p_i > 0 are equal. The largest eigenvalue is smoothed, mu log tr exp(L/mu), with mu going to 0; its gradient is
such a g, with W = exp(L/mu) over its trace.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.optimize
import scipy.sparse as sp

from ..numerics import checks
from ..problems.problem import Problem
from .asked import asked_method
from .computing import refuse_problem
from .optimum import find_optimum, is_quadratic
from .quadratics import Quadratic, dual_quadratic, energy_root, primal_quadratic
from .steps import COORDINATE_DESCENT

MAX_COORDINATES = 30
SMOOTHING = 10.0 ** -np.arange(1, 8)  # mu, relative to 1 - rho at the start
NEGLIGIBLE = 1e-14  # weight of an eigenmatrix
TOLERANCE = 1e-13
PROVED_BEST = 1e-7  # of 1 - rho, between the radius and its lower bound
MAX_ITERATIONS = 60  # at each mu


class BestSampling(NamedTuple):
    """The probabilities that minimise the radius of a step, with how near to the minimum they are."""

    p: np.ndarray  # (n,) or (d,): a sampling, as `solve` and `exact_rate` take it
    radius: float  # of one step
    lower_bound: float  # of the radius of one step under any probabilities

    @property
    def steps(self) -> float:
        """1/(1 - radius): steps per factor e, nearly."""
        return 1 / (1 - self.radius)


def best_sampling(problem: Problem, method: Any = "sdca") -> BestSampling:
    """The probabilities of independent draws under which exact steps are fastest in the end.

    Parameters
    ----------
    problem : Problem
        Of the squared loss, with l2 > 0, l1 = 0 and at most 30 coordinates on the method's side, which take about half
        a minute.
    method : "sdca", "rcd" or an instance, default "sdca"
        Whose coordinates are drawn.

    Returns
    -------
    BestSampling
        Its ``p`` is a sampling for `solve` and `exact_rate`; what the best probabilities can reach at most is its
        ``lower_bound``, which is proved.

    Raises
    ------
    ValueError, TypeError
        For other problems and methods, and more coordinates.

    Examples
    --------
    >>> import cdlab
    >>> P = cdlab.Problem([[3.0, 0.0], [0.0, 1.0], [0.0, 1.0]], [1.0, -1.0, 2.0], loss="squared", l2=0.1)
    >>> cdlab.theory.best_sampling(P).p.round(3)
    array([0.17 , 0.415, 0.415])
    """
    if not isinstance(problem, Problem):
        raise TypeError(f"the best sampling is of a cdlab.Problem, not of {checks.short_repr(problem)}")
    asked = asked_method(method, {}, {name: COORDINATE_DESCENT[name][1] for name in ("sdca", "rcd")})
    refuse_problem(problem, asked)
    side = COORDINATE_DESCENT[asked.name][0]
    if not is_quadratic(problem):
        raise ValueError(f"the best sampling is known for the squared loss, and this is {problem.loss.name}")
    size = problem.n if side == "dual" else problem.d
    if size > MAX_COORDINATES:
        raise ValueError(
            f"the best sampling is computed for at most {MAX_COORDINATES} coordinates, and {asked.name} has {size} "
            'here: take "clipped" sampling, which is the best for a bound of exact steps'
        )
    quadratic = (dual_quadratic if side == "dual" else primal_quadratic)(problem, find_optimum(problem), np.zeros(size))
    found = _minimise(quadratic)
    p = np.zeros(size)
    p[quadratic.lines] = found.p
    return found._replace(p=p)


def _minimise(quadratic: Quadratic) -> BestSampling:
    N = quadratic.size
    draws = _DrawMaps(energy_root(quadratic.G))
    p = np.full(N, 1 / N)
    best = draws.judged(p)
    unit = 1 - best.radius
    for smoothing in SMOOTHING:
        found = scipy.optimize.minimize(
            draws.smoothed,
            p,
            args=(smoothing * unit, unit),
            jac=True,
            method="SLSQP",
            bounds=[(0.0, 1.0)] * N,
            constraints={"type": "eq", "fun": lambda p: p.sum() - 1, "jac": np.ones_like},
            options={"ftol": TOLERANCE, "maxiter": MAX_ITERATIONS},
        )
        p = np.maximum(found.x, 0.0)
        p /= p.sum()
        now = draws.judged(p, smoothing * unit)
        lower_bound = max(best.lower_bound, now.lower_bound)
        best = (now if now.radius <= best.radius else best)._replace(lower_bound=lower_bound)
        if best.radius - lower_bound <= PROVED_BEST * unit:
            break
    return best


class _DrawMaps:
    """The map of one draw on symmetric matrices, as a matrix in an orthonormal basis of them.

    Parameters
    ----------
    C : (N, N) array
        Its rows are the unit vectors c_i.
    """

    def __init__(self, C: np.ndarray):
        self.C = C
        N = C.shape[0]
        rows, columns = np.tril_indices(N)
        off = rows != columns
        number = np.arange(rows.size)
        value = np.where(off, np.sqrt(0.5), 1.0)
        entries = np.concatenate([value, value[off]])
        places = np.concatenate([rows * N + columns, (columns * N + rows)[off]])
        self.basis = sp.csr_array((entries, (places, np.concatenate([number, number[off]]))), (N * N, number.size))
        self.squares = (C[:, :, None] * C[:, None, :]).reshape(N, -1) @ self.basis  # c_i c_i'

    def eigenmatrices(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Eigenvalues (s,) of the map in increasing order, and eigenmatrices (s, N, N) of norm 1."""
        N = p.size
        B = (self.C.T * p) @ self.C
        both = np.kron(B, np.eye(N)) + np.kron(np.eye(N), B)
        L = np.eye(self.basis.shape[1]) - self.basis.T @ (both @ self.basis) + (self.squares.T * p) @ self.squares
        values, vectors = np.linalg.eigh(L)
        return values, (self.basis @ vectors).T.reshape(-1, N, N)

    def gradient(self, values: np.ndarray, matrices: np.ndarray, mu: float) -> np.ndarray:
        """g_i = <W, T_i (x) T_i>, W = exp(L/mu)/tr."""
        weights = np.exp((values - values[-1]) / mu)
        weights /= weights.sum()
        kept = weights > NEGLIGIBLE
        weights, V = weights[kept] / weights[kept].sum(), matrices[kept]
        images = V @ self.C.T  # V c_i
        slopes = (images**2).sum(axis=1)  # c_i'V^2 c_i
        squares = np.einsum("in,kni->ki", self.C, images) ** 2
        return weights @ (1 - 2 * slopes + squares)

    def smoothed(self, p: np.ndarray, mu: float, unit: float) -> tuple[float, np.ndarray]:
        """mu log tr exp(L/mu) and its gradient, in units."""
        values, matrices = self.eigenmatrices(p)
        value = values[-1] + mu * np.log(np.exp((values - values[-1]) / mu).sum())
        return (value - 1) / unit, self.gradient(values, matrices, mu) / unit

    def judged(self, p: np.ndarray, mu: float = 1.0) -> BestSampling:
        """These probabilities with their radius, and the lower bound that W proves."""
        values, matrices = self.eigenmatrices(p)
        return BestSampling(p, float(values[-1]), float(self.gradient(values, matrices, mu).min()))
