"""rcd, sdca and quartz on blocks: all of a block moves from one point, by steps that the sampling's ESO allows."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from forms import forms
from multiclass import classes
from problems import problem

import cdlab
from cdlab import samplings
from cdlab.methods import SDCA, Points, Quartz
from cdlab.methods.rcd import RCD
from cdlab.samplings import Batches, Bucket, Distributed, Independent, TauNice

SCHEMES = [TauNice(3), TauNice(8), Independent(0.4), Bucket([[0, 2, 4, 6], [1, 3, 5, 7]]), Distributed(2, 3)]
every_scheme = pytest.mark.parametrize("scheme", SCHEMES, ids=lambda s: s.label)


def drawn(P, side, scheme, epochs=40, seed=0):
    batches = scheme.batches(P.coordinates(side), np.random.default_rng(seed))
    return [next(batches) for _ in range(epochs)]


def after(P, method, scheme, orders):
    S = method.init(P, scheme)
    for order in orders:
        S = method.epoch(method.view(P), S, order)
    return method.points(P, S)


def blocks(orders):
    for order in orders:
        for b in range(order.size):
            yield order.indices[order.starts[b] : order.starts[b + 1]].astype(int)


def softmax_problem(sparse):
    X, y = classes(n=24)
    return cdlab.Problem(sp.csr_matrix(X) if sparse else X, y, loss="softmax", l2=0.05)


def dense(P):
    return P.X.toarray() if sp.issparse(P.X) else P.X


# ---------------------------------------------------------------- the boxes, in numpy
@every_scheme
@pytest.mark.parametrize("l1", [0.0, 0.02])
@pytest.mark.parametrize("sparse", [False, True])
def test_rcd_is_its_box(scheme, sparse, l1):
    P = problem("logistic", l1=l1, sparse=sparse)
    orders, X, w = drawn(P, "primal", scheme), dense(P), np.zeros(P.d)
    L = (P.beta * cdlab.eso(X, scheme, side="primal") + P.l2 * P.n) / P.n
    for S in blocks(orders):
        to = (w - P.gradient(w) / L)[S]
        w[S] = np.sign(to) * np.maximum(np.abs(to) - l1 / L[S], 0)
    points = after(P, RCD(), scheme, orders)
    np.testing.assert_allclose(points.w, w, atol=1e-12)
    np.testing.assert_allclose(points.z, X @ w, atol=1e-12)


@pytest.mark.parametrize(
    "method", [Quartz(), Quartz(step="local"), Quartz(step="long"), Quartz(averaged_primal=True)], ids=lambda m: m.label
)
@pytest.mark.parametrize("scheme", [TauNice(3), Independent(0.2), Distributed(5, 2)], ids=lambda s: s.label)
@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(["squared", "squared_hinge", "huber"], 0.02))
def test_quartz_is_its_box(method, scheme, loss, l1, sparse):
    P = problem(loss, l1=l1, sparse=sparse)
    orders, X, l2n = drawn(P, "dual", scheme), dense(P), P.l2 * P.n
    q = scheme.probabilities(P.coordinates("dual"))
    beta = P.beta / 2 if method.step == "long" else P.beta
    local = l2n / (beta * cdlab.eso(X, scheme, side="dual") + l2n)
    theta = (q * local).min()
    s, w, alpha = local if method.step == "local" else theta / q, np.zeros(P.d), np.zeros(P.n)
    for S in blocks(orders):
        w = (1 - theta) * w + theta * P.w(alpha) if method.averaged_primal else P.w(alpha)
        alpha[S] += s[S] * (P.alpha(w)[S] - alpha[S])
    points = after(P, method, scheme, orders)
    np.testing.assert_allclose(points.alpha, alpha, atol=1e-11)
    np.testing.assert_allclose(points.w, w if method.averaged_primal else P.w(alpha), atol=1e-11)
    np.testing.assert_allclose(points.v, P.v(alpha), atol=1e-12)


def argmax(P, u, a0, q, i):
    """The a that maximises -phi*(-a) - (a - a0) u - (q/2)(a - a0)^2, from the dual's interval by halving it."""
    low, high = (max(-1e3, P.loss.domain(P.loss_y[i])[0]), min(1e3, P.loss.domain(P.loss_y[i])[1]))
    model = lambda a: -P.loss.phi_conj(a, P.loss_y[i]) - (a - a0) * u - q / 2 * (a - a0) ** 2  # noqa: E731
    return scipy.optimize.minimize_scalar(lambda a: -model(a), bounds=(low, high), options={"xatol": 1e-12}).x


