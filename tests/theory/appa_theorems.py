"""The theorems about APPA and its relatives, and methods that they are about."""

from cdlab.methods.acc_appa import AccAPPA
from cdlab.methods.appa import APPA
from cdlab.methods.dual_appa import DualAPPA
from cdlab.theory.theorems import appa

METHODS = {"appa": APPA, "acc_appa": AccAPPA, "dual_appa": DualAPPA}

MAIN = appa.RUNS


def method_of(b, mu_):
    """What a theorem is about, on a problem whose strong convexity is known."""
    return METHODS[b.method](mu=mu_, **dict(b.parameters))
