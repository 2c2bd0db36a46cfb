"""Estimators for scikit-learn: a Problem, its solution and its certificate, behind fit and predict."""

from .classifier import CDClassifier
from .classifier_cv import CDClassifierCV
from .regressor import CDRegressor
from .regressor_cv import CDRegressorCV

__all__ = ["CDClassifier", "CDClassifierCV", "CDRegressor", "CDRegressorCV"]
