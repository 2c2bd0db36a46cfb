"""A sampling that somebody wrote is covered by what theorems say of any probabilities, if it draws one at a time."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import cdlab
from cdlab import theory
from cdlab.samplings import SAMPLINGS, Sampling, Uniform, normalised


@dataclass(frozen=True)
class ByRoots(Sampling):
    """p_i ~ 1 + ||a_i||."""

    name: ClassVar[str] = "roots"

    def probabilities(self, c):
        return normalised(1 + np.sqrt(c.norms2))


class Duck:
    """Not derived from `Sampling`, and of the same probabilities."""

    name = "duck"

    def probabilities(self, c):
        return ByRoots().probabilities(c)


@pytest.fixture
def P():
    return cdlab.Problem(*cdlab.datasets.make(n=30, d=7, density=0.5, seed=0), loss="logistic", l2=0.05)


@pytest.mark.parametrize(("method", "side"), [("sdca", "dual"), ("quartz", "dual"), ("rcd", "primal")])
@pytest.mark.parametrize("sampling", [ByRoots(), Duck()], ids=["derived", "duck"])
def test_its_bound_is_that_of_its_probabilities(P, sampling, method, side):
    p = sampling.probabilities(P.coordinates(side))
    for quantity in ("passes", "K", "cost per iteration", "T"):
        b = theory.bound(method, quantity, sampling)
        assert b.sampling == "given"
        assert b.for_problem(P) == pytest.approx(theory.bound(method, quantity, p).for_problem(P), rel=1e-13)


def test_a_method_that_is_run_with_it_has_that_bound_too(P):
    assert theory.bound(cdlab.methods.SDCA(), "passes", ByRoots()).for_problem(P) > 0
    assert cdlab.solve(P, "sdca", sampling=ByRoots(), tol=1e-6).status == "tolerance reached"


def test_who_inherits_a_name_does_not_inherit_its_theorem(P):
    class Uneven(Uniform):
        def probabilities(self, c):
            return normalised(np.arange(1.0, c.m + 1))

    found = theory.bound("sdca", "K", Uneven()).for_problem(P)
    assert found == pytest.approx(theory.bound("sdca", "K", np.arange(1.0, P.n + 1)).for_problem(P))
    assert found != pytest.approx(theory.bound("sdca", "K").for_problem(P))


def test_weights_that_are_not_divided_by_their_sum_are_probabilities_in_proportion(P):
    class Weights(Sampling):
        name = "weights"
        tau = 3  # a parameter of its own, no size of blocks

        def probabilities(self, c):
            return np.arange(1.0, c.m + 1)

    for quantity in ("K", "cost per iteration"):
        found = theory.bound("sdca", quantity, Weights()).for_problem(P)
        assert found == pytest.approx(theory.bound("sdca", quantity, np.arange(1.0, P.n + 1)).for_problem(P))


def test_an_order_of_the_users_is_no_sampling_of_a_theorem():
    class Backwards(Sampling):
        name = "backwards"
        has_theorem = False

    with pytest.raises(ValueError, match="no theorem covers backwards sampling"):
        theory.bound("sdca", sampling=Backwards())


def test_a_sampling_of_cdlab_without_theorem_has_its_probabilities_named(monkeypatch):
    monkeypatch.setattr(ByRoots, "__module__", "cdlab.samplings.serial")
    monkeypatch.setitem(SAMPLINGS, "roots", ByRoots)
    with pytest.raises(ValueError, match="does not cover sampling 'roots'") as refused:
        theory.bound("sdca", sampling="roots")
    P = cdlab.Problem(np.eye(3) + 1, [1, -1, 1], l2=0.1)
    b = eval(str(refused.value).partition("any probabilities: ")[2].removesuffix(")"), {"cdlab": cdlab, "P": P})
    assert b.for_problem(P) > 0


def test_where_no_theorem_is_about_any_probabilities_the_refusal_says_so():
    with pytest.raises(ValueError, match="'drawn iterate' does not cover sampling 'roots'"):
        theory.bound("sdca", sampling=ByRoots(), theorem="drawn iterate")


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (lambda c: np.arange(float(c.m)), "must be positive where X has an entry; that of coordinate 0 is 0"),
        (lambda c: np.arange(c.m) - 1.0, "must be positive .*; the smallest here is -1"),
        (lambda c: np.ones(c.m + 1), "one probability for each of 30 coordinates, not 31"),
        (lambda c: np.ones((c.m, 2)), "must give a 1-D array of probabilities"),
    ],
    ids=["zero", "negative", "too many", "2-D"],
)
def test_wrong_probabilities_are_refused(P, wrong, words):
    class Wrong(Sampling):
        name = "wrong"

        def probabilities(self, c):
            return wrong(c)

    with pytest.raises(ValueError, match=words):
        theory.bound("sdca", sampling=Wrong()).for_problem(P)


def test_what_does_not_say_what_it_draws_is_refused():
    class Nameplate:
        name = "uniform"

    with pytest.raises(ValueError, match=r"needs a method probabilities\(c\)"):
        theory.bound("sdca", sampling=Nameplate())
