"""Time on s parallel nodes, of an iteration and in total.

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
from typing import Any

import numpy as np
import sympy as sp

from ..numerics import checks
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
        return evaluate(self.expr, checked(FREE | values), f"the time of {self.bound.method} on nodes")


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
    if (partition, network) not in EXCHANGE:
        known = ", ".join(" on ".join(pair) for pair in EXCHANGE)
        raise ValueError(
            f"no cost is known for partition {partition!r} and network {network!r}; there is one for {known}"
        )
    b = bound(method, "iterations", theorem=theorem)
    if b.K is None or b.W is None:
        raise ValueError(f"the {b} is not a contraction, so its time on nodes has no form without eps")
    sent = EXCHANGE[partition, network]
    if m not in b.symbols:  # a batch of one, or with deterministic methods all examples
        batch = sp.S.One if b.W.equals(nnz / n) else n
        sent = sent.subs(m, batch)
    shared = sp.Min(nodes, b.W * n / nnz) if partition == "examples" else nodes  # at most one node per example
    return ParallelTime(b, partition, network, b.W / shared, sent, CHANNELS[partition, network])
