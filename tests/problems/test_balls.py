"""Balls contain the solution, and what they settle is what it is there."""

import numpy as np
import pytest
from cases import each_of, pushed
from hypothesis import given
from hypothesis import strategies as st
from problems import LOSSES, SMOOTH, minimiser, problem

import cdlab
from cdlab.problems import balls
from cdlab.problems.points import Points

FAR = 1e-6  # how far the referee's w* may be off
SIZES = [{"n": 25, "d": 6, "seed": 0}, {"n": 12, "d": 9, "seed": 1}, {"n": 25, "d": 6, "seed": 2}]


def after(P, epochs):
    """A w with the alpha and the gap it has by some epochs of sdca: w = w(alpha)."""
    s = cdlab.solve(P, "sdca", sampling="permutation", tol=0, max_passes=epochs)
    return s.w, s.alpha, P.gap(s.w, s.alpha)


def at(P, w):
    """alpha = -phi'(X w), its X'alpha/n and the gap."""
    alpha = P.alpha(w)
    return alpha, P.v(alpha), P.gap(w, alpha)


points = given(
    st.sampled_from(SIZES), st.sampled_from([0.05, 0.3]), st.sampled_from([0.0, 0.05]), st.sampled_from([1, 4, 20])
)


@pytest.mark.parametrize("loss", pushed(LOSSES, "logistic", "hinge"))
@points
def test_a_primal_ball_contains_the_solution_and_settles_only_what_is_so(loss, size, l2, l1, epochs):
    P, best = problem(loss, l2=l2, l1=l1, **size), minimiser(loss, l2, l1, **size)
    w, alpha, gap = after(P, epochs)
    ball = balls.primal_ball(P, Points(w, alpha, z=P.predict(w)), gap)
    assert np.linalg.norm(best - ball.center) <= ball.radius + FAR
    settled, alpha = balls.screened_examples(P, balls.prediction_box(P, ball))
    for side in (-FAR, FAR):  # on both sides of the referee's prediction: it is inside a straight part
        np.testing.assert_allclose(P.alpha(best, z=P.predict(best) + side)[settled], alpha[settled], atol=10 * FAR)


@pytest.mark.parametrize("loss", SMOOTH)
@pytest.mark.parametrize("l2", [0.0, 0.1])
@given(st.sampled_from(SIZES), st.floats(0, 1), st.integers(0, 10**6))
def test_a_dual_ball_contains_the_solution_and_settles_only_zeros(loss, l2, size, near, seed):
    P, best = problem(loss, l2=l2, l1=0.1, **size), minimiser(loss, l2, 0.1, **size)
    w = best + near**4 * np.random.default_rng(seed).standard_normal(P.d)
    alpha, v, gap = at(P, w)
    ball = balls.dual_ball(P, Points(w, alpha, v=v), gap)
    assert np.linalg.norm(P.alpha(best) - ball.center) <= ball.radius + np.sqrt(P.n) * FAR
    np.testing.assert_allclose(ball.image, P.v(ball.center), atol=1e-12)
    assert np.abs(best[balls.screened_features(P, balls.slope_box(P, ball))]).max(initial=0.0) <= FAR


def test_for_the_squared_loss_the_four_distances_make_up_the_gap():
    """(l2/2)(|w-w*|^2 + |w(alpha)-w*|^2) + (gamma/2n)(|alpha-alpha*|^2 + |u-alpha*|^2) = P(w) - D(alpha)."""
    P, best = problem("squared", l2=0.1), minimiser("squared", 0.1, 0.0)
    rng = np.random.default_rng(0)
    w, alpha = rng.standard_normal(P.d), rng.standard_normal(P.n)

    def distance2(x, y):
        return (x - y) @ (x - y)

    there = P.alpha(best)
    primal = distance2(w, best) + distance2(P.w(alpha), best)
    dual = distance2(alpha, there) + distance2(P.alpha(w), there)
    assert P.gap(w, alpha) == pytest.approx(0.05 * primal + dual / (2 * P.n), rel=1e-8)


@each_of("l2, share", [(0.9, 0.8181818182), (0.99, 0.9801980198), (0.999, 0.998001998)])
def test_no_smaller_ball_would_do(l2, share):
    """The hinge and one example a = 1 at w = 1/2: l2 |w - w*|^2 = share * gap, with w* = 1."""
    P = cdlab.Problem([[1.0], [0.0]], [1, -1], "hinge", l2=l2 / 2)  # of two classes; the empty row adds 1/2 to P
    w, alpha = np.array([0.5]), np.array([l2 / 2, -1.0])
    np.testing.assert_allclose(P.w(alpha), w)
    assert P.l2 * 0.5**2 / P.gap(w, alpha) == pytest.approx(share, rel=1e-9)
    ball = balls.primal_ball(P, Points(w, alpha, z=P.predict(w)), P.gap(w, alpha))
    assert 0.5 <= ball.radius == pytest.approx(0.5 / np.sqrt(share), rel=1e-9)


@each_of("loss", ["hinge", "smooth_hinge", "squared_hinge", "absolute", "huber"])
def test_near_the_optimum_all_but_what_lies_on_a_bend_is_settled(loss):
    """Predictions farther from where phi' changes than the solution is known are settled."""
    size = SIZES[0]
    P, best = problem(loss, l2=0.1, **size), minimiser(loss, 0.1, 0.0, **size)
    s = cdlab.solve(P, "sdca", tol=1e-10, max_passes=100_000)
    ball = balls.primal_ball(P, Points(s.w, s.alpha, z=P.predict(s.w)), s.gap)
    settled, _ = balls.screened_examples(P, balls.prediction_box(P, ball))
    z = P.predict(best)
    straight = P.alpha(best, z=z - 0.01) == P.alpha(best, z=z + 0.01)
    assert straight.any()
    assert settled[straight].all()


@each_of("loss, l2", [("squared", 1e25), ("logistic", 1e25), ("logistic", 1e-7), ("huber", 1e25)])
def test_a_loss_that_is_curved_settles_nothing_where_rounding_flattens_it(loss, l2):
    P = cdlab.Problem(np.array([[30.0, 0], [0, 1], [40, 3]]), [0.5, -0.5, 0.5] if loss == "huber" else [1, -1, 1],
                      loss=loss, l2=l2)  # fmt: skip
    s = cdlab.solve(P, "sdca", tol=1e-12, max_passes=10_000)
    assert not s.certified.examples.any()


def test_without_a_certificate_nothing_is_settled():
    P = problem("hinge", l2=0.1)
    w = np.zeros(P.d)
    ball = balls.primal_ball(P, Points(w, P.alpha(w), z=P.predict(w)), np.inf)
    settled, _ = balls.screened_examples(P, balls.prediction_box(P, ball))
    assert not settled.any()
    P = problem("squared", l2=0.0, l1=0.1)
    alpha, v, _ = at(P, w)
    ball = balls.dual_ball(P, Points(w, alpha, v=v), np.inf)
    assert not balls.screened_features(P, balls.slope_box(P, ball)).any()
