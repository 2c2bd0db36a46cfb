"""Anderson extrapolation, and what it makes of iterations whose answer is known."""

from itertools import pairwise

import numpy as np
import pytest

import cdlab
from cdlab.methods.rcd import RCD
from cdlab.methods.shared.anderson import weights

ROW, COLUMN = np.indices((5, 4))
X, y = (((3 * COLUMN + 5 * ROW) % 7) - 3) / 2, np.array([1.0, -1, 1, 1, -1])  # 5x4


def test_the_weights_are_of_sum_1_and_make_the_combined_residual_least():
    rng = np.random.default_rng(0)
    points = rng.standard_normal((5, 9))
    c, residuals = weights(points), np.diff(points, axis=0)
    assert c.sum() == pytest.approx(1, rel=1e-12)
    for other in rng.standard_normal((50, 4)):
        moved = c + 0.1 * (other - other.mean())
        assert np.linalg.norm(c @ residuals) < np.linalg.norm(moved @ residuals)


def test_iterates_that_rest_or_are_not_finite_do_no_harm():
    rest = np.ones((4, 3))
    assert weights(rest) @ rest[1:] == pytest.approx(np.ones(3))
    assert np.isnan(weights(np.full((4, 3), np.inf))).all()


def test_dual_points_of_cyclic_sweeps_extrapolate_to_the_optimum():
    """5x4, squared loss: D* - D of alpha(w_k), k = 1..5, and of their extrapolation from 2..5 differences."""
    P, method = cdlab.Problem(X, y, loss="squared", l2=0.2), RCD()
    S = method.init(P, "cyclic")
    alphas = [P.alpha(S.w)]
    for _ in range(5):
        S = method.epoch(method.view(P), S, np.arange(4, dtype=np.uint64))
        alphas.append(P.alpha(S.w))
    best = P.dual(np.linalg.solve(np.eye(5) + X @ X.T / (P.l2 * P.n), y))
    plain = [best - P.dual(alpha) for alpha in alphas[1:]]
    np.testing.assert_allclose(
        plain, [0.0776375048, 0.002742350502, 0.0002200244217, 4.990459843e-05, 1.090392351e-05], rtol=1e-6
    )
    found = []
    for K in (2, 3, 4, 5):
        points = np.array(alphas[: K + 1])
        found.append(best - P.dual(weights(points) @ points[1:]))
    np.testing.assert_allclose(found, [0.005167389186, 0.000161959504, 8.021828057e-07, 0], rtol=1e-6, atol=1e-12)
    assert all(a > b for a, b in pairwise(found))
