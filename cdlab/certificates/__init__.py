"""Bounds on the distance of a point from the optimum, and what they prove of the optimum.

`certify` takes a fitted model of scikit-learn, of cdlab, or coefficients; `balls` says which examples and features are
settled at a point, and `settled_curve` how many along a run.
"""

from .certifying import Distance, certify
from .settling import SettledCurve, balls, settled_curve

__all__ = ["Distance", "SettledCurve", "balls", "certify", "settled_curve"]
