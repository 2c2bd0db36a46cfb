"""The floor of one's own problem: what the examples that were not drawn yet leave of D* - D(alpha), at least.

Of any method with alpha_i = 0 until example i is drawn. With U the examples not drawn, D* - D(alpha) is at least
D* - max {D(alpha): alpha_U = 0}. For the squared loss without l1 that is alpha*_U'(A/A_SS) alpha*_U/(2n) with the
Schur complement A/A_SS = ((A^-1)_UU)^-1, A = gamma I + XX'/(l2 n), and for every smooth loss it is at least
(gamma/(2n)) sum over U of alpha*_i^2. An example with an empty row leaves nothing: its alpha_i* is known beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from .. import samplings
from ..losses import hess_lipschitz
from ..numerics import checks
from .assumptions import check_passes
from .constants import constants_of
from .curve import Curve
from .floors import LABEL
from .named_samplings import drawn_coordinates, name_sampling
from .spectra import hessian

MAX_LISTED = 12  # Examples up to which all sets of them are listed.
NAME = "unseen examples"


@dataclass(frozen=True, eq=False)
class UnseenFloor:
    """A floor under E[D* - D(alpha)], and so under the expected gap, of methods that draw one example at a time.

    Attributes
    ----------
    p : (n,) array or None
        Probabilities of examples, drawn independently; None: without replacement, a new permutation each pass.
    cost : float
        Passes that an iteration takes on average.
    earliest : (n + 1,) array or None
        Of a permutation: the fewest passes in which k examples can be drawn, the shortest ones first.
    weights : (n,) array
        (gamma/(2n)) alpha*_i^2: what example i leaves while it is not drawn, at least.
    left : (2^n,) array or None
        What each set of drawn examples leaves exactly, set S at sum over S of 2^i: of the squared loss on at most 12
        examples. None: only the sum of weights is known.
    kind : str
        "floor".
    """

    p: np.ndarray | None
    cost: float
    weights: np.ndarray
    left: np.ndarray | None
    earliest: np.ndarray | None = None
    kind: str = "floor"

    @property
    def label(self) -> str:
        """Words of a picture beside its line."""
        return LABEL

    @property
    def statement(self) -> str:
        """The floor in a sentence."""
        how = "exactly, by Schur complements" if self.left is not None else "at least, by strong concavity of D"
        return f"{NAME}: on these data, what examples leave that were not drawn yet, {how}; {self.label}."

    def __str__(self) -> str:
        return self.statement

    def curve(self, passes: Any) -> Curve:
        """The floor after so many passes: by Schur complements where these are known.

        Parameters
        ----------
        passes : array
            At least 0.
        """
        if self.left is None:
            return self.simple_curve(passes)
        done = check_passes(passes)
        steps, where = np.unique(self._iterations(done), return_inverse=True)
        values = np.array([self._chances(t) @ self.left for t in steps])
        return Curve(done, values[where].reshape(done.shape), "D*-D", ((NAME, 0.0),))

    def simple_curve(self, passes: Any) -> Curve:
        """The sum over examples of their weights times the probability that they were not drawn yet."""
        done = check_passes(passes)
        t, n = self._iterations(done)[..., None], self.weights.size
        unseen = (1 - self.p) ** t if self.p is not None else np.maximum(1 - t / n, 0.0) * np.ones(n)
        return Curve(done, unseen @ self.weights, "D*-D", ((NAME, 0.0),))

    def _iterations(self, passes: np.ndarray) -> np.ndarray:
        """Rounded up, so that the floor is one between them, too.

        After part of a permutation, as many as can be: what it has drawn is among its first so many examples.
        """
        if self.earliest is not None:
            return np.searchsorted(self.earliest, passes * (1 - 1e-12)).astype(float)
        return np.ceil(passes / self.cost * (1 - 1e-12))

    def _chances(self, t: float) -> np.ndarray:
        """The probability of each set to be the one drawn in t iterations."""
        n = self.weights.size
        if self.p is None:
            sizes = np.array([s.bit_count() for s in range(2**n)])
            drawn = int(min(t, n))
            return np.asarray((sizes == drawn) / comb(n, drawn))
        within = _sums_of_subsets(self.p) ** t  # that nothing else is drawn
        for i in range(n):  # less what is drawn within smaller sets: inclusion and exclusion
            pairs = within.reshape(-1, 2, 2**i)
            pairs[:, 1] -= pairs[:, 0]
        return np.asarray(np.maximum(within, 0.0))


def _sums_of_subsets(p: np.ndarray) -> np.ndarray:
    sums = np.zeros(1)
    for each in p:
        sums = np.concatenate([sums, sums + each])
    return sums


def unseen_floor(problem: Any, alpha: Any, sampling: Any = "uniform") -> UnseenFloor:
    """The floor of unseen examples on a problem, once its dual solution is known.

    Parameters
    ----------
    problem : Problem
        With a smooth loss and l2 > 0.
    alpha : (n,) or (n, classes) array
        The dual solution, such as the ``alpha`` of a solution to 1e-9.
    sampling : str, array or Sampling, default "uniform"
        One that draws one example at a time, independently, or "permutation". Blocks: with their probabilities.

    Returns
    -------
    UnseenFloor

    Raises
    ------
    ValueError
        If the loss is not smooth, l2 = 0, alpha has another shape, or the order is another.

    Examples
    --------
    >>> import cdlab
    >>> from cdlab import theory
    >>> P = cdlab.Problem([[1.0, 0.0], [0.0, 1.0]], [1, -1], loss="squared", l2=0.5)
    >>> s = cdlab.solve(P, "sdca", tol=1e-12)
    >>> theory.unseen_floor(P, s.alpha).curve([0, 1, 2]).values.round(6)
    array([0.25    , 0.0625  , 0.015625])
    """
    constants = constants_of(problem)
    gamma, l2, n = float(constants["gamma"]), float(constants["l2"]), int(constants["n"])
    if gamma == 0 or l2 == 0:
        raise ValueError("the floor of unseen examples needs a smooth loss and l2 > 0: else D is not strongly concave")
    solution = checks.array("alpha", alpha).astype(float)
    if solution.shape[:1] != (n,) or not np.isfinite(solution).all():
        raise ValueError(f"alpha must have {n} finite entries, one for each example, not the shape {solution.shape}")
    # an example with an empty row meets no other: methods that keep alpha start with its optimum
    solution = np.where(constants["row_counts"] > 0, solution.T, 0.0).T
    squares = np.square(solution).reshape(n, -1).sum(axis=1)
    weights = gamma / (2 * n) * squares
    asked = samplings.resolve(sampling)
    left = None
    if n <= MAX_LISTED and asked.serial and _is_quadratic(problem, constants):
        left = _left_by_sets(hessian(problem.X, gamma, l2, "dual"), solution)
    if asked.name == "permutation":
        counts = np.sort(constants["row_counts"])
        earliest = np.append(0, counts.cumsum()) / max(counts.sum(), 1)
        return UnseenFloor(None, 1 / n, weights, left, earliest)
    drawn = drawn_coordinates(name_sampling(asked), "dual", constants, problem.X)
    cost = float(drawn.p @ drawn.counts) / problem.nnz if problem.nnz > 0 else 1 / n
    return UnseenFloor(drawn.p, cost, weights, left)


def _is_quadratic(problem: Any, constants: Any) -> bool:
    plain = constants["l1"] == constants["intercept"] == constants["bounds"] == 0 and constants["outputs"] == 1
    return plain and hess_lipschitz(problem.loss) == 0 and problem.sample_weight is None


def _left_by_sets(A: np.ndarray, solution: np.ndarray) -> np.ndarray:
    """alpha*_U'((A^-1)_UU)^-1 alpha*_U/(2n) for every set S of drawn examples, U the others."""
    n, inverse = len(A), np.linalg.inv(A)
    left = np.zeros(2**n)
    for drawn in range(2**n - 1):
        U = [i for i in range(n) if not drawn >> i & 1]
        left[drawn] = solution[U] @ np.linalg.solve(inverse[np.ix_(U, U)], solution[U]) / (2 * n)
    return left
