"""A race side by side is the race one after another, to the bit."""

import threading

import numpy as np
import pytest
from cases import each_of
from problems import problem

import cdlab

ENTRIES = ["sdca", "sdca@importance", "rcd", ("quartz", {"averaged_primal": True}), "lbfgs", "auto"]


def values(race):
    return [
        (t.label, t.meta["seed"], t.meta["status"], *map(tuple, (t.column("passes"), t.column("gap"))))
        for t in race.traces
    ]


@pytest.mark.parametrize("jobs", [2, 5])
def test_results_are_the_same_for_any_number_of_threads(jobs):
    P = problem(sparse=True)
    alone = cdlab.race(P, ENTRIES, seeds=range(3), max_passes=20)
    assert values(cdlab.race(problem(sparse=True), ENTRIES, seeds=range(3), max_passes=20, jobs=jobs)) == values(alone)


def test_whoever_watches_is_called_by_one_thread_at_a_time():
    inside, threads = threading.Lock(), set()

    def on_record(label, seed, record):
        assert inside.acquire(blocking=False)
        threads.add(threading.get_ident())
        inside.release()

    cdlab.race(problem(), ENTRIES, seeds=range(4), max_passes=20, jobs=3, on_record=on_record)
    assert threading.get_ident() not in threads


def test_a_stop_ends_all_runs_and_keeps_what_every_entry_has():
    seen = []
    race = cdlab.race(
        problem(), ["sdca", "rcd"], seeds=range(50), tol=0, max_passes=500, jobs=2,
        on_record=lambda *what: seen.append(what), stop=lambda _: len(seen) >= 2500,
    )  # fmt: skip
    assert len(seen) == 2500
    assert 0 < len(race.seeds) < 50


def test_an_error_in_a_thread_is_told_and_ends_the_others():
    seen = []

    def on_record(label, seed, record):
        seen.append(seed)
        if len(seen) == 100:
            raise RuntimeError("the disk is full")

    with pytest.raises(RuntimeError, match="the disk is full"):
        cdlab.race(problem(), ["sdca"], seeds=range(200), tol=0, max_passes=50, jobs=2, on_record=on_record)
    assert len(seen) < 5000


def test_seconds_of_threads_are_their_own():
    race = cdlab.race(problem(), ["sdca", "rcd"], seeds=range(3), tol=0, max_passes=50, jobs=2)
    assert all(np.all(np.diff(trace.column("seconds")) >= 0) for trace in race.traces)


@each_of("jobs", [0, -1, 1.5, None, "2"])
def test_jobs_are_a_whole_number(jobs):
    with pytest.raises(ValueError, match="jobs must be a whole number of threads >= 1"):
        cdlab.race(problem(), ["sdca"], jobs=jobs)
