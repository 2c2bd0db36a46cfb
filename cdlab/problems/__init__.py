"""What is minimised: the problem, its labels, its proximal relative, and certificates of how near a point is."""

from .problem import Problem, View
from .proximal import ProximalProblem

__all__ = ["Problem", "ProximalProblem", "View"]
