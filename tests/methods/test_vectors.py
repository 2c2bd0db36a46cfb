"""Softmax beyond sdca: boxes in plain numpy, options, and two classes, which are logistic runs number by number."""

from itertools import cycle, product

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of, pushed
from multiclass import classes, softmax_optimum, softmax_problem
from problems import data
from scipy.optimize import brentq
from scipy.special import softmax, wrightomega

import cdlab
from cdlab import methods
from cdlab.methods import APCG, APPA, ASDCA, LSVRG, SAGA, SPDC, SVRG, AccAPPA, AccProxSDCA, DualAPPA, Points
from cdlab.methods.lsvrg import Tossed
from cdlab.samplings import Batches, Given, Independent, TauNice

FORMS = list(product([False, True], [0.0, 0.02]))
every_form = pytest.mark.parametrize(("sparse", "l1"), pushed(FORMS, (True, 0.02)), ids=lambda x: str(x))
both_weights = pytest.mark.parametrize("l1", [0.0, 0.02])


class Box:
    """What boxes are made of, by definition: slopes of the losses, the prox of g, and argmaxes over a row of alpha."""

    def __init__(self, P):
        self.X = P.X.toarray() if sp.issparse(P.X) else P.X
        self.n, self.l2, self.l1, self.norms2 = P.n, P.l2, P.l1, (self.X**2).sum(1)
        self.own = np.eye(P.outputs[0])[P.y.astype(int)]

    def slope(self, i, w):
        return softmax(self.X[i] @ w) - self.own[i]

    def slopes(self, w):
        return softmax(self.X @ w, axis=1) - self.own

    def prox(self, x, eta):
        return np.sign(x) * np.maximum(np.abs(x) - eta * self.l1, 0) / (1 + eta * self.l2)

    def w(self, alpha):
        v = self.X.T @ alpha / self.n
        return np.sign(v) * np.maximum(np.abs(v) - self.l1, 0) / self.l2

    def argmax(self, i, u, y0, q):
        """Of u'b - phi*(b) - (q/2)||b - y0||^2: ln pi_k + q pi_k = c_k + t for pi = b + e_y, whose sum is 1."""
        if q < 1e-13:
            return softmax(u) - self.own[i]
        c = u + q * (y0 + self.own[i])

        def pi(t):
            return np.real(wrightomega(np.log(q) + c + t)) / q

        low, high = -100 - c.max(), 100 + q - c.min()
        return pi(brentq(lambda t: pi(t).sum() - 1, low, high, xtol=1e-15, rtol=1e-15)) - self.own[i]


def blocks(n, m, count):
    chosen = np.array([np.random.default_rng(k).permutation(n)[:m] for k in range(count)], np.uint64)
    return Batches(chosen.ravel(), m * np.arange(count + 1, dtype=np.uint64))


def after(P, method, order, start, sampling="uniform"):
    return method.epoch(method.view(P), method.init(P, sampling, start), order)


def start_of(P):
    w = np.linspace(-0.3, 0.4, P.d * P.outputs[0]).reshape(P.d, -1)
    return Points(w, P.alpha(w))


def numbers(P, size=150):
    return np.random.default_rng(0).integers(P.n, size=size, dtype=np.uint64)


# ---------------------------------------------------------------- boxes
@every_form
def test_saga_is_its_box(sparse, l1):
    P = softmax_problem(l1=l1, sparse=sparse)
    box, start = Box(P), start_of(P)
    eta, w, table = 2 / (3 * box.norms2.max()), start.w, box.slopes(start.w)
    for i in numbers(P):
        new = box.slope(i, w)
        w = box.prox(w - eta * (np.outer(box.X[i], new - table[i]) + box.X.T @ table / P.n), eta)
        table[i] = new
    S = after(P, SAGA(), numbers(P), start)
    np.testing.assert_allclose(SAGA().points(P, S).w, w, atol=1e-11)
    np.testing.assert_allclose(S.tab, table, atol=1e-11)


def given(shares):
    p = np.resize(shares, 30)
    return Given(p / p.sum())


IN_BLOCKS = [given([1.0, 2.0, 3.0]), TauNice(4), Independent(np.linspace(0.05, 0.4, 30))]


