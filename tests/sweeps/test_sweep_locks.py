"""A lock holds as long as its process lives."""

import json
import os
import platform
import subprocess
import sys
import threading

import pytest

from cdlab.sweeps import locks
from cdlab.sweeps.locks import Lock, Locks


@pytest.fixture
def lock(tmp_path):
    return Lock(tmp_path / "a.lock")


def written(lock, **changed):
    owner = {"host": platform.node(), "pid": os.getpid(), "started": locks._started(os.getpid())}
    lock.path.write_text(json.dumps(owner | changed))


def gone():
    """The id of a process that is over."""
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


def test_a_lock_is_taken_once_and_free_again_when_it_is_released(lock):
    assert lock.take()
    assert not Lock(lock.path).take()
    lock.release()
    assert Lock(lock.path).take()
    lock.release()
    lock.release()
    assert os.listdir(lock.path.parent) == []


def test_it_says_who_holds_it(lock):
    lock.take()
    owner = json.loads(lock.path.read_text())
    assert (owner["host"], owner["pid"]) == (platform.node(), os.getpid())


def test_the_lock_of_a_process_that_is_gone_is_taken_over(lock):
    written(lock, pid=gone())
    assert not lock.alive
    assert lock.take()
    assert lock.alive


def test_a_process_that_got_the_number_of_the_owner_does_not_hold_its_lock(lock):
    written(lock, started=1.0)
    assert lock.take()


@pytest.mark.parametrize(("age", "alive"), [(0.0, True), (2 * locks.FOREIGN, False)])
def test_another_host_is_believed_for_a_day(lock, age, alive):
    written(lock, host="elsewhere", pid=1)
    at = lock.path.stat().st_mtime - age
    os.utime(lock.path, (at, at))
    assert lock.alive == alive
    assert lock.take() == (not alive)


@pytest.mark.parametrize("content", ["", "{", "[]", '{"host": "a"}', '{"host": 1, "pid": "x", "started": null}'])
def test_a_lock_without_an_owner_is_being_written_for_a_moment_and_then_dead(lock, content):
    lock.path.write_text(content)
    if "pid" not in content:
        assert not lock.take()
    at = lock.path.stat().st_mtime - 2 * locks.FOREIGN
    os.utime(lock.path, (at, at))
    assert lock.take()


def test_of_many_who_find_a_dead_lock_one_gets_it(lock):
    for _ in range(20):
        written(lock, pid=2**22 + 1)
        taken, start = [], threading.Barrier(8)

        def hurry(taken=taken, start=start):
            start.wait()
            taken.append(Lock(lock.path).take())

        threads = [threading.Thread(target=hurry) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sum(taken) == 1
        lock.release()


def test_a_ctrl_c_while_a_lock_is_made_leaves_none(lock, monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(locks.json, "dump", interrupted)
    with pytest.raises(KeyboardInterrupt):
        lock.take()
    assert not lock.path.exists()


def test_all_that_a_sweep_holds_come_back_and_no_others(tmp_path):
    """Also one that a Ctrl-C kept from being handed out; and not one of another process, asked for just before it."""
    held, ours, theirs = Locks(), tmp_path / "ours", tmp_path / "theirs"
    parent = os.getppid()
    owner = {"host": platform.node(), "pid": parent, "started": locks._started(parent)}
    theirs.write_text(json.dumps(owner))
    assert held.take(theirs) is None
    assert held.take(ours).mine
    held._known.append(Lock(theirs))
    held.release_all()
    assert not ours.exists()
    assert theirs.exists()
