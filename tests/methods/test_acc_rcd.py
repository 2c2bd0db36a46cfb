"""acc_rcd: its form of O(nonzeros) a step is the box, it survives folding and drift, and it is what it says it is."""

import numpy as np
import pytest
from cases import each_of
from forms import forms
from problems import problem

import cdlab
from cdlab import samplings
from cdlab.methods import Points
from cdlab.methods.acc_rcd import AccRCD
from cdlab.samplings import Lipschitz

SKEWED = np.array([0.3, 0.05, 0.1, 0.2, 0.1, 0.05, 0.15, 0.05])


def after(P, order, sampling="uniform", start=None):
    method = AccRCD()
    return method.epoch(method.view(P), method.init(P, sampling, start), np.asarray(order, np.uint64))


def naive(P, order, p, start=None):
    """The box as it stands, in O(nnz) a step."""
    L = (P.beta * P.column_profile.norms2 + P.l2 * P.n) / P.n
    M = (np.sqrt(L) / p).max()
    tau = 2 / (1 + np.sqrt(1 + 4 * M**2 / P.l2))
    eta = 1 / (tau * M**2)
    y = z = np.zeros(P.d) if start is None else start.w
    for j in order:
        x, e = tau * z + (1 - tau) * y, np.eye(P.d)[j]
        g = P.gradient(x)[j]
        y = x - g / L[j] * e
        z = (z + eta * P.l2 * x - eta / p[j] * g * e) / (1 + eta * P.l2)
    return y, z


def both(S):
    m, q = S.mq[:, 0], S.r * S.mq[:, 1]
    return m + (1 - S.a) * q, m - S.a * q


@each_of("sampling", ["uniform", Lipschitz(0.5), SKEWED], ids=["uniform", "sqrt(L)", "given"])
@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(["logistic", "squared", "squared_hinge"], 0.0))
def test_it_is_its_box(loss, l1, sparse, sampling):
    P, start = problem(loss, l1=l1, sparse=sparse), Points(np.full(8, 0.5), None)
    order = np.random.default_rng(0).integers(8, size=1000)
    S = after(P, order, sampling, start)
    y, z = naive(P, order, samplings.resolve(sampling).probabilities(P.coordinates("primal")), start)
    np.testing.assert_allclose(both(S)[0], y, atol=1e-11)
    np.testing.assert_allclose(both(S)[1], z, atol=1e-11)
    np.testing.assert_allclose(S.Xmq, P.X @ S.mq, rtol=1e-12, atol=1e-11)


def test_it_survives_folding():
    """Two features, a large l2: r falls by more than half at every step, and is folded every 250 or so."""
    X = np.array([[0.1, 0.0], [0.2, -0.1], [0.0, 0.3]])
    P = cdlab.Problem(X, [1.0, -1.0, 1.0], loss="logistic", l2=10.0)
    order = np.random.default_rng(1).integers(2, size=3000)
    S = after(P, order)
    assert ((1 - S.tau) / (1 + S.eta * P.l2)) ** order.size == 0 < S.r
    y, z = naive(P, order, np.full(2, 0.5))
    np.testing.assert_allclose(both(S), [y, z], atol=1e-15)


def test_the_step_sizes():
    """tau and eta solve tau^2/(1 - tau) = l2/M^2 and tau eta M^2 = 1."""
    P = problem()
    S = AccRCD().init(P, Lipschitz(0.5))
    L = (P.beta * P.column_profile.norms2 + P.l2 * P.n) / P.n
    M = np.sqrt(L).sum()  # p_j = sqrt(L_j)/sum sqrt(L)
    assert S.tau**2 / (1 - S.tau) == pytest.approx(P.l2 / M**2, rel=1e-12)
    assert S.tau * S.eta * M**2 == pytest.approx(1, rel=1e-12)


def test_square_roots_of_L_are_the_best_probabilities():
    """sum sqrt(L) = min over p of max_j sqrt(L_j)/p_j."""
    P, rng = problem(), np.random.default_rng(0)
    best = AccRCD().init(P, Lipschitz(0.5)).tau
    for p in (np.ones(8), SKEWED, *rng.random((50, 8)) + 0.01):
        assert AccRCD().init(P, p).tau <= best * (1 + 1e-12)


@pytest.mark.full
def test_it_is_accelerated():
    """Passes to a fixed accuracy grow like 1/sqrt(l2), rcd's like 1/l2."""
    ratios = []
    for method in ("rcd", AccRCD()):
        passes = [
            cdlab.solve(problem("squared_hinge", l2=l2), method, tol=1e-6, max_passes=50_000, every=1)
            .trace.records[-1]
            .passes
            for l2 in (1e-2, 1e-4)
        ]
        ratios.append(passes[1] / passes[0])
    assert ratios[0] > 40
    assert ratios[1] < 20


def test_passes_are_the_nonzeros_of_the_drawn_features():
    P, method = problem(sparse=True), AccRCD()
    order = np.array([3, 0, 3], np.uint64)
    counts = np.diff(P.X.tocsc().indptr)
    assert method.count(P, after(P, order), order)[:2] == (3, 2 * counts[3] + counts[0])


def test_refresh_restores_the_products():
    P, method = problem(), AccRCD()
    S = after(P, np.arange(200) % 8)
    S.Xmq[:] += 1e-3
    method.refresh(P, S)
    np.testing.assert_allclose(S.Xmq, P.X @ S.mq, rtol=1e-15)
    points = method.points(P, S)
    np.testing.assert_allclose(points.z, P.predict(points.w), atol=1e-14)


def test_a_long_run_does_not_drift():
    P, method = problem(), AccRCD()
    S = after(P, np.random.default_rng(0).integers(8, size=100_000))
    points = method.points(P, S)
    np.testing.assert_allclose(points.z, P.predict(points.w), atol=1e-13)
    assert P.gap(points.w, points.alpha) <= 1e-14
