"""SPDC: its lazy form is the box, with m = n it is Chambolle and Pock's method, its perturbation is what it says, its
misprints fail, and what every method owes."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from problems import LOSSES, NON_SMOOTH, SMOOTH, data, optimum, pairwise, problem

import cdlab
from cdlab.methods import Points, spdc_epochs
from cdlab.methods.spdc import SPDC
from cdlab.methods.spdc_epochs import BEFORE, LAST, U, X, arrive_all
from cdlab.problems.proximal import ProximalProblem
from cdlab.samplings import Batches, TauNice

KINDS = [
    (SPDC(), "uniform"),
    (SPDC(), "norms"),
    (SPDC(batch_size=4), "uniform"),
    (SPDC(batch_size=30), "uniform"),
    (SPDC(batch_size=4), "norms"),
]
every_kind = pytest.mark.parametrize(("method", "sampling"), KINDS, ids=["one", "norms", "four", "all", "norms-four"])


def dense(P):
    return P.X.toarray() if sp.issparse(P.X) else P.X


def blocks(n, m, count, seed=0):
    rng = np.random.default_rng(seed)
    chosen = np.array([rng.permutation(n)[:m] for _ in range(count)], np.uint64)
    return Batches(chosen.ravel(), m * np.arange(count + 1, dtype=np.uint64))


def after(P, method, order, sampling="uniform", start=None):
    return method.epoch(method.view(P), method.init(P, sampling, start), order)


def primal(S):
    rows = S.rows.copy()
    arrive_all(S, rows)
    return rows[:, X]


def soft(x, t):
    return np.sign(x) * np.maximum(abs(x) - t, 0)


def naive(P, order, S, weighted=False, start=None, u_divides_by=None):
    """The box as it stands, in O(n + d) an iteration, with the parameters of S: x, y."""
    A, n, tau, s, m, l2 = dense(P), P.n, S.table.tau, S.s, S.m, S.reg.l2
    x, y = (np.zeros(P.d), np.zeros(n)) if start is None else (start.w.copy(), -start.alpha)
    xbar, u = x.copy(), A.T @ y / n
    for b in range(order.size):
        K = order.indices[order.starts[b] : order.starts[b + 1]].astype(int)
        Delta, over = np.zeros(P.d), np.zeros(P.d)  # of u, and of x
        for k, z in [(k, A[k] @ xbar) for k in K]:
            many = S.p[k] * n if weighted else m
            q = many / m / s
            new = P.loss.dualprox(z, q / (q + S.delta) * y[k], q + S.delta, P.y[k])
            Delta += (new - y[k]) * A[k]
            over += (new - y[k]) * A[k] / many
            y[k] = new
        moved = soft(x - tau * (u + over), tau * P.l1) / (1 + tau * l2)
        u += Delta / (n if u_divides_by is None else u_divides_by(K[0]))
        xbar, x = moved + S.theta * (moved - x), moved
    return x, y


# ---------------------------------------------------------------- the algorithm
@every_kind
@pytest.mark.parametrize(("loss", "l1"), [("logistic", 0.0), ("smooth_hinge", 0.02), ("squared", 0.05)])
@pytest.mark.parametrize("sparse", [False, True])
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
@pytest.mark.parametrize("l1", [0.0, 0.05])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_kernels_are_their_python_twins(sparse, l1, method, sampling):
    for loss in LOSSES:
        P = problem(loss, l1=l1, sparse=sparse)
        order, states = blocks(P.n, method.batch_size or 1, 20), []
        kernel = spdc_epochs.spdc_block_epoch if method.batch_size else spdc_epochs.spdc_epoch
        for run in (kernel, getattr(kernel, "py_func", kernel)):
            S = method.init(P, sampling)
            assert run(method.view(P), S, order if method.batch_size else order.indices) == 20
            states.append(S)
        for name in ("rows", "y", "xbar", "change"):
            np.testing.assert_allclose(*(getattr(S, name) for S in states), atol=1e-12)


# ---------------------------------------------------------------- its parameters
def test_the_parameters_are_the_paper_s():
    P = problem("squared_hinge", l2=0.03)
    n, gamma, l2 = P.n, P.loss.gamma, P.l2
    norms = np.linalg.norm(P.X, axis=1)
    for m in (1, 4, 30):
        R, S = norms.max(), SPDC().init(P, TauNice(m))
        assert S.table.tau == pytest.approx(np.sqrt(m * gamma / (n * l2)) / (2 * R), rel=1e-14)
        assert S.s == pytest.approx(np.sqrt(n * l2 / (m * gamma)) / (2 * R), rel=1e-14)
        assert S.theta == pytest.approx(1 - 1 / (n / m + R * np.sqrt(n / (m * l2 * gamma))), rel=1e-14)
    R, S = norms.mean(), SPDC().init(P, "norms")
    assert S.table.tau == pytest.approx(np.sqrt(gamma / (n * l2)) / (4 * R), rel=1e-14)
    assert S.s == pytest.approx(np.sqrt(n * l2 / gamma) / (4 * R), rel=1e-14)
    assert S.theta == pytest.approx(1 - 1 / (2 * n + 2 * R * np.sqrt(n / (l2 * gamma))), rel=1e-14)
    np.testing.assert_allclose(S.p, 1 / (2 * n) + norms / (2 * norms.sum()), rtol=1e-14)


@pytest.mark.parametrize("m", [1, 2, 7, 30])
def test_batches_of_algorithm_2_have_the_steps_that_their_proof_asks_for(m):
    P = problem("squared_hinge", l2=0.03)
    n, gamma, l2, norms = P.n, P.loss.gamma, P.l2, np.linalg.norm(P.X, axis=1)
    S = SPDC(batch_size=m).init(P, "norms")
    p = 1 / (2 * n) + norms / (2 * norms.sum())
    np.testing.assert_allclose(S.p, 1 - (1 - p) ** m, rtol=1e-12)
    assert (m * norms / (S.p * n)).max() <= S.M * (1 + 1e-12)
    assert (1 / S.p).max() <= S.N * (1 + 1e-12)
    assert 4 * S.table.tau * S.s * S.M**2 == pytest.approx(1)
    assert S.theta == pytest.approx(1 - 1 / (S.N + S.M * np.sqrt(n / (m * l2 * gamma))), rel=1e-14)
    one = SPDC().init(P, "norms")
    if m == 1:
        assert (S.M, S.N, S.s, S.theta) == (one.M, one.N, one.s, one.theta)


# ---------------------------------------------------------------- what Algorithm 2 is for
def passes(P, method, sampling):
    s = cdlab.solve(P, method, sampling=sampling, tol=1e-6, max_passes=2000)
    assert s.status == "tolerance reached"
    return s.trace.records[-1].passes


def uneven(length, n=500, d=20):
    """Gaussian rows of length 1, but for one."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((n, d))
    A /= np.linalg.norm(A, axis=1, keepdims=True)
    y = np.where(A @ rng.standard_normal(d) + 0.1 * rng.standard_normal(n) > 0, 1.0, -1.0)
    A[0] *= length
    return cdlab.Problem(A, y, l2=1e-3)


