"""The loop and its limits, seen through methods that lie, clocks that are ours and traces written by hand."""

import itertools
import re
from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
from cases import each_of
from problems import data, problem

import cdlab
from cdlab.methods import METHODS, SDCA
from cdlab.runs import measuring
from cdlab.runs.limits import Limits, drive
from cdlab.runs.measuring import REFRESH_EPOCHS
from cdlab.runs.running import Run
from cdlab.samplings import Uniform


@dataclass(frozen=True)
class Forgetful(SDCA):
    """After its first epoch the dual point is optimal for w = 0, and the maintained v says that w is 0: a gap of 0."""

    def epoch(self, P, S, order):
        first = not S.alpha.any()
        S = super().epoch(P, S, order)
        if first:
            S.alpha[:], S.v[:] = P.y / 2, 0  # -phi'(0) of the logistic loss
        return S


@pytest.fixture
def measured_as_large_data(monkeypatch):
    """From maintained vectors; on small data every measurement makes its own products."""
    monkeypatch.setattr(measuring, "MAX_AFRESH_NONZEROS", 0)


@pytest.mark.usefixtures("measured_as_large_data")
def test_a_maintained_vector_that_lies_does_not_end_a_run():
    P = problem("logistic")
    run = Run(P, Forgetful())
    next(run)
    lie = next(run)
    assert lie.gap < 1e-14
    assert P.gap(run.w, run.alpha) > 0.1
    s = cdlab.solve(P, Forgetful(), tol=1e-6)
    assert s.status == "tolerance reached"
    assert s.trace.records[-1].passes > 1
    assert P.gap(s.w, s.alpha) == pytest.approx(s.gap, abs=1e-15)
    assert s.relative_gap <= 1e-6


@pytest.mark.usefixtures("measured_as_large_data")
def test_a_record_that_is_certified_takes_the_place_of_the_one_it_checks():
    s = cdlab.solve(problem("logistic"), Forgetful(), sampling="permutation", tol=1e-6, every=1)
    np.testing.assert_array_equal(s.trace.column("iteration"), 30 * np.arange(len(s.trace.records)))


def test_maintained_vectors_are_refreshed_every_so_many_epochs():
    epochs = []

    @dataclass(frozen=True)
    class Watched(SDCA):
        def refresh(self, problem, S):
            epochs.append(len(run.trace.records))
            super().refresh(problem, S)

    run = Run(problem(), Watched())
    for _ in range(2 * REFRESH_EPOCHS + 2):
        next(run)
    assert epochs == [REFRESH_EPOCHS, 2 * REFRESH_EPOCHS]


# ---------------------------------------------------------------- the clock
@pytest.mark.parametrize("every", [1, 3])
def test_the_clock_runs_while_the_method_draws_and_updates_and_stands_still_otherwise(every):
    now = [1000.0]

    def spend(seconds):
        now[0] += seconds

    @dataclass(frozen=True)
    class Slow(SDCA):
        def orders(self, problem, sampling, rng):
            for order in super().orders(problem, sampling, rng):
                spend(0.25)
                yield order

        def epoch(self, P, S, order):
            spend(2.0 if order.size else 500.0)  # warming up is an epoch of nothing
            return super().epoch(P, S, order)

        def points(self, problem, S):
            spend(100.0)
            return super().points(problem, S)

    run = Run(problem(), Slow(), every=every, clock=lambda: now[0])
    assert [next(run).seconds for _ in range(4)] == [2.25 * every * k for k in range(4)]


def test_a_method_is_warm_before_its_first_record():
    sizes = []

    @dataclass(frozen=True)
    class Watched(SDCA):
        def epoch(self, P, S, order):
            sizes.append(order.size)
            return super().epoch(P, S, order)

    run = Run(problem(), Watched())
    assert sizes == [0]
    next(run)
    next(run)
    assert sizes == [0, 30]


# ---------------------------------------------------------------- what is counted
@pytest.mark.parametrize("rule", ["gs", "gsl"])
def test_greedy_s_ideal_passes_are_those_of_its_updates_alone(rule):
    """Where no entry is 0, each update visits one of d columns."""
    X, y = data(density=1.0)
    s = cdlab.solve(cdlab.Problem(X, y, l2=0.1), "greedy", rule=rule, tol=0, max_passes=5)
    np.testing.assert_allclose(s.trace.column("ideal_passes"), s.trace.column("iteration") / 8)
    assert np.isnan(cdlab.solve(problem(), tol=0, max_passes=2).trace.column("ideal_passes")).all()


