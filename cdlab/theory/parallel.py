"""Time on s parallel nodes, of an iteration and in total, and the batch size that makes it smallest.

The model of Shalev-Shwartz & Zhang 2013 (accelerated mini-batch SDCA, arXiv:1305.2581), rebuilt from its prose: one
iteration with a batch of m examples visits m nnz/n nonzeros, shared by s nodes that hold parts of the features or parts
of the examples, and then numbers are exchanged. On a hypercube a sum of d-vectors takes d log2(s), one number from
every node to all others s log2(s)^2 for each of the m predictions; a modern all-reduce of m numbers takes m log2(s).
Sending a number costs `unit` visited nonzeros, and opening a channel `opening`, whatever is sent through it: log2(s)
rounds of a sum, or log2(s) rounds to log2(s) neighbours where every node tells all others. So a batch by features costs
something whatever its size, too. With s = 1 nothing is sent, and time is the arithmetic of one machine.

In seconds the model has constants that are measured: those of a `Network`, fitted to timed sums, and of one visit.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
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

SUMS = {"cocoa": 2}  # vectors that are summed in an iteration, where it is not one

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
    summed : sympy expression
        The length of the vectors that an iteration sums over the nodes.
    """

    bound: Bound
    partition: str
    network: str
    runtime: sp.Expr
    communication: sp.Expr
    channels: sp.Expr
    summed: sp.Expr

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

    def seconds(self, network: Network, visit: float, **values: Any) -> float | np.ndarray:
        """Seconds of one iteration on a measured network.

        Parameters
        ----------
        network : Network
            What sums take there, in place of unit and opening.
        visit : float
            Seconds of a visited nonzero.
        **values : float or array
            Keywords as in `at`.
        """
        known, what = check_values(values), f"an iteration of {self.bound.method} on nodes"
        runtime, length = (evaluate(expr, known, what) for expr in (self.runtime, self.summed))
        sums = SUMS.get(self.bound.method, 1) * network.seconds(length, known["nodes"])
        return _positive_number("visit", visit) * runtime + sums


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
            f"no cost is known for partition {checks.short_repr(partition)} and network {checks.short_repr(network)}; "
            f"there is one for {known}"
        )
    b = bound(method, "iterations", theorem=theorem)
    if b.K is None or b.W is None:
        raise ValueError(f"the {b} is not a contraction, so its time on nodes has no form without eps")
    sent, sums = NUMBERS_SENT[partition, network], SUMS.get(method, 1)
    summed = m if partition == "features" else d
    if m not in b.symbols:  # a batch of one, or with deterministic methods all examples
        batch = sp.S.One if b.W.equals(nnz / n) else n
        sent, summed = sent.subs(m, batch), summed.subs(m, batch)
    shared = sp.Min(nodes, b.W * n / nnz) if partition == "examples" else nodes  # at most one node per example
    opened = sums * CHANNELS_OPENED[partition, network]
    return ParallelTime(b, partition, network, b.W / shared, sums * sent, opened, summed)


# ------------------------------------------------------------ seconds, on a network that was measured
class Network(NamedTuple):
    """Seconds of a sum of vectors, one of each node, that all nodes then have.

    Attributes
    ----------
    engine : "mpi" or "dask"
        How they are summed.
    constants : tuple of float
        Of mpi alpha and beta: alpha log2(nodes) + beta bytes of one vector. Of dask, where every vector goes through
        the client and back, three: alpha + alpha' nodes + beta 2 nodes bytes.
    """

    engine: str
    constants: tuple[float, ...]

    def seconds(self, numbers: Any, nodes: Any) -> Any:
        """Seconds of a sum of vectors of so many numbers of 8 bytes; numbers or arrays."""
        return sum(each * c for each, c in zip(COSTS[self.engine](nodes, 8 * numbers), self.constants, strict=True))


COSTS = {  # what the constants are multiplied with
    "mpi": lambda nodes, size: (np.log2(nodes), size * (nodes > 1)),
    "dask": lambda nodes, size: (1.0, nodes, 2.0 * nodes * size),
}


def fit_network(pings: Iterable[tuple[float, float, float]], engine: str = "mpi") -> Network:
    """Fit the constants of a network to measured sums: least squares of relative errors, no constant below 0.

    Parameters
    ----------
    pings : iterable of (nodes, bytes, seconds)
        Sums that were timed: over how many nodes, of vectors of how many bytes, in how many seconds.
    engine : "mpi" or "dask"
        How they were summed.

    Raises
    ------
    ValueError
        If they are not such rows, or too few.

    Examples
    --------
    >>> from cdlab import theory
    >>> theory.fit_network([(2, 8, 4e-6), (4, 8, 8e-6), (2, 8e6, 2.4e-3)]).constants
    (3.9...e-06, 2.9...e-10)
    """
    from scipy.optimize import nnls

    checks.one_of("engine", engine, COSTS)
    rows = checks.real_array("pings", list(pings))
    if rows.ndim != 2 or rows.shape[1:] != (3,) or not (rows > 0).all() or len(rows) < 3:
        raise ValueError("pings must be at least three rows (nodes, bytes, seconds) of numbers above 0")
    nodes, size, seconds = rows.T
    columns = np.column_stack(np.broadcast_arrays(*COSTS[engine](nodes, size)))
    constants, _ = nnls(columns / seconds[:, None], np.ones(len(rows)))
    return Network(engine, tuple(constants.tolist()))


def cocoa_time(
    network: Network, visit: float, *, nodes: Any, d: Any, nnz: Any, local_epochs: Any = 1
) -> float | np.ndarray:
    """Seconds of a round of ``cdlab.distributed.solve``: (local_epochs + 1) passes over nnz/nodes, and two sums.

    Parameters
    ----------
    network : Network
        What a sum takes.
    visit : float
        Seconds of a visited nonzero, on one node.
    nodes, d, nnz, local_epochs : int or array
        The parts, the length of w, the nonzeros of all parts and the epochs of a round. One part takes no global step,
        so it has half a pass in place of one beside its epochs.

    Examples
    --------
    >>> from cdlab import theory
    >>> network = theory.Network("mpi", (4e-6, 3e-10))
    >>> theory.cocoa_time(network, 2e-9, nodes=[1, 4], d=10_000, nnz=10**8).round(4)
    array([0.3   , 0.1001])
    """
    known = check_values({"nodes": nodes, "d": d, "nnz": nnz, "local_epochs": local_epochs})
    nodes, d = known["nodes"], known["d"]
    passes = known["local_epochs"] + np.where(nodes > 1, 1.0, 0.5)
    seconds = _positive_number("visit", visit) * passes * known["nnz"] / nodes + 2 * network.seconds(d, nodes)
    return np.asarray(seconds)[()]


def best_nodes(rounds: Mapping[int, float], network: Network, visit: float, **values: Any) -> int:
    """The number of nodes on which the accuracy is reached first, of those whose rounds to it are given.

    Parameters
    ----------
    rounds : mapping
        Rounds to an accuracy, measured or by ``bound("cocoa")``, for numbers of nodes.
    network, visit, **values
        As in `cocoa_time`, without nodes.

    Examples
    --------
    >>> from cdlab import theory
    >>> network = theory.Network("mpi", (4e-6, 3e-10))
    >>> theory.best_nodes({1: 5, 2: 7, 16: 10}, network, 2e-9, d=10**6, nnz=10**6)
    1
    """
    return min(rounds, key=lambda nodes: rounds[nodes] * cocoa_time(network, visit, nodes=nodes, **values))


def _positive_number(what: str, value: Any) -> float:
    return checks.number(what, value, "a number of seconds above 0")


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
