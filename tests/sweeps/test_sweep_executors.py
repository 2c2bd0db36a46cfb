"""Whoever carries a sweep out: the same results bit for bit, and failures that harm no other run."""

import importlib.util
import os
import signal
from concurrent.futures import Future
from types import SimpleNamespace

import numpy as np
import psutil
import pytest
from stores import claims, sessions
from swept import X2, X, contents, grid, y, y2

import cdlab
from cdlab.methods import SDCA
from cdlab.sweeps import executors, scheduler
from cdlab.sweeps.runner import Runner
from cdlab.sweeps.session import Session
from cdlab.sweeps.sweeping import plan_grid

needs_dask = pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="Dask is not installed")
RUNS = [
    *({"X": X, "y": y, "l2": 0.1, "method": method, "seed": seed, "tol": 1e-6, "max_passes": 50}
      for method in ("sdca@importance", "rcd", "svrg", "lbfgs", "newton_cd", "auto") for seed in (0, 1)),
    {"X": X2, "y": y2, "l1": 0.01, "method": "rcd", "test": (X2, y2), "start": (np.ones(8), None)},
    {"X": X2, "y": np.arange(40) % 3, "loss": "softmax", "method": "lbfgs"},
    {"X": X, "y": y, "sample_weight": np.arange(1.0, 61.0), "method": "sdca"},
    {"X": X, "y": y, "method": "kaczmarz"},
]  # fmt: skip


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    return cdlab.sweep(RUNS, store=tmp_path_factory.mktemp("serial"))


def test_processes_compute_the_same_bits(serial, tmp_path):
    store = cdlab.sweep(RUNS, "processes", store=tmp_path, jobs=2)
    assert len(store) == len(RUNS) - 1
    assert contents(store) == contents(serial)
    assert set(store.to_frame()["status"]) == set(serial.to_frame()["status"])


@needs_dask
@pytest.mark.filterwarnings("ignore")  # of Dask itself
def test_a_dask_cluster_computes_the_same_bits_and_stays_open(serial, tmp_path):
    from distributed import Client

    with Client(n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None) as client:
        store = cdlab.sweep(RUNS, client, store=tmp_path)
        assert client.status == "running"
    assert contents(store) == contents(serial)


def test_without_dask_one_sentence_says_how_to_get_it(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "distributed", None)
    with pytest.raises(ImportError, match=r'pip install "dask\[distributed\]"'):
        cdlab.sweep(grid(), "dask", store=tmp_path)


@pytest.mark.full
@pytest.mark.parametrize("executor", ["serial", "processes"])
def test_a_run_beyond_its_time_fails_alone(executor, tmp_path):
    endless = {"X": X, "y": y, "tol": 0.0, "max_passes": 1e9}
    store = cdlab.sweep([endless, {"X": X, "y": y, "tol": 1e-2}], executor, store=tmp_path, jobs=2, time_limit=0.5)
    assert store.to_frame()["status"].tolist() == ["failed", "tolerance reached"]


@pytest.mark.full
@pytest.mark.skipif(not psutil.LINUX, reason="other systems cannot limit the memory of a process from inside")
def test_a_run_beyond_its_memory_fails_alone(tmp_path):
    runs = [{"X": X, "y": y, "method": Hoarder()}, {"X": X, "y": y, "tol": 1e-2}]
    store = cdlab.sweep(runs, "processes", store=tmp_path, jobs=1, memory_limit=200e6)
    frame = store.to_frame()
    assert frame["status"].tolist() == ["failed", "tolerance reached"]
    assert "memory" in frame["failure"][0] or "allocate" in frame["failure"][0]


class Hoarder(SDCA):
    """Asks for more memory than it may have."""

    def init(self, problem, sampling, start=None):
        np.ones(100_000_000)  # 800 MB
        return super().init(problem, sampling, start)


class Killer(SDCA):
    """Kills the process that it runs in."""

    def init(self, problem, sampling, start=None):
        os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.full
def test_a_run_that_kills_its_process_is_tried_again_and_then_fails_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(scheduler, "MAX_DEATHS", 2)
    runs = [{"X": X, "y": y, "method": Killer()}, *({"X": X, "y": y, "seed": seed, "tol": 1e-2} for seed in range(4))]
    frame = cdlab.sweep(runs, "processes", store=tmp_path, jobs=2).to_frame()
    assert frame["status"].tolist() == ["failed", *["tolerance reached"] * 4]
    assert frame["failure"][0].startswith("its process was ended from outside 2 times")


@pytest.mark.full
def test_data_are_written_once_for_all_processes_and_removed(tmp_path, monkeypatch):
    written = []
    save = np.save
    monkeypatch.setattr(np, "save", lambda *a, **k: written.append(a[0].name) or save(*a, **k))
    cdlab.sweep(grid(), "processes", store=tmp_path, jobs=2)
    assert sorted(written) == ["X.npy", "y.npy"]
    assert not sessions(tmp_path)


def test_no_second_run_of_a_kind_begins_before_the_first_one_has_compiled(tmp_path):
    """Kernels of two methods may be compiled side by side, those of one only once."""
    begun = []

    class Patient(executors.Serial):
        def submit(self, task):
            begun.append(task)
            return Future()

    runner = Runner()
    plan = plan_grid(grid(), runner, None, None)
    with Session(tmp_path) as store:
        schedule = scheduler.Scheduler(plan, lambda key: None, lambda key, result: scheduler.DONE, store, None)
        patient = Patient(runner)
        patient.slots = 4
        while schedule._take_next(patient):
            pass
        assert [task.settings.method.name for task in begun] == ["sdca", "rcd"]
        first, task = next(iter(schedule._running.items()))
        assert task.key in claims(tmp_path)
        first.set_result(runner.run(task))
        schedule._finish(first)
        while schedule._take_next(patient):
            pass
        assert [task.settings.method.name for task in begun] == ["sdca", "rcd", *["sdca"] * 3]
        assert task.key not in claims(tmp_path)


def test_failures_that_were_stored_before_do_not_hasten_the_time_that_is_left(monkeypatch):
    """20 failures are found, and tasks of a second each carried out: after the fifth of them 5 s are left."""
    clock = SimpleNamespace(now=100.0)
    monkeypatch.setattr(scheduler.time, "monotonic", lambda: clock.now)

    def work(task):
        clock.now += 1.0

    tasks = [SimpleNamespace(key=f"{k}", kind="") for k in range(30)]
    said = []
    scheduler.run_tasks(
        tasks,
        lambda: executors.InProcess(work),
        lambda key: scheduler.FAILED if int(key) < 20 else None,
        lambda key, result: scheduler.DONE,
        progress=said.append,
    )
    assert [each.seconds_left for each in said] == [None] * 5 + [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]
    assert {each.failed for each in said} == {20}
    assert str(said[-2]) == "29 of 30 runs, 20 failed, about 1 s left"
