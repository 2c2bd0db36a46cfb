"""Problems with the pinball and epsilon-insensitive losses: golden optima, what weights and offsets mean, referees."""

from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
from cases import each_of
from problems import minimise
from sklearn.linear_model import QuantileRegressor

import cdlab
from cdlab.losses import EpsilonInsensitive, Pinball, SquaredEpsilonInsensitive
from cdlab.proofs import prove

X = np.array([[1, -2, 0.5], [0, 1, -1], [2, 0.5, 1], [-1, 1.5, 0], [0.5, -0.5, 2]])
Y, S = np.array([1.5, -0.5, 3, 0.5, 2]), np.array([1, 2, 0.5, 1, 1.5])
FAMILY = [Pinball(0.9), Pinball(0.25), EpsilonInsensitive(0.25), SquaredEpsilonInsensitive(0.25)]


def solved(P, tol=1e-10, **options):
    s = cdlab.solve(P, tol=tol, max_passes=50_000, **options)
    assert s.status == "tolerance reached"
    return s


def value(s):
    return s.trace.records[-1].primal


@each_of(
    "loss, options, best, w, b, P0",
    [
        (Pinball(0.9), {"l2": 0.1}, Fraction(1459, 3600), [1, 1 / 3, 5 / 6], 0.0, 1.27),
        (Pinball(0.9), {"intercept": True}, 0.0655538408779, [7 / 9, 0.212962963, 0.3796296296], 0.9583333333, 0.17),
        (
            Pinball(0.25), {"intercept": True, "sample_weight": S}, Fraction(41159, 460800),
            [0.13125, -0.2895833333, 2 / 3], 0.45625, 0.3541666667,
        ),
        (Pinball(0.25), {"l2": 0.0, "l1": 0.05, "intercept": True}, Fraction(19, 120), [1, 0, 2 / 3], 1 / 6, 0.4),
        (
            EpsilonInsensitive(0.25), {"intercept": True}, Fraction(1597, 12960), [2 / 3, 0.1944444444, 0.6944444444],
            0.625, 0.8,
        ),
        (
            SquaredEpsilonInsensitive(0.25), {"intercept": True}, Fraction(8009, 148800),
            [0.5830645161, 0.05940860215, 0.7002688172], 0.6440860215, 0.5,
        ),
    ],
)  # fmt: skip
def test_golden_optima(loss, options, best, w, b, P0):
    """Optima whose KKT conditions were checked in rational arithmetic."""
    P = cdlab.Problem(X, Y, loss, **{"l2": 0.1, **options})
    assert P.at_zero == pytest.approx(P0, rel=1e-9)
    s = solved(P)
    assert value(s) == pytest.approx(float(best), rel=1e-9)
    assert s.w == pytest.approx(np.array(w), abs=1e-5)
    assert s.intercept == pytest.approx(b, abs=1e-5)


@each_of("loss", FAMILY)
def test_weights_count_rows_and_offsets_move_labels(loss):
    times, o = np.array([1, 3, 0, 2, 1]), np.array([0.2, -0.1, 0, 0.5, -0.3])
    weighed = solved(cdlab.Problem(X, Y, loss, 0.1, intercept=True, sample_weight=times))
    repeated = solved(cdlab.Problem(np.repeat(X, times, axis=0), np.repeat(Y, times), loss, 0.1, intercept=True))
    assert value(weighed) == pytest.approx(value(repeated), rel=1e-8)
    moved, less = (
        solved(cdlab.Problem(X, y, loss, 0.1, intercept=True, offset=offset)) for y, offset in ((Y, o), (Y - o, None))
    )
    assert value(moved) == pytest.approx(value(less), rel=1e-8)
    plain, shifted = (solved(cdlab.Problem(X, Y, loss, 0.1, intercept=True, offset=c)) for c in (None, np.full(5, 1.5)))
    assert shifted.intercept == pytest.approx(plain.intercept - 1.5, abs=1e-4)


@each_of("loss", FAMILY)
def test_a_constant_target_is_solved_at_once(loss):
    s = cdlab.solve(cdlab.Problem(X, np.full(5, 3.7), loss, 0.1, intercept=True))
    assert s.gap == s.relative_gap == s.trace.records[-1].passes == 0
    assert s.intercept == 3.7