def drawn(P, sampling, m=4, count=60):
    """Blocks, which any sampling might have drawn, with its p and the ESO's v."""
    order, p = blocks(P.n, 1 if sampling.serial else m, count), sampling.probabilities(P.coordinates("dual"))
    return order, p, P.row_profile.norms2 if sampling.serial else cdlab.eso(P, sampling, "dual")


@pytest.mark.full
@pytest.mark.parametrize("sampling", IN_BLOCKS, ids=lambda sampling: sampling.name)
@both_weights
def test_saga_and_lsvrg_are_their_boxes_by_any_sampling(l1, sampling):
    P = softmax_problem(l1=l1)
    box, start, (order, p, v) = Box(P), start_of(P), drawn(P, sampling)
    L, heads = (v / (2 * P.n * p)).max(), np.random.default_rng(3).random(60) < 0.1
    eta = 1 / (3 * L)
    for method in (SAGA(), LSVRG()):
        w, table = start.w, box.slopes(start.w)
        for b, head in enumerate(heads):
            chosen, before, u = order.indices[order.starts[b] : order.starts[b + 1]], w, box.X.T @ table / P.n
            new = np.array([box.slope(i, w) for i in chosen])
            delta = (new - table[chosen]) / (P.n * p[chosen, None])
            w = box.prox(w - eta * (box.X[chosen].T @ delta + u), eta)
            if method.name == "saga":
                table[chosen] = new
            elif head:
                table = box.slopes(before)
        serial = sampling.serial and method.name == "saga"
        taken = order.indices if serial else order if method.name == "saga" else Tossed(*order, heads)
        S = after(P, method, taken, start, sampling)
        np.testing.assert_allclose(method.points(P, S).w, w, atol=1e-11)
        np.testing.assert_allclose(S.tab, table, atol=1e-11)


@pytest.mark.parametrize(("snapshot", "sampling"), [("last", "uniform"), ("last", "importance"), ("average", "norms")])
@every_form
def test_svrg_is_its_box(sparse, l1, snapshot, sampling):
    P, method = softmax_problem(l1=l1, sparse=sparse), SVRG(m=40, snapshot=snapshot)
    box, w, p = Box(P), start_of(P).w, method.probabilities(softmax_problem(l1=l1, sparse=sparse), sampling)
    eta, total = 0.1 / (box.norms2 / (2 * P.n * p)).max(), 0.0
    for k, i in enumerate(numbers(P)):
        if k % 40 == 0:
            w = total / 40 if snapshot == "average" and k > 0 else w
            at, u, total = w, box.X.T @ box.slopes(w) / P.n, 0.0
        delta = (box.slope(i, w) - box.slope(i, at)) / (P.n * p[i])
        w = box.prox(w - eta * (np.outer(box.X[i], delta) + u), eta)
        total = total + w
    S = method.init(P, sampling, start_of(P))
    for part in np.split(numbers(P), [7, 90]):  # epochs may end anywhere
        S = method.epoch(method.view(P), S, part)
    np.testing.assert_allclose(method.points(P, S).w, total / 30 if snapshot == "average" else w, atol=1e-11)


@pytest.mark.parametrize("m", [1, 4])
@every_form
def test_asdca_is_its_box(sparse, l1, m):
    P, method = softmax_problem(l1=l1, sparse=sparse), ASDCA(batch_size=m)
    box, start, order = Box(P), start_of(P), blocks(P.n, m, 60)
    k = 2 * P.l2 * P.n / box.norms2.max()
    theta = min(1, np.sqrt(k / m), k, k ** (2 / 3) / m ** (1 / 3)) / 4
    x, alpha = start.w, start.alpha.copy()
    for chosen in order.indices.reshape(-1, m):
        u = (1 - theta) * x + theta * box.w(alpha)
        alpha[chosen] = (1 - theta) * alpha[chosen] - theta * np.array([box.slope(i, u) for i in chosen])
        x = (1 - theta) * x + theta * box.w(alpha)
    S = after(P, method, order, start)
    np.testing.assert_allclose(method.points(P, S).w, x, atol=1e-11)
    np.testing.assert_allclose(S.alpha, alpha, atol=1e-11)


