"""The logistic loss of many examples at once is the scalar formula, to rounding and at the ends of float64."""

import numpy as np
import pytest

import cdlab
from cdlab.losses import Logistic, logistic_arrays
from cdlab.losses.weighted import weighted
from cdlab.problems.certificates import certificate
from cdlab.problems.points import Points

ENDS = np.array([0.0, -0.0, 1e-300, 1e-17, 36.0, 37.0, 700.0, 708.0, 800.0, 1e308, np.inf])
ULP = np.finfo(float).eps


@pytest.mark.parametrize("has_weights", [False, True])
def test_values_of_whole_arrays_are_those_of_the_scalar_formulas(has_weights):
    rng = np.random.default_rng(0)
    z = np.concatenate([ENDS, -ENDS, 3 * rng.standard_normal(2 * logistic_arrays.BLOCK), [np.nan]])
    labels = rng.choice([-1.0, 1.0], z.size)
    loss, y = weighted(Logistic(), labels, rng.random(z.size)) if has_weights else (Logistic(), labels)
    values = {name: np.empty(z.size) for name in ("losses", "slopes", "curvatures")}
    with np.errstate(over="raise", divide="raise"):
        logistic_arrays.evaluate(z, y, **values)
    for name, formula in (("losses", loss.phi), ("slopes", loss.grad_phi), ("curvatures", loss.hess_phi)):
        expected = np.array([formula(u, label) for u, label in zip(z, y, strict=True)])
        np.testing.assert_allclose(values[name], expected, rtol=4 * ULP, atol=2e-308, err_msg=name)


@pytest.mark.parametrize("has_weights", [False, True])
def test_conjugates_of_whole_arrays_are_those_of_the_scalar_formulas(has_weights):
    rng = np.random.default_rng(1)
    b = np.concatenate([[0.0, 5e-324, 1e-300, 1e-17, 1 - ULP / 2, 1.0, np.nan], rng.random(2 * logistic_arrays.BLOCK)])
    labels, weights = rng.choice([-1.0, 1.0], b.size), rng.random(b.size)
    loss, y = weighted(Logistic(), labels, weights) if has_weights else (Logistic(), labels)
    alpha, out = b * labels * (weights if has_weights else 1.0), np.empty(b.size)
    logistic_arrays.conjugates(alpha, y, out)
    expected = np.array([loss.phi_conj(a, label) for a, label in zip(alpha, y, strict=True)])
    np.testing.assert_allclose(out, expected, rtol=8 * ULP, atol=2 * ULP)


@pytest.mark.every_pair("a weight of 0 multiplies what is infinite")
@pytest.mark.parametrize("has_weights", [False, True])
@pytest.mark.parametrize("outside", [-1e-3, 1.5, -np.inf])
def test_outside_of_the_domain_conjugates_are_infinite_and_nothing_is_certified(has_weights, outside):
    n = logistic_arrays.MIN_EXAMPLES
    weights = np.where(np.arange(n) % 7 == 3, 0.0, 1.0) if has_weights else None
    P = cdlab.Problem(np.ones((n, 1)), np.resize([-1.0, 1.0], n), l2=0.1, sample_weight=weights)
    alpha = 0.25 * P.y * (1.0 if weights is None else P.sample_weight)
    assert np.isfinite(P.dual(alpha))
    for i in (0, 3, n - 1):
        wrong = alpha.copy()
        wrong[i] = outside * P.y[i]
        assert P.dual(wrong) == -np.inf
        known = certificate(P, Points(np.zeros(1), wrong), None)  # that of alpha = 0
        assert not known.alpha.any()
        assert known.dual == P.dual_at_zero
