"""Which way to minimise the model is cheapest: a count of what each iteration multiplies, by what a product costs.

    gram       sum of c_i^2/2 to form X'diag(h)X, d^3/6 to factorise it
    dual       n^3/6 to factorise the n x n matrix, beside the products of every iteration; X X' once
    truncated  PRODUCTS times 2 nnz
    columns    (l1 > 0) SWEEPS times 2 nnz, beside a copy of X by columns

A product in LAPACK or in the dense Gram matrix costs BLAS times one on sparse rows, which are read from memory.
"""

from __future__ import annotations

import numpy as np

from ...losses import hess_lipschitz
from ...problems.problem import Problem
from .column_descent import ColumnDescent
from .dual import Dual, products_visits
from .gram import Gram, gram_visits
from .gram_descent import GramDescent
from .model import SHARE, Inner
from .truncated import Truncated

BLAS = 0.1
PRODUCTS = 25  # with H an iteration, in the mean over ill-conditioned problems
SWEEPS = 10
ITERATIONS = 8  # that what is made once is shared by
PER_FEATURE = 300  # examples of a sample
LARGEST = 6000  # lines of a matrix that is kept: 288 MB

INNER = ("auto", "gram", "dual", "truncated", "columns")


def chosen(P: Problem) -> str:
    """The cheapest of `INNER` for this problem."""
    known = costs(P)
    return min(known, key=known.__getitem__)


def costs(P: Problem) -> dict[str, float]:
    """What a model costs by each way that fits, in products on sparse rows."""
    if P.outputs:
        return {"truncated": 2.0 * PRODUCTS * P.nnz * P.zeros(1).size}
    full = isinstance(P.X, np.ndarray)
    dense = BLAS if full else 1.0
    known = {}
    if P.d <= LARGEST:
        known["gram"] = dense * gram_visits(P, np.arange(P.n)) + BLAS * P.d**3 / 6
    if P.l1 > 0:
        return {**known, "columns": 2 * SWEEPS * P.nnz}
    if P.n <= LARGEST:
        products = P.n * P.nnz / 2 if full else products_visits(P)  # full columns need not be counted
        known["dual"] = dense * products / ITERATIONS + BLAS * P.n**3 / 6 + 2 * P.nnz
    return {**known, "truncated": 2 * PRODUCTS * P.nnz}


def samples(P: Problem, inner: Inner) -> bool:
    """Whether the first models are those of a tenth of the examples: many for each feature, to form X'diag(h)X of.

    Not for the squared loss, whose H is formed once. Measured, to a suboptimality of 1e-6: on 200,000 x 54 dense 0.6
    (squared hinge) and 0.9 (logistic) of the time without samples, on 581,012 x 54 0.4; where a tenth is 16 examples a
    feature (w8a) 1.7, so it is not done there.
    """
    return isinstance(inner, Gram | GramDescent) and P.n * SHARE >= PER_FEATURE * P.d and hess_lipschitz(P.loss) > 0


def made(name: str, P: Problem) -> Inner:
    """The way of this name, ready for its first step."""
    if name == "dual":
        return Dual(P)
    if name == "truncated":
        return Truncated(P)
    if name == "columns":
        return ColumnDescent(P)
    return GramDescent(P) if P.l1 > 0 else Gram(P)


def misfit(name: str, P: Problem) -> str | None:
    """Why this way cannot minimise the models of this problem, and which can; None if it can."""
    if P.outputs and P.l1 > 0:
        return f"newton_cd takes {P.loss.name} with l1 = 0 only: use saga or fista, or set l1 = 0"
    if name == "auto":
        return None
    if P.outputs and name != "truncated":
        return f'newton_cd with inner="{name}" does not take {P.loss.name}: use inner="truncated"'
    if P.l1 > 0 and name not in ("gram", "columns"):
        return f'newton_cd with inner="{name}" does not handle l1 > 0: use inner="gram" or "columns", or set l1 = 0'
    if P.l1 == 0 and name == "columns":
        return 'newton_cd with inner="columns" is for l1 > 0: use inner="truncated", or "auto"'
    return None
