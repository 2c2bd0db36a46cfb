"""Exact rates of methods that are linear in their state: the golden ones, and what must hold of them."""

from itertools import permutations, product

import numpy as np
import pytest
import scipy.linalg
from cases import each_of
from golden_data import DIGITS, five_by_four

import cdlab
from cdlab.methods import LSVRG, SAGA, SGD, SVRG
from cdlab.methods.base import Points
from cdlab.methods.lsvrg import Tossed
from cdlab.theory import bound, exact_rate


@each_of("method, step, passes", [("saga", 0.9563779957, 4.484098713), ("spdc", 0.9291722461, 2.722527593)])
def test_saga_and_spdc_on_five_by_four(method, step, passes):
    rate = exact_rate(five_by_four(), method)
    assert rate.radius ** (1 / 5) == pytest.approx(step, rel=DIGITS)
    assert rate.epochs == pytest.approx(passes, rel=DIGITS)
    assert rate.how == "operator"
    assert rate.interval[0] <= rate.radius <= rate.interval[1]


@each_of(
    "share, sampling, values",
    [
        (0.5, "permutation", (0.09489170741, 0.01210940753, 0.001776164987)),
        (0.5, "uniform", (0.1511310925, 0.03133325729, 0.006905204449)),
        (0.1, "permutation", (0.3341684844, 0.1185237439, 5.307388908e-05)),
        (0.1, "uniform", (0.3402469803, 0.1283020908, 0.001162208406)),
    ],
)
def test_sgd_with_a_constant_step_falls_to_its_noise(share, sampling, values):
    problem = five_by_four()
    rate = exact_rate(problem, "sgd", sampling, constant_step=share / (problem.R**2 + problem.l2))
    assert rate.curve([1, 5, 200], "|w-w*|^2") == pytest.approx(values, rel=DIGITS)
    assert rate.radius < 1


def after(problem, method, sampling, order, w):
    """w after the kernel's steps in this order."""
    S = method.init(problem, cdlab.samplings.resolve(sampling), Points(w, np.zeros(problem.n)))
    return method.points(problem, method.epoch(method.view(problem), S, np.array(order, np.uint64))).w


@each_of("implicit, constant_step", list(product([False, True], [0.05, 0.7])))
def test_sgd_s_curve_is_that_of_its_kernel(implicit, constant_step):
    problem, method = five_by_four(), SGD(average=None, constant_step=constant_step, implicit=implicit)
    best = np.linalg.solve(problem.X.T @ problem.X / 5 + 0.2 * np.eye(4), problem.X.T @ problem.y / 5)
    w, in_order = np.zeros(4), []
    for _ in range(3):
        w = after(problem, method, "cyclic", range(5), w)
        in_order.append((w - best) @ (w - best))
    assert exact_rate(problem, method, "cyclic").curve([1, 2, 3], "|w-w*|^2") == pytest.approx(in_order, rel=1e-10)
    p, part = np.array([0.2, 0.3, 0.5]), cdlab.Problem(problem.X[:3], problem.y[:3], loss="squared", l2=0.2)
    best = np.linalg.solve(part.X.T @ part.X / 3 + 0.2 * np.eye(4), part.X.T @ part.y / 3)
    draws = list(product(range(3), repeat=3))
    ends = np.array([after(part, method, p, drawn, np.zeros(4)) for drawn in draws]) - best
    mean = p[np.array(draws)].prod(axis=1) @ (ends**2).sum(axis=1)
    by_name = exact_rate(part, "sgd", p, constant_step=constant_step, implicit=implicit)
    assert by_name.curve([1], "|w-w*|^2") == pytest.approx([mean], rel=1e-10)


def test_an_implicit_pass_is_a_cyclic_pass_of_exact_dual_steps():
    """On the problem with |w - w_0|^2/(2 eta) for a regulariser: up to l2, that of SGD, which is next to 0."""
    X, y, eta = five_by_four().X, five_by_four().y, 0.3
    tiny = cdlab.Problem(X, y, loss="squared", l2=1e-9)
    theta = np.linalg.solve(np.eye(5) + eta * np.tril(X @ X.T), -y)  # theta_i = x_i'w - y_i at each new point
    w = -eta * X.T @ theta
    best = np.linalg.solve(X.T @ X / 5 + 1e-9 * np.eye(4), X.T @ y / 5)
    found = exact_rate(tiny, "sgd", "cyclic", constant_step=eta, implicit=True).curve([1], "|w-w*|^2")
    assert found == pytest.approx([(w - best) @ (w - best)], rel=1e-7)
    dual = cdlab.Problem(X, y, loss="squared", l2=1 / (5 * eta))
    assert cdlab.solve(dual, "sdca", sampling="cyclic", max_passes=1, tol=0).w == pytest.approx(w, rel=1e-10)


