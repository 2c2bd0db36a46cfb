"""P(w) = mean phi(x_i'w; y_i) + (l2/2)||w||^2 + l1 ||w||_1 with l2 = c/n, in plain numpy."""

import numpy as np
from benchopt import BaseObjective

LOSSES = {
    "logistic": lambda z, y: np.logaddexp(0.0, -y * z),
    "squared_hinge": lambda z, y: 0.5 * np.maximum(0.0, 1.0 - y * z) ** 2,
    "squared": lambda z, y: 0.5 * (z - y) ** 2,
}


class Objective(BaseObjective):
    name = "Regularised linear prediction"
    url = "https://pypi.org/project/cdlab"
    min_benchopt_version = "1.6"
    parameters = {"loss": ["logistic", "squared_hinge"], "c": [1.0, 0.1], "l1": [0.0]}

    def set_data(self, X, y):
        self.X, self.y, self.l2 = X, y, self.c / X.shape[0]

    def get_one_result(self):
        return {"w": np.zeros(self.X.shape[1])}

    def get_objective(self):
        return {"X": self.X, "y": self.y, "loss": self.loss, "l2": self.l2, "l1": self.l1}

    def evaluate_result(self, w):
        value = np.mean(LOSSES[self.loss](self.X @ w, self.y))
        return {"value": float(value + 0.5 * self.l2 * (w @ w) + self.l1 * np.abs(w).sum())}