@pytest.mark.parametrize(("m", "sampling"), [(1, "uniform"), (1, "norms"), (4, "uniform"), (4, "norms")])
@every_form
def test_spdc_is_its_box(sparse, l1, m, sampling):
    """The dual point is y = -alpha; Algorithm 1, Algorithm 2, and mini-batches by both."""
    P, method = softmax_problem(l1=l1, sparse=sparse), SPDC(batch_size=m if m > 1 else None, primal_point="iterate")
    box, start, order, norms = Box(P), start_of(P), blocks(P.n, m, 60), np.sqrt((classes()[0] ** 2).sum(1))
    M, p = norms.max(), np.full(P.n, m / P.n)
    N = P.n / m
    if sampling == "norms":
        one = 1 / (2 * P.n) + norms / (2 * norms.sum())
        M, N, p = 2 * norms.mean() + (m - 1) * norms.max() / P.n, (2 * P.n + m - 1) / m, 1 - (1 - one) ** m
    tau, s = np.sqrt(m * 2 / (P.n * P.l2)) / (2 * M), np.sqrt(P.n * P.l2 / (m * 2)) / (2 * M)
    theta = 1 - 1 / (N + M * np.sqrt(P.n / (m * P.l2 * 2)))
    x, y, xbar = start.w, -start.alpha, start.w
    for K in order.indices.reshape(-1, m):
        u, over, new = box.X.T @ y / P.n, 0.0, y.copy()
        for i in K:
            new[i] = box.argmax(i, box.X[i] @ xbar, y[i], p[i] * P.n / (m * s))
            over = over + np.outer(box.X[i], new[i] - y[i]) / (P.n * p[i])
        x, before, y = box.prox(x - tau * (u + over), tau), x, new
        xbar = x + theta * (x - before)
    S = after(P, method, order, start, sampling)
    np.testing.assert_allclose(method.points(P, S).w, x, atol=1e-9)
    np.testing.assert_allclose(S.y, y, atol=1e-9)


@pytest.mark.parametrize("smoothness", ["individual", "uniform"])
@every_form
def test_apcg_is_its_box(sparse, l1, smoothness):
    """Its form with x, y and z, for smoothness constants L_i that may be larger: mu is that of the largest."""
    X, labels = (a.copy() for a in classes())
    X[::3] *= 0.05  # rows whose own L_i would leave a concave step
    P, method = cdlab.Problem(sp.csr_matrix(X) if sparse else X, labels, "softmax", l2=1.0, l1=l1), APCG(smoothness)
    box, start, order, n = Box(P), start_of(P), numbers(P, 2500), P.n
    L = box.norms2 / (P.l2 * n**2) + 2 / n
    mu = 2 / n / L.max()
    assert (np.sqrt(mu) * n * L < 2).any()
    L = np.maximum(L, 2 / (n * np.sqrt(mu))) if smoothness == "individual" else np.full(n, L.max())
    a, x, z = np.sqrt(mu) / n, start.alpha, start.alpha
    for i in order:
        y = (x + a * z) / (1 + a)
        z_ = (1 - a) * z + a * y
        z = z_.copy()
        z[i] = -box.argmax(i, box.X[i] @ box.w(y) + 2 * (y[i] - z_[i]), -z_[i], n**2 * a * L[i] - 2)
        x = y + n * a * (z - z_)
    S = after(P, method, order, start)
    assert np.log((1 - S.a) / (1 + S.a)) * order.size / np.log(1e-8) > 1.5  # r was folded
    np.testing.assert_allclose(method.points(P, S).alpha, x, atol=1e-9)
    np.testing.assert_allclose(S.v - S.r * S.u, z, atol=1e-9)
    np.testing.assert_allclose(method.points(P, S).w, box.w(x), atol=1e-9)


@pytest.mark.parametrize("sampling", IN_BLOCKS, ids=lambda sampling: sampling.name)
@both_weights
def test_apcg_is_its_box_by_any_sampling(l1, sampling):
    P, method = softmax_problem(l2=1.0, l1=l1), APCG()
    box, start, (order, p, v) = Box(P), start_of(P), drawn(P, sampling)
    n, L = P.n, v / (P.l2 * P.n**2) + 2 / P.n
    a = (p * np.sqrt(2 / P.n / L)).min()
    b = a / p
    L = np.maximum(L, 2 / (n * b))  # a step is never concave
    assert (b**2 * L <= (1 + 1e-12) * 2 / n).all()
    x, z = start.alpha, start.alpha
    for k in range(60):
        y = (x + a * z) / (1 + a)
        z_ = (1 - a) * z + a * y
        z = z_.copy()
        for i in order.indices[order.starts[k] : order.starts[k + 1]]:
            z[i] = -box.argmax(i, box.X[i] @ box.w(y) + 2 * (y[i] - z_[i]), -z_[i], n * b[i] * L[i] - 2)
        x = y + b[:, None] * (z - z_)
    S = after(P, method, order.indices if sampling.serial else order, start, sampling)
    np.testing.assert_allclose(method.points(P, S).alpha, x, atol=1e-9)
    np.testing.assert_allclose(S.v - S.r * S.u, z, atol=1e-9)


