"""The bounds of rcd and of averaged quartz beside exact expectations, by enumeration of all draws.

With a large l2 coordinates hardly meet: an update all but solves its coordinate, and what is left after t iterations is
what was never drawn. There the theorems are met almost with equality, and runs are of no help: when the bound has
fallen by 1,000, one run in 200 or so has left a coordinate out and carries the whole mean, so that the mean of 30 runs
is either far below the bound or several times it. With two to four coordinates every sequence of draws can be listed.
"""

from functools import cache

import numpy as np
from claims import claim
from faceoff import copy, outcomes
from problems import data

import cdlab
from cdlab.methods.quartz import Quartz
from cdlab.methods.rcd import RCD
from cdlab.samplings import Batches, Bucket, Distributed, Independent, TauNice

L2 = 60.0
FALL = 30.0
LONGEST = 20  # iterations
SAMPLINGS = {  # and of how many coordinates
    "uniform": ("uniform", 2),
    "importance": ("importance", 2),
    "norms": ("norms", 2),
    "lipschitz": ("lipschitz", 2),
    "given": (np.array([1.0, 2.0]), 2),
    "tau_nice": (TauNice(2), 3),
    "independent": (Independent(0.5), 2),
    "bucket": (Bucket([[0, 2], [1, 3]]), 4),
    "distributed": (Distributed(2, 1), 4),
}
METHODS = {"rcd": (RCD(), "smooth", "primal"), "quartz": (Quartz(averaged_primal=True), "averaged", "dual")}


@cache
def posed(m):
    """A problem of m examples and m features, dense, and P* to rounding."""
    P = cdlab.Problem(*data(n=m, d=m, seed=3, density=1.0), loss="logistic", l2=L2)
    return P, P.primal(cdlab.solve(P, "sdca", tol=1e-13, max_passes=1000).w)


def expected(P, method, sampling, value, steps):
    """E value after 0, 1, ..., steps iterations, over every sequence of draws."""
    view, fed = method.view(P), outcomes(P, method.side, sampling)
    states, found = [(1.0, method.init(P, sampling))], []
    for _ in range(steps + 1):
        found.append(sum(p * value(method.points(P, S)) for p, S in states))
        states = [(p * q, method.epoch(view, copy(S), order)) for p, S in states for order, q in fed]
    return np.array(found)


def drawn_together(P, side, sampling):
    """Coordinates that an iteration updates, in expectation; on dense data one is the m-th part of a pass."""
    return sum(
        p * (order.indices if isinstance(order, Batches) else order).size for order, p in outcomes(P, side, sampling)
    )


def enumerated(name, sampling):
    method, theorem, side = METHODS[name]
    drawn, m = SAMPLINGS[sampling]

    def measure(seeds):
        P, best = posed(m)
        promise = cdlab.theory.bound(method, "passes", drawn, theorem)
        assert promise.sampling == sampling
        passes = np.arange(LONGEST) * drawn_together(P, side, drawn) / m
        start = {"P0": P.primal(np.zeros(P.d)) - best} if name == "rcd" else {}
        promised = np.asarray(promise.curve(P, passes, **start))
        steps = int((promised < promised[0] / FALL).argmax())
        value = {
            "P(w)-P*": lambda points: P.primal(points.w) - best,
            "P-D": lambda points: P.primal(points.w) - P.dual(points.alpha),
        }[promise.bounded]
        return expected(P, method, drawn, value, steps)[1:], promised[1 : steps + 1], promised[0] / promised[steps]

    return measure


for _name in METHODS:
    for _sampling in SAMPLINGS:
        claim(_name, f"all draws listed, l2 = {L2:g}: {_sampling}", "exact", fall=FALL)(enumerated(_name, _sampling))
