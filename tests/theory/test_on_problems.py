"""The bounds on real Problem objects: the plain numbers they read are there and mean what theory thinks."""

import numpy as np
import pytest
import scipy.sparse as sp

import cdlab
from cdlab import theory

X = sp.random(30, 12, 0.3, random_state=1, format="csr")
Y = np.where(np.arange(30) % 3 == 0, 1.0, -1.0)


@pytest.mark.parametrize("loss", ["squared", "logistic", "smooth_hinge"])
def test_theory_and_face_off_compute_the_same_numbers(loss):
    P = cdlab.Problem(X, Y, loss=loss, l2=0.02)
    f = cdlab.faceoff(P)
    for method, side in (("rcd", "P"), ("quartz", "D")):
        for sampling, numbers in (("importance", f), ("uniform", f.uniform)):
            for quantity, letter in (("T", "T"), ("K", "K"), ("cost per iteration", "W")):
                value = theory.bound(method, quantity, sampling).for_problem(P)
                assert value == pytest.approx(getattr(numbers, f"{letter}_{side}"), rel=1e-12)


@pytest.mark.parametrize("sampling", [cdlab.samplings.Lipschitz(power=0.3), "norms", np.arange(1.0, 31.0)])
def test_K_and_W_of_a_sampling_object_follow_its_probabilities(sampling):
    P = cdlab.Problem(X, Y, loss="logistic", l2=0.02)
    b = theory.bound("sdca", "K", sampling)
    p = cdlab.samplings.make(sampling).probabilities(P.coordinates("dual"))
    c = P.constants()
    s = c["row_norms2"] / c["gamma"] + 0.02 * 30
    assert b.for_problem(P) == pytest.approx((s / (p * 0.02 * 30)).max(), rel=1e-12)
    assert b.per("cost per iteration").for_problem(P) == pytest.approx(p @ c["row_counts"], rel=1e-12)


def test_refusals_on_real_problems():
    with pytest.raises(ValueError, match="theorem='lipschitz'"):
        theory.bound("sdca").for_problem(cdlab.Problem(X, Y, loss="hinge", l2=0.02))
    with pytest.raises(ValueError, match="needs l1 = 0"):
        theory.bound("rcd").for_problem(cdlab.Problem(X, Y, loss="logistic", l2=0.02, l1=0.01))
    with pytest.raises(ValueError, match="no theorem covers permutation"):
        theory.bound("sdca", sampling=cdlab.samplings.Permutation())