# ---------------------------------------------------------------- optima
OPTIONS = [
    *(
        SVRG(),
        SVRG(m=20, snapshot="average"),
        SAGA(),
        SAGA(step=0.02),
        SAGA(batch_size=4),
        LSVRG(),
        ASDCA(batch_size=4),
        ASDCA(factor=2),
    ),
    *(SPDC(batch_size=5), SPDC(step=0.05), SPDC(dual_step=1.0), SPDC(primal_point="iterate")),
    *(SAGA(batch_size=4), LSVRG(), LSVRG(batch_size=4)),
    *(APCG(smoothness="uniform"), APCG(primal_step=True), APCG(convexity=0.02), APCG(batch_size=4)),
    *(APPA(SVRG()), APPA(SVRG(), accuracy=0.5), APPA(APCG()), APPA(decreasing=True), APPA(epochs=5)),
    *(AccAPPA(SVRG()), AccAPPA(APCG()), DualAPPA(APCG()), DualAPPA(AccProxSDCA()), AccProxSDCA()),
]


@pytest.mark.parametrize("method", pushed(OPTIONS, OPTIONS[0]), ids=lambda method: method.label)
def test_options_reach_the_optimum_of_cvxpy_with_a_certificate(method):
    for sparse, l1 in FORMS:
        P = softmax_problem(l1=l1, sparse=sparse)
        s = cdlab.solve(P, method, tol=1e-6, max_passes=6000, every=10)
        assert s.status == "tolerance reached", (sparse, l1)
        assert P.gap(s.w, s.alpha) == pytest.approx(s.gap, abs=1e-13)
        assert -1e-9 <= P.primal(s.w) - softmax_optimum(0.1, l1) <= s.gap + 1e-9


NEW = ("svrg", "lsvrg", "saga", "asdca", "spdc", "apcg")


def repeats_rows(name, l1):
    X, y = classes()
    times = np.arange(30) % 3
    P = cdlab.Problem(X, y, "softmax", l2=0.1, l1=l1, sample_weight=times)
    rows = cdlab.Problem(np.repeat(X, times, axis=0), np.repeat(y, times), "softmax", l2=0.1, l1=l1)
    s = cdlab.solve(P, name, tol=1e-6, max_passes=5000, every=20)
    assert s.status == "tolerance reached"
    best = cdlab.solve(rows, "sdca", sampling="permutation", tol=1e-10, max_passes=2000)
    assert -1e-9 <= rows.primal(s.w) - rows.primal(best.w) <= s.gap


@each_of("name, l1", list(zip(NEW, cycle([0.0, 0.02]))), pushed=[("svrg", 0.0), ("spdc", 0.0)])
def test_weights_are_equal_rows_and_an_example_of_weight_0_is_left_out(name, l1):
    repeats_rows(name, l1)


@pytest.mark.full  # weights make kernels of their own
@each_of("name, l1", list(zip(NEW, cycle([0.02, 0.0]))))
def test_so_they_are_with_the_other_regulariser(name, l1):
    repeats_rows(name, l1)


@each_of("name", ["svrg", "saga", "spdc"])
def test_without_l2_they_reach_what_fista_reaches(name):
    P = softmax_problem(l2=0.0, l1=0.1)
    s = cdlab.solve(P, name, tol=1e-4, max_passes=4000, every=20)
    best = cdlab.solve(P, "fista", tol=1e-8, max_passes=4000)
    assert s.status == "tolerance reached"
    assert -best.gap <= P.primal(s.w) - P.primal(best.w) <= s.gap


def test_spdc_keeps_a_perturbation_that_is_given():
    P = softmax_problem(l2=0.0, l1=0.1)
    s = cdlab.solve(P, SPDC(delta=0.05), tol=0, max_passes=600)
    perturbed = cdlab.solve(softmax_problem(l2=0.05, l1=0.1), tol=1e-10)
    np.testing.assert_allclose(s.w, perturbed.w, atol=1e-4)