def test_passes_over_no_nonzeros_are_counted_by_iterations():
    P = cdlab.Problem(np.zeros((4, 2)), [1, -1, 1, -1], l2=0.1)
    for name in ("sdca", "greedy"):
        run = Run(P, name)
        records = [next(run) for _ in range(3)]
        assert [r.passes for r in records] == [r.iteration / 4 for r in records]
        assert records[-1].iteration > 0


@each_of("every", [True, False, 0, -1, 1.0, 1.5, "2", None])
def test_every_is_a_whole_number(every):
    with pytest.raises(ValueError, match="every must be a whole number of epochs >= 1, not"):
        cdlab.iterate(problem(), every=every)


def test_every_may_be_numpy_s():
    run = cdlab.iterate(problem(), every=np.int64(2), sampling="permutation")
    assert [next(run).passes for _ in range(3)] == [0, 2, 4]


# ---------------------------------------------------------------- refusals
@pytest.mark.parametrize("l1", [0.0, 0.02])
@pytest.mark.parametrize("loss", ["logistic", "hinge"])
def test_a_method_that_needs_l2_names_just_those_that_do_not(loss, l1):
    P = problem(loss, l2=0.0, l1=l1)
    with pytest.raises(ValueError, match="needs l2 > 0") as error:
        cdlab.solve(P, "quartz")
    free = {name for name, cls in METHODS.items() if cls().refusal(P, Uniform()) is None} | {"auto"}
    assert set(re.findall(r"\w+", str(error.value).partition("accept this problem: ")[2])) == free
    for name in free:
        assert next(cdlab.iterate(P, name)).passes == 0


def test_what_is_refused_for_another_reason_names_no_methods():
    with pytest.raises(ValueError, match="needs a smooth loss") as error:
        cdlab.solve(problem("hinge", l2=1.0), "quartz")
    assert "accept this problem" not in str(error.value)


def test_a_probability_may_be_small_but_not_zero():
    p = np.ones(30)
    p[3] = 1e-12
    assert next(cdlab.iterate(problem(), sampling=p)).passes == 0
    p[3] = 0
    with pytest.raises(ValueError, match=r"probability 0 of coordinate 3 \(of 1 such\)"):
        cdlab.iterate(problem(), sampling=p)


# ---------------------------------------------------------------- limits
def test_a_tolerance_that_is_just_met_is_met():
    """At the start the relative gap is 1: D(0) = 0."""
    s = cdlab.solve(problem(), tol=1.0 + 1e-14)
    assert (s.status, s.trace.records[-1].passes) == ("tolerance reached", 0)


def test_a_run_goes_on_from_its_last_record():
    s = cdlab.solve(problem(), "sdca@permutation", tol=0, max_passes=10)
    assert s.resume(tol=2 * s.relative_gap).trace.records[-1].passes == 10
    assert s.resume(tol=0, max_passes=10).trace.records[-1].passes == 10
    assert s.resume(tol=0, max_passes=11).trace.records[-1].passes == 11


@pytest.mark.parametrize("method", ["lbfgs", "agd"])
def test_without_a_regulariser_a_run_ends_where_the_gradient_is_small_and_not_before(method):
    P = problem(l2=0.0)
    s = cdlab.solve(P, method, tol=1e-3, max_passes=1000)
    assert s.status == "gradient small"
    assert (s.gap, s.relative_gap) == (np.inf, np.inf)
    assert s.run.seen.gradient_ratio <= 1e-3
    again, ratios = cdlab.iterate(P, method), []
    for _ in s.trace.records:
        next(again)
        ratios.append(again.seen.gradient_ratio)
    scales = np.sqrt((P.X**2).mean(axis=0))
    start = np.linalg.norm(P.gradient(np.zeros(8)) / scales)
    assert ratios[0] == 1
    assert ratios[-1] == pytest.approx(np.linalg.norm(P.gradient(again.w) / scales) / start)
    assert min(ratios[:-1]) > 1e-3


