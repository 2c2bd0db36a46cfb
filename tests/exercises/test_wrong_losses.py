"""The sentence about each plausible mistake in a loss of one's own."""

from typing import NamedTuple

import numpy as np
import pytest
from cases import each_of
from modified_huber import ModifiedHuber

import cdlab
from cdlab import jit, testing


def wrong_loss(**changed):
    return jit.struct(type("Wrong", (ModifiedHuber,), changed))()


LOSSES = {
    "the conjugate of the hinge": (
        {"phi_conj": lambda self, a, y: -y * a if -1e-12 <= y * a <= 1 else float("inf")},
        r"phi \+ phi_conj = -a u fails",
    ),
    "the conjugate at a in place of -a": (
        {"phi_conj": lambda self, a, y: a * a / 4 + y * a if -4 <= y * a <= 0 else float("inf")},
        r"phi_conj\(a, y\) is the conjugate at -a",
    ),
    "a domain without end": (
        {"phi_conj": lambda self, a, y: a * a / 4 - y * a},
        r"phi_conj must be inf at a = -?4\.000001, y = -1, as -phi' ends at -?4: it is ",
    ),
    "the derivative without the label": (
        {"grad_phi": lambda self, u, y: -2.0 * max(0.0, 1 - y * u) if y * u > -1 else -4.0},
        r"grad_phi\(u = .*, y = -1\) is .*, and the slope of phi there is between .* and ",
    ),
    "the step of a hinge": (
        {"dualprox": lambda self, u, y0, q, y: -y * min(max((1 - y * u - q * y * y0) / (0.5 + q), 0.0), 1.0)},
        r"dualprox\(.*\) = .* does not maximise",
    ),
    "a step for q >= 0 alone": (
        {"dualprox": lambda self, u, y0, q, y: ModifiedHuber(self.c).dualprox(u, y0, q, y) if q >= 0 else 17.0},
        r"q = -0\.25, y = -1\) = 17\. does not maximise .*; apcg asks a smooth loss for -gamma < q < 0, too$",
    ),
    "a misspelt parameter": (
        {"grad_phi": lambda self, u, y: -2.0 * self.k},
        r"loss Wrong: <lambda> \(test_wrong_losses\.py, line \d+\) fails: Wrong has no 'k'; it has c, classification, ",
    ),
    "not convex": ({"phi": lambda self, u, y: min(1.0, max(0.0, 1 - y * u) ** 2)}, "phi is not convex"),
    "too smooth": ({"gamma": 1.0}, r"gamma = 1 is too large"),
    "too flat": ({"lipschitz": 1.0}, r"lipschitz = 1 is too small"),
    "no kink": ({"gamma": 0.0}, "its derivative does not jump: give gamma > 0"),
}


@each_of("mistake", LOSSES)
def test_a_wrong_loss_is_told_what_is_wrong(mistake):
    changed, sentence = LOSSES[mistake]
    with pytest.raises(AssertionError, match=sentence) as error:
        testing.check_loss(wrong_loss(**changed))
    assert "\n" not in str(error.value)


def test_kinks_that_are_denied_are_found():
    hinge = jit.struct(type("Hinge", (cdlab.losses.SmoothHinge,), {"kinks": False}))
    with pytest.raises(AssertionError, match="it says kinks = False, and its derivative jumps"):
        testing.check_loss(hinge(gamma=0.0))


def test_a_loss_without_a_fact_is_told_which():
    @jit.struct
    class Bare(NamedTuple):
        c: float = 1.0

        def phi(self, u, y):
            return self.c * (u - y) ** 2

    with pytest.raises(
        TypeError, match="loss Bare.* has no name, classification, gamma, .*add `name = .*see cdlab.losses.Loss"
    ):
        cdlab.Problem(np.eye(2), [1, -1], loss=Bare())


@pytest.mark.parametrize("fact", ["gamma", "lipschitz"])
def test_a_fact_that_asks_for_what_the_loss_has_not_is_named(fact):
    wrong = wrong_loss(**{fact: property(lambda self: 4 * self.k)})
    for taken in (testing.check_loss, lambda loss: cdlab.Problem(np.eye(2), [1, -1], loss=loss)):
        with pytest.raises(TypeError, match=f"loss Wrong has no 'k', which its {fact} asks for; its fields are c$"):
            taken(wrong)