@pytest.mark.parametrize("step", ["fixed", "long"])
@pytest.mark.parametrize("loss", ["logistic", "squared"])
def test_quartz_one_by_one_is_dual_free_sdca(loss, step):
    """v = phi_i'(x_i'w) + alpha_i; alpha_i -= eta l2 n v; w -= eta v x_i: of gradients alone, with a w of its own."""
    P = problem(loss)
    X, n, alpha, w = dense(P), P.n, np.zeros(P.n), np.zeros(P.d)
    eta = 1 / ((P.beta if step == "fixed" else P.beta / 2) * P.R**2 + P.l2 * n)
    order = np.random.default_rng(0).integers(n, size=300, dtype=np.uint64)
    for i in order.astype(int):
        v = -P.alpha(w)[i] + alpha[i]
        alpha[i] -= eta * P.l2 * n * v
        w -= eta * v * X[i]
    points = after(P, Quartz(step=step), "uniform", [order])
    np.testing.assert_allclose(points.w, w, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(points.alpha, alpha, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("scheme", [TauNice(3), Distributed(5, 2)], ids=lambda s: s.label)
@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(["hinge", "absolute", "logistic"], 0.02))
def test_sdca_is_its_box(scheme, loss, l1, sparse):
    P = problem(loss, l1=l1, sparse=sparse)
    orders, X, alpha = drawn(P, "dual", scheme, epochs=2), dense(P), np.zeros(P.n)
    q = cdlab.eso(X, scheme, side="dual") / (P.l2 * P.n)
    for S in blocks(orders):
        u = X[S] @ P.w(alpha)
        alpha[S] = [argmax(P, *at) for at in zip(u, alpha[S], q[S], S, strict=True)]
    points = after(P, SDCA(), scheme, orders)
    np.testing.assert_allclose(points.alpha, alpha, atol=2e-7)
    np.testing.assert_allclose(points.v, P.v(points.alpha), atol=1e-14)


@pytest.mark.full
@pytest.mark.parametrize("sparse", [False, True])
def test_sdca_in_blocks_has_the_steps_of_softmax(sparse):
    """Of a block all rows of alpha move from the same w, each to the softmax's own maximiser: its optimality holds."""
    P, scheme = softmax_problem(sparse), TauNice(3)
    (order,) = drawn(P, "dual", scheme, epochs=1)
    X, alpha, q = dense(P), P.zeros(P.n), cdlab.eso(P, scheme) / (P.l2 * P.n)
    out = np.empty(P.outputs)
    for S in blocks([order]):
        u = X[S] @ P.w(alpha)
        for i, z in zip(S, u, strict=True):
            P.loss.dualprox_into(z, -alpha[i], q[i], P.loss_y[i], out)
            slope = np.empty(P.outputs)
            P.loss.grad_phi_into(z - q[i] * (out + alpha[i]), P.loss_y[i], slope)
            np.testing.assert_allclose(out, slope, atol=1e-9)
            alpha[i] = -out
    points = after(P, SDCA(), scheme, [order])
    np.testing.assert_allclose(points.alpha, alpha, atol=1e-12)
    np.testing.assert_allclose(points.w, P.w(alpha), atol=1e-12)


def test_safe_batches_of_the_hinge_rise_where_steps_of_one_example_fall():
    """Six equal rows, all at once: with ||x_i||^2 for v_i the dual falls, with the ESO's it never does."""
    P = cdlab.Problem(np.ones((6, 1)), np.ones(6), loss="hinge", l2=0.05)
    block = Batches(np.arange(6, dtype=np.uint64), np.array([0, 6], np.uint64))
    safe = SDCA().init(P, TauNice(6))
    naive = safe._replace(q=SDCA().init(P, "uniform").q, alpha=safe.alpha.copy(), v=safe.v.copy())
    for _ in range(30):
        before = P.dual(safe.alpha)
        safe, naive = (SDCA().epoch(P.by_rows, S, block) for S in (safe, naive))
        assert P.dual(safe.alpha) >= before - 1e-15
    assert P.gap(P.w(safe.alpha), safe.alpha) <= 1e-12
    assert max(P.dual(naive.alpha), P.dual(SDCA().epoch(P.by_rows, naive, block).alpha)) < 0.9 * P.dual(safe.alpha)


@pytest.mark.parametrize("loss", ["hinge", "absolute", "logistic", "softmax"])
def test_sdca_solves_in_blocks_of_every_scheme(loss):
    P = softmax_problem(False) if loss == "softmax" else problem(loss)
    for scheme in SCHEMES[:3]:
        alone, found = (cdlab.solve(P, SDCA(), sampling=s, tol=1e-7, max_passes=5000) for s in ("uniform", scheme))
        assert found.gap <= 2e-6 * P.at_zero
        assert P.primal(found.w) == pytest.approx(P.primal(alone.w), abs=alone.gap + found.gap)


def test_an_intercept_takes_no_blocks():
    P = cdlab.Problem(*cdlab.datasets.make(n=30, d=3, seed=0), l2=0.1, intercept=True)
    with pytest.raises(ValueError, match="sdca takes an intercept one example at a time"):
        cdlab.solve(P, SDCA(batch_size=2))


def test_the_lazy_average_of_blocks_survives_folding():
    """theta = 1 - 5e-7 takes r below the fold every 16 blocks."""
    P = cdlab.Problem(np.array([[1.0], [1.0]]), [1.0, -1.0], loss="squared", l2=1e6)
    order = Batches(np.tile([0, 1], 200).astype(np.uint64), np.arange(0, 401, 2).astype(np.uint64))
    points = after(P, Quartz(averaged_primal=True), TauNice(2), [order])
    np.testing.assert_allclose(points.w, P.w(points.alpha), atol=1e-15)


# ---------------------------------------------------------------- special cases
@pytest.mark.parametrize(
    "method", [RCD(), SDCA(), Quartz(), Quartz(step="local"), Quartz(averaged_primal=True)], ids=lambda m: m.label
)
@pytest.mark.parametrize(("loss", "sparse"), [("squared", False), ("huber", True)])
def test_blocks_of_one_are_the_serial_method(method, loss, sparse):
    """tau_nice(1) == uniform: equal probabilities, equal steps and, on the same order, equal iterates."""
    P = problem(loss, l1=0.02 if "l1" in method.takes else 0.0, sparse=sparse)
    c = P.coordinates(method.side)
    order = np.random.default_rng(0).integers(c.m, size=300, dtype=np.uint64)
    np.testing.assert_array_equal(TauNice(1).probabilities(c), samplings.resolve("uniform").probabilities(c))
    serial, one = method.init(P, "uniform"), method.init(P, TauNice(1))
    np.testing.assert_allclose(one[2], serial[2], rtol=1e-14)
    a = after(P, method, "uniform", [order])
    b = after(P, method, TauNice(1), [Batches(order, np.arange(301, dtype=np.uint64))])
    np.testing.assert_allclose(a.w, b.w, atol=1e-14)
    np.testing.assert_allclose(a.alpha, b.alpha, atol=1e-14)


def test_rcd_with_all_coordinates_is_diagonally_scaled_gradient_descent():
    """tau_nice(d): w <- w - grad P(w)/u', u'_j = (beta/n) sum_i ||x_i||_0 X_ij^2 + l2."""
    P = problem("squared")
    scale = P.beta / P.n * ((P.X != 0).sum(1) @ P.X**2) + P.l2
    w = np.zeros(P.d)
    for _ in range(20):
        w = w - P.gradient(w) / scale
    points = after(P, RCD(), TauNice(P.d), drawn(P, "primal", TauNice(P.d), epochs=20))
    np.testing.assert_allclose(points.w, w, atol=1e-14)


def test_batch_size_is_tau_nice():
    for method in (RCD, SDCA, Quartz):
        a = cdlab.solve(problem(), method(batch_size=4), tol=0, max_passes=20, seed=1)
        b = cdlab.solve(problem(), method(), sampling=TauNice(4), tol=0, max_passes=20, seed=1)
        np.testing.assert_array_equal(a.w, b.w)
        assert a.trace.label == f"{method.name}(batch_size=4), tau_nice(tau=4)"
        both = cdlab.solve(problem(), method(batch_size=4), sampling=TauNice(4), tol=0, max_passes=20, seed=1)
        np.testing.assert_array_equal(a.w, both.w)
        for other in ("norms", TauNice(3)):
            with pytest.raises(ValueError, match="cannot follow (norms|tau_nice) sampling"):
                cdlab.solve(problem(), method(batch_size=4), sampling=other)
        with pytest.raises(ValueError, match="take batch_size <= "):
            cdlab.solve(problem(), method(batch_size=31))


# ---------------------------------------------------------------- serial steps are too long for blocks
@pytest.mark.parametrize("tau", [3, 6])
def test_serial_steps_on_blocks_diverge_and_ours_do_not(tau):
    """Six equal dense columns: a block of tau moves tau times as far as one of them should."""
    rng = np.random.default_rng(0)
    P = cdlab.Problem(np.outer(rng.standard_normal(20), np.ones(6)), rng.standard_normal(20), loss="squared", l2=1e-3)
    right, wrong = RCD().init(P, TauNice(tau)), RCD().init(P, TauNice(tau))._replace(L=RCD().init(P, "uniform").L)
    start = P.primal(np.zeros(6))
    for order in drawn(P, "primal", TauNice(tau), epochs=60):
        right, wrong = (RCD().epoch(P.by_columns, S, order) for S in (right, wrong))
    assert P.primal(right.w) < start
    assert P.primal(wrong.w) > 1e6 * start


def test_and_break_the_one_step_inequality_of_the_dual():
    """Equal examples, tau = 3 of 6: E D(alpha+) - D(alpha) >= theta (P - D) holds with the ESO, not with ||x_i||^2."""
    from itertools import combinations

    P, method, alpha = cdlab.Problem(np.ones((6, 1)), np.ones(6), loss="squared", l2=0.01), Quartz(), np.full(6, 0.1)
    gains = {}
    for name, norms2 in (("ours", cdlab.eso(P, TauNice(3))), ("serial", cdlab.eso(P, "uniform"))):
        theta = 0.5 * (P.l2 * P.n / (P.beta * norms2 + P.l2 * P.n)).min()
        after_ = []
        for block in combinations(range(6), 3):
            S = method.init(P, TauNice(3), Points(None, alpha))._replace(s=np.full(6, theta / 0.5))
            method.epoch(P.by_rows, S, Batches(np.array(block, np.uint64), np.array([0, 3], np.uint64)))
            after_.append(P.dual(S.alpha))
        gains[name] = np.mean(after_) - P.dual(alpha) - theta * P.gap(P.w(alpha), alpha)
    assert gains["ours"] >= -1e-14
    assert gains["serial"] < -0.1


# ---------------------------------------------------------------- state and passes
@pytest.mark.full
@pytest.mark.parametrize("method", [RCD(), SDCA(), Quartz(), Quartz(averaged_primal=True)], ids=lambda m: m.label)
def test_passes_are_the_nonzeros_of_the_drawn_coordinates(method):
    P = problem(sparse=True)
    counts = np.diff((P.X if method.side == "dual" else P.X.tocsc()).indptr)
    order = Batches(np.array([3, 0, 3, 7, 1], np.uint64), np.array([0, 2, 2, 5], np.uint64))
    S = method.epoch(method.view(P), method.init(P, TauNice(3)), order)
    assert method.count(P, S, order)[:2] == (3, 2 * counts[3] + counts[0] + counts[7] + counts[1])
    serial = np.array([3, 0, 3], np.uint64)
    assert method.count(P, S, serial)[:2] == (3, 2 * counts[3] + counts[0])


@pytest.mark.parametrize("method", [RCD(), SDCA(), Quartz(), Quartz(averaged_primal=True)], ids=lambda m: m.label)
def test_refresh_restores_the_products_and_keeps_the_point(method):
    P = problem(l1=0.02 if "l1" in method.takes else 0.0)
    S = method.init(P, TauNice(3))
    for order in drawn(P, method.side, TauNice(3), epochs=5):
        S = method.epoch(method.view(P), S, order)
    kept = S.z if method.side == "primal" else S.v
    kept += 1e-9
    w = method.points(P, S).w
    method.refresh(P, S)
    np.testing.assert_allclose(kept, P.predict(S.w) if method.side == "primal" else P.v(S.alpha), atol=1e-15)
    if method.side == "primal" or getattr(method, "averaged_primal", False):
        np.testing.assert_allclose(method.points(P, S).w, w, atol=1e-15)


def test_long_runs_do_not_drift():
    P = problem()
    for method in (RCD(), SDCA(), Quartz(step="local"), Quartz(averaged_primal=True)):
        S = method.init(P, TauNice(3))
        for order in drawn(P, method.side, TauNice(3), epochs=3000):
            S = method.epoch(method.view(P), S, order)
        points = method.points(P, S)
        assert P.gap(points.w, points.alpha) <= 1e-14
