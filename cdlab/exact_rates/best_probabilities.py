"""The best independent draws for exact steps: a semidefinite program in the probabilities.

In energy, with T_i = I - c_i c_i', a step keeps sum_i p_i A_i of a symmetric matrix less, A_i = I - T_i (x) T_i, an
orthogonal projection of rank N. So 1/(1 - rho), steps per factor e, is the least sum of p >= 0 with sum_i p_i A_i >= I,
and the dual program bounds it from below: for every W >= 0,

    1/(1 - rho(p)) >= tr W/max_i <W, A_i>,   whatever p of sum 1 is.

A primal-dual method follows the central path W S = mu I, z_i p_i = mu, S = sum_i p_i A_i - I, z_i = 1 - <W, A_i>, with
the direction of Helmberg, Kojima and Monteiro and Mehrotra's corrector.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg

from ..numerics import checks
from ..problems.problem import Problem
from .arguments import parametrized_method
from .computing import refuse_problem
from .optimum import find_optimum, is_quadratic
from .quadratics import Quadratic, dual_quadratic, energy_root, primal_quadratic
from .radius import symmetrised
from .steps import COORDINATE_DESCENT

MAX_COORDINATES = 30
PROVED_BEST = 1e-10  # of the steps, between them and their lower bound
MAX_ITERATIONS = 60
TO_THE_EDGE = 0.95  # of the longest step that keeps all positive


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
        Of the squared loss, with l2 > 0, l1 = 0 and at most 30 coordinates on the method's side.
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
    known = {name: COORDINATE_DESCENT[name][1] for name in ("sdca", "rcd")}
    asked = parametrized_method(method, {}, known, "best sampling")
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
    program = _Program(energy_root(quadratic.G))
    point = program.start()
    for _ in range(MAX_ITERATIONS):
        if point.p.sum() - np.trace(point.W) <= PROVED_BEST * point.p.sum():
            break
        try:
            point = program.next_point(point)
        except scipy.linalg.LinAlgError:  # as near to the edge as rounding lets it come
            break
    return program.judged(point)


class _Point(NamedTuple):
    """A strictly feasible point of both programs."""

    p: np.ndarray  # (N,)
    z: np.ndarray  # (N,)
    W: np.ndarray  # (s, s)


class _Program:
    """Both programs, on symmetric matrices in an orthonormal basis, s = N(N + 1)/2.

    Parameters
    ----------
    C : (N, N) array
        Its rows are the unit vectors c_i.
    """

    def __init__(self, C: np.ndarray):
        self.N = N = C.shape[0]
        rows, columns = np.tril_indices(N)
        length = np.where(rows == columns, 1.0, np.sqrt(2.0))
        ranges = []
        for c in C:
            V = np.linalg.qr(np.column_stack([c, np.eye(N)]))[0]  # its first column is c or -c
            products = c[:, None, None] * V[None, :, 1:]
            mixed = (products + products.transpose(1, 0, 2)) / np.sqrt(2.0)
            ranges.append(np.dstack([np.outer(c, c), mixed])[rows, columns] * length[:, None])
        self.U = np.hstack(ranges)  # (s, N^2): A_i = U_i U_i'
        self.identity = np.eye(rows.size)

    def weighted(self, p: np.ndarray) -> np.ndarray:
        """sum_i p_i A_i."""
        return (self.U * np.repeat(p, self.N)) @ self.U.T

    def products(self, M: np.ndarray) -> np.ndarray:
        """<M, A_i> (N,)."""
        return np.einsum("ij,ij->j", self.U, M @ self.U).reshape(self.N, self.N).sum(axis=1)

    def start(self) -> _Point:
        """Uniform draws, twice what is feasible, and a multiple of the identity."""
        least = np.linalg.eigvalsh(self.weighted(np.ones(self.N)))[0]
        return _Point(np.full(self.N, 2 / least), np.full(self.N, 0.5), self.identity / (2 * self.N))

    def next_point(self, point: _Point) -> _Point:
        """The point after a step of Mehrotra's method."""
        p, z, W = point
        S = self.weighted(p) - self.identity
        inverse = scipy.linalg.cho_solve(scipy.linalg.cho_factor(S), self.identity)
        grams = (self.U.T @ (W @ self.U)) * (self.U.T @ (inverse @ self.U))
        matrix = grams.reshape((self.N,) * 4).sum(axis=(1, 3)) + np.diag(z / p)
        factor, of_inverse = scipy.linalg.cho_factor(matrix), self.products(inverse)
        mu = (np.vdot(W, S) + z @ p) / (len(W) + self.N)

        def direction(mu: float, of_W: Any, of_p: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            """Distance to the point of mu on the path; of_W and of_p are the products left out of the linearisation."""
            dp = scipy.linalg.cho_solve(factor, mu * (of_inverse + 1 / p) - 1 - self.products(of_W) - of_p)
            dS = self.weighted(dp)
            return dp, (mu - z * dp) / p - z - of_p, mu * inverse - W - symmetrised(W @ dS @ inverse) - of_W

        dp, dz, dW = direction(0.0, 0 * W, 0 * p)
        dS = self.weighted(dp)
        to_p, to_W = self.longest(p, dp, S, dS), self.longest(z, dz, W, dW)
        ahead = np.vdot(W + to_W * dW, S + to_p * dS) + (z + to_W * dz) @ (p + to_p * dp)
        centred = mu * min(ahead / (mu * (len(W) + self.N)), 1.0) ** 2
        dp, dz, dW = direction(centred, symmetrised(dW @ dS @ inverse), dp * dz / p)
        to_p, to_W = self.longest(p, dp, S, self.weighted(dp)), self.longest(z, dz, W, dW)
        return _Point(p + to_p * dp, z + to_W * dz, W + to_W * dW)

    def longest(self, x: np.ndarray, dx: np.ndarray, X: np.ndarray, dX: np.ndarray) -> float:
        """Return how far one may go, 1 at most, so that x > 0 and X is positive definite."""
        least = scipy.linalg.eigh(dX, X, eigvals_only=True, subset_by_index=[0, 0])[0]
        return float(min(1.0, TO_THE_EDGE / max(-least, -(dx / x).min(), 1e-300)))

    def judged(self, point: _Point) -> BestSampling:
        """The probabilities with their radius, and the lower bound that W proves."""
        p = point.p / point.p.sum()
        decrease = np.linalg.eigvalsh(self.weighted(p))[0]
        values, vectors = np.linalg.eigh(point.W)
        root = vectors * np.sqrt(np.maximum(values, 0.0))  # root root' >= 0 is what proves the bound
        most = ((root.T @ self.U) ** 2).sum(axis=0).reshape(self.N, self.N).sum(axis=1).max()
        return BestSampling(p, float(1 - decrease), float(1 - most / (root**2).sum()))