@pytest.mark.parametrize("batch_size", [None, 4])
def test_algorithm_2_does_not_mind_a_few_long_rows(batch_size):
    """Algorithm 1 pays for the longest row and Algorithm 2 for the mean: n + R sqrt(n/(l2 gamma)) against twice
    n + Rbar sqrt(n/(l2 gamma)). So the first is up to twice as fast on rows of one length, and far behind else."""
    method = SPDC(batch_size=batch_size)
    even, P = uneven(1.0), uneven(25.0)
    assert P.constants()["R"] > 20 * P.constants()["Rbar"]
    assert passes(even, method, "uniform") < passes(even, method, "norms") < 2.5 * passes(even, method, "uniform")
    assert 3 * passes(P, method, "norms") < passes(P, method, "uniform")
    assert passes(P, method, "norms") < 1.5 * passes(even, method, "norms")


def test_of_gaussian_rows_the_longest_grows_and_the_mean_converges():
    d, lengths = 50, {}
    for n in (100, 1000, 10_000, 100_000):
        rows = [np.linalg.norm(np.random.default_rng(seed).standard_normal((n, d)), axis=1) for seed in range(5)]
        lengths[n] = np.median([r.max() for r in rows]), np.median([r.mean() for r in rows])
    longest, mean = np.transpose(list(lengths.values()))
    assert (np.diff(longest) > 0.1).all()
    expected = np.sqrt(2) * np.exp(math.lgamma((d + 1) / 2) - math.lgamma(d / 2))  # of the chi distribution
    assert (abs(mean - expected) < 2 / np.sqrt(list(lengths))).all()


