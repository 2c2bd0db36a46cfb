"""The problem that is minimised, its centred and proximal relatives, and certificates of how near a point is."""

from .centring import CentredProblem
from .certificates import Certificate
from .points import View
from .problem import Problem
from .proximal import ProximalProblem

__all__ = ["CentredProblem", "Certificate", "Problem", "ProximalProblem", "View"]