@pytest.mark.parametrize("intercept", [False, True])
@pytest.mark.parametrize("loss", ["squared", "logistic", "huber", "softmax"])
def test_units_of_columns_do_not_change_how_small_a_gradient_is(loss, intercept):
    rng = np.random.default_rng(0)
    X, units = rng.standard_normal((60, 4)), 2.0 ** np.array([-40, 0, 13, 50])
    y = X @ [1, -2, 3, 1] + rng.standard_normal(60) if loss in ("squared", "huber") else rng.integers(0, 2, 60)
    w = rng.standard_normal((4, 2) if loss == "softmax" else 4)
    b = np.zeros((int(intercept), *w.shape[1:]))
    ratios = []
    for scale in np.ones(4), units:
        P = cdlab.Problem(X * scale, y, loss=loss, l2=0, intercept=intercept)
        at = np.concatenate([(w.T / scale).T, b])
        run = cdlab.iterate(P, "lbfgs", start=(at, P.alpha(at)))
        next(run)
        ratios.append(run.seen.gradient_ratio)
    assert ratios[0] == pytest.approx(ratios[1], rel=1e-12)


def test_a_gradient_is_small_only_where_it_is_in_each_column():
    rng = np.random.default_rng(3)
    seconds, share = rng.uniform(0, 1e8, 200), rng.integers(0, 2, 200).astype(float)
    X = np.column_stack([seconds, share])
    y = 1e-4 * seconds + 100 * share + rng.standard_normal(200)
    P = cdlab.Problem(X, y, loss="squared", l2=0)
    s = cdlab.solve(P, "rcd", tol=1e-6, max_passes=5000)
    assert s.status == "gradient small"
    assert s.w == pytest.approx(np.linalg.lstsq(X, y)[0], rel=1e-3)


def test_a_small_gradient_ends_no_run_that_has_a_duality_gap():
    P = problem(l2=0.1)
    s = cdlab.solve(P, "lbfgs", tol=1e-4)
    assert s.status == "tolerance reached"
    assert np.isnan(s.run.seen.gradient_ratio)


def test_no_tolerance_at_all_runs_to_the_limit_even_at_the_optimum():
    """tol = 0 asks for the limit; X = 0 is optimal from the first epoch on."""
    P = cdlab.Problem(sp.csr_matrix(np.eye(3)), [1.0, 1.0, 1.0], loss="squared", l2=0.0)
    assert cdlab.solve(P, "lbfgs", tol=0, max_passes=7).status == "pass limit"


@pytest.mark.parametrize("X", [[[2.0]], [[0.0]]])
def test_where_there_is_one_nonzero_or_none_ideal_passes_count_it(X):
    run = cdlab.iterate(cdlab.Problem(X, [1.0], l2=0.1), "greedy")
    records = [next(run) for _ in range(3)]
    assert [r.ideal_passes for r in records] == [np.count_nonzero(X) * r.iteration for r in records]


def test_a_time_limit_that_is_just_reached_is_reached():
    """An epoch takes a second by this clock."""
    ticks = itertools.count()
    run = Run(problem(), SDCA(), clock=lambda: float(next(ticks)))
    drive(run, Limits(0, None, 3))
    assert (run.trace.meta["status"], run.trace.records[-1].seconds) == ("time limit", 3.0)
    s = cdlab.solve(problem(), tol=0, max_passes=None, max_seconds=0)
    assert (s.status, s.trace.records[-1].passes) == ("time limit", 0)


def test_a_gradient_that_is_just_small_enough_is_small():
    """||grad P(0)||/||grad P(0)|| = 1."""
    s = cdlab.solve(problem(l2=0.0), "gd", tol=1.0)
    assert (s.status, s.trace.records[-1].passes) == ("gradient small", 0)


def test_a_reader_gets_every_record_and_stops_nothing():
    run, read, asked = Run(problem(), "sdca"), [], []
    status = drive(run, Limits(0, 4), lambda record: read.append(record) or True, stop=asked.append)
    assert (status, read) == ("pass limit", run.trace.records)
    assert asked == read[:-1]


@each_of("bad", [{"tol": -1}, {"max_passes": "3"}, {"max_passes": None}, {"max_seconds": np.nan}])
def test_who_goes_on_has_limits_too(bad):
    s = cdlab.solve(problem(), tol=0, max_passes=1)
    with pytest.raises(ValueError, match=next(iter(bad))):
        s.resume(**bad)
    assert len(s.trace.records) == 2


def test_a_solution_is_shown_without_its_run():
    assert "run=" not in repr(cdlab.solve(problem(), max_passes=1))


def test_a_solution_equals_itself_alone():
    s, other = (cdlab.solve(problem(), max_passes=1) for _ in range(2))
    assert s != other
    assert len({s, s, other}) == 2
