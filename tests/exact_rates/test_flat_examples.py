"""Quartz's damped steps move examples, too, at which the loss is flat: the full map of moments is the referee."""

from itertools import permutations

import numpy as np
import pytest
from cases import each_of

import cdlab
from cdlab.exact_rates.optimum import find_optimum
from cdlab.methods import Quartz
from cdlab.problems.points import Points
from cdlab.theory import exact_rate

N, L2 = 6, 0.2
ORDERS = {
    "cyclic": [np.arange(N)],
    "symmetric": [np.arange(N), np.arange(N)[::-1]],
    "permutation": list(permutations(range(N))),
}


def problem_of(loss, seed, n=N):
    """A problem at whose solution some examples are flat, and not all."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    noise = rng.standard_normal(n)
    problem = cdlab.Problem(X, 3 * noise if loss == "huber" else np.sign(X[:, 0] + 0.5 * noise), loss=loss, l2=L2)
    flat = find_optimum(problem).h == 0
    return problem if 0 < flat.sum() < n else problem_of(loss, seed + 1000, n)


def update_matrices(problem, sampling, step):
    """T_i of alpha - alpha*, all coordinates kept: alpha_i += s_i (-phi'(x_i'w) - alpha_i), w = X'alpha/(l2 n)."""
    h, n = find_optimum(problem).h, problem.n
    p = np.full(n, 1 / n) if sampling != "importance" else problem.coordinates("dual").smoothness
    p = p / p.sum()
    local = L2 * n / ((problem.X**2).sum(axis=1) / problem.loss.gamma + L2 * n)
    s = local if step == "local" else (p * local).min() / p
    slopes = h[:, None] * (problem.X @ problem.X.T) / (L2 * n) + np.eye(n)
    return p, [np.eye(n) - s[i] * np.outer(np.eye(n)[i], slopes[i]) for i in range(n)]


def second_moments(problem, sampling, step):
    """The maps of E[ee'] of the epochs that follow each other, as matrices (n^2, n^2)."""
    p, T = update_matrices(problem, sampling, step)
    if sampling not in ORDERS:
        return [np.linalg.matrix_power(sum(q * np.kron(A, A) for q, A in zip(p, T, strict=True)), problem.n)]
    sweeps = [np.linalg.multi_dot([T[i] for i in reversed(order)]) for order in ORDERS[sampling]]
    maps = [np.kron(S, S) for S in sweeps]
    return [np.mean(maps, axis=0)] if sampling == "permutation" else maps


@each_of(
    "loss, step, sampling",
    [
        ("squared_hinge", "fixed", "uniform"),
        ("squared_hinge", "local", "importance"),
        ("squared_hinge", "local", "permutation"),
        ("squared_hinge", "fixed", "cyclic"),
        ("smooth_hinge", "local", "uniform"),
        ("smooth_hinge", "fixed", "permutation"),
        ("smooth_hinge", "local", "symmetric"),
        ("huber", "local", "cyclic"),
        ("huber", "fixed", "importance"),
    ],
)
def test_rate_and_curves_are_those_of_the_full_map(loss, step, sampling):
    for seed in range(5):
        problem = problem_of(loss, seed)
        optimum, error = find_optimum(problem), np.random.default_rng(seed).standard_normal(N)
        maps = second_moments(problem, sampling, step)
        rate = exact_rate(problem, "quartz", sampling, step=step, start=optimum.alpha + error)
        radius = np.abs(np.linalg.eigvals(np.linalg.multi_dot([*maps, np.eye(N * N)]))).max() ** (1 / len(maps))
        assert rate.radius == pytest.approx(radius, rel=1e-8)
        assert rate.interval[0] * (1 - 1e-8) <= radius <= rate.interval[1] * (1 + 1e-8)
        of_w, moments, seen = problem.X.T / (L2 * N), np.outer(error, error), []
        for epoch in range(5):
            seen.append(np.trace(of_w @ moments @ of_w.T))
            moments = (maps[epoch % len(maps)] @ moments.ravel()).reshape(N, N)
        assert rate.curve(4, "|w-w*|^2") == pytest.approx(seen, rel=1e-9)