@each_of("method", [SGD(), SGD(factor=2.0), SGD(step=0.1)])
def test_steps_of_sgd_that_shrink_have_no_rate(method):
    with pytest.raises(ValueError, match="pass constant_step=eta"):
        exact_rate(five_by_four(), method)


def test_kaczmarz_falls_at_most_by_its_theorems_factor():
    rng = np.random.default_rng(3)
    X, w = rng.standard_normal((6, 3)), rng.standard_normal(3)
    problem = cdlab.Problem(X, X @ w, loss="squared", l2=0)
    rate = exact_rate(problem, "kaczmarz")
    factor = 1 - np.linalg.svd(X, compute_uv=False)[-1] ** 2 / (X**2).sum()
    curve = rate.curve(4, "|w-w*|^2")
    assert rate.radius <= factor**6
    assert (curve <= w @ w * factor ** (6 * np.arange(5)) * (1 + 1e-12)).all()


@each_of("snapshot", ["last", "average"])
def test_svrg_s_curve_is_the_mean_over_all_draws_of_its_kernel(snapshot):
    """In stages of two steps, which do not end with epochs of three."""
    full, method = five_by_four(), SVRG(m=2, snapshot=snapshot, step=0.1)
    problem = cdlab.Problem(full.X[:3], full.y[:3], loss="squared", l2=0.2)
    best = np.linalg.solve(problem.X.T @ problem.X / 3 + 0.2 * np.eye(4), problem.X.T @ problem.y / 3)
    for epochs in (1, 2):
        orders = product(range(3), repeat=3 * epochs)
        ends = [after(problem, method, "uniform", drawn, np.zeros(4)) - best for drawn in orders]
        mean = (np.array(ends) ** 2).sum(axis=1).mean()
        assert exact_rate(problem, method).curve([epochs], "|w-w*|^2") == pytest.approx([mean], rel=1e-10)


def test_curves_by_any_probabilities_are_the_mean_over_all_draws_and_coins_of_their_kernels():
    full, p, rho = five_by_four(), np.array([0.2, 0.3, 0.5]), 0.3
    problem = cdlab.Problem(full.X[:3], full.y[:3], loss="squared", l2=0.2)
    best = np.linalg.solve(problem.X.T @ problem.X / 3 + 0.2 * np.eye(4), problem.X.T @ problem.y / 3)
    mean = {"saga": 0.0, "lsvrg": 0.0}
    for drawn in product(range(3), repeat=3):
        chance, order = p[list(drawn)].prod(), np.array(drawn, np.uint64)
        method = SAGA()
        w = method.points(problem, method.epoch(method.view(problem), method.init(problem, p), order)).w
        mean["saga"] += chance * ((w - best) ** 2).sum()
        method = LSVRG(rho=rho)
        for heads in product([False, True], repeat=3):
            S, tossed = method.init(problem, p), Tossed(order, np.arange(4, dtype=np.uint64), np.array(heads))
            w = method.points(problem, method.epoch(method.view(problem), S, tossed)).w
            mean["lsvrg"] += chance * np.where(heads, rho, 1 - rho).prod() * ((w - best) ** 2).sum()
    for method in (SAGA(), LSVRG(rho=rho)):
        assert exact_rate(problem, method, p).curve([1], "|w-w*|^2") == pytest.approx([mean[method.name]], rel=1e-10)
    passes = exact_rate(problem, LSVRG(rho=rho), p).passes_per_epoch
    assert passes == pytest.approx(3 * (p @ problem.row_profile.counts / problem.nnz + rho))


@each_of("method, sampling", list(product(["saga", "lsvrg"], ["importance", "norms", np.arange(1.0, 6)])))
def test_exact_rates_by_any_probabilities_keep_their_theorems(method, sampling):
    problem = five_by_four()
    rate, K = exact_rate(problem, method, sampling), bound(method, "K", sampling=sampling).for_problem(problem)
    assert rate.interval[1] ** (1 / 5) <= 1 - 1 / K


def test_lsvrg_has_no_rate_in_an_order_or_in_blocks():
    for method, sampling, sentence in (
        (LSVRG(), "cyclic", "of independent draws, not of cyclic"),
        (LSVRG(batch_size=2), "uniform", "leave lsvrg's batch_size out"),
    ):
        with pytest.raises(ValueError, match=sentence):
            exact_rate(five_by_four(), method, sampling)
    with pytest.raises(ValueError, match="lsvrg's rho must be a number > 0 and <= 1"):
        exact_rate(five_by_four(), "lsvrg", rho=0)


