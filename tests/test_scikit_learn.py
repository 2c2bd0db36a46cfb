"""On real data the optimum is scikit-learn's, or scipy's where scikit-learn has no such loss."""

import numpy as np
import pytest

import cdlab


@pytest.mark.parametrize(
    ("method", "sampling", "loss"),
    [
        ("sdca", "permutation", "logistic"),
        ("sdca", "uniform", "squared_hinge"),
        ("sdca", "permutation", "hinge"),
        ("quartz", "importance", "smooth_hinge"),
        ("rcd", "importance", "logistic"),
        ("rcd", "permutation", "squared_hinge"),
    ],
)
def test_on_mushrooms_the_optimum_is_scikit_learns(method, sampling, loss):
    X, y = cdlab.datasets.load("mushrooms", scale="unit")
    P = cdlab.Problem(X, y, loss=loss, l2=1e-3)
    tol = 1e-8 if P.loss.gamma > 0 else 1e-4
    s = cdlab.solve(P, method, sampling=sampling, tol=tol, max_passes=2000)
    assert s.status == "tolerance reached"
    if loss == "smooth_hinge":  # scikit-learn has none: a quasi-Newton method of scipy instead
        from scipy.optimize import minimize

        def value_and_gradient(w):
            return P.primal(w), -P.X.T @ P.alpha(w) / P.n + P.l2 * w

        w = minimize(
            value_and_gradient, np.zeros(P.d), jac=True, method="L-BFGS-B", options={"ftol": 0, "gtol": 1e-9}
        ).x
    else:
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import LinearSVC

        C = 1 / (P.l2 * P.n)
        model = {
            "logistic": LogisticRegression(C=C, fit_intercept=False, tol=1e-10, solver="newton-cholesky"),
            "hinge": LinearSVC(C=C, loss="hinge", fit_intercept=False, tol=1e-8, max_iter=1_000_000),
            "squared_hinge": LinearSVC(C=C / 2, fit_intercept=False, dual=False, tol=1e-10, max_iter=100_000),
        }[loss]
        w = model.fit(P.X, P.y).coef_.ravel()
    assert P.primal(s.w) - P.primal(w) <= s.gap
    assert P.primal(w) - P.primal(s.w) <= 1e-7 * P.primal(w)
