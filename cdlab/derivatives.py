"""What one loss derivative costs, in visited nonzeros: the price that the primal side pays at every nonzero.

A coordinate step of the primal needs phi' at each nonzero of its column, a step of the dual one phi' in all. So the
bounds, which count visits, flatter the primal when phi' is dear.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
import scipy.sparse as sp

from . import losses, matrices
from .jit import kernel
from .losses import Loss
from .regularizers import L2

QUOTED = {"logistic": 50.0}  # as Csiba & Richtarik 2016 quote it
PROBE = 128, 64  # lines, and nonzeros in each: everything stays in the cache
RUNS = 100  # the fastest of so many is free of other programs' load


@kernel
def _dots(X, order, v, reg):
    total = 0.0
    for i in order:
        total += X.dot(i, v, reg)
    return total


@kernel
def _slopes(X, order, z, y, loss):
    total = 0.0
    for i in order:
        total += X.slope(i, z, y, loss)
    return total


@kernel
def _adds(X, order, v):
    for i in order:
        X.add(i, 1e-9, v)


def resolved(loss: Loss, cost: float | str | None, dense: bool) -> tuple[float, str]:
    """The cost to count with and where it comes from, for what a user may pass: None, "measured" or a number.

    Raises
    ------
    ValueError
        If `cost` is none of these, or negative.
    """
    if cost is None:
        quoted = QUOTED.get(getattr(loss, "name", ""))
        return (0.0, "assumed") if quoted is None else (quoted, "assumed, as Csiba & Richtarik 2016 quote")
    if isinstance(cost, str) and cost == "measured":
        return measure_derivative_cost(loss, dense=dense), "measured on this machine"
    if isinstance(cost, bool) or not isinstance(cost, int | float | np.number) or not 0 <= cost < math.inf:
        raise ValueError(f"derivative_cost must be a number >= 0 or 'measured', not {cost!r}")
    return float(cost), "given"


def measure_derivative_cost(loss: str | Loss, *, dense: bool = False) -> float:
    """One loss derivative in visited nonzeros on this machine, as the compiled solvers do both.

    A visit is a nonzero's share of a dot product and an addition; the derivative is what the primal's slope takes
    longer than the dot product. All data lie in the cache, so memory-bound problems see a smaller cost.

    Parameters
    ----------
    loss : str or loss instance
    dense : bool, default False
        Visit the entries of a dense matrix, which are cheaper, instead of a sparse one's.

    Raises
    ------
    ValueError
        For softmax, which rcd does not take.
    """
    loss, rng, (lines, length) = losses.make(loss), np.random.default_rng(0), PROBE
    if losses.is_vector(loss):
        raise ValueError(f"the derivative of {loss.name} cannot be measured: rcd does not take it; pass a number")
    X = rng.standard_normal(PROBE)
    if not dense:
        places = np.concatenate([rng.choice(32 * length, length, replace=False) for _ in range(lines)])
        X = sp.csr_matrix((X.ravel(), places, length * np.arange(lines + 1)), shape=(lines, 32 * length))
    z, y, v = rng.standard_normal(X.shape[1]), rng.choice([-1.0, 1.0], X.shape[1]), np.zeros(X.shape[1])
    view, order = matrices.rows(matrices.validated(X)), np.arange(lines, dtype=np.uint64)
    dots = _fastest(lambda: _dots(view, order, z, L2(1.0)))
    adds = _fastest(lambda: _adds(view, order, v))
    slopes = _fastest(lambda: _slopes(view, order, z, y, loss))
    return max(0.0, (slopes - dots) / (dots + adds))


def _fastest(run: Callable[[], object]) -> float:
    run()  # compiles
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return min(times)