def test_steps_of_one_s_own():
    P = problem(l2=0.03)
    default = SPDC().init(P, "uniform")
    for given in (SPDC(step=default.table.tau), SPDC(dual_step=default.s), SPDC(theta=default.theta)):
        S = given.init(P, "uniform")
        assert (S.table.tau, S.s, S.theta) == pytest.approx((default.table.tau, default.s, default.theta), rel=1e-14)
    S = SPDC(step=0.1).init(P, "uniform")
    assert 4 * S.table.tau * S.s * P.R**2 == pytest.approx(1)
    slower = max(1 + 1 / (2 * 0.1 * P.l2), P.n + P.n / (2 * S.s * P.loss.gamma))
    assert S.theta == pytest.approx(1 - 1 / slower, rel=1e-14)
    S = SPDC(step=0.1, dual_step=3, theta=0.5).init(P, "uniform")
    assert (S.table.tau, S.s, S.theta) == (0.1, 3, 0.5)
    s = cdlab.solve(P, SPDC(batch_size=4, step=0.02), tol=1e-8, max_passes=5000)
    assert s.status == "tolerance reached"
    assert s.trace.meta["method"] == "spdc(batch_size=4, step=0.02)"


@pytest.mark.parametrize(
    "wrong",
    [{"step": 0.0}, {"dual_step": np.inf}, {"delta": "fast"}, {"delta": -1.0}, {"theta": 1.1}, {"batch_size": 0}],
)
def test_parameters_are_checked(wrong):
    with pytest.raises(ValueError, match=f"spdc's {next(iter(wrong))} must be"):
        SPDC(**wrong)


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


@pytest.mark.parametrize("l1", [0.0, 0.05])
@pytest.mark.parametrize("loss", ["squared", "huber"])
def test_with_all_examples_it_is_chambolle_and_pock_s_method(loss, l1):
    """min_x max_y <K x, y> - F*(y) + G(x) with K = X/n: y <- prox_{sigma F*}(y + sigma K xbar), then
    x <- prox_{tau G}(x - tau K'y), with sigma = n s. For F*(y) = (1/n) sum_i (b_i y_i + y_i^2/2), huber's on [-1, 1],
    the dual prox is division by 1 + sigma/n."""
    P = problem(loss, l1=l1)
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


# ---------------------------------------------------------------- the perturbation
def smoothed(loss, delta):
    return {"hinge": cdlab.losses.SmoothHinge, "absolute": cdlab.losses.Huber}[loss](delta)


@pytest.mark.parametrize("m", [1, 4])
@pytest.mark.parametrize(("loss", "l2", "l1"), [("hinge", 0.1, 0.0), ("absolute", 0.0, 0.05), ("logistic", 0.0, 0.0)])
def test_with_delta_it_is_spdc_on_the_perturbed_problem(loss, l2, l1, m):
    """hinge + delta is smooth_hinge(delta), absolute + delta is huber(delta), and l2 = 0 + delta is l2 = delta."""
    P, delta = problem(loss, l2=l2, l1=l1), 0.03
    Q = cdlab.Problem(P.X, P.y, smoothed(loss, delta) if loss in NON_SMOOTH else loss, l2=l2 or delta, l1=l1)
    order = blocks(P.n, m, 200)
    S, T = (after(R, SPDC(delta=delta), order, TauNice(m)) for R in (P, Q))
    np.testing.assert_allclose(S.rows, T.rows, atol=1e-13)
    np.testing.assert_allclose(S.y, T.y, atol=1e-13)


