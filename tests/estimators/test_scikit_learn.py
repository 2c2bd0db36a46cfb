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


def weighed(name):
    X, y = cdlab.datasets.load(name, scale="unit")
    return X[:1500], y[:1500], np.random.default_rng(0).exponential(size=1500)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge"])
def test_with_sample_weights_the_optimum_is_scikit_learns(loss):
    """scikit-learn sums over examples where cdlab takes their mean: l2 = 1/(C sum_i s_i)."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.svm import LinearSVC

    X, y, weights = weighed("mushrooms")
    P = cdlab.Problem(X, y, loss=loss, l2=1e-2, sample_weight=weights)
    C = 1 / (P.l2 * weights.sum())
    model = {
        "logistic": LogisticRegression(C=C, fit_intercept=False, tol=1e-10, solver="newton-cholesky"),
        "squared_hinge": LinearSVC(C=C / 2, fit_intercept=False, dual=False, tol=1e-10, max_iter=100_000),
    }[loss]
    w = model.fit(X, y, sample_weight=weights).coef_.ravel()
    for method in ("sdca", "rcd", "lbfgs"):
        s = cdlab.solve(P, method, tol=1e-9)
        assert s.status == "tolerance reached"
        assert s.w == pytest.approx(w, abs=1e-3)
        assert P.primal(s.w) - P.primal(w) <= s.gap
        assert P.primal(w) - P.primal(s.w) <= 1e-8


def test_with_sample_weights_ridge_is_scikit_learns():
    from sklearn.linear_model import Ridge

    X, y, weights = weighed("abalone_scale")
    P = cdlab.Problem(X, y, "squared", l2=1e-2, sample_weight=weights)
    model = Ridge(alpha=P.l2 * weights.sum(), fit_intercept=False).fit(X, y, sample_weight=weights)
    assert cdlab.solve(P, "sdca", tol=1e-12).w == pytest.approx(model.coef_, rel=1e-5)
