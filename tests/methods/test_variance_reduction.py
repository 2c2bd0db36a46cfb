"""sag, saga, svrg and lsvrg against their boxes in plain numpy, O(d) a step; and where they are simpler methods."""

from itertools import islice

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from forms import forms
from problems import SMOOTH, problem

import cdlab
from cdlab.methods import LSVRG, Points
from cdlab.methods.sag import SAG
from cdlab.methods.saga import SAGA
from cdlab.methods.svrg import SVRG
from cdlab.problems.proximal import ProximalProblem
from cdlab.samplings import Distributed, Importance, Independent, Norms, Permutation, TauNice, Uniform


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


def drawn(P, sampling):
    """p_i, and L = max_i v_i/(gamma n p_i) with the ESO parameters v_i."""
    p = sampling.probabilities(P.coordinates("dual"))
    v = P.row_profile.norms2 if sampling.serial else cdlab.eso(P, sampling, "dual")
    return p, (v / (P.loss.gamma * P.n * p)).max()


def blocks_of(order):
    starts = order.starts.astype(int) if hasattr(order, "starts") else np.arange(order.size + 1)
    indices = getattr(order, "indices", order).astype(int)
    return [indices[a:b] for a, b in zip(starts, starts[1:], strict=False)]


def naive_saga_of_blocks(P, blocks, p, L):
    X, _, slope, prox = parts(P)
    eta, n, w = 1 / (3 * L), P.n, np.zeros(P.d)
    tab = np.array([slope(i, w) for i in range(n)])
    for S in blocks:
        new = np.array([slope(i, w) for i in S])
        w = prox(w - eta * (X[S].T @ ((new - tab[S]) / (n * p[S])) + X.T @ tab / n), eta)
        tab[S] = new
    return w


def naive_lsvrg(P, blocks, heads, p, L):
    X, _, slope, prox = parts(P)
    eta, n, w, s = 1 / (3 * L), P.n, np.zeros(P.d), np.zeros(P.d)
    for S, head in zip(blocks, heads, strict=True):
        full = X.T @ np.array([slope(i, s) for i in range(n)]) / n
        difference = sum(((slope(i, w) - slope(i, s)) / (n * p[i]) * X[i] for i in S), np.zeros(P.d))
        w, s = prox(w - eta * (difference + full), eta), w if head else s
    return w, s


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


@pytest.mark.full
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


@pytest.mark.full
@pytest.mark.parametrize("sampling", ["importance", "norms"])
def test_svrg_weighs_examples_by_their_chance(sampling):
    P = problem(l1=0.01)
    p = SVRG().probabilities(P, sampling)
    order = np.random.default_rng(2).integers(P.n, size=200)
    lazy = after(P, SVRG(), order, sampling=sampling)
    np.testing.assert_allclose(lazy, naive_svrg(P, order, np.zeros(P.d), p=p), atol=1e-11)


MANY = [Importance(), Norms(), Permutation(), TauNice(4), Independent(0.2), Distributed(3, 2)]


@pytest.mark.full
@pytest.mark.parametrize(("loss", "l1", "sparse"), [("logistic", 0.02, True), ("squared", 0.0, False)])
@pytest.mark.parametrize("sampling", MANY, ids=lambda each: each.name)
def test_saga_and_lsvrg_by_any_sampling(sampling, loss, l1, sparse):
    P = problem(loss, l1=l1, sparse=sparse, d=12, density=0.3)
    p, L = drawn(P, sampling)
    for method in (SAGA(), LSVRG(rho=0.1)):
        orders, S = method.orders(P, sampling, np.random.default_rng(5)), method.init(P, sampling)
        blocks, heads = [], []
        for order in islice(orders, 4):
            S = method.epoch(method.view(P), S, order)
            blocks += blocks_of(order)
            heads += list(getattr(order, "heads", []))
        w = method.points(P, S).w
        if method.name == "saga":
            np.testing.assert_allclose(w, naive_saga_of_blocks(P, blocks, p, L), rtol=0, atol=1e-11)
        else:
            found, s = naive_lsvrg(P, blocks, heads, p, L)
            assert any(heads)
            np.testing.assert_allclose(w, found, rtol=0, atol=1e-11)
            np.testing.assert_allclose(S.tab, -P.alpha(s), rtol=0, atol=1e-11)


def test_batches_are_tau_nice_blocks():
    P = problem()
    for many, of_blocks in ((SAGA(batch_size=4), SAGA()), (LSVRG(batch_size=4), LSVRG())):
        a, b = cdlab.solve(P, many, max_passes=5), cdlab.solve(P, of_blocks, sampling=TauNice(4), max_passes=5)
        np.testing.assert_array_equal(a.w, b.w)


def test_lsvrg_that_always_renews_takes_the_full_gradient_of_the_point_before():
    """rho = 1: s is the point before w, and the blocks of all examples make each step one of the full gradient at w."""
    P = problem(l1=0.01)
    s = cdlab.solve(P, LSVRG(rho=1.0, step=0.2), sampling=TauNice(P.n), max_passes=60, tol=0)
    np.testing.assert_allclose(s.w, proximal_gradient(P, 0.2, s.trace.records[-1].iteration), atol=1e-12)


def test_lsvrg_counts_its_coins():
    P, method = problem(), LSVRG(rho=0.2)
    S, order = method.init(P, "uniform"), next(method.orders(P, Uniform(), np.random.default_rng(0)))
    count = method.count(P, method.epoch(method.view(P), S, order), order)
    steps = P.row_profile.counts[order.indices.astype(int)].sum()
    assert count == (P.n, steps + order.heads.sum() * P.nnz + P.nnz / 2, P.n, steps)
    tossed = [next(method.orders(P, Uniform(), np.random.default_rng(seed))).heads for seed in range(400)]
    assert np.mean(tossed) == pytest.approx(0.2, abs=4 * np.sqrt(0.16 / (400 * P.n)))


def test_lsvrg_renews_as_often_as_its_rarest_example_is_drawn():
    P = problem()
    for sampling in (Uniform(), Importance(), TauNice(3)):
        assert LSVRG().chance(P, sampling) == sampling.probabilities(P.coordinates("dual")).min()


@pytest.mark.full
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
