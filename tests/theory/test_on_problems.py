"""The bounds on real Problem objects: the plain numbers they read are there and mean what theory thinks."""

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of

import cdlab
from cdlab import theory
from cdlab.theory import registry
from cdlab.theory.constants import least_decrease

X = sp.random(30, 12, 0.3, random_state=1, format="csr")
Y = np.where(np.arange(30) % 3 == 0, 1.0, -1.0)


@each_of("loss", ["squared", "logistic", "smooth_hinge"])
def test_theory_and_face_off_compute_the_same_numbers(loss):
    P = cdlab.Problem(X, Y, loss=loss, l2=0.02)
    f = cdlab.faceoff(P)
    for method, side in (("rcd", "P"), ("quartz", "D")):
        for sampling, numbers in (("importance", f), ("uniform", f.uniform)):
            for quantity, letter in (("T", "T"), ("K", "K"), ("cost per iteration", "W")):
                value = theory.bound(method, quantity, sampling).for_problem(P)
                assert value == pytest.approx(getattr(numbers, f"{letter}_{side}"), rel=1e-12)


@each_of("sampling", [cdlab.samplings.Lipschitz(power=0.3), "norms", np.arange(1.0, 31.0)])
def test_K_and_W_of_a_sampling_object_follow_its_probabilities(sampling):
    P = cdlab.Problem(X, Y, loss="logistic", l2=0.02)
    b = theory.bound("sdca", "K", sampling)
    p = cdlab.samplings.resolve(sampling).probabilities(P.coordinates("dual"))
    c = P.constants()
    s = c["row_norms2"] / c["gamma"] + 0.02 * 30
    assert b.for_problem(P) == pytest.approx((s / (p * 0.02 * 30)).max(), rel=1e-12)
    assert b.per("cost per iteration").for_problem(P) == pytest.approx(p @ c["row_counts"], rel=1e-12)


def test_refusals_on_real_problems():
    with pytest.raises(ValueError, match="theorem='lipschitz'"):
        theory.bound("sdca").for_problem(cdlab.Problem(X, Y, loss="hinge", l2=0.02))
    with pytest.raises(ValueError, match="needs l1 = 0"):
        theory.bound("greedy").for_problem(cdlab.Problem(X, Y, loss="logistic", l2=0.02, l1=0.01))
    with pytest.raises(ValueError, match="no theorem covers permutation"):
        theory.bound("sdca", sampling=cdlab.samplings.Permutation())


# ------------------------------------------------------------ accuracy is a share of P(0) - P*
LARGE = [{"l2": 1000.0}, {"l2": 10.0}, {"l2": 0.1}, {"l2": 1e-3}, {"l2": 1.0, "l1": 0.05}]


@pytest.mark.parametrize("loss", ["logistic", "hinge", "squared", "absolute", "softmax"])
def test_p_falls_at_least_as_far_as_along_its_steepest_descent(loss):
    X, y = cdlab.datasets.make(n=60, d=8, seed=0)
    for weights in LARGE:
        P = cdlab.Problem(X, np.arange(60) % 3 if loss == "softmax" else y, loss=loss, **weights)
        least = least_decrease(P)(P.l2)
        best = cdlab.solve(P, tol=1e-9, max_passes=3000).trace.records[-1]
        P0 = P.primal(P.zeros(P.d)) - best.dual  # from above
        assert 0 < least <= P0 * (1 + 1e-9), weights
        assert least >= 0.2 * P0, f"{weights}: one step of the best length goes a good part of the way"


@pytest.mark.parametrize("l2", [1000.0, 10.0, 1e-2])
@pytest.mark.parametrize("method", ["sdca", "quartz"])
def test_the_mean_gap_after_the_passes_of_the_bound_is_the_share_of_p0_that_it_promises(method, l2):
    """Where l2 is large nearly all of P(0) - D(0) is D* - D(0): a share of that gap would be a poor accuracy."""
    eps = 1e-2
    X, y = cdlab.datasets.make(n=20, d=5, seed=0)
    P = cdlab.Problem(X, y, l2=l2)
    passes = theory.bound(method).for_problem(P, eps)
    P0 = P.primal(P.zeros(P.d)) - cdlab.solve(P, tol=1e-12, max_passes=10**4).trace.records[-1].primal
    ends = []
    for seed in range(40):
        trace = cdlab.solve(P, method, sampling="uniform", seed=seed, tol=0, max_passes=passes).trace
        last = trace.records[-1]
        assert last.passes >= passes
        ends.append((last.primal - last.dual) / P0)
    assert np.mean(ends) <= eps


def test_a_count_to_a_share_of_p0_never_rises_with_p0():
    """So a lower bound of P0 may stand for it."""
    P = cdlab.Problem(*cdlab.datasets.make(n=30, d=6, seed=1), loss="logistic", l2=0.1)
    low, high = least_decrease(P)(P.l2), P.constants()["gap0"]
    compared = 0
    for bound in (theorem.per("passes") for theorem in registry.all_theorems() if theorem.counts):
        try:
            counts = [bound.for_problem(P, 1e-3, P0=P0) for P0 in np.linspace(low, high, 7)]
        except ValueError:  # not about this problem, or it needs more than the problem tells
            continue
        assert (np.diff(counts) <= 1e-9 * np.array(counts[1:])).all(), bound
        compared += 1
    assert compared > 25


@pytest.mark.parametrize("loss", ["hinge", "absolute"])
def test_an_empty_example_of_a_loss_with_kinks_is_no_nan(loss):
    """Its s_i = ||x_i||^2/gamma + l2 n is 0/0 there; warnings are errors."""
    P = cdlab.Problem([[1.0, 2.0], [0.0, 0.0], [2.0, 1.0]], [1.0, -1.0, 1.0], loss=loss)
    assert np.isfinite(theory.bound("sdca", sampling="uniform", theorem="lipschitz").for_problem(P))
    assert cdlab.advise(P, probe=False)
