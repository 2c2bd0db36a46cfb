"""SDCA's averages: exact, whatever the matrix and the regulariser, and over the window they say."""

import numpy as np
import pytest
from forms import FOUR, forms
from multiclass import softmax_problem
from problems import problem

import cdlab
from cdlab.methods import SDCA, Averaged, Points, Quartz
from cdlab.methods.sdca import sdca_epoch
from cdlab.methods.wrappers.averaged import with_sums

both_forms = pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
both_regularisers = pytest.mark.parametrize("l1", [0.0, 0.02])


def epochs_of(P, count, seed=0):
    return np.random.default_rng(seed).integers(P.n, size=(count, P.n), dtype=np.uint64)


def iterates(P, orders, start=None):
    """w and alpha before every step, by plain SDCA, one step at a time."""
    S, found = SDCA().init(P, "uniform", start), []
    for i in orders.ravel():
        points = SDCA().points(P, S)
        found.append((points.w.copy(), points.alpha.copy()))
        S = SDCA().epoch(P.by_rows, S, np.array([i]))
    return found


def averaged(P, orders, average="half", start=None):
    method = Averaged(SDCA(), average)
    S = method.init(P, "uniform", start)
    for order in orders:
        S = method.epoch(P.by_rows, S, order)
    return S, method.points(P, S)


@pytest.mark.parametrize(
    ("average", "epochs", "first"), [("all", 5, 0), ("half", 1, 0), ("half", 3, 1), ("half", 7, 2)]
)
@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(["hinge", "absolute", "logistic", "squared"], 0.02))
def test_the_average_is_the_mean_of_the_iterates(loss, average, epochs, first, l1, sparse):
    """Over the steps after T0 = 0 ("all"), or after a T0 between a quarter and a half of all ("half")."""
    P = problem(loss, l1=l1, sparse=sparse)
    orders, start = epochs_of(P, epochs), Points(None, 0.3 * P.alpha(np.ones(8)))
    S, points = averaged(P, orders, average, start)
    assert (S.window.first, *S.t) == (first * P.n, epochs * P.n)
    w, alpha = zip(*iterates(P, orders, start)[S.window.first :], strict=True)
    np.testing.assert_allclose(points.w, np.mean(w, axis=0), atol=1e-11)
    np.testing.assert_allclose(points.alpha, np.mean(alpha, axis=0), atol=1e-11)


@both_forms
def test_averaging_does_not_change_the_iterates(sparse):
    P = problem("hinge", l1=0.02, sparse=sparse)
    orders = epochs_of(P, 4)
    plain = SDCA().init(P, "uniform")
    for order in orders:
        plain = SDCA().epoch(P.by_rows, plain, order)
    S, _ = averaged(P, orders)
    np.testing.assert_array_equal(S.core.alpha, plain.alpha)
    np.testing.assert_array_equal(S.core.v, plain.v)


@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(FOUR, 0.02))
def test_the_kernel_is_its_python_twin(loss, l1, sparse):
    P, method = problem(loss, l1=l1, sparse=sparse), Averaged(SDCA(), "half")
    order = epochs_of(P, 1)[0]
    compiled, plain = (method.init(P, "uniform") for _ in range(2))
    for S, kernel in ((compiled, sdca_epoch), (plain, getattr(sdca_epoch, "py_func", sdca_epoch))):
        S.t[0] = 7
        kernel(with_sums(P.by_rows, S), S.core, order)
        assert S.t[0] == 7 + P.n
    for one, other in ((compiled.a, plain.a), (compiled.e, plain.e), (compiled.core.v, plain.core.v)):
        np.testing.assert_allclose(one, other, atol=1e-12)


@both_regularisers
def test_refresh_restores_v_and_keeps_what_was_summed(l1):
    P, method = problem("squared", l1=l1), Averaged(SDCA(), "all")
    S, before = averaged(P, epochs_of(P, 3), "all")
    S.core.v[:] += 1e-7
    drifted = method.points(P, S).w
    method.refresh(P, S)
    np.testing.assert_allclose(S.core.v, P.v(S.core.alpha), atol=1e-17)
    np.testing.assert_allclose(method.points(P, S).w, drifted, atol=1e-15)
    np.testing.assert_allclose(drifted, before.w, atol=1e-5)


@pytest.mark.parametrize("loss", ["hinge", "absolute"])
@pytest.mark.parametrize("average", ["all", "half"])
def test_averages_converge_and_are_certified(loss, average):
    P = problem(loss, l1=0.02)
    s = cdlab.solve(P, "sdca", average=average, tol=5e-3, max_passes=3000)
    assert s.status == "tolerance reached"
    assert P.gap(s.w, s.alpha) == pytest.approx(s.gap, abs=1e-15)
    assert s.trace.records[0].gap == pytest.approx(P.gap(np.zeros(8), np.zeros(30)))


def test_dense_and_csr_agree_and_long_runs_stay_exact():
    runs = [
        cdlab.solve(problem("hinge", sparse=f), Averaged(SDCA(), "half"), tol=0, max_passes=300) for f in (False, True)
    ]
    np.testing.assert_allclose(runs[0].w, runs[1].w, atol=1e-10)
    P = problem("hinge")
    last = cdlab.solve(P, "sdca", tol=0, max_passes=300)
    np.testing.assert_allclose(runs[0].w, last.w, atol=1e-3)
    assert runs[0].trace.records[-1].passes == pytest.approx(last.trace.records[-1].passes)


def test_what_is_refused():
    with pytest.raises(ValueError, match="average must be 'all', 'half' or None, not 'tail'"):
        Averaged(SDCA(), "tail")
    with pytest.raises(ValueError, match="averages scalar losses only.*average=None"):
        cdlab.solve(softmax_problem(), "sdca", average="all")


@pytest.mark.parametrize("loss", ["logistic", "squared", "smooth_hinge"])
@both_regularisers
def test_the_step_of_a_fixed_fraction_is_quartz_with_local_steps(loss, l1):
    """alpha_i += s_i (-phi'(x_i'w) - alpha_i), s_i = l2 n gamma/(l2 n gamma + ||x_i||^2)."""
    P, method = problem(loss, l1=l1), Quartz(step="local")
    order = epochs_of(P, 1)[0]
    S = method.epoch(P.by_rows, method.init(P, "uniform"), order)
    alpha, scale = np.zeros(P.n), P.l2 * P.n * P.loss.gamma
    for i in order:
        s = scale / (scale + P.X[i] @ P.X[i])
        alpha[i] += s * (-P.loss.grad_phi(P.X[i] @ P.w(alpha), P.y[i]) - alpha[i])
    np.testing.assert_allclose(S.alpha, alpha, atol=1e-12)
