"""SPDC: its lazy form is the box, its kernels are their Python twins, and its misprints fail."""

import numpy as np
import pytest
import scipy.sparse as sp
from forms import FOUR, forms
from problems import LOSSES, data, optimum, problem
from spdc_box import after, blocks, dense, every_kind, naive, primal, soft

import cdlab
from cdlab.methods import Points, spdc
from cdlab.methods.spdc import BEFORE, SPDC, U
from cdlab.samplings import Batches, TauNice


# ---------------------------------------------------------------- the algorithm
@every_kind
@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(FOUR, 0.05))
def test_the_lazy_form_is_the_box(loss, l1, sparse, method, sampling):
    P = problem(loss, l1=l1, sparse=sparse)
    m = method.batch_size or 1
    order, start = blocks(P.n, m, max(100, 1000 // m)), Points(np.full(P.d, 0.3), P.alpha(np.full(P.d, 0.1)))
    S = after(P, method, order, sampling, start)
    x, y = naive(P, order, S, sampling == "norms", start)
    np.testing.assert_allclose(primal(S), x, atol=1e-11)
    np.testing.assert_allclose(S.y, y, atol=1e-11)


@pytest.mark.parametrize("m", [1, 2])
@pytest.mark.parametrize(
    ("loss", "l2", "l1"), [("squared", 0.1, 0.05), ("absolute", 0.0, 0.3), ("logistic", 1e-9, 0.01)]
)
def test_a_feature_that_rests_for_long_catches_up(loss, l2, l1, m):
    """Feature 1 is in example 0 only, drawn at the ends of a long run; it crosses 0 meanwhile."""
    A = np.array([[1.0, 2.0], [1.0, 0.0], [-0.5, 0.0], [0.7, 0.0]])
    P, method = cdlab.Problem(A, [1.0, -1.0, 1.0, 1.0], loss, l2=l2, l1=l1), SPDC(delta=1e-3)
    rests = np.tile([1, 2, 3, 1], 1000).reshape(-1, m)
    ends = [[0], [0]] if m == 1 else [[0, 3], [1, 0]]
    order = np.concatenate([ends, rests, ends]).astype(np.uint64)
    order = Batches(order.ravel(), m * np.arange(len(order) + 1, dtype=np.uint64))
    start = Points(np.array([0.0, 1.0]), np.zeros(4))
    S = after(P, method, order, TauNice(m), start)
    x, y = naive(P, order, S, start=start)
    np.testing.assert_allclose(primal(S), x, atol=1e-11)
    np.testing.assert_allclose(S.y, y, atol=1e-11)


def test_a_coordinate_read_in_two_iterations_running_keeps_its_x():
    """The paper takes x before the last iteration from the formula for k - 1 steps. With k = 0 that undoes a step along
    the new u, and is another point: the step was made along u + Delta, before u changed."""
    P, order = problem("squared", sparse=True), blocks(30, 1, 5)
    S, before = after(P, SPDC(), order), after(P, SPDC(), Batches(order.indices[:-1], order.starts[:-1]))
    touched = np.flatnonzero(dense(P)[int(order.indices[-1])])
    np.testing.assert_allclose(S.rows[touched, BEFORE], primal(before)[touched], atol=1e-14)
    tau = S.table.tau
    printed = primal(S) * (1 + tau * P.l2) + tau * S.rows[:, U]
    assert abs(printed - primal(before))[touched].max() > 1e-3
    twice = Batches(np.repeat(order.indices, 20), np.arange(101, dtype=np.uint64))
    S = after(P, SPDC(), twice)
    np.testing.assert_allclose(primal(S), naive(P, twice, S)[0], atol=1e-12)


def test_only_the_features_of_the_drawn_examples_are_touched():
    """What is not read cannot matter, however many features there are."""
    A, y = data()
    wide = sp.csr_matrix(np.c_[A, np.zeros((30, 50))])
    P, Q = cdlab.Problem(sp.csr_matrix(A), y, l2=0.1), cdlab.Problem(wide, y, l2=0.1)
    for method in (SPDC(), SPDC(batch_size=4)):
        m = method.batch_size or 1
        S, T = method.init(P, "uniform"), method.init(Q, "uniform")
        T.rows[8:] = np.nan
        S, T = method.epoch(method.view(P), S, blocks(30, m, 50)), method.epoch(method.view(Q), T, blocks(30, m, 50))
        np.testing.assert_allclose(T.rows[:8], S.rows, atol=1e-14)
        np.testing.assert_allclose(T.y, S.y, atol=1e-14)


@every_kind
@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(LOSSES, 0.05))
def test_the_kernels_are_their_python_twins(loss, l1, sparse, method, sampling):
    P = problem(loss, l1=l1, sparse=sparse)
    order, states = blocks(P.n, method.batch_size or 1, 20), []
    kernel = spdc.spdc_block_epoch if method.batch_size else spdc.spdc_epoch
    for run in (kernel, getattr(kernel, "py_func", kernel)):
        S = method.init(P, sampling)
        assert run(method.view(P), S, order if method.batch_size else order.indices) == 20
        states.append(S)
    for name in ("rows", "y", "xbar", "change"):
        np.testing.assert_allclose(*(getattr(S, name) for S in states), atol=1e-12)


# ---------------------------------------------------------------- special cases
def test_blocks_of_one_are_uniform_sampling():
    P, order = problem(l1=0.02), blocks(30, 1, 60)
    one, tau_nice, size = SPDC(), TauNice(1), SPDC(batch_size=1)
    for other in (after(P, one, order, tau_nice), after(P, size, order)):
        np.testing.assert_array_equal(other.rows, after(P, one, order).rows)


def test_batch_size_is_tau_nice_sampling():
    P = problem()
    a = cdlab.solve(P, SPDC(batch_size=4), tol=0, max_passes=20, seed=1)
    b = cdlab.solve(P, SPDC(), sampling=TauNice(4), tol=0, max_passes=20, seed=1)
    np.testing.assert_array_equal(a.w, b.w)


@pytest.mark.parametrize(("loss", "l1", "sparse"), forms(["squared", "huber"], 0.05))
def test_with_all_examples_it_is_chambolle_and_pock_s_method(loss, l1, sparse):
    """min_x max_y <K x, y> - F*(y) + G(x) with K = X/n: y <- prox_{sigma F*}(y + sigma K xbar), then
    x <- prox_{tau G}(x - tau K'y), with sigma = n s. For F*(y) = (1/n) sum_i (b_i y_i + y_i^2/2), huber's on [-1, 1],
    the dual prox is division by 1 + sigma/n."""
    P = problem(loss, l1=l1, sparse=sparse)
    S, order = SPDC(batch_size=P.n).init(P, "uniform"), blocks(P.n, P.n, 200)
    K, sigma, tau = P.X / P.n, P.n * S.s, S.table.tau
    x, xbar, y = np.zeros(P.d), np.zeros(P.d), np.zeros(P.n)
    for _ in range(200):
        y = (y + sigma * (K @ xbar - P.y / P.n)) / (1 + sigma / P.n)
        if loss == "huber":
            y = np.clip(y, -1, 1)
        new = soft(x - tau * K.T @ y, tau * l1) / (1 + tau * P.l2)
        xbar, x = new + S.theta * (new - x), new
    S = after(P, SPDC(batch_size=P.n), order)
    np.testing.assert_allclose(primal(S), x, atol=1e-11)
    np.testing.assert_allclose(S.y, y, atol=1e-11)


def test_algorithm_2_adds_to_u_over_n_and_not_over_p_n():
    """The paper's Algorithm 2 has lost the line of u. With the weight of x's line, 1/(p_k n), it stalls."""
    P = problem("squared", l2=0.05)
    p = SPDC().init(P, "norms").p
    order = np.random.default_rng(0).choice(P.n, 6000, p=p).astype(np.uint64)
    order = Batches(order, np.arange(6001, dtype=np.uint64))
    S = after(P, SPDC(), order, "norms")
    best, scale = optimum("squared", 0.05, 0.0), P.primal(np.zeros(P.d))
    assert P.primal(primal(S)) - best <= 1e-9 * scale
    wrong, _ = naive(P, order, S, weighted=True, u_divides_by=lambda k: p[k] * P.n)
    assert P.primal(wrong) - best >= 1e-2 * scale
