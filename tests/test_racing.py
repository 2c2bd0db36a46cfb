"""Races: fair, repeatable, and careful about who won."""

import numpy as np
import pytest
from problems import data, objective, optimum, problem

import cdlab

ENTRIES = ["sdca", ("sdca", {"sampling": "importance"}), ("quartz", {"averaged": True}), "rcd"]


@pytest.fixture(scope="module")
def race():
    return cdlab.race(problem(), ENTRIES, seeds=range(3), max_passes=60, test=data())


def test_traces_are_method_major_one_per_seed(race):
    assert [t.label for t in race.traces] == [
        label
        for label in ("sdca, uniform", "sdca, importance", "quartz(averaged=True), uniform", "rcd, uniform")
        for _ in range(3)
    ]
    assert [t.meta["seed"] for t in race.traces] == [0, 1, 2] * 4
    assert race[3] == race.traces[9:]


def test_a_race_is_its_solves(race):
    alone = cdlab.solve(problem(), "sdca", sampling="importance", seed=2, tol=1e-10, max_passes=60)
    np.testing.assert_array_equal(race[1][2].column("gap"), alone.trace.column("gap"))


def test_suboptimality_is_against_the_best_certified_value(race):
    assert race.optimum == pytest.approx(optimum("logistic", 0.1, 0.0), abs=1e-9)
    assert race.certificate < 1e-10
    start = objective("logistic", *data(), 0.1, 0, np.zeros(8))
    level = race.optimum + 1e-3 * (start - race.optimum)
    for trace, passes in zip(race.traces, race.reached(1e-3).ravel(), strict=True):
        k = int(np.flatnonzero(trace.column("primal") <= level)[0])
        assert trace.column("passes")[k] == passes


def test_the_winner_has_the_smallest_median(race):
    medians = np.median(race.reached(1e-6), axis=1)
    assert race.winner(1e-6) == race[int(np.argmin(medians))][0].label


def test_nobody_wins_what_nobody_reached_or_what_cannot_be_told():
    short = cdlab.race(problem(), ["sdca", "quartz"], max_passes=1)
    assert short.winner(1e-12) is None
    assert short.certificate > 1e-12


def test_frames(race):
    frame = race.to_frame()
    assert list(frame)[:4] == ["label", "method", "sampling", "seed"]
    assert "test_error" in frame
    assert len(frame) == sum(len(t.records) for t in race.traces)
    assert list(race.summary(1e-6)["method"]) == ["sdca", "sdca", "quartz(averaged=True)", "rcd"]


def test_progress_is_reported():
    seen = []
    cdlab.race(problem(), ["sdca"], seeds=[4], max_passes=2, on_record=lambda *what: seen.append(what[:2]))
    assert set(seen) == {("sdca, uniform", 4)}


@pytest.mark.parametrize(
    ("entries", "error", "sentence"),
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


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
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
    with pytest.raises(TypeError, match="must be a cdlab.Problem, not ndarray"):
        cdlab.race(data()[0], ["sdca"])


@pytest.mark.parametrize("eps", [-1, 0, 1, 2, float("nan"), "x", True])
def test_an_accuracy_is_a_share_of_the_suboptimality_at_the_start(race, eps):
    for ask in (race.summary, race.winner, race.reached):
        with pytest.raises((TypeError, ValueError), match="eps must be a number between 0 and 1"):
            ask(eps)
