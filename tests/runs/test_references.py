"""References beside numpy's, scipy's and scikit-learn's solutions, and what their certificates promise."""

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp
from cases import each_of
from sklearn.linear_model import LogisticRegression

import cdlab

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 6)) * 2.0 ** -np.arange(6)
TARGETS = X @ RNG.standard_normal(6) + RNG.standard_normal(40)
SIGNS = np.where(TARGETS > 0, 1.0, -1.0)


@pytest.mark.parametrize("weights", [None, RNG.random(40)], ids=["alike", "weighted"])
def test_least_squares_is_numpys_and_certified(weights):
    roots = np.ones(40) if weights is None else np.sqrt(weights)
    w = np.linalg.lstsq(roots[:, None] * X, roots * TARGETS, rcond=None)[0]
    P = cdlab.Problem(X, TARGETS, "squared", 0, sample_weight=weights)
    found = cdlab.reference(P)
    np.testing.assert_allclose(found.w, w)
    assert found.primal == pytest.approx(P.primal(w))
    assert 0 <= found.certificate <= 1e-12 * found.at_zero


@pytest.mark.parametrize("sparse", [False, True])
def test_of_many_least_squares_solutions_it_is_the_shortest(sparse):
    wide = RNG.standard_normal((5, 9))
    wide[:, 8] = wide[:, 7]
    P = cdlab.Problem(sp.csr_matrix(wide) if sparse else wide, TARGETS[:5], "squared", 0)
    np.testing.assert_allclose(cdlab.reference(P).w, np.linalg.pinv(wide) @ TARGETS[:5], rtol=1e-9)


def test_what_is_not_certified_says_so():
    for P in (cdlab.Problem(sp.csr_matrix(X), TARGETS, "squared", 0), cdlab.Problem(X, separable(), "logistic", 0)):
        found = cdlab.reference(P)
        assert not found.certified
        assert found.certificate == np.inf
        assert found.found_by.endswith("not certified")


def separable():
    """Signs with enough noise that they are not separable: logistic regression has a solution."""
    return np.where(RNG.random(40) < 0.3, -SIGNS, SIGNS)


def test_ridge_solves_its_normal_equations():
    P = cdlab.Problem(X, TARGETS, "squared", 1e-3)
    found = cdlab.reference(P)
    np.testing.assert_allclose(found.w, np.linalg.solve(X.T @ X / 40 + 1e-3 * np.eye(6), X.T @ TARGETS / 40))
    assert found.certificate <= 1e-10 * found.at_zero


def test_a_ridge_point_costs_least_squares_an_excess_that_vanishes_with_its_weight():
    P = cdlab.Problem(X, TARGETS, "squared", 0)
    best = cdlab.reference(P)
    excess = [P.primal(cdlab.reference(P.with_(l2=l2)).w) - best.primal for l2 in (1e-1, 1e-2, 1e-3, 1e-4)]
    assert (np.diff(excess) < 0).all()
    assert 0 <= excess[-1] < 1e-4


def test_logistic_regression_without_a_regulariser_is_scikit_learns():
    y = separable()
    found = cdlab.reference(cdlab.Problem(X, y, "logistic", 0))
    model = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-12, max_iter=10_000, solver="newton-cholesky")
    np.testing.assert_allclose(found.w, model.fit(X, y).coef_[0], rtol=1e-5)
    assert "gradient 1e-09 of the first" in found.found_by


CASES = {
    "well conditioned": ("logistic", 1e-1, 0, "sdca"),
    "ill conditioned": ("smooth_hinge", 1e-4, 0, "apcg"),
    "not smooth": ("hinge", 1e-2, 0, "sdca"),
    "elastic net": ("squared", 1, 1e-2, "sdca"),
    "lasso": ("squared", 0, 1e-2, "auto"),
}


@each_of("case", CASES)
def test_all_else_is_the_run_of_a_method_that_fits(case):
    loss, l2, l1, method = CASES[case]
    P = cdlab.Problem(X, TARGETS if loss == "squared" else SIGNS, loss, l2, l1)
    found = cdlab.reference(P)
    assert found.found_by.startswith(method)
    assert found.certificate <= 1e-9 * found.at_zero
    assert found.primal == pytest.approx(P.primal(found.w), rel=1e-14)
    other = scipy.optimize.minimize(P.primal, found.w, method="Nelder-Mead", options={"maxiter": 2000})
    assert other.fun >= found.dual


def test_a_run_that_is_cut_short_has_the_certificate_that_it_has():
    P = cdlab.Problem(X, SIGNS, "smooth_hinge", 1e-5)
    short, whole = cdlab.reference(P, max_passes=5), cdlab.reference(P)
    assert short.certificate > 1e-6
    assert short.dual <= whole.dual <= whole.primal <= short.primal


def test_other_runs_bring_both_ends_closer():
    P = cdlab.Problem(X, SIGNS, "smooth_hinge", 1e-3)
    loose = cdlab.reference(P, max_passes=3)
    race = cdlab.race(P, ["sdca@permutation", "spdc"], max_passes=300)
    found = loose.with_runs(race.traces)
    assert found.primal == min(race.optimum, loose.primal)
    assert found.certificate < loose.certificate
    assert loose.with_runs([]) == loose


def test_a_reference_lies_between_any_dual_and_any_primal_value():
    P = cdlab.Problem(X, SIGNS, "logistic", 1e-2)
    found = cdlab.reference(P)
    for _ in range(20):
        assert P.dual(P.alpha(RNG.standard_normal(6))) <= found.primal
        assert P.primal(RNG.standard_normal(6)) >= found.dual
