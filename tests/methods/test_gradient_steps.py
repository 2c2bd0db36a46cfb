"""gd, fista and agd against their boxes in plain numpy, and what their parameters do."""

import numpy as np
import pytest
from cases import each_of
from problems import problem
from watched import states

import cdlab
from cdlab.methods.agd import AGD
from cdlab.methods.fista import FISTA
from cdlab.methods.gd import GD
from cdlab.methods.lbfgs import LBFGS


def soft(x, t):
    return np.sign(x) * np.maximum(np.abs(x) - t, 0)


def slope(P, w):
    """Gradient of the mean logistic loss."""
    m = P.y * (P.X @ w)
    return -P.X.T @ (P.y / (1 + np.exp(m))) / P.n


def L_f(P):
    return np.linalg.norm(P.X, 2) ** 2 / (4 * P.n)


@each_of("l2, l1", [(0.1, 0.0), (0.1, 0.02), (0.0, 0.02)])
def test_gd_is_its_box(l2, l1):
    P = problem(l2=l2, l1=l1)
    w, t = np.zeros(P.d), 1 / L_f(P)
    for S in states(P, GD(step=t), 20):
        w = soft(w - t * slope(P, w), t * l1) / (1 + t * l2)
        np.testing.assert_allclose(S.w, w, atol=1e-14)


@each_of("l2, l1", [(0.1, 0.0), (0.1, 0.02), (0.0, 0.02), (0.0, 0.0)])
def test_fista_is_its_box(l2, l1):
    P = problem(l2=l2, l1=l1)
    L = L_f(P) + l2
    w, y, t = np.zeros(P.d), np.zeros(P.d), 1.0
    for S in states(P, FISTA(step=1 / L), 30):
        before, w = w, soft(y - (slope(P, y) + l2 * y) / L, l1 / L)
        t_next = (1 + np.sqrt(1 + 4 * t**2)) / 2
        beta = (np.sqrt(L) - np.sqrt(l2)) / (np.sqrt(L) + np.sqrt(l2)) if l2 else (t - 1) / t_next
        y, t = w + beta * (w - before), t_next
        np.testing.assert_allclose(S.w, w, atol=1e-13)
        np.testing.assert_allclose(S.z, P.X @ w, atol=1e-13)


@each_of("l2, l1", [(0.1, 0.0), (0.1, 0.02), (0.0, 0.02)])
def test_agd_is_its_box(l2, l1):
    P, method = problem(l2=l2, l1=l1), AGD(L0=0.05)
    w = s = np.zeros(P.d)
    A, L = 0.0, 0.05
    for S in states(P, method, 12):
        v = soft(-s, A * l1) / (1 + A * l2)
        while True:
            a = max(np.roots([1, -2 * (1 + l2 * A) / L, -2 * (1 + l2 * A) / L * A]).real)
            y = (A * w + a * v) / (A + a)
            T = soft(y - slope(P, y) / L, l1 / L) / (1 + l2 / L)
            step = L * (y - T) + slope(P, T) - slope(P, y)
            if step @ (y - T) >= step @ step / L:
                break
            L *= 2
        s, A, w, L = s + a * slope(P, T), A + a, T, L / 2
        np.testing.assert_allclose(S.w, w, atol=1e-12)
        assert S.A == pytest.approx(A, rel=1e-10)


def test_agd_starts_anew_before_its_sum_overflows():
    """A grows geometrically: without the restart it would be infinite after about 700 iterations."""
    P = cdlab.Problem(np.eye(2), [1.0, -1.0], loss="squared", l2=10.0)
    s = cdlab.solve(P, AGD(), tol=0, max_passes=4000)
    assert np.isfinite(s.w).all()
    assert s.relative_gap <= 1e-13
    largest = max(S.A for S in states(P, AGD(), 500))
    assert 1e90 < largest <= 1e100


def test_agd_with_too_large_a_first_smoothness_is_safe_and_slow_at_first():
    """The promised growth of A needs L0 <= L_f; the bound ||w_0 - w*||^2/(2 A) does not."""
    P = problem("squared")
    w = np.linalg.solve(P.X.T @ P.X / P.n + P.l2 * np.eye(P.d), P.X.T @ P.y / P.n)
    L, up = np.linalg.norm(P.X, 2) ** 2 / P.n, AGD().up
    k = np.arange(1, 31)
    promised = 2 / (up * L) * (1 + np.sqrt(P.l2 / (2 * up * L))) ** (2 * (k - 1))
    small, large = ([(S.A, P.primal(S.w)) for S in states(P, AGD(L0=L0), 30)] for L0 in (L, 1e4 * L))
    for A, primal in (np.transpose(small), np.transpose(large)):
        assert (primal - P.primal(w) <= w @ w / (2 * A) + 1e-15).all()
    assert (np.transpose(small)[0] >= promised).all()
    assert (np.transpose(large)[0] < promised)[:5].all()
    assert P.primal(w) <= large[-1][1] <= P.primal(w) + 1e-5


def test_agd_first_smoothness_is_a_lower_bound():
    """So that the growth of A that the theorem promises holds from the first iteration."""
    for seed in range(20):
        P = problem("squared", seed=seed)
        assert AGD().init(P, "uniform").L <= np.linalg.norm(P.X, 2) ** 2 / P.n * (1 + 1e-12)


def test_a_step_without_theory_shows_in_the_label_and_may_diverge():
    s = cdlab.solve(problem("squared"), GD(step=1e3), max_passes=1000)
    assert s.trace.meta["method"] == "gd(step=1000.0)"
    assert s.status == "diverged"
    assert cdlab.solve(problem("squared"), FISTA(step=1e3), max_passes=1000).status == "diverged"


@each_of(
    "make, sentence",
    [
        (lambda: GD(step=0.0), "gd's step must be a number > 0"),
        (lambda: GD(step="1/L"), "gd's step must be a number > 0"),
        (lambda: FISTA(step=-1.0), "fista's step must be a number > 0"),
        (lambda: AGD(L0=np.inf), "agd's L0 must be a number > 0"),
        (lambda: AGD(up=1.0), "agd's up must be a number > 1"),
        (lambda: AGD(down=0.5), "agd's down must be a number >= 1"),
        (lambda: LBFGS(memory=0), "lbfgs's memory must be a whole number >= 1"),
        (lambda: LBFGS(memory=2.5), "lbfgs's memory must be a whole number >= 1"),
    ],
)
def test_parameters_are_checked(make, sentence):
    with pytest.raises(ValueError, match=sentence):
        make()
