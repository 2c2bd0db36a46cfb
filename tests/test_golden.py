"""Golden numbers: one small matrix, worked through from the constants to two sweeps of each method.

They come from an independent slow implementation of Csiba & Richtarik 2016 in plain numpy, whose X is the transpose of
ours: X[i, j] = (((3 j + 5 i) mod 7) - 3)/2 for examples i < 5 and features j < 4.
"""

import numpy as np
import pytest
from cases import each_of
from scipy.optimize import minimize

import cdlab
from cdlab import methods
from cdlab.faceoffs import binary_matrices
from cdlab.samplings import Bucket, Distributed, Independent, TauNice

N, D = 5, 4
X = np.array([[((3 * j + 5 * i) % 7 - 3) / 2 for j in range(D)] for i in range(N)])
Y = np.array([1.0, -1.0, 1.0, 1.0, -1.0])
LOSSES = {
    "squared": ("squared", 0.067940900162268),
    "logistic": ("logistic", 0.332209823882530),
    "squared_hinge": ("squared_hinge", 0.066408268733850),
    "smooth_hinge": (cdlab.losses.SmoothHinge(gamma=0.5), 0.074812030075188),
}


def problem(loss="logistic"):
    return cdlab.Problem(X, Y, loss=loss, l2=1 / N)


def two_sweeps(method, **parameters):
    """The points after two cyclic sweeps from 0; cyclic marginals are uniform."""
    P, method = problem(), methods.resolve(method, **parameters)
    m = N if method.side == "dual" else D
    S = method.init(P, np.full(m, 1 / m))
    for _ in range(2):
        S = method.epoch(method.view(P), S, np.arange(m, dtype=np.uint64))
    return P, method.points(P, S)


# ---------------------------------------------------------------- the matrix
def test_the_matrix():
    f, P = cdlab.faceoff(X), problem()
    assert (f.nnz, f.F, f.C_P, f.C_D) == (17, 20.75, 89, 71.25)
    np.testing.assert_allclose(P.column_profile.norms2, [6.5, 3.75, 6, 4.5], rtol=1e-15)
    np.testing.assert_allclose(P.row_profile.norms2, [4.75, 4.5, 3.5, 3.5, 4.5], rtol=1e-15)


@pytest.mark.parametrize(
    ("loss", "importance", "uniform"),
    [("squared", (106, 88.25), (127.5, 97.75)), ("logistic", (39.25, 34.8125), (44.625, 37.1875))],
)
def test_total_work(loss, importance, uniform):
    f, beta = cdlab.faceoff(problem(loss)), 0.25 if loss == "logistic" else 1
    np.testing.assert_allclose([f.T_P, f.T_D], importance, rtol=1e-13)
    np.testing.assert_allclose([f.uniform.T_P, f.uniform.T_D], uniform, rtol=1e-13)
    np.testing.assert_allclose([f.K_P, f.K_D], [D + beta * 20.75, N + beta * 20.75], rtol=1e-13)
    assert f.ratio_table == pytest.approx(106 / 88.25, rel=1e-14)


# ---------------------------------------------------------------- the optimum
@pytest.mark.parametrize("name", LOSSES)
def test_the_optimum_by_scipy(name):
    loss, optimum = LOSSES[name]
    P = problem(loss)
    phi = {
        "squared": lambda m: (m - 1) ** 2 / 2,  # y is +-1, so (x'w - y)^2 = (m - 1)^2
        "logistic": lambda m: np.logaddexp(0, -m),
        "squared_hinge": lambda m: np.maximum(0, 1 - m) ** 2 / 2,
        "smooth_hinge": lambda m: np.where(m <= 0.5, 1 - m - 0.25, np.maximum(0, 1 - m) ** 2),
    }[name]

    def objective(w):
        return phi(Y * (X @ w)).mean() + w @ w / (2 * N)

    best = min(
        (minimize(objective, start, tol=1e-14, method=m).fun, m) for start in np.eye(D) for m in ("BFGS", "Powell")
    )
    assert best[0] == pytest.approx(optimum, abs=1e-12)
    assert P.primal(np.zeros(D)) == pytest.approx(objective(np.zeros(D)), rel=1e-15)


