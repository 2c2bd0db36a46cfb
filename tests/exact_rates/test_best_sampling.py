"""The best independent draws: golden ones, formulas where there are, and a bound that nothing beats."""

import numpy as np
import pytest
from golden_data import DIGITS, five_by_four, gram_problem, separate_groups

import cdlab
from cdlab.theory import best_sampling, exact_rate


def test_best_sampling_of_five_by_four():
    best = best_sampling(five_by_four())
    assert best.p == pytest.approx((0.102058, 0.280149, 0.171894, 0.164926, 0.280973), abs=1e-6)
    assert best.steps == pytest.approx(11.43314803, rel=DIGITS)
    rates = {name: exact_rate(five_by_four(), "sdca", name).radius ** (1 / 5) for name in ("uniform", "importance")}
    assert 1 / (1 - rates["uniform"]) == pytest.approx(14.23917164, rel=DIGITS)
    assert 1 / (1 - rates["importance"]) == pytest.approx(13.7715512, rel=DIGITS)
    assert exact_rate(five_by_four(), "sdca", best.p).radius ** (1 / 5) == pytest.approx(best.radius, rel=1e-12)


def test_the_best_draws_of_orthogonal_groups_are_their_formula():
    sizes, q = np.array([3, 5]), np.array([20.0, 1.0])
    of = np.repeat([0, 1], sizes)
    best = best_sampling(gram_problem(np.where(of[:, None] == of, q[of], 0.0)))
    x = separate_groups(sizes, q)
    assert best.steps == pytest.approx(sizes @ (1 / x), rel=1e-6)
    assert best.p == pytest.approx((1 / x / (sizes @ (1 / x)))[of], rel=1e-4)


def test_nothing_beats_the_lower_bound_and_the_best_is_at_it():
    problem, rng = five_by_four(), np.random.default_rng(0)
    for method, N in (("sdca", 5), ("rcd", 4)):
        best = best_sampling(problem, method)
        assert 0 <= best.radius - best.lower_bound <= 1e-9 * (1 - best.radius)
        for _ in range(20):
            rate = exact_rate(problem, method, rng.dirichlet(np.full(N, 2.0)))
            assert rate.radius ** (1 / N) >= best.lower_bound


@pytest.mark.parametrize("rows", [20, pytest.param(30, marks=pytest.mark.full)])
def test_the_best_draws_of_rows_of_very_different_norms_are_proved_the_best(rows):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((rows, rows // 2)) * np.exp(rng.standard_normal((rows, 1)))
    best = best_sampling(cdlab.Problem(X, np.ones(rows), loss="squared", l2=0.01 / rows))
    assert 0 <= best.radius - best.lower_bound <= 1e-9 * (1 - best.radius)
