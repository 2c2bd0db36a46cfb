"""The family of losses of u - y: golden steps, members that are equal, the smooth ones, and what is refused."""

import math

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from cdlab import losses, testing
from cdlab.losses import EpsilonInsensitive, Huber, Pinball, Squared, SquaredEpsilonInsensitive

numbers = st.floats(-30, 30)


@each_of(
    "loss, at, beta",
    [
        (Pinball(0.9), (0.8, -0.2, 0.5, 1.0), -0.6),
        (EpsilonInsensitive(0.25), (0.3, -0.2, 1.0, 1.0), -0.65),
        (SquaredEpsilonInsensitive(0.25), (0.3, -0.2, 0.5, 1.0), -0.3666666667),
    ],
)
def test_golden_dual_steps(loss, at, beta):
    assert loss.dualprox(*at) == pytest.approx(beta, abs=1e-10)


@each_of("loss", [Pinball(0.9, 0.3), Pinball(1e-3), EpsilonInsensitive(0.5, 0.2), SquaredEpsilonInsensitive(2.0, 3.0)])
def test_members_with_other_parameters_keep_what_a_loss_promises(loss):
    assert testing.check_loss(loss) is None


def formulas(loss, u, y, y0, q):
    a = -loss.grad_phi(u, y)
    return [loss.phi(u, y), loss.grad_phi(u, y), loss.phi_conj(a, y), loss.dualprox(u, y0, q, y)]


@given(u=numbers, y=numbers, y0=st.floats(-1, 1), q=st.floats(0, 5))
def test_without_epsilon_it_is_the_absolute_or_the_squared_loss(u, y, y0, q):
    at = (u, y, y0, q)
    for gamma in (0.0, 0.7):
        assert formulas(EpsilonInsensitive(0.0, gamma), *at) == formulas(Huber(gamma), *at)
    squared, same = (formulas(loss, *at) for loss in (Squared(c=1.5), SquaredEpsilonInsensitive(0.0, 1.5)))
    assert same == pytest.approx(squared, rel=1e-12, abs=1e-12)


@given(u=numbers, y=numbers, y0=st.floats(-1, 1), q=st.floats(0, 5))
def test_twice_the_loss_of_the_median_is_the_absolute_loss(u, y, y0, q):
    half, whole = Pinball(0.5), losses.absolute()
    assert 2 * half.phi(u, y) == pytest.approx(whole.phi(u, y), rel=1e-15)
    assert 2 * half.grad_phi(u, y) == whole.grad_phi(u, y)
    assert 2 * half.dualprox(u, y0 / 2, 2 * q, y) == pytest.approx(whole.dualprox(u, y0, q, y), abs=1e-12)


@given(u=numbers, y=numbers, quantile=st.floats(0.01, 0.99), gamma=st.floats(0.01, 3), epsilon=st.floats(0, 2))
def test_gamma_rounds_by_the_least_of_loss_and_parabola(u, y, quantile, gamma, epsilon):
    """phi_gamma(u) = min_t phi(t) + (u - t)^2/(2 gamma), tried at its kinks and on the two straight sides."""
    for kinked in (Pinball(quantile), EpsilonInsensitive(epsilon)):
        slopes = sorted((kinked.grad_phi(-1e9, y), 0.0, kinked.grad_phi(1e9, y)))
        eps = getattr(kinked, "epsilon", 0.0)
        tried = [y - eps, y + eps, *(u - gamma * slope for slope in slopes)]
        least = min(kinked.phi(t, y) + (u - t) ** 2 / (2 * gamma) for t in tried)
        assert kinked._replace(gamma=gamma).phi(u, y) == pytest.approx(least, rel=1e-9, abs=1e-9)


def test_facts():
    assert (Pinball(0.9).lipschitz, EpsilonInsensitive(3.0).lipschitz) == (0.9, 1.0)
    assert (SquaredEpsilonInsensitive(c=2.0).gamma, SquaredEpsilonInsensitive().lipschitz) == (0.25, math.inf)
    assert np.allclose(Pinball(0.9).domain(7.0), (-0.1, 0.9), rtol=1e-15, atol=0)
    assert Pinball(0.9).phi_conj(0.91, 0.0) == Pinball(0.9).phi_conj(-0.11, 0.0) == math.inf


@each_of(
    "loss, sentence",
    [
        (Pinball(0.0), r"quantile of the loss Pinball must be a number in \(0, 1\), not 0.0"),
        (Pinball(1.0), r"\(0, 1\), not 1.0"),
        (Pinball(math.nan), r"\(0, 1\), not nan"),
        (Pinball(0.5, -1.0), "gamma of the loss Pinball must be a finite number >= 0"),
        (EpsilonInsensitive(-0.1), "epsilon of the loss EpsilonInsensitive must be a finite number >= 0"),
        (SquaredEpsilonInsensitive(0.1, 0.0), "c of the loss SquaredEpsilonInsensitive must be a finite number > 0"),
        ("quantile", "did you mean 'pinball'"),
    ],
)
def test_parameters_out_of_range_are_refused(loss, sentence):
    with pytest.raises(ValueError, match=sentence):
        losses.resolve(loss)


def test_a_prediction_beyond_float64_costs_infinitely_much():
    for loss in (
        Pinball(0.3),
        Pinball(0.3, 0.2),
        EpsilonInsensitive(),
        SquaredEpsilonInsensitive(),
        Huber(),
        Squared(),
    ):
        assert loss.phi(np.inf, 1.0) == loss.phi(-np.inf, 1.0) == np.inf


def test_a_tube_that_holds_all_labels_is_solved_at_once():
    """P(w*) = 0 exactly, where no slope is steep: no rounding is left in the gap."""
    X, y = cdlab.datasets.make(n=40, d=3, task="regression", seed=0)
    for loss in (losses.EpsilonInsensitive(100.0), losses.SquaredEpsilonInsensitive(100.0)):
        for intercept in (False, True):
            s = cdlab.solve(cdlab.Problem(X, y, loss=loss, l2=1e-3, intercept=intercept))
            assert (s.status, s.gap) == ("tolerance reached", 0.0)
