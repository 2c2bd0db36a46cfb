"""Dual extrapolation of primal methods' certificates: exact where sweeps are linear, never wrong, never worse."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from problems import SMOOTH, optimum, problem

import cdlab
from cdlab import testing
from cdlab.methods import GD, RCD, SDCA, Anderson, ExtrapolatedDual

ROW, COLUMN = np.indices((5, 4))
X, y = (((3 * COLUMN + 5 * ROW) % 7) - 3) / 2, np.array([1.0, -1, 1, 1, -1])  # 5x4


def test_cyclic_sweeps_on_5x4_are_certified_exactly_after_five():
    """D* - D of the best dual point after k = 1, ..., 5 sweeps: from 2 on that of the extrapolation."""
    P = cdlab.Problem(X, y, loss="squared", l2=0.2)
    best = P.dual(np.linalg.solve(np.eye(5) + X @ X.T / (P.l2 * P.n), y))
    plain, extrapolated = (
        [best - r.dual for r, _ in zip(cdlab.iterate(P, "rcd", sampling="cyclic", **how), range(6), strict=False)]
        for how in ({}, {"dual": "extrapolated"})
    )
    golden = [0.0776375048, 0.002742350502, 0.0002200244217, 4.990459843e-05, 1.090392351e-05]
    golden[0] = min(golden[0], best - P.dual(np.zeros(5)))  # D(0) is better than alpha(w) then
    np.testing.assert_allclose(plain[1:], golden, rtol=1e-9, atol=1e-15)
    # of 2 sweeps the extrapolation, 0.005167389186, is behind alpha(w_2), and the better of the two is kept
    np.testing.assert_allclose(extrapolated[1:5], [*golden[:2], 0.000161959504, 8.021830609e-07], rtol=1e-9)
    assert abs(extrapolated[5]) <= 1e-12


@pytest.mark.parametrize("loss", SMOOTH)
def test_it_certifies_truly_for_every_loss_and_never_less_than_before(loss):
    for l2, l1, sampling in ((0.1, 0.0, "cyclic"), (0.01, 0.05, "permutation"), (0.0, 0.05, "uniform")):
        P = problem(loss, l2=l2, l1=l1)
        records = cdlab.solve(
            P, "rcd", sampling=sampling, dual="extrapolated", tol=1e-9, max_passes=300, every=1
        ).trace.records
        least = optimum(loss, l2, l1)
        duals = [r.dual for r in records]
        assert max(duals) <= least + 1e-8
        assert all(before <= after for before, after in pairwise(duals))
        plain = cdlab.solve(P, "rcd", sampling=sampling, tol=0, max_passes=records[-1].passes, every=1).trace.records
        moves = [[(r.primal, r.passes) for r in each[:-1]] for each in (plain, records)]  # the last is computed afresh
        assert moves[0] == moves[1]
        assert all(r.dual >= p.dual - r.rounding for r, p in zip(records, plain, strict=False))


def test_the_solution_has_the_dual_point_that_certifies_it():
    P = problem("logistic", l2=0.01, l1=0.02)
    s = cdlab.solve(P, "rcd", sampling="cyclic", dual="extrapolated", tol=1e-7)
    assert P.gap(s.w, s.alpha) == pytest.approx(s.gap, rel=1e-3)
    assert s.trace.meta["method"] == "rcd(dual='extrapolated')"


def test_sooner_certified_where_w_is_there_long_before_alpha():
    """Correlated features and a small l2: half the passes."""
    rng = np.random.default_rng(0)
    shared = rng.standard_normal((60, 3))
    P = cdlab.Problem(shared @ rng.standard_normal((3, 40)) + 0.3 * rng.standard_normal((60, 40)),
                      rng.standard_normal(60), loss="squared", l2=1e-3, l1=0.05)  # fmt: skip
    plain, better = (
        cdlab.solve(P, "rcd", sampling="cyclic", tol=1e-6, max_passes=10_000, every=1, **how).trace.records[-1].passes
        for how in ({}, {"dual": "extrapolated"})
    )
    assert better < 0.7 * plain


def test_a_wrapper_keeps_what_a_method_promises():
    assert testing.check_method(ExtrapolatedDual(GD())) is None
    P = cdlab.Problem(sp.csr_matrix(X), np.sign(y), l2=0.1, intercept=True)
    s = cdlab.solve(P, "rcd", dual="extrapolated", tol=1e-9)
    assert s.status == "tolerance reached"


@each_of(
    "method, why",
    [(SDCA(), "a primal method"), (Anderson(RCD()), "one wrapper at a time")],
)
def test_what_it_does_not_go_around(method, why):
    with pytest.raises(ValueError, match=why):
        ExtrapolatedDual(method)


def test_a_dual_point_is_needed():
    with pytest.raises(ValueError, match="without l2 and l1 none is known"):
        cdlab.solve(problem("squared", l2=0.0), "rcd", dual="extrapolated")
    with pytest.raises(ValueError, match="dual must be"):
        cdlab.solve(problem("squared"), "rcd", dual="best")
