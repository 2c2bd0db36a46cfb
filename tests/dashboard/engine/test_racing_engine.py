"""Races of the page: the runs of `cdlab.race` on a logarithmic clock, judged by the best gap."""

import math

import numpy as np
import pytest
from small_choices import small

import cdlab
from cdlab.dashboard.engine import predict, race
from cdlab.dashboard.engine.problems import prepared
from cdlab.dashboard.engine.racing import begin, run_race
from cdlab.dashboard.engine.run_views import first_updates

METHODS = ["rcd", "sdca", "quartz(4)", "svrg", "gd"]


@pytest.fixture(scope="module")
def events():
    return list(race(small(methods=METHODS)))


def last_runs(events):
    return {(run.label, run.draw): run for event in events for run in event.runs}


def test_runs_are_those_of_the_library(events):
    choices = small(methods=METHODS)
    entries = [(entry.method, {"sampling": entry.sampling}) for entry in choices.contestants()]
    there = cdlab.race(choices.problem(), entries, seeds=[0, 1], records="log", tol=0, max_passes=choices.passes)
    for k, entry in enumerate(choices.contestants()):
        for trace, draw in zip(there[k], choices.draws(), strict=True):
            run = last_runs(events)[entry.label, draw]
            count = len(run.passes)
            np.testing.assert_allclose(run.passes, trace.column("passes")[:count], rtol=1e-7)
            np.testing.assert_allclose(run.gap, np.minimum(trace.column("relative_best_gap")[:count], 1), rtol=1e-9)


def test_gap_is_at_most_one_and_only_falls(events):
    for run in last_runs(events).values():
        assert run.gap[0] <= 1
        assert (np.diff(run.gap) <= 0).all()
        assert (np.diff(run.primal) <= 0).all()
        assert (np.diff(run.dual) >= 0).all()


def test_outcome_is_of_the_runs(events):
    outcome = events[-1].outcome
    for result in outcome.results:
        reached = [run.reached for (label, _), run in last_runs(events).items() if label == result.label]
        assert result.reached == pytest.approx(np.median(reached))
        assert (result.low, result.high) == pytest.approx((min(reached), max(reached)))
    best = min(outcome.results, key=lambda result: result.reached)
    assert outcome.winner in (best.label, None)
    by_label = {result.label: result.reached for result in outcome.results}
    assert outcome.primal_over_dual == pytest.approx(by_label["rcd"] / by_label["sdca"])


def test_levels_end_at_the_target(events):
    for result in events[-1].outcome.results:
        assert result.levels[-1] == pytest.approx(1e-6)
        assert result.median[-1] == pytest.approx(result.reached)
        known = [passes for passes in result.median if passes is not None]
        assert (np.diff(known) >= 0).all()


def test_first_updates_are_those_of_the_run():
    choices = small(methods=["rcd", "sdca"])
    about = prepared(choices)
    for entry in choices.contestants():
        updates = first_updates(about.problem, entry, seed=0)
        run = cdlab.iterate(about.problem, entry.method, sampling=entry.sampling, seed=0)
        next(run)
        record = next(run)
        first = [update for update in updates if update.passes <= record.passes + 1e-12][: record.iteration]
        point = np.zeros(about.problem.d if entry.side == "primal" else about.problem.n)
        for update in first:
            (line,) = update.lines
            assert update.before == point[line]
            point[line] = update.after
        if len(first) == record.iteration:
            np.testing.assert_allclose(point, run.w if entry.side == "primal" else run.alpha, rtol=1e-9, atol=1e-12)
        assert [update.lines for update in updates][:3] == [[int(k)] for k in _order(about.problem, entry)[:3]]


def _order(problem, entry):
    return next(entry.method.orders(problem, entry.sampling, np.random.default_rng(0)))


def test_snapshots_are_in_the_bins_of_the_matrix(events):
    about = prepared(small())
    runs = last_runs(events)
    assert not runs["rcd", 1].snapshots
    for snapshot in runs["rcd", 0].snapshots:
        assert len(snapshot.w) == about.across[-1] + 1
        assert len(snapshot.alpha) == about.down[-1] + 1
        assert snapshot.entries == sum(about.line("primal", line).size for line in snapshot.lines)
    assert runs["rcd", 0].snapshots[-1].passes == pytest.approx(runs["rcd", 0].passes[-1], rel=1e-6)


def test_all_entries_have_one_draw_before_the_next():
    runs = begin(small(methods=["rcd", "sdca", "gd"]))
    assert [run.seed for run in runs] == [0, 0, 0, 1, 1, 1]


def test_limit_is_said():
    outcome = run_race(small(passes=2, tol=1e-9)).outcome
    assert outcome.winner is None
    assert outcome.lead is None
    *_, last = race(small(passes=2, tol=1e-9))
    assert all("the limit" in run.status for run in last.runs)


def test_where_one_entry_does_not_arrive_the_lead_is_a_lower_bound():
    quick, slow = "sdca", "sgd"
    outcome = run_race(small(methods=[slow, quick], passes=100)).outcome
    reached = {result.label: result.reached for result in outcome.results}
    assert reached[slow] is None
    assert outcome.at_least
    assert outcome.winner == quick
    assert outcome.lead == pytest.approx(100 / reached[quick], rel=0.2)
    assert outcome.primal_over_dual is None


def test_an_entry_that_is_there_at_the_start_wins_by_no_quotient():
    """Where the best w is 0, its own multipliers close the gap of a primal method before any step."""
    outcome = run_race(small(l1=10.0, methods=["sdca", "rcd"], passes=300)).outcome
    reached = {result.label: result.reached for result in outcome.results}
    assert reached["rcd"] == 0 < reached["sdca"]
    assert (outcome.winner, outcome.loser, outcome.lead, outcome.at_least) == ("rcd", "sdca", None, False)
    assert run_race(small(l1=10.0, methods=["sdca", "rcd"], passes=1)).outcome.at_least
    alike = run_race(small(l1=10.0, methods=["rcd", "gd"])).outcome
    assert (alike.winner, alike.lead) == (None, 1.0)


def test_no_bound_is_promised_where_there_is_nothing_to_gain():
    choices = small(l1=10.0, methods=["rcd", "sdca"])
    assert prepared(choices).start > 0
    assert [found.value for found in predict(choices).theorems] == [None, None]
    (note,) = predict(choices).notes
    assert {found.words for found in predict(choices).theorems} == {note}


def test_error_is_an_event():
    (event,) = race(small(data="worst_dual", density=0.001))
    assert event.error
    assert event.outcome is None


def test_without_lambda_the_curve_is_of_the_suboptimality():
    *_, last = race(small(l2=0.0, methods=["gd", "saga"], density=1.0, d=3, noise=3.0, seeds=1))
    assert all(math.isfinite(run.gap[-1]) and run.gap[-1] < 0.5 for run in last.runs)