@each_of("shape", [(4, 4), (6, 3), (3, 6)])
def test_kaczmarz_falls_in_every_order_as_its_theorem_says(shape):
    """The worst start of an epoch in each order, and the exact rate of a fresh permutation every epoch."""
    rng = np.random.default_rng(4)
    X = rng.standard_normal(shape) + 1.5  # rows that are far from orthogonal
    problem = cdlab.Problem(X, X @ rng.standard_normal(shape[1]), loss="squared", l2=0)
    K = bound("kaczmarz", "K", theorem="any order").for_problem(problem)
    A = X / np.linalg.norm(X, axis=1, keepdims=True)
    rows, worst = scipy.linalg.orth(A.T), 0.0
    for order in permutations(range(shape[0])):
        epoch = np.eye(shape[1])
        for i in order:
            epoch -= np.outer(A[i], A[i] @ epoch)
        worst = max(worst, np.linalg.norm(epoch @ rows, 2) ** 2)
    assert 0.05 < worst <= 1 - 1 / K
    assert exact_rate(problem, "kaczmarz", "permutation").radius <= worst


def test_two_rows_at_an_angle_by_hand():
    """The first epoch leaves at most cos^2, later ones cos^4; the promise is 1 - (1 - cos)/min{2 + cos^2, (1 + cos)^2}.

    Of orthogonal rows one epoch leaves nothing, and the theorem says so.
    """
    cos = 0.6
    problem = cdlab.Problem([[1.0, 0.0], [2 * cos, 1.6]], [1.0, 2.0], loss="squared", l2=0)
    theorem = bound("kaczmarz", "K", theorem="any order")
    assert theorem.for_problem(problem) == pytest.approx(min(2 + cos**2, (1 + cos) ** 2) / (1 - cos))
    assert exact_rate(problem, "kaczmarz", "cyclic").radius == pytest.approx(cos**4)
    assert cos**2 <= 1 - 1 / theorem.for_problem(problem)
    assert theorem.for_problem(cdlab.Problem(np.diag([1.0, 3.0]), [1.0, 2.0], "squared", 0.0)) == pytest.approx(1)


@each_of("snapshot", ["last", "average"])
def test_the_radius_of_svrg_is_the_slope_of_its_curve(snapshot):
    late = (rate := exact_rate(five_by_four(), "svrg", snapshot=snapshot)).curve([400, 402], "P-P*")
    assert late[1] / late[0] == pytest.approx(rate.radius**2, rel=1e-6)  # a stage takes two epochs
    assert rate.passes_per_epoch == pytest.approx(1.5)


@each_of(
    "method, parameters, sentence",
    [
        ("asdca", {"theta": 0.0}, "asdca's theta must be a number between 0 and 1, or None, not 0.0"),
        ("asdca", {"factor": 5}, "asdca's factor must be a number > 0 and < 4"),
        ("spdc", {"theta": 1.5}, "spdc's theta must be"),
        ("svrg", {"m": 0}, "svrg's m must be a whole number >= 1, 'theory' or None, not 0"),
        ("svrg", {"snapshot": "mean"}, "svrg's snapshot must be 'last' or 'average', not 'mean'"),
        ("apcg", {"smoothness": "all"}, "apcg's smoothness must be 'individual' or 'uniform'"),
        ("quartz", {"step": "exact"}, "quartz's step must be 'fixed', 'local' or 'long', not 'exact'"),
    ],
)
def test_steps_out_of_range_are_refused(method, parameters, sentence):
    with pytest.raises(ValueError, match=sentence):
        exact_rate(five_by_four(), method, **parameters)


@each_of("sampling, K", [("uniform", 6.125672036586305), ("importance", 6.902924297662764)])
def test_accelerated_coordinate_descent_draws_features(sampling, K):
    problem = five_by_four()
    rate = exact_rate(problem, "acc_rcd", sampling)
    assert rate.steps_per_epoch == problem.d
    assert 1 / (1 - rate.radius ** (1 / problem.d)) == pytest.approx(K, rel=DIGITS)
    assert cdlab.theory.bound("acc_rcd", "K", sampling=sampling).for_problem(problem) > K


def test_spdc_by_norms_is_its_second_algorithm_also_where_all_norms_are_equal():
    """It draws as with uniform sampling there, and steps differently."""
    X = np.array([[3.0, 4.0], [4.0, 3.0], [-4.0, 3.0]]) / 5
    P = cdlab.Problem(X, [1.0, -2.0, 1.0], loss="squared", l2=0.1)
    uniform, norms = (exact_rate(P, "spdc", sampling) for sampling in ("uniform", "norms"))
    assert norms.radius > uniform.radius * 1.01
    star = np.linalg.solve(X.T @ X / 3 + 0.1 * np.eye(2), X.T @ P.y / 3)
    method = cdlab.methods.SPDC(primal_point="iterate")
    ends = [cdlab.solve(P, method, sampling="norms", max_passes=4, tol=0, seed=seed).w for seed in range(400)]
    distances = ((np.array(ends) - star) ** 2).sum(axis=1)
    z = (distances.mean() - norms.curve(4, "|w-w*|^2")[-1]) / (distances.std() / 20)
    assert abs(z) < 4