@pytest.mark.parametrize(("loss", "l2", "l1"), [("hinge", 0.1, 0.0), ("logistic", 0.0, 0.02), ("absolute", 0.0, 0.1)])
def test_a_fixed_delta_ends_within_eps(loss, l2, l1):
    P, delta = problem(loss, l2=l2, l1=l1), 0.01
    w = cdlab.solve(P, SPDC(delta=delta), tol=0, max_passes=4000, every=100).w
    eps = delta / 2 * (w @ w * (l2 == 0) + (loss in NON_SMOOTH))
    over = P.primal(w) - optimum(loss, l2, l1)
    assert -1e-8 <= over <= 1.1 * eps


@pytest.mark.parametrize(
    ("loss", "l2", "l1", "tol"),
    [
        ("logistic", 0.0, 0.02, 1e-4),
        ("squared", 0.0, 0.05, 1e-4),
        ("hinge", 0.0, 0.1, 1e-2),
        ("absolute", 0.0, 0.1, 1e-2),
        ("hinge", 1e-3, 0.02, 1e-3),
    ],
)
@pytest.mark.parametrize("size", [None, 4])
def test_a_falling_delta_suits_any_tolerance(loss, l2, l1, tol, size):
    P = problem(loss, l2=l2, l1=l1)
    s = cdlab.solve(P, SPDC(batch_size=size), tol=tol, max_passes=20_000, every=5)
    assert s.status == "tolerance reached"
    assert -1e-8 <= P.primal(s.w) - optimum(loss, l2, l1) <= s.gap + 1e-8


def test_without_any_regulariser_the_gradient_vanishes():
    P = problem("squared", l2=0.0)
    s = cdlab.solve(P, SPDC(), tol=1e-4, max_passes=20_000, every=10)
    assert s.status == "gradient small"
    best = np.linalg.lstsq(P.X, P.y, rcond=None)[0]
    assert P.primal(s.w) - P.primal(best) <= 1e-6


def test_delta_falls_as_fast_as_theory_lets_the_distance_fall():
    P = problem("hinge", l2=1e-3)
    run = cdlab.iterate(P, SPDC(), seed=0)
    start, since, bound = run._state.delta, run._state.delta, 1.0
    for _ in range(200):
        rate = run._state.rate
        next(run)
        bound *= rate ** (P.n / 2 if run.trace.records[-1].iteration else 0)
        S = run._state
        assert S.fall * S.delta == pytest.approx(start * bound, rel=1e-9)
        assert S.fall > 0.5
        assert S.delta <= since
        since = S.delta
        assert S.rate == pytest.approx(1 - 1 / (P.n + P.R * np.sqrt(P.n / (P.l2 * S.delta))), rel=1e-12)
    assert S.delta < start / 3


def test_the_two_deltas_come_to_cost_the_same():
    P = problem("hinge", l2=0.0, l1=0.05)
    run = cdlab.iterate(P, SPDC(), seed=0)
    while next(run).passes < 3000:
        pass
    S, w = run._state, run.w
    assert S.delta / (S.reg.l2 * (w @ w)) == pytest.approx(1, rel=0.1)


# ---------------------------------------------------------------- what every method owes
@pytest.mark.parametrize(
    ("loss", "l1", "sparse", "kind"),
    pairwise(LOSSES, [0.0, 0.02], [False, True], KINDS),
    ids=lambda value: f"{value[0].label}-{value[1]}" if isinstance(value, tuple) else str(value),
)
def test_it_reaches_the_optimum(loss, l1, sparse, kind):
    P, tol = problem(loss, l1=l1, sparse=sparse), 1e-9 if loss in SMOOTH else 1e-4
    s = cdlab.solve(P, kind[0], sampling=kind[1], tol=tol, max_passes=20_000, seed=1, every=5)
    assert s.status == "tolerance reached"
    assert P.gap(s.w, s.alpha) == pytest.approx(s.gap, abs=1e-15)
    scale = P.primal(np.zeros(P.d))
    assert -1e-9 * scale <= P.primal(s.w) - optimum(loss, 0.1, l1) <= s.gap + 1e-9 * scale


