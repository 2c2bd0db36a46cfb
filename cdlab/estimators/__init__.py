"""Estimators for scikit-learn: a Problem, its solution and its certificate, behind fit and predict."""

from .classifier import CDClassifier
from .regressor import CDRegressor

__all__ = ["CDClassifier", "CDRegressor"]
