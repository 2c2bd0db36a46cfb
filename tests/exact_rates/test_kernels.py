"""The compiled methods against their exact expectations: means over 4,000 runs of six epochs."""

import numpy as np
import pytest
from golden_data import five_by_four

import cdlab
from cdlab.methods import APCG, SPDC, SVRG, Quartz, resolve
from cdlab.theory import exact_rate

RUNS, LARGEST_Z = 4000, 4.0
EVERY_EPOCH = (1, 2, 3, 4, 5, 6)
ITERATE = SPDC(primal_point="iterate")


def points_of_runs(problem, method, sampling, measured):
    """w (runs, epochs, d) and alpha (runs, epochs, n) after these epochs of many runs."""
    method, sampling = resolve(method), cdlab.samplings.resolve(sampling)
    rng, P = np.random.default_rng(1), method.view(problem)
    w, alpha = np.empty((RUNS, len(measured), problem.d)), np.empty((RUNS, len(measured), problem.n))
    for run in range(RUNS):
        S, orders, k = method.init(problem, sampling), method.orders(problem, sampling, rng), 0
        for epoch in range(1, measured[-1] + 1):
            S = method.epoch(P, S, next(orders))
            if epoch == measured[k]:
                at, k = method.points(problem, S), k + 1
                w[run, k - 1], alpha[run, k - 1] = at.w, at.alpha
    return w, alpha


def errors_at(problem, w, alpha, quantity):
    """P - P* of w, or D* - D of alpha, (runs, epochs), with the squared loss."""
    X, n, l2 = problem.X, problem.n, problem.l2
    s = np.ones(n) if problem.sample_weight is None else problem.sample_weight
    H, b = X.T * s @ X / n + l2 * np.eye(problem.d), X.T @ (s * problem.y) / n
    optimum = np.linalg.lstsq(H, b)[0]
    if quantity == "P-P*":
        change = w - optimum
        return np.einsum("rei,ij,rej->re", change, H, change) / 2
    A, change = np.diag(1 / s) + X @ X.T / (l2 * n), alpha - s * (problem.y - X @ optimum)
    return np.einsum("rei,ij,rej->re", change, A, change) / (2 * n)


def check(problem, method, sampling, quantity="P-P*", measured=EVERY_EPOCH):
    errors = errors_at(problem, *points_of_runs(problem, method, sampling, measured), quantity)
    exact = exact_rate(problem, method, sampling).curve(np.array(measured), quantity)
    z = (errors.mean(axis=0) - exact) / (errors.std(axis=0, ddof=1) / np.sqrt(RUNS))
    assert np.abs(z).max() < LARGEST_Z


@pytest.mark.parametrize(
    ("method", "sampling", "quantity"), [("sdca", "permutation", "D*-D"), ("saga", "uniform", "P-P*")]
)
def test_means_of_runs_are_the_exact_expectations(method, sampling, quantity):
    check(five_by_four(), method, sampling, quantity, measured=(1, 6))


@pytest.mark.full
@pytest.mark.parametrize(
    ("method", "sampling", "quantity"),
    [
        ("sdca", "permutation", "D*-D"),
        ("sdca", "uniform", "P-P*"),
        ("sdca", "importance", "D*-D"),
        ("rcd", "uniform", "P-P*"),
        ("rcd", "importance", "P-P*"),
        ("rcd", "permutation", "P-P*"),
        ("quartz", "uniform", "D*-D"),
        (Quartz(step="local"), "norms", "D*-D"),
        ("saga", "uniform", "P-P*"),
        ("saga", "permutation", "P-P*"),
        (ITERATE, "uniform", "P-P*"),
        (ITERATE, "norms", "P-P*"),
        (ITERATE, "permutation", "P-P*"),
        ("svrg", "uniform", "P-P*"),
        ("svrg", "norms", "P-P*"),
        (SVRG(m=7), "uniform", "P-P*"),
        ("apcg", "uniform", "D*-D"),
        (APCG(smoothness="uniform", convexity=0.1), "uniform", "P-P*"),
    ],
)
def test_means_of_all_methods_are_the_exact_expectations(method, sampling, quantity):
    check(five_by_four(), method, sampling, quantity)


@pytest.mark.full
@pytest.mark.parametrize("sampling", ["uniform", "permutation", np.full(5, 0.2)], ids=str)
def test_means_of_kaczmarz_are_the_exact_expectations(sampling):
    X = np.random.default_rng(4).standard_normal((5, 3))
    check(cdlab.Problem(X, X @ [1.0, -1.0, 0.5], loss="squared", l2=0), "kaczmarz", sampling)


@pytest.mark.full
@pytest.mark.parametrize(
    ("method", "sampling", "quantity"),
    [
        ("sdca", "uniform", "D*-D"),
        ("sdca", "permutation", "P-P*"),
        ("rcd", "importance", "P-P*"),
        ("quartz", "importance", "D*-D"),
    ],
)
def test_sample_weights_and_empty_lines_are_those_of_runs(method, sampling, quantity):
    check(five_by_four(sample_weight=[1, 2, 0.5, 1, 3]), method, sampling, quantity)
    X = five_by_four().X.copy()
    X[2], X[:, 1] = 0, 0
    with_empty_lines = cdlab.Problem(X, five_by_four().y, loss="squared", l2=0.2)
    check(with_empty_lines, method, sampling, quantity)
