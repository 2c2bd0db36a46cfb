"""sgd, rda, sag, saga and svrg: what stochastic primal methods owe beside what every method does."""

from itertools import product

import numpy as np
import pytest
import scipy.sparse as sp
from forms import FOUR, forms
from problems import SMOOTH, optimum, problem

import cdlab
from cdlab import testing
from cdlab.methods import Points, rda, sag, saga, sgd, svrg
from cdlab.methods.rda import RDA
from cdlab.methods.sag import SAG
from cdlab.methods.saga import SAGA
from cdlab.methods.sgd import SGD
from cdlab.methods.svrg import SVRG
from cdlab.problems.proximal import ProximalProblem

LINEAR = [SAG(), SAGA(), SVRG()]  # variance reduced
AVERAGED = [SGD(), RDA()]
METHODS = LINEAR + AVERAGED
VARIANTS = [
    *METHODS,
    SAG(step=0.01),
    SVRG(snapshot="average", m=7),
    SVRG(m="theory"),
    *(method(average=average) for method, average in product((SGD, RDA), ("half", None))),
]
KERNELS = [
    (SAG(), sag.sag_epoch),
    (SAGA(), saga.saga_epoch),
    (SVRG(), svrg.svrg_epoch),
    (SVRG(snapshot="average"), svrg.svrg_averaged_epoch),
    (SVRG(), lambda P, S, order: svrg.svrg_gradient(P, S, S.t, 0.0)),
    (SGD(), sgd.sgd_epoch),
    (RDA(), rda.rda_epoch),
]
LIPSCHITZ = ["logistic", "smooth_hinge", "huber", "hinge", "absolute"]

each = {"ids": lambda value: getattr(value, "label", str(value))}
every_variant = pytest.mark.parametrize("method", VARIANTS, **each)


def takes(method, loss, l1):
    return ("l1" in method.takes or l1 == 0) and loss in (LIPSCHITZ if method.name in ("sgd", "rda") else SMOOTH)


def orders(P, epochs, seed=0):
    return np.random.default_rng(seed).integers(P.n, size=(epochs, P.n), dtype=np.uint64)


def run(P, method, orders, start=None, sampling="uniform"):
    S = method.init(P, sampling, start=start)
    for order in orders:
        S = method.epoch(method.view(P), S, order)
    return S


def w_after(P, method, orders, **kwargs):
    return method.points(P, run(P, method, orders, **kwargs)).w


# ---------------------------------------------------------------- other parameters, other problems
@pytest.mark.parametrize(("method", "tol"), [(SVRG(snapshot="average", m=7), 1e-3), (SVRG(m="theory"), 1e-3)], **each)
def test_it_keeps_what_a_method_promises(method, tol):
    """As those with other parameters do, in methods/test_every_method.py."""
    assert testing.check_method(method, tol=tol) is None


@pytest.mark.parametrize("method", [SAGA(), SVRG()], **each)
def test_l1_alone_is_certified(method):
    P = problem(l2=0.0, l1=0.05)
    s = cdlab.solve(P, method, tol=1e-8, max_passes=20_000, every=20)
    assert s.status == "tolerance reached"
    assert P.primal(s.w) - optimum("logistic", 0.0, 0.05) <= 1e-8 * P.primal(np.zeros(P.d))


@pytest.mark.parametrize("method", LINEAR, **each)
def test_least_squares_without_a_regulariser(method):
    P = problem("squared", l2=0.0)
    w = np.linalg.lstsq(P.X, P.y, rcond=None)[0]
    s = cdlab.solve(P, method, tol=1e-7, max_passes=50_000, every=50, strong_convexity="compute")
    assert s.status == "tolerance reached"
    assert P.primal(s.w) - P.primal(w) <= s.gap + 1e-15


@every_variant
def test_looking_does_not_touch(method):
    P = problem(sparse=True)
    often, seldom = (cdlab.iterate(P, method, seed=0, every=every) for every in (1, 10))
    for _ in range(31):
        next(often)
    for _ in range(4):
        next(seldom)
    np.testing.assert_array_equal(often.w, seldom.w)


@every_variant
def test_empty_features_change_nothing(method):
    P = problem(sparse=True)
    wide = cdlab.Problem(sp.csr_matrix((P.X.data, P.X.indices, P.X.indptr), shape=(P.n, 50)), P.y, l2=P.l2)
    many = orders(P, 12)
    w = w_after(wide, method, many)
    np.testing.assert_array_equal(w[:8], w_after(P, method, many))
    assert not w[8:].any()