@pytest.mark.parametrize("sampling", ["permutation", "fixed_permutation", "cyclic"])
def test_it_runs_in_orders_that_no_theorem_covers(sampling):
    s = cdlab.solve(problem(l1=0.02), SPDC(), sampling=sampling, tol=1e-8, max_passes=1000)
    assert s.status == "tolerance reached"


@pytest.mark.parametrize("l1", [0.0, 0.02])
@every_kind
def test_dense_and_csr_agree_and_the_seed_decides(method, sampling, l1):
    first, again, csr = (
        cdlab.solve(problem(l1=l1, sparse=sparse), method, sampling=sampling, tol=0, max_passes=60, seed=3)
        for sparse in (False, False, True)
    )
    for a, b, c in zip(first.trace.records, again.trace.records, csr.trace.records, strict=True):
        assert (a.passes, a.primal, a.dual) == (b.passes, b.primal, b.dual)
        assert (c.passes, c.primal, c.dual) == pytest.approx((a.passes, a.primal, a.dual), abs=1e-10)
    np.testing.assert_allclose(first.w, csr.w, atol=1e-10)


def test_how_often_it_is_measured_changes_nothing():
    often, rarely = (
        cdlab.solve(problem("hinge", l1=0.02), SPDC(), tol=0, max_passes=60, every=every) for every in (1, 15)
    )
    np.testing.assert_array_equal(often.w, rarely.w)


def test_the_certificate_is_the_better_of_two_primal_points():
    P, method = problem(l1=0.02), SPDC()
    kinds = set()
    for count in (1, 3, 10, 30, 100, 300):
        S = after(P, method, blocks(P.n, 1, count))
        points, x, w = method.points(P, S), primal(S), P.w(-S.y)
        assert P.primal(points.w) == pytest.approx(min(P.primal(x), P.primal(w)), rel=1e-14)
        kinds.add(P.primal(x) < P.primal(w))
        np.testing.assert_array_equal(points.alpha, -S.y)
        np.testing.assert_allclose(points.z, P.predict(points.w), atol=1e-15)
        np.testing.assert_allclose(points.v, P.v(points.alpha), atol=1e-15)
    assert kinds == {False, True}


def test_inputs_are_not_changed():
    A, y = (a.copy() for a in data())
    start = Points(np.ones(8), 0.1 * y)
    for m in (1, 4):
        after(cdlab.Problem(A, y, l2=0.1), SPDC(), blocks(30, m, 50), TauNice(m), start)
    np.testing.assert_array_equal(A, data()[0])
    np.testing.assert_array_equal(y, data()[1])
    np.testing.assert_array_equal(start.w, np.ones(8))
    np.testing.assert_array_equal(start.alpha, 0.1 * y)


@pytest.mark.parametrize("l2", [0.02, 0.1, 1e12])
@pytest.mark.parametrize(
    "A",
    [
        np.zeros((3, 2)),
        np.array([[0.0, 1.0], [0.0, 0.0], [0.0, -2.0]]),
        np.array([[2.0, 1.0]]),
        np.array([[1.0], [3.0]]),
    ],
    ids=["zeros", "zero row and column", "one example", "one feature"],
)
@pytest.mark.parametrize("kind", ["one", "norms", "all"])
def test_odd_shapes(kind, A, l2):
    P = cdlab.Problem(A, np.r_[1.0, -np.ones(len(A) - 1)], loss="smooth_hinge", l2=l2)
    method, sampling = SPDC(batch_size=len(A) if kind == "all" else None), "norms" if kind == "norms" else "uniform"
    s = cdlab.solve(P, method, sampling=sampling, tol=1e-8, max_passes=100_000, every=20)
    assert s.status == "tolerance reached"
    assert s.w[np.abs(A).sum(0) == 0] == pytest.approx(0)


