"""Statements: what can be attacked, and the potentials by which proofs follow one step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.linalg

from ...exact_rates.linear_epochs import LinearDraws
from ...exact_rates.linear_methods import LinearMethod, spdc_steps
from ...exact_rates.quadratics import dense
from ...problems.problem import Problem
from .instances import Instance, Shapes


@dataclass(frozen=True)
class Statement:
    """A statement about all problems of a loss with l2 > 0 and all states, which a number of one of them can refute.

    Attributes
    ----------
    name : str
        A short name.
    words : str
        What it says.
    ratio : callable
        ``ratio(problem, **state)``: at most 1, up to rounding, wherever the statement is true, and 0 on a problem about
        which it says nothing.
    least_rows : int, default 1
        Rows that a problem must have for the statement to be about it.
    state : mapping of str to str
        Arrays that are searched beside the data, and handed to `ratio` by name: the iterates of a method, the direction
        of an error, probabilities, a number of which a parameter is made. Each has a letter a dimension, "n" or "d";
        "" is a number. The labels "y" and "l1" become those of the problem, and are not handed on.
    loss : str, default "squared"
        The loss of the problems.
    shape : (int, int), default (3, 2)
        The rows and columns with which a short search begins.

    Examples
    --------
    >>> from cdlab import theory
    >>> def cyclic_over_permuted(problem):
    ...     cyclic, permuted = (theory.exact_rate(problem, "sdca", order) for order in ("cyclic", "permutation"))
    ...     return cyclic.epochs / permuted.epochs
    >>> faster = theory.Statement("cyclic", "a fixed order is never slower than random ones", cyclic_over_permuted)
    >>> theory.attack(faster, n=6, d=1, evaluations=20).refuted
    True

    A statement about every w, which is searched beside the data:

    >>> half = theory.Statement(
    ...     "half", "P(w/2) <= P(w)", lambda problem, w: problem.primal(w / 2) / problem.primal(w), state={"w": "d"}
    ... )
    >>> theory.attack(half, n=2, d=2, evaluations=100).refuted
    True
    """

    name: str
    words: str
    ratio: Callable[..., float]
    least_rows: int = 1
    state: Mapping[str, str] = field(default_factory=dict)
    loss: str = "squared"
    shape: tuple[int, int] = (3, 2)

    def shapes(self, n: int, d: int) -> Shapes:
        """The shapes of the state's arrays."""
        return {name: tuple({"n": n, "d": d}[letter] for letter in letters) for name, letters in self.state.items()}

    def at(self, instance: Instance) -> float:
        """The ratio on an instance.

        Raises
        ------
        ValueError
            If it is not a number.
        """
        state = {name: x for name, x in instance.state.items() if name not in ("y", "l1")}
        found = float(self.ratio(instance.problem(self.loss), **state))
        if np.isnan(found):
            raise ValueError(
                f"the ratio of {self.name} is not a number on X = {instance.X.tolist()}, l2 = {instance.l2}"
            )
        return found


# ------------------------------------------------------------ the potentials of proofs
def asdca_potential(problem: Problem, draws: LinearDraws, parameters: Mapping[str, Any]) -> np.ndarray:
    """m (P(x) - P*) + n (D* - D(alpha)), m the examples in a block."""
    forms, m = draws.method.forms, parameters["batch_size"] or 1
    return m * forms["P-P*"] + problem.n * forms["D*-D"]


def spdc_potential(problem: Problem, draws: LinearDraws, parameters: Mapping[str, Any]) -> np.ndarray:
    """A ||x||^2 + sum_i B_i y_i^2 + ||c||^2/(4 tau) + y'Xc/n, with c = x - (x before) = (xbar - x)/theta.

    A = 1/(2 tau) + l2, B_i = 1/(2 s) + gamma/(n p_i), and x and y stand for their distances from the optimum.
    """
    n, d = problem.n, problem.d
    tau, s, theta = spdc_steps(problem, draws.p, parameters)
    x, xbar, y = slice(0, d), slice(d, 2 * d), slice(2 * d, 2 * d + n)
    c = np.zeros((d, 2 * d + n))
    c[:, x], c[:, xbar] = -np.eye(d) / theta, np.eye(d) / theta
    V = weighted_distances(1 / (2 * tau) + problem.l2, 1 / (2 * s) + problem.loss.gamma / (n * draws.p), d)
    V += c.T @ c / (4 * tau)
    cross = dense(problem.X) @ c / (2 * n)
    V[y] += cross
    V[:, y] += cross.T
    return V


def weighted_distances(of_x: float, of_y: np.ndarray, d: int) -> np.ndarray:
    """of_x ||x||^2 + sum_i of_y[i] y_i^2, as a form of SPDC's (x, xbar, y)."""
    return np.diag(np.concatenate([np.full(d, of_x), np.zeros(d), of_y]))


POTENTIALS: Mapping[str, Callable[[Problem, LinearDraws, Mapping[str, Any]], np.ndarray]] = {
    # of the problem, its steps, and the parameters that they were built with
    "asdca": asdca_potential,
    "spdc": spdc_potential,
}


def expected_form(method: LinearMethod, p: np.ndarray, M: np.ndarray) -> np.ndarray:
    """E[T'MT]: what the form M is, in expectation, after one step."""
    return np.einsum("i,ijk->jk", p, method.T.transpose(0, 2, 1) @ M @ method.T)


def worst_step(draws: LinearDraws, V: np.ndarray) -> float:
    """The largest factor by which a step multiplies the expectation of z'Vz, over all z: lambda_max(E[T'VT], V)."""
    return float(scipy.linalg.eigvalsh(expected_form(draws.method, draws.p, V), V)[-1])
