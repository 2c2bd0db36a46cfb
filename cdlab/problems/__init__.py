"""The problem that is minimised, its labels, its proximal relative, and certificates of how near a point is."""

from .certificates import Certificate
from .problem import Problem
from .proximal import ProximalProblem
from .view import View

__all__ = ["Certificate", "Problem", "ProximalProblem", "View"]
