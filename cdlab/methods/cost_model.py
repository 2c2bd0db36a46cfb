"""The cost model: what passes, products with X and Newton's models cost, for `auto`, `newton_cd` and `cdlab.advise`.

These are predictions; what a run did, its method counts (`Method.count`).

    unit       about 3 ns; counted from n, d and the nonzeros, not timed, so that a choice is the same on every machine
    a step     of coordinate descent: for each nonzero STEP_NONZERO on sparse rows, DENSE_NONZERO on dense ones, which
               are read in order; and work of its own
    a product  X w or X'r, half a pass: PRODUCT_NONZERO, which is read only, or DENSE_PRODUCT_NONZERO
    newton_cd  by the cheapest of the ways in `newton_ways`

`auto` compares whole methods in this unit, `newton_cd` takes the cheapest way, and `advise` counts its passes and turns
them into seconds by what a product took in its probe. Measured once, as CPU time on wide sparse and tall dense data; of
interest are ratios of 2 and more.
"""

from __future__ import annotations

import math
from typing import NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..losses import hess_lipschitz
from ..numerics.jit import kernel, reduction
from ..problems.problem import Problem
from .newton.gram import BLAS_SHARE, entries, products_visits
from .newton.preconditioned import sampled_share

USUAL_FALL = math.log(1e6)  # Logarithm of the fall of the relative gap to the usual tolerance.

# Units of a nonzero
STEP_NONZERO = 0.7  # Cost of a nonzero in a step, which reads and writes it.
PRODUCT_NONZERO = 0.4  # Cost of a nonzero in a product with X.
GRAM_NONZERO = 0.25  # Cost of a nonzero in a product that makes a Gram matrix, which stays in the cache.
DENSE_NONZERO = 0.25  # Cost of an entry of a dense row or column in a step.
DENSE_PRODUCT_NONZERO = 0.08  # Cost of such an entry in a product, which reads rows in their order (0.05 to 0.1).
DENSE_GRAM_NONZERO = 0.015  # Cost of such an entry in a Gram matrix by BLAS.

# Units of a step's own work
STEP = 6.0
LOGISTIC_STEP = 30.0  # A step with exponentials and logarithms.

# Of Newton's method
ITERATION = 6e4  # An iteration in Python takes 0.2 ms.
FIRST_ITERATIONS = 2.0  # Iterations to a neighbourhood of the optimum.
ITERATIONS_PER_DOUBLING = 1.5  # Iterations that double the correct digits; a quadratic P by a matrix takes one.
PRODUCTS_PER_ITERATION = 2.5  # Products of an iteration beside its model.
TALL_PASSES = 40.0  # Passes of conjugate gradients to 1e-6 in all, n far above d, at most.
WIDE_PASSES = 15.0  # Passes of them to 1e-6 per root of the condition number.
PRECONDITIONED_PASSES = 20.0  # Passes of those that a sample preconditions (7 to 31).
UNKNOWN_CONDITION = 1e4  # Condition number where the loss is not smooth.
VECTOR_ENTRY = 1.0  # Cost of an entry of the vectors of conjugate gradients, in a product.
COLUMN_SWEEPS = 6  # Sweeps of an iteration over the columns.
GRAM_SWEEPS = 4  # Sweeps of an iteration with the Newton steps: d^2 units each, 1 to 8 as measured.
EXACT_AT_ONCE = 20.0  # Products that cost as much as an exact model, up to which no conjugate gradients are tried.
DEAREST_WHERE_IT_JUMPS = 3.0  # Multiple of exact models' cost up to which they are tried where phi'' jumps.
MAX_KEPT_LINES = 6000  # Lines of a matrix that is kept: 288 MB.
REMADE_SHARE = 0.2  # Share of a Gram matrix that is made anew where phi'' jumps, for examples that changed sides.
ACTIVE_SHARE = 0.3  # Share of the columns that sweeps visit: they leave out features that stay at 0.

# Of ssnal, to 1e-6 in all
SSNAL_ITERATIONS = 60.0  # 30 to 110
SSNAL_PASSES = 1500.0  # Passes of conjugate gradients: 300 to 1,000, on text with the work of vectors as much again.