@pytest.mark.parametrize("m", [1, 4])
def test_refresh_restores_u_and_leaves_x(m):
    P, method = problem(l1=0.02), SPDC()
    S = after(P, method, blocks(30, m, 50), TauNice(m))
    np.testing.assert_allclose(-S.rows[:, U], P.v(-S.y), atol=1e-15)
    x = primal(S)
    S.rows[:, U] += 1e-3
    method.refresh(P, S)
    np.testing.assert_allclose(-S.rows[:, U], P.v(-S.y), atol=1e-16)
    np.testing.assert_allclose(primal(S), x, atol=1e-14)


def test_passes_are_the_nonzeros_of_the_drawn_examples():
    P, method = problem(sparse=True), SPDC(batch_size=2)
    order = Batches(np.array([3, 0, 3, 7], np.uint64), np.array([0, 2, 4], np.uint64))
    counts = np.diff(P.X.indptr)
    assert method.count(P, after(P, method, order), order) == (2, 2 * counts[3] + counts[0] + counts[7])
    order = Batches(order.indices, np.arange(5, dtype=np.uint64))
    assert method.count(P, after(P, SPDC(), order), order) == (4, 2 * counts[3] + counts[0] + counts[7])


@pytest.mark.parametrize("m", [1, 4])
def test_a_long_run_does_not_drift(m):
    P, method = problem(l1=0.02), SPDC()
    S = after(P, method, blocks(30, m, 50_000), TauNice(m))
    np.testing.assert_allclose(-S.rows[:, U], P.v(-S.y), atol=1e-13)
    assert S.rows[:, LAST].max() == S.t - 1
    points = method.points(P, S)
    assert P.gap(points.w, points.alpha) <= 1e-14


@pytest.mark.parametrize(("l2", "l1"), [(0.0, 0.0), (0.1, 0.02)])
def test_it_solves_proximal_problems(l2, l1):
    Q = ProximalProblem(problem(l2=l2, l1=l1, sparse=True), 0.05, np.random.default_rng(5).standard_normal(8))
    s = cdlab.solve(Q, SPDC(batch_size=4), tol=1e-10, max_passes=20_000)
    assert s.status == "tolerance reached"
    np.testing.assert_allclose(s.w, cdlab.solve(Q, "sdca", tol=1e-12, max_passes=5000).w, atol=1e-4)


def test_steps_that_are_too_long_diverge_and_it_is_said():
    s = cdlab.solve(problem("squared"), SPDC(step=1e3, dual_step=1e3), max_passes=5000)
    assert s.status == "diverged"


# ---------------------------------------------------------------- refusals
@pytest.mark.parametrize(
    ("method", "sampling", "settings", "sentence"),
    [
        (SPDC(), "importance", {}, "importance sampling does not promise: use norms or uniform"),
        (SPDC(), "lipschitz", {}, "use norms or uniform"),
        (SPDC(), np.full(30, 1 / 30), {}, "given sampling does not promise"),
        (SPDC(), cdlab.samplings.Independent(0.1), {}, "use uniform"),
        (SPDC(batch_size=4), "cyclic", {}, "use uniform or norms, or leave batch_size out"),
        (SPDC(batch_size=31), "uniform", {}, "take batch_size <= 30"),
        (SPDC(delta=None), "uniform", {"loss": "hinge"}, "needs a smooth loss and l2 > 0: use delta"),
        (SPDC(delta=None), "uniform", {"l2": 0.0}, "needs a smooth loss and l2 > 0: use delta"),
    ],
)
def test_what_does_not_fit_is_refused(method, sampling, settings, sentence):
    with pytest.raises(ValueError, match=sentence):
        cdlab.solve(problem(**settings), method, sampling=sampling)


def test_softmax_is_refused():
    A, _ = data()
    with pytest.raises(ValueError, match="use sdca"):
        cdlab.solve(cdlab.Problem(A, np.arange(30) % 3, loss="softmax", l2=0.1), SPDC())
