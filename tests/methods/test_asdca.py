"""ASDCA: its lazy form is the box, its rates are the paper's special cases, and its gamma is divided by R^2."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from forms import FOUR, forms
from problems import SMOOTH, data, problem

import cdlab
from cdlab.methods import Points, asdca
from cdlab.methods.asdca import ASDCA
from cdlab.problems.proximal import ProximalProblem
from cdlab.samplings import Batches, TauNice

SIZES = [ASDCA(), ASDCA(batch_size=4), ASDCA(batch_size=30)]
every_size = pytest.mark.parametrize("method", SIZES, ids=lambda m: m.label)


def dense(P):
    return P.X.toarray() if sp.issparse(P.X) else P.X


def blocks(n, m, count, seed=0):
    rng = np.random.default_rng(seed)
    chosen = np.array([rng.permutation(n)[:m] for _ in range(count)], np.uint64)
    return Batches(chosen.ravel(), m * np.arange(count + 1, dtype=np.uint64))


def after(P, method, order, start=None):
    return method.epoch(method.view(P), method.init(P, "uniform", start), order)


def naive(P, order, theta, start=None):
    """The box as it stands, in O(n + d) an iteration."""
    X, alpha, x = dense(P), np.zeros(P.n), np.zeros(P.d)
    if start is not None:
        alpha, x = start.alpha.copy(), start.w.copy()
    for b in range(order.size):
        chosen = order.indices[order.starts[b] : order.starts[b + 1]].astype(int)
        u = (1 - theta) * x + theta * P.w(alpha)
        slopes = [P.loss.grad_phi(X[i] @ u, P.y[i]) for i in chosen]
        alpha[chosen] = (1 - theta) * alpha[chosen] - theta * np.array(slopes)
        x = (1 - theta) * x + theta * P.w(alpha)
    return x, alpha


# ---------------------------------------------------------------- the algorithm
@pytest.mark.parametrize("m", [1, 4, 30])
@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(FOUR, 0.05))
def test_the_lazy_form_is_the_box(loss, l1, sparse, m):
    P, method = problem(loss, l1=l1, sparse=sparse), ASDCA(batch_size=m)
    order, start = blocks(P.n, m, max(100, 1000 // m)), Points(np.full(P.d, 0.3), P.alpha(np.full(P.d, 0.1)))
    S = after(P, method, order, start)
    x, alpha = naive(P, order, S.theta, start)
    np.testing.assert_allclose(method.points(P, S).w, x, atol=1e-11)
    np.testing.assert_allclose(S.alpha, alpha, atol=1e-11)


@pytest.mark.parametrize("theta", [1e-3, 0.25, 0.999])
def test_a_feature_that_rests_for_long_catches_up(theta):
    """Feature 1 is in example 0 only, drawn at the ends of a long run; for the larger two (1 - theta)^k is then 0."""
    X = np.array([[1.0, 2.0], [1.0, 0.0], [-0.5, 0.0]])
    P, method = cdlab.Problem(X, [1.0, -1.0, 1.0], l2=0.1, l1=0.01), ASDCA(theta=theta)
    order = np.r_[0, 0, np.tile([1, 2], 2500), 0, 1].astype(np.uint64)
    order = Batches(order, np.arange(order.size + 1, dtype=np.uint64))
    S = after(P, method, order)
    x, alpha = naive(P, order, theta)
    np.testing.assert_allclose(method.points(P, S).w, x, atol=1e-11)
    np.testing.assert_allclose(S.alpha, alpha, atol=1e-11)


@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(SMOOTH, 0.05))
def test_the_kernel_is_its_python_twin(loss, l1, sparse):
    P = problem(loss, l1=l1, sparse=sparse)
    order, method = blocks(P.n, 4, 20), ASDCA(batch_size=4)
    S, twin = method.init(P, "uniform"), method.init(P, "uniform")
    t = asdca.asdca_epoch(method.view(P), S, order)
    assert t == getattr(asdca.asdca_epoch, "py_func", asdca.asdca_epoch)(method.view(P), twin, order) == 20
    for name in ("alpha", "v", "x", "change"):
        np.testing.assert_allclose(getattr(S, name), getattr(twin, name), atol=1e-12)


def test_only_the_features_of_the_drawn_examples_are_touched():
    """What is not read cannot matter, however many features there are."""
    X, y = data()
    wide = sp.csr_matrix(np.c_[X, np.zeros((30, 50))])
    P, Q, method = cdlab.Problem(sp.csr_matrix(X), y, l2=0.1), cdlab.Problem(wide, y, l2=0.1), ASDCA(batch_size=4)
    S, T = method.init(P, "uniform"), method.init(Q, "uniform")
    T.v[8:], T.x[8:] = np.nan, np.nan
    S, T = method.epoch(method.view(P), S, blocks(30, 4, 50)), method.epoch(method.view(Q), T, blocks(30, 4, 50))
    np.testing.assert_allclose(T.x[:8], S.x, atol=1e-14)
    np.testing.assert_allclose(T.alpha, S.alpha, atol=1e-14)


@every_size
def test_blocks_are_drawn_without_replacement_and_set_theta(method):
    P = problem()
    m = method.batch_size or 1
    k = P.loss.gamma / P.R**2 * P.l2 * P.n
    assert method.init(P, "uniform").theta == pytest.approx(
        min(1, (k / m) ** 0.5, k, k ** (2 / 3) / m ** (1 / 3)) / 4, rel=1e-14
    )
    order = next(method.orders(P, cdlab.samplings.resolve("uniform"), np.random.default_rng(0)))
    assert order.size == -(-P.n // m)
    for b in range(order.size):
        block = order.indices[order.starts[b] : order.starts[b + 1]]
        assert len(set(block.tolist())) == block.size == m


def test_batch_size_is_tau_nice_sampling():
    P = problem()
    a = cdlab.solve(P, ASDCA(batch_size=4), tol=0, max_passes=20, seed=1)
    b = cdlab.solve(P, ASDCA(), sampling=TauNice(4), tol=0, max_passes=20, seed=1)
    np.testing.assert_array_equal(a.w, b.w)


# ---------------------------------------------------------------- the rates, and the misprint
def test_the_rates_at_the_two_ends_are_sdca_s_and_accelerated_gradient_descent_s():
    """n/(m theta) = 4 max{n/m, sqrt(n/(m g)), 1/(m g), n^(1/3)/(m g)^(2/3)}, g = gamma_s l2. In logarithms each term is
    linear in a = ln n and b = ln(1/g): a mean of others, or less than another, never decides.
    """
    import sympy

    a, b, s = sympy.Symbol("a", real=True), sympy.Symbol("b", real=True), sympy.Symbol("s", nonnegative=True)
    n, g, m = sympy.symbols("n g m", positive=True)
    k, third = g * n, sympy.Rational(1, 3)
    theta = [1, sympy.sqrt(k / m), k, k ** (2 * third) / m**third]

    def terms(at):
        """ln of n/(m theta), theta a quarter of each term in turn, less ln 4."""
        return [
            sympy.expand(
                sympy.expand_log(
                    sympy.log(n / (m * t)).subs(m, at).subs({n: sympy.exp(a), g: sympy.exp(-b)}), force=True
                )
            )
            for t in theta
        ]

    first, second, third_, fourth = terms(1)  # m = 1: 4 max{n, 1/g}
    assert (first, third_) == (a, b)
    assert sympy.simplify(second - (a + b) / 2) == 0
    assert sympy.simplify(fourth - (a + 2 * b) / 3) == 0

    first, second, third_, fourth = terms(n)  # m = n and g >= n^-2, that is b = 2a - s: 4 max{1, 1/sqrt(g)}
    assert (first, second) == (0, b / 2)
    assert sympy.simplify((second - third_).subs(a, (b + s) / 2) - s / 2) == 0
    assert sympy.simplify((second - fourth).subs(a, (b + s) / 2) - s / 6) == 0

    general = [sympy.log(n / (m * t)) for t in theta]  # for every m: the last one is a mean of the two before it
    assert sympy.simplify(sympy.expand_log(general[3] - (2 * general[1] + general[2]) / 3, force=True)) == 0


@each_of("n", [2, 30, 10_000])
def test_and_theta_has_these_rates(n):
    for g in np.geomspace(1e-9, 1e3, 40):
        assert n / asdca.theta(g * n, 1) == pytest.approx(4 * max(n, 1 / g))
        assert 2 <= n / asdca.theta(g * n, 1) / (n + 1 / g) <= 4  # sdca's n + 1/(gamma_s l2)
        if g >= n**-2:
            assert 1 / asdca.theta(g * n, n) == pytest.approx(4 * max(1, g**-0.5))


@pytest.mark.parametrize("m", [1, 4, 30])
def test_with_the_scalar_gamma_it_diverges_and_with_gamma_over_R2_it_converges(m):
    """The paper writes gamma for functions of w: phi_i(x_i'w) is ||x_i||^2/gamma-smooth. Here R = 10, with rows that
    have much in common, so that a mini-batch is no smoother than its examples."""
    X = np.ones((30, 8)) + 0.5 * np.random.default_rng(0).standard_normal((30, 8))
    P = cdlab.Problem(10 * X / np.linalg.norm(X, axis=1).max(), data()[1], loss="squared", l2=0.1)
    printed = ASDCA(batch_size=m, theta=asdca.theta(P.loss.gamma * P.l2 * P.n, m))
    assert cdlab.solve(P, printed, max_passes=2000).status == "diverged"
    assert cdlab.solve(P, ASDCA(batch_size=m), tol=1e-8, max_passes=20_000).status == "tolerance reached"


# ---------------------------------------------------------------- state and passes
def test_inputs_are_not_changed():
    X, y = (a.copy() for a in data())
    start = Points(np.ones(8), 0.1 * y)
    after(cdlab.Problem(X, y, l2=0.1), ASDCA(batch_size=4), blocks(30, 4, 50), start)
    np.testing.assert_array_equal(X, data()[0])
    np.testing.assert_array_equal(y, data()[1])
    np.testing.assert_array_equal(start.w, np.ones(8))
    np.testing.assert_array_equal(start.alpha, 0.1 * y)


def test_refresh_restores_v_and_leaves_x():
    P, method = problem(l1=0.02), ASDCA(batch_size=4)
    S = after(P, method, blocks(30, 4, 50))
    np.testing.assert_allclose(S.v, P.v(S.alpha), atol=1e-15)
    w = method.points(P, S).w
    S.v[:] += 1e-3
    method.refresh(P, S)
    np.testing.assert_allclose(S.v, P.v(S.alpha), atol=1e-16)
    np.testing.assert_allclose(method.points(P, S).w, w, atol=1e-14)


def test_passes_are_the_nonzeros_of_the_drawn_examples():
    P, method = problem(sparse=True), ASDCA(batch_size=2)
    order = Batches(np.array([3, 0, 3, 7], np.uint64), np.array([0, 2, 4], np.uint64))
    S = after(P, method, order)
    counts = np.diff(P.X.indptr)
    assert method.count(P, S, order)[:2] == (2, 2 * counts[3] + counts[0] + counts[7])


def test_a_long_run_does_not_drift():
    P, method = problem(l1=0.02), ASDCA(batch_size=4)
    S = after(P, method, blocks(30, 4, 50_000))
    np.testing.assert_allclose(S.v, P.v(S.alpha), atol=1e-13)
    points = method.points(P, S)
    assert P.gap(points.w, points.alpha) <= 1e-14


@pytest.mark.parametrize(("l2", "l1"), [(0.0, 0.0), (0.1, 0.02)])
def test_it_solves_proximal_problems(l2, l1):
    Q = ProximalProblem(problem(l2=l2, l1=l1, sparse=True), 0.05, np.random.default_rng(5).standard_normal(8))
    s = cdlab.solve(Q, ASDCA(batch_size=4), tol=1e-10, max_passes=20_000)
    assert s.status == "tolerance reached"
    np.testing.assert_allclose(s.w, cdlab.solve(Q, "sdca", tol=1e-12, max_passes=5000).w, atol=1e-4)


# ---------------------------------------------------------------- refusals


def test_a_block_has_at_most_n_examples():
    with pytest.raises(ValueError, match="take batch_size <= 30"):
        cdlab.solve(problem(), ASDCA(batch_size=31))


@each_of("theta", [0.0, 1.0, -0.1, np.nan])
def test_theta_lies_between_0_and_1(theta):
    with pytest.raises(ValueError, match="theta must be a number between 0 and 1"):
        ASDCA(theta=theta)


def test_a_step_of_one_s_own_shows_in_the_label():
    s = cdlab.solve(problem(), ASDCA(batch_size=4, theta=0.2), tol=1e-6)
    assert s.trace.meta["method"] == "asdca(batch_size=4, theta=0.2)"