@pytest.mark.parametrize(
    ("k", "loss", "l1", "sparse"),
    [
        case
        for k, (method, _) in enumerate(KERNELS)
        for case in forms(
            [loss for loss in FOUR if takes(method, loss, 0.0)], 0.05 if takes(method, "huber", 0.05) else 0.0, k
        )
    ],
)
def test_a_kernel_is_its_python_twin(k, loss, l1, sparse):
    method, kernel = KERNELS[k]
    P = problem(loss, l1=l1, sparse=sparse)
    many = orders(P, 3)
    ends = []
    for step in (kernel, getattr(kernel, "py_func", kernel)):
        S = run(P, method, many[:2])
        moved = step(method.view(P), S, many[2])
        ends.append((S, moved))
    (S, moved), (twin, twin_moved) = ends
    for a, b in zip(S, twin, strict=True):
        for x, z in zip(*((v if isinstance(v, tuple) else (v,)) for v in (a, b)), strict=True):
            np.testing.assert_allclose(x, z, rtol=0, atol=1e-12)
    if moved is not None:
        assert moved == pytest.approx(twin_moved, rel=1e-13)


# ---------------------------------------------------------------- starts, and the inner problems of outer loops
@pytest.mark.parametrize("method", [*LINEAR, SVRG(snapshot="average")], **each)
def test_near_the_optimum_a_start_is_not_lost(method):
    P = problem()
    best = cdlab.solve(P, "sdca", tol=1e-12)
    w = w_after(P, method, orders(P, 3), start=Points(best.w, best.alpha))
    assert P.primal(w) - P.primal(best.w) <= 1e-10


@pytest.mark.parametrize(
    ("method", "l1"),
    [(m, l1) for m in (*LINEAR, SVRG(snapshot="average")) for l1 in (0.0, 0.03) if "l1" in m.takes or l1 == 0],
    **each,
)
@pytest.mark.parametrize("l2", [0.0, 0.1])
@pytest.mark.parametrize("sparse", [False, True])
def test_proximal_problems_are_solved_as_they_are(method, l2, l1, sparse):
    center = np.random.default_rng(5).standard_normal(8)
    Q = ProximalProblem(problem(l2=l2, l1=l1, sparse=sparse), 0.7, center)
    best = cdlab.solve(Q, "sdca", tol=1e-12).w
    start = Points(center, Q.alpha(center))
    for begin in (None, start):
        S = run(Q, method, orders(Q, 200), start=begin)
        at = method.points(Q, S)
        gap = Q.primal(at.w) - Q.dual(at.alpha, v=at.v)
        assert Q.gap(at.w, at.alpha) == pytest.approx(gap, abs=5e-14)
        assert Q.primal(at.w) - Q.primal(best) <= gap + 1e-14
        assert gap <= 1e-6


# ---------------------------------------------------------------- passes
def test_passes_are_the_nonzeros_visited():
    """Rows of 1, 0, 3 and 2 nonzeros."""
    X = np.array([[1.0, 0, 0, 0], [0, 0, 0, 0], [1, 2, 3, 0], [0, 0, 1, -1]])
    P = cdlab.Problem(sp.csr_matrix(X), [1, -1, 1, -1], l2=0.1)
    order, steps = np.array([0, 2, 2, 3], np.uint64), 1 + 3 + 3 + 2

    def counts(method, epochs=3, start=None):
        S = method.init(P, "uniform", start=start)
        for _ in range(epochs):
            S = method.epoch(method.view(P), S, order)
            yield method.count(P, S, order)[:2]

    there = Points(np.ones(4), np.zeros(4))
    assert list(counts(SGD())) == list(counts(RDA())) == [(4, steps)] * 3
    assert list(counts(SAG())) == [(4, steps)] * 3
    assert list(counts(SAG(), start=there)) == [(4, steps + 6), (4, steps), (4, steps)]  # X w, then X'tab
    assert list(counts(SAGA())) == [(4, steps + 3), (4, steps), (4, steps)]  # at w = 0 only X'tab
    assert list(counts(SAGA(), start=there)) == [(4, steps + 6), (4, steps), (4, steps)]
    assert list(counts(SVRG())) == [(4, steps + 6), (4, steps), (4, steps + 6)]  # a full gradient each 8 steps
    assert list(counts(SVRG(m=3), epochs=2)) == [(4, steps + 12), (4, steps + 6)]  # before steps 1, 4 and 7
    assert list(counts(SVRG(m=1), epochs=1)) == [(4, steps + 24)]


def test_stages_are_cut_where_they_end_not_where_epochs_do():
    P = problem()
    many = orders(P, 6)
    for method in (SVRG(m=17), SVRG(m=17, snapshot="average")):
        np.testing.assert_array_equal(w_after(P, method, many), w_after(P, method, [many.ravel()]))


# ---------------------------------------------------------------- maintained vectors
@pytest.mark.parametrize("method", [*LINEAR, SVRG(snapshot="average")], **each)
def test_refresh_restores_the_definition_and_keeps_w(method):
    P = problem()
    S = run(P, method, orders(P, 5))
    before = method.points(P, S).w
    S.rows[:, 1] += 1e-9  # drift
    drifted = method.points(P, S).w
    assert np.abs(drifted - before).max() > 0 or method.snapshot == "average"
    method.refresh(P, S)
    np.testing.assert_allclose(S.rows[:, 1], P.X.T @ S.tab / P.n, atol=1e-16)
    np.testing.assert_allclose(method.points(P, S).w, drifted, atol=1e-15)
