"""How far a fitted linear model is from its optimum, at most: the model of scikit-learn, of cdlab, or coefficients."""

from .certifying import certify
from .distance import Distance

__all__ = ["Distance", "certify"]
