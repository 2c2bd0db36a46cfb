"""`solve` measures when the tolerance may have been reached, and now and then; by counts and gaps, not by a clock."""

import math

import numpy as np
import pytest
from cases import each_of
from hypothesis import given
from hypothesis import strategies as st

import cdlab
from benchmarks.peers.drawn import draw_data
from cdlab.methods import SDCA, NewtonCD
from cdlab.methods.base import Points
from cdlab.problems.products import Products
from cdlab.runs import pauses as lengths
from cdlab.runs.feed import Counts
from cdlab.runs.limits import MAX_PASSES
from cdlab.runs.measuring import MAX_AFRESH_NONZEROS, Measuring
from cdlab.runs.pauses import Pauses
from cdlab.runs.running import MAX_MEASURED_SHARE

SHARE = 0.5  # of a method that maintains v: X w is half a visit of every nonzero


def problem(l2=1e-3, **options):
    X, y = cdlab.datasets.make(n=200, d=30, density=0.3, seed=1)
    return cdlab.Problem(X, y, l2=l2, **options)


PROBLEM = problem()


def planner():
    return Pauses(PROBLEM, SDCA(), SDCA().init(PROBLEM, "uniform"))


@given(rate=st.floats(0.01, 2.0), tol=st.floats(1e-12, 1e-1), epochs=st.integers(3, 200), pause=st.integers(1, 50))
def test_a_gap_that_falls_geometrically_is_measured_when_it_reaches_the_tolerance(rate, tol, epochs, pause):
    pauses = planner()
    pauses.plan(tol, epochs, math.exp(-rate * epochs), SHARE)
    later = epochs + pause
    length, reaches_tol = pauses.plan(tol, later, math.exp(-rate * later), SHARE)
    needed = max(1, math.ceil(-math.log(tol) / rate - later - 1e-9))
    if reaches_tol:
        assert abs(length - needed) <= 1  # rounding of logarithms
    else:
        assert length == min(lengths.MAX_PAUSE_EPOCHS, math.ceil(lengths.MAX_PAUSE_SHARE * later)) <= needed


@each_of("levels", [(1.0, 1.0), (1.0, 2.0), (1.0, math.inf), (1.0, 0.0), (math.nan, 1.0)])
def test_a_gap_that_tells_no_rate_is_measured_again_when_the_epochs_have_grown(levels):
    pauses = planner()
    pauses.plan(1e-6, 10, levels[0], SHARE)
    assert pauses.plan(1e-6, 20, levels[1], SHARE) == (10, False)


@given(rate=st.floats(0.005, 2.0), tol=st.floats(1e-12, 1e-1))
def test_where_measuring_is_dear_a_geometric_gap_is_measured_seldom_and_found_in_time(rate, tol):
    """A measurement that costs ten epochs is made about as often as they double, and ends a sixteenth late at most."""
    pauses, epochs, measured = planner(), 0, 0
    while math.exp(-rate * epochs) > tol:
        epochs += pauses.plan(tol, epochs, math.exp(-rate * epochs), SHARE, 10.0)[0]
        measured += 1
    needed = math.ceil(-math.log(tol) / rate)
    assert epochs - needed <= 5 + needed / 16
    assert measured <= 3 + math.log2(1 + needed / 5) + needed / 100


def test_where_measuring_is_cheap_every_epoch_is_measured():
    pauses = planner()
    assert [pauses.plan(1e-6, k, 2.0**-k, 0.1)[0] for k in range(5)] == [1] * 5


@pytest.mark.parametrize("method", ["sdca", "rcd", "saga", "lbfgs", "spdc"])
@pytest.mark.parametrize("tol", [1e-2, 1e-5])
def test_the_tolerance_is_certified_and_found_at_most_half_too_late(method, tol):
    P = problem()
    dense = cdlab.solve(P, method, tol=tol, every=1)
    paced = cdlab.solve(P, method, tol=tol)
    assert paced.status == "tolerance reached"
    assert P.gap(paced.w, paced.alpha) <= tol * (P.primal(np.zeros(P.d)) - P.dual(paced.alpha)) * 1.001
    first = dense.trace.records[-1].passes
    per_epoch = first / max(1, len(dense.trace.records) - 1)
    most = (1 + lengths.MAX_PAUSE_SHARE) * first + (1 + lengths.FIRST_PAUSE_EPOCHS) * per_epoch
    assert paced.trace.records[-1].passes <= most


NEWTON_PROBLEMS = [
    ("newton_cd", "logistic", 1e-4, 0.0),
    ("newton_cd", "logistic", 0.0, 1e-3),
    ("newton_cd", "squared_hinge", 1e-4, 0.01),
    ("ssnal", "hinge", 1e-3, 0.0),
    ("ssnal", "absolute", 0.0, 0.01),
]


@each_of("intercept", [False, True], pushed=[True])
@each_of("form", NEWTON_PROBLEMS, pushed=NEWTON_PROBLEMS[1::2])
@each_of("tol", [1e-3, 1e-6, 1e-9], pushed=[1e-6])
def test_a_gap_that_the_method_knows_to_be_far_is_not_measured_and_no_iteration_is_lost_by_it(form, intercept, tol):
    method, loss, l2, l1 = form
    P = problem(l2, l1=l1, loss=loss, intercept=intercept)
    each = cdlab.solve(P, method, tol=tol, every=1)
    few = cdlab.solve(P, method, tol=tol)
    assert each.status == few.status == "tolerance reached"
    assert few.trace.records[-1].iteration == each.trace.records[-1].iteration
    assert len(few.trace.records) < len(each.trace.records)


