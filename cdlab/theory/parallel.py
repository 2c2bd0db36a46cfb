"""Time on s parallel nodes, of an iteration and in total, and the batch size that makes it smallest.

The model of Shalev-Shwartz & Zhang 2013 (accelerated mini-batch SDCA, arXiv:1305.2581), rebuilt from its prose: one
iteration with a batch of m examples visits m nnz/n nonzeros, shared by s nodes that hold parts of the features or parts
of the examples, and then numbers are exchanged. On a hypercube a sum of d-vectors takes d log2(s), one number from
every node to all others s log2(s)^2 for each of the m predictions; a modern all-reduce of m numbers takes m log2(s).
Sending a number costs `unit` visited nonzeros, and opening a channel `opening`, whatever is sent through it: log2(s)
rounds of a sum, or log2(s) rounds to log2(s) neighbours where every node tells all others. So a batch by features costs
something whatever its size, too. With s = 1 nothing is sent, and time is the arithmetic of one machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from ..numerics import checks
from .bound import Bound
from .evaluate import check_values, evaluate
from .lookup import bound
from .symbols import d, m, n, nnz, nodes, opening, to_latex, unit

ROUNDS = sp.log(nodes, 2)
NUMBERS_SENT = {  # numbers sent in an iteration, by what a node holds and how they are sent
    ("features", "hypercube"): m * nodes * ROUNDS**2,
    ("features", "all-reduce"): m * ROUNDS,
    ("examples", "hypercube"): d * ROUNDS,
    ("examples", "all-reduce"): d * ROUNDS,
}
CHANNELS_OPENED = {  # opened one after another in an iteration
    ("features", "hypercube"): ROUNDS**2,
    ("features", "all-reduce"): ROUNDS,
    ("examples", "hypercube"): ROUNDS,
    ("examples", "all-reduce"): ROUNDS,
}

NO_CHANNEL_COST = {"opening": 0.0}  # channels, unless somebody says what they cost
NETWORKS = tuple(dict.fromkeys(network for _, network in NUMBERS_SENT))


@dataclass(frozen=True)
class ParallelTime:
    """Time of a method on s nodes, in visited nonzeros of one machine, without the logarithm of the accuracy.

    Attributes
    ----------
    bound : Bound
        The bound whose K counts the iterations.
    partition : "features" or "examples"
        The parts of X that the nodes hold.
    network : "hypercube" or "all-reduce"
        The way in which numbers are exchanged.
    runtime, communication, channels : sympy expression
        Visited nonzeros, numbers sent and channels opened in one iteration.
    """

    bound: Bound
    partition: str
    network: str
    runtime: sp.Expr
    communication: sp.Expr
    channels: sp.Expr

    @property
    def overhead(self) -> sp.Expr:
        """The cost of an iteration beside the arithmetic, in visited nonzeros."""
        return unit * self.communication + opening * self.channels

    @property
    def expr(self) -> sp.Expr:
        """The time: K (runtime + unit communication + opening channels)."""
        return self.bound.K * (self.runtime + self.overhead)

    def latex(self) -> str:
        """LaTeX of the time in the papers' letters."""
        return to_latex(self.expr)

    def at(self, **values: Any) -> float | np.ndarray:
        """The time at these numbers, in visited nonzeros.

        Parameters
        ----------
        **values : float or array
            Keywords as in `Bound.at`, and nodes, unit (cost of sending a number, in visited nonzeros) and opening (cost
            of opening a channel, default 0).

        Raises
        ------
        ValueError
            For a missing or unknown keyword, or a value out of range.
        """
        return evaluate(self.expr, check_values(NO_CHANNEL_COST | values), f"the time of {self.bound.method} on nodes")


def parallel_time(
    method: str, partition: str = "examples", network: str = "hypercube", theorem: str | None = None
) -> ParallelTime:
    """Time on s nodes of a method whose iteration can be shared: a formula, ``.at(...)`` makes it a number.

    Parameters
    ----------
    method : str
        With a bound that is a contraction.
    partition : "examples" or "features"
        Nodes hold parts of the examples or of the features. Examples are shared within a batch, so a batch of one gains
        nothing.
    network : "hypercube" or "all-reduce"
        The way in which numbers are exchanged; the module says what each costs.
    theorem : str, optional
        The method's main theorem by default.

    Returns
    -------
    ParallelTime

    Raises
    ------
    TypeError, ValueError
        For an unknown partition or network, a bound that is not a contraction, or what is no name.

    Examples
    --------
    >>> from cdlab import theory
    >>> time = theory.parallel_time("sdca", "features")
    >>> time.communication
    nodes*log(nodes)**2/log(2)**2
    >>> time.at(n=1000, nnz=20_000, R=1, l2=1e-3, gamma=1, nodes=4, unit=10)
    330000.0
    """
    for what, value in (("method", method), ("partition", partition), ("network", network), ("theorem", theorem)):
        if not isinstance(value, str) and not (what == "theorem" and value is None):
            raise TypeError(f"the {what} of a parallel time is a name, not {checks.short_repr(value)}")
    return _parallel_time(method, partition, network, theorem)


@cache
def _parallel_time(method: str, partition: str, network: str, theorem: str | None) -> ParallelTime:
    if (partition, network) not in NUMBERS_SENT:
        known = ", ".join(" on ".join(pair) for pair in NUMBERS_SENT)
        raise ValueError(
            f"no cost is known for partition {partition!r} and network {network!r}; there is one for {known}"
        )
    b = bound(method, "iterations", theorem=theorem)
    if b.K is None or b.W is None:
        raise ValueError(f"the {b} is not a contraction, so its time on nodes has no form without eps")
    sent = NUMBERS_SENT[partition, network]
    if m not in b.symbols:  # a batch of one, or with deterministic methods all examples
        batch = sp.S.One if b.W.equals(nnz / n) else n
        sent = sent.subs(m, batch)
    shared = sp.Min(nodes, b.W * n / nnz) if partition == "examples" else nodes  # at most one node per example
    return ParallelTime(b, partition, network, b.W / shared, sent, CHANNELS_OPENED[partition, network])


# ------------------------------------------------------------ the best batch
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
        known = check_values(NO_CHANNEL_COST | {name: value for name, value in values.items() if name != "m"})
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
