"""Floors: what no method of a kind can promise, on the chain, by what a method sees at a time.

The chain has n rows and d = n - 1 columns, the squared loss, Q > 1, q = (sqrt(Q) - 1)/(sqrt(Q) + 1) and
s = sqrt(n l2 (Q - 1)/4): rows s e_1 with label s, then s (e_(i-1) - e_i) for i = 2..d, then s sqrt(1 - q) e_d, all with
label 0. Its solution is w*_j = q^j, since q + 1/q = 2 + 4/(Q - 1), and kappa = R^2/l2 = 2 s^2/l2, so Q = 1 + 2 kappa/n.

Of a method that starts at 0 and stays in the span of the rows it has seen with a nonzero coefficient, let N be the
furthest coordinate that is not 0. Seeing row i moves N only if N = i - 1, and by one: before, its residual is 0. So
||w - w*||^2/||w*||^2 >= (q^(2N) - q^(2d))/(1 - q^(2d)), and the best point of the first N < d coordinates has
(P - P*)/(P(0) - P*) = q^(2N) (1 - q^2)/(1 - q^(2N + 2)). A floor is the expectation of these over N.

A floor is about the worst problem with this kappa/n, never about a method's own problem.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..numerics import checks
from .assumptions import check_passes
from .curve import Curve

LABEL = "no method of this kind can promise more"
SEES = {  # at a time, and how N then moves
    "full gradient": "the gradient of the whole mean loss, a pass: N moves by one",
    "uniform row": "one row, each equally likely: N moves by one with probability 1/n",
    "permutation": "every row once a pass, in a new random order: N moves by k or more with probability 1/k!",
    "cyclic": "every row once a pass, in the order of the chain: N moves by all",
    "reversed": "every row once a pass, against the order of the chain: N moves by one",
    "column": "one column, each equally likely: N moves by one with probability 1/d",
}
FLOORED = ("|w-w*|^2", "P(w)-P*")


@dataclass(frozen=True)
class Floor:
    """A floor under the expected error of every method with one kind of access, on the chain.

    Attributes
    ----------
    access : str
        What a method sees at a time.
    n : int
        Rows; of "column" columns.
    Q : float
        The chain's condition number.
    full_gradients : int
        How many a method sees beside, such as one for saga's table.
    kind : str
        "floor".
    """

    access: str
    n: int
    Q: float
    full_gradients: int = 0
    kind: str = "floor"

    @property
    def label(self) -> str:
        """Words of a picture beside its line."""
        return LABEL

    @property
    def q(self) -> float:
        """The solution is w*_j = q^j."""
        return float((self.Q - 1) / (np.sqrt(self.Q) + 1) ** 2)

    @property
    def d(self) -> int:
        """Columns of the chain."""
        return self.n if self.access == "column" else self.n - 1

    @property
    def factor(self) -> float:
        """By which E q^(2N) falls a pass."""
        x = self.q**2
        if self.access in ("uniform row", "column"):
            return float((1 - (1 - x) / self.n) ** self.n)
        if self.access == "permutation":
            return _advance_of_permutation(x)
        return 0.0 if self.access == "cyclic" else x

    @property
    def passes(self) -> float:
        """The passes until which E||w - w*||^2 cannot have fallen by a factor e: its `curve` is above 1/e before them.

        It is of these n and d. On ever longer chains E q^(2N) falls by e in -1/log(factor) passes, which can be many
        times as many: on short ones nothing is left after d steps.
        """
        x = self.q**2
        end = x**self.d
        left = (end + (1 - end) / np.e) / x**self.full_gradients  # E q^(2N) there
        if left >= 1:
            return 0.0
        if self.access == "cyclic":
            return float(np.ceil(np.log(left) / np.log(x)) - 1) / self.n
        passes = float(np.log(left) / np.log(self.factor))
        if self.access == "full gradient":
            return float(np.ceil(passes))
        return float(np.ceil(passes) - 1) if self.access in ("permutation", "reversed") else passes

    @property
    def statement(self) -> str:
        """The floor in a sentence."""
        about = f"n = {self.n}, Q = {self.Q:g}"
        beside = f", and {self.full_gradients} full gradients beside" if self.full_gradients else ""
        return (
            f"On the chain with {about} a method that sees {SEES[self.access].partition(':')[0]}{beside}, needs at "
            f"least {self.passes:.4g} passes for a factor e of E||w - w*||^2: {self.label}."
        )

    def __str__(self) -> str:
        return self.statement

    def curve(self, passes: Any, bounded: str = "|w-w*|^2") -> Curve:
        """The floor after so many passes, as a share of the start.

        Parameters
        ----------
        passes : array
            At least 0.
        bounded : ``"|w-w*|^2"`` or "P(w)-P*", default ``"|w-w*|^2"``
            The quantity that is not below it in expectation.

        Raises
        ------
        ValueError
            For another quantity, or passes below 0.

        Examples
        --------
        >>> from cdlab import theory
        >>> theory.floor(20, 80.0, "full gradient").curve([0, 1, 2]).values.round(6)
        array([1.    , 0.25  , 0.0625])
        """
        checks.one_of("bounded", bounded, FLOORED)
        done, x = check_passes(passes), self.q**2
        reached = self._mean_reached(done) * x**self.full_gradients
        end = x**self.d
        beyond = np.maximum(reached - end, 0.0)  # where N >= d nothing need be left
        if bounded == "|w-w*|^2":
            return Curve(done, beyond / (1 - end), bounded, ((self.access, 0.0),))
        if self.access == "full gradient":  # N is certain
            beyond = np.where(beyond > 0, reached / (1 - reached * x), 0.0)
        return Curve(done, (1 - x) * beyond, bounded, ((self.access, 0.0),))

    def _mean_reached(self, passes: np.ndarray) -> np.ndarray:
        """E q^(2N), from below between whole steps."""
        x = self.q**2
        if self.access == "full gradient":
            return np.asarray(x ** np.floor(passes))
        if self.access in ("permutation", "reversed"):
            return np.asarray(self.factor ** np.ceil(passes))
        if self.access == "cyclic":
            return np.asarray(x ** np.ceil(self.n * passes))
        return np.asarray(self.factor**passes)


def floor(n: int, kappa: float, access: str, full_gradients: int = 0) -> Floor:
    """Return what no method with this access can promise for all problems with n examples and this condition number.

    For large n the error with uniform rows falls by e in 1/2 + (sqrt(Q) + 1/sqrt(Q))/4 passes: the n part and the
    sqrt(n kappa) part of known lower bounds, with constants. It covers cdlab's methods that see one example at a time,
    not choices that look at all of them (greedy, adasdca).

    Parameters
    ----------
    n : int
        Examples, at least 3; of "column" features.
    kappa : float
        R^2/(l2 gamma), above 0; of "column" L_max/l2, above 1.
    access : str
        "full gradient", "uniform row", "permutation", "cyclic", "reversed" or "column".
    full_gradients : int, default 0
        How many a method sees beside: one for saga's table, one for each stage of svrg.

    Returns
    -------
    Floor

    Raises
    ------
    ValueError
        For an unknown access, or a number out of its range.

    Examples
    --------
    >>> from cdlab import theory
    >>> round(theory.floor(20, 80.0, "uniform row").passes, 9)
    1.308174082
    """
    checks.one_of("access", access, SEES)
    if not (checks.is_number(n) and n >= 3 and n == int(n)):
        raise ValueError(f"n must be a whole number of at least 3, not {checks.short_repr(n)}")
    least = 1.0 if access == "column" else 0.0
    if not (checks.is_number(kappa) and least < kappa < np.inf):
        raise ValueError(f"kappa must be a number above {least:g}, not {checks.short_repr(kappa)}")
    if not (checks.is_number(full_gradients) and full_gradients >= 0 and full_gradients == int(full_gradients)):
        raise ValueError(f"full_gradients must be a whole number, not {checks.short_repr(full_gradients)}")
    Q = 2 * kappa - 1 if access == "column" else 1 + 2 * kappa / n
    return Floor(access, int(n), float(Q), int(full_gradients))


def _advance_of_permutation(x: float) -> float:
    """E x^k with P(k or more) = 1/k!, which is ((x - 1) e^x + 1)/x; by its series where that loses digits."""
    if x < 1e-2:
        return float(sum(x**k * k / np.prod(np.arange(1.0, k + 2)) for k in range(1, 8)))
    return float(((x - 1) * np.exp(x) + 1) / x)


# ------------------------------------------------------------ lower bounds of others
class CitedFloor(NamedTuple):
    """A lower bound of the literature, up to constants: read, not drawn.

    Attributes
    ----------
    methods : str
        About which methods.
    statement : str
    source : str
    kind : str
        "asymptotic".
    """

    methods: str
    statement: str
    source: str
    kind: str = "asymptotic"

    def __str__(self) -> str:
        return f"{self.methods}: {self.statement} ({self.source})"


CITED_FLOORS = (
    CitedFloor(
        "randomized incremental gradient methods",
        "E||x_t - x*||^2/||x_0 - x*||^2 >= exp(-4 t sqrt(kappa)/(n (sqrt(kappa) + 1)^2 - 4 sqrt(kappa)))/2",
        "Lan & Zhou 2018, An optimal randomized incremental gradient method; not compared with the print",
    ),
    CitedFloor(
        "methods that ask for gradients and proximal steps of single components",
        "of order n + sqrt(n kappa) log(1/eps) if they are randomized, n sqrt(kappa) log(1/eps) if they are not",
        "Woodworth & Srebro 2016, Tight complexity bounds for optimizing composite objectives; not compared with the "
        "print",
    ),
    CitedFloor(
        "sdca, svrg, sag and the like",
        "not (n + sqrt(n kappa)) log(1/eps), unless they know the strong convexity; not (n + kappa) log(1/eps), unless "
        "they know which component was asked",
        "Arjevani 2017, Limitations on variance-reduction and acceleration schemes for finite sum optimization",
    ),
    CitedFloor(
        "methods that ask for gradients and proximal steps of single components",
        "of order (n + sqrt(n kappa)) log(1/eps)",
        "Xie, Luo, Lian & Zhang 2019, arXiv:1908.08394; with any distribution of samples Zhang, Shu & He 2020, "
        "arXiv:2010.08766",
    ),
)
