"""A rate that is twice too good is seen where the theorem's own inequality nearly holds with equality.

A run is mostly far better than its bound, so a bound that promises too much can pass for true. One step of SAGA on a
quadratic is an affine map for each example drawn, so the largest E[T+]/T over all states is an eigenvalue, and exact.
"""

import numpy as np
import pytest
import scipy.linalg

import cdlab
from cdlab import theory
from cdlab.methods import SAGA, Points
from cdlab.theory import symbols
from cdlab.theory.theorems.variance_reduction import contraction_of_memory

METHOD = SAGA()


def equal_rows(n, l2):
    """One feature, all of whose entries are 1: phi_i = (w - y_i)^2/2, L = 1."""
    return cdlab.Problem(np.ones((n, 1)), np.linspace(-1, 2, n), loss="squared", l2=l2)


def step(P, state, i):
    """(w, table) after one step of the method that draws i."""
    S = METHOD.init(P, "uniform", Points(state[:1].copy(), None))
    S.tab[:] = state[1:]
    METHOD.refresh(P, S)  # the table's mean
    S = METHOD.epoch(METHOD.view(P), S, np.array([i], np.uint64))
    return np.concatenate([METHOD.points(P, S).w, S.tab])


def largest_contraction(P, weight):
    """max E[T+]/T, T = (w - w*)^2 + weight mean_i (tab_i - phi_i'(w*))^2/2, over all states."""
    n = P.n
    origin = np.zeros(n + 1)
    maps = []
    for i in range(n):
        start = step(P, origin, i)
        maps.append(np.array([step(P, e, i) - start for e in np.eye(n + 1)]).T)
    potential = np.diag([1.0] + [weight / (2 * n)] * n)
    expected = sum(M.T @ potential @ M for M in maps) / n
    return scipy.linalg.eigh(expected, potential, eigvals_only=True)[-1]


@pytest.mark.parametrize(("n", "l2"), [(4, 3.0), (7, 2.0), (4, 0.2), (7, 0.05)])
def test_a_step_of_saga_contracts_as_its_theorem_says_and_where_the_table_decides_not_twice_as_fast(n, l2):
    P = equal_rows(n, l2)
    potential = contraction_of_memory(symbols.R**2)
    K, weight = (float(e.subs({symbols.n: n, symbols.l2: l2, symbols.R: 1.0})) for e in potential)
    assert theory.bound("saga", "K", theorem="l2 in g").for_problem(P, 1e-3) == pytest.approx(K)
    found = largest_contraction(P, weight)
    assert found <= 1 - 1 / K + 1e-9
    if K == 2 * n:
        assert found > 1 - 2 / K


def test_the_printed_rate_is_half_of_that():
    P = equal_rows(6, 2.0)
    printed, sharper = (theory.bound("saga", "K", theorem=t).for_problem(P, 1e-3) for t in ("smooth", "l2 in g"))
    assert printed == 2 * sharper == 24  # 4n and 2n
    P = equal_rows(6, 0.01)
    printed, sharper = (theory.bound("saga", "K", theorem=t).for_problem(P, 1e-3) for t in ("smooth", "l2 in g"))
    assert (printed, sharper) == pytest.approx((303, 151))  # 3 (L + l2)/l2 and 3 L/(2 l2) + 1
