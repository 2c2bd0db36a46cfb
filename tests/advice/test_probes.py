"""Probes of a few epochs and runs to the end: what they count, when they stop, and what they foretell."""

import itertools
import math

import pytest
from advised import by_label, problem
from cases import each_of

import cdlab
from cdlab.advice import playoffs, predictions, probing
from cdlab.advice.candidates import candidates_for
from cdlab.advice.probing import Probe

pytestmark = pytest.mark.full  # a push probes where test_advice.py asks for advice


# ---------------------------------------------------------------- probes
def test_a_geometric_error_is_extrapolated_exactly():
    p = Probe("sdca@uniform", passes=10.0, seconds=1.0, error=1e-2, rate=0.5, pass_seconds=0.1, reached=None)
    assert p.passes_to(1e-6) == pytest.approx(10 + math.log(1e4) / 0.5)
    assert math.isinf(Probe("gd", 10.0, 1.0, 0.5, 0.0, 0.1, None).passes_to(1e-6))
    assert Probe("gd", 10.0, 1.0, 1e-7, 0.3, 0.1, reached=8.0).passes_to(1e-6) == 8.0


def test_probes_are_short():
    advice = cdlab.advise(problem(n=200, d=30, l2=1e-9), 1e-9)
    assert set(advice.probes) == {"rows", "columns", "matrix"}
    assert advice.probes["rows"].passes <= 10
    assert advice.probes["columns"].passes <= 10
    assert advice.probes["matrix"].passes <= 35, "a line search may overrun by a few"


def test_a_probe_without_time_still_does_three_epochs():
    advice = cdlab.advise(problem(l2=1e-9), 1e-9, max_seconds=1e-9)
    assert advice.probes["rows"].passes == 3
    assert advice[0].passes is not None


def test_probes_count_cpu_time_of_their_thread_alone(monkeypatch):
    """One second an epoch by that clock, whatever other clocks say."""
    ticks = itertools.count()
    monkeypatch.setattr(probing, "cpu_seconds", lambda: float(next(ticks)))
    P = problem(l2=1e-9)
    for candidate in candidates_for(P)[0]:
        if candidate.key in ("sdca@permutation", "rcd@permutation"):
            p = probing.probe(P, candidate, 1e-12, 5.0, 60.0, seed=0)
            assert (p.passes, p.seconds, p.pass_seconds) == (5.0, 5.0, 1.0)


def test_a_probe_that_cannot_win_any_more_stops(monkeypatch):
    """An epoch of each costs a second: once sdca needs k of them, others are given k, and the three they must have."""
    ticks = itertools.count()
    monkeypatch.setattr(probing, "cpu_seconds", lambda: float(next(ticks)))
    X, y = cdlab.datasets.make(n=60, d=4000, seed=0)
    advice = cdlab.advise(cdlab.Problem(X / 60, y, l2=1e-3), max_seconds=1000)
    needed = advice.probes["rows"].reached
    assert needed <= 6, "the problem is easy for sdca"
    assert advice.probes["matrix"].seconds == max(needed, probing.MIN_EPOCHS)
    assert advice.probes["columns"].seconds <= max(needed, probing.MIN_EPOCHS)


def test_a_probe_s_error_is_the_relative_best_gap():
    P = problem()
    candidate = {c.key: c for c in candidates_for(P)[0]}["sdca@permutation"]
    p = probing.probe(P, candidate, 1e-12, 5.0, 60.0, seed=3)
    s = cdlab.solve(P, "sdca", sampling="permutation", tol=0, max_passes=5, seed=3)
    primal, dual = s.trace.column("primal").min(), s.trace.column("dual").max()
    assert p.error == pytest.approx((primal - dual) / (P.at_zero - dual))


@pytest.fixture
def a_clock_that_counts_its_readings(monkeypatch):
    """Every epoch takes one second: who runs in the final does not depend on the machine."""
    ticks = itertools.count()
    monkeypatch.setattr(probing, "cpu_seconds", lambda: float(next(ticks)))