# Of sdca
SDCA_BOUND_SHARE = 0.45  # Share of the epochs that its bound promises (0.25 to 0.55).
RIDGE_ACCURACY = 0.05

SCREENING = 2.5e4  # Cost in Python after a measurement: 0.08 ms.

# Of apcg
APCG_BOUND_SHARE = 0.6  # Share of the epochs that its bound promises (0.3 to 0.9).
APCG_FIRST_EPOCHS = 3.0  # Epochs until it is as fast as that.
APCG_EPOCH = 1.3  # Cost of an epoch in epochs of sdca on sparse rows.
APCG_DENSE_NONZERO = 1.2  # Cost of an entry of a dense row, whose pairs are not read as vectors.

# Of methods that nothing predicts
LBFGS_PASSES = 100.0  # Passes to 1e-6 (20 to 600).
LBFGS_EVALUATION = 2e4  # Cost of P and its gradient in Python: 0.07 ms.


# ---------------------------------------------------------------- steps and products
def epoch(P: Problem, side: str) -> float:
    """An epoch of serial coordinate descent along the rows ("dual") or the columns ("primal")."""
    lines = P.n if side == "dual" else P.d
    step = LOGISTIC_STEP if 0 < hess_lipschitz(P.loss) < np.inf else STEP
    nonzero = DENSE_NONZERO if P.is_full else STEP_NONZERO
    own = lines * step if side == "dual" else entries(P) * (step / STEP - 1) / 2
    return P.zeros(1).size * max(1.0, nonzero * entries(P) + own)  # X may be empty


def product(P: Problem) -> float:
    """X w or X'r, half a pass."""
    return (DENSE_PRODUCT_NONZERO if P.is_full else PRODUCT_NONZERO) * entries(P)


def mean_row_norm2(P: Problem) -> float:
    """mean ||x_i||^2."""
    return float(np.add.reduce(P.row_profile.norms2)) / P.n


# ---------------------------------------------------------------- coordinate descent
def sdca_epochs(P: Problem, left: float, enough: float) -> float:
    """Epochs of sdca until the logarithm of the gap has fallen by `left`, on rows that are drawn independently.

    A step along one row sees ||x_i||^2 + lambda, lambda = l2 n gamma, where all rows together have the eigenvalues of
    X X' + lambda I: their harmonic mean is kappa (`effective_ridge`). So an epoch brings down the logarithm of the gap
    by about kappa/(lambda + mean ||x_i||^2), divided by `SDCA_BOUND_SHARE`: where n > d is kappa about lambda, and this
    the bound of sdca, times that share; where rows hardly meet, their number does not matter. Correlated features make
    it slower, a loss that saturates faster; measured, within a factor of 2 on generated data and up to 20 on text.

    Parameters
    ----------
    P : Problem
        l2 > 0 and gamma > 0, or it is inf.
    left : float
        Of the logarithm of the gap.
    enough : float
        A number to compare them with: where that is clear from bounds, a bound is returned, and kappa not computed.
    """
    ridge = P.mu * P.n * P.loss.gamma
    if ridge == 0:
        return math.inf
    mean_norm2 = mean_row_norm2(P)
    at_least = SDCA_BOUND_SHARE * left
    at_most = at_least * (1 + mean_norm2 / ridge)
    if at_least >= enough:
        return at_least
    if at_most < enough:
        return at_most
    if P not in _ridges:
        _ridges[P] = effective_ridge(P, ridge)
    return at_least * (mean_norm2 + ridge) / _ridges[P]


def effective_ridge(P: Problem, ridge: float) -> float:
    """kappa with 1/kappa = mean of the eigenvalues' inverses of X X' + ridge I, as rows drawn independently have it.

    It solves kappa (1 - (1/n) sum_j s_j/(s_j + kappa)) = ridge, s_j = ||X_:j||^2 (Silverstein & Bai, On the empirical
    distribution of eigenvalues of a class of large dimensional random matrices, 1995). The left side is convex and
    increases, so Newton's method decreases from ridge + mean ||x_i||^2, where it is too large.
    """
    s = P.column_profile.norms2
    return _root(s[s > 0], ridge, float(P.n))