@each_of("loss", ["logistic", "squared_hinge", "squared"], pushed=["logistic"])
@each_of("l1", [0.0, 0.01])
def test_the_gap_that_newton_s_method_estimates_is_that_of_its_point(loss, l1):
    """Exactly that of alpha(w) with l1 = 0; with l1 > 0 no smaller than the certified one, and not far above it."""
    P, method = problem(1e-3, l1=l1, loss=loss), NewtonCD()
    S = method.init(P, "uniform", Points(np.linspace(-1, 1, P.d), np.zeros(P.n)))
    estimated = method.estimated_gap(P, S)
    gap = P.primal(S.w) - P.dual(P.alpha(S.w))
    if l1 == 0:
        np.testing.assert_allclose(estimated, gap, rtol=1e-9)
    else:
        at = method.points(P, S)
        assert P.gap(at.w, at.alpha) * (1 - 1e-9) <= estimated <= MAX_MEASURED_SHARE * P.gap(at.w, at.alpha)


@each_of("loss, intercept", [("logistic", False), ("hinge", True)])
def test_measuring_a_long_run_visits_less_than_a_tenth_of_what_the_run_visits(loss, intercept):
    s = cdlab.solve(problem(l2=1e-4, loss=loss, intercept=intercept), "sdca", tol=0, max_passes=300)
    products = 2 if intercept else 1  # X w, and X'alpha of an alpha that sums to 0
    assert len(s.trace.records) * products / 2 <= 0.1 * s.trace.records[-1].passes


@each_of("intercept", [False, True])
@each_of("loss", ["logistic", "hinge"])
def test_a_measurement_says_how_many_products_it_takes(loss, intercept, monkeypatch):
    X, y = cdlab.datasets.make(n=1500, d=60, density=0.5, seed=0)
    P, made = cdlab.Problem(X, y, loss, l2=1e-3, intercept=intercept), []
    assert P.nnz > MAX_AFRESH_NONZEROS
    for name in ("times", "transposed_times"):
        product = getattr(Products, name)
        monkeypatch.setattr(Products, name, lambda *a, product=product, **k: made.append(1) or product(*a, **k))
    for method in (cls() for cls in cdlab.methods.METHODS.values()):
        if method.refusal(P, cdlab.samplings.Uniform()) is None:
            S, counts = method.init(P.centred, "uniform", P.centred.start), Counts(P.centred, method.counts_ideal)
            measuring = Measuring(P, method, None, None, None)
            again = intercept and method.points(P.centred, S).v is not None
            made.clear()
            seen = measuring.measure(S, counts, math.nan, planned=True, afresh=False)
            assert len(made) == seen.products + again, method.name


def test_the_default_limit_of_passes_keeps_no_pause_short_before_300_epochs():
    """One epoch of Newton's method on so sparse an X may be hundreds of passes."""
    X, y = cdlab.datasets.make(n=3000, d=400, density=0.003, seed=0)
    P = cdlab.Problem(X, y, "absolute", l2=1e-6, intercept=True)
    records = cdlab.solve(P, "ssnal", inner="gram").trace.records
    assert records[-1].passes > MAX_PASSES
    assert len(records) < records[-1].iteration / 2


def test_the_default_limit_leaves_small_data_the_passes_that_they_need():
    X, y = cdlab.datasets.make(n=100, d=20, condition=100, seed=2)
    P = cdlab.Problem(X, y, "hinge", l2=1e-3)
    s = cdlab.solve(P, "sdca")
    assert s.status == "tolerance reached"
    assert s.trace.records[-1].passes > MAX_PASSES


def test_the_default_limit_counts_anew_where_auto_goes_on_with_another_method():
    """Where sdca has done 300 epochs, one of Newton's method may be more passes than are left of 1000."""
    P = cdlab.Problem(*draw_data(7501, 9), "absolute", l2=0.00382 / 1293)
    s = cdlab.solve(P)
    assert "; ssnal after" in s.trace.meta["chosen"]
    assert s.status == "tolerance reached"
    assert s.trace.records[-1].passes > MAX_PASSES
    assert cdlab.solve(P, max_passes=1000).status == "pass limit"


def test_records_do_not_depend_on_a_clock():
    first, again = (cdlab.solve(problem(), "sdca", seed=3, tol=1e-7).trace for _ in range(2))
    for column in ("iteration", "primal", "dual"):
        np.testing.assert_array_equal(first.column(column), again.column(column))


def test_limits_are_kept_whatever_the_pause():
    records = cdlab.solve(problem(), "sdca", tol=0, max_passes=7).trace.records
    assert 7 <= records[-1].passes < 8.5


def test_a_race_and_an_iteration_keep_every_epoch():
    P = problem()
    trace = cdlab.race(P, ["sdca"], max_passes=6).traces[0]
    assert [r.iteration for r in trace.records] == [200 * k for k in range(len(trace.records))]
    assert len(trace.records) >= 6


def test_a_run_that_a_limit_cut_short_is_resumed_as_if_it_had_never_stopped():
    P, never = problem(), {"tol": 1e-9, "seed": 2}
    whole = cdlab.solve(P, max_passes=40, **never)
    parted = cdlab.solve(P, max_passes=9, **never).resume(max_passes=40, tol=1e-9)
    np.testing.assert_array_equal(parted.w, whole.w)
    forced = [r for r in parted.trace.records if r.iteration not in whole.trace.column("iteration")]
    assert len(forced) <= 1
    assert [r.gap for r in parted.trace.records if r not in forced] == list(whole.trace.column("gap"))