@each_of("method", ["sdca", "quartz", "rcd"])
@each_of("name", LOSSES)
def test_the_optimum_by_each_method(name, method):
    loss, optimum = LOSSES[name]
    P = problem(loss)
    s = cdlab.solve(P, method, tol=1e-13, max_passes=5000, seed=0)
    assert P.primal(s.w) == pytest.approx(optimum, abs=1e-13)
    assert P.dual(s.alpha) == pytest.approx(optimum, abs=1e-13)


# ---------------------------------------------------------------- two sweeps, logistic
def test_two_sweeps_of_rcd():
    P, points = two_sweeps("rcd")
    np.testing.assert_allclose(
        points.w, [-0.907311773956, 0.620274455944, -0.162807999724, 0.306440323234], rtol=0, atol=6e-13
    )
    assert P.primal(points.w) == pytest.approx(0.332642227510975, abs=1e-14)


@each_of(
    "method, parameters, dual",
    [
        ("sdca", {}, 0.331992407387555),
        ("quartz", {"step": "fixed"}, 0.328090260010721),
        ("quartz", {"step": "local"}, 0.328376631977671),
        ("quartz", {"step": "fixed", "averaged_primal": True}, 0.264136778681789),
    ],
)
def test_two_sweeps_of_the_dual_methods(method, parameters, dual):
    P, points = two_sweeps(method, **parameters)
    assert P.dual(points.alpha) == pytest.approx(dual, abs=1e-14)
    np.testing.assert_allclose(points.v, P.v(points.alpha), atol=1e-15)
    if "averaged_primal" in parameters:
        assert P.primal(points.w) == pytest.approx(0.364520312086635, abs=1e-14)
    else:
        np.testing.assert_allclose(points.w, P.w(points.alpha), atol=1e-15)


# ---------------------------------------------------------------- blocks
@each_of(
    "sampling, u",
    [
        (TauNice(2), (11.916667, 6.666667, 10.416667, 8.583333)),
        (Independent(0.5), (14.625, 8.125, 12.625, 10.625)),
        (Bucket([[0, 1], [2, 3]]), (12.1875, 6.875, 10.8125, 8.6875)),
        (Distributed(c=2, tau=1), (12.1875, 6.875, 10.8125, 8.6875)),
    ],
)
def test_eso(sampling, u):
    np.testing.assert_allclose(cdlab.eso(X, sampling, side="primal"), u, rtol=0, atol=5e-7)
    np.testing.assert_allclose(cdlab.eso(X.T, sampling, side="dual"), u, rtol=0, atol=5e-7)


# ---------------------------------------------------------------- binary data
def test_extreme_sums_of_squares():
    assert [binary_matrices.L(9, 5), binary_matrices.L(9, 4), binary_matrices.L(17, 5)] == [17, 21, 59]
    assert [binary_matrices.U(9, 5, 4), binary_matrices.U(9, 4, 5), binary_matrices.U(17, 5, 4)] == [23, 31, 65]


@each_of(
    "alpha, d, n, bounds",
    [
        (9, 4, 5, (0.9130434783, 1.8235294118)),
        (5000, 100, 1000, (0.6209020465, 192.7648)),
        (500, 100, 100, (0.0623130608, 16.048)),
    ],
)
def test_theorem_4(alpha, d, n, bounds):
    assert binary_matrices.theorem4(alpha, d, n) == pytest.approx(bounds, rel=0, abs=5.1e-11)


def test_thresholds():
    assert [binary_matrices.alpha_threshold(n) for n in range(3, 9)] == [8, 15, 24, 35, 48, 63]
    assert [binary_matrices.d_threshold(n) for n in range(3, 9)] == [4, 6, 9, 12, 16, 20]
