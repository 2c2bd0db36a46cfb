"""An intercept for each class of softmax: none is penalised, and the columns of the dual point sum to 0."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from multiclass import classes
from scipy.special import logsumexp

import cdlab
from cdlab.problems.intercept import balance_classes

X, y = classes()
n, d, K = *X.shape, 3
WEIGHTS = np.random.default_rng(3).exponential(size=n)


def problem(l2=0.1, l1=0.0, **options):
    return cdlab.Problem(X, y, "softmax", l2, l1, intercept=True, **options)


@pytest.mark.parametrize("weights", [None, WEIGHTS])
def test_the_objective_leaves_the_intercepts_alone(weights):
    P, rng = problem(0.3, 0.2, sample_weight=weights), np.random.default_rng(0)
    W, b = rng.standard_normal((d, K)), rng.standard_normal(K)
    z = X @ W + b
    losses = logsumexp(z, axis=1) - z[np.arange(n), (y - 1) // 3]
    expected = np.average(losses, weights=weights) + 0.15 * (W**2).sum() + 0.2 * np.abs(W).sum()
    assert P.primal(np.vstack([W, b])) == pytest.approx(expected, rel=1e-12)


def test_the_gradient_is_that_of_the_objective():
    P, h = problem(sample_weight=WEIGHTS), 1e-6
    at = np.random.default_rng(0).standard_normal((d + 1, K))
    units = np.eye(at.size).reshape(-1, *at.shape)
    slopes = [(P.primal(at + h * e) - P.primal(at - h * e)) / (2 * h) for e in units]
    assert P.gradient(at).ravel() == pytest.approx(slopes, abs=1e-8)


@given(st.integers(0, 2**32 - 1), st.sampled_from([None, WEIGHTS, np.arange(n) % 2.0]), st.floats(0, 50))
def test_a_balanced_point_is_feasible(seed, weights, size):
    """Its columns sum to 0, its rows do, and s_i e_y - alpha_i stays nonnegative: D is finite, and at most P."""
    P, rng = problem(sample_weight=weights), np.random.default_rng(seed)
    w, other = size * rng.standard_normal((2, d + 1, K))
    alpha = rng.random((n, 1)) * P.alpha(other)
    found = balance_classes(alpha, P.y, P.sample_weight)
    assert np.abs(found.sum(axis=0)).max() <= 1e-12 * n
    assert np.abs(found.sum(axis=1)).max() <= 1e-12
    assert np.isfinite(P.dual(alpha))
    assert P.dual(alpha) <= P.primal(w) * (1 + 1e-12) + 1e-12


def test_a_point_whose_columns_sum_to_0_is_left():
    P = problem()
    once = balance_classes(P.alpha(np.ones((d + 1, K))), P.y, None)
    assert balance_classes(once, P.y, None) == pytest.approx(once, abs=1e-14)


@pytest.mark.parametrize("method", ["lbfgs", "agd", "fista", "newton_cd", "auto"])
@pytest.mark.parametrize(("l2", "l1"), [(0.1, 0.0), (0.05, 0.02)])
def test_methods_close_the_gap(method, l2, l1):
    if l1 > 0 and method in ("agd", "newton_cd"):
        method = "gd"
    s = cdlab.solve(problem(l2, l1, sample_weight=WEIGHTS), method, tol=1e-9, max_passes=10_000)
    assert s.status == "tolerance reached"
    assert s.w.shape == (d, K)
    assert s.intercept.shape == (K,)


def test_a_solution_with_intercepts_is_saved_whole(tmp_path):
    s = cdlab.solve(problem(), "lbfgs", tol=1e-6)
    s.save(tmp_path / "s.npz")
    loaded = cdlab.load_solution(tmp_path / "s.npz")
    assert np.array_equal(loaded.intercept, s.intercept)
    assert np.array_equal(loaded.predict(X), s.predict(X))
    again = cdlab.solve(problem(), "lbfgs", tol=1e-6, start=loaded)
    assert again.trace.records[0].gap == pytest.approx(s.gap, rel=1e-6)


@pytest.mark.parametrize(
    ("method", "sentence"), [("sdca", "takes softmax without an intercept: use lbfgs"), ("rcd", "use lbfgs")]
)
def test_a_refusal_names_methods_that_take_both(method, sentence):
    with pytest.raises(ValueError, match=f"{method} .*{sentence}"):
        cdlab.solve(problem(), method)