@kernel
def _root(s: np.ndarray, ridge: float, n: float) -> float:
    """kappa >= ridge with kappa (1 - (1/n) sum_j s_j/(s_j + kappa)) = ridge, to within RIDGE_ACCURACY."""
    kappa = ridge + s.sum() / n
    while kappa > ridge:
        shares, squares = _sum_of_shares(s, kappa), _sum_of_squared_shares(s, kappa)
        excess = kappa * (1 - shares / n) - ridge
        better = kappa - excess / (1 - squares / n)
        if not better < kappa * (1 - RIDGE_ACCURACY):
            break
        kappa = better
    return max(kappa, ridge)


@reduction
def _sum_of_shares(s: np.ndarray, kappa: float) -> float:
    total = 0.0
    for j in range(s.size):
        total += s[j] / (s[j] + kappa)
    return total


@reduction
def _sum_of_squared_shares(s: np.ndarray, kappa: float) -> float:
    total = 0.0
    for j in range(s.size):
        total += (s[j] / (s[j] + kappa)) ** 2
    return total


# ---------------------------------------------------------------- Newton's method
class Cost(NamedTuple):
    """Of a method until the gap has fallen: in units, and in nonzeros visited."""

    units: float
    visits: float


def newton(P: Problem, left: float) -> Cost:
    """Newton's method by its cheapest way, until the logarithm of the gap has fallen by `left`."""
    return min(newton_ways(P, left).values())


def cheapest_way(P: Problem) -> str:
    """The way to models that is the cheapest until a relative gap of 1e-6."""
    known = newton_ways(P, USUAL_FALL)
    return min(known, key=known.__getitem__)


# asked for more than once in a run
_ways: WeakKeyDictionary[Problem, dict[float, dict[str, Cost]]] = WeakKeyDictionary()
_ridges: WeakKeyDictionary[Problem, float] = WeakKeyDictionary()


def newton_ways(P: Problem, left: float) -> dict[str, Cost]:
    """Return the cost of Newton's method by each way to models that fits, until the gap's log has fallen by `left`."""
    known = _ways.setdefault(P, {})
    if left not in known:
        known[left] = _counted_ways(P, left)
    return known[left]


def _counted_ways(P: Problem, left: float) -> dict[str, Cost]:
    """Return the cost of Newton's method by each way to its models.

        gram       an iteration: sum of c_i^2/2 to form X'diag(h)X, d^3/6 to factorise it
        dual       X X' once; an iteration: n^3/6 to factorise the n x n matrix, beside two products; left out where
                   that alone is dearer than truncated
        truncated  passes in all, see `_truncated`
        preconditioned  in its place where `_can_sample`: gram's, of a sample; and PRECONDITIONED_PASSES in all
        columns    (l1 > 0) COLUMN_SWEEPS an iteration, of the columns that are not left out

    A product in LAPACK or in a dense Gram matrix counts BLAS_SHARE of one on sparse rows, which are read from memory. A
    quadratic P is its own model, so that an exact one is minimised once.
    """
    iterations = _iterations(left)
    truncated = _truncated(P, left, iterations)
    if P.outputs:
        return {"truncated": truncated}
    known = {}
    exact = exact_iterations(P, left)
    if P.d <= MAX_KEPT_LINES:
        known["gram"] = _gram(P, exact)
    if P.l1 > 0 or P.bounded:
        return {**known, "columns": _columns(P, iterations)}
    may_be_dual = P.l2 > 0 and P.n <= MAX_KEPT_LINES
    if may_be_dual and exact * _dual_factor(P) < truncated.units:  # else columns need not be counted
        known["dual"] = _dual(P, exact)
    if _can_sample(P):
        return {**known, "preconditioned": min(truncated, _preconditioned(P, left, iterations))}
    return {**known, "truncated": truncated}


def ssnal(P: Problem, left: float) -> float:
    """Newton's method on a loss whose kinks are smoothed, until the logarithm of the gap has fallen by `left`."""
    return min(ssnal_ways(P, left).values())


