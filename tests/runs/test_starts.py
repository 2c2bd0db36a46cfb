"""Runs that start elsewhere than at 0: every method takes a start, and accuracies still refer to P(0)."""

import numpy as np
import pytest
from cases import each_of
from problems import problem

import cdlab
from cdlab.methods import METHODS
from cdlab.runs.entries import check_entry, resolve_entry
from cdlab.runs.running import start_point


def taking(P):
    """The methods that take this problem."""
    for name in METHODS:
        try:
            check_entry(P, *resolve_entry(name))
        except ValueError:
            continue
        yield name


P, FLAT = problem(l2=0.1), problem("squared", l2=0.0)
KINKS = problem("hinge", l2=0.1)
CASES = [(P, name) for name in taking(P)] + [(FLAT, name) for name in taking(FLAT) if name not in set(taking(P))]
CASES += [(KINKS, "ssnal")]


def test_every_method_is_among_the_cases():
    assert {name for _, name in CASES} == set(METHODS)


@each_of("problem, method", CASES)
def test_a_run_from_the_optimum_begins_there(problem, method):
    """The first record is as good as the start, for dual methods by alpha, for primal ones by w."""
    best = cdlab.solve(problem, "ssnal" if problem is KINKS else "lbfgs", tol=1e-13, max_passes=500)
    run = cdlab.iterate(problem, method, start=best, seed=0)
    first = next(run)
    optimum = best.trace.records[-1].primal
    at_zero = problem.primal(np.zeros(problem.d))
    assert first.primal - optimum <= 1e-8 * (at_zero - optimum)
    assert run.trace.at_zero == at_zero
    assert first.primal < at_zero


@each_of("method", ["sdca", "rcd", "spdc", "saga", "lbfgs"])
def test_relative_gaps_refer_to_zero_and_not_to_the_start(method):
    half = cdlab.solve(P, "sdca", tol=1e-2, seed=1)
    s = cdlab.solve(P, method, start=half, tol=1e-6)
    last = s.trace.records[-1]
    assert s.relative_gap == pytest.approx(last.gap / (P.primal(np.zeros(P.d)) - last.dual))
    assert s.status == "tolerance reached"
    assert s.trace.column("relative_gap")[0] < 1


def test_what_is_missing_in_a_start_is_completed_from_the_other():
    w, alpha = np.full(P.d, 0.1), np.full(P.n, 0.01) * P.y
    at = start_point(P, (w, None))
    np.testing.assert_array_equal(at.alpha, P.alpha(w))
    at = start_point(P, (None, alpha))
    np.testing.assert_array_equal(at.w, P.w(alpha))
    assert start_point(P, None) is None


def test_a_start_is_copied_and_named_in_the_trace():
    w = np.full(P.d, 0.1)
    run = cdlab.iterate(P, "rcd", start=(w, None))
    for _ in range(3):
        next(run)
    np.testing.assert_array_equal(w, 0.1)
    other = cdlab.iterate(P, "rcd", start=(2 * w, None))
    assert run.trace.meta["start"] != other.trace.meta["start"]
    assert "start" not in cdlab.iterate(P, "rcd").trace.meta


def test_going_on_from_a_solution_is_no_worse_than_the_solution():
    half = cdlab.solve(P, "sdca", tol=1e-3)
    again = cdlab.solve(P, "sdca", start=half, tol=1e-8)
    assert again.trace.records[0].dual == pytest.approx(half.trace.records[-1].dual, rel=1e-12)


@each_of(
    "problem, start, error, sentence",
    [
        (P, 3, TypeError, "start must be"),
        (P, (None, None), ValueError, "says nothing"),
        (P, (np.zeros(3), None), ValueError, r"w must have shape \(8,\); it has \(3,\)"),
        (P, (np.full(8, np.nan), None), ValueError, "contains NaN or infinity"),
        (P, (np.zeros(8, complex), None), TypeError, "real numbers"),
        (P, (None, np.full(30, 2.0)), ValueError, "outside the domain of the logistic loss's dual"),
        (FLAT, (None, np.zeros(30)), ValueError, "needs l2 > 0"),
    ],
)
def test_a_start_that_is_none_is_refused(problem, start, error, sentence):
    with pytest.raises(error, match=sentence):
        cdlab.solve(problem, "lbfgs", start=start)


def test_suboptimality_in_a_race_from_a_start_refers_to_zero():
    half = cdlab.solve(P, "sdca", tol=1e-3)
    race = cdlab.race(P, ["sdca", "rcd"], start=half, max_passes=200)
    assert race.traces[0].records[0].primal < P.primal(np.zeros(P.d))
    assert race.reached(0.5).max() == 0.0  # both begin below half the way
