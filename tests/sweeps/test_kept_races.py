"""A race that is kept: its runs are those of a sweep, and it goes on where it was broken off."""

import numpy as np
import pytest
from stores import claims
from swept import X, contents, numbers, y

import cdlab

ENTRIES = ["sdca", "rcd@importance", ("quartz", {"averaged_primal": True})]
ENDS = {"tol": 1e-3, "max_passes": 200}


def raced(store, problem=None, entries=ENTRIES, seeds=(0, 1), **options):
    """The race, and the runs that somebody could watch."""
    problem = problem or cdlab.Problem(X, y, l2=0.1)
    seen = []
    race = cdlab.race(
        problem, entries, seeds=seeds, store=store,
        on_record=lambda label, seed, record: seen.append((label, seed)), **(ENDS | options),
    )  # fmt: skip
    return race, set(seen)


def all_numbers(race):
    return [(trace.label, trace.meta["seed"], numbers(trace)) for trace in race.traces]


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_race_that_is_kept_is_the_race_to_the_bit(jobs, tmp_path):
    kept, _ = raced(tmp_path / "store", jobs=jobs)
    free, _ = raced(None)
    assert all_numbers(kept) == all_numbers(free)
    assert contents(cdlab.Store(tmp_path / "store")).keys() == {trace.meta["key"] for trace in kept.traces}
    assert all_numbers(cdlab.Store(tmp_path / "store").race())[0][2] in [each for *_, each in all_numbers(free)]


PROBLEMS = {
    "intercept": {"intercept": True},
    "weights": {"sample_weight": np.arange(1.0, len(y) + 1)},
    "l1": {"l1": 0.01},
    "a loss with a parameter": {"loss": "huber"},
    "a whole number for a real one": {"loss": cdlab.losses.Huber(gamma=2)},
}


@pytest.mark.parametrize("options", PROBLEMS.values(), ids=PROBLEMS)
def test_a_sweep_finds_the_runs_of_a_race_and_a_race_those_of_a_sweep(options, tmp_path):
    grid = {"data": (X, y), "l2": 0.1, "method": ["fista", "gd"], "seed": [0, 1], **ENDS, **options}
    problem, entries = cdlab.Problem(X, y, l2=0.1, **options), ["fista", "gd"]
    told = []
    raced(tmp_path, problem, entries)
    store = cdlab.sweep(grid, store=tmp_path, progress=told.append)
    assert (told[-1].found, told[-1].done) == (4, 0)
    again, seen = raced(tmp_path, problem, entries)
    assert not seen
    assert len(again.traces) == len(store) == 4


def test_classes_by_name_are_the_same_in_both(tmp_path):
    told, labels = [], np.array(["a", "b", "c"])[np.arange(len(y)) % 3]
    raced(tmp_path, cdlab.Problem(X, labels, loss="softmax", l2=0.1), ["sdca"])
    cdlab.sweep(
        {"data": (X, labels), "loss": "softmax", "l2": 0.1, "method": "sdca", "seed": [0, 1], **ENDS},
        store=tmp_path, progress=told.append,
    )  # fmt: skip
    assert (told[-1].found, told[-1].done) == (2, 0)


def test_a_race_with_test_data_and_a_start_has_the_keys_of_its_sweep(tmp_path):
    told, options = [], {"test": (X[:20], y[:20]), "start": (np.full(X.shape[1], 0.1), None)}
    race, _ = raced(tmp_path, entries=["gd"], **options)
    cdlab.sweep(
        {"data": (X, y), "l2": 0.1, "method": "gd", "seed": [0, 1], **ENDS, **options},
        store=tmp_path, progress=told.append,
    )  # fmt: skip
    assert (told[-1].found, told[-1].done) == (2, 0)
    assert np.isfinite(race.traces[0].column("test_error")).all()


def test_a_race_that_was_stopped_goes_on(tmp_path):
    whole, all_seen = raced(None)
    asked = []
    stopped, seen = raced(tmp_path, stop=lambda record: asked.append(1) or len(asked) == 12)
    finished = {trace.meta["key"] for trace in cdlab.Store(tmp_path)}
    assert 0 < len(finished) < len(ENTRIES) * 2
    assert all(trace.meta["status"] != "stopped" for trace in cdlab.Store(tmp_path))
    assert not claims(tmp_path)
    went_on, seen_now = raced(tmp_path)
    assert all_numbers(went_on) == all_numbers(whole)
    there = {(trace.label, trace.meta["seed"]) for trace in cdlab.Store(tmp_path) if trace.meta["key"] in finished}
    assert seen_now == all_seen - there
    assert stopped.incomplete or stopped.not_run
    assert seen < all_seen


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_leaves_what_is_finished_and_no_lock(jobs, tmp_path):
    def on_record(label, seed, record):
        if seed == 1:
            raise OSError("the disk is full")

    P = cdlab.Problem(X, y, l2=0.1)
    with pytest.raises(OSError, match="the disk is full"):
        cdlab.race(P, ["sdca"], seeds=[0, 1, 2], store=tmp_path, jobs=jobs, on_record=on_record, **ENDS)
    assert not claims(tmp_path)
    assert 1 not in {trace.meta["seed"] for trace in cdlab.Store(tmp_path)}
    assert len(raced(tmp_path, entries=["sdca"], seeds=[0, 1, 2])[0].traces) == 3


@pytest.mark.parametrize("limits", [{"max_seconds": 1.0}, {"max_passes": None, "max_seconds": 1.0}])
def test_a_race_that_is_kept_has_no_limit_that_differs_between_machines(limits, tmp_path):
    with pytest.raises(ValueError, match="max_seconds does not go with a store, .*: give max_passes"):
        raced(tmp_path / "store", **limits)
    assert not (tmp_path / "store").exists()
