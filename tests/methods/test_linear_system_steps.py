"""The steps of kaczmarz, acc_kaczmarz and acc_cd: what is drawn, what a step does, the momentum's dense form."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from systems import after, system

import cdlab
from cdlab.methods import SDCA, Points
from cdlab.methods.acc_cd import AccCD
from cdlab.methods.acc_kaczmarz import AccKaczmarz
from cdlab.methods.kaczmarz import Kaczmarz


# ---------------------------------------------------------------- kaczmarz
def test_uniform_stands_for_squared_norms():
    P, _ = system()
    X = P.X.copy()
    X[4] = 0
    P = cdlab.Problem(X, X @ np.ones(8), loss="squared", l2=0.0)
    orders = Kaczmarz().orders(P, cdlab.samplings.Uniform(), np.random.default_rng(0))
    drawn = np.bincount(np.concatenate([next(orders) for _ in range(4000)]).astype(int), minlength=30) / 120_000
    p = (X**2).sum(1) / np.sum(X**2)
    assert drawn[4] == 0
    np.testing.assert_allclose(drawn, p, atol=5 * np.sqrt(p.max() / 120_000))
    a, b = (cdlab.solve(P, Kaczmarz(), sampling=s, tol=0, max_passes=5) for s in ("uniform", "importance"))
    np.testing.assert_array_equal(a.w, b.w)


@each_of("sampling", ["norms", "permutation", "cyclic", np.linspace(1, 2, 30)])
def test_kaczmarz_runs_with_every_serial_sampling(sampling):
    P, w = system()
    s = cdlab.solve(P, Kaczmarz(), sampling=sampling, tol=1e-10, max_passes=20_000)
    np.testing.assert_allclose(s.w, w, atol=1e-7)


def test_a_step_solves_its_equation_by_the_shortest_way():
    P, _ = system()
    S = after(P, Kaczmarz(), [3, 7, 1])
    w = S.w.copy()
    moved = after(P, Kaczmarz(), [3, 7, 1, 5]).w
    assert P.X[5] @ moved == pytest.approx(P.y[5])
    assert np.linalg.matrix_rank(np.vstack([moved - w, P.X[5]])) == 1


def test_kaczmarz_is_sdca_as_l2_vanishes():
    """sdca's exact step for the squared loss is w += (y_i - x_i'w - alpha_i) x_i/(||x_i||^2 + l2 n), alpha = O(l2)."""
    P, _ = system()
    order = np.random.default_rng(0).integers(30, size=60)
    w = after(P, Kaczmarz(), order).w
    distances = []
    for l2 in (1e-6, 1e-8):
        Q = cdlab.Problem(P.X, P.y, loss="squared", l2=l2)
        distances.append(np.abs(SDCA().points(Q, after(Q, SDCA(), order)).w - w).max())
    assert distances[1] < 1e-5
    assert distances[0] / distances[1] == pytest.approx(100, rel=0.05)  # proportional to l2


# ---------------------------------------------------------------- momentum against the dense form
def dense_kaczmarz(P, order, mu):
    X = P.X.toarray() if sp.issparse(P.X) else P.X
    norms = np.linalg.norm(X, axis=1)
    A, b = X / norms[:, None], P.y / norms
    n, r = P.n, np.sqrt(mu)
    x = v = np.zeros(P.d)
    for i in order:
        y = r / (n + r) * v + n / (n + r) * x
        e = A[i] @ y - b[i]
        x, v = y - e * A[i], (1 - r / n) * v + r / n * y - e / r * A[i]
    return x, v


def dense_cd(P, order, mu):
    X = P.X.toarray() if sp.issparse(P.X) else P.X
    norms = np.linalg.norm(X, axis=0)
    C, d, r = X / norms, P.d, np.sqrt(mu)
    x = v = np.zeros(d)
    for j in order:
        y = r / (d + r) * v + d / (d + r) * x
        g = C[:, j] @ (C @ y - P.y)
        e = np.eye(d)[j]
        x, v = y - g * e, (1 - r / d) * v + r / d * y - g / r * e
    return x, v


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
@pytest.mark.parametrize(("length", "mu"), [(400, 0.3), (20_000, 0.3), (3000, 4.0), (400, 1e-4)])
@pytest.mark.parametrize(("method", "dense"), [(AccKaczmarz, dense_kaczmarz), (AccCD, dense_cd)])
def test_the_change_of_variables_is_the_dense_form(method, dense, length, mu, sparse):
    """On the same order, also past many folds of s (20,000 steps with rho = 0.86 or 0.96 fold at least 3 times)."""
    P, _ = system(noise=0.3 if method is AccCD else 0.0, sparse=sparse)
    method = method(mu=mu)
    order = np.random.default_rng(0).integers(P.n if method.side == "dual" else P.d, size=length)
    S = after(P, method, order)
    q, p = S.qp.T
    x, v = dense(P, order, mu)
    np.testing.assert_allclose(S.s * p + q, x, atol=1e-11)
    np.testing.assert_allclose(q - S.s * p, v, atol=1e-11)
    points = method.points(P, S)
    np.testing.assert_allclose(points.z, P.predict(points.w), atol=1e-11)


def test_folding_happens_and_leaves_the_points():
    P, _ = system(noise=0.3)
    for method in (AccKaczmarz(), AccCD()):
        order = np.random.default_rng(0).integers(8, size=30_000)
        S = after(P, method, order)
        lines = P.n if method.side == "dual" else P.d
        steps = np.log(1e-100) / np.log((lines - S.r) / (lines + S.r))
        assert len(order) > 2 * steps  # it has folded
        assert 1e-101 < S.s <= 1


def test_acc_cd_refreshes_what_it_keeps():
    P, _ = system(noise=1.0, sparse=True)
    method = AccCD()
    S = after(P, method, np.random.default_rng(0).integers(8, size=100))
    before, w = S.Cqp.copy(), method.points(P, S).w
    S.Cqp[:] += 1e-6
    method.refresh(P, S)
    np.testing.assert_allclose(S.Cqp, before, rtol=1e-10, atol=1e-10)
    np.testing.assert_array_equal(method.points(P, S).w, w)


@pytest.mark.parametrize("method", [AccKaczmarz(), AccCD()], ids=lambda m: m.name)
def test_it_starts_where_it_is_told(method):
    P, w = system()
    S = after(P, method, np.arange(8), start=Points(w, None))
    np.testing.assert_allclose(method.points(P, S).w, w, atol=1e-12)


@pytest.mark.parametrize("method", [Kaczmarz(), AccKaczmarz(), AccCD()], ids=lambda m: m.name)
def test_acceleration_pays_where_mu_is_small(method):
    """Nearly parallel rows (or columns): plain kaczmarz takes n/mu steps, the accelerated ones n/sqrt(mu)."""
    rng = np.random.default_rng(0)
    X = 0.05 * rng.standard_normal((12, 4)) + rng.standard_normal((1, 4))
    P = cdlab.Problem(X, X @ np.ones(4), loss="squared", l2=0.0)
    passes = cdlab.solve(P, method, tol=0, stop=lambda r: r.primal < 1e-14, max_passes=50_000).trace.records[-1].passes
    assert (passes > 3000) if method.name == "kaczmarz" else (passes < 1500)


@pytest.mark.parametrize("method", [AccKaczmarz, AccCD])
def test_mu(method, monkeypatch):
    with pytest.raises(ValueError, match="mu must be a number > 0 or None"):
        method(mu=0.0)
    assert method(mu=0.5).label == f"{method.name}(mu=0.5)"
    P, _ = system()
    X = P.X / np.linalg.norm(P.X, axis=1 if method is AccKaczmarz else 0, keepdims=True)
    computed = method().init(P, "uniform")
    assert computed.r == pytest.approx(np.linalg.svd(X, compute_uv=False).min())
    monkeypatch.setattr("cdlab.methods.shared.linear_system.MAX_GRAM_SIZE", 5)
    with pytest.raises(ValueError, match=r"computes mu only for X with at most 5 rows or columns.*pass a lower bound"):
        cdlab.solve(P, method())
    assert cdlab.solve(P, method(mu=0.01), max_passes=1).status == "pass limit"
