"""The best certified gap so far: it never rises, is never below the distance to the optimum, and is what it says."""

import json
import math

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st
from problems import data, optimum, problem

import cdlab
from cdlab.runs.trace import Record, Trace, best_gaps

VALUES = st.lists(st.tuples(st.floats(-10, 10), st.floats(-30, -10)), min_size=1, max_size=30)


def trace_of(values, **meta):
    records = [Record(k, float(k), 0.0, p, d, max(0.0, p - d), math.nan) for k, (p, d) in enumerate(values)]
    return Trace(records, meta)


@given(VALUES, st.floats(-40, -10))
def test_it_is_the_least_primal_less_the_largest_dual_value_so_far(values, lowest):
    found = trace_of(values, D0=lowest).column("best_gap")
    for t in range(len(values)):
        upper = min(p for p, _ in values[: t + 1])
        lower = max(lowest, *(d for _, d in values[: t + 1]))
        assert found[t] == pytest.approx(upper - lower)
    assert (np.diff(found) <= 0).all()


CASES = [
    ("sdca", {"l2": 0.1}),
    ("rcd", {"l2": 0.1}),
    ("rcd", {"l2": 0.05, "l1": 0.02}),
    ("saga", {"l2": 0.0, "l1": 0.02}),
    ("spdc", {"l2": 0.1}),
    ("rcd", {"l2": 0.1, "intercept": True}),
    ("sdca", {"l2": 0.1, "sample_weight": np.linspace(0.5, 2.0, data()[0].shape[0])}),
]


@pytest.mark.parametrize(("method", "options"), CASES)
def test_it_never_rises_and_some_point_so_far_is_that_near(method, options):
    P = cdlab.Problem(*data(), **options)
    trace = cdlab.solve(P, method, max_passes=25, tol=0, every=1).trace
    best, primal = trace.column("best_gap"), trace.column("primal")
    lowest = cdlab.solve(P, "auto", tol=1e-11).trace.column("primal").min()
    assert (np.diff(best) <= 0).all()
    assert (best <= trace.column("gap")).all()
    assert (np.minimum.accumulate(primal) - lowest <= best + 1e-14).all()
    relative = trace.column("relative_best_gap")
    assert relative[0] <= 1 + 1e-12  # D(0) counts from the start, however low D(alpha(w)) is there
    assert (np.diff(relative) <= 0).all()
    highest = np.maximum.accumulate(np.maximum(trace.column("dual"), P.dual(np.zeros(P.n))))
    np.testing.assert_allclose(relative, best / (P.at_zero - highest), rtol=1e-12)
    ended = cdlab.solve(P, method, tol=1e-3, every=1)
    assert ended.trace.column("relative_best_gap")[-1] <= ended.relative_gap * (1 + 1e-9)  # `tol` is on the same


def test_softmax_and_a_warm_start_are_of_the_distance_at_zero():
    X, y = data()
    P = cdlab.Problem(X, np.arange(y.size) % 3, "softmax", l2=0.1)
    first = cdlab.solve(P, "sdca", max_passes=3, tol=0)
    warm = cdlab.solve(P, "sdca", start=first, max_passes=5, tol=0, every=1).trace
    scale = P.at_zero - np.maximum.accumulate(warm.column("dual"))
    np.testing.assert_allclose(warm.column("relative_best_gap"), warm.column("best_gap") / scale, rtol=1e-12)
    assert warm.column("best_gap")[0] <= first.gap * (1 + 1e-9)


def test_without_a_regulariser_it_is_as_uncertified_as_the_gap():
    P = problem(l2=0.0)
    trace = cdlab.solve(P, "lbfgs", max_passes=5, tol=0, every=1).trace
    assert np.isinf(trace.column("gap")).all()
    assert np.isinf(trace.column("best_gap")).all()
    assert np.isinf(trace.column("relative_best_gap")).all()
    assert cdlab.race(P, ["lbfgs"], max_passes=5).quantity == "primal"


@each_of(
    "values, expected",
    [
        ([(1.0, -math.inf), (0.5, 0.25)], [math.inf, 0.25]),
        ([(1.0, 0.0), (math.nan, math.nan), (0.5, -1.0)], [1.0, 1.0, 0.5]),
        ([(math.inf, 0.0), (2.0, 1.0)], [math.inf, 1.0]),
        ([(1.0, 0.0), (0.5, 0.75), (0.5, 0.5)], [1.0, math.inf, math.inf]),  # a bound above a value: one is wrong
    ],
)
def test_what_is_not_finite_certifies_nothing_and_what_contradicts_itself_ends_it(values, expected):
    records = [Record(k, k, 0.0, p, d, cdlab.problems.rounding.gap_between(p, d, 0.0), math.nan) for k, (p, d) in
               enumerate(values)]  # fmt: skip
    assert best_gaps(records).tolist() == expected


def test_rounding_is_in_it_as_it_is_in_the_gap():
    P = problem()
    trace = cdlab.solve(P, "sdca", tol=0, max_passes=200, every=1).trace
    assert trace.column("best_gap")[-1] >= trace.column("rounding").min() > 0
    assert trace.column("best_gap")[-1] >= trace.column("primal").min() - optimum("logistic", 0.1, 0.0)


def test_a_trace_of_a_version_that_did_not_keep_the_dual_value_at_zero_has_it_too(tmp_path):
    trace = cdlab.solve(problem(), "rcd", max_passes=20, tol=0, every=1).trace
    trace.save(tmp_path / "trace.json")
    content = json.loads((tmp_path / "trace.json").read_text())
    assert "best_gap" not in content["columns"]  # it is computed, so no file can claim it
    del content["meta"]["D0"]
    (tmp_path / "trace.json").write_text(json.dumps(content))
    old = Trace.load(tmp_path / "trace.json")
    assert (old.column("best_gap") >= trace.column("best_gap")).all()
    assert old.column("best_gap")[-1] == trace.column("best_gap")[-1]
    assert old.column("relative_best_gap")[-1] == trace.column("relative_best_gap")[-1]


def test_where_the_start_is_optimal_nothing_is_left():
    P = cdlab.Problem(np.eye(3), np.zeros(3), "squared", l2=0.1)
    trace = cdlab.solve(P, "sdca", max_passes=2, tol=0, every=1).trace
    assert trace.column("relative_best_gap").tolist() == [0.0] * len(trace.records)
