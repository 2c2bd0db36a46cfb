"""A refusal is data: the bound, the assumption that failed, and the values that contradict it."""

import pickle

import numpy as np
import pytest

import cdlab
from cdlab import theory
from cdlab.theory.symbols import gamma, l2


def refused(bound, P):
    with pytest.raises(theory.Uncovered) as caught:
        bound.for_problem(P)
    return caught.value


def test_a_refusal_holds_the_bound_the_assumption_and_the_values(golden):
    b = theory.bound("sdca")
    refusal = refused(b, golden("hinge"))
    assert refusal.bound == b
    assert refusal.failed == (gamma > 0)
    assert refusal.values["gamma"] == 0
    assert isinstance(refusal, ValueError)


def test_the_alternative_covers_the_problem_that_was_refused(golden):
    for b in (theory.bound("sdca"), theory.bound("rcd"), theory.bound("spdc", theorem="suboptimality")):
        refusal = refused(b, golden("hinge"))
        other = refusal.alternative
        assert other.per("passes").for_problem(golden("hinge")) > 0
        assert f"bound({other.method!r}, sampling={other.sampling!r}, theorem={other.theorem!r})" in str(refusal)


def test_where_nothing_fits_there_is_no_alternative(golden):
    refusal = refused(theory.bound("quartz"), golden(l2=0.0))
    assert refusal.failed == (l2 > 0)
    assert refusal.alternative is None


def test_of_a_method_that_falls_back_the_last_one_is_refused(golden):
    refusal = refused(theory.bound("accprox_sdca"), golden("hinge"))
    assert (refusal.bound.method, refusal.alternative.theorem) == ("sdca", "lipschitz")


def test_a_loss_of_several_predictions_is_an_assumption_that_fails():
    X, _ = cdlab.datasets.make(n=12, d=3, seed=0)
    P = cdlab.Problem(X, np.arange(12) % 3, loss="softmax")
    refusal = refused(theory.bound("quartz"), P)
    assert refusal.values["outputs"] == 3
    assert "3 classes; bound('sdca', sampling='uniform', theorem='smooth') covers it" in str(refusal)
    assert refusal.alternative.for_problem(P) > 0


def test_where_no_theorem_for_several_predictions_fits_none_is_named():
    X, _ = cdlab.datasets.make(n=12, d=3, seed=0)
    P = cdlab.Problem(X, np.arange(12) % 3, loss="softmax", l2=0.0)
    refusal = refused(theory.bound("quartz"), P)
    assert refusal.alternative is None
    assert str(refusal).endswith("is for losses of one prediction, and this problem has 3 classes")


def test_a_refusal_survives_a_process_boundary(golden):
    refusal = refused(theory.bound("sdca"), golden("hinge"))
    again = pickle.loads(pickle.dumps(refusal))
    assert str(again) == str(refusal)
