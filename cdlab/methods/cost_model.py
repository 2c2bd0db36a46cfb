"""The cost model: what passes, products with X and Newton's models cost, for `auto`, `newton_cd` and `cdlab.advise`.

These are predictions; what a run did, its method counts (`Method.count`).

    unit       about 3 ns; counted from n, d and the nonzeros, not timed, so that a choice is the same on every machine
    a step     of coordinate descent: for each nonzero STEP_NONZERO on sparse rows, DENSE_NONZERO on dense ones, which
               are read in order; and work of its own
    a product  X w or X'r, half a pass: PRODUCT_NONZERO, which is read only, or DENSE_NONZERO
    a model    of Newton's method, by the cheapest of the ways in `model_products`

`auto` compares whole methods in this unit, `newton_cd` takes the cheapest model, and `advise` counts the passes of
newton_cd and turns them into seconds by what a product took in its probe. Measured once, as CPU time on wide sparse and
tall dense data; of interest are ratios of 2 and more.
"""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..losses import hess_lipschitz
from ..problems.problem import Problem
from .newton.gram import BLAS_SHARE, gram_visits, products_visits

# Units of a nonzero
STEP_NONZERO = 0.7  # in a step, which reads and writes it
PRODUCT_NONZERO = 0.4  # in a product with X
GRAM_NONZERO = 0.25  # in a product that makes a Gram matrix, which stays in the cache
DENSE_NONZERO = 0.25  # of a dense row, in a step and in a product

# Units of a step's own work
STEP = 6.0
LOGISTIC_STEP = 30.0  # with exponentials and logarithms

# Of Newton's method
FIRST_ITERATIONS = 3.0  # to a neighbourhood of the optimum
ITERATIONS_PER_DOUBLING = 1.5  # of the number of correct digits; a quadratic P by its Gram matrix takes one
PRODUCTS_PER_ITERATION = 2.5  # beside the model
TRUNCATED_PRODUCTS = 25  # with H an iteration, in the mean over ill-conditioned problems
COLUMN_SWEEPS = 10  # an iteration
GRAM_SWEEPS = 4  # an iteration, with the leaps: d^2 units each, 1 to 8 as measured; the matrix is in the cache
DUAL_ITERATIONS = 8  # that share X X', which is made once
MAX_KEPT_LINES = 6000  # of a matrix that is kept: 288 MB
REMADE_SHARE = 0.2  # of a Gram matrix, where phi'' jumps: for the examples that changed sides
ACTIVE_SHARE = 0.3  # of the columns: the sweeps leave out features that stay at zero

# Of apcg
APCG_BOUND_SHARE = 0.6  # of the epochs that its bound promises (0.3 to 0.9)
APCG_FIRST_EPOCHS = 3.0  # until it is as fast as that
APCG_EPOCH = 1.3  # epochs of sdca


# ---------------------------------------------------------------- steps and products
def epoch(P: Problem, side: str) -> float:
    """An epoch of serial coordinate descent along the rows ("dual") or the columns ("primal")."""
    lines = P.n if side == "dual" else P.d
    step = LOGISTIC_STEP if 0 < hess_lipschitz(P.loss) < np.inf else STEP
    nonzero = DENSE_NONZERO if P.is_full else STEP_NONZERO
    own = lines * step if side == "dual" else P.nnz * (step / STEP - 1) / 2
    return P.zeros(1).size * max(1.0, nonzero * P.nnz + own)  # X may be empty


def product(P: Problem) -> float:
    """X w or X'r, half a pass."""
    return (DENSE_NONZERO if P.is_full else PRODUCT_NONZERO) * P.nnz


