"""Proofs: certificate files of a point, which `cdlab.checker` checks by itself, from an exactly feasible dual point.

And the digits of the optimum that a point proves.
"""

from .digits import Proved, prove
from .writing import DataDescription, Verdict, describe, write_certificate

__all__ = ["DataDescription", "Proved", "Verdict", "describe", "prove", "write_certificate"]