def ssnal_ways(P: Problem, left: float) -> dict[str, float]:
    """Return the cost of ssnal by each way to its models; SSNAL_PASSES are those of stages with a narrow bend."""
    iterations, known = SSNAL_ITERATIONS * left / USUAL_FALL, {}
    if P.d <= MAX_KEPT_LINES:
        known["gram"] = _gram(P, iterations).units
    if P.l1 > 0:
        return {**known, "columns": _columns(P, iterations).units}
    if P.n <= MAX_KEPT_LINES:
        known["dual"] = _dual(P, iterations).units
    return {**known, "truncated": iterations * ITERATION + SSNAL_PASSES * left / USUAL_FALL * truncated_pass(P)}


def exact_iterations(P: Problem, left: float) -> float:
    """Iterations of Newton's method with exact models; any other way takes no fewer."""
    return 1.0 if hess_lipschitz(P.loss) == 0 else _iterations(left)


def _iterations(left: float) -> float:
    return FIRST_ITERATIONS + ITERATIONS_PER_DOUBLING * math.log2(1 + left / math.log(10))


def _gram(P: Problem, iterations: float) -> Cost:
    remade = REMADE_SHARE if hess_lipschitz(P.loss) == np.inf else 1.0
    sweeps = GRAM_SWEEPS * P.d**2 if P.l1 > 0 or P.bounded else 0
    return _in_all(P, iterations, remade * _factorised(P, 1.0) + sweeps, P.row_pairs + P.d**3 / 6)


def _factorised(P: Problem, share: float) -> float:
    """The Gram matrix of a share of the examples, and its factor."""
    matrix = DENSE_GRAM_NONZERO * P.n * P.d**2 / 2 if P.is_full else GRAM_NONZERO * P.row_pairs
    return share * matrix + BLAS_SHARE * GRAM_NONZERO * P.d**3 / 6


def _can_sample(P: Problem) -> bool:
    """Tell whether a sample may precondition conjugate gradients: of sparse rows it misses rare features.

    On w8a they took so two to five times as long as Gram matrices.
    """
    return P.is_full and hess_lipschitz(P.loss) > 0 and P.d < P.n and P.d <= MAX_KEPT_LINES


def _preconditioned(P: Problem, left: float, iterations: float) -> Cost:
    """Conjugate gradients whose number does not depend on how well H is conditioned; one iteration more."""
    share = sampled_share(P)
    models = _in_all(P, iterations + 1, _factorised(P, share), share * P.row_pairs + P.d**3 / 6)
    passes = PRECONDITIONED_PASSES * left / USUAL_FALL
    return Cost(models.units + passes * truncated_pass(P), models.visits + passes * (P.nnz + P.d**2))


def _dual(P: Problem, iterations: float) -> Cost:
    units, each = _in_all(P, iterations, _dual_factor(P) + 2 * product(P), P.nnz + P.n**3 / 6)
    return Cost(units + _dual_matrix(P), each + _dual_visits(P))


def _dual_matrix(P: Problem) -> float:
    return (BLAS_SHARE if P.is_full else 1.0) * GRAM_NONZERO * _dual_visits(P)


def _dual_visits(P: Problem) -> float:
    return P.n * P.nnz / 2 if P.is_full else products_visits(P)


def _dual_factor(P: Problem) -> float:
    return BLAS_SHARE * GRAM_NONZERO * P.n**3 / 6


def _columns(P: Problem, iterations: float) -> Cost:
    nonzero = DENSE_NONZERO if P.is_full else PRODUCT_NONZERO
    return _in_all(P, iterations, 2 * COLUMN_SWEEPS * ACTIVE_SHARE * nonzero * entries(P), COLUMN_SWEEPS * P.nnz)


class ExactWay(NamedTuple):
    """A way to exact models, which goes on where conjugate gradients have become dear."""

    name: str
    products: float  # of conjugate gradients that cost as much as the first model
    models: float  # until a relative gap of 1e-6


