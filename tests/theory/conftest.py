"""A problem as theory sees it: a dict of plain numbers, and P."""

import numpy as np
import pytest

from cdlab.regularizers import regularizer
from cdlab.samplings import Bucket, Distributed, Independent, TauNice
from cdlab.theory.evaluate import first_failed

GAMMA = {"squared": 1.0, "logistic": 4.0, "hinge": 0.0}
LIPSCHITZ = {"squared": np.inf, "logistic": 1.0, "hinge": 1.0}
AT_ZERO = {"squared": 0.5, "logistic": np.log(2), "hinge": 1.0}  # P(0) for labels +-1; D(0) = 0


LOSS = {  # at prediction z, label 1
    "squared": lambda z: (z - 1) ** 2 / 2,
    "logistic": lambda z: np.logaddexp(0, -z),
    "hinge": lambda z: np.maximum(0, 1 - z),
}
SLOPE_AT_ZERO = {"squared": -1.0, "logistic": -0.5, "hinge": -1.0}


class Plain:
    """Rows of X are examples, all labels are 1."""

    def __init__(self, X, loss="squared", l2=0.2, l1=0.0):
        self.X, self.loss, self.l2, self.l1 = np.asarray(X, dtype=float), loss, l2, l1
        self.n, self.d = self.X.shape
        self.reg = regularizer(l2, l1)

    def zeros(self, rows):
        return np.zeros(rows)

    def primal(self, w, z=None):
        z = self.X @ w if z is None else z
        return LOSS[self.loss](z).mean() + self.l2 / 2 * (w @ w) + self.l1 * np.abs(w).sum()

    def gradient(self, w, z):
        assert not w.any()
        return SLOPE_AT_ZERO[self.loss] * self.X.mean(axis=0)

    def constants(self):
        X = self.X
        squares, nonzero = X**2, X != 0
        rows, cols = squares.sum(axis=1), squares.sum(axis=0)
        row_counts, col_counts = nonzero.sum(axis=1), nonzero.sum(axis=0)
        at_zero = AT_ZERO[self.loss]
        return {
            "n": X.shape[0],
            "d": X.shape[1],
            "nnz": int(nonzero.sum()),
            "l2": self.l2,
            "l1": self.l1,
            "gamma": GAMMA[self.loss],
            "L": LIPSCHITZ[self.loss],
            "R": float(np.sqrt(rows.max())),
            "Rbar": float(np.sqrt(rows).mean()),
            "R_col": float(np.sqrt(cols.max())),
            "F": float(squares.sum()),
            "C_P": float(col_counts @ cols),
            "C_D": float(row_counts @ rows),
            "kappa": 1.0,  # constants() holds more than theory reads
            "P0": at_zero,
            "gap0": at_zero,
            "row_norms2": rows,
            "row_counts": row_counts,
            "col_norms2": cols,
            "col_counts": col_counts,
        }


@pytest.fixture
def sampling_of():
    """An instance of a bound's sampling on so many coordinates."""

    def sampling(bound, m):
        if bound.sampling == "given":
            return np.arange(1.0, m + 1.0)
        if bound.sampling == "bucket":
            return Bucket([np.arange(0, m, 2), np.arange(1, m, 2)])
        if bound.sampling == "distributed":
            return Distributed(1, 2)
        return {"tau_nice": TauNice(2), "independent": Independent(0.5)}.get(bound.sampling, bound.sampling)

    return sampling


@pytest.fixture
def plain():
    return Plain


@pytest.fixture
def golden():
    """The 5 x 4 example of the face-off: nnz 17, F 20.75, C_P 89, C_D 71.25, lambda = 1/5."""
    i, j = np.indices((5, 4))
    X = (((3 * j + 5 * i) % 7) - 3) / 2

    def problem(loss="squared", **changes):
        return Plain(X, loss, **changes)

    return problem


# a value for every keyword of `Bound.at`
NUMBERS = {
    "n": 50,
    "d": 20,
    "nnz": 300,
    "l2": 0.01,
    "l1": 0.0,
    "gamma": 4.0,
    "L": 1.0,
    "R": 2.0,
    "Rbar": 1.1,
    "R_col": 3.0,
    "F": 70.0,
    "m": 1,
    "eps": 1e-4,
    "C_P": 900.0,
    "C_D": 500.0,
    "D0": 0.6,
    "P0": 0.5,
    "gap0": 0.69,
    "power": 0.5,
    "K": 400.0,
    "W": 9.0,
    "P_zero": 0.69,
    "w2": 2.0,
    "a2": 30.0,
    "g2": 0.3,
    "L_f": 0.2,
    "mu": 0.01,
    "prox_weight": 0.05,
    "delta": 0.02,
    "lmin": 0.3,
    "kappa": 100.0,
    "nodes": 4,
    "local_epochs": 2,
    "unit": 1.0,
    "gamma_r": 0.7,
    "a2_p": 3.0,
    "C_in": 80.0,
    "accuracy": 2e4,
    "nu": 1.0,
    "omega": 2.5,
    "gram": 400.0,
    "norm_passes": 10.0,
    "mu_rows": 0.04,
    "mu_cols": 0.04,
    "cosines": 30.0,
    "inexactness": 0.5,
    "T_P_acc": 900.0,
    "T_D_acc": 800.0,
    "nu_linear": 0.01,
    "dual_curvature": 1.0,
    "M": 0.1,
    "opening": 3.0,
    "step": 0.3,
    "L_P": 0.21,
    "bend": 120.0,
    "p_min": 0.01,
    "v_p": 2.0,
    "w2_p": 40.0,
    "lam_p": 0.004,
    "G_min": 0.2,
    "G_max": 3.0,
    "sigma_1": 0.01,
}
# what the theorems of un-regularised, l1-regularised, ill-conditioned, non-smooth or large problems need instead
SETTINGS = (
    {},
    {"l2": 1e-6, "mu": 1e-6},
    {"l2": 0.0, "l1": 0.02},
    {"l1": 0.02},
    {"l2": 0.0},
    {"gamma": 0.0},
    {"gamma": 0.0, "l2": 0.0, "l1": 0.02},
    {"prox_weight": 1.0},
    {"d": 2000, "n": 10},
    {"d": 60},
    {"d": 50, "n": 50},
    {"n": 5000, "gamma": 1.0, "l2": 0.5, "mu": 0.5},
    {"L": np.inf, "l2": 0.0, "P0": 0.69},
    {"M": 0.0},
)


@pytest.fixture
def numbers():
    return dict(NUMBERS)


@pytest.fixture
def numbers_for():
    """Numbers that satisfy a bound's assumptions."""

    def choose(bound):
        for setting in SETTINGS:
            values = NUMBERS | setting
            if first_failed(bound.assumptions, values) is None:
                return values
        raise AssertionError(f"no setting satisfies {bound.assumptions}")

    return choose
