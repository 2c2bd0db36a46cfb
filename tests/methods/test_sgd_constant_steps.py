"""sgd with constant steps: its exact expectation in either order, and the dual method that it is."""

import itertools

import numpy as np
import pytest
from cases import each_of
from scipy.linalg import solve_triangular

import cdlab
from cdlab.methods import SDCA, SGD

X = np.array([[((3 * j + 5 * i) % 7 - 3) / 2 for j in range(4)] for i in range(5)])
y = np.array([1.0, -1, 1, 1, -1])
L = (X**2).sum(axis=1).max() + 0.2


@pytest.fixture
def problem():
    return cdlab.Problem(X, y, loss="squared", l2=0.2)


def after(problem, method, order, start=None):
    """w after the steps of an order."""
    at = cdlab.methods.Points(np.zeros(4) if start is None else start, np.zeros(5))
    S = method.init(problem, "uniform", at)
    return method.points(problem, method.epoch(method.view(problem), S, np.array(order, dtype=np.uint64))).w


def expected_errors(problem, eta, permuted, epochs):
    """E||w_T - w*||^2 after these epochs: M <- E[T'MT] of steps T_i in the coordinates (w - w*, 1)."""
    w = np.linalg.solve(X.T @ X / 5 + 0.2 * np.eye(4), X.T @ y / 5)
    steps = []
    for x, label in zip(X, y, strict=True):
        T = np.eye(5)
        T[:4, :4] -= eta * (np.outer(x, x) + 0.2 * np.eye(4))
        T[:4, 4] = -eta * (x * (x @ w - label) + 0.2 * w)
        steps.append(T)
    sweeps = []
    if permuted:
        for order in itertools.permutations(range(5)):
            sweep = np.eye(5)
            for i in order:
                sweep = steps[i] @ sweep
            sweeps.append(sweep)
    else:
        sweeps = steps
    rounds = 1 if permuted else 5
    e, M, found = np.append(-w, 1.0), np.diag([1.0, 1, 1, 1, 0]), {}
    for epoch in range(1, max(epochs) + 1):
        for _ in range(rounds):
            M = sum(T.T @ M @ T for T in sweeps) / len(sweeps)
        found[epoch] = e @ M @ e
    return [found[epoch] for epoch in epochs]


@each_of(
    "share, permuted, golden",
    [
        (0.5, True, (0.09489170741, 0.01210940753, 0.001776164987)),
        (0.5, False, (0.1511310925, 0.03133325729, 0.006905204449)),
        (0.1, True, (0.3341684844, 0.1185237439, 5.307388908e-05)),
        (0.1, False, (0.3402469803, 0.1283020908, 0.001162208406)),
    ],
)
def test_the_exact_expectation_in_either_order(problem, share, permuted, golden):
    """Of the formulas after 1, 5 and 200 epochs, and of the kernel over all orders of one epoch."""
    assert expected_errors(problem, share / L, permuted, (1, 5, 200)) == pytest.approx(golden, rel=1e-9)
    method = SGD(average=None, constant_step=share / L)
    w = np.linalg.solve(X.T @ X / 5 + 0.2 * np.eye(4), X.T @ y / 5)
    orders = itertools.permutations(range(5)) if permuted else itertools.product(range(5), repeat=5)
    errors = [((after(problem, method, order) - w) ** 2).sum() for order in orders]
    assert np.mean(errors) == pytest.approx(golden[0], rel=1e-9)


@each_of("implicit, diagonal", [(False, -1), (True, 0)])
def test_an_epoch_is_forward_substitution(implicit, diagonal):
    """(I + eta tril(X X')) theta = X w_0 - y, w = w_0 - eta X'theta; explicit steps are without the diagonal."""
    eta, start = 0.3, np.array([1.0, -2.0, 0.5, 0.0])
    theta = solve_triangular(np.eye(5) + eta * np.tril(X @ X.T, diagonal), X @ start - y, lower=True)
    plain = cdlab.Problem(X, y, loss="squared", l2=0.0)
    w = after(plain, SGD(average=None, constant_step=eta, implicit=implicit), range(5), start)
    np.testing.assert_allclose(w, start - eta * X.T @ theta, rtol=1e-10)


@each_of("loss", ["squared", "hinge"])
def test_an_implicit_epoch_is_a_cyclic_pass_of_exact_dual_steps(loss):
    """On the problem with ||w||^2/(2 eta) in place of l2: sdca's, from alpha = 0."""
    eta = 0.3
    plain, relative = (cdlab.Problem(X, y, loss=loss, l2=l2) for l2 in (0.0, 1 / (5 * eta)))
    sdca = SDCA()
    S = sdca.epoch(sdca.view(relative), sdca.init(relative, "cyclic"), np.arange(5, dtype=np.uint64))
    w = after(plain, SGD(average=None, constant_step=eta, implicit=True), range(5))
    np.testing.assert_allclose(w, sdca.points(relative, S).w, rtol=1e-9, atol=1e-12)


def test_an_implicit_step_minimises_the_loss_of_its_example_near_the_old_point(problem):
    eta, start = 2.0, np.array([1.0, -2.0, 0.5, 0.0])
    w = after(problem, SGD(average=None, constant_step=eta, implicit=True), [3], start)
    np.testing.assert_allclose(X[3] * (X[3] @ w - y[3]) + 0.2 * w + (w - start) / eta, 0, atol=1e-12)


def test_a_permutation_comes_nearer_than_draws_with_replacement(problem):
    method = SGD(average=None, constant_step=0.1 / L)
    w = np.linalg.solve(X.T @ X / 5 + 0.2 * np.eye(4), X.T @ y / 5)
    far, near = (
        np.mean(
            [
                ((cdlab.solve(problem, method, sampling=s, max_passes=200, tol=0, seed=k).w - w) ** 2).sum()
                for k in range(20)
            ]
        )
        for s in ("uniform", "permutation")
    )
    assert near < far / 5


def test_the_average_of_constant_steps(problem):
    method = SGD(constant_step=0.05)
    single = [after(problem, SGD(average=None, constant_step=0.05), [2, 0, 1, 4, 3][:k]) for k in range(1, 6)]
    np.testing.assert_allclose(after(problem, method, [2, 0, 1, 4, 3]), np.mean(single, axis=0), rtol=1e-10)


@each_of(
    "parameters, words",
    [
        ({"constant_step": 0.0}, "constant_step must be a number > 0 or None"),
        ({"constant_step": 0.1, "step": 0.1}, "takes the place of step and factor"),
        ({"constant_step": 0.1, "factor": 2.0}, "takes the place of step and factor"),
        ({"implicit": True}, "implicit steps are constant: give constant_step"),
    ],
)
def test_steps_that_exclude_each_other(parameters, words):
    with pytest.raises(ValueError, match=words):
        SGD(**parameters)
