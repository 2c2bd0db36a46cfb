"""APCG: its change of variables is the box, its step solves the box's problem, and it works as an inner solver."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from forms import FOUR, forms
from problems import SMOOTH, data, minimise, problem
from scipy.optimize import minimize_scalar

import cdlab
from cdlab.methods import Points, apcg
from cdlab.methods.apcg import APCG
from cdlab.methods.asdca import ASDCA
from cdlab.problems.proximal import ProximalProblem

FORMS = [APCG(), APCG(smoothness="uniform"), APCG(primal_step=True)]
every_form = pytest.mark.parametrize("method", FORMS, ids=lambda m: m.label)


def dense(P):
    return P.X.toarray() if sp.issparse(P.X) else P.X


def order_of(P, size, seed=0):
    return np.random.default_rng(seed).integers(P.n, size=size, dtype=np.uint64)


def after(P, method, order, start=None):
    return method.epoch(method.view(P), method.init(P, "uniform", start), order)


def naive(P, order, smoothness, alpha=None):
    """The box as it stands, in O(n + d) a step. Yields x, z, and what the step saw: i, y, z~, Q_i."""
    X, n, gamma = dense(P), P.n, P.loss.gamma
    L = (X**2).sum(1) / (P.l2 * n**2) + gamma / n
    a = np.sqrt(gamma / n / L.max()) / n
    if smoothness == "uniform":
        L = np.full(n, L.max())
    x = z = np.zeros(n) if alpha is None else alpha
    for i in order.astype(int):
        y = (x + a * z) / (1 + a)
        z_ = (1 - a) * z + a * y
        Q = n**2 * a * L[i]
        z = z_.copy()
        z[i] = -P.loss.dualprox(X[i] @ P.w(y) + gamma * (y[i] - z_[i]), -z_[i], Q - gamma, P.y[i])
        x = y + n * a * (z - z_)
        yield x, z, (i, y, z_, Q)


# ---------------------------------------------------------------- the algorithm
@pytest.mark.parametrize("smoothness", ["individual", "uniform"])
@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(FOUR, 0.05))
def test_the_change_of_variables_is_the_box(loss, l1, sparse, smoothness):
    """Past several folds, from a start that is not 0."""
    P = problem(loss, l2=1.0, l1=l1, sparse=sparse)
    order, start = order_of(P, 4000), P.alpha(np.full(P.d, 0.1))
    *_, (x, z, _) = naive(P, order, smoothness, start)
    S = after(P, APCG(smoothness=smoothness), order, Points(None, start))
    folds = np.log((1 - S.a) / (1 + S.a)) * order.size / np.log(apcg.SMALLEST_FACTOR)
    assert folds > 3
    points = APCG().points(P, S)
    np.testing.assert_allclose(points.alpha, x, atol=1e-11)
    np.testing.assert_allclose(S.v - S.r * S.u, z, atol=1e-11)
    np.testing.assert_allclose(points.w, P.w(x), atol=1e-11)


@each_of("loss", SMOOTH)
@each_of("l2", [1e-2, 10.0])
def test_the_step_solves_the_box_s_problem(loss, l2):
    """z_i minimises (Q_i/(2n))(t - z~_i)^2 + grad_i f(y) t + Psi_i(t). With individual L_i a short row has
    Q_i < gamma; for such rows the quadratic that is left beside phi* is concave."""
    P, concave = problem(loss, l2=l2), 0
    gamma, n = P.loss.gamma, P.n
    for _, z, (i, y, z_, Q) in naive(P, order_of(P, 60), "individual"):
        concave += Q < gamma
        slope = (P.X[i] @ P.w(y) + gamma * y[i]) / n

        def value(t, i=i, center=z_[i], slope=slope, Q=Q):
            psi = (P.loss.phi_conj(t, P.y[i]) - gamma / 2 * t * t) / n
            return Q / (2 * n) * (t - center) ** 2 + slope * t + psi

        low, high = {"squared": (-9, 9), "squared_hinge": (0, 9), "huber": (-1, 1)}.get(loss, (0, 1))
        if P.loss.classification:
            low, high = sorted((low * P.y[i], high * P.y[i]))
        found = minimize_scalar(value, bounds=(low, high), method="bounded", options={"xatol": 1e-10})
        assert value(z[i]) <= found.fun + 1e-15 * abs(found.fun) + 1e-15
    assert concave > 10 or l2 < 1


@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(SMOOTH, 0.05))
def test_the_kernel_is_its_python_twin(loss, l1, sparse):
    P = problem(loss, l1=l1, sparse=sparse)
    order, method = order_of(P, 100), APCG()
    S, twin = method.init(P, "uniform"), method.init(P, "uniform")
    r = apcg.apcg_epoch(method.view(P), S, order)
    twin_r = getattr(apcg.apcg_epoch, "py_func", apcg.apcg_epoch)(method.view(P), twin, order)
    assert r == pytest.approx(twin_r, rel=1e-13)
    for a, b in zip(S, twin, strict=True):
        np.testing.assert_allclose(a, b, atol=1e-12)


def test_only_the_features_of_the_drawn_examples_are_touched():
    """Between folds; what is not read cannot matter, however many features there are."""
    X, y = data()
    wide = sp.csr_matrix(np.c_[X, np.zeros((30, 50))])
    P, Q, method = cdlab.Problem(X, y, l2=0.1), cdlab.Problem(wide, y, l2=0.1), APCG()
    S, T = method.init(P, "uniform"), method.init(Q, "uniform")
    T.qp[8:] = np.nan
    for _ in range(3):
        S, T = method.epoch(method.view(P), S, order_of(P, 30)), method.epoch(method.view(Q), T, order_of(P, 30))
    np.testing.assert_allclose(T.qp[:8], S.qp, atol=1e-14)
    np.testing.assert_allclose(T.u, S.u, atol=1e-14)


# ---------------------------------------------------------------- the primal step
@pytest.mark.parametrize("l1", [0.0, 0.02])
def test_the_primal_step_is_one_of_proximal_gradient(l1):
    import cvxpy as cp

    P = problem(l1=l1)
    plain, stepped = (after(P, method, order_of(P, 100)) for method in (APCG(), APCG(primal_step=True)))
    L, L_f = stepped.L_f, np.linalg.norm(P.X, 2) ** 2 / (4 * P.n)
    assert L_f <= L <= 1.002 * L_f
    plain, stepped = APCG().points(P, plain), APCG(primal_step=True).points(P, stepped)
    np.testing.assert_array_equal(plain.alpha, stepped.alpha)
    w, t = plain.w, cp.Variable(P.d)
    slope = np.mean([P.loss.grad_phi(x @ w, b) * x for x, b in zip(P.X, P.y, strict=True)], axis=0)
    model = slope @ t + L / 2 * cp.sum_squares(t - w) + P.l2 / 2 * cp.sum_squares(t) + l1 * cp.norm1(t)
    minimise(model, 1e-14)
    np.testing.assert_allclose(stepped.w, t.value, atol=1e-7)
    assert P.primal(stepped.w) < P.primal(plain.w)


def test_the_primal_step_is_paid_for_once():
    """A pass for the step and those of finding L_f, in the first record after the start, which is w = 0 as ever."""
    P = problem(l1=0.02, sparse=True)
    methods = APCG(), APCG(primal_step=True)
    plain, stepped = (cdlab.solve(P, each, tol=0, max_passes=20, every=1).trace.records for each in methods)
    extra = 1 + cdlab.problems.convexity.smoothness(P)[1]
    assert stepped[0] == plain[0]._replace(seconds=stepped[0].seconds, test_error=stepped[0].test_error)
    for a, b in zip(plain[1:], stepped[1:], strict=False):
        assert b.passes - a.passes == pytest.approx(extra)
        assert b.dual == a.dual


# ---------------------------------------------------------------- state and passes
def test_inputs_are_not_changed():
    X, y = (a.copy() for a in data())
    P, start = cdlab.Problem(X, y, l2=0.1), np.full(30, 0.1) * y
    S = after(P, APCG(primal_step=True), order_of(P, 100), Points(None, start))
    APCG(primal_step=True).points(P, S)
    np.testing.assert_array_equal(X, data()[0])
    np.testing.assert_array_equal(y, data()[1])
    np.testing.assert_array_equal(start, np.full(30, 0.1) * y)


def test_refresh_restores_the_definitions():
    P, method = problem(l1=0.02), APCG()
    S = after(P, method, order_of(P, 100))
    kept = S.qp.copy()
    np.testing.assert_allclose(kept, np.c_[P.v(S.v), P.v(S.u)], atol=1e-13)
    S.qp[:] += 1e-3
    method.refresh(P, S)
    np.testing.assert_allclose(S.qp, kept, atol=1e-13)


def test_passes_are_the_nonzeros_of_the_drawn_examples():
    P, method = problem(sparse=True), APCG()
    order = np.array([3, 3, 0], np.uint64)
    S = after(P, method, order)
    counts = np.diff(P.X.indptr)
    assert method.count(P, S, order)[:2] == (3, 2 * counts[3] + counts[0])


def test_a_long_run_does_not_drift():
    P, method = problem(l1=0.02), APCG()
    S = after(P, method, order_of(P, 300_000))
    np.testing.assert_allclose(S.qp[:, 0] + S.r * S.qp[:, 1], P.v(S.v + S.r * S.u), atol=1e-13)
    points = method.points(P, S)
    assert P.gap(points.w, points.alpha) <= 1e-14


# ---------------------------------------------------------------- as an inner solver
@pytest.mark.parametrize(("l2", "l1"), [(0.0, 0.0), (0.1, 0.02)])
@every_form
def test_it_solves_proximal_problems_and_restarts_from_alpha(method, l2, l1):
    center = np.random.default_rng(5).standard_normal(8)
    Q = ProximalProblem(problem(l2=l2, l1=l1, sparse=True), 0.05, center)
    s = cdlab.solve(Q, method, tol=1e-12, max_passes=1000)
    assert s.status == "tolerance reached"
    best = cdlab.solve(Q, "sdca", tol=1e-12, max_passes=5000)
    np.testing.assert_allclose(s.w, best.w, atol=1e-5)
    moved = ProximalProblem(Q.outer, 0.05, center + 0.1)
    S = method.init(moved, "uniform", Points(s.w, s.alpha))
    points = method.points(moved, S)
    np.testing.assert_array_equal(points.alpha, s.alpha)
    np.testing.assert_allclose(points.w, moved.w(s.alpha), atol=1e-14)
    for _ in range(50):
        S = method.epoch(method.view(moved), S, order_of(moved, 30, seed=S.epochs))
        method.refresh(moved, S)
    points = method.points(moved, S)
    assert moved.gap(points.w, points.alpha) <= 1e-10


# ---------------------------------------------------------------- refusals


@each_of("wrong", [{"smoothness": "both"}, {"convexity": 0.0}, {"convexity": 1.5}])
def test_wrong_parameters_are_refused(wrong):
    with pytest.raises(ValueError, match=f"apcg's {next(iter(wrong))} must be"):
        APCG(**wrong)


def test_an_assumed_convexity_shows_in_the_label():
    P, method = problem(), APCG(convexity=0.1)
    assert method.init(P, "uniform").a == pytest.approx(np.sqrt(0.1) / P.n)
    assert cdlab.solve(P, method, tol=1e-6).trace.meta["method"] == "apcg(convexity=0.1)"


@each_of("method", [APCG(), ASDCA(), ASDCA(batch_size=30)])
def test_it_and_asdca_are_certified_to_rounding(method):
    assert cdlab.solve(problem(l1=0.02), method, tol=1e-12, max_passes=5000, seed=1).status == "tolerance reached"