def way_after_truncated(P: Problem) -> ExactWay | None:
    """The cheaper way to exact models, where conjugate gradients are to begin; None where they are not, or none fits.

    They begin where they are predicted to be cheaper. The prediction is often far too large, so they also begin where
    an exact model costs much, unless P is its own model. Where phi'' jumps and few examples are curved, less accurate
    models need many iterations: there they begin only if they are not predicted to be far dearer.
    """
    known, first, bend = {}, cheapest_way(P), hess_lipschitz(P.loss)
    if P.l1 > 0 or P.bounded or P.outputs or first == "preconditioned":
        return None
    if P.d <= MAX_KEPT_LINES:
        known["gram"] = _factorised(P, 1.0)
    if P.l2 > 0 and P.n <= MAX_KEPT_LINES and _dual_factor(P) < known.get("gram", math.inf):
        known["dual"] = _dual_matrix(P) + _dual_factor(P)
    if not known:
        return None
    name = min(known, key=known.__getitem__)
    products = known[name] / truncated_pass(P)
    if first != "truncated":
        if bend == 0 or products <= EXACT_AT_ONCE:
            return None
        dearest = DEAREST_WHERE_IT_JUMPS * newton(P, USUAL_FALL).units
        if bend == math.inf and _truncated(P, USUAL_FALL, _iterations(USUAL_FALL)).units > dearest:
            return None
    return ExactWay(name, products, exact_iterations(P, USUAL_FALL))


def _in_all(P: Problem, iterations: float, model: float, visits: float) -> Cost:
    """The iterations, of a model each, whose cost and visits are given."""
    each = ITERATION + model + PRODUCTS_PER_ITERATION * product(P)
    return Cost(iterations * each, iterations * (visits + PRODUCTS_PER_ITERATION * P.nnz / 2))


def _truncated(P: Problem, left: float, iterations: float) -> Cost:
    """Conjugate gradients, a pass each; with C about the condition number, 1 + mean ||x_i||^2/(min(n, d) l2 gamma).

    mean ||x_i||^2 is the sum of min(n, d) eigenvalues of X'X/n. The number of passes rises as C^(1/2); where n > d, X'X
    is conditioned beside its diagonal as of independent entries, (1 + r)^2/(1 - r)^2 with r^2 = d/n (Bai & Yin, Limit
    of the smallest eigenvalue of a large dimensional sample covariance matrix, 1993), and TALL_PASSES times its root
    are enough: text took as many, independent features a third. WIDE_PASSES were half as many there, and twice as many
    on text.
    """
    ridge = P.mu * min(P.n, P.d) * P.loss.gamma
    condition = 1 + mean_row_norm2(P) / ridge if ridge > 0 else UNKNOWN_CONDITION
    r = math.sqrt(P.d / P.n)
    tall = TALL_PASSES * (1 + r) / (1 - r) if r < 1 else math.inf
    passes = min(tall, WIDE_PASSES * condition**0.5) * left / USUAL_FALL
    return Cost(iterations * ITERATION + passes * truncated_pass(P), passes * P.nnz)


def truncated_pass(P: Problem) -> float:
    """A pass of conjugate gradients."""
    return P.zeros(1).size * (2 * product(P) + VECTOR_ENTRY * P.d)


# ---------------------------------------------------------------- accelerated coordinate descent
def apcg(P: Problem, left: float) -> float:
    """apcg, until the logarithm of the gap has fallen by `left`: its bound, of which it needs about a half."""
    kappa = P.row_profile.norms2.max() / (P.mu * P.loss.gamma)
    epochs = APCG_FIRST_EPOCHS + APCG_BOUND_SHARE * left * np.sqrt(1 + kappa / P.n)
    return float(epochs * _apcg_epoch(P))


def _apcg_epoch(P: Problem) -> float:
    serial = epoch(P, "dual")
    return serial + P.zeros(1).size * (APCG_DENSE_NONZERO - DENSE_NONZERO) * P.nnz if P.is_full else APCG_EPOCH * serial


# ---------------------------------------------------------------- what goes on where neither fits
def lbfgs(P: Problem, left: float) -> float:
    """lbfgs, until the logarithm of the gap has fallen by `left`."""
    return LBFGS_PASSES * left / USUAL_FALL * (LBFGS_EVALUATION + truncated_pass(P))
