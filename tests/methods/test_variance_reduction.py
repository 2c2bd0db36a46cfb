"""sag, saga and svrg against their boxes in plain numpy, O(d) a step; and where they are simpler methods."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from forms import forms
from problems import SMOOTH, problem

import cdlab
from cdlab.methods import Points
from cdlab.methods.sag import SAG
from cdlab.methods.saga import SAGA
from cdlab.methods.svrg import SVRG
from cdlab.problems.proximal import ProximalProblem


def parts(P):
    """X dense, row norms' smoothness L, phi'(z_i; y_i) and prox of g."""
    X = P.X.toarray() if sp.issparse(P.X) else P.X

    def prox(x, eta):
        return np.sign(x) * np.maximum(np.abs(x) - eta * P.l1, 0) / (1 + eta * P.l2)

    return X, (X**2).sum(1).max() / P.loss.gamma, lambda i, w: P.loss.grad_phi(X[i] @ w, P.y[i]), prox


def shift(P):
    return P.weight * P.center if isinstance(P, ProximalProblem) else 0.0


def naive_sag(P, order, w):
    X, L, slope, _ = parts(P)
    eta, n, tab = 1 / (16 * (L + P.l2)), P.n, np.zeros(P.n)
    for i in order:
        tab[i] = slope(i, w)
        w = w - eta * (X.T @ tab / n - shift(P) + P.l2 * w)
    return w


def naive_saga(P, order, w):
    X, L, slope, prox = parts(P)
    eta, n = 1 / (3 * L), P.n
    tab = np.array([slope(i, w) for i in range(n)])
    for i in order:
        new = slope(i, w)
        w = prox(w - eta * ((new - tab[i]) * X[i] + X.T @ tab / n - shift(P)), eta)
        tab[i] = new
    return w


def naive_svrg(P, order, w, p=None, m=None, average=False):
    X, _, slope, prox = parts(P)
    n = P.n
    p, m = np.full(n, 1 / n) if p is None else p, m or 2 * n
    eta = 0.1 / ((X**2).sum(1) / (P.loss.gamma * n * p)).max()
    for k, i in enumerate(order):
        if k % m == 0:
            if average and k > 0:
                w = total / m  # noqa: F821
            snapshot, total = w, 0
            u = X.T @ np.array([slope(i, w) for i in range(n)]) / n - shift(P)
        w = prox(w - eta * ((slope(i, w) - slope(i, snapshot)) / (n * p[i]) * X[i] + u), eta)
        total = total + w
    return total / (k % m + 1) if average else w


def after(P, method, order, start=None, sampling="uniform"):
    S = method.init(P, sampling, start=start)
    for part in np.split(np.asarray(order, np.uint64), [7, 40]):  # epochs may end anywhere
        S = method.epoch(method.view(P), S, part)
    return method.points(P, S).w


@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(SMOOTH, 0.05))
def test_lazy_steps_are_the_boxs_steps(loss, l1, sparse):
    P = problem(loss, l1=l1, sparse=sparse, d=12, density=0.2)
    order = np.random.default_rng(0).integers(P.n, size=300)
    zero = np.zeros(P.d)
    if l1 == 0:
        np.testing.assert_allclose(after(P, SAG(), order), naive_sag(P, order, zero), atol=1e-11)
    np.testing.assert_allclose(after(P, SAGA(), order), naive_saga(P, order, zero), atol=1e-11)
    np.testing.assert_allclose(after(P, SVRG(), order), naive_svrg(P, order, zero), atol=1e-11)
    average = after(P, SVRG(snapshot="average", m=17), order)
    np.testing.assert_allclose(average, naive_svrg(P, order, zero, m=17, average=True), atol=1e-11)


@pytest.mark.parametrize(("l2", "l1"), [(0.1, 0.0), (1e-9, 0.0), (0.0, 0.05), (1e-9, 0.05), (0.5, 0.05)])
def test_long_rests_of_rare_features(l2, l1):
    """Feature 1 is seen twice in 5,000 steps, so it makes up for thousands at once, past a level of the step table."""
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [0.5, 3.0]])
    P = cdlab.Problem(X, [1.0, -1.0, -1.0], loss="squared", l2=l2, l1=l1)
    order = np.random.default_rng(1).integers(2, size=5000)
    order[[100, 4000]] = 2
    w = np.array([0.3, 4.0])  # feature 1 crosses zero while it rests
    start = Points(w, P.alpha(w))
    np.testing.assert_allclose(after(P, SAGA(), order, start), naive_saga(P, order, w), atol=1e-11)
    np.testing.assert_allclose(after(P, SVRG(m=5000), order, start), naive_svrg(P, order, w, m=5000), atol=1e-11)
    if l1 == 0:
        np.testing.assert_allclose(after(P, SAG(), order), naive_sag(P, order, np.zeros(2)), atol=1e-11)


@pytest.mark.parametrize("sampling", ["importance", "norms"])
def test_svrg_weighs_examples_by_their_chance(sampling):
    P = problem(l1=0.01)
    p = SVRG().probabilities(P, sampling)
    order = np.random.default_rng(2).integers(P.n, size=200)
    lazy = after(P, SVRG(), order, sampling=sampling)
    np.testing.assert_allclose(lazy, naive_svrg(P, order, np.zeros(P.d), p=p), atol=1e-11)


def test_around_a_center():
    """The inner problem of a proximal-point method moves the gradient by -weight center, also where X has no entry."""
    X = np.c_[problem().X, np.zeros(30)]
    Q = ProximalProblem(cdlab.Problem(X, problem().y, l2=0.1), 0.7, np.linspace(-1, 1, 9))
    order, zero = np.random.default_rng(3).integers(30, size=100), np.zeros(9)
    np.testing.assert_allclose(after(Q, SAG(), order), naive_sag(Q, order, zero), atol=1e-11)
    np.testing.assert_allclose(after(Q, SAGA(), order), naive_saga(Q, order, zero), atol=1e-11)
    np.testing.assert_allclose(after(Q, SVRG(), order), naive_svrg(Q, order, zero), atol=1e-11)


# ---------------------------------------------------------------- special cases
def proximal_gradient(P, eta, steps):
    w = np.zeros(P.d)
    for _ in range(steps):
        w = P.reg.prox_g(w + eta * P.v(P.alpha(w)), eta)
    return w


@pytest.mark.parametrize("l1", [0.0, 0.05])
def test_svrg_with_stages_of_one_step_is_proximal_gradient_descent(l1):
    P = problem(l1=l1)
    order = np.random.default_rng(4).integers(P.n, size=50)
    np.testing.assert_allclose(after(P, SVRG(m=1, step=0.2), order), proximal_gradient(P, 0.2, 50), atol=1e-13)


@pytest.mark.parametrize("l1", [0.0, 0.05])
def test_with_one_example_saga_is_proximal_gradient_descent_and_sag_gradient_descent(l1):
    P = cdlab.Problem(np.array([[1.0, -2.0, 0.5]]), [1.0], l2=0.1, l1=l1)
    order = np.zeros(50, int)
    np.testing.assert_allclose(after(P, SAGA(step=0.2), order), proximal_gradient(P, 0.2, 50), atol=1e-13)
    if l1 == 0:
        w = np.zeros(3)
        for _ in range(50):
            w = w - 0.2 * P.gradient(w)
        np.testing.assert_allclose(after(P, SAG(step=0.2), order), w, atol=1e-13)


def test_importance_sampling_of_equal_norms_is_uniform():
    X = np.where(np.random.default_rng(0).standard_normal((20, 6)) > 0, 1.0, -1.0)
    P = cdlab.Problem(X, np.r_[np.ones(10), -np.ones(10)], l2=0.1)
    order = np.random.default_rng(1).integers(20, size=60)
    a, b = (after(P, SVRG(), order, sampling=sampling) for sampling in ("uniform", "importance"))
    np.testing.assert_allclose(a, b, atol=1e-15)


@pytest.mark.parametrize("method", [SAG(), SAGA()], ids=lambda m: m.name)
def test_the_better_dual_point_is_reported(method):
    P = problem()
    S = method.init(P, "uniform")
    for order in np.random.default_rng(0).integers(P.n, size=(30, P.n), dtype=np.uint64):
        S = method.epoch(method.view(P), S, order)
        at = method.points(P, S)
        assert P.dual(at.alpha) == pytest.approx(max(P.dual(-S.tab), P.dual(P.alpha(at.w))), abs=1e-15)
        if at.v is not None:
            np.testing.assert_allclose(at.v, P.v(at.alpha), atol=1e-15)


@each_of("m", [7, 30, 100])
def test_ideal_passes_are_those_of_the_steps_without_the_snapshots(m):
    P = problem("logistic", l2=0.1, sparse=True)
    frame = cdlab.solve(P, SVRG(m=m), sampling="permutation", tol=0, max_passes=40, every=1).trace.to_frame()
    np.testing.assert_allclose(frame["ideal_passes"], frame["iteration"] / P.n)  # of a permutation each is one
    snapshots = np.ceil(frame["iteration"] / m)
    np.testing.assert_allclose(frame["passes"], frame["ideal_passes"] + snapshots)
