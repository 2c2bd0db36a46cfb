"""The theorems about APPA and its relatives, and methods that they are about."""

from cdlab.methods.acc_appa import AccAPPA
from cdlab.methods.appa import APPA
from cdlab.methods.dual_appa import DualAPPA
from cdlab.theory.theorems import appa, appa_lemmas, appa_totals

METHODS = {"appa": APPA, "acc_appa": AccAPPA, "dual_appa": DualAPPA}


BOUNDS = (*appa.BOUNDS, *appa_lemmas.BOUNDS, *appa_totals.BOUNDS)
MAIN = appa.BOUNDS


def pick(method, theorem):
    return next(b for b in BOUNDS if (b.method, b.theorem) == (method, theorem))


def method_of(b, mu_):
    """What a theorem is about, on a problem whose strong convexity is known."""
    return METHODS[b.method](mu=mu_, **dict(b.parameters))
