"""Smooth losses near their solution: runs from nearby follow the curve of the quadratic that the loss is there."""

import numpy as np
import pytest
from cases import each_of
from golden_data import DIGITS, five_by_four

import cdlab
from cdlab.exact_rates.optimum import find_optimum
from cdlab.methods import Quartz, resolve
from cdlab.problems.points import Points
from cdlab.theory import exact_rate

EPOCHS, NEAR = 4, 1e-5


def problem_of(loss, **options):
    rng = np.random.default_rng(7)
    X = rng.standard_normal((9, 4))
    X[:, 3] = 0.0  # an empty column
    y = np.where(X[:, 0] + 0.5 * rng.standard_normal(9) > 0, 1.0, -1.0)
    return cdlab.Problem(X, y, loss=loss, l2=0.2, **options)


@each_of(
    "loss, method, sampling",
    [
        ("logistic", "sdca", "cyclic"),
        ("logistic", "sdca", "symmetric"),
        ("logistic", "rcd", "cyclic"),
        ("logistic", Quartz(step="local"), "cyclic"),
        ("logistic", "quartz", "cyclic"),
        ("squared_hinge", "sdca", "cyclic"),
        ("squared_hinge", "rcd", "symmetric"),
        ("huber", "sdca", "cyclic"),
    ],
)
def test_runs_near_the_solution_follow_the_curve(loss, method, sampling):
    problem = problem_of(loss)
    method, drawn, rng = resolve(method), cdlab.samplings.resolve(sampling), np.random.default_rng(3)
    optimum = find_optimum(problem)
    at = optimum.alpha if method.side == "dual" else optimum.w
    moving = optimum.h > 0 if method.side == "dual" else np.arange(problem.d) != 3
    start = at + NEAR * rng.standard_normal(at.size) * moving
    points = Points(optimum.w, start) if method.side == "dual" else Points(start, optimum.alpha)
    S, P, found = method.init(problem, drawn, points), method.view(problem), []
    orders = method.orders(problem, drawn, rng)
    for _ in range(EPOCHS):
        S = method.epoch(P, S, next(orders))
        found.append(np.sum((method.points(problem, S).w - optimum.w) ** 2))
    rate = exact_rate(problem, method, sampling, start=start)
    assert rate.local
    assert rate.curve(np.arange(1, EPOCHS + 1), "|w-w*|^2") == pytest.approx(found, rel=2e-3)


def test_the_solution_may_be_given():
    problem = problem_of("logistic")
    solution = cdlab.solve(problem, "sdca", tol=1e-12)
    rate = exact_rate(problem, "sdca", "permutation")
    assert exact_rate(problem, "sdca", "permutation", solution=solution).radius == pytest.approx(rate.radius, rel=1e-6)
    with pytest.raises(ValueError, match="solution must be the optimum"):
        exact_rate(problem, "sdca", solution=np.ones(4))
    with pytest.raises(ValueError, match="pass start="):
        rate.curve(3)


def test_flat_examples_keep_their_draws():
    problem = problem_of("squared_hinge")
    active = find_optimum(problem).h > 0
    assert 0 < active.sum() < 9
    few = cdlab.Problem(problem.X[active], problem.y[active], loss="squared", l2=problem.l2 * 9 / active.sum())
    p = np.full(active.sum(), 1 / active.sum())
    alone = exact_rate(few, "sdca", p).radius ** (1 / active.sum())
    rate = exact_rate(problem, "sdca").radius ** (1 / 9)
    assert 1 - rate == pytest.approx((1 - alone) * active.sum() / 9, rel=1e-9)


def test_the_loss_scale_is_part_of_the_quadratic():
    doubled = exact_rate(five_by_four(loss=cdlab.losses.Squared(c=1.0), l2=0.4))
    assert doubled.radius == pytest.approx(0.6948330023, rel=DIGITS)  # P doubled
