"""Races: fair, repeatable, and careful about who won."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from cases import each_of
from problems import data, objective, optimum, problem

import cdlab
from cdlab.runs.race_result import Race
from cdlab.runs.trace import Record, Trace

ENTRIES = ["sdca", ("sdca", {"sampling": "importance"}), ("quartz", {"averaged_primal": True}), "rcd"]


@pytest.fixture(scope="module")
def race():
    return cdlab.race(problem(), ENTRIES, seeds=range(3), max_passes=60, test=data())


def test_traces_are_method_major_one_per_seed(race):
    assert [t.label for t in race.traces] == [
        label
        for label in ("sdca, uniform", "sdca, importance", "quartz(averaged_primal=True), uniform", "rcd, uniform")
        for _ in range(3)
    ]
    assert [t.meta["seed"] for t in race.traces] == [0, 1, 2] * 4
    assert race[3] == race.traces[9:]


def test_a_race_is_its_solves(race):
    alone = cdlab.solve(problem(), "sdca", sampling="importance", seed=2, tol=1e-10, max_passes=60, every=1)
    np.testing.assert_array_equal(race[1][2].column("gap"), alone.trace.column("gap"))


def test_suboptimality_is_against_the_best_certified_value(race):
    assert race.optimum == pytest.approx(optimum("logistic", 0.1, 0.0), abs=1e-9)
    assert race.certificate < 1e-10
    start = objective("logistic", *data(), 0.1, 0, np.zeros(8))
    level = race.optimum + 1e-3 * (start - race.optimum)
    for trace, passes in zip(race.traces, race.reached(1e-3, quantity="primal").ravel(), strict=True):
        k = int(np.flatnonzero(trace.column("primal") <= level)[0])
        assert trace.column("passes")[k] == passes


@pytest.mark.parametrize("quantity", ["best_gap", "gap", "primal"])
def test_the_winner_has_the_smallest_median(race, quantity):
    medians = np.median(race.reached(1e-6, quantity=quantity), axis=1)
    assert race.winner(1e-6, quantity=quantity) == race[int(np.argmin(medians))][0].label
    assert set(race.summary(1e-6, quantity)["judged_by"]) == {quantity}


def test_a_quantity_that_is_none_is_refused(race):
    with pytest.raises(ValueError, match="quantity must be 'best_gap', 'gap' or 'primal', not 'dual'"):
        race.reached(1e-3, quantity="dual")


def test_nobody_wins_what_nobody_reached_or_what_cannot_be_told():
    short = cdlab.race(problem(), ["sdca", "quartz"], max_passes=1)
    assert short.winner(1e-12) is None
    assert short.certificate > 1e-12


def test_frames(race):
    frame = race.to_frame()
    assert list(frame)[:4] == ["label", "method", "sampling", "seed"]
    assert "test_error" in frame
    assert len(frame) == sum(len(t.records) for t in race.traces)
    assert list(race.summary(1e-6)["method"]) == ["sdca", "sdca", "quartz(averaged_primal=True)", "rcd"]


def test_progress_is_reported():
    seen = []
    cdlab.race(problem(), ["sdca"], seeds=[4], max_passes=2, on_record=lambda *what: seen.append(what[:2]))
    assert set(seen) == {("sdca, uniform", 4)}


@each_of(
    "entries, error, sentence",
    [
        ([], ValueError, "at least one entry"),
        (["sdca", ("rcd", "importance")], TypeError, "race entry"),
        (["sdca", "quarz"], ValueError, "did you mean 'quartz'"),
        ([("sdca", {"sampling": "imp"})], ValueError, "no sampling named"),
    ],
)
def test_bad_entries_are_refused_before_anything_runs(entries, error, sentence):
    with pytest.raises(error, match=sentence):
        cdlab.race(problem(), entries, on_record=lambda *_: pytest.fail("ran"))


def test_entries_that_do_not_fit_are_refused_before_anything_runs():
    with pytest.raises(ValueError, match="smooth"):
        cdlab.race(problem("hinge"), ["sdca", "rcd"], on_record=lambda *_: pytest.fail("ran"))


def test_without_a_regulariser_the_best_value_seen_stands_in_uncertified():
    free = cdlab.race(problem(l2=0.0), ["saga", "lbfgs"], max_passes=200)
    assert not free.certified
    assert free.certificate == np.inf
    assert free.winner(1e-3) in ("saga, uniform", "lbfgs")
    assert np.isfinite(free.summary(1e-3)["passes"]).any()


@each_of(
    "arguments, error, sentence",
    [
        (["sdca"], TypeError, r"a list, even of one: \['sdca'\]"),
        ([["sdca"], 3], TypeError, "seeds of a race are a list of whole numbers"),
        ([["sdca"], "01"], TypeError, "seeds of a race are a list of whole numbers"),
        ([["sdca"], ["a"]], ValueError, "seed must be a whole number >= 0, not 'a'"),
    ],
)
def test_a_race_takes_lists(arguments, error, sentence):
    entries, *seeds = arguments
    with pytest.raises(error, match=sentence):
        cdlab.race(problem(), entries, **dict(zip(["seeds"], seeds, strict=False)))


def test_a_race_needs_a_problem():
    with pytest.raises(TypeError, match="must be a cdlab.Problem, not an array of shape"):
        cdlab.race(data()[0], ["sdca"])


@pytest.mark.parametrize("eps", [-1, 0, 1, 2, float("nan"), "x", True])
def test_an_accuracy_is_a_share_of_the_suboptimality_at_the_start(race, eps):
    for ask in (race.summary, race.winner, race.reached):
        with pytest.raises((TypeError, ValueError), match="eps must be a number between 0 and 1"):
            ask(eps)


def after(count):
    """A stop at the record with this number."""
    seen = []
    return lambda record: seen.append(1) or len(seen) >= count


def test_a_race_that_was_stopped_before_all_had_run_has_no_winner():
    alone = len(cdlab.solve(problem(), "rcd", tol=1e-10, max_passes=300, every=1).trace.records)
    race = cdlab.race(problem(), ["rcd", "sdca"], max_passes=300, stop=after(alone - 1))  # the last record asks nobody
    assert race.not_run == ["sdca, uniform"]
    assert race.certificate < 1e-6 * race.traces[0].at_zero
    assert np.isfinite(race.reached(1e-6)).all()
    assert race.winner(1e-6) is None


def test_whoever_could_still_have_been_first_takes_the_win_away():
    """A run that ended by a limit needs at least what it did; only that can be compared."""
    slow, quick = (cdlab.solve(problem(), "sdca", tol=1e-10, max_passes=m).trace for m in (300, 2))
    assert Race([slow, quick], 2, [0]).winner(1e-6) is None
    diverged = replace(quick, meta={**quick.meta, "status": "diverged"})
    assert Race([slow, diverged], 2, [0]).winner(1e-6) == slow.label
    needed = Race([slow], 1, [0]).reached(1e-6).item()
    longer = cdlab.solve(problem(), "rcd", tol=0, max_passes=needed + 1).trace
    assert Race([slow, longer], 2, [0]).winner(1e-6) == slow.label


def test_a_race_is_undecided_unless_its_certificate_is_within_eps():
    """With certificate c and range r, eps is decided from c/r on and not below."""
    race = cdlab.race(problem(), ["sdca", "quartz"], tol=1e-4, max_passes=300)
    edge = race.certificate / (race.traces[0].at_zero - race.optimum)
    assert 1e-8 < edge < 1e-2
    assert race.decides(1.01 * edge, "primal")
    assert not race.decides(0.99 * edge, "primal")


def test_after_a_stop_the_seeds_that_all_have_run_are_compared():
    first = cdlab.race(problem(), ["sdca", "quartz"], seeds=[0], max_passes=5, tol=0)
    count = sum(len(trace.records) - 1 for trace in first.traces)
    race = cdlab.race(problem(), ["sdca", "quartz"], seeds=[0, 1], max_passes=5, tol=0, stop=after(count + 2))
    assert race.seeds == [0]
    assert [trace.meta["seed"] for trace in race.traces] == [0, 0]
    assert [trace.meta["seed"] for trace in race.incomplete] == [1]
    assert not race.not_run


def test_a_race_of_runs_that_all_diverged_reaches_nothing():
    nothing = Record(0, 0.0, 0.0, np.nan, np.nan, np.inf, np.nan)
    race = Race([Trace([nothing, nothing])], 1, [0])
    assert race.optimum == np.inf
    assert np.isinf(race.reached(1e-3)).all()
    assert not race.certified


def test_one_choice_is_no_list():
    with pytest.raises(TypeError, match="a list, even of one"):
        cdlab.race(problem(), SimpleNamespace(entry=("sdca", {})))


def test_a_seed_that_is_there_twice_is_refused():
    with pytest.raises(ValueError, match="seed 0 is given twice, and each seed of a race runs once"):
        cdlab.race(problem(), ["sdca", "rcd"], seeds=[0, 1, 0])


@pytest.mark.parametrize("entries", [["sdca", "accprox_sdca"], ["accprox_sdca", "sdca"]])
def test_two_names_for_the_same_run_do_not_win_against_each_other(entries):
    """With so large an l2 accprox_sdca does what sdca does, update by update."""
    P = problem(l2=1.0)
    race = cdlab.race(P, [f"{entry}@permutation" for entry in entries])
    assert race.winner(1e-6) is None
    assert race.first(1e-6) == tuple(f"{entry}, permutation" for entry in entries)


def test_a_race_and_its_traces_are_printed_in_a_line(race):
    assert repr(race) == (
        "Race(sdca, uniform; sdca, importance; quartz(averaged_primal=True), uniform; rcd, uniform; seeds [0, 1, 2])"
    )
    assert repr(race[0][1]).startswith("Trace(sdca, uniform, seed 1, ")


def test_a_summary_shows_its_numbers_on_a_narrow_terminal():
    P = cdlab.Problem(*cdlab.datasets.make(n=30, d=4, seed=0), l2=0.1)
    race = cdlab.race(P, ["sdca@permutation", "lbfgs"], max_passes=30)
    with pd.option_context("display.width", 80, "display.max_columns", 0):
        shown = str(race.summary(1e-3))
    assert {"method", "sampling", "passes", "seconds"} <= set(shown.split())