# ---------------------------------------------------------------- models of Newton's method
def model_products(P: Problem) -> dict[str, float]:
    """What a model takes by each way that fits, in products of a nonzero on sparse rows.

        gram       sum of c_i^2/2 to form X'diag(h)X, d^3/6 to factorise it
        dual       n^3/6 to factorise the n x n matrix, beside the products of every iteration; X X' once
        truncated  TRUNCATED_PRODUCTS times 2 nnz
        columns    (l1 > 0) COLUMN_SWEEPS times 2 nnz, beside a copy of X by columns

    A product in LAPACK or in the dense Gram matrix counts BLAS_SHARE of one on sparse rows, which are read from memory.
    """
    if P.outputs:
        return {"truncated": 2.0 * TRUNCATED_PRODUCTS * P.nnz * P.zeros(1).size}
    full = P.is_full
    dense = BLAS_SHARE if full else 1.0
    known = {}
    if P.d <= MAX_KEPT_LINES:
        known["gram"] = dense * gram_visits(P, np.arange(P.n)) + BLAS_SHARE * P.d**3 / 6
    if P.l1 > 0:
        return {**known, "columns": 2 * COLUMN_SWEEPS * P.nnz}
    if P.n <= MAX_KEPT_LINES:
        products = P.n * P.nnz / 2 if full else products_visits(P)  # full columns need not be counted
        known["dual"] = dense * products / DUAL_ITERATIONS + BLAS_SHARE * P.n**3 / 6 + 2 * P.nnz
    return {**known, "truncated": 2 * TRUNCATED_PRODUCTS * P.nnz}


class Cheapest(NamedTuple):
    """The cheapest way to a model, and what it costs."""

    way: str
    cost: float


_cheapest: WeakKeyDictionary[Problem, Cheapest] = WeakKeyDictionary()  # asked for when a run begins and looks


def cheapest_model(P: Problem) -> str:
    """The way that takes the fewest products."""
    return _cheapest_model(P).way


def model(P: Problem) -> float:
    """A model by the cheapest way: by a matrix that is kept in the cache, or by products with X."""
    return _cheapest_model(P).cost


def _cheapest_model(P: Problem) -> Cheapest:
    if P not in _cheapest:
        known = model_products(P)
        way = min(known, key=known.__getitem__)
        _cheapest[P] = Cheapest(way, _cost(P, way, known[way]))
    return _cheapest[P]


def _cost(P: Problem, way: str, products: float) -> float:
    if way == "columns":
        products *= ACTIVE_SHARE
    if way == "gram" and hess_lipschitz(P.loss) == np.inf:
        products *= REMADE_SHARE
    sweeps = GRAM_SWEEPS * P.d**2 if way == "gram" and P.l1 > 0 else 0
    if way in ("gram", "dual"):
        return products * GRAM_NONZERO + sweeps
    return products * (DENSE_NONZERO if P.is_full else PRODUCT_NONZERO)


# ---------------------------------------------------------------- whole methods
def newton(P: Problem, left: float) -> float:
    """Newton's method, until the logarithm of the gap has fallen by `left`."""
    return float(_iterations(P, left) * (model(P) + PRODUCTS_PER_ITERATION * product(P)))


def newton_passes(P: Problem, left: float) -> float:
    """The same in passes: nonzeros visited, though those of a dense Gram matrix cost less."""
    known = model_products(P)
    way = min(known, key=known.__getitem__)
    visits = known[way] / (BLAS_SHARE if P.is_full and way in ("gram", "dual") else 1.0)
    return float(_iterations(P, left) * (visits / P.nnz + PRODUCTS_PER_ITERATION / 2))


def _iterations(P: Problem, left: float) -> float:
    if hess_lipschitz(P.loss) == 0 and cheapest_model(P) == "gram":
        return 1.0
    return float(FIRST_ITERATIONS + ITERATIONS_PER_DOUBLING * np.log2(1 + left / np.log(10)))


def apcg(P: Problem, left: float) -> float:
    """apcg, until the logarithm of the gap has fallen by `left`: its bound, of which it needs about a half."""
    kappa = P.row_profile.norms2.max() / (P.l2 * P.loss.gamma)
    epochs = APCG_FIRST_EPOCHS + APCG_BOUND_SHARE * left * np.sqrt(1 + kappa / P.n)
    return float(epochs * APCG_EPOCH * epoch(P, "dual"))
