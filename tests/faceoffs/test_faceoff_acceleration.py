"""The accelerated totals of both sides: the least over all samplings, between nnz and the plain totals."""

import numpy as np
import pytest
from faceoff_matrices import uneven_problem
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize

import cdlab


def accelerated_total(P, side, p):
    """max_k sqrt(L_k)/p_k / sqrt(l2) iterations, of sum p_k c_k visits each."""
    L = P.coordinates(side).smoothness / P.n
    counts = (P.row_profile if side == "dual" else P.column_profile).counts
    return (np.sqrt(L) / p).max() / np.sqrt(P.l2) * (p @ counts)


@pytest.mark.parametrize("side", ["primal", "dual"])
def test_accelerated_totals_are_the_least_over_all_samplings(side):
    P = uneven_problem(7, 5)
    f = cdlab.faceoff(P)
    total = f.T_P_acc if side == "primal" else f.T_D_acc
    root = np.sqrt(P.coordinates(side).smoothness)
    assert total == pytest.approx(accelerated_total(P, side, root / root.sum()), rel=1e-12)
    rng = np.random.default_rng(0)
    for _ in range(200):
        assert total <= accelerated_total(P, side, rng.dirichlet(np.full(root.size, 3.0))) * (1 + 1e-12)

    def value(t):
        p = np.exp(t - t.max())
        return np.log(accelerated_total(P, side, p / p.sum()))

    found = minimize(value, 0.1 * rng.standard_normal(root.size), method="Nelder-Mead", options={"maxiter": 4000}).fun
    assert np.exp(found) >= total * (1 - 1e-9)


@given(st.integers(0, 50), st.floats(1e-4, 10))
def test_acceleration_lies_between_nnz_and_the_plain_total(seed, l2):
    f = cdlab.faceoff(uneven_problem(seed=seed, l2=l2))
    for plain, accelerated in ((f.T_P, f.T_P_acc), (f.T_D, f.T_D_acc)):
        assert f.nnz <= accelerated * (1 + 1e-12)
        assert accelerated <= plain * (1 + 1e-12)
    assert f.ratio_acc == f.T_P_acc / f.T_D_acc
    assert f.to_dict()["ratio_acc"] == f.ratio_acc


def test_acceleration_needs_what_the_others_need():
    for settings in ({"loss": "hinge"}, {"l2": 0.0}):
        f = cdlab.faceoff(uneven_problem(**settings))
        assert (f.T_P_acc, f.T_D_acc, f.ratio_acc) == (None, None, None)
    f = cdlab.faceoff(uneven_problem(l1=0.1))
    assert f.T_P_acc is None
    assert f.T_D_acc > 0
