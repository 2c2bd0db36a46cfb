"""The problem that is minimised, its labels, its proximal relative, and certificates of how near a point is."""

from .certificates import Certificate
from .points import View
from .problem import Problem
from .proximal import ProximalProblem

__all__ = ["Certificate", "Problem", "ProximalProblem", "View"]
