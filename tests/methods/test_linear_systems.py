"""kaczmarz, acc_kaczmarz and acc_cd: linear systems and least squares, against numpy's lstsq and dense twins."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from problems import data
from systems import after, system

import cdlab
from cdlab.methods import acc_cd as acc_cd_module
from cdlab.methods import acc_kaczmarz as acc_kaczmarz_module
from cdlab.methods import kaczmarz as kaczmarz_module
from cdlab.methods.acc_cd import AccCD
from cdlab.methods.acc_kaczmarz import AccKaczmarz
from cdlab.methods.kaczmarz import Kaczmarz

METHODS = [Kaczmarz(), AccKaczmarz(), AccCD()]
every_method = pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
SHAPES = [(30, 8), (8, 8), (8, 30), (30, 1), (1, 8), (1, 1)]


def columns(trace):
    return np.array([(r.iteration, r.passes, r.primal) for r in trace.records])


# ---------------------------------------------------------------- conformance
@every_method
@pytest.mark.parametrize(
    ("shape", "sparse"),
    [*((shape, False) for shape in SHAPES), ((8, 30), True)]
    + [pytest.param(shape, True, marks=pytest.mark.full) for shape in SHAPES if shape != (8, 30)],
    ids=str,
)
def test_a_consistent_system_is_solved(method, shape, sparse):
    """Also with fewer rows than columns: from 0 the row methods reach the solution of least norm."""
    P, w = system(shape, sparse=sparse)
    s = cdlab.solve(P, method, tol=1e-11, max_passes=100_000, seed=1)
    assert s.status == "gradient small"
    assert P.primal(s.w) <= 1e-16 * P.primal(np.zeros(P.d))
    if method.side == "dual":
        np.testing.assert_allclose(s.w, w, atol=1e-8)


@each_of("sparse", [False, True], ids=["dense", "csr"])
@each_of("shape", [(30, 8), (12, 1), (40, 20)])
def test_least_squares_by_acc_cd(shape, sparse):
    P, w = system(shape, noise=1.0, sparse=sparse)
    s = cdlab.solve(P, AccCD(), tol=1e-10, max_passes=50_000)
    assert s.status == "gradient small"
    np.testing.assert_allclose(s.w, w, atol=1e-8)
    assert P.primal(s.w) - P.primal(w) <= 1e-15 * P.primal(np.zeros(P.d))


def test_acc_cd_is_certified_when_mu_is_known():
    """mu of the problem, lambda_min(X'X)/n, is not the method's mu, which belongs to normalised columns."""
    P, w = system(noise=1.0)
    s = cdlab.solve(P, AccCD(), strong_convexity="compute", tol=1e-10, max_passes=50_000)
    assert s.status == "tolerance reached"
    assert P.primal(s.w) - P.primal(w) <= s.gap + 1e-15


def test_acc_cd_with_dependent_columns():
    X = data()[0]
    P = cdlab.Problem(np.hstack([X, X[:, :3] @ np.ones((3, 2)), np.zeros((30, 1))]), data()[1], loss="squared", l2=0.0)
    best = P.primal(np.linalg.lstsq(P.X, P.y, rcond=None)[0])
    s = cdlab.solve(P, AccCD(), tol=1e-9, max_passes=50_000)
    assert s.status == "gradient small"
    assert P.primal(s.w) - best <= 1e-12
    assert s.w[-1] == 0


@pytest.mark.parametrize("method", [Kaczmarz(), AccKaczmarz()], ids=lambda m: m.name)
def test_an_inconsistent_system_ends_at_a_limit(method):
    P, w = system(noise=1.0)
    s = cdlab.solve(P, method, tol=1e-8, max_passes=300)
    assert s.status == "pass limit"
    assert P.primal(s.w) > 1.01 * P.primal(w)


@every_method
def test_the_scale_of_the_loss_plays_no_part(method):
    P, w = system()
    Q = cdlab.Problem(P.X, P.y, loss=cdlab.losses.Squared(c=3.0), l2=0.0)
    order = np.random.default_rng(0).integers(8, size=50)
    a, b = (method.points(R, after(R, method, order)).w for R in (P, Q))
    np.testing.assert_array_equal(a, b)


@every_method
def test_rows_and_columns_of_zeros(method):
    X, y = data()[0].copy(), np.ones(30)
    X[3] = X[17] = 0
    X[:, 2] = 0
    P = cdlab.Problem(X, X @ np.arange(8.0), loss="squared", l2=0.0)
    s = cdlab.solve(P, method, tol=1e-10, max_passes=50_000)
    assert s.status == "gradient small"
    assert s.w[2] == 0
    nothing = cdlab.Problem(np.zeros((3, 2)), y[:3], loss="squared", l2=0.0)
    assert cdlab.solve(nothing, method, max_passes=10).status == "gradient small"
    assert cdlab.solve(nothing, method, tol=0, max_passes=3).status == "pass limit"


@pytest.mark.parametrize("method", [AccKaczmarz(), AccCD()], ids=lambda m: m.name)
def test_the_accelerated_two_draw_uniformly(method):
    with pytest.raises(ValueError, match="does not run with importance sampling: use uniform"):
        cdlab.solve(system()[0], method, sampling="importance")


@every_method
def test_the_kernel_is_its_python_function(method):
    module = {"kaczmarz": kaczmarz_module, "acc_kaczmarz": acc_kaczmarz_module, "acc_cd": acc_cd_module}[method.name]
    kernel = getattr(module, f"{method.name}_epoch")
    if not hasattr(kernel, "py_func"):
        pytest.skip("numba is switched off: the kernel is its Python function")
    order = np.random.default_rng(0).integers(8, size=40).astype(np.uint64)
    for sparse in (False, True):
        P, _ = system(sparse=sparse)
        S, T = method.init(P, "uniform"), method.init(P, "uniform")
        assert kernel(method.view(P), S, order) == pytest.approx(kernel.py_func(method.view(P), T, order), abs=1e-14)
        for a, b in zip(S, T, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


# ---------------------------------------------------------------- passes
def test_a_row_is_visited_once_and_mu_costs_the_gram_matrix():
    X = sp.csr_matrix(np.array([[1.0, 2.0, 0.0], [0.0, 0.0, 3.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]))
    P = cdlab.Problem(X, np.ones(4), loss="squared", l2=0.0)
    rows, columns = np.array([0, 1, 2, 3, 3], dtype=np.uint64), np.array([0, 1, 2], dtype=np.uint64)
    for method, order, visits, gram in (
        (Kaczmarz(), rows, 2 + 1 + 0 + 3 + 3, 0),
        (AccKaczmarz(), rows, 2 + 1 + 0 + 3 + 3, 4 + 1 + 0 + 9),  # d <= n: X'X, each nonzero meets its row
        (AccCD(), columns, 2 + 2 + 2, 4 + 1 + 0 + 9),
        (AccKaczmarz(mu=0.1), rows, 2 + 1 + 0 + 3 + 3, 0),
        (AccCD(mu=0.1), columns, 2 + 2 + 2, 0),
    ):
        S = method.init(P, "uniform")
        S = method.epoch(method.view(P), S, order)
        assert method.count(P, S, order)[:2] == (order.size, visits + gram)
        S = method.epoch(method.view(P), S, order)
        assert method.count(P, S, order)[:2] == (order.size, visits)


def test_the_smaller_gram_matrix_is_the_one_that_is_paid():
    P, _ = system((8, 30))
    S = AccKaczmarz().init(P, "uniform")
    assert S.setup == np.sum(np.count_nonzero(P.X, axis=0) ** 2)
