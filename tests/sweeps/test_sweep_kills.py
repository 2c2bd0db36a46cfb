"""Whatever ends a sweep, the runs that were going are lost and no others; what follows equals an undisturbed one."""

import os
import random
import signal
import sys
import time

import psutil
import pytest
from cases import pushed
from processes import finish, start
from stores import claims, count_writes, finished, sessions, set_aside
from swept import contents, longer

import cdlab

KILLS = pushed([1, 3], 1)  # of the parent and of workers; benchmarks/sweeps.py: a hundred

RUNS = 24
SWEEP = """
import json, sys
import cdlab
from swept import longer
store = cdlab.sweep(longer(), {executor!r}, store={store!r}, jobs=2)
print(json.dumps(store.keys))
"""
PATH = {"PYTHONPATH": os.path.dirname(__file__)}


def sweep(store, executor="processes"):
    return start(SWEEP.format(executor=executor, store=str(store)), **PATH)


def wait_for(runs, store, process):
    """Until so many runs are finished, or the process is over."""
    while len(finished(store)) < runs and process.poll() is None:
        time.sleep(0.01)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    store = cdlab.sweep(longer(), store=tmp_path_factory.mktemp("undisturbed"))
    assert len(store) == RUNS
    return contents(store)


@pytest.mark.skipif(sys.platform == "win32", reason="there is no kill -9")
@pytest.mark.parametrize("kills", KILLS)
def test_kills_of_workers_and_of_the_parent_lose_what_was_going_and_nothing_else(kills, undisturbed, tmp_path):
    store, rng = tmp_path / "store", random.Random(0)
    for round_ in range(kills):
        process = sweep(store)
        wait_for(6 * round_ + 2, store, process)
        workers = [
            each for each in psutil.Process(process.pid).children() if "loky.backend.popen" in str(each.cmdline())
        ]
        rng.choice(workers).send_signal(signal.SIGKILL)
        wait_for(6 * round_ + 4, store, process)
        before = finished(store)
        process.send_signal(signal.SIGKILL)
        process.communicate()
        assert set(before) <= set(finished(store))
        assert all(trace.records for trace in cdlab.Store(store))
    assert contents(cdlab.sweep(longer(), store=store)) == undisturbed
    assert count_writes(store) == RUNS
    assert not set_aside(store)
    assert not claims(store)
    assert not sessions(store)


@pytest.mark.full
@pytest.mark.parametrize("executor", ["serial", "processes"])
def test_ctrl_c_leaves_a_store_that_resumes(executor, undisturbed, tmp_path):
    process = sweep(tmp_path, executor)
    wait_for(5, tmp_path, process)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert "KeyboardInterrupt" in errors
    assert 5 <= len(finished(tmp_path)) < RUNS
    assert not claims(tmp_path)
    assert contents(cdlab.sweep(longer(), store=tmp_path)) == undisturbed


@pytest.mark.full
def test_workers_do_not_outlive_their_parent(tmp_path):
    process = sweep(tmp_path)
    wait_for(2, tmp_path, process)
    workers = psutil.Process(process.pid).children(recursive=True)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    _, alive = psutil.wait_procs(workers, timeout=20)
    assert len(workers) >= 2
    assert not alive


@pytest.mark.full
def test_two_sweeps_on_one_store_compute_each_run_once(undisturbed, tmp_path):
    both = [sweep(tmp_path, "serial"), sweep(tmp_path, "serial")]
    keys, other = (finish(process)[0] for process in both)
    assert keys == other
    assert contents(cdlab.Store(tmp_path, keys)) == undisturbed
    assert count_writes(tmp_path) == RUNS
