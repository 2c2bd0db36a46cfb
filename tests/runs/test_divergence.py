"""A run that rises far above P(0) has diverged; by default only one that overflows."""

import numpy as np
import pytest
from cases import each_of
from problems import problem

import cdlab
from cdlab.methods import SGD

WILD = SGD(step=0.7, average=None)  # too long for the squared loss


def unregularised():
    return problem("squared", l2=0.0)


@pytest.mark.parametrize("level", [1.5, 100])
def test_a_run_ends_at_the_first_record_above_the_level(level):
    s = cdlab.solve(unregularised(), WILD, tol=0, max_passes=300, every=1, divergence_tol=level)
    shares = s.trace.column("primal") / s.trace.at_zero
    assert s.status == "diverged"
    assert shares[-1] > level >= shares[:-1].max()


def test_without_a_level_it_goes_on_until_it_overflows():
    s = cdlab.solve(unregularised(), "gd", step=100.0, tol=0, max_passes=3000)
    assert s.status == "diverged"
    assert s.trace.records[-2].primal > 1e6 * s.trace.at_zero


def test_a_run_that_stays_below_ends_as_it_would():
    P = problem("logistic", l2=0.1)
    a, b = (cdlab.solve(P, "sdca", divergence_tol=level) for level in (1, None))
    assert a.status == b.status == "tolerance reached"
    np.testing.assert_array_equal(a.w, b.w)


def test_from_a_start_the_level_is_still_about_zero():
    P = problem("logistic", l2=0.1)
    far = np.full(P.d, 100.0)
    assert cdlab.solve(P, "gd", start=(far, None), divergence_tol=2).status == "diverged"
    assert len(cdlab.solve(P, "gd", start=(far, None), divergence_tol=2).trace.records) == 1


def test_a_race_goes_on_without_those_that_diverged():
    race = cdlab.race(unregularised(), [WILD, "gd"], tol=0, max_passes=50, divergence_tol=10)
    assert [trace.meta["status"] for trace in race.traces] == ["diverged", "pass limit"]


@each_of("wrong", [0.5, 0, -1, np.nan, "much", True])
def test_a_level_is_a_number_of_at_least_one(wrong):
    with pytest.raises(ValueError, match=r"divergence_tol must be a number >= 1 or None"):
        cdlab.solve(problem("logistic"), divergence_tol=wrong)
