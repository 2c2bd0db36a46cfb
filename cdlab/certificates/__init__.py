"""How far a fitted linear model is from its optimum, at most: the model of scikit-learn, of cdlab, or coefficients."""

from .certifying import Distance, certify

__all__ = ["Distance", "certify"]
