"""Problems to ask advice about, and its choices by their labels."""

import numpy as np

import cdlab


def problem(loss="logistic", n=60, d=20, l2=1e-3, l1=0.0, task="classification", **data):
    X, y = cdlab.datasets.make(n=n, d=d, seed=0, task=task, **data)
    return cdlab.Problem(X / np.sqrt(d), y, loss=loss, l2=l2, l1=l1)


def by_label(advice):
    return {choice.label: choice for choice in advice}