ODD = {
    "zeros": (np.zeros((4, 2)), [0, 1, 2, 0]),
    "a zero row and a zero column": (np.array([[0.0, 1.0], [0.0, 0.0], [0.0, -2.0]]), [0, 1, 2]),
    "one feature": (np.array([[2.0], [0.0], [-1.0]]), [0, 1, 1]),
}


@each_of("name", NEW)
@each_of("l2", [0.1, 1e12])
def test_data_of_odd_shapes_are_solved(name, l2):
    for what, (X, y) in ODD.items():
        s = cdlab.solve(cdlab.Problem(X, y, "softmax", l2=l2), name, tol=1e-3, max_passes=5000, every=20)
        assert s.status == "tolerance reached", what


@both_weights
@each_of("name", NEW)
def test_dense_and_csr_agree_a_seed_repeats_and_a_run_goes_on(name, l1):
    runs = []
    for sparse in (False, True, True):
        s = cdlab.solve(softmax_problem(l1=l1, sparse=sparse), name, tol=0, max_passes=7, seed=3)
        runs.append((s.w, s.alpha, s.trace.column("gap")))
    for dense, csr, again in zip(*runs, strict=True):
        np.testing.assert_allclose(dense, csr, atol=1e-10)
        np.testing.assert_array_equal(csr, again)


@each_of("name", NEW)
def test_refresh_restores_the_definitions(name):
    """Of what is maintained step by step: after it a run is where it was, but for rounding."""
    P, method = softmax_problem(l1=0.02), methods.METHODS[name]()
    S = method.init(P, "uniform", start_of(P))
    orders = method.orders(P, cdlab.samplings.resolve("uniform"), np.random.default_rng(0))
    for _ in range(3):
        S = method.epoch(method.view(P), S, next(orders))
    before, v = (
        method.points(P, S),
        {"svrg": "rows", "lsvrg": "rows", "saga": "rows", "spdc": "rows", "asdca": "v", "apcg": "qp"}[name],
    )
    kept = getattr(S, v).copy()
    method.refresh(P, S)
    np.testing.assert_allclose(method.points(P, S).w, before.w, atol=1e-13)
    if name in ("asdca", "apcg"):
        np.testing.assert_allclose(getattr(S, v), kept, atol=1e-13)
    else:
        np.testing.assert_allclose(S.rows[..., 1 if name != "spdc" else 2], kept[..., 1 if name != "spdc" else 2])


# ---------------------------------------------------------------- two classes
TWO = [name for name, method in methods.METHODS.items() if "vectors" in method.takes]
ELSEWHERE = ("lbfgs", "newton_cd", "agd")  # whose steps depend on more than w_1 - w_0
SAME = [
    *(methods.METHODS[name]() for name in TWO if name not in ELSEWHERE and name != "apcg"),
    *(APCG(smoothness="uniform"), APCG("uniform", primal_step=True), ASDCA(batch_size=4), SPDC(batch_size=4)),
    *(SVRG(snapshot="average"), APPA(SVRG()), AccAPPA(SVRG()), DualAPPA(APCG("uniform")), APPA(accuracy="theory")),
]


@pytest.mark.parametrize("method", pushed(SAME, *SAME[:2]), ids=lambda method: method.label)
@both_weights
def test_two_classes_are_a_logistic_run_with_half_of_l2(method, l1):
    """With w = w_1 - w_0 = 2 w_1 both have the same P, D and gap, and every step is the same: gamma = 2 and l2 is what
    gamma = 4 and l2/2 is. (Of l1, too: |w_0| + |w_1| = |w|.)"""
    X, y = data()
    two, one = cdlab.Problem(X, y, "softmax", l2=0.1, l1=l1), cdlab.Problem(X, y, "logistic", l2=0.05, l1=l1)
    a, b = (cdlab.solve(P, method, tol=0, max_passes=25, seed=1) for P in (two, one))
    np.testing.assert_allclose(a.w[:, 1] - a.w[:, 0], b.w, atol=1e-9)
    np.testing.assert_allclose(a.alpha[:, 1], b.alpha, atol=1e-9)
    for column in ("passes", "primal", "dual"):
        np.testing.assert_allclose(a.trace.column(column), b.trace.column(column), rtol=1e-9, atol=1e-12)