@pytest.mark.usefixtures("a_clock_that_counts_its_readings")
def test_who_is_expected_to_be_among_the_fastest_runs_and_is_ranked_by_its_own_run():
    P = problem(n=300, d=30, condition=1e2, l2=1e-3)
    advice = cdlab.advise(P, max_seconds=1000)
    choices, known = by_label(advice), {c.key: c for c in candidates_for(P)[0]}
    assert 0 < len(advice.finals) <= playoffs.MAX_FINALISTS
    assert not set(advice.finals) & {own.key for own in advice.probes.values()}, "one run of each is enough"
    for label, run in advice.finals.items():
        assert run.passes <= playoffs.MAX_FINAL_PASSES + 3
        assert choices[label].runs == label, "other names for the same run do not run again"
        table = predictions.predicted(P, known[label], advice.eps, advice.probes)
        trust = predictions.OWN_RUN_WEIGHT if run.reached is None else 1.0
        assert choices[label].passes == pytest.approx(run.passes_to(advice.eps) ** trust * table.passes ** (1 - trust))
        assert choices[label].seconds == pytest.approx(
            run.seconds_to(advice.eps) ** trust * table.seconds ** (1 - trust)
        )
        assert "its own run of" in choices[label].basis


@pytest.mark.usefixtures("a_clock_that_counts_its_readings")
def test_a_finalist_stops_when_it_has_taken_as_long_as_the_fastest_so_far_needs():
    advice = cdlab.advise(problem(n=300, d=30, condition=1e2, l2=1e-3), max_seconds=1000)
    assert advice.finals
    fastest = min(own.seconds_to(advice.eps) for own in advice.probes.values())
    longest = max(fastest, probing.MIN_EPOCHS) + 1  # an epoch is a second
    assert all(run.seconds < longest for run in advice.finals.values())


# ---------------------------------------------------------------- the play-off
@pytest.fixture
def a_clock_that_counts_microseconds(monkeypatch):
    """Every epoch takes a microsecond, so a whole run takes a moment."""
    ticks = itertools.count()
    monkeypatch.setattr(probing, "cpu_seconds", lambda: 1e-6 * next(ticks))


@pytest.mark.usefixtures("a_clock_that_counts_microseconds")
@pytest.mark.parametrize("l2", [1e-2, 1e-4])
def test_where_a_run_takes_a_moment_the_first_choice_has_run_to_the_end_and_none_that_ran_is_faster(l2):
    advice = cdlab.advise(problem(n=200, d=30, condition=1e2, l2=l2))
    to_the_end = {label: run.seconds_to(advice.eps) for label, run in advice.finals.items() if run.reached is not None}
    assert len(advice.finals) > 1
    assert advice[0].seconds == min(to_the_end.values()) == to_the_end[advice[0].runs]


@pytest.mark.usefixtures("a_clock_that_counts_microseconds")
def test_nobody_is_said_to_need_less_than_it_has_already_taken():
    advice = cdlab.advise(problem(n=300, d=30, condition=1e2, l2=1e-3))
    cut_off = {label: run for label, run in advice.finals.items() if run.reached is None}
    choices = by_label(advice)
    assert cut_off
    for label, run in cut_off.items():
        assert choices[label].seconds >= run.seconds
        assert choices[label].passes >= run.passes


def test_a_play_off_is_within_max_seconds():
    P = problem(n=200, d=30, condition=1e2, l2=1e-5)
    assert max(run.seconds for run in cdlab.advise(P, max_seconds=1e-9).finals.values()) < 0.1
    assert sum(run.seconds for run in cdlab.advise(P).finals.values()) < 2 * playoffs.MAX_PLAYOFF_SECONDS


@each_of("name", ["rcd", "sdca", "lbfgs"])
def test_a_whole_run_is_judged_by_its_best_gap(name):
    eps = 1e-6
    P = problem(n=200, d=30, condition=1e2, l2=1e-4)
    candidate = next(c for c in candidates_for(P)[0] if c.key in (name, f"{name}@permutation"))
    run = probing.run_to_end(P, candidate, eps, 60.0, seed=1)
    trace = cdlab.solve(P, name, tol=0, max_passes=run.passes, seed=1, sampling=candidate.sampling, every=1).trace
    gaps = dict(zip(trace.column("passes"), trace.column("relative_best_gap"), strict=True))
    assert gaps[run.reached] <= eps
    assert min(gap for passes, gap in gaps.items() if passes < 0.9 * run.reached) > eps


def test_the_same_seed_gives_the_same_passes():
    P = problem()
    once, again = (cdlab.advise(P, by="passes", seed=5) for _ in range(2))
    assert not once.finals, "who runs in the final depends on the clock"
    assert [(c.label, c.passes, c.sharp) for c in once] == [(c.label, c.passes, c.sharp) for c in again]


def test_without_a_probe_there_are_passes_and_no_seconds():
    advice = cdlab.advise(problem(), probe=False)
    assert advice.by == "passes"
    assert not advice.probes
    assert all(choice.seconds is None for choice in advice)
    assert advice[0].passes is not None
