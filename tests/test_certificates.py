"""What a measurement certifies where there is no duality gap."""

import numpy as np
import pytest
from problems import problem

import cdlab
from cdlab.certificates import certificate, strong_convexity
from cdlab.methods import Points


def least_squares():
    P = problem("squared", l2=0.0)
    w = np.linalg.lstsq(P.X, P.y, rcond=None)[0]
    return P, w


def test_the_gradient_certifies_a_strongly_convex_problem():
    """P(w) - P* <= ||grad P(w)||^2/(2 mu), with mu = lambda_min(X'X)/n for the squared loss (c = 1/2)."""
    P, best = least_squares()
    mu = strong_convexity(P, "compute")
    assert mu == pytest.approx(np.linalg.svd(P.X, compute_uv=False)[-1] ** 2 / P.n)
    for shift in np.random.default_rng(0).standard_normal((20, 8)):
        known = certificate(P, Points(best + shift, None), mu)
        assert known.dual <= P.primal(best) + 1e-12
        assert known.gap >= P.primal(best + shift) - P.primal(best) - 1e-12


def test_without_mu_there_is_a_gradient_and_no_bound():
    P, best = least_squares()
    known = certificate(P, Points(best, None), None)
    assert known.gap == np.inf
    assert known.gradient < 1e-12


def test_non_smooth_without_a_regulariser_has_neither():
    known = certificate(problem("hinge", l2=0.0), Points(np.zeros(8), None), None)
    assert known.gap == np.inf
    assert np.isnan(known.gradient)


@pytest.mark.parametrize(
    ("settings", "mu", "sentence"),
    [
        ({"l2": 0.1}, 0.5, "leave mu out"),
        ({"l2": 0.0, "l1": 0.1}, 0.5, "leave mu out"),
        ({"l2": 0.0}, -1.0, "mu must be a number > 0"),
        ({"l2": 0.0}, "guess", "mu must be a number > 0"),
        ({"l2": 0.0}, "compute", "squared loss only"),
        ({"l2": 0.0, "loss": "squared", "n": 5, "d": 8}, "compute", "more columns than rows"),
    ],
)
def test_what_is_refused(settings, mu, sentence):
    with pytest.raises(ValueError, match=sentence):
        strong_convexity(problem(**settings), mu)


def test_dependent_columns_have_no_mu():
    P = cdlab.Problem(np.ones((4, 2)), [1.0, 2, 3, 4], loss="squared", l2=0.0)
    with pytest.raises(ValueError, match="mu = 0"):
        strong_convexity(P, "compute")
