"""What epochs cost, in units of about 3 ns.

Measured once, as CPU time on wide sparse and tall dense data; of interest are ratios of 2 and more.
"""

from __future__ import annotations

import math
from weakref import WeakKeyDictionary

import numpy as np

from ...losses import hess_lipschitz
from ...problems.problem import Problem
from ..apcg import APCG
from ..base import Method
from ..newton import choice
from ..sdca import SDCA

STEP = 0.7  # of a nonzero in a step of coordinate descent, which reads and writes it; dense rows are read in order
DENSE = 0.25
EXAMPLE = 6.0  # a step's own work
LOGISTIC = 30.0  # of a step that has exponentials and logarithms
ITERATIONS = 3.0  # of Newton's method to a neighbourhood of the optimum,
DOUBLING = 1.5  # and as many more as the number of correct digits has to double
PRODUCT = 0.4  # of a nonzero in a product with X, which only reads it
PRODUCTS = 2.5  # beside the model
KEPT = 0.2  # of a Gram matrix is made anew where phi'' jumps: for the examples that changed sides
ACTIVE = 0.3  # of the columns: the sweeps leave out features that stay at zero
MATRIX = 0.25  # of a nonzero in the Gram matrix, which stays in the cache
OF_BOUND = 0.6  # of the epochs that apcg's bound promises (0.3 to 0.9)
START = 3.0  # epochs of its own until it is as fast as that
ACCELERATED = 1.3  # epochs of sdca

_models: WeakKeyDictionary[Problem, float] = WeakKeyDictionary()  # asked for when a run is checked, begins and looks


def of_epoch(P: Problem, method: Method) -> float:
    """An epoch of serial coordinate descent."""
    lines = P.n if method.side == "dual" else P.d
    step = LOGISTIC if 0 < hess_lipschitz(P.loss) < np.inf else EXAMPLE
    nonzero = DENSE if isinstance(P.X, np.ndarray) else STEP
    own = lines * step if method.side == "dual" else P.nnz * (step / EXAMPLE - 1) / 2
    return P.zeros(1).size * max(1.0, nonzero * P.nnz + own)  # X may be empty


def of_newton(P: Problem, left: float) -> float:
    """Newton's method, until the logarithm of the gap has fallen by `left`."""
    return float(_iterations(left) * (_model(P) + PRODUCTS * of_product(P)))


def passes_of_newton(P: Problem, left: float) -> float:
    """The same in passes: nonzeros visited, though those of a dense Gram matrix cost less."""
    known = choice.costs(P)
    way = min(known, key=known.__getitem__)
    model = known[way] / (choice.BLAS if isinstance(P.X, np.ndarray) and way in ("gram", "dual") else 1.0)
    return float(_iterations(left) * (model / P.nnz + PRODUCTS / 2))


def of_product(P: Problem) -> float:
    """X w or X'r, half a pass."""
    return (DENSE if isinstance(P.X, np.ndarray) else PRODUCT) * P.nnz


def _iterations(left: float) -> float:
    return float(ITERATIONS + DOUBLING * np.log2(1 + left / np.log(10)))


def of_apcg(P: Problem, left: float) -> float:
    """apcg, until the logarithm of the gap has fallen by `left`: its bound, of which it needs about a half."""
    kappa = P.row_profile.norms2.max() / (P.l2 * P.loss.gamma)
    epochs = START + OF_BOUND * left * np.sqrt(1 + kappa / P.n)
    return float(epochs * ACCELERATED * of_epoch(P, SDCA()))


def until(P: Problem, method: Method, left: float) -> float:
    """newton_cd or apcg, until the logarithm of the gap has fallen by `left`."""
    if isinstance(method, APCG):  # with l1 > 0 it brought nothing where it was measured
        return math.inf if P.l1 > 0 else of_apcg(P, left)
    return of_newton(P, left)


def of_one_step(P: Problem) -> float:
    """One exact Newton step: with the squared loss and without l1 there is no more to do."""
    return _model(P)


def _model(P: Problem) -> float:
    """A model of Newton's method: by a matrix that is kept in the cache, or by products with X."""
    if P not in _models:
        _models[P] = _counted(P)
    return _models[P]


def _counted(P: Problem) -> float:
    known = choice.costs(P)
    way = min(known, key=known.__getitem__)
    if way == "columns":
        known[way] *= ACTIVE
    if way == "gram" and hess_lipschitz(P.loss) == np.inf:
        known[way] *= KEPT
    return known[way] * (MATRIX if way in ("gram", "dual") else DENSE if isinstance(P.X, np.ndarray) else PRODUCT)
