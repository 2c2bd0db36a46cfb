"""What s parallel nodes make of it: time per iteration, total time, and the batch size that is best then.

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

from .bound import Bound
from .evaluate import checked, evaluate
from .lookup import bound
from .symbols import d, m, n, nnz, nodes, opening, to_latex, unit

ROUNDS = sp.log(nodes, 2)
EXCHANGE = {  # numbers sent in an iteration, by what a node holds and how they are sent
    ("features", "hypercube"): m * nodes * ROUNDS**2,
    ("features", "all-reduce"): m * ROUNDS,
    ("examples", "hypercube"): d * ROUNDS,
    ("examples", "all-reduce"): d * ROUNDS,
}
CHANNELS = {  # opened one after another in an iteration
    ("features", "hypercube"): ROUNDS**2,
    ("features", "all-reduce"): ROUNDS,
    ("examples", "hypercube"): ROUNDS,
    ("examples", "all-reduce"): ROUNDS,
}

FREE = {"opening": 0.0}  # channels, unless somebody says what they cost
NETWORKS = tuple(dict.fromkeys(network for _, network in EXCHANGE))


@dataclass(frozen=True)
class ParallelTime:
    """Time of a method on s nodes, in visited nonzeros of one machine, without the logarithm of the accuracy.

    Attributes
    ----------
    bound : Bound
        Whose K counts the iterations.
    partition : "features" or "examples"
    network : "hypercube" or "all-reduce"
    runtime, communication, channels : sympy expression
        Of one iteration; communication in numbers sent, channels that are opened for it.
    expr : sympy expression
        K (runtime + unit communication + opening channels).
    """

    bound: Bound
    partition: str
    network: str
    runtime: sp.Expr
    communication: sp.Expr
    channels: sp.Expr

    @property
    def overhead(self) -> sp.Expr:
        """What an iteration costs beside the arithmetic."""
        return unit * self.communication + opening * self.channels

    @property
    def expr(self) -> sp.Expr:
        return self.bound.K * (self.runtime + self.overhead)

    def latex(self) -> str:
        return to_latex(self.expr)

    def at(self, **values: Any) -> float | np.ndarray:
        """The time at these numbers; keywords as in `Bound.at`, with nodes, unit and opening (0 by default)."""
        return evaluate(self.expr, checked(FREE | values), f"the time of {self.bound.method} on nodes")


@cache
def parallel_time(
    method: str, partition: str = "examples", network: str = "hypercube", theorem: str | None = None
) -> ParallelTime:
    """Time on s nodes of a method whose iteration can be shared: a formula, ``.at(...)`` makes it a number.

    Parameters
    ----------
    method : str
        With a bound that is a contraction.
    partition : "examples" or "features"
        What a node holds a part of. Examples are shared within a batch, so a batch of one gains nothing.
    network : "hypercube" or "all-reduce"
    theorem : str, optional

    Raises
    ------
    ValueError
        For an unknown partition or network, or a bound that is no contraction.

    Examples
    --------
    >>> from cdlab import theory
    >>> time = theory.parallel_time("sdca", "features")
    >>> time.communication
    nodes*log(nodes)**2/log(2)**2
    >>> time.at(n=1000, nnz=20_000, R=1, l2=1e-3, gamma=1, nodes=4, unit=10)
    330000.0
    """
    if (partition, network) not in EXCHANGE:
        known = ", ".join(" on ".join(pair) for pair in EXCHANGE)
        raise ValueError(f"no cost is known for partition {partition!r} and network {network!r}; known: {known}")
    b = bound(method, "iterations", theorem=theorem)
    if b.K is None:
        raise ValueError(f"the {b} is no contraction, so its time on nodes has no form without eps")
    sent = EXCHANGE[partition, network]
    if m not in b.symbols:  # a batch of one, or with deterministic methods all examples
        batch = sp.S.One if b.W.equals(nnz / n) else n
        sent = sent.subs(m, batch)
    shared = sp.Min(nodes, b.W * n / nnz) if partition == "examples" else nodes  # at most one node per example
    return ParallelTime(b, partition, network, b.W / shared, sent, CHANNELS[partition, network])


class Piece(NamedTuple):
    """The time while one term of a maximum rules K (the whole time, if K has no maximum), as a function of m.

    ``shape`` is "rising" (the best batch is m = 1), "falling" (it is m = n) or "inside"; then it solves ``stationary``,
    and is ``best`` where that has a closed form.
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
        In m, for batches of at least as many examples as there are nodes.
    pieces : tuple of Piece
    """

    time: sp.Expr
    pieces: tuple[Piece, ...]

    @property
    def why(self) -> str:
        shapes = {piece.shape for piece in self.pieces}
        if shapes == {"rising"}:
            return "the time never falls as m grows: the best batch is the boundary m = 1"
        return "a large batch pays less often for sending but gains less from each example: the best one balances both"

    def at(self, **values: Any) -> int:
        """The best whole number m in [1, n] at these numbers; the smallest if several are equally good."""
        known = checked(FREE | {name: value for name, value in values.items() if name != "m"})
        sizes = np.arange(1.0, float(known["n"]) + 1.0)
        times = np.broadcast_to(evaluate(self.time, known | {"m": sizes}, "the time of a batch size"), sizes.shape)
        return int(np.flatnonzero(times <= times.min() * (1 + 1e-12))[0]) + 1


@cache
def best_batch(method: str, partition: str = "examples", network: str = "hypercube", serial: bool = False) -> BatchSize:
    """Differentiate the time of a mini-batch method by m; ``.at(...)`` gives the best batch size at numbers.

    On one machine (serial) the time is K(m) m nnz/n, and K(m) shrinks at most like 1/m, so the best batch is the
    boundary m = 1. What moves it inside is a cost of a batch whatever its size: sending d numbers, opening channels.

    Raises
    ------
    ValueError
        If the method takes no batches.

    Examples
    --------
    >>> from cdlab import theory
    >>> theory.best_batch("spdc", serial=True).why
    'the time never falls as m grows: the best batch is the boundary m = 1'
    >>> theory.best_batch("spdc").at(n=1000, d=50, nnz=20_000, R=1, l2=1e-3, gamma=1, nodes=4, unit=10)
    227
    """
    t = parallel_time(method, partition, network)
    if m not in t.bound.symbols:
        raise ValueError(f"{method} takes no batches; spdc and asdca do")
    iteration = t.bound.W if serial else t.bound.W / nodes + t.overhead
    K = t.bound.K
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