@each_of("quantile", [1e-9, 1 - 1e-6])
@each_of("options", [{"l2": 0.1}, {"l2": 1e-3, "intercept": True}, {"l2": 0.0, "l1": 1e-3, "intercept": True}])
def test_quantiles_near_0_and_1(quantile, options):
    """Where w* is nearly 0, P(0) - P* is rounding, and so is what is left of the gap."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((60, 4))
    P = cdlab.Problem(A, A @ [1, -2, 0.5, 0] + rng.standard_normal(60) + 3, Pinball(quantile), **options)
    s = cdlab.solve(P)
    assert s.status in ("tolerance reached", "rounding limit")
    assert s.gap <= 1e-6 * P.at_zero
    if "intercept" in options:
        share = quantile * (1 - quantile)
        small = cdlab.solve(P.with_(l2=share * options["l2"], l1=share * options.get("l1", 0.0)))
        assert small.status == "tolerance reached"


def kinks_in_cvxpy(loss, r):
    """The sum of the losses of residuals, in cvxpy's words."""
    if isinstance(loss, Pinball):
        return loss.quantile * cp.pos(-r) + (1 - loss.quantile) * cp.pos(r)
    beyond = cp.pos(cp.abs(r) - loss.epsilon)
    return beyond if isinstance(loss, EpsilonInsensitive) else loss.c * cp.square(beyond)


def check_against_an_interior_point_method(seed):
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(8, 40)), int(rng.integers(2, 12))
    A, free = rng.standard_normal((n, d)), bool(seed % 2)
    y = 2 * A[:, 0] + rng.standard_normal(n) + 3
    loss = [Pinball(rng.uniform(0.05, 0.95)), EpsilonInsensitive(rng.uniform(0, 1)),
            SquaredEpsilonInsensitive(rng.uniform(0, 1), rng.uniform(0.2, 2))][seed % 3]  # fmt: skip
    l2, l1 = [(0.05, 0.0), (0.02, 0.03), (0.0, 0.05)][seed // 3 % 3]
    s = rng.integers(0, 3, n) if seed % 4 else np.ones(n)
    s[0] = 1
    w, b = cp.Variable(d), cp.Variable()
    sums = cp.sum(cp.multiply(s, kinks_in_cvxpy(loss, A @ w + (b if free else 0) - y))) / s.sum()
    minimise(sums + l2 / 2 * cp.sum_squares(w) + l1 * cp.norm1(w), 1e-10)
    P = cdlab.Problem(A, y, loss, l2, l1, intercept=free, sample_weight=s)
    found = solved(P, 1e-8)
    assert value(found) == pytest.approx(P.primal(np.append(w.value, b.value) if free else w.value), rel=1e-6, abs=1e-8)


@each_of("seed", range(9))
def test_random_problems_agree_with_an_interior_point_method(seed):
    check_against_an_interior_point_method(seed)


@pytest.mark.full
@each_of("seed", range(9, 160))
def test_many_random_problems_agree_with_an_interior_point_method(seed):
    check_against_an_interior_point_method(seed)


@each_of("quantile", [0.05, 0.5, 0.9])
@each_of("free", [True, False])
def test_quantiles_with_l1_agree_with_a_linear_program(quantile, free):
    rng = np.random.default_rng(3)
    A = rng.standard_normal((50, 6))
    y, s = A[:, 0] + rng.standard_normal(50) + 2, rng.integers(0, 3, 50)
    peer = QuantileRegressor(quantile=quantile, alpha=0.03, fit_intercept=free).fit(A, y, sample_weight=s)
    P = cdlab.Problem(A, y, Pinball(quantile), 0.0, 0.03, intercept=free, sample_weight=s)
    at = np.append(peer.coef_, peer.intercept_) if free else peer.coef_
    assert value(solved(P)) == pytest.approx(P.primal(at), rel=1e-8)


@each_of("loss, free", [(Pinball(0.8), True), (EpsilonInsensitive(0.3), True), (Pinball(0.8), False)])
def test_digits_of_the_optimum_are_those_of_a_tighter_run(loss, free):
    P = cdlab.Problem(X, Y, loss, 0.1, intercept=free)
    proved, exact = solved(P, 1e-8).proved(), solved(P, 1e-13)
    assert (proved.low <= exact.w).all()
    assert (exact.w <= proved.high).all()
    assert (proved.high - proved.low < 1e-2).all()


@each_of("seed", range(12, 42))
def test_digits_reckon_with_the_flat_part_between_two_parabolas(seed):
    """phi'' is 0 around y, also where it is not at the ends of an interval that holds y."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 6)), int(rng.integers(1, 3))
    A, y = rng.standard_normal((n, d)), rng.standard_normal(n)
    epsilon = 10 ** rng.uniform(-4, 0)
    loss = SquaredEpsilonInsensitive(epsilon) if seed % 2 else EpsilonInsensitive(epsilon, 10 ** rng.uniform(-2, 1))
    P = cdlab.Problem(A, y, loss, 10 ** rng.uniform(-6, -1))
    exact = cdlab.solve(P, tol=1e-13, max_passes=2000)
    off = np.sqrt(exact.gap / P.l2)
    for step in (1e-4, 1e-3, 1e-2, 1e-1):
        w = exact.w + step * rng.standard_normal(d)
        proved = prove(P, w, 0.0, P.alpha(w))
        assert (proved.low - off <= exact.w).all()
        assert (exact.w <= proved.high + off).all()