def test_flat_examples_can_be_the_slowest():
    """Of rows that are long and flat the damped steps are short, and the others are at the optimum long before."""
    X = np.array([[1.0, 0.0], [0.0, 1.0], [30.0, 30.0]])
    problem = cdlab.Problem(X, np.ones(3), loss="squared_hinge", l2=0.1)
    assert (find_optimum(problem).h == 0).tolist() == [False, False, True]
    s = 0.3 / (1800 / problem.loss.gamma + 0.3)
    for sampling, radius in (("cyclic", (1 - s) ** 2), ("uniform", (1 - s * (2 - s) / 3) ** 3)):
        assert exact_rate(problem, "quartz", sampling, step="local").radius == pytest.approx(radius, rel=1e-12)


def test_mean_runs_near_the_solution_follow_the_curve():
    problem, epochs, runs = problem_of("squared_hinge", 5, n=30), 8, 2000
    optimum, rng = find_optimum(problem), np.random.default_rng(3)
    flat = optimum.h == 0
    assert flat.sum() >= 5
    start = optimum.alpha + 1e-6 * np.abs(rng.standard_normal(problem.n)) * problem.y  # feasible where flat
    method, sampling, found = Quartz(step="local"), cdlab.samplings.resolve("uniform"), []
    P = method.view(problem)
    for _ in range(runs):
        S = method.init(problem, sampling, Points(optimum.w, start.copy()))
        orders = method.orders(problem, sampling, rng)
        errors = []
        for _ in range(epochs):
            S = method.epoch(P, S, next(orders))
            errors.append(np.sum((method.points(problem, S).w - optimum.w) ** 2))
        found.append(errors)
    mean, deviation = np.mean(found, axis=0), np.std(found, axis=0) / np.sqrt(runs)
    curve = exact_rate(problem, method, start=start).curve(epochs, "|w-w*|^2")[1:]
    assert (np.abs(mean - curve) < 4 * deviation + 1e-3 * curve).all()


def test_the_dual_falls_like_the_mean_error_of_flat_examples():
    """With fixed steps all flat examples keep the same share, more than is left of any square."""
    problem, runs, (first, last) = problem_of("squared_hinge", 5, n=30), 300, (20, 40)
    optimum, rng = find_optimum(problem), np.random.default_rng(3)
    start = optimum.alpha + 1e-4 * np.abs(rng.standard_normal(problem.n)) * problem.y
    method, sampling, found = Quartz(), cdlab.samplings.resolve("uniform"), []
    P, best = method.view(problem), problem.dual(optimum.alpha)
    for _ in range(runs):
        S, below = method.init(problem, sampling, Points(optimum.w, start.copy())), []
        orders = method.orders(problem, sampling, rng)
        for _ in range(last):
            S = method.epoch(P, S, next(orders))
            below.append(best - problem.dual(method.points(problem, S).alpha))
        found.append(below)
    mean, rate = np.mean(found, axis=0), exact_rate(problem, method)
    assert (mean[last - 1] / mean[first - 1]) ** (1 / (last - first)) == pytest.approx(rate.flat_radius, rel=0.02)
    assert rate.flat_radius > 1.2 * rate.radius


def test_what_is_linear_in_flat_errors_has_no_curve():
    problem = problem_of("squared_hinge", 0)
    rate = exact_rate(problem, "quartz", start=find_optimum(problem).alpha)
    for quantity in ("D*-D", "gap"):
        with pytest.raises(ValueError, match="quantity must be"):
            rate.curve(3, quantity)
    with pytest.raises(ValueError, match="pass start="):
        exact_rate(problem, "quartz").curve(3)
