"""The batch size that makes the time on parallel nodes smallest, by differentiation."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..numerics import checks
from .evaluate import checked, evaluate
from .parallel import FREE, parallel_time
from .symbols import m, nodes


class Piece(NamedTuple):
    """The time where one term of the maximum in K is the largest, or the whole time if K has no maximum.

    Attributes
    ----------
    time : sympy expression
        As a function of m.
    shape : "rising", "falling" or "inside"
        The best batch is m = 1, m = n or in between.
    stationary : sympy equation
        Where the derivative of the time in m vanishes.
    best : sympy expression or None
        Its solution where it is inside and has a closed form.
    """

    time: sp.Expr
    shape: str
    stationary: sp.Eq
    best: sp.Expr | None


@dataclass(frozen=True)
class BatchSize:
    """The batch size that minimises a method's time, by differentiation.

    Attributes
    ----------
    time : sympy expression
        As a function of m, for batches of at least as many examples as there are nodes.
    pieces : tuple of Piece
        One for each term of the maximum in K.
    """

    time: sp.Expr
    pieces: tuple[Piece, ...]

    @property
    def why(self) -> str:
        """The reason for the best batch size, in a sentence."""
        shapes = {piece.shape for piece in self.pieces}
        if shapes == {"rising"}:
            return "the time never falls as m grows: the best batch is the boundary m = 1"
        return "a large batch sends less often but gains less from each example: the best one balances both"

    def at(self, **values: Any) -> int:
        """The best whole number m in [1, n] at these numbers; the smallest if several are equally good.

        Parameters
        ----------
        **values : float
            Keywords as in `ParallelTime.at`; n is needed, m is ignored.

        Raises
        ------
        ValueError
            For a missing or unknown keyword, or a value out of range.
        """
        known = checked(FREE | {name: value for name, value in values.items() if name != "m"})
        sizes = np.arange(1.0, float(known["n"]) + 1.0)
        times = np.broadcast_to(evaluate(self.time, known | {"m": sizes}, "the time of a batch size"), sizes.shape)
        return int(np.flatnonzero(times <= times.min() * (1 + 1e-12))[0]) + 1


def best_batch(method: str, partition: str = "examples", network: str = "hypercube", serial: bool = False) -> BatchSize:
    """Differentiate the time of a mini-batch method by m; ``.at(...)`` gives the best batch size at numbers.

    On one machine (serial) the time is K(m) m nnz/n, and K(m) shrinks at most like 1/m, so the best batch is the
    boundary m = 1. It is moved inside by costs that do not depend on the size of a batch: sending d numbers, opening
    channels.

    Parameters
    ----------
    method : str
        One that takes batches: "spdc" or "asdca".
    partition : "examples" or "features"
        As in `parallel_time`.
    network : "hypercube" or "all-reduce"
        As in `parallel_time`.
    serial : bool, default False
        True: on one machine.

    Returns
    -------
    BatchSize

    Raises
    ------
    ValueError
        If the method takes no batches, or as `parallel_time`.

    Examples
    --------
    >>> from cdlab import theory
    >>> theory.best_batch("spdc", serial=True).why
    'the time never falls as m grows: the best batch is the boundary m = 1'
    >>> theory.best_batch("spdc").at(n=1000, d=50, nnz=20_000, R=1, l2=1e-3, gamma=1, nodes=4, unit=10)
    227
    """
    serial = checks.flag("serial", serial)
    parallel_time(method, partition, network)  # which refuses what is no name
    return _best_batch(method, partition, network, serial)


@cache
def _best_batch(method: str, partition: str, network: str, serial: bool) -> BatchSize:
    t = parallel_time(method, partition, network)
    K, W = t.bound.K, t.bound.W
    if m not in t.bound.symbols or K is None or W is None:
        raise ValueError(f"{method} takes no batches; spdc and asdca do")
    iteration = W if serial else W / nodes + t.overhead
    scale, rest = K.as_independent(sp.Max, as_Add=False)
    terms = [scale * term for term in rest.args] if isinstance(rest, sp.Max) else [K]
    return BatchSize(K * iteration, tuple(_piece(term * iteration) for term in terms))


def _piece(time: sp.Expr) -> Piece:
    x = sp.Symbol("m", positive=True)  # real, so that it can be differentiated
    slope = sp.expand(sp.diff(sp.expand(time.subs(m, x)), x))
    signs = {sp.posify(term)[0].is_nonnegative for term in sp.Add.make_args(slope)}
    negative = {sp.posify(-term)[0].is_nonnegative for term in sp.Add.make_args(slope)}
    stationary = sp.Eq(slope.subs(x, m), 0)
    if signs == {True}:
        return Piece(time, "rising", stationary, None)
    if negative == {True}:
        return Piece(time, "falling", stationary, None)
    powers = {term.as_independent(x)[1] for term in sp.Add.make_args(slope)}
    # two powers of m: one positive root, in closed form; more: a polynomial equation in a root of m
    best = sp.simplify(sp.solve(slope, x)[0].subs(x, m)) if len(powers) == 2 else None
    return Piece(time, "inside", stationary, best)
