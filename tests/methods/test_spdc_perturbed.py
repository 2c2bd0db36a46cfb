"""SPDC without smoothness or l2: its perturbation is what it says, and falls as theory lets it."""

import numpy as np
import pytest
from cases import each_of
from problems import NON_SMOOTH, optimum, problem
from spdc_box import after, blocks

import cdlab
from cdlab.methods.spdc import SPDC
from cdlab.samplings import TauNice

pytestmark = pytest.mark.full  # long runs


# ---------------------------------------------------------------- the perturbation
def smoothed(loss, delta):
    return {"hinge": cdlab.losses.SmoothHinge, "absolute": cdlab.losses.Huber}[loss](delta)


@each_of("m", [1, 4])
@each_of("loss, l2, l1", [("hinge", 0.1, 0.0), ("absolute", 0.0, 0.05), ("logistic", 0.0, 0.0)])
def test_with_delta_it_is_spdc_on_the_perturbed_problem(loss, l2, l1, m):
    """hinge + delta is smooth_hinge(delta), absolute + delta is huber(delta), and l2 = 0 + delta is l2 = delta."""
    P, delta = problem(loss, l2=l2, l1=l1), 0.03
    Q = cdlab.Problem(P.X, P.y, smoothed(loss, delta) if loss in NON_SMOOTH else loss, l2=l2 or delta, l1=l1)
    order = blocks(P.n, m, 200)
    S, T = (after(R, SPDC(delta=delta), order, TauNice(m)) for R in (P, Q))
    np.testing.assert_allclose(S.rows, T.rows, atol=1e-13)
    np.testing.assert_allclose(S.y, T.y, atol=1e-13)


@pytest.mark.parametrize(("loss", "l2", "l1"), [("hinge", 0.1, 0.0), ("logistic", 0.0, 0.02), ("absolute", 0.0, 0.1)])
def test_a_fixed_delta_ends_within_eps(loss, l2, l1):
    P, delta = problem(loss, l2=l2, l1=l1), 0.01
    w = cdlab.solve(P, SPDC(delta=delta), tol=0, max_passes=4000, every=100).w
    eps = delta / 2 * (w @ w * (l2 == 0) + (loss in NON_SMOOTH))
    over = P.primal(w) - optimum(loss, l2, l1)
    assert -1e-8 <= over <= 1.1 * eps


@pytest.mark.parametrize(
    ("loss", "l2", "l1", "tol"),
    [
        ("logistic", 0.0, 0.02, 1e-4),
        ("squared", 0.0, 0.05, 1e-4),
        ("hinge", 0.0, 0.1, 1e-2),
        ("absolute", 0.0, 0.1, 1e-2),
        ("hinge", 1e-3, 0.02, 1e-3),
    ],
)
@pytest.mark.parametrize("size", [None, 4])
def test_a_falling_delta_suits_any_tolerance(loss, l2, l1, tol, size):
    P = problem(loss, l2=l2, l1=l1)
    s = cdlab.solve(P, SPDC(batch_size=size), tol=tol, max_passes=20_000, every=5)
    assert s.status == "tolerance reached"
    assert -1e-8 <= P.primal(s.w) - optimum(loss, l2, l1) <= s.gap + 1e-8


def test_without_any_regulariser_the_gradient_vanishes():
    P = problem("squared", l2=0.0)
    s = cdlab.solve(P, SPDC(), tol=1e-4, max_passes=20_000, every=10)
    assert s.status == "gradient small"
    best = np.linalg.lstsq(P.X, P.y, rcond=None)[0]
    assert P.primal(s.w) - P.primal(best) <= 1e-6


def test_delta_falls_as_fast_as_theory_lets_the_distance_fall():
    P = problem("hinge", l2=1e-3)
    run = cdlab.iterate(P, SPDC(), seed=0)
    start, since, bound = run._state.delta, run._state.delta, 1.0
    for _ in range(200):
        rate = run._state.rate
        next(run)
        bound *= rate ** (P.n / 2 if run.trace.records[-1].iteration else 0)
        S = run._state
        assert S.fall * S.delta == pytest.approx(start * bound, rel=1e-9)
        assert S.fall > 0.5
        assert S.delta <= since
        since = S.delta
        assert S.rate == pytest.approx(1 - 1 / (P.n + P.R * np.sqrt(P.n / (P.l2 * S.delta))), rel=1e-12)
    assert S.delta < start / 3


def test_the_two_deltas_come_to_cost_the_same():
    P = problem("hinge", l2=0.0, l1=0.05)
    run = cdlab.iterate(P, SPDC(), seed=0)
    while next(run).passes < 3000:
        pass
    S, w = run._state, run.w
    assert S.delta / (S.reg.l2 * (w @ w)) == pytest.approx(1, rel=0.1)
